#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds configs/ds_config/keys against an installed DeepSpeed release: bounds, null, letter case, word lists.

Run by hand with the newest release importable, never by CI (tst_keys holds the schema made from the same data to the check):

    DS_ACCELERATOR=cpu python tests/oracle/compare_keys.py

Prints one line per difference and exits with 1 when there is one. Fields of pydantic classes are read from the classes
(deepspeed_facts.py); sections read by hand are tried: DeepSpeedConfig parses a config that holds null, or the word in another
letter case, there.
"""
import json
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("DS_ACCELERATOR", "cpu")
HERE = pathlib.Path(__file__).resolve().parent
KEYS = HERE.parents[1] / "configs" / "ds_config" / "keys"
# What is looser or tighter by intent: fp16 checks its numbers by hand, and only while dynamic loss scaling is on.
BY_HAND = {"/fp16/loss_scale", "/fp16/loss_scale_window", "/fp16/min_loss_scale"}


def catalog():
    for file in sorted(KEYS.glob("*.json")):
        yield from json.loads(file.read_text(encoding="utf-8"))["keys"]


def bare(kind):
    """The type without Optional, and whether null is taken."""
    null = False
    while kind["t"] == "optional":
        kind, null = kind["of"], True
    return kind, null


def fields(facts, pointer, model):
    for name, field in facts["models"][model]["fields"].items():
        place = f"{pointer}/{field.get('alias') or name}"
        yield place, f"{pointer}/{name}", field
        kind, _ = bare(field["type"])
        if kind["t"] == "model":
            yield from fields(facts, place, kind["model"])


def bounds(kind):
    """(least, most, above, below) as the catalog writes them: a whole number above 0 is 1 or more."""
    least, most, above, below = kind.get("ge"), kind.get("le"), kind.get("gt"), kind.get("lt")
    if kind["t"] == "int" and above is not None:
        least, above = above + 1, None
    if kind["t"] == "int" and below is not None:
        most, below = below - 1, None
    return least, most, above, below


def of_classes(facts):
    entries = {}
    for entry in catalog():
        entries.setdefault(entry["key"], []).append(entry)
    for section, model in facts["sections"].items():
        for place, other, field in fields(facts, "/" + section, model):
            kind, null = bare(field["type"])
            for entry in entries.get(place) or entries.get(other) or []:
                words = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
                structure = {"section", "object", "any"} & set(words)
                takes = entry.get("nullable", False) or "null" in words or "any" in words or (not structure and entry.get("default") is None)
                # a container that a validator makes of null is no Optional
                if takes != null and not (takes and field["default"] is None):
                    yield f"{place}: null is {'taken' if null else 'refused'}, the data says otherwise"
                if kind["t"] in ("int", "float") and place not in BY_HAND:
                    ours = tuple(entry.get(name) for name in ("min", "max", "above", "below"))
                    if ours != bounds(kind):
                        yield f"{place}: (min, max, above, below) is {bounds(kind)}, the data says {ours}"
                if kind["t"] == "enum" and words == ["enum"] and set(map(str, kind["values"])) != set(map(str, entry["values"])):
                    yield f"{place}: takes {kind['values']}, the data says {entry['values']}"


def parses(config):
    from deepspeed.runtime.config import DeepSpeedConfig
    try:
        DeepSpeedConfig(config)
    except Exception:
        return False
    return True


def holding(pointer, value):
    config = {"train_batch_size": 1}
    place = config
    *parents, last = pointer.split("/")[1:]
    for name in parents:
        place = place.setdefault(name, {})
    if pointer.startswith(("/optimizer/", "/scheduler/")):
        place["type"] = "AdamW" if pointer.startswith("/optimizer") else "WarmupLR"
    place[last] = value
    return config


def of_hand_read(facts):
    own = tuple("/" + section for section in facts["sections"])
    for entry in catalog():
        pointer, kind = entry["key"], entry["type"]
        if not pointer or "*" in pointer or "removed" in entry or entry.get("read") in ("refused", "ignored") or "when" in entry:
            continue
        if kind == "section" and (pointer in own or not pointer.startswith(own)):
            if parses(holding(pointer, {})) and parses(holding(pointer, None)) != entry.get("nullable", False):
                yield f"{pointer}: null is {'refused' if entry.get('nullable') else 'taken'}, the data says otherwise"
        if kind == "enum" and not pointer.startswith(own) and all(isinstance(word, str) for word in entry["values"]):
            strict = not parses(holding(pointer, "no such word"))
            for word in entry["values"] if strict else ():
                if parses(holding(pointer, word)) and parses(holding(pointer, word.swapcase())) != entry.get("anyCase", False):
                    yield f"{pointer}: letter case of {word!r} {'counts' if entry.get('anyCase') else 'does not count'}, the data says otherwise"


def main():
    facts = json.loads(subprocess.run([sys.executable, str(HERE / "deepspeed_facts.py")], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    differences = [*of_classes(facts), *of_hand_read(facts)]
    for difference in differences:
        print(difference)
    print(f"DeepSpeed {facts['release']}: {len(differences)} differences", file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

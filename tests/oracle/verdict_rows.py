# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of tests/data/verdicts: a config once, and under "expect" what the releases made of it, those that agree together.

An answer has only what is not as usual: verdict "ok", level null, parse_verdict "ok", nothing ignored or changed, asked up to the first steps of the engine. A config that JSON cannot hold as it is written is a "text".
"""
import json
import math

USUAL = {"verdict": "ok", "level": None, "parse_verdict": "ok", "ignored": [], "changed": {}, "upTo": "engine"}


def plain(value):
    """Whether every reader of JSON takes the value for the same."""
    if isinstance(value, dict):
        return all(map(plain, value.keys())) and all(map(plain, value.values()))
    if isinstance(value, list):
        return all(map(plain, value))
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return -2**63 <= value < 2**64
    return math.isfinite(value) if isinstance(value, float) else value.isprintable()


def once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def as_written(text):
    """{"config": ...} where that says all of the text, else {"text": ...}."""
    try:
        config = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return {"text": text}
    return {"config": config} if isinstance(config, dict) and plain(config) else {"text": text}


def read(path):
    """One row for each release, as compare_verdicts.py makes them."""
    for line in open(path):
        row = json.loads(line)
        if "config" in row:
            row["text"] = json.dumps(row.pop("config"))
        for releases, answer in row.pop("expect").items():
            for release in releases.split():
                whole = {**USUAL, **answer}
                yield {"release": release, **row, "upTo": whole.pop("upTo"), "expect": whole}


def write(path, rows):
    """@param rows  of any releases, one for each; a later row of the same config and release counts"""
    together = {}
    for row in rows:
        said = {k: v for k, v in row.items() if k not in ("release", "text", "expect", "upTo") and not (k == "world" and v == 1) and not (k == "context" and not v)}
        config = {"id": said.pop("id"), **as_written(row["text"]), **said}
        _, answers = together.setdefault(json.dumps(config, sort_keys=True), (config, {}))
        answers[row["release"]] = {k: v for k, v in {**row["expect"], "upTo": row["upTo"]}.items() if k not in USUAL or v != USUAL[k]}
    with open(path, "w") as file:
        for config, answers in together.values():
            groups = {}
            for release in sorted(answers):
                groups.setdefault(json.dumps(answers[release]), []).append(release)
            file.write(json.dumps({**config, "expect": {" ".join(releases): json.loads(answer) for answer, releases in groups.items()}}) + "\n")

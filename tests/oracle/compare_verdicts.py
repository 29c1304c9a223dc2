#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `stagecraft check` with the answers of deepspeed_verdicts.py and prints each difference.

    compare_verdicts.py --program build/dev/bin/stagecraft --deepspeed 0.19.8 cases.jsonl answers.jsonl [--parse] [--ranks] [--keep rows.jsonl]

--parse looks at loading and parsing alone, which is done for cases of several ranks anyway unless --ranks says that the engine ran on them; --keep adds the agreeing cases to a file of rows for CI.
"""
import argparse
import collections
import json
import os
import subprocess
import tempfile

import verdict_rows


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--deepspeed", required=True)
    options.add_argument("--parse", action="store_true")
    options.add_argument("--ranks", action="store_true", help="the engine ran on all ranks of each case (two_rank_verdicts.py)")
    options.add_argument("--keep")
    options.add_argument("--extra", action="store_true", help="also show what we report and the oracle did not see")
    options.add_argument("--known", nargs="*", default=[], help="pointer prefixes --extra leaves out")
    options.add_argument("--most", type=int, default=40)
    options.add_argument("cases")
    options.add_argument("answers")
    options = options.parse_args()
    options.known = tuple(options.known)
    cases = {c["id"]: c for c in map(json.loads, open(options.cases))}
    answers = [json.loads(line) for line in open(options.answers)]
    counts = collections.Counter()
    shown = 0
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        for real in answers:
            case = cases[real["id"]]
            path, context = os.path.join(folder, "c.json"), os.path.join(folder, "x.json")
            with open(path, "w") as file:
                file.write(case["text"])
            with open(context, "w") as file:
                json.dump(case.get("context") or {}, file)
            command = [options.program, "check", path, "--world", str(case.get("world", 1)), "--deepspeed", options.deepspeed, "--context", context, "--json"]
            if "trainer" in (case.get("context") or {}):
                command += ["--launcher", "transformers"]
            ours = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
            different = []
            if ours["parse_verdict"] != real["parse_verdict"]:
                different.append("parse_verdict")
            elif real["level"] in ("load", "parse") and ours["level"] != real["level"]:
                different.append("level")
            elif ours["resolved"] != real["resolved"]:
                different.append("resolved")
            if real["parse_verdict"] == "ok" and ours["parse_verdict"] == "ok":
                missing = [p for p in real["ignored"] if p not in ours["ignored"]]
                if missing:
                    different.append(f"ignored misses {missing}")
                extra = [p for p in ours["ignored"] if p not in real["ignored"] and not p.startswith(options.known)]
                if options.extra and extra:
                    different.append(f"ignored has also {extra}")
                extra = [p for p in ours["changed"] if p not in real["changed"] and not p.startswith(options.known)]
                if options.extra and extra:
                    different.append(f"changed has also { {p: ours['changed'][p] for p in extra} }")
                wrong = {p: v for p, v in real["changed"].items() if ours["changed"].get(p, "absent") != v}
                if wrong:
                    different.append(f"changed misses {wrong}, has { {p: ours['changed'].get(p, 'absent') for p in wrong} }")
                ran = not options.parse and (options.ranks or case.get("world", 1) == 1)
                if ran and ours["verdict"] != real["verdict"]:
                    different.append("verdict")
            counts["same" if not different else "different"] += 1
            if different and shown < options.most:
                shown += 1
                reasons = [f"{f['rule']} {f['path']}" for f in ours["findings"] if f["severity"] == "error"]
                print(f"== {real['id']} world {case.get('world', 1)} context {case.get('context')}: {different}\n   real {real['level']} {real.get('error', '')}"
                      f"\n   ours {ours['level']} {reasons}\n{' '.join(case['text'].split()) if shown < 100 else ''}")
            elif not different:
                kept.append({"release": options.deepspeed, **case, "upTo": "engine" if not options.parse and (options.ranks or case.get("world", 1) == 1) else "parse",
                             "expect": {k: real[k] for k in ("verdict", "level", "parse_verdict", "resolved", "ignored", "changed")}})
    print(dict(counts))
    if options.keep:
        before = verdict_rows.read(options.keep) if os.path.exists(options.keep) else ()
        verdict_rows.write(options.keep, [*before, *kept])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""deepspeed_verdicts.py --engine on two ranks: cases whose "world" is 2, each rank in a process of its own, over gloo.

    DS_ACCELERATOR=cpu python two_rank_verdicts.py [--seconds 60] < cases.jsonl > answers.jsonl

What one rank raises is the answer; where one waits for the other for good, "hangs".
"""
import os
import signal
import tempfile
import time

import deepspeed_verdicts as one

RANKS = 2


def texts(folder):
    return {rank: open(f"{folder}/{rank}.txt").read() for rank in range(RANKS) if os.path.exists(f"{folder}/{rank}.txt")}


def start(case, document, rank, folder, seconds):
    child = os.fork()
    if child:
        return child
    os.setpgid(0, 0)
    signal.alarm(seconds)
    text = one.outcome(case, document, rank, RANKS, folder)
    with open(f"{folder}/{rank}.part", "w") as file:
        file.write(text)
    os.rename(f"{folder}/{rank}.part", f"{folder}/{rank}.txt")
    os._exit(0)


def in_children(case, document, answer, seconds):
    folder = tempfile.mkdtemp()
    children = [start(case, document, rank, folder, seconds) for rank in range(RANKS)]
    end = time.time() + seconds
    while time.time() < end and len(texts(folder)) < RANKS:
        if any(text != "ok" for text in texts(folder).values()):
            end = min(end, time.time() + 2)  # the other may have something to say too
        time.sleep(0.1)
    said = texts(folder)
    for child in children:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(child, 0)
    bad = sorted((text for text in said.values() if text != "ok"), key=lambda text: "Connection closed" in text)
    if bad or len(said) < RANKS:
        answer.update(verdict="error", level="engine", error=bad[0] if bad else "hangs")


def answer_for(case, seconds):
    answer, document = one.judge(case)
    if document is not None:
        in_children(case, document, answer, seconds)
    return answer


if __name__ == "__main__":
    one.answer_lines(answer_for)

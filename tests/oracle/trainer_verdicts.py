#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""deepspeed_verdicts.py --engine for configs that the Hugging Face Trainer fills: its own classes fill each, and what they refuse is refused in "parse".

    DS_ACCELERATOR=cpu python trainer_verdicts.py [--seconds 60] < cases.jsonl > answers.jsonl

A case has its arguments in context.trainer and the model's hidden size in context.hidden_size. Needs transformers 5, accelerate and deepspeed.
"""
import json
import os

os.environ.setdefault("ACCELERATE_USE_CPU", "true")

import deepspeed_verdicts as one  # noqa: E402
from launcher_configs import by_trainer  # noqa: E402


def beside_trainer(config):
    """What the Trainer passes beside the config: its own optimizer, which accelerate exchanges where the states are offloaded."""
    if "optimizer" in config:
        return {}
    config["zero_allow_untested_optimizer"] = True
    offload = config.get("zero_optimization", {}).get("offload_optimizer", {})
    host = isinstance(offload, dict) and offload.get("device", "none") != "none" and config.get("zero_force_ds_cpu_optimizer", True)
    return {"optimizer": "DeepSpeedCPUAdam" if host else "AdamW"}


def answer_for(case, seconds):
    world, context = case.get("world", 1), case["context"]
    try:
        config = by_trainer(json.loads(case["text"]), context["trainer"], world, context.get("hidden_size"))
    except Exception as problem:
        return one.failure("parse", problem, {"id": case["id"], "parse_verdict": "error", "resolved": None, "ignored": [], "changed": {}})
    filled = {"id": case["id"], "world": world, "context": beside_trainer(config)}
    filled["text"] = json.dumps(config)
    answer, document = one.judge(filled)
    if document is not None and world == 1:
        one.in_child(filled, document, answer, seconds)
    answer["changed"] = {}  # of the filled file
    return answer


if __name__ == "__main__":
    one.answer_lines(answer_for)

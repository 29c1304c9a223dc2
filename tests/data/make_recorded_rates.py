#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning rates as real runs of our engine record them, for each kind of scheduler: recorded_rates.json.

Usage: make_recorded_rates.py FOLDER_OF_THE_PROGRAMS (what `./workbench path` prints). Every run goes on beyond the end of its
schedule, and one is resumed in its middle.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ADAM = {"type": "AdamW", "params": {"lr": 0.002}}
SCHEDULERS = [
    {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 1e-5, "warmup_max_lr": 0.003, "warmup_num_steps": 4, "total_num_steps": 12}},
    {"type": "WarmupLR", "params": {"warmup_max_lr": 0.001, "warmup_num_steps": 6, "warmup_type": "linear"}},
    {"type": "WarmupCosineLR", "params": {"total_num_steps": 12, "warmup_num_steps": 3}},
    {"type": "OneCycle", "params": {"cycle_min_lr": 1e-4, "cycle_max_lr": 0.002, "cycle_first_step_size": 5, "decay_step_size": 2, "decay_lr_rate": 0.5}},
    {"type": "LRRangeTest", "params": {"lr_range_test_min_lr": 1e-4, "lr_range_test_step_size": 3, "lr_range_test_step_rate": 2}},
]
STEPS = 16


def recorded(program, scheduler, resumed):
    config = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}, "optimizer": ADAM, "scheduler": scheduler}
    workspace = {"stagecraft": 1, "name": "rates", "model": {"family": "llama", "hidden": 32, "layers": 1, "heads": 2, "kvHeads": 2, "ffn": 64, "vocab": 256, "seq": 32},
                 "hardware": {"devicesPerNode": 2}, "training": {"steps": STEPS}, "dsConfig": config}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "w.json"
        file.write_text(json.dumps(workspace))
        for sets in ([["--set", "/training/steps=7", "--set", "/training/saveEvery=7"], ["--resume", "auto"]] if resumed else [[]]):
            subprocess.run([program, "run", str(file), "--run-dir", f"{folder}/r", "--json", *sets], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = [json.loads(line) for line in (pathlib.Path(folder) / "r/ranks/00000/metrics.ndjson").read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1)), lines
    return {"dsConfig": config, "resumed": resumed, "learningRates": [line["learningRate"] for line in lines]}


def main():
    program = str(pathlib.Path(sys.argv[1]) / "stagecraft")
    runs = [recorded(program, scheduler, False) for scheduler in SCHEDULERS] + [recorded(program, SCHEDULERS[0], True)]
    text = json.dumps({"runs": runs}, indent=1)
    (pathlib.Path(__file__).parent / "recorded_rates.json").write_text(text + "\n")


if __name__ == "__main__":
    main()

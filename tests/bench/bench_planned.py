# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned against measured, for our own engine on this machine: peak memory and step time of many layouts.

Every layout is a short real run. Its memory and time are planned three ways: from data sheets alone, from this machine's rates
(`doctor --measure`), and calibrated from one run of the same model and precision at another layout, made just before. Machines
drift by several per cent in minutes, which no forecast can know: each round therefore makes the observed run and the planned one
in turn, and what is judged of a layout is the median of its rounds, each planned from one run alone. Every round by itself, and
what the observed layout differs from its own run of the round before, are shown beside it. Ranks that outnumber the cores take
turns as the kernel likes: their times are judged apart.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS, WARM_UP = 40, 2  # some seconds of each: what a shared machine does meanwhile lasts as long
LLAMA, GPT2 = {"family": "llama", "kvHeads": 4, "seq": 128}, {"family": "gpt2", "seq": 128}
MODELS = {  # micro-batch, sizes; 22, 14, 5 and 5 million parameters
    "llama-22M": (1, {**LLAMA, "hidden": 512, "ffn": 1376, "layers": 6, "heads": 8, "vocab": 4096}),
    "gpt2-14M": (1, {**GPT2, "hidden": 384, "ffn": 1536, "layers": 6, "heads": 6, "vocab": 8192}),
    "llama-5M": (4, {**LLAMA, "hidden": 256, "ffn": 688, "layers": 4, "heads": 8, "vocab": 4096}),
    "gpt2-5M": (2, {**GPT2, "hidden": 256, "ffn": 1024, "layers": 4, "heads": 8, "vocab": 4096}),
}
# Per model and precision: the layout that is observed, then those that are planned from it: ranks, stage, accumulation, recompute.
GROUPS = {
    ("llama-22M", "fp32"): ((2, 2, 1, "none"), [(1, 0, 1, "none"), (2, 0, 1, "none"), (2, 1, 1, "none"), (2, 2, 3, "none"), (2, 3, 1, "none"), (2, 3, 1, "full"), (4, 1, 1, "none"), (4, 3, 1, "none")]),
    ("llama-22M", "bf16"): ((2, 1, 1, "none"), [(1, 1, 3, "none"), (2, 0, 1, "none"), (2, 2, 3, "none"), (2, 3, 1, "none")]),
    ("gpt2-14M", "fp32"): ((2, 2, 1, "none"), [(1, 2, 1, "full"), (2, 0, 3, "none"), (2, 1, 1, "none"), (2, 3, 1, "none"), (4, 2, 1, "none")]),
    ("gpt2-5M", "bf16"): ((2, 2, 1, "none"), [(1, 3, 3, "none"), (2, 1, 3, "none"), (2, 3, 1, "full"), (4, 0, 1, "none")]),
    ("llama-5M", "fp32"): ((2, 1, 1, "none"), [(1, 0, 3, "none"), (2, 0, 1, "none"), (2, 3, 3, "full"), (4, 2, 3, "none")]),
}


def workspace(model, dtype, layout):
    world, stage, accumulation, recompute = layout
    micro, sizes = MODELS[model]
    return {"stagecraft": 1, "name": f"{model} {dtype}", "model": sizes, "hardware": {"devicesPerNode": world},
            "layout": {"dp": world, "recompute": recompute}, "training": {"steps": STEPS}, "launch": {"threadsPerRank": 1},
            "dsConfig": {"train_micro_batch_size_per_gpu": micro, "gradient_accumulation_steps": accumulation, "gradient_clipping": 1.0,
                         "bf16": {"enabled": dtype == "bf16"}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
                         "zero_optimization": {"stage": stage}}}


class Bench:
    """Runs and plans, each plan with a data folder of its own: what is kept there decides what a plan knows."""

    def __init__(self, binaries, scratch):
        self.program, self.scratch = binaries / "stagecraft", scratch
        self.runs = 0

    def call(self, home, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, env={**os.environ, "XDG_DATA_HOME": str(self.scratch / home)})

    def run(self, document):
        """@return (folder, median step seconds, bytes of the fullest process, allocated bytes)"""
        self.runs += 1
        file, folder = self.scratch / "workspace.json", self.scratch / f"run{self.runs}"
        file.write_text(json.dumps(document))
        done = self.call("sheet", "run", file, "--run-dir", folder, "--json")
        if done.returncode != 0:
            sys.exit(f"bench: {document['name']} failed: {done.stderr[-2000:]}")
        records = [json.loads(line) for line in (folder / "ranks" / "00000" / "metrics.ndjson").read_text().splitlines()]
        return folder, statistics.median(r["stepTime"] for r in records[WARM_UP:]), max(json.loads(done.stdout)["peakRssBytes"]), records[-1]["peakAllocatedBytes"]

    def plan(self, home, document):
        file = self.scratch / "workspace.json"
        file.write_text(json.dumps(document))
        done = self.call(home, "plan", file, "--json")
        if done.returncode != 0:
            sys.exit(f"bench: planning {document['name']} failed: {done.stderr[-2000:]}")
        plan = json.loads(done.stdout)
        return plan["forecast"], max((role["peak"] for role in plan["ledger"]["roles"]), key=lambda peak: peak["process"])

    def calibrate(self, document, home="calibrated"):
        """A run of `document`, kept as a calibration; one on a busy machine is refused and made again."""
        for _ in range(4):
            measured = self.run(document)
            done = self.call(home, "runs", "calibrate", measured[0], "--json")
            if done.returncode == 0:
                return measured
        print(f"bench: {document['name']}: {done.stdout.strip()}", file=sys.stderr)
        return None

    def forget(self, home):
        """What was learned is gone; this machine's rates, where they were measured, stay beside it."""
        shutil.rmtree(self.scratch / home, ignore_errors=True)
        rates = self.scratch / "rates" / "stagecraft" / "machine.json"
        if rates.exists():
            (self.scratch / home / "stagecraft").mkdir(parents=True)
            shutil.copy(rates, self.scratch / home / "stagecraft")

    def machine_rates(self):
        """This machine's rates where they were measured already, else measured now. @return whether there are any"""
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "stagecraft" / "machine.json"
        target = self.scratch / "rates" / "stagecraft" / "machine.json"
        target.parent.mkdir(parents=True)
        if home.exists():
            shutil.copy(home, target)
        elif "--measure" in self.call("rates", "doctor", "--help").stdout:
            self.call("rates", "doctor", "--measure", "--json")
        return target.exists()


def errors_line(name, errors, percent):
    """One row each for the median, the ninetieth percentile and the worst, as a share of what is allowed."""
    if not errors:
        return
    ordered = sorted(abs(e) for e in errors)
    bias = statistics.median(errors)
    for word, value in (("median", statistics.median(ordered)), ("p90", ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]), ("worst", ordered[-1])):
        ratio = 100 * value / percent
        yield {"name": f"planned/{name}/{word}", "ratio": ratio, "spread": [ratio, ratio], "target": 1, "better": "lower",
               "note": f"{100 * value:.1f} % of {len(errors)} layouts, to {percent} %; bias {100 * bias:+.1f} %"}


def systematic_line(name, rounds_of_layouts, percent):
    """What of the errors is the forecast's own: the variance of the layouts' means without what one layout's rounds differ by."""
    several = [errors for errors in rounds_of_layouts if len(errors) > 1]
    if len(several) < 2:
        return
    within = statistics.mean(statistics.variance(errors) for errors in several)
    means = statistics.mean(statistics.mean(errors) ** 2 for errors in several)
    noise = statistics.mean(statistics.variance(errors) / len(errors) for errors in several)
    own = max(0.0, means - noise) ** 0.5
    ratio = 100 * own / percent
    yield {"name": f"planned/{name}/systematic", "ratio": ratio, "spread": [ratio, ratio], "target": 1, "better": "lower",
           "note": f"{100 * own:.1f} % (root mean square of {len(several)} layouts) beyond what rounds of one layout differ by, {100 * within ** 0.5:.1f} %, to {percent} %"}


def bench_planned(binaries, rounds):
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(binaries, Path(scratch))
        kinds = ["sheet"] + (["rates"] if bench.machine_rates() else [])
        cores = len(os.sched_getaffinity(0))
        memory, exact, inside, time, drift, apart = [], [], [], {}, [], []
        print(f"{'layout':44} {'memory':>9} {'planned':>9}        {'step':>8} {'sheet':>14} {'rates':>14} {'calibrated':>14}", file=sys.stderr)

        def judge(observed, document, label, crowded, again=""):
            """Plans `document` and runs it, in each round from a run of `observed` made just before."""
            runs, singles, last = [], [], None
            for _ in range(rounds):
                bench.forget("calibrated")
                evidence = bench.calibrate(observed)
                if evidence and last:
                    drift.append(evidence[1] / last - 1)
                last = evidence[1] if evidence else None
                forecast = bench.plan("calibrated", document)[0] if evidence else None
                runs.append(bench.run(document))
                if forecast:
                    singles.append(forecast["stepTime"] / runs[-1][1] - 1)
                    if not crowded:
                        inside.append(forecast["interval90"][0] <= runs[-1][1] <= forecast["interval90"][1])
            step, process, allocated = statistics.median(r[1] for r in runs), max(r[2] for r in runs), runs[0][3]
            words = ""
            for home in kinds:
                forecast, peak = bench.plan(home, document)
                error = forecast["stepTime"] / step - 1
                words += f" {1e3 * forecast['stepTime']:6.0f} {100 * error:+5.1f} %"
                time.setdefault((home + again, crowded), []).append(error)
                if home == "sheet":
                    memory.append(peak["process"] / process - 1)
                    exact.append(peak["allocated"] == allocated)
                    planned = peak["process"]
            if singles:
                time.setdefault(("calibrated" + again, crowded), []).append(statistics.median(singles))
                time.setdefault(("single" + again, crowded), []).extend(singles)
                if not crowded and not again:
                    apart.append(singles)
                words += f" {100 * statistics.median(singles):+5.1f} % (" + " ".join(f"{100 * e:+.1f}" for e in singles) + ")"
            print(f"{label:44} {process / 2**20:7.1f} M {planned / 2**20:7.1f} M {100 * memory[-1]:+5.1f} % {1e3 * step:6.0f}ms{words}", file=sys.stderr, flush=True)

        for (model, dtype), (observed, layouts) in GROUPS.items():
            evidence = workspace(model, dtype, observed)
            for layout in layouts:
                world, stage, accumulation, recompute = layout
                label = f"{model} {dtype} {world} ranks stage {stage} x{accumulation}{' recompute' if recompute == 'full' else ''}"
                judge(evidence, workspace(model, dtype, layout), label, world > cores)
            judge(evidence, evidence, f"{model} {dtype} as observed", False, "_again")
        if drift:
            ordered = sorted(abs(d) for d in drift)
            print(f"the observed layouts themselves, from round to round: {100 * statistics.median(ordered):.1f} % (median), {100 * ordered[int(0.9 * len(ordered))]:.1f} % (p90)", file=sys.stderr)
        yield from errors_line("memory", memory, 5)
        yield {"name": "planned/buffers", "ratio": sum(exact) / len(exact), "spread": [0, 1], "target": 1, "better": "higher", "note": f"{sum(exact)} of {len(exact)} layouts allocate what was planned, to the byte"}
        for crowded in (False, True):
            where = "time_crowded" if crowded else "time"
            for kind, percent in (("sheet", 10), ("rates", 10), ("calibrated", 3), ("single", 3)):
                yield from errors_line(f"{where}/{kind}", time.get((kind, crowded), []), percent)
        yield from systematic_line("time/calibrated", apart, 3)
        for kind in ("calibrated", "single"):
            yield from errors_line(f"time_again/{kind}", time.get((f"{kind}_again", False), []), 3)
        if inside:
            share = sum(inside) / len(inside)
            yield {"name": "planned/interval90", "ratio": share / 0.9, "spread": [share, share], "target": 0.94, "better": "higher", "note": f"{sum(inside)} of {len(inside)} calibrated times within their 90 % interval"}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Training speed of the engine: stages against stage 0, and (when asked) DeepSpeed and PyTorch.

The same model, batch, data and initial weights everywhere; two ranks with one thread each. Rounds are interleaved, so that
a machine that is busy for a while slows all of them alike.
"""
import json
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = {"hidden": 256, "ffn": 688, "layers": 4, "heads": 8, "kvHeads": 4, "vocab": 4096, "seq": 256, "micro": 4,
         "steps": 16, "warmup": 4, "dtype": "fp32", "init": ""}


def workspace(stage, world, tokens, init, dtype="fp32"):
    config = {
        "train_micro_batch_size_per_gpu": SIZES["micro"], "gradient_clipping": 1.0,
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-3, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.1}},
        "zero_optimization": {"stage": stage},
    }
    if dtype == "bf16":
        config["bf16"] = {"enabled": True}
    model = {key: SIZES[key] for key in ("hidden", "ffn", "layers", "heads", "kvHeads", "vocab", "seq")}
    model.update(family="llama", tieEmbeddings=False)
    if init:
        model["init"] = str(init)
    return {
        "stagecraft": 1, "name": "bench", "model": model,
        "data": {"source": str(tokens), "order": "sequential"},
        "hardware": {"nodes": 1, "devicesPerNode": world, "device": "cpu"}, "layout": {"dp": world},
        "training": {"steps": SIZES["steps"], "seed": 1}, "dsConfig": config, "launch": {"backend": "local", "threadsPerRank": 1},
    }


def write_tokens(path):
    # A skewed stream with repeats: training on it has something to learn, so that loss curves can be compared.
    source = random.Random(7)
    words = [[int(SIZES["vocab"] * source.random() ** 3) for _ in range(6)] for _ in range(300)]
    stream = []
    while len(stream) < 400_000:
        stream.extend(words[int(len(words) * source.random() ** 2)])
    path.write_bytes(struct.pack(f"<{len(stream)}H", *stream))


def run_ours(binaries, folder, name, document, telemetry="on", between=False):
    """@return (median step seconds, losses); with `between` the time from the end of a step to the end of the next, in which
    what is done between steps counts too"""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(document))
    target = folder / f"{name}-{random.randrange(1 << 30)}"
    done = subprocess.run([binaries / "stagecraft", "run", file, "--run-dir", target, "--json"],
                          capture_output=True, text=True, env={**os.environ, "STAGECRAFT_TELEMETRY": telemetry})
    if done.returncode != 0:
        sys.exit(f"bench: {name} failed: {done.stderr[-2000:]}")
    answer = json.loads(done.stdout)
    records = [json.loads(line) for line in (target / "ranks" / "00000" / "metrics.ndjson").read_text().splitlines()]
    times = [record["stepTime"] for record in records]
    if between:
        times = [(after["t_ns"] - before["t_ns"]) * 1e-9 for before, after in zip(records, records[1:])]
    return statistics.median(times[SIZES["warmup"]:]), answer["losses"]


def run_peer(python, kind, stage, world, tokens, init, dtype="fp32"):
    sizes = json.dumps({**SIZES, "tokens": str(tokens), "init": str(init), "dtype": dtype})
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu", "TOKENIZERS_PARALLELISM": "false"}
    environment["PATH"] = f"{Path(python).parent}:{environment['PATH']}"
    # DeepSpeed builds an op at its first start and waits for ever on the lock of a build that was killed.
    extensions = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stagecraft" / "peers-extensions"
    environment["TORCH_EXTENSIONS_DIR"] = str(extensions)
    for lock in extensions.glob("*/lock"):
        lock.unlink()
    # Gloo's threads now and then abort the exit of a run that went well: a second one counts.
    for _ in range(3):
        try:
            done = subprocess.run([python, Path(__file__).parent / "peers" / "train.py", kind, str(stage), str(world), sizes],
                                  capture_output=True, text=True, env=environment, timeout=600)
        except subprocess.TimeoutExpired:
            sys.exit(f"bench: {kind} stage {stage} gave no result within 600 s")
        lines = [line for line in done.stdout.splitlines() if line.startswith('{"times"')]
        if done.returncode == 0 and lines:
            answer = json.loads(lines[-1])
            return statistics.median(answer["times"]), answer["losses"]
    sys.exit(f"bench: {kind} stage {stage} failed three times: {done.stderr[-2000:]}")


def interleave(jobs, rounds):
    """jobs: name to callable -> (seconds, losses). @return name to (list of seconds, losses of the last round)"""
    seconds, losses = {name: [] for name in jobs}, {}
    for _ in range(rounds):
        for name, job in jobs.items():
            time, losses[name] = job()
            seconds[name].append(time)
    return seconds, losses


def ratio_line(name, seconds, fast, reference, target, note=""):
    """Speed of `fast` as a multiple of `reference`'s, by rounds."""
    ratios = [b / a for a, b in zip(seconds[fast], seconds[reference])]
    return {"name": name, "ratio": statistics.median(ratios), "spread": [min(ratios), max(ratios)], "target": target, "better": "higher", "note": note}


def bench_stages(binaries, rounds):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        tokens = folder / "tokens.u16"
        write_tokens(tokens)
        jobs = {f"stage {s}": (lambda s=s: run_ours(binaries, folder, f"stage{s}", workspace(s, 2, tokens, None))) for s in range(4)}
        seconds, _ = interleave(jobs, rounds)
        tokens_per_step = 2 * SIZES["micro"] * SIZES["seq"]
        for stage, target in ((1, 0.97), (2, 0.92), (3, 0.85)):
            rate = tokens_per_step / statistics.median(seconds[f"stage {stage}"])
            yield ratio_line(f"training/stage{stage}_vs_stage0", seconds, f"stage {stage}", "stage 0", target, f"{rate:,.0f} tokens/s")


def bench_telemetry(binaries, rounds):
    """With spans, metrics and memory recorded against without."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        tokens = folder / "tokens.u16"
        write_tokens(tokens)
        document = workspace(2, 2, tokens, None)
        document["training"]["steps"] = 24
        jobs = {word: (lambda word=word: run_ours(binaries, folder, word, document, word, between=True)) for word in ("on", "off")}
        seconds, _ = interleave(jobs, rounds)
        spent = statistics.median(seconds["on"]) / statistics.median(seconds["off"]) - 1
        yield ratio_line("training/telemetry", seconds, "on", "off", 0.99, f"{100 * spent:+.1f} % of the step time")


def bench_peers(binaries, python, rounds):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        tokens, init = folder / "tokens.u16", folder / "init.safetensors"
        write_tokens(tokens)
        subprocess.run([python, Path(__file__).parent / "peers" / "train.py", "init", init, json.dumps(SIZES)], check=True)
        for dtype, stages, targets, ddp in (("fp32", (0, 1, 2, 3), (1.2, 1.25, 1.25, 1.4), 1.15), ("bf16", (2, 3), (1.5, 1.5), 1.5)):
            jobs = {}
            for s in stages:
                jobs[f"ours {s}"] = lambda s=s: run_ours(binaries, folder, f"{dtype}{s}", workspace(s, 2, tokens, init, dtype))
                jobs[f"deepspeed {s}"] = lambda s=s: run_peer(python, "deepspeed", s, 2, tokens, init, dtype)
            jobs["ours 0"] = lambda: run_ours(binaries, folder, f"{dtype}0", workspace(0, 2, tokens, init, dtype))
            jobs["torch"] = lambda: run_peer(python, "torch", 0, 2, tokens, init, dtype)
            seconds, losses = interleave(jobs, rounds)
            for s, target in zip(stages, targets):
                apart = max(abs(a - b) / abs(b) for a, b in zip(losses[f"ours {s}"], losses[f"deepspeed {s}"]))
                rates = [2 * SIZES["micro"] * SIZES["seq"] / statistics.median(seconds[f"{who} {s}"]) for who in ("ours", "deepspeed")]
                yield ratio_line(f"peers/{dtype}_stage{s}_vs_deepspeed", seconds, f"ours {s}", f"deepspeed {s}", target,
                                 f"{rates[0]:,.0f} against {rates[1]:,.0f} tokens/s, losses at most {apart:.1e} apart")
            yield ratio_line(f"peers/{dtype}_stage0_vs_ddp", seconds, "ours 0", "torch", ddp)
            table(dtype, losses)


def table(dtype, losses):
    names = list(losses)
    print(f"\nloss, {dtype}\nstep  " + "  ".join(f"{name:>11}" for name in names), file=sys.stderr)
    for step in range(SIZES["steps"]):
        print(f"{step + 1:4}  " + "  ".join(f"{losses[name][step]:11.6f}" for name in names), file=sys.stderr)

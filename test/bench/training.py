#!/usr/bin/env python3
"""Training steps of an MLP and a BERT compared with Paddle 2.6.2 and 3, memory with recomputation, and the time to
build gradients, as Markdown tables for docs/benchmarks.md.

    test/bench/training.py                        everything; both Paddles are installed into build/peers on first use
    test/bench/training.py --only gradients       one of steps, memory, gradients
    test/bench/training.py --build build/dev      other binaries than build/release

Takes about five minutes; close other programs."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import peer_latency
from peer_latency import output_of

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("mlp", "bert")
PEERS = ("paddle2", "paddle3")


def last_json(command):
    return json.loads(output_of(command).strip().splitlines()[-1])


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.op_counts = {}

    def tool(self, name):
        return os.path.join(self.options.build, "bin", name)

    def peer(self, engine, *arguments):
        return last_json([peer_latency.peer_python(engine), os.path.join(HERE, "training_peer.py"), *arguments])

    def program(self, kind):
        folder = os.path.join(self.folder, kind)
        if kind not in self.op_counts:
            self.op_counts[kind] = self.peer("paddle2", "make", kind, folder)["ops"]
        return folder

    def run(self, folder, *arguments):
        return last_json([self.tool("proa-run"), folder, "--json", "--cache", "off", *arguments])

    def steps(self):
        columns = ["program", "ops", "threads", "proa ms", *(peer + " ms" for peer in PEERS)]
        columns += [peer + " / proa" for peer in PEERS]
        lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
        for kind in KINDS:
            for threads in ("1", "2"):
                times = {"proa": [], **{peer: [] for peer in PEERS}}
                for _ in range(self.options.rounds):
                    for engine, found in times.items():
                        found.append(self.step_ms(engine, self.program(kind), threads))
                best = {engine: min(found) for engine, found in times.items()}
                cells = [kind, str(self.op_counts[kind]), threads, *("%.2f" % best[engine] for engine in times)]
                cells += ["%.2f" % (best[peer] / best["proa"]) for peer in PEERS]
                lines.append("| " + " | ".join(cells) + " |")
        return lines

    def step_ms(self, engine, folder, threads):
        if engine != "proa":
            arguments = ("--threads", threads, "--seconds", str(self.options.seconds))
            return self.peer(engine, "measure", folder, *arguments)["median_ms"]
        first = self.run(folder, "--threads", threads, "--repeat", "3", "--warmup", "1")
        repeat = max(7, int(self.options.seconds * 1e3 / first["median_ms"]))
        return self.run(folder, "--threads", threads, "--repeat", str(repeat), "--warmup", "3")["median_ms"]

    def memory(self):
        lines = ["| program | kept: arena MB | step ms | cheap: arena MB | step ms | minimum: arena MB | step ms |",
                 "|---|---|---|---|---|---|---|"]
        for kind in KINDS:
            cells = []
            for flags in ([], ["--recompute"], ["--recompute=0"]):
                result = self.run(self.program(kind), "--threads", "1", "--repeat", "15", "--warmup", "3", *flags)
                cells.append("%.2f | %.2f" % (result["arena_bytes"] / 1e6, result["median_ms"]))
            lines.append("| %s | %s |" % (kind, " | ".join(cells)))
        return lines

    def gradients(self):
        lines = ["| ops | read and write ms | with the gradient ms | gradient us/op | ops of function and gradient |",
                 "|---|---|---|---|---|"]
        for count in (100, 1000, 10000, 100000):
            path, out = os.path.join(self.folder, "chain.mlir"), os.path.join(self.folder, "out.mlir")
            with open(path, "w") as file:
                file.write(chain(count))
            plain = self.wall([self.tool("proa-opt"), path, "-o", out])
            whole = self.wall([self.tool("proa-opt"), path, "--pd-grad", "-o", out])
            with open(out) as file:
                ops = sum("= pd." in line for line in file)
            lines.append("| %d | %.0f | %.0f | %.1f | %d |" % (count, plain, whole, (whole - plain) * 1e3 / count, ops))
        return lines

    def wall(self, command):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            output_of(command)
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times)


def chain(count):
    """A function of `count` ops: matmuls, additions and activations in turn, then a mean."""
    tensor = "tensor<16x16xf32>"
    lines = ["func.func @f(%%v0: %s, %%w: %s) -> tensor<f32> {" % (tensor, tensor)]
    for i in range(count - 1):
        form = ("%%v%d = pd.matmul %%v%d, %%w : (T, T) -> T", "%%v%d = pd.add %%v%d, %%w : (T, T) -> T",
                "%%v%d = pd.tanh %%v%d : (T) -> T")[i % 3]
        lines.append("  " + (form % (i + 1, i)).replace("T", tensor))
    lines += ["  %%l = pd.mean %%v%d : (%s) -> tensor<f32>" % (count - 1, tensor), "  return %l : tensor<f32>", "}"]
    return "\n".join(lines) + "\n"


SECTIONS = {
    "steps": ("## Training steps", """\
One step (forward, backward, update), float32, medians: an MLP (784, 1024, 1024, 10; batch 256; momentum) and a BERT
(4 layers, width 256, batch 4 of 128 tokens; AdamW), written by Paddle 2.6.2. paddle3 is Paddle 3 on the same legacy
program."""),
    "memory": ("## Memory of training", """\
The arena of one step on one thread: with all values kept, with `--recompute` (values that are nearly free are
recomputed), and with `--recompute=0` (minimum memory)."""),
    "gradients": ("## Building gradients", "`proa-opt --pd-grad` on a chain of matmuls, additions and activations, "
                  "as a whole process."),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=sorted(SECTIONS), action="append")
    parser.add_argument("--build", default=os.path.join(peer_latency.ROOT, "build", "release"))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4, help="measuring time of a round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for name, (title, text) in SECTIONS.items():
            if options.only and name not in options.only:
                continue
            print("\n".join([title, text, "", *getattr(bench, name)(), ""]), flush=True)


main()

"""Measures how long the training thread is busy with checkpoints that are written in the background.

    PYTHONPATH=build/release/python python3 test/bench/checkpoint_save.py

Steps of a chain of matmuls with an SGD update, in turn without checkpoints and with one every few steps. "call" is the
time of save_checkpoint(wait=False), which waits for an earlier checkpoint that is not complete. The steps themselves
share cores, memory and disk with the thread that writes.
"""

import argparse
import os
import statistics
import tempfile
import time

import numpy
from mesh_overlap import program

import proa


def milliseconds(work):
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--every", type=int, default=10, help="steps between checkpoints")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--strategy", default="", help="of simulated ranks")
    arguments = parser.parse_args()
    options = {"threads": arguments.threads}
    if arguments.strategy:
        options["mesh"] = {"strategy": arguments.strategy, "simulate": True}
    random = numpy.random.default_rng(0)
    x, g = (random.standard_normal((arguments.batch, arguments.width), "float32") for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chain.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program(arguments.layers, arguments.width, arguments.batch))
        weights = {f"w{i}": random.standard_normal((arguments.width,) * 2, "float32") / arguments.width
                   for i in range(arguments.layers)}
        proa.save(os.path.join(folder, "weights.safetensors"), weights)
        model = proa.open(path, parameters=os.path.join(folder, "weights.safetensors"), **options)
        model.run({"x": x, "g": g})
        plain, saving, calls = [], [], []
        for _ in range(arguments.rounds):
            plain += [milliseconds(lambda: model.run({"x": x, "g": g})) for _ in range(arguments.every)]
            calls.append(milliseconds(lambda: model.save_checkpoint(os.path.join(folder, "run"), wait=False)))
            saving += [milliseconds(lambda: model.run({"x": x, "g": g})) for _ in range(arguments.every)]
            model.finish_checkpoint()
    step, call = statistics.median(plain), statistics.median(calls)
    size = sum(array.nbytes for array in weights.values()) / 1e6
    print(f"{size:.0f} MB, a checkpoint after each {arguments.every} steps, threads={arguments.threads}")
    print(f"step {step:.1f} ms; call {call:.2f} ms, {100 * call / step:.1f} % of a step; mean step while files are "
          f"written {statistics.mean(saving):.1f} ms, without {statistics.mean(plain):.1f} ms")


if __name__ == "__main__":
    main()

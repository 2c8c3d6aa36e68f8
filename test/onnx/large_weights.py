#!/usr/bin/env python3
"""Runs a model with 2.8 GB of external weights, a sparse file, in less memory: large_weights.py PROA-RUN

Ends with code 77, "skipped", where Python lacks the package onnx.
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

SKIPPED = 77
ROWS, COLUMNS = 700_000, 1000
MOST_KIBIBYTES = 1 << 20

try:
    from onnx import TensorProto, helper, save
except ImportError as error:
    print(f"skipped: {error}; ./bootstrap.sh onnx installs it")
    sys.exit(SKIPPED)


def write_model(folder):
    """y = x + two rows of the weights."""
    size = 4 * ROWS * COLUMNS
    with open(folder / "weights.bin", "wb") as file:
        file.truncate(size)
    weights = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[ROWS, COLUMNS],
                          data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.bin"), ("offset", "0"), ("length", str(size))):
        weights.external_data.add(key=key, value=value)
    rows = helper.make_tensor("i", TensorProto.INT64, [2], [5, ROWS - 1])
    nodes = [helper.make_node("Gather", ["w", "i"], ["r"]), helper.make_node("Add", ["r", "x"], ["y"])]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, COLUMNS]) for name in "xy"]
    graph = helper.make_graph(nodes, "large", infos[:1], infos[1:], [weights, rows])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_model(pathlib.Path(folder))
        done = subprocess.run([sys.argv[1], pathlib.Path(folder) / "model.onnx", "--inputs", "random:0"],
                              capture_output=True, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(done.stdout + done.stderr + f"{used} KiB")
    if done.returncode != 0 or f"y  float32[2, {COLUMNS}]" not in done.stdout:
        return "the run failed"
    return f"expected at most {MOST_KIBIBYTES} KiB" if used > MOST_KIBIBYTES else 0


if __name__ == "__main__":
    sys.exit(main())

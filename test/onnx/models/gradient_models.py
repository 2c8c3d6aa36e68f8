#!/usr/bin/env python3
"""Writes models with the op Gradient as case folders, with derivatives by formulas: gradient_models.py OUTPUT

Needs onnx from PyPI. No runtime has the op.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(3)
TRAINING = "ai.onnx.preview.training"


def floats(*dims):
    return RANDOM.standard_normal(dims).astype(np.float32)


def gradient(inputs, outputs, **attributes):
    return helper.make_node("Gradient", inputs, outputs, domain=TRAINING, **attributes)


def write(folder, nodes, inputs, outputs, weights=None):
    """A case with these nodes; inputs, outputs and weights are arrays by name."""
    infos = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape) for name, value in values.items()]
             for values in (inputs, outputs)]
    constants = [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()]
    graph = helper.make_graph(nodes, folder.name, *infos, constants)
    opsets = [helper.make_opsetid("", 12), helper.make_opsetid(TRAINING, 1)]
    place = folder / "test_data_set_0"
    place.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), folder / "model.onnx")
    for prefix, values in (("input", inputs), ("output", outputs)):
        for i, (name, value) in enumerate(values.items()):
            message = numpy_helper.from_array(value.astype(np.float32), name)
            (place / f"{prefix}_{i}.pb").write_bytes(message.SerializeToString())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target, node = pathlib.Path(sys.argv[1]), helper.make_node
    x, w, z = floats(3, 4), floats(4, 2), floats(3, 4)
    cube = [node("Mul", ["x", "x"], ["s"]), node("Mul", ["s", "x"], ["y"])]
    write(target / "second_order", [*cube, gradient(["x"], ["dx"], xs=["x"], y="y"),
                                    gradient(["x"], ["ddx"], xs=["x"], y="dx")],
          {"x": x}, {"dx": 3 * x * x, "ddx": 6 * x})
    product = x @ w
    write(target / "by_intermediate",
          [node("MatMul", ["x", "w"], ["h"]), node("Tanh", ["h"], ["t"]), node("Mul", ["t", "t"], ["y"]),
           gradient(["h"], ["dh"], xs=["h"], y="y")],
          {"x": x, "w": w}, {"dh": 2 * np.tanh(product) * (1 - np.tanh(product)**2)})
    # The derivative at another value than that of y.
    write(target / "other_value", [node("Mul", ["x", "k"], ["s"]), node("Mul", ["s", "x"], ["y"]),
                                   gradient(["z"], ["dx"], xs=["x"], y="y")],
          {"x": x, "z": z}, {"y": 2 * x * x, "dx": 4 * z}, {"k": np.array([2], np.float32)})
    squares = [node("Mul", ["x", "z"], ["s"]), node("Mul", ["s", "s"], ["y"])]
    write(target / "constant", [*squares, gradient(["x", "z"], ["dx"], xs=["x"], zs=["z"], y="y")],
          {"x": x, "z": z}, {"dx": 2 * x * z * z})
    write(target / "absent_output", [*squares, gradient(["x", "z"], ["", "dz"], xs=["x", "z"], y="y")],
          {"x": x, "z": z}, {"dz": 2 * z * x * x})


if __name__ == "__main__":
    main()

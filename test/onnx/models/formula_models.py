#!/usr/bin/env python3
"""Writes models as case folders, with outputs by formulas in NumPy: formula_models.py OUTPUT

No runtime has Gradient, ONNX Runtime has no kernels for the CPU of the ops of com.microsoft, and gives functions the
opset of the model. Needs onnx from PyPI.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnx.parser
from onnx import helper, numpy_helper

RANDOM = np.random.default_rng(3)
TRAINING, MICROSOFT = "ai.onnx.preview.training", "com.microsoft"


def floats(*dims):
    return RANDOM.standard_normal(dims).astype(np.float32)


def gradient(inputs, outputs, **attributes):
    return helper.make_node("Gradient", inputs, outputs, domain=TRAINING, **attributes)


def write(folder, nodes, inputs, outputs, weights=None):
    """A case with these nodes; inputs, outputs and weights are arrays by name."""
    infos = [[helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
              for name, value in values.items()] for values in (inputs, outputs)]
    constants = [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()]
    graph = helper.make_graph(nodes, folder.name, *infos, constants)
    opsets = [helper.make_opsetid(domain, n) for domain, n in (("", 12), (TRAINING, 1), (MICROSOFT, 1))]
    write_data(folder, helper.make_model(graph, opset_imports=opsets, ir_version=8), inputs, outputs)


def write_data(folder, model, inputs, outputs):
    place = folder / "test_data_set_0"
    place.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    for prefix, values in (("input", inputs), ("output", outputs)):
        for i, (name, value) in enumerate(values.items()):
            message = numpy_helper.from_array(value, name)
            (place / f"{prefix}_{i}.pb").write_bytes(message.SerializeToString())


def group_norm(x, gamma, beta, groups, silu):
    """Of x [batch, height, width, channels]."""
    parts = x.reshape(*x.shape[:3], groups, -1).astype(np.float64)
    mean, variance = [f(parts, axis=(1, 2, 4), keepdims=True) for f in (np.mean, np.var)]
    y = ((parts - mean) / np.sqrt(variance + 1e-5)).reshape(x.shape) * gamma + beta
    return (y / (1 + np.exp(-y)) if silu else y).astype(np.float32)


def t5_range(distance, is_bidirectional, count, most):
    """The range of the distance of a key from a query, as T5 divides them."""
    start = 0
    if is_bidirectional:
        count //= 2
        start = count if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    small = count // 2
    if distance < small:
        return start + distance
    large = small + int(np.float32(np.log(distance / small)) / np.log(most / small) * (count - small))
    return start + min(large, count - 1)


def write_function_opset(target):
    """Softmax of opset 12 takes all dimensions from its axis on, and ReduceSum has its axes as an attribute."""
    x = floats(2, 3, 4)
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        function_opset (float[2, 3, 4] x) => (float[2, 1, 4] y, float[2, 4] z) <int64[1] axis = {1}> {
          y = local.old (x)
          s = Softmax <axis = 1> (x)
          z = ReduceSum <keepdims = 0> (s, axis)
        }
        <domain: "local", opset_import: ["" : 12]> old (a) => (b) {
          t = Softmax <axis = 1> (a)
          b = ReduceSum <axes = [1]> (t)
        }""")
    powers = np.exp(x)
    old = powers / powers.sum((1, 2), keepdims=True)
    outputs = {"y": old.sum(1, keepdims=True), "z": np.ones((2, 4), np.float32)}
    write_data(target / "function_opset", model, {"x": x}, outputs)


def write_runtime_ops(target):
    node = helper.make_node
    x, gamma, beta, bias, skip = floats(2, 3, 4, 8), floats(8), floats(8), floats(8), floats(2, 8)
    for name, activation in (("group_norm", 0), ("group_norm_silu", 1)):
        attributes = dict(domain=MICROSOFT, groups=4, activation=activation, epsilon=1e-5)
        write(target / name, [node("GroupNorm", ["x", "g", "b"], ["y"], **attributes)],
              {"x": x, "g": gamma, "b": beta}, {"y": group_norm(x, gamma, beta, 4, activation)})
    total = x + skip[:, None, None] + bias
    write(target / "skip_group_norm", [node("SkipGroupNorm", ["x", "g", "b", "s", "a"], ["y", "t"], **attributes)],
          {"x": x, "g": gamma, "b": beta, "s": skip, "a": bias},
          {"y": group_norm(total, gamma, beta, 4, True), "t": total})
    table, length = floats(8, 3), 11
    for is_bidirectional in (0, 1):
        ranges = [[t5_range(k - q, is_bidirectional, 8, 20) for k in range(length)] for q in range(length)]
        write(target / f"relative_position_bias_{is_bidirectional}",
              [node("RelativePositionBias", ["t", "n", "n"], ["y"], domain=MICROSOFT, max_distance=20,
                    is_bidirectional=is_bidirectional)],
              {"n": np.array([length])}, {"y": table.reshape(3, 8)[None, :, ranges]}, {"t": table})


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target, node = pathlib.Path(sys.argv[1]), helper.make_node
    write_runtime_ops(target)
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
    write_function_opset(target)


if __name__ == "__main__":
    main()

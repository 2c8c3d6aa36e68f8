#!/usr/bin/env python3
"""Writes models on unsigned integers of 16, 32 and 64 bits, as case folders: unsigned_models.py OUTPUT

The outputs are from NumPy, by the reference implementation of ONNX: ONNX Runtime has few ops on these types.
"""
import pathlib
import shutil
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

RANDOM = np.random.default_rng(11)


def values(dtype, *dims):
    """Small numbers and numbers near the largest, so that signed arithmetic would differ."""
    top = np.iinfo(dtype).max
    small = RANDOM.integers(0, 9, dims).astype(dtype)
    return np.where(RANDOM.integers(0, 2, dims) == 1, top - small, small).astype(dtype)


def nodes(kind):
    yield ["Add"], ["x", "y"], {}
    yield ["Sub"], ["x", "y"], {}
    yield ["Mul"], ["x", "y"], {}
    yield ["Div"], ["x", "d"], {}
    yield ["Mod"], ["x", "d"], {}
    yield ["Max"], ["x", "y"], {}
    yield ["Min"], ["x", "y"], {}
    yield ["Less"], ["x", "y"], {}
    yield ["GreaterOrEqual"], ["x", "y"], {}
    yield ["Equal"], ["x", "y"], {}
    yield ["BitwiseNot"], ["x"], {}
    yield ["BitShift"], ["x", "s"], {"direction": "RIGHT"}
    yield ["BitShift"], ["x", "s"], {"direction": "LEFT"}
    yield ["Concat"], ["x", "y"], {"axis": 0}
    yield ["Gather"], ["x", "i"], {"axis": 1}
    yield ["Where"], ["c", "x", "y"], {}
    yield ["Cast"], ["x"], {"to": TensorProto.DOUBLE}
    yield ["Cast"], ["x"], {"to": TensorProto.FLOAT}
    yield ["Cast"], ["x"], {"to": TensorProto.UINT8}
    yield ["Cast"], ["x"], {"to": TensorProto.UINT64}
    yield ["Cast"], ["x"], {"to": TensorProto.INT32}
    yield ["Cast"], ["f"], {"to": kind}
    if kind != TensorProto.UINT16:
        yield ["ReduceMax"], ["x", "a"], {"keepdims": 0}
        yield ["ReduceMin"], ["x", "a"], {"keepdims": 0}
        yield ["ReduceSum"], ["x", "a"], {"keepdims": 0}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for dtype in (np.uint16, np.uint32, np.uint64):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        top = float(np.iinfo(dtype).max)
        feeds = {"x": values(dtype, 3, 4), "y": values(dtype, 3, 4), "d": RANDOM.integers(1, 9, (3, 4)).astype(dtype),
                 "s": RANDOM.integers(0, 5, (3, 4)).astype(dtype), "i": np.array([3, 0, 1]),
                 "c": RANDOM.integers(0, 2, (3, 4)).astype(bool),
                 "f": np.array([0.0, 1.9, top * 0.75, top * 0.4, 7.5])}
        axes = numpy_helper.from_array(np.array([1], np.int64), "a")
        graph_nodes, outputs = [], []
        for n, ((op,), inputs, attributes) in enumerate(nodes(kind)):
            graph_nodes.append(helper.make_node(op, inputs, [f"out{n}"], **attributes))
            outputs.append(f"out{n}")
        infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                 for name, value in feeds.items()]
        free = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(graph_nodes, "unsigned", infos, free, [axes])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        results = ReferenceEvaluator(model).run(None, feeds)
        for info, value in zip(model.graph.output, results):
            info.CopyFrom(helper.make_tensor_value_info(info.name, helper.np_dtype_to_tensor_dtype(value.dtype),
                                                        value.shape))
        onnx.checker.check_model(model, full_check=True)
        folder = pathlib.Path(sys.argv[1]) / np.dtype(dtype).name
        shutil.rmtree(folder, ignore_errors=True)
        place = folder / "test_data_set_0"
        place.mkdir(parents=True)
        onnx.save(model, folder / "model.onnx")
        for prefix, arrays in (("input", feeds.values()), ("output", results)):
            for k, value in enumerate(arrays):
                (place / f"{prefix}_{k}.pb").write_bytes(numpy_helper.from_array(np.asarray(value)).SerializeToString())


if __name__ == "__main__":
    main()

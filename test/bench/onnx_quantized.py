#!/usr/bin/env python3
"""Latency of networks that ONNX Runtime quantized to 8 bits, in proa and in ONNX Runtime on the same files.

    PYTHONPATH=build/onnx test/bench/onnx_quantized.py                 all networks
    PYTHONPATH=build/onnx test/bench/onnx_quantized.py --only bert     one of them

The networks have random weights: a BERT of four layers (768 wide, 128 tokens), ResNet-18 and MobileNet-v1 (224x224).
Forms: float32, QDQ (QuantizeLinear and DequantizeLinear), QOperator (QLinearConv ...), and dynamic, where activations
are quantized by the range that they have in the run. Columns: milliseconds, best median of the rounds; the last is
above 1 where proa is faster."""

import argparse
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "onnx"))

import safetensors_file  # noqa: E402
from onnx_latency import median_of_onnxruntime, median_of_proa  # noqa: E402


class Network:
    """A graph that is built one node at a time, with random weights."""

    def __init__(self, dims):
        self.nodes, self.weights, self.dims = [], [], dims
        self.random = np.random.default_rng(0)

    def constant(self, array):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def weight(self, *dims, scale):
        return self.constant((self.random.standard_normal(dims) * scale).astype(np.float32))

    def add(self, kind, *inputs, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, x, rows, columns):
        return self.add("Add", self.add("MatMul", x, self.weight(rows, columns, scale=0.03)),
                        self.weight(columns, scale=0.03))

    def conv(self, x, channels, outputs, size, stride=1, group=1, is_active=True):
        scale = (2 * group / (size * size * channels)) ** 0.5
        filters = self.weight(outputs, channels // group, size, size, scale=scale)
        out = self.add("Conv", x, filters, self.weight(outputs, scale=0.1), kernel_shape=[size, size],
                       strides=[stride, stride], pads=[size // 2] * 4, group=group)
        return self.add("Relu", out) if is_active else out

    def classify(self, x, channels):
        pooled = self.add("Flatten", self.add("GlobalAveragePool", x))
        return self.add("Gemm", pooled, self.weight(channels, 1000, scale=0.05), self.weight(1000, scale=0.1))

    def save(self, result, dims, path):
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
                  for name, dims in (("x", self.dims), (result, dims))]
        graph = helper.make_graph(self.nodes, "network", values[:1], values[1:], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def bert(path, layers=4, width=768, heads=12, inner=3072):
    net = Network([1, 128, width])
    split, joined = net.constant(np.array([0, 0, heads, width // heads])), net.constant(np.array([0, 0, width]))
    scale = (width // heads) ** -0.5
    number = {value: net.constant(np.array(value, np.float32)) for value in (scale, 0.5, 1.0, 2**0.5)}

    def normalized(x):
        return net.add("LayerNormalization", x, net.constant(np.ones(width, np.float32)),
                       net.constant(np.zeros(width, np.float32)))

    x = "x"
    for _ in range(layers):
        q, k, v = (net.add("Transpose", net.add("Reshape", net.linear(x, width, width), split), perm=perm)
                   for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = net.add("Softmax", net.add("Mul", net.add("MatMul", q, k), number[scale]), axis=-1)
        mixed = net.add("Transpose", net.add("MatMul", scores, v), perm=[0, 2, 1, 3])
        x = normalized(net.add("Add", net.linear(net.add("Reshape", mixed, joined), width, width), x))
        hidden = net.linear(x, width, inner)
        gate = net.add("Add", net.add("Erf", net.add("Div", hidden, number[2**0.5])), number[1.0])
        hidden = net.add("Mul", net.add("Mul", hidden, gate), number[0.5])
        x = normalized(net.add("Add", net.linear(hidden, inner, width), x))
    net.save(x, net.dims, path)
    return net.dims


def resnet18(path):
    net = Network([1, 3, 224, 224])
    x = net.add("MaxPool", net.conv("x", 3, 64, 7, 2), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for outputs in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if outputs > 64 and block == 0 else 1
            out = net.conv(net.conv(x, channels, outputs, 3, stride), outputs, outputs, 3, is_active=False)
            if channels != outputs:
                x = net.conv(x, channels, outputs, 1, stride, is_active=False)
            x, channels = net.add("Relu", net.add("Add", out, x)), outputs
    net.save(net.classify(x, channels), [1, 1000], path)
    return net.dims


def mobilenet(path):
    net = Network([1, 3, 224, 224])
    x, channels = net.conv("x", 3, 32, 3, 2), 32
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]
    for outputs, stride in blocks:
        x = net.conv(net.conv(x, channels, channels, 3, stride, group=channels), channels, outputs, 1)
        channels = outputs
    net.save(net.classify(x, channels), [1, 1000], path)
    return net.dims


class Calibration(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter([feeds])

    def get_next(self):
        return next(self.feeds, None)


def forms(source, scratch, feeds):
    """The float model and its quantized forms, by name."""
    prepared = scratch / "prepared.onnx"
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    out = {"float32": source}
    for name, kind in (("QDQ", QuantFormat.QDQ), ("QOperator", QuantFormat.QOperator)):
        out[name] = scratch / f"{name}.onnx"
        quantize_static(prepared, out[name], Calibration(feeds), quant_format=kind, per_channel=True,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    out["dynamic"] = scratch / "dynamic.onnx"
    quantize_dynamic(prepared, out["dynamic"], weight_type=QuantType.QInt8)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["bert", "resnet18", "mobilenet"])
    parser.add_argument("--bin", default=str(HERE.parent.parent / "build" / "release" / "bin"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.4, help="measuring time of a round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    print("%-12s %-10s %9s %9s %9s" % ("network", "form", "proa", "ort", "ort/proa"))
    for make in (bert, resnet18, mobilenet):
        if options.only not in (None, make.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            source, inputs = scratch / "model.onnx", str(scratch / "x.safetensors")
            feeds = {"x": np.random.default_rng(1).standard_normal(make(source)).astype(np.float32)}
            safetensors_file.write(inputs, feeds)
            for form, model in forms(source, scratch, feeds).items():
                rounds = [(median_of_proa(options, str(model), inputs),
                           median_of_onnxruntime(options, str(model), feeds)) for _ in range(options.rounds)]
                proa, other = (min(times) for times in zip(*rounds))
                print("%-12s %-10s %9.2f %9.2f %9.2f" % (make.__name__, form, proa, other, other / proa), flush=True)


main()

#!/usr/bin/env python3
"""Time of single convolutions in proa, ONNX Runtime and OpenVINO, on one thread or more.

    PYTHONPATH=build/release/python:build/onnx test/bench/convolutions.py
    PYTHONPATH=... test/bench/convolutions.py --filter few --filter 1x1       some rows
    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active PYTHONPATH=... test/bench/convolutions.py --threads 2
    PROA_MAX_CPU_ISA=avx2 ONEDNN_MAX_CPU_ISA=AVX2 PYTHONPATH=... test/bench/convolutions.py    without AVX-512

The engines run in this process, one after the other, `--rounds` times. A figure is the shortest run: other processes of
a shared machine interrupt the others. Needs the packages onnx and onnxruntime; OpenVINO is
measured where its package is found. A convolution has constant weights and a bias, and images with channels first; a
row with `chain` is between two convolutions, so that an engine may choose the layout of its operands.

PROA_MAX_CPU_ISA limits proa, ONEDNN_MAX_CPU_ISA OpenVINO. Nothing limits ONNX Runtime."""

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass

import numpy as np

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # read when the libraries load
    os.environ.setdefault(variable, "1")


@dataclass
class Row:
    """A convolution of one image."""

    kind: str
    channels: int
    size: int
    outputs: int
    kernel: int
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    padding: int | None = None
    chain: bool = False

    def pad(self):
        return self.dilation * (self.kernel - 1) // 2 if self.padding is None else self.padding

    def out_size(self):
        return (self.size + 2 * self.pad() - self.dilation * (self.kernel - 1) - 1) // self.stride + 1

    def operations(self):
        return 2 * self.out_size() ** 2 * self.outputs * self.channels // self.groups * self.kernel**2

    def name(self):
        text = f"{self.channels}x{self.size}x{self.size} -> {self.outputs}, {self.kernel}x{self.kernel}"
        for label, value in (("s", self.stride), ("d", self.dilation), ("g", self.groups)):
            text += f" {label}{value}" if value != 1 else ""
        return text + (f" p{self.pad()}" if self.padding is not None else "") + (" chain" if self.chain else "")


def rows():
    found = []
    found += [Row("3x3", *dims, 3) for dims in ((512, 8, 512), (256, 16, 256), (128, 16, 128), (64, 32, 64),
                                                (64, 56, 64), (32, 56, 32), (16, 56, 16), (8, 32, 8))]
    found += [Row("3x3", 256, 14, 256, 3, chain=True), Row("3x3", 128, 28, 128, 3, stride=2, chain=True)]
    found += [Row("dilated", 512, 8, 512, 3, dilation=2), Row("dilated", 512, 8, 512, 3, dilation=4),
              Row("dilated", 256, 8, 256, 3, dilation=2), Row("dilated", 512, 16, 256, 3, dilation=12),
              Row("dilated", 512, 16, 256, 3, dilation=24), Row("dilated", 256, 16, 256, 3, dilation=2, chain=True)]
    found += [Row("1x1", *dims, 1) for dims in ((2048, 8, 256), (512, 8, 2048), (256, 56, 64), (64, 56, 256),
                                                (24, 7, 24), (96, 14, 24))]
    found += [Row("1x1", *dims, 1, chain=True) for dims in ((256, 56, 64), (64, 56, 256), (512, 14, 128),
                                                            (24, 56, 144), (960, 7, 160), (16, 112, 96))]
    found += [Row("1x1", 256, 28, 512, 1, stride=2, chain=True)]
    found += [Row("few", 3, 64, 64, 7, stride=2), Row("few", 3, 224, 64, 7, stride=2),
              Row("few", 3, 224, 32, 3, stride=2), Row("few", 3, 224, 16, 3, stride=2),
              Row("few", 3, 63, 12, 11, stride=4, padding=2), Row("few", 3, 224, 64, 11, stride=4, padding=2),
              Row("few", 3, 224, 64, 3), Row("few", 1, 28, 6, 5), Row("few", 4, 65, 20, 3),
              Row("few", 3, 224, 96, 4, stride=4, padding=0), Row("few", 3, 224, 768, 16, stride=16, padding=0),
              Row("few", 12, 15, 24, 5), Row("few", 6, 14, 16, 5, padding=0)]
    found += [Row("depthwise", *dims) for dims in (
        (24, 14, 24, 7, 1, 1, 24), (96, 56, 96, 3, 1, 1, 96), (96, 56, 96, 3, 2, 1, 96), (192, 14, 192, 5, 1, 1, 192),
        (64, 28, 64, 21, 1, 3, 64), (64, 28, 64, 5, 1, 1, 64))]
    found += [Row("depthwise", *dims, chain=True) for dims in (
        (96, 56, 96, 3, 1, 1, 96), (96, 56, 96, 3, 2, 1, 96), (32, 112, 32, 3, 1, 1, 32), (384, 14, 384, 3, 1, 1, 384),
        (96, 28, 96, 7, 1, 1, 96), (240, 14, 240, 5, 1, 1, 240), (20, 28, 20, 3, 1, 1, 20), (64, 28, 64, 7, 1, 3, 64),
        (144, 57, 144, 3, 2, 1, 144))]
    found += [Row("grouped", 32, 28, 64, 3, groups=4), Row("grouped", 512, 14, 512, 3, groups=32),
              Row("grouped", 128, 56, 128, 3, groups=32, chain=True),
              Row("grouped", 240, 14, 240, 1, groups=3, chain=True)]
    return found


def model_of(row):
    """The ONNX model, and its input."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(1)
    nodes, weights = [], []

    def convolve(x, y, inputs, outputs, kernel, **attributes):
        groups = attributes.get("group", 1)
        values = random.standard_normal((outputs, inputs // groups, kernel, kernel)) / kernel / np.sqrt(inputs / groups)
        for name, value in ((y + "_w", values), (y + "_b", random.standard_normal(outputs))):
            weights.append(numpy_helper.from_array(value.astype(np.float32), name))
        nodes.append(helper.make_node("Conv", [x, y + "_w", y + "_b"], [y], kernel_shape=[kernel, kernel],
                                      **attributes))

    channels, outputs = row.channels, row.outputs
    if row.chain:  # 8 channels, so that the other convolutions take little time
        convolve("x", "before", 8, row.channels, 1)
        channels, outputs = 8, 8
    convolve("before" if row.chain else "x", "middle" if row.chain else "y", row.channels, row.outputs, row.kernel,
             strides=[row.stride] * 2, dilations=[row.dilation] * 2, group=row.groups, pads=[row.pad()] * 4)
    if row.chain:
        convolve("middle", "y", row.outputs, 8, 1)
    value = lambda name, count, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, count, size, size])
    graph = helper.make_graph(nodes, "g", [value("x", channels, row.size)], [value("y", outputs, row.out_size())],
                              weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model.SerializeToString(), random.standard_normal((1, channels, row.size, row.size)).astype(np.float32)


def proa_runner(model, x, threads=1):
    import proa

    compiled = proa.open(model, threads=threads, optimize="always")
    compiled.run_tensors({"x": x})
    result = next(iter(compiled(x=x).values()))
    return lambda: compiled.run_tensors({"x": x}), result


def ort_runner(model, x, threads=1):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"x": x}), session.run(None, {"x": x})[0]


def openvino_runner(model, x, threads=1):
    import openvino

    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1}
    request = core.compile_model(core.read_model(model, b""), "CPU", settings).create_infer_request()
    request.set_input_tensor(openvino.Tensor(x, shared_memory=True))
    request.infer()
    return request.infer, request.get_output_tensor(0).data.copy()


RUNNERS = {"proa": proa_runner, "ort": ort_runner, "openvino": openvino_runner}


def shortest_us(run, seconds):
    """The shortest of at least five runs, and of as many as fit into the time."""
    run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def measure(row, engines, options):
    """Microseconds of each engine, and the greatest difference from the first engine, relative to its results."""
    model, x = model_of(row)
    runners, results = {}, {}
    for engine in engines:
        runners[engine], results[engine] = RUNNERS[engine](model, x, options.threads)
    first = results[engines[0]]
    error = max(float(np.max(np.abs(results[e] - first)) / np.max(np.abs(first))) for e in engines)
    best = dict.fromkeys(engines, float("inf"))
    for _ in range(options.rounds):
        for engine in engines:
            best[engine] = min(best[engine], shortest_us(runners[engine], options.seconds))
    return best, error


def line(row, best, error):
    text = f"| {row.kind} | {row.name()} | {row.operations() / 1e9:.4f} |"
    text += "".join(f" {us:.0f} |" for us in best.values())
    if "proa" in best and len(best) > 1:
        text += f" {min(us for engine, us in best.items() if engine != 'proa') / best['proa']:.2f} |"
    return text + (f" error {error:.1e}" if error > 1e-4 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="proa,ort,openvino", help="comma-separated")
    parser.add_argument("--filter", action="append", help="kinds of rows, or parts of their names; may be repeated")
    parser.add_argument("--seconds", type=float, default=0.05, help="measuring time of an engine in a round")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the microseconds to this file")
    options = parser.parse_args()
    engines = options.engines.split(",")
    if "openvino" in engines:
        try:
            import openvino  # noqa: F401
        except ImportError:
            print("openvino is not installed", file=sys.stderr)
            engines.remove("openvino")
    ratio = " best peer / proa |" if "proa" in engines and len(engines) > 1 else ""
    print("| kind | convolution | GFLOP |" + "".join(f" {engine} us |" for engine in engines) + ratio)
    print("|---" * (3 + len(engines) + bool(ratio)) + "|", flush=True)
    everything = {}
    for row in rows():
        if options.filter and not any(text == row.kind or text in row.name() for text in options.filter):
            continue
        best, error = measure(row, engines, options)
        everything[row.name()] = best
        print(line(row, best, error), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(everything, file, indent=1)


if __name__ == "__main__":
    main()

"""Measures one case on one peer engine and prints one line of JSON. peer_latency.py starts it with the Python of the
engine's virtual environment, in its own process, so that engines do not disturb each other.

Engines: `paddle` (Paddle Inference with graph optimization and oneDNN), `ort` (ONNX Runtime on the model that
paddle2onnx exports)."""

import zlib  # noqa: F401  Paddle has an older zlib; the first import wins.
import argparse
import json
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("case")
parser.add_argument("--engine", choices=["paddle", "ort"], required=True)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--seconds", type=float, default=4.0)
arguments = parser.parse_args()
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # read when the libraries load
    os.environ[variable] = str(arguments.threads)
os.environ.setdefault("FLAGS_enable_pir_api", "0")

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle.base import core  # noqa: E402

from corpus import Case  # noqa: E402
from timing import milliseconds  # noqa: E402


def binary_program(folder):
    """The program's protobuf bytes; created from program.json if the case has no .pdmodel."""
    path = os.path.join(folder, "program.pdmodel")
    if os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    from google.protobuf import json_format
    from paddle.base.proto import framework_pb2

    with open(os.path.join(folder, "program.json")) as file:
        text = file.read().replace("3.4028235e+38", "3.4028234e+38")
    if "DENSE_TENSOR" in framework_pb2.VarType.Type.keys():  # Paddle 3 renamed them
        for old, new in (("LOD_TENSOR", "DENSE_TENSOR"), ('"lod_tensor', '"dense_tensor'),
                         ('"lod_level"', '"legacy_lod_level"')):
            text = text.replace(old, new)
    return json_format.Parse(text, framework_pb2.ProgramDesc()).SerializeToString()


def export(case, prefix):
    """Writes PREFIX.pdmodel and PREFIX.pdiparams; returns the names of the fetched variables in order."""
    paddle.enable_static()
    bytes_of_program = binary_program(case.folder)
    program = paddle.static.Program.parse_from_string(bytes_of_program)
    weights = case.weights()
    with paddle.static.scope_guard(core.Scope()):
        scope = paddle.static.global_scope()
        for name, value in weights.items():
            scope.var(name).get_tensor().set(value, paddle.CPUPlace())
        names = sorted(v.name for v in program.list_vars() if v.persistable and v.name in weights)
        saver = paddle.static.Program()
        block = saver.global_block()
        for name in names:
            variable = program.global_block().var(name)
            block.create_var(name=name, shape=variable.shape, dtype=variable.dtype, persistable=True)
        block.append_op(
            type="save_combine",
            inputs={"X": [block.var(n) for n in names]},
            outputs={"Y": block.create_var(name="out", type=core.VarDesc.VarType.RAW)},
            attrs={"file_path": prefix + ".pdiparams", "save_to_memory": False},
        )
        paddle.static.Executor(paddle.CPUPlace()).run(saver)
    with open(prefix + ".pdmodel", "wb") as file:
        file.write(bytes_of_program)
    ops = program.global_block().ops
    return [name for _, name in sorted((op.attr("col"), op.input("X")[0]) for op in ops if op.type == "fetch")]


def paddle_runner(prefix, feeds, threads):
    from paddle import inference

    config = inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.switch_ir_optim(True)
    config.enable_memory_optim()
    config.set_cpu_math_library_num_threads(threads)
    config.enable_mkldnn()
    config.set_mkldnn_cache_capacity(10)
    predictor = inference.create_predictor(config)
    for name in predictor.get_input_names():
        handle = predictor.get_input_handle(name)
        handle.reshape(feeds[name].shape)
        handle.copy_from_cpu(np.ascontiguousarray(feeds[name]))
    outputs = [predictor.get_output_handle(name) for name in predictor.get_output_names()]

    def run():
        predictor.run()
        return [output.copy_to_cpu() for output in outputs]

    return run, "paddle " + paddle.__version__


def ort_runner(prefix, feeds, threads):
    converter = os.path.join(os.path.dirname(sys.executable), "paddle2onnx")
    subprocess.run(
        [converter, "--model_dir", os.path.dirname(prefix), "--model_filename", os.path.basename(prefix) + ".pdmodel",
         "--params_filename", os.path.basename(prefix) + ".pdiparams", "--save_file", prefix + ".onnx",
         "--opset_version", "16", "--enable_onnx_checker", "False"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(prefix + ".onnx", options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feeds), "onnxruntime " + onnxruntime.__version__


def greatest_error(outputs, expected):
    """Greatest absolute difference, or infinity where a shape differs."""
    worst = 0.0
    for got, reference in zip(outputs, expected):
        if got.shape != reference.shape:
            return float("inf")
        if got.size:
            worst = max(worst, float(np.max(np.abs(got.astype(np.float64) - reference.astype(np.float64)))))
    return worst


def main():
    case = Case(arguments.case)
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        order = export(case, prefix)
        make = paddle_runner if arguments.engine == "paddle" else ort_runner
        run, version = make(prefix, case.feeds, arguments.threads)
        error = greatest_error(run(), [case.expected[name] for name in order])
        times = milliseconds(run, arguments.seconds)
    print(json.dumps({
        "version": version,
        "median_ms": times[len(times) // 2],
        "p10_ms": times[len(times) // 10],
        "p90_ms": times[len(times) * 9 // 10],
        "runs": len(times),
        "max_abs_error": error,
    }))


main()

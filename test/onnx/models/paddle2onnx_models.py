#!/usr/bin/env python3
"""Converts programs of the corpus by Paddle2ONNX and compares them in ONNX Runtime with Paddle's outputs:
paddle2onnx_models.py EXTENSION CORPUS... [--write FOLDER]

EXTENSION is paddle2onnx_cpp2py_export.*.so of the package paddle2onnx 1.3.1: the package itself imports Paddle, its
extension does not. Prints the share of each folder of cases. Writes a few small models that are right as case folders.
"""
import argparse
import collections
import importlib.util
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import onnx_runtime
import safetensors_file
from case_writer import write_case

OPSET = 17
SECONDS = 120
WRITTEN = ["deepfm", "yolo_head", "gan_generator", "unet", "crnn_ocr", "dy2st_if", "dy2st_logical",
           "dy2st_iter_tensor", "ptq_static_hist_onnx"]
# Values of VarType.Type in framework.proto.
TYPES = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float16": 4, "float32": 5, "float64": 6, "uint8": 20,
         "int8": 21, "bfloat16": 22}


def varint(number):
    out = b""
    while number > 0x7f:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


def write_weights(tensors, path):
    """A .pdiparams file: the tensors by their names, each with a version, no LoD and a TensorDesc message."""
    with open(path, "wb") as file:
        for _, tensor in sorted(tensors.items()):
            message = b"\x08" + varint(TYPES[str(tensor.dtype)]) + b"".join(b"\x10" + varint(d) for d in tensor.shape)
            file.write(struct.pack("<IQIi", 0, 0, 0, len(message)) + message + np.ascontiguousarray(tensor).tobytes())


def convert(extension, program, weights, output):
    """Runs in a process of its own: unsupported ops abort it."""
    spec = importlib.util.spec_from_file_location("paddle2onnx_cpp2py_export", extension)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    data = module.export(program, weights, OPSET, True, False, True, True, True, {}, "onnxruntime", "", "", False)
    pathlib.Path(output).write_bytes(data)


def converted(extension, case, folder):
    """The path of the model, or what happened instead."""
    weights, output = folder / "weights", folder / "model.onnx"
    parameters = case / "params.safetensors"
    write_weights(safetensors_file.read(parameters) if parameters.exists() else {}, weights)
    command = [sys.executable, __file__, "--convert", extension, str(case / "program.pdmodel"), weights, output]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, "no result in time"
    if process.returncode == 0 and output.exists():
        return output, ""
    return None, "aborted" if process.returncode < 0 else "refused"


def check(path, feeds, expected, meta):
    try:
        session = onnx_runtime.open_session(path)
    except Exception:  # any error is one of the model
        return "not loaded"
    names = [output.name for output in session.get_outputs()]
    try:
        results = dict(zip(names, session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})))
    except Exception:
        return "fails"
    for name in meta["fetches"]:
        result, value = results.get(name), expected[name]
        # A tensor of one element had one dimension in Paddle 2.4 and before.
        has_dims = result is not None and (result.shape == value.shape or result.size == value.size == 1)
        if not has_dims or not np.allclose(np.float64(result), np.float64(value).reshape(result.shape), meta["rtol"],
                                           meta["atol"], equal_nan=True):
            return "other values"
    return "right"


def run_case(extension, case, written):
    meta = json.loads((case / "meta.json").read_text())
    if not (case / "program.pdmodel").exists() or not meta["runnable"] or meta.get("training"):
        return "not counted: no inference program as .pdmodel"
    if "feed" not in meta["op_histogram"]:
        return "not counted: no feed ops"
    with tempfile.TemporaryDirectory() as folder:
        path, outcome = converted(extension, case, pathlib.Path(folder))
        if not path:
            return outcome
        feeds, expected = (safetensors_file.read(case / f"{name}.safetensors") for name in ("inputs", "expected"))
        outcome = check(path, feeds, expected, meta)
        if outcome == "right" and written and case.name in WRITTEN:
            model = onnx.load(path)
            write_case(written / case.name, model, [feeds[i.name] for i in model.graph.input],
                       tolerances=(max(meta["rtol"], 1e-4), max(meta["atol"], 1e-5)))
        return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extension")
    parser.add_argument("corpus", nargs="+", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    arguments = parser.parse_args()
    for corpus in arguments.corpus:
        outcomes = collections.Counter()
        for meta in sorted(corpus.rglob("meta.json")):
            outcome = run_case(arguments.extension, meta.parent, arguments.write)
            outcomes[outcome] += 1
            if outcome != "right":
                print(f"  {meta.parent}: {outcome}")
        print(f"{corpus}: {dict(outcomes)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--convert"]:
        convert(*sys.argv[2:])
    else:
        main()

#!/usr/bin/env python3
"""Checks models in ONNX's text form against ONNX Runtime, through proa-check.

  control.py [--models MODULE] [--filter NAME] PROA_CHECK FOLDER [-- options of proa-check]

MODULE has the models: control_models, with control flow, or attention_models. FOLDER gets them with their feeds and
ONNX Runtime's outputs. Ends with code 77, "skipped", without the packages.
"""
import argparse
import importlib
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77

try:
    import numpy as np
    import onnx
    import onnx.parser
    import onnxruntime  # noqa: F401, used by onnx_runtime
except ImportError as error:
    print(f"skipped: {error}; ./bootstrap.sh onnx installs it")
    sys.exit(SKIPPED)
import onnx_runtime
import suite


def feed_of(given, type, random):
    if isinstance(given, tuple):
        return [feed_of(element, type.sequence_type.elem_type, random) for element in given]
    tensor = type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if isinstance(given, list):
        return np.array(given, dtype).reshape([len(given)] if len(tensor.shape.dim) else [])
    dims = [int(d) for d in re.findall(r"\d+", given.partition("[")[2])]
    return random.uniform(0.1, 1, dims).astype(dtype)


def write_model(folder, name, text, feeds):
    proto = onnx.parser.parse_model(text)
    target = folder / name
    target.mkdir(parents=True)
    (target / "model.onnx").write_bytes(proto.SerializeToString())
    session = onnx_runtime.open_session(target / "model.onnx")
    random = np.random.default_rng(0)
    for number, given in enumerate(feeds):
        values = {info.name: feed_of(given[info.name], info.type, random) for info in proto.graph.input}
        suite.write_data_set(target / f"test_data_set_{number}", proto.graph, list(values.values()),
                             session.run(None, values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("proa_check")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", default="control_models")
    parser.add_argument("--filter", default="")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    for name, text, feeds in importlib.import_module(arguments.models).MODELS:
        if re.search(arguments.filter, name):
            try:
                write_model(arguments.folder, name, text, feeds)
            except Exception as error:
                raise RuntimeError(f"model {name}") from error
    return subprocess.run([arguments.proa_check, arguments.folder] + [a for a in arguments.rest if a != "--"],
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

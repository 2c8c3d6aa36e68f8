#!/usr/bin/env python3
"""Checks ops of ONNX in old opsets and with dynamic dims, in the cases of op_cases.py.

  op_versions.py build/release/bin/proa-check --out DIR [--filter REGEX]

Each case is a model with static dims and one with dynamic dims. Ends with code 77, "skipped", where Python lacks the
package onnx.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

SKIPPED = 77

try:
    import onnx
    from onnx import helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
    import onnxruntime  # noqa: F401, used by onnx_runtime
except ImportError as error:
    print(f"skipped: {error}; ./bootstrap.sh onnx installs it")
    sys.exit(SKIPPED)
import numpy as np

import onnx_runtime
import op_cases
import suite


def value_info(name, array, is_dynamic):
    dims = [f"{name}_{i}" if is_dynamic else size for i, size in enumerate(array.shape)]
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), dims)


def model_of(case, is_dynamic, results=None):
    """The model; its outputs have types if their values are given."""
    names = ["" if array is None else f"x{i}" for i, array in enumerate(case.inputs)]
    given = {name: array for name, array in zip(names, case.inputs) if name}
    constants = [f"x{i}" for i in case.constants]
    inputs = [value_info(name, given[name], is_dynamic) for name in given if name not in constants]
    outputs = [f"y{i}" for i in range(case.outputs)]
    node = helper.make_node(case.op, names, outputs, domain=case.domain, **case.attributes)
    types = [onnx.ValueInfoProto(name=name) for name in outputs]
    if results is not None:
        types = [value_info(name, result, is_dynamic) for name, result in zip(outputs, results)]
    initializers = [numpy_helper.from_array(given[name], name) for name in constants if name in given]
    graph = helper.make_graph([node], case.op, inputs, types, initializers)
    opsets = [helper.make_opsetid(case.domain, case.opset)] + ([helper.make_opsetid("", 17)] if case.domain else [])
    # Version 4 and later have constants that are not inputs.
    version = max(4, helper.find_min_ir_version_for(opsets))
    feeds = {name: array for name, array in given.items() if name not in constants}
    return helper.make_model(graph, opset_imports=opsets, ir_version=version), feeds


def expected_results(case):
    model, feeds = model_of(case, is_dynamic=False)
    if case.has_reference:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return [np.asarray(result) for result in ReferenceEvaluator(model).run(None, feeds)]
    session = onnx_runtime.open_session(onnx.shape_inference.infer_shapes(model).SerializeToString())
    return onnx_runtime.run(session, feeds)


def write_case(folder, case):
    results = expected_results(case)
    for is_dynamic in (False, True):
        model, feeds = model_of(case, is_dynamic, results)
        data = folder / f"{case.name}_{'dynamic' if is_dynamic else 'static'}/test_data_set_0"
        suite.write_data_set(data, model.graph, list(feeds.values()), results)
        onnx.save(model, data.parent / "model.onnx")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", metavar="PROA-CHECK")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="", metavar="REGEX", help="only cases whose name matches")
    parser.add_argument("--jobs", default="2")
    arguments = parser.parse_args()
    folder = arguments.out / "op-versions"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for case in op_cases.all_cases():
        if re.search(arguments.filter, case.name):
            write_case(folder, case)
    return subprocess.run([arguments.check, str(folder), "--jobs", arguments.jobs]).returncode


if __name__ == "__main__":
    sys.exit(main())

"""Asks the sharding rules of Paddle 3.3.1 about the cases, and runs the ops on the parts that a rule asks for.

usage: paddle_worker.py      (in an environment with paddlepaddle==3.3.1); prints one JSON object
"""
import itertools
import json
import os
import sys

import numpy as np
import paddle
from paddle.base import core
from paddle.distributed import ProcessMesh
from paddle.distributed.auto_parallel.static.dist_attribute import DistTensorSpec, TensorDistAttr

import cases

DTYPES = {"float16": core.DataType.FLOAT16, "int64": core.DataType.INT64}
MESHES = {1: ProcessMesh([0, 1], dim_names=["x"]), 2: ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])}
# The index of the result among the results of the rule.
RESULT = {"cross entropy": 1}


def infer(case, mappings, axes):
    """Mappings of inputs that the rule asks for, the result's mapping, and the axes over which it is partial."""
    specs = []
    for shape, mapping in zip(case[1], mappings):
        attribute = TensorDistAttr()
        attribute.process_mesh = MESHES[axes]
        attribute.multi_dims_mapping = mapping
        specs.append(DistTensorSpec(shape, attribute))
    if case[0] in ("concat", "stack"):
        specs = [specs]
    arguments = [DTYPES.get(a, a) if isinstance(a, str) else a for a in case[4]]
    inputs, outputs = core.get_phi_spmd_rule(case[3]).infer_forward(*specs, *arguments)
    if inputs and isinstance(inputs[0], (list, tuple)):
        inputs = inputs[0]
    result = outputs[RESULT.get(case[0], 0)]
    return ([spec.multi_dims_mapping for spec in inputs], result.multi_dims_mapping, sorted(result._partial_dims()),
            str(result))


def part(array, mapping, device):
    for dim, axes in enumerate(mapping):
        if axes:
            array = np.array_split(array, 2, axis=dim)[device]
    return array


def is_sound(case, arrays, inputs, output, partial, text):
    """Whether the parts of the result that a rule promises make up the result."""
    whole = np.asarray(cases.result_of(case, np, arrays), dtype=np.float64)
    dims = [size // 2 if axes else size for size, axes in zip(whole.shape, output)]
    parts = [np.asarray(cases.result_of(case, np, [part(a, m, device) for a, m in zip(arrays, inputs)], dims),
                        dtype=np.float64) for device in (0, 1)]
    split = [dim for dim, axes in enumerate(output) if axes]
    if split:
        joined = np.concatenate(parts, axis=split[0])
    elif partial:
        kinds = {"avg": lambda a, b: (a + b) / 2, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
        kind = next((k for k in kinds if k in text.lower()), None)
        joined = kinds[kind](*parts) if kind else parts[0] + parts[1]
    else:
        joined = parts[0]
        if parts[1].shape != joined.shape or not np.allclose(parts[1], joined, rtol=1e-3):
            return False
    return joined.shape == whole.shape and np.allclose(joined, whole, rtol=1e-3, atol=1e-5)


def is_of_special_kernel(case, inputs):
    """Whether a kernel that knows its part computes the result: sharded classes and sharded vocabularies."""
    return (case[0] == "cross entropy" and inputs[0][1]) or (case[0] == "embedding" and inputs[1][0])


def probe(case):
    arrays = cases.inputs_of(case)
    found = {"placements": 0, "throws": 0, "unsound": 0, "splits": 0, "kept": 0}
    for choice in cases.placements(case):
        mappings = [[[0] if d == split else [] for d in range(len(shape))] for shape, split in zip(case[1], choice)]
        found["placements"] += 1
        try:
            answer = infer(case, mappings, 1)
        except Exception:
            found["throws"] += 1
            continue
        if not is_of_special_kernel(case, answer[0]):
            try:
                found["unsound"] += not is_sound(case, arrays, *answer)
            except Exception:
                found["unsound"] += 1
        inputs, output, partial = answer[:3]
        # Split dimensions that the rule keeps: does it keep two axes on them?
        if any(split is not None for split in choice) and inputs[0:len(mappings)] == mappings and (
                partial or any(output)):
            found["splits"] += 1
            both = [[[0, 1] if d == split else [] for d in range(len(shape))] for shape, split in zip(case[1], choice)]
            try:
                inputs, output, partial, _ = infer(case, both, 2)
                found["kept"] += inputs == both and sorted(itertools.chain(partial, *output)) == [0, 1]
            except Exception:
                pass
    return found


def main():
    results = {}
    for case in cases.CASES:
        if not case[3] or not core.contains_spmd_rule(case[3]):
            results[case[0]] = None
            continue
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, json.dumps(probe(case)).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        results[case[0]] = json.loads(text) if text else {"crashed": True}
    names = [n for n in dir(paddle._C_ops) if not n.startswith("_")]
    print(json.dumps({"version": paddle.__version__, "cases": results,
                      "rules": sum(core.contains_spmd_rule(n) for n in names), "names": len(names)}))


sys.exit(main())

"""Compiles the cases, reshards and programs with JAX (XLA and Shardy) on eight devices of the CPU.

usage: jax_worker.py      (in an environment with jax); prints one JSON object
"""
import itertools
import json
import os
import re
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib.mlir import ir, passmanager

import cases
import reshards

MOVES = ("all-gather", "all-to-all", "collective-permute", "reduce-scatter")


def mesh_of(**axes):
    count = int(np.prod(list(axes.values())))
    return Mesh(np.array(jax.devices()[:count]).reshape(list(axes.values())), tuple(axes))


def compiled(case, mesh, specs):
    shardings = tuple(NamedSharding(mesh, PartitionSpec(*spec)) for spec in specs)
    arrays = cases.inputs_of(case)
    function = jax.jit(lambda *xs: cases.result_of(case, jnp, xs), in_shardings=shardings)
    return function.lower(*arrays).compile(), [jax.device_put(a, s) for a, s in zip(arrays, shardings)]


def probe(case):
    whole = np.asarray(cases.result_of(case, np, cases.inputs_of(case)))
    found = {"placements": 0, "throws": 0, "unsound": 0, "splits": 0, "kept": 0}
    for choice in cases.placements(case):
        def specs(axes):
            return [[axes if d == split else None for d in range(len(shape))] for shape, split in zip(case[1], choice)]
        found["placements"] += 1
        try:
            program, arrays = compiled(case, mesh_of(x=2), specs("x"))
            found["unsound"] += not np.allclose(np.asarray(program(*arrays), np.float64), whole, rtol=1e-3, atol=1e-4)
        except Exception:
            found["throws"] += 1
            continue
        if sum(split is not None for split in choice) == 1 and not any(m in program.as_text() for m in MOVES):
            found["splits"] += 1
            program, _ = compiled(case, mesh_of(x=2, y=2), specs(("x", "y")))
            found["kept"] += not any(m in program.as_text() for m in MOVES)
    return found


def moved(text, devices):
    """Elements that all devices receive in the collectives of a compiled program."""
    total = 0
    for line in text.splitlines():
        match = re.search(r"= (?:\()?f32\[([\d,]*)\].*? (all-gather|all-to-all|collective-permute|all-reduce|"
                          r"reduce-scatter)(?:-start)?\(", line)
        if not match:
            continue
        size = int(np.prod([int(d) for d in match[1].split(",") if d] or [1]))
        group = re.search(r"replica_groups=\{\{([\d,]+)\}", line)
        if group:
            members = len(group[1].split(","))
        else:
            shape = re.search(r"replica_groups=\[\d+,(\d+)\]", line)
            named = re.search(r"mesh\[[^]]*\] \{([^}]*)\}", line)
            members = int(shape[1]) if shape else devices if not named else 0
            if named and not shape:
                sizes = dict(re.findall(r"'([^']+)'=(\d+)", line))
                members = int(np.prod([int(re.search(r"\(\d+\)(\d+)", a)[1]) if "(" in a
                                       else int(sizes[a.strip().strip("'")]) for a in named[1].split(",")]))
        if match[2] == "collective-permute":
            pairs = re.search(r"source_target_pairs=\{(.*?)\}\}?", line)
            count = sum(a != b for a, b in re.findall(r"\{(\d+),(\d+)\}", line.split("source_target_pairs=")[1]))
            total += size * count
        elif match[2] == "all-to-all":
            tuple_size = len(re.findall(r"f32\[", line.split(" all-to-all")[0]))
            total += size * tuple_size * devices * (members - 1) // members
        elif match[2] == "all-gather":
            total += size * devices * (members - 1) // members
        else:
            total += 2 * size * devices * (members - 1) // members
    return total


def reshard_bytes(axes):
    mesh = mesh_of(**axes)
    devices = int(np.prod(list(axes.values())))
    out = []
    for source, target in reshards.pairs(list(axes)):
        x = jax.ShapeDtypeStruct(reshards.DIMS, jnp.float32)
        specs = [NamedSharding(mesh, PartitionSpec(*[tuple(a) or None for a in p])) for p in (source, target)]
        text = jax.jit(lambda v: v + 0, in_shardings=specs[0], out_shardings=specs[1]).lower(x).compile().as_text()
        out.append(moved(text, devices))
    return out


def propagation_seconds(layers):
    """Of Shardy's propagation alone, on an MLP with annotated weights."""
    mesh = mesh_of(x=2, y=4)
    weights = [(jax.ShapeDtypeStruct((128, 512), jnp.float32), jax.ShapeDtypeStruct((512,), jnp.float32),
                jax.ShapeDtypeStruct((512, 128), jnp.float32), jax.ShapeDtypeStruct((128,), jnp.float32))] * layers
    def spec(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))
    shardings = [(spec(None, "y"), spec(None), spec("y", None), spec(None))] * layers

    def chain(x, weights):
        for a, b, c, d in weights:
            x = jax.nn.relu(x @ a + b) @ c + d
        return x
    lowered = jax.jit(chain, in_shardings=(spec(None, None), shardings)).lower(
        jax.ShapeDtypeStruct((64, 128), jnp.float32), weights)
    text = str(lowered.compiler_ir("stablehlo"))
    reduces = lowered.compile().as_text().count(" all-reduce(") if layers <= 100 else None
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        operations = sum(1 for _ in module.body.operations[-1].regions[0].blocks[0].operations)
        pipeline = passmanager.PassManager.parse("builtin.module(sdy-propagation-pipeline)")
        pipeline.enable_verifier(False)
        start = time.perf_counter()
        pipeline.run(module.operation)
        return {"ops": operations, "seconds": time.perf_counter() - start, "all_reduces": reduces, "layers": layers}


def main():
    print(json.dumps({
        "version": jax.__version__,
        "cases": {case[0]: probe(case) for case in cases.CASES},
        "reshards": {name: reshard_bytes(axes) for name, axes in reshards.MESHES.items()},
        "propagation": [propagation_seconds(layers) for layers in (100, 1000)],
    }))


sys.exit(main())

"""The cases that the shard dialect of MLIR can express, and its reshards, by mlir-opt."""
import os
import re
import subprocess
import time

import reshards

# One op on %x (and %y), and the dims of the inputs: those that implement its sharding interface.
OPS = {
    "matmul": ([[16, 24], [24, 32]], "%e = tensor.empty() : tensor<16x32xf32>\n%r = linalg.matmul ins(%x0, %x1 : "
               "tensor<16x24xf32>, tensor<24x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>",
               "tensor<16x32xf32>"),
    "add": ([[16, 24], [16, 24]],
            "%r = tosa.add %x0, %x1 : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>",
            "tensor<16x24xf32>"),
    "relu": ([[16, 24]], "%r = tosa.tanh %x0 : (tensor<16x24xf32>) -> tensor<16x24xf32>", "tensor<16x24xf32>"),
    "batched matmul": ([[4, 16, 24], [4, 24, 32]],
                       "%e = tensor.empty() : tensor<4x16x32xf32>\n%r = linalg.batch_matmul ins(%x0, %x1 : "
                       "tensor<4x16x24xf32>, tensor<4x24x32xf32>) outs(%e : tensor<4x16x32xf32>) "
                       "-> tensor<4x16x32xf32>",
                       "tensor<4x16x32xf32>"),
    "sum": ([[16, 24]], "%z = arith.constant dense<0.0> : tensor<16xf32>\n%r = linalg.reduce {arith.addf} ins(%x0 : "
            "tensor<16x24xf32>) outs(%z : tensor<16xf32>) dimensions = [1]", "tensor<16xf32>"),
    "transpose": ([[8, 12, 16]], "%e = tensor.empty() : tensor<16x8x12xf32>\n%r = linalg.transpose ins(%x0 : "
                  "tensor<8x12x16xf32>) outs(%e : tensor<16x8x12xf32>) permutation = [2, 0, 1]", "tensor<16x8x12xf32>"),
    "reshape, merge": ([[8, 12, 16]], "%r = tensor.collapse_shape %x0 [[0, 1], [2]] : tensor<8x12x16xf32> into "
                       "tensor<96x16xf32>", "tensor<96x16xf32>"),
}


def mlir_opt(tool, text, *passes):
    done = subprocess.run([tool, "-", *passes], input=text, capture_output=True, text=True, check=False, timeout=600,
                          env={**os.environ, "LLVM_DISABLE_SYMBOLIZATION": "1"})
    return done.stdout if done.returncode == 0 else None


def axes_text(dims):
    return "[" + ", ".join("[" + ", ".join(map(str, axes)) + "]" for axes in dims) + "]"


def case_text(name, grid, specs):
    shapes, body, result = OPS[name]
    arguments, annotations = [], []
    for i, (shape, spec) in enumerate(zip(shapes, specs)):
        kind = "tensor<" + "x".join(map(str, shape)) + "xf32>"
        arguments.append(f"%a{i}: {kind}")
        annotations.append(f"%s{i} = shard.sharding @g split_axes = {axes_text(spec)} : !shard.sharding\n"
                           f"%p{i} = shard.shard %a{i} to %s{i} : {kind}\n"
                           f"%x{i} = shard.shard %p{i} to %s{i} annotate_for_users : {kind}")
    return (f'shard.grid @g(shape = {grid})\nfunc.func @main({", ".join(arguments)}) -> {result} attributes '
            '{llvm.emit_c_interface} {\n' + "\n".join(annotations) + f"\n{body}\nreturn %r : {result}\n}}\n")


def probe(tool, name):
    shapes = OPS[name][0]
    choices = [[]]
    for shape in shapes:
        choices = [c + [d] for c in choices for d in (None, *range(len(shape)))]
    found = {"placements": 0, "throws": 0, "splits": 0, "kept": 0}
    passes = ("--pass-pipeline=builtin.module(func.func(sharding-propagation,shard-partition))",)
    for choice in choices:
        def specs(axes):
            return [[axes if d == split else () for d in range(len(shape))] for shape, split in zip(shapes, choice)]
        found["placements"] += 1
        out = mlir_opt(tool, case_text(name, "2", specs((0,))), *passes)
        if out is None:
            found["throws"] += 1
        elif sum(split is not None for split in choice) == 1 and not re.search(r"shard\.all_(gather|to_all)", out):
            found["splits"] += 1
            out = mlir_opt(tool, case_text(name, "2x2", specs((0, 1))), *passes)
            found["kept"] += out is not None and not re.search(r"shard\.all_(gather|to_all)", out)
    return found


def reshard_outcomes(tool, sizes):
    """Of the pairs of placements: how many give the right local type, a wrong one, or none because the tool fails."""
    names = list(sizes)
    counts = {"right": 0, "wrong": 0, "failed": 0}
    for source, target in reshards.pairs(names):
        numbered = [[[names.index(a) for a in dim] for dim in placement] for placement in (source, target)]
        kind = "tensor<" + "x".join(map(str, reshards.DIMS)) + "xf32>"
        text = (f"shard.grid @g(shape = {'x'.join(map(str, sizes.values()))})\n"
                f"func.func @main(%a: {kind}) -> {kind} {{\n"
                f"%s = shard.sharding @g split_axes = {axes_text(numbered[0])} : !shard.sharding\n"
                f"%t = shard.sharding @g split_axes = {axes_text(numbered[1])} : !shard.sharding\n"
                f"%0 = shard.shard %a to %s : {kind}\n%1 = shard.shard %0 to %t annotate_for_users : {kind}\n"
                f"return %1 : {kind}\n}}\n")
        out = mlir_opt(tool, text, "--pass-pipeline=builtin.module(func.func(shard-partition))")
        dims = []
        for size, axes in zip(reshards.DIMS, target):
            for axis in axes:
                size //= sizes[axis]
            dims.append(size)
        expected = "return %[^:]* : tensor<" + "x".join(map(str, dims)) + "xf32>"
        counts["failed" if out is None else "right" if re.search(expected, out) else "wrong"] += 1
    return counts


def propagation_seconds(tool, ops):
    """Of sharding-propagation on a chain of matmuls and additions."""
    kind = "tensor<64x64xf32>"
    body, last = "", "%x"
    for i in range(ops // 2):
        body += (f"%m{i} = tosa.add {last}, %w : ({kind}, {kind}) -> {kind}\n"
                 f"%e{i} = linalg.matmul ins(%m{i}, %w : {kind}, {kind}) outs(%z : {kind}) -> {kind}\n")
        last = f"%e{i}"
    text = (f"shard.grid @g(shape = 2x4)\nfunc.func @main(%a: {kind}, %w: {kind}) -> {kind} {{\n"
            f"%s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding\n%p = shard.shard %a to %s : {kind}\n"
            f"%x = shard.shard %p to %s annotate_for_users : {kind}\n%z = arith.constant dense<0.0> : {kind}\n{body}"
            f"return {last} : {kind}\n}}\n")
    done = subprocess.run([tool, "-", "--pass-pipeline=builtin.module(func.func(sharding-propagation))",
                           "--mlir-timing", "-o", "/dev/null"], input=text, capture_output=True, text=True, check=False)
    match = re.search(r"([\d.]+) \( *[\d.]+%\) +ShardingPropagation", done.stderr)
    return float(match[1]) if match else None

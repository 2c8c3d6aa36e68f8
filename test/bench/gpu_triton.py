"""Compiles kernels with Triton for sm_90, without a device: argument: a folder for NAME.cubin. Prints JSON.

The kernels compute the same as the kernels of gpu_static.py. The first program argument of each is the block size.
"""

import json
import pathlib
import re
import sys
import time

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(x, y, columns, block: tl.constexpr):
    row, offsets = tl.program_id(0), tl.arange(0, block)
    v = tl.load(x + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * columns + offsets, e / tl.sum(e, 0), mask=offsets < columns)


@triton.jit
def layer_norm(x, scale, bias, y, columns, block: tl.constexpr):
    row, offsets = tl.program_id(0), tl.arange(0, block)
    inside = offsets < columns
    v = tl.load(x + row * columns + offsets, mask=inside, other=0.0)
    mean = tl.sum(v, 0) / columns
    d = tl.where(inside, v - mean, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, 0) / columns + 1e-5)
    out = d * r * tl.load(scale + offsets, mask=inside) + tl.load(bias + offsets, mask=inside)
    tl.store(y + row * columns + offsets, out, mask=inside)


@triton.jit
def matmul(a, b, c, n, k, block: tl.constexpr, depth: tl.constexpr):
    rows = tl.program_id(0) * block + tl.arange(0, block)
    columns = tl.program_id(1) * block + tl.arange(0, block)
    inner = tl.arange(0, depth)
    sums = tl.zeros((block, block), tl.float32)
    for start in range(0, k, depth):
        left = tl.load(a + rows[:, None] * k + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * n + columns[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * n + columns[None, :], sums.to(tl.float16))


@triton.jit
def attention(q, k, v, out, length, block: tl.constexpr, depth: tl.constexpr):
    rows = tl.program_id(0) * block + tl.arange(0, block)
    inner, keys = tl.arange(0, depth), tl.arange(0, block)
    base = tl.program_id(1) * length * depth
    queries = tl.load(q + base + rows[:, None] * depth + inner[None, :])
    most = tl.full((block,), -float("inf"), tl.float32)
    total = tl.zeros((block,), tl.float32)
    sums = tl.zeros((block, depth), tl.float32)
    for start in range(0, length, block):
        key = tl.load(k + base + (start + keys)[None, :] * depth + inner[:, None])
        scores = tl.dot(queries, key) * 0.125
        larger = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp(scores - larger[:, None])
        factor = tl.exp(most - larger)
        total = total * factor + tl.sum(weights, 1)
        value = tl.load(v + base + (start + keys)[:, None] * depth + inner[None, :])
        sums = tl.dot(weights.to(tl.float16), value, sums * factor[:, None])
        most = larger
    tl.store(out + base + rows[:, None] * depth + inner[None, :], (sums / total[:, None]).to(tl.float16))


def pointers(names, dtype):
    return {name: "*" + dtype for name in names.split()}


KERNELS = [
    (softmax, pointers("x y", "fp32"), ["columns"], {"block": 1024}, 4),
    (layer_norm, pointers("x scale bias y", "fp32"), ["columns"], {"block": 1024}, 4),
    (matmul, pointers("a b c", "fp16"), ["n", "k"], {"block": 128, "depth": 64}, 8),
    (attention, pointers("q k v out", "fp16"), ["length"], {"block": 64, "depth": 64}, 4),
]


def compile_kernel(function, buffers, sizes, constants, warps, folder):
    signature = {**buffers, **{size: "i32" for size in sizes}, **{name: "constexpr" for name in constants}}
    # Addresses and sizes are multiples of 16, as proa's kernels know of theirs.
    attributes = {(i,): [["tt.divisibility", 16]] for i in range(len(buffers) + len(sizes))}
    source = ASTSource(fn=function, signature=signature, constexprs=constants, attrs=attributes)
    start = time.time()
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
    milliseconds = 1000 * (time.time() - start)
    name = function.__name__
    (folder / f"{name}.cubin").write_bytes(kernel.asm["cubin"])
    registers = re.search(r"\.maxnreg (\d+)", kernel.asm["ptx"])
    return {"name": name, "milliseconds": milliseconds, "sharedBytes": kernel.metadata.shared,
            "threads": 32 * warps, "registers": int(registers.group(1)) if registers else 0}


def main():
    folder = pathlib.Path(sys.argv[1])
    kernels = [compile_kernel(*entry, folder) for entry in KERNELS]
    print(json.dumps({"version": triton.__version__, "kernels": kernels}))


main()

"""The cases and reshards by proa: shardings of the inputs are propagated, and the program runs on simulated ranks."""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import cases
import reshards

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tensor_files import read_safetensors, write_safetensors  # noqa: E402

TYPES = {"float32": "f32", "float16": "f16", "int64": "i64", "bool": "i1"}
MOVES = ("dist.all_gather", "dist.all_to_all", "dist.permute", "dist.reduce_scatter", "dist.all_reduce")


def type_of(array):
    return "tensor<" + "x".join([*map(str, array.shape), TYPES[str(array.dtype)]]) + ">"


def module(case, mesh, specs):
    """The case as IR; `specs` has the axes of each dimension of each input."""
    arrays = cases.inputs_of(case)
    result = np.asarray(cases.result_of(case, np, arrays))
    result = type_of(result.astype(np.int64) if case[0] == "argmax" else result)
    body = case[5].replace("$r", result)
    for i, array in enumerate(arrays):
        body = re.sub(rf"\$t{i}\b", type_of(array), body)
        body = re.sub(rf"\${i}(?!\w)", f"%x{i}", body)
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
    arguments = []
    for i, (array, spec) in enumerate(zip(arrays, specs)):
        dims = ", ".join("{" + ", ".join(f'"{a}"' for a in axes) + "}" for axes in spec)
        arguments.append(f'%x{i}: {type_of(array)} {{pd.feed = "x{i}", dist.sharding = #dist.sharding<@m, [{dims}]>}}')
    return (f'dist.mesh @m = <[{axes}]>\nfunc.func @main({", ".join(arguments)}) -> ({result} {{pd.fetch = "r"}}) {{\n'
            f"{body}\nreturn %r : {result}\n}}\n")


class Tools:
    def __init__(self, folder):
        self.bin = folder

    def run(self, tool, *arguments, text=None):
        return subprocess.run([os.path.join(self.bin, tool), *arguments], input=text, capture_output=True, text=True,
                              check=False)

    def partitioned(self, text):
        """The program of one device; an empty text if there is none."""
        done = self.run("proa-opt", "-", "--dist-propagate", "--dist-partition", text=text)
        return done.stdout if done.returncode == 0 else ""

    def results(self, folder, text, *options):
        path, out = os.path.join(folder, "case.mlir"), os.path.join(folder, "out.safetensors")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = self.run("proa-run", path, "--cache", "off", "-q", "--inputs", os.path.join(folder, "in.safetensors"),
                        "-o", out, *options)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return read_safetensors(out)["r"]


def probe(tools, case):
    arrays = cases.inputs_of(case)
    whole = np.asarray(cases.result_of(case, np, arrays), np.float64)
    found = {"placements": 0, "throws": 0, "unsound": 0, "splits": 0, "kept": 0}
    with tempfile.TemporaryDirectory() as folder:
        write_safetensors(os.path.join(folder, "in.safetensors"), {f"x{i}": a for i, a in enumerate(arrays)})
        for choice in cases.placements(case):
            def specs(axes):
                return [[axes if d == split else () for d in range(len(shape))]
                        for shape, split in zip(case[1], choice)]
            found["placements"] += 1
            try:
                result = tools.results(folder, module(case, {"x": 2}, specs(("x",))),
                                       "--mesh", "x=2", "--simulate-mesh")
                found["unsound"] += not np.allclose(result.astype(np.float64), whole, rtol=1e-3, atol=1e-4)
            except RuntimeError as error:
                print(f"{case[0]} {choice}: {error}")
                found["throws"] += 1
                continue
            text = tools.partitioned(module(case, {"x": 2}, specs(("x",))))
            if sum(split is not None for split in choice) == 1 and not any(m in text for m in MOVES[:4]):
                found["splits"] += 1
                text = tools.partitioned(module(case, {"x": 2, "y": 2}, specs(("x", "y"))))
                found["kept"] += text != "" and not any(m in text for m in MOVES[:4])
    return found


def placement_of(text):
    """The axes of each dimension of `<@m, [{"x"}, {}]>`."""
    return [tuple(re.findall(r'"(\w+)"', dim)) for dim in re.findall(r"\{([^}]*)\}", text)]


def reshard_elements(tools, sizes):
    """Elements that all devices receive, for each pair of placements."""
    axes = ", ".join(f'"{name}"={size}' for name, size in sizes.items())

    def sharding(placement):
        return "[" + ", ".join("{" + ", ".join(f'"{a}"' for a in dim) + "}" for dim in placement) + "]"
    dims = "x".join(map(str, reshards.DIMS))
    text = f"dist.mesh @m = <[{axes}]>\n"
    all_pairs = reshards.pairs(list(sizes))
    for i, (source, target) in enumerate(all_pairs):
        own, other = sharding(source), sharding(target)
        text += (f"func.func @f{i}(%x: tensor<{dims}xf32> {{dist.sharding = #dist.sharding<@m, {own}>}}) -> "
                 f"tensor<{dims}xf32> {{\n%0 = dist.reshard %x from <@m, {own}> to <@m, {other}> "
                 f": tensor<{dims}xf32>\nreturn %0 : tensor<{dims}xf32>\n}}\n")
    # Bytes decide, not latencies: the figures of peers are bytes too.
    done = tools.run("proa-opt", "-", "--dist-expand-reshard=latency=0", text=text)
    totals = []
    for function in done.stdout.split("func.func @f")[1:]:
        total = 0
        for kind, source, target in re.findall(r"dist\.(\w+) %.*? from <@m, (\[.*?\])> to <@m, (\[.*?\])>", function):
            if kind != "slice":
                total += reshards.received(placement_of(source), placement_of(target), sizes)
        totals.append(total)
    return totals

#!/usr/bin/env python3
"""Compares the sharding of proa with Paddle 3.3.1, JAX (XLA and Shardy) and MLIR's shard dialect, in one run.

    python3 -m venv peers-paddle && peers-paddle/bin/pip install paddlepaddle==3.3.1
    python3 -m venv peers-jax && peers-jax/bin/pip install jax==0.10.2
    cmake --build --preset release --target proa-opt proa-run spmd-test sharding-soundness-test propagation-bench
    python3 test/bench/spmd_peers/main.py --bin build/release/bin --paddle peers-paddle/bin/python \\
        --jax peers-jax/bin/python --mlir-opt mlir-opt-22

Prints the tables of docs/benchmarks.md, "Sharding and its peers". Takes about 10 minutes on two cores.
"""
import argparse
import json
import os
import re
import subprocess
import sys

import cases
import mlir_worker
import proa_worker
import reshards

HERE = os.path.dirname(os.path.abspath(__file__))


def worker(python, script):
    done = subprocess.run([python, os.path.join(HERE, script)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{script}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def summed(results):
    """The sum of each count over the cases that a system has."""
    known = [r for r in results.values() if r and "crashed" not in r]
    return len(known), {key: sum(r.get(key, 0) for r in known) for key in
                        ("placements", "throws", "unsound", "splits", "kept")}


def rules_table(systems):
    lines = ["| | " + " | ".join(systems) + " |", "|---" * (len(systems) + 1) + "|"]
    totals = {name: summed(results) for name, results in systems.items()}
    lines.append("| ops with a rule, of " + str(len(cases.CASES)) + " | "
                 + " | ".join(str(count) for count, _ in totals.values()) + " |")
    for key, text in (("placements", "placements on two devices"), ("throws", "of these refused"),
                      ("unsound", "of these wrong results")):
        lines.append(f"| {text} | " + " | ".join(
            "not run" if key == "unsound" and name.startswith("MLIR") else str(total[key])
            for name, (_, total) in totals.items()) + " |")
    lines.append("| splits without a move of the operand, and of these with two axes on the dimension | "
                 + " | ".join(f"{total['splits']}, {total['kept']}" for _, total in totals.values()) + " |")
    return "\n".join(lines)


def ratios(moved, sizes):
    """Sum over pairs of what is moved by the sum of the least, the worst pair, and the number of pairs."""
    pairs = [(m, reshards.received(a, b, sizes)) for m, (a, b) in zip(moved, reshards.pairs(list(sizes)))
             if m is not None]
    pairs = [(m, least) for m, least in pairs if least > 0]
    return f"{sum(m for m, _ in pairs) / sum(l for _, l in pairs):.3f}, worst {max(m / l for m, l in pairs):.2f}, " \
           f"{len(pairs)} pairs"


def reshard_table(tools, jax, mlir_opt):
    lines = ["| mesh | proa | XLA with Shardy | Paddle's algorithm | MLIR `shard`: right, wrong, failed |",
             "|---|---|---|---|---|"]
    for name, sizes in reshards.MESHES.items():
        paddle = [reshards.paddle_received(a, b, sizes) for a, b in reshards.pairs(list(sizes))]
        outcomes = mlir_worker.reshard_outcomes(mlir_opt, sizes)
        lines.append(f"| {name} | {ratios(proa_worker.reshard_elements(tools, sizes), sizes)} | "
                     f"{ratios(jax['reshards'][name], sizes)} | {ratios(paddle, sizes)} | "
                     f"{outcomes['right']}, {outcomes['wrong']}, {outcomes['failed']} |")
    return "\n".join(lines)


def propagation_table(folder, jax, mlir_opt):
    done = subprocess.run([os.path.join(folder, "propagation-bench"), "--benchmark_format=json"], capture_output=True,
                          text=True, check=True)
    own = {int(re.search(r"/(\d+)", b["name"])[1]): b["real_time"] * {"ms": 1, "us": 1e-3, "ns": 1e-6}[b["time_unit"]]
           for b in json.loads(done.stdout)["benchmarks"]}
    lines = ["| ops | dist-propagate | MLIR `sharding-propagation` | Shardy `sdy-propagation-pipeline` |",
             "|---|---|---|---|"]
    shardy = {1000: jax["propagation"][0], 10000: jax["propagation"][1]}
    for ops in sorted(own):
        mlir = mlir_worker.propagation_seconds(mlir_opt, ops) if ops <= 10000 else None
        peer = shardy.get(ops)
        lines.append(f"| {ops:,} | {own[ops]:.1f} ms | " + (f"{mlir * 1e3:.0f} ms | " if mlir else "| ")
                     + (f"{peer['seconds'] * 1e3:.0f} ms ({peer['ops']:,} ops) |" if peer else "|"))
    return "\n".join(lines)


def megatron_text(tools, jax):
    """All_reduces of an MLP of which only the weights are annotated."""
    layers = jax["propagation"][0]["layers"]
    types = {"x": "tensor<64x128xf32>", "h": "tensor<64x512xf32>", "a": "tensor<128x512xf32>",
             "c": "tensor<512x128xf32>"}
    arguments, body, last = [f"%x: {types['x']}"], "", "%x"
    for i in range(layers):
        arguments += [f'%a{i}: {types["a"]} {{dist.sharding = #dist.sharding<@m, [{{}}, {{"y"}}]>}}',
                      f'%c{i}: {types["c"]} {{dist.sharding = #dist.sharding<@m, [{{"y"}}, {{}}]>}}']
        body += (f"%p{i} = pd.matmul {last}, %a{i} : ({types['x']}, {types['a']}) -> {types['h']}\n"
                 f"%r{i} = pd.relu %p{i} : ({types['h']}) -> {types['h']}\n"
                 f"%s{i} = pd.matmul %r{i}, %c{i} : ({types['h']}, {types['c']}) -> {types['x']}\n")
        last = f"%s{i}"
    text = (f'dist.mesh @m = <["x"=2, "y"=4]>\nfunc.func @main({", ".join(arguments)}) -> {types["x"]} {{\n{body}'
            f"return {last} : {types['x']}\n}}\n")
    count = tools.partitioned(text).count("dist.all_reduce ")
    return (f"All_reduces of {layers} MLP layers, of which the weights are annotated: proa {count}, "
            f"XLA {jax['propagation'][0]['all_reduces']}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--paddle", required=True, help="Python with paddlepaddle==3.3.1")
    parser.add_argument("--jax", required=True, help="Python with jax")
    parser.add_argument("--mlir-opt", default="mlir-opt-22")
    arguments = parser.parse_args()
    tools = proa_worker.Tools(arguments.bin)
    paddle, jax = worker(arguments.paddle, "paddle_worker.py"), worker(arguments.jax, "jax_worker.py")
    systems = {
        "proa": {case[0]: proa_worker.probe(tools, case) for case in cases.CASES},
        f"Paddle {paddle['version']}": paddle["cases"],
        f"JAX {jax['version']}": jax["cases"],
        "MLIR `shard`": {name: mlir_worker.probe(arguments.mlir_opt, name) for name in mlir_worker.OPS},
    }
    print(rules_table(systems))
    print(f"\nPaddle has rules for {paddle['rules']} of the {paddle['names']} names of `_C_ops`.\n")
    print(reshard_table(tools, jax, arguments.mlir_opt) + "\n")
    print(propagation_table(arguments.bin, jax, arguments.mlir_opt) + "\n")
    print(megatron_text(tools, jax))
    return 0


sys.exit(main())

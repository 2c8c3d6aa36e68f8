"""Compares training steps whose collectives communicate while kernels run with steps where they do not.

    python3 test/bench/mesh_overlap.py --proa build/release/bin/proa-run

The program is a chain of matmuls and relus with its gradients and an SGD update, data-parallel on two ranks: the
gradient of each layer is summed while earlier layers compute theirs. Links of several bandwidths are emulated,
because two ranks of one machine exchange messages by copying them, which takes the time of a core. Both variants run
in turn, several times; the times are the smallest medians.
"""

import argparse
import os
import sys
import tempfile

from timing import median_of_run

KINDS = {"simulated": ("--simulate-mesh",), "processes": ()}
LINKS = ("", "20us,4GB/s", "20us,1GB/s", "20us,250MB/s")


def program(layers, width, batch):
    """The training step as IR."""
    x, w = f"tensor<{batch}x{width}xf32>", f"tensor<{width}x{width}xf32>"
    arguments = [f'%x0: {x} {{pd.feed = "x"}}', f'%g{layers}: {x} {{pd.feed = "g"}}']
    arguments += [f'%w{i}: {w} {{pd.param = "w{i}"}}' for i in range(layers)]
    body = ["%rate = pd.constant dense<1.0e-3> : tensor<f32>", "%zero = pd.constant dense<0.0> : tensor<f32>"]
    for i in range(layers):
        body += [f"%y{i} = pd.matmul %x{i}, %w{i} : ({x}, {w}) -> {x}", f"%x{i + 1} = pd.relu %y{i} : ({x}) -> {x}"]
    for i in reversed(range(layers)):
        mask = x.replace("f32", "i1")
        body += [
            f"%m{i} = pd.greater_than %y{i}, %zero : ({x}, tensor<f32>) -> {mask}",
            f"%d{i} = pd.where %m{i}, %g{i + 1}, %zero : ({mask}, {x}, tensor<f32>) -> {x}",
            f"%g{i} = pd.matmul %d{i}, %w{i} {{transpose_y = true}} : ({x}, {w}) -> {x}",
            f"%a{i} = pd.matmul %x{i}, %d{i} {{transpose_x = true}} : ({x}, {x}) -> {w}",
            f"%b{i} = pd.multiply %a{i}, %rate : ({w}, tensor<f32>) -> {w}",
            f"%n{i} = pd.subtract %w{i}, %b{i} : ({w}, {w}) -> {w}",
        ]
    body.append(f"%loss = pd.sum %x{layers} {{axis = array<i64: 0, 1>}} : ({x}) -> tensor<f32>")
    results = ['tensor<f32> {pd.fetch = "loss"}'] + [f'{w} {{pd.state = "w{i}"}}' for i in range(layers)]
    values = ", ".join(["%loss"] + [f"%n{i}" for i in range(layers)])
    types = ", ".join(["tensor<f32>"] + [w] * layers)
    return (f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n  " + "\n  ".join(body)
            + f"\n  return {values} : {types}\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proa", default="build/release/bin/proa-run")
    parser.add_argument("--kind", choices=KINDS, default="simulated", help="simulated ranks, or processes by mpirun")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=20)
    arguments = parser.parse_args()
    launch = ["mpirun", "-n", "2", "--allow-run-as-root"] if arguments.kind == "processes" else []
    print(f"{arguments.layers} layers of width {arguments.width}, batch {arguments.batch}, {arguments.kind} ranks\n")
    print("| link | without overlap ms | with overlap ms | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "step.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program(arguments.layers, arguments.width, arguments.batch))
        command = launch + [arguments.proa, path, "--strategy", "dp2", "--threads", "2", "--repeat",
                            str(arguments.repeat), "--json", *KINDS[arguments.kind]]
        for link in LINKS:
            emulated = ["--emulate-link", link] if link else []
            times = {True: [], False: []}
            for _ in range(arguments.rounds):
                for overlap in times:
                    times[overlap].append(median_of_run(command + emulated + ([] if overlap else ["--no-overlap"])))
            with_overlap, without = min(times[True]), min(times[False])
            ratio = with_overlap / without
            print(f"| {link or 'none'} | {without:.2f} | {with_overlap:.2f} | {ratio:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

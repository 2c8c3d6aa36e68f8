"""Compares runs on a mesh of one rank with runs on one device: the overhead of the mesh must be at most 3 %.

    python3 test/bench/mesh_overhead.py --proa build/release/bin/proa-run test/corpus/training/gpt_sgd ...

Both run in turn, several times; the ratio is of the smallest medians.
"""

import argparse
import sys

from timing import median_of_run

MESH = ["--mesh", "dp=1", "--strategy", "dp"]
KINDS = {"simulated": (), "processes": ("mpirun", "-n", "1", "--allow-run-as-root")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--proa", default="build/release/bin/proa-run")
    parser.add_argument("--kind", choices=KINDS, default="simulated", help="simulated ranks, or processes by mpirun")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=1.03, help="the largest ratio that passes")
    arguments = parser.parse_args()
    kind = KINDS[arguments.kind]
    failed = False
    print(f"{'model':50} {'plain ms':>10} {'mesh ms':>10} {'ratio':>7}")
    for model in arguments.models:
        run = [arguments.proa, model, "--json", "--quiet", f"--threads={arguments.threads}"]
        run += [f"--repeat={arguments.repeat}", "--warmup=3"]
        mesh = [*kind, *run, *MESH, *([] if kind else ["--simulate-mesh"])]
        plain, distributed = [], []
        for _ in range(arguments.rounds):
            plain.append(median_of_run(run))
            distributed.append(median_of_run(mesh))
        ratio = min(distributed) / min(plain)
        failed |= ratio > arguments.limit
        print(f"{model[-50:]:50} {min(plain):10.3f} {min(distributed):10.3f} {ratio:7.3f}")
    sys.exit(failed)


if __name__ == "__main__":
    main()

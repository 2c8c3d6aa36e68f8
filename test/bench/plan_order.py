"""Compares the order of strategies by the planner's times with that of measured training steps.

    python3 test/bench/plan_order.py --tools build/release/bin test/corpus/training/llama_adamw

Each strategy has two devices. Ranks are threads, whose links are emulated. Prints both times and Spearman's
correlation of the ranks.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from timing import median_of_run

STRATEGIES = ("dp2", "dp2,zero1", "dp2,zero2", "dp2,zero3", "mp2", "mp2,sp", "cp2", "dp2,acc2", "dp2,zero3,acc2",
              "mp2,acc2", "dp2,recompute")


def planned(tools, model, cluster, strategy):
    """Milliseconds of a step by the planner; nothing if the program does not allow the strategy."""
    done = subprocess.run([f"{tools}/proa-plan", model, "--cluster", cluster, "--strategy", strategy, "--json", "-q"],
                          capture_output=True, text=True)
    return json.loads(done.stdout)["seconds"] * 1e3 if done.returncode == 0 else None


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [order.index(i) for i in range(len(values))]


def correlation(a, b):
    """Spearman's, of values without ties."""
    n = len(a)
    return 1 - 6 * sum((x - y) ** 2 for x, y in zip(ranks(a), ranks(b))) / (n * (n * n - 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="build/release/bin")
    parser.add_argument("--latency", type=float, default=200, help="of the emulated link, in microseconds")
    parser.add_argument("--bandwidth", type=float, default=100, help="of the emulated link, in MB/s")
    parser.add_argument("--device", default="avx512", help="a known processor, or a file of proa-tune --measure")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("model")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cluster = os.path.join(folder, "cluster.json")
        level = {"devices": 2, "latency_us": arguments.latency, "bandwidth_GBps": arguments.bandwidth / 1000}
        with open(cluster, "w", encoding="utf-8") as file:
            json.dump({"device": arguments.device, "memory": "8GB", "levels": [level]}, file)
        link = f"{arguments.latency}us,{arguments.bandwidth}MB/s"
        rows = []
        for strategy in STRATEGIES:
            estimate = planned(arguments.tools, arguments.model, cluster, strategy)
            if estimate is None:
                continue
            measured = median_of_run([f"{arguments.tools}/proa-run", arguments.model, "--simulate-mesh", "--strategy",
                                      strategy, "--emulate-link", link, "--threads", "1", "--repeat",
                                      str(arguments.repeat), "--json"])
            rows.append((strategy, estimate, measured))
    print("| strategy | planned ms | measured ms |\n|---|---|---|")
    for strategy, estimate, measured in sorted(rows, key=lambda row: row[1]):
        print(f"| {strategy} | {estimate:.2f} | {measured:.2f} |")
    print(f"\nSpearman's correlation: {correlation([r[1] for r in rows], [r[2] for r in rows]):.2f}")


if __name__ == "__main__":
    sys.exit(main())

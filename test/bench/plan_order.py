"""Compares the order of strategies by the planner's times with the order of measured training steps.

    python3 test/bench/plan_order.py --tools build/release/bin test/corpus/training/llama_adamw ...

Each strategy has two devices. Ranks are threads, whose links are emulated. All strategies run in turn, several times,
and the smallest median (or 10th percentile) counts: other processes only add time. Prints the times of the planner (of
the lowered program, and of formulas), the measured ones, and Spearman's correlations of the ranks.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from timing import median_of_run

STRATEGIES = ("dp2", "dp2,zero1", "dp2,zero2", "dp2,zero3", "mp2", "mp2,sp", "cp2", "cp2,zero1", "dp2,acc2",
              "dp2,zero2,acc2", "dp2,zero3,acc2", "mp2,acc2", "mp2,sp,acc2", "cp2,acc2", "dp2,recompute",
              "mp2,recompute", "pp2,1f1b,acc4", "pp2,zbh1,acc4", "pp2,vhalf,acc4")


def planned(tools, model, cluster, strategy, seconds):
    """Milliseconds of a step by the planner; nothing if the program does not allow the strategy."""
    done = subprocess.run([f"{tools}/proa-plan", model, "--cluster", cluster, "--strategy", strategy, "--json", "-q",
                           "--lower", seconds], capture_output=True, text=True)
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
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--statistic", default="median", choices=["median", "p10"],
                        help="of the steps of a run: p10 on a machine that others use, which only adds time")
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cluster = os.path.join(folder, "cluster.json")
        level = {"devices": 2, "latency_us": arguments.latency, "bandwidth_GBps": arguments.bandwidth / 1000}
        with open(cluster, "w", encoding="utf-8") as file:
            json.dump({"device": arguments.device, "memory": "8GB", "levels": [level]}, file)
        for model in arguments.models:
            compare(arguments, model, cluster)


def compare(arguments, model, cluster):
    times = {}  # by strategy: lowered, formulas
    for strategy in STRATEGIES:
        both = [planned(arguments.tools, model, cluster, strategy, seconds) for seconds in ("100", "0")]
        if None not in both:
            times[strategy] = both
    measured = {strategy: float("inf") for strategy in times}
    link = f"{arguments.latency}us,{arguments.bandwidth}MB/s"
    for _ in range(arguments.rounds):
        for strategy in times:
            run = [f"{arguments.tools}/proa-run", model, "--simulate-mesh", "--strategy", strategy, "--emulate-link",
                   link, "--threads", "1", "--repeat", str(arguments.repeat), "--json"]
            measured[strategy] = min(measured[strategy], median_of_run(run, arguments.statistic))
    print(f"{model}\n\n| strategy | lowered ms | formulas ms | measured ms |\n|---|---|---|---|")
    for strategy in sorted(times, key=measured.get):
        lowered, formulas = times[strategy]
        print(f"| {strategy} | {lowered:.2f} | {formulas:.2f} | {measured[strategy]:.2f} |")
    real = list(measured.values())
    for name, column in (("lowered", 0), ("formulas", 1)):
        print(f"Spearman's correlation, {name}: {correlation([row[column] for row in times.values()], real):.2f}")
    print()


if __name__ == "__main__":
    sys.exit(main())

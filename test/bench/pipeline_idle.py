#!/usr/bin/env python3
"""Idle time of pipeline schedules on two simulated ranks, beside the schedule's own estimate.

    test/bench/training_peer.py make layers FOLDER           with the Python of a Paddle 2.6.2 (training.py)
    test/bench/pipeline_idle.py --tools build/release/bin FOLDER

The program has equal layers, so that both stages have equal work, and the three jobs of a micro-batch equal times. The
work is the time of the same step with micro-batches on one device and one thread, while a second process does the
same: two ranks share the memory and the clock of the processor too. Idle time is the time of a step on two ranks
without half of the work. All runs take turns, and the smallest 10th percentile counts: other processes only add time.
Needs two idle cores."""

import argparse
import json
import subprocess
import sys

from timing import median_of_run

SCHEDULES = ("fthenb", "1f1b", "eager1f1b", "interleaved", "zbh1", "zbh2", "zbv", "vhalf", "vmin")


def estimated(tools, schedule, micro_batches):
    """Idle time through the work, by the checked schedule."""
    done = subprocess.run([f"{tools}/proa-plan", "--schedule", schedule, "--stages", "2", "--microbatches",
                           str(micro_batches), "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["idle_of_work"]


def milliseconds_of_work(command):
    """The 10th percentile of two processes at the same time, their mean."""
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate()[0] for process in processes]
    return sum(json.loads(output)["p10_ms"] for output in outputs) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="build/release/bin")
    parser.add_argument("--micro-batches", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("folder")
    arguments = parser.parse_args()
    common = [f"{arguments.tools}/proa-run", arguments.folder, "--threads", "1", "--repeat", str(arguments.repeat),
              "--json"]
    work = float("inf")
    steps = {schedule: float("inf") for schedule in SCHEDULES}
    for _ in range(arguments.rounds):
        work = min(work, milliseconds_of_work([*common, "--micro-batches", str(arguments.micro_batches)]))
        for schedule in SCHEDULES:
            strategy = f"pp2,{schedule},acc{arguments.micro_batches}"
            run = [*common, "--simulate-mesh", "--strategy", strategy]
            steps[schedule] = min(steps[schedule], median_of_run(run, "p10"))
    print(f"work of a rank: {work / 2:.2f} ms\n\n| schedule | step ms | idle | estimate | step / estimated step |")
    print("|---|---|---|---|---|")
    for schedule, step in steps.items():
        estimate = estimated(arguments.tools, schedule, arguments.micro_batches)
        print(f"| `{schedule}` | {step:.2f} | {step / (work / 2) - 1:.1%} | {estimate:.1%} | "
              f"{step / (work / 2 * (1 + estimate)):.3f} |")


if __name__ == "__main__":
    sys.exit(main())

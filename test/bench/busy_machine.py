#!/usr/bin/env python3
"""Compares the default number of threads with one thread, on a machine where another process uses each core.

usage: busy_machine.py [--proa-run PATH] [--repeat N] [CASE...]
Exit code 1: the default takes more than twice as long as one thread on a case.
"""

import argparse
import os
import subprocess
import sys

from timing import median_of_run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = ["realistic/mobilenet_v2", "realistic/resnet18", "models/vision/resnet50"]
LIMIT = 2.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proa-run", default=os.path.join(ROOT, "build/release/bin/proa-run"))
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("cases", nargs="*", default=CASES, metavar="CASE", help="folder below test/corpus")
    arguments = parser.parse_args()

    cores = sorted(os.sched_getaffinity(0))
    busy = []
    for core in cores:
        busy.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
        os.sched_setaffinity(busy[-1].pid, {core})
    worst = 0
    try:
        for case in arguments.cases:
            command = [arguments.proa_run, os.path.join(ROOT, "test/corpus", case), "-q", "--json"]
            command += ["--repeat", str(arguments.repeat)]
            default, single = median_of_run(command), median_of_run(command + ["--threads", "1"])
            worst = max(worst, default / single)
            print(f"{case}: {len(cores)} threads {default:.3f} ms, 1 thread {single:.3f} ms, "
                  f"ratio {default / single:.2f}", flush=True)
    finally:
        for process in busy:
            process.kill()
    sys.exit(worst > LIMIT)


if __name__ == "__main__":
    main()

"""How runs are timed: the loop of peer_worker.py and training_peer.py, and the medians of proa-run."""

import json
import subprocess
import sys
import time


def milliseconds(run, seconds):
    """The times of `run` in ascending order: after three runs, at least seven runs and this many seconds."""
    for _ in range(3):
        run()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 7:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)


def median_of_run(command, statistic="median"):
    """The median in milliseconds that `proa-run --json` prints, or its 10th percentile ("p10")."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)[f"{statistic}_ms"]

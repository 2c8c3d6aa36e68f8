"""How peers are timed: the one loop of peer_worker.py and training_peer.py."""

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

#!/usr/bin/env python3
"""Runs ranks under mpirun: they communicate, and when one fails all others end soon with an error."""
import os
import shutil
import subprocess
import sys
import time

PROGRAM = sys.argv[1]
SKIPPED = 77

# Mode: what the other ranks must print. Rank 1 fails, dies, ...
FAULTS = {
    "fail": "rank 1 has failed: net.py:7: log: the operand is negative",
    "other": "the ranks run different programs",
    "end": "rank 1 has ended its run",
    "exit": "",
    "kill": "in all_reduce, collective 4",
    "hang": "waits for rank 1 in all_reduce, collective 4: no message for 6 s",
    "spin": "waits for rank 1 in all_reduce, collective 4: no message for 2 s",
    "delay": "waits for rank 1 in all_reduce, collective 4: no message for 2 s",
}


def run(ranks, mode):
    """Exit code, output and seconds of a run; no process of it may be left."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMP_NUM_THREADS="1", PROA_MPI_TEST=str(os.getpid()))
    # After "kill" mpirun sends the other ranks SIGTERM, and SIGKILL a second later by default: too soon for their
    # report on a busy machine.
    patience = ["--mca", "odls_base_sigkill_timeout", "3"] if mode == "kill" else []
    command = ["mpirun", "--oversubscribe", "--mca", "btl", "self,vader", *patience, "-n", str(ranks), PROGRAM, mode]
    start = time.time()
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=60, check=False)
    seconds = time.time() - start
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and is_rank(pid)]
    assert not left, f"{mode}: processes {left} are left"
    return result.returncode, result.stdout, seconds


def is_rank(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            name = file.read().split(b"\0")[0].decode()
        with open(f"/proc/{pid}/environ", "rb") as file:
            return name == PROGRAM and f"PROA_MPI_TEST={os.getpid()}".encode() in file.read()
    except OSError:
        return False


def main():
    if not shutil.which("mpirun"):
        print("mpirun is not installed")
        return SKIPPED
    wrong = 0

    def expect(condition, mode, output):
        nonlocal wrong
        if not condition:
            wrong += 1
            print(f"FAILED {mode}:\n{output}")

    for mode in ("steps", "started", "small", "large", "restart"):
        for ranks in (2, 4):
            code, output, seconds = run(ranks, mode)
            print(f"{mode} on {ranks} ranks: {seconds:.1f} s")
            expect(code == 0 and output.count(": done") == ranks, mode, output)
    for mode, message in FAULTS.items():
        code, output, seconds = run(3, mode)
        print(f"{mode}: {seconds:.1f} s")
        expect(code != 0 and seconds < 10 and message in output, mode, output)
        # Each of the others says what it waited for.
        if mode != "exit":
            for rank in (0, 2):
                expect(f"rank {rank}: error:" in output, mode, output)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Programs under mpirun, for tests: start them, wait for their end, count what failed."""
import os
import subprocess
import time

SKIPPED = 77
failures = 0


def mpirun(ranks, *command):
    """Starts a command in several processes, whose environment names this test."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                       PROA_MPIRUN_TEST=str(os.getpid()))
    launch = ["mpirun", "--oversubscribe", "--mca", "btl", "self,vader", "-n", str(ranks)]
    return subprocess.Popen(launch + list(command), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def finish(process, seconds=120):
    """Exit code, output and seconds until the end; a run that does not end is killed."""
    start = time.time()
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        output += "\nDOES NOT END"
    return process.returncode, output, time.time() - start


def expect(condition, what, output):
    """Counts and prints a condition that does not hold."""
    global failures
    print(("passed" if condition else "FAILED") + f": {what}", flush=True)
    if not condition:
        failures += 1
        print(output)

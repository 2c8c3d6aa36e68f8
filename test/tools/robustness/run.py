#!/usr/bin/env python3
"""Runs the rows of cases.py, and programs that are killed, interrupted, or share a damaged cache.

usage: run.py TOOLS CORPUS [REGEX]    TOOLS: the folder of the tools; REGEX selects rows by their command

Each must end with its exit code and message, not by a signal, within a time; leave no file where its output would be;
and leave no temporary file after the next run.
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from cases import COMMAND_LINES, FILES, MACHINES
from inputs import write_inputs

SECONDS = 60
CRASHES = re.compile(r"Stack dump|PLEASE submit|terminate called|Assertion .* failed|Segmentation|core dumped"
                     r"|AddressSanitizer|runtime error:")


class Machine:
    """The folders of the test."""

    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.inputs, self.full = work / "inputs", work / "full"

    def environment(self, scratch):
        return {"PATH": f"{self.tools}:{os.environ['PATH']}", "HOME": str(scratch / "home"), "TOOLS": str(self.tools),
                "TMPDIR": str(scratch / "tmp"), "PROA_CACHE_DIR": str(self.work / "cache"),
                "OUT": str(scratch / "out"), "FULL": str(self.full)}

    @contextlib.contextmanager
    def scratch(self):
        """A folder with the empty folders out and tmp."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            scratch = pathlib.Path(folder)
            for name in ("out", "tmp", "home"):
                (scratch / name).mkdir()
            yield scratch


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def wrong_in_row(machine, row):
    """The first thing that is wrong with a row, or None."""
    command, code, message = row
    if "$FULL" in command and not machine.full.is_dir():
        return None  # no rights to mount a small disk
    with machine.scratch() as scratch:
        try:
            done = subprocess.run(["sh", "-c", command], cwd=machine.inputs, env=machine.environment(scratch),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"takes more than {SECONDS} s"
        output = done.stdout + done.stderr
        where = "" if len(output) < 1500 else " ..."
        if CRASHES.search(output):
            return f"crashes:\n{output[-1500:]}"
        if str(done.returncode) not in str(code).split("|"):
            return f"ends with {done.returncode}, expected {code}:\n{output[:1500]}{where}"
        if not re.search(message, output, re.DOTALL):
            return f"expected '{message}' in its message:\n{output[:1500]}{where}"
        if code == 0:
            return None
        left = files_in(scratch / "out") + files_in(scratch / "tmp")
        return f"leaves {left}" if left else None


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def run(machine, scratch, command, **options):
    return subprocess.run(["sh", "-c", command], cwd=machine.inputs, env=machine.environment(scratch) | options,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False)


def damaged_cache(machine):
    """Damaged and truncated entries of the cache are compiled again."""
    with machine.scratch() as scratch:
        command = "proa-run model -q --expect"
        cache = scratch / "cache"
        check(run(machine, scratch, command, PROA_CACHE_DIR=str(cache)).returncode == 0, "cannot fill the cache")
        entries = [path for path in cache.rglob("*") if path.is_file()]
        check(entries, "the cache is empty")
        for change in (lambda b: b[:len(b) // 2], lambda b: b"", lambda b: os.urandom(len(b)),
                       lambda b: b[:-100] + os.urandom(100), lambda b: b[:60] + b"\xff" * 8 + b[68:]):
            for entry in entries:
                entry.write_bytes(change(entry.read_bytes()))
            done = run(machine, scratch, command, PROA_CACHE_DIR=str(cache))
            check(done.returncode == 0, f"a damaged cache stops a run:\n{done.stdout}{done.stderr}")


def shared_cache(machine):
    """Four processes fill and read one cache at once."""
    with machine.scratch() as scratch:
        environment = machine.environment(scratch) | {"PROA_CACHE_DIR": str(scratch / "cache")}
        processes = [subprocess.Popen(["proa-run", "model", "-q", "--expect", "--threads", "1"], cwd=machine.inputs,
                                      env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                     for _ in range(4)]
        for process in processes:
            output = process.communicate(timeout=SECONDS)[0]
            check(process.returncode == 0, f"one of four processes on a cache fails:\n{output}")
        left = [name for name in files_in(scratch / "cache") if not name.endswith(".object")]
        check(not left, f"the cache holds {left}")


def is_complete(path, sizes):
    """Whether a file has its whole size, or is a report of what is done until Ctrl-C."""
    if path.suffix == ".json" and path.parent.name == "out":
        return bool(json.loads(path.read_text()))
    return path.stat().st_size == sizes.get(path.name)


def ended(machine, command, ending, delay, sizes):
    """Ends a command after a delay, then runs a short one: what is left in out, tmp and the cache."""
    with machine.scratch() as scratch:
        environment = machine.environment(scratch) | {"PROA_CACHE_DIR": str(scratch / "cache")}
        with subprocess.Popen(["sh", "-c", "exec " + command], cwd=machine.inputs, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              start_new_session=True) as process:
            time.sleep(delay)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, ending)
            begin = time.monotonic()
            errors = process.stderr.read()
            process.wait(SECONDS)
        check(time.monotonic() - begin < 5, f"{command}: needs 5 s to end after signal {ending}")
        check(not CRASHES.search(errors.decode(errors="replace")), f"{command}: {errors[-1000:]}")
        if ending == signal.SIGINT:
            check(process.returncode in (0, -signal.SIGINT, 128 + signal.SIGINT),
                  f"{command}: ends with {process.returncode} after Ctrl-C")
        if process.returncode == 0:
            return
        partial = [name for name in files_in(scratch / "out") if not is_complete(scratch / "out" / name, sizes)]
        check(not partial, f"{command}: leaves a part of {partial} after signal {ending}")
        following = run(machine, scratch, "proa-compile relu.mlir -q -o m.so", PROA_CACHE_DIR=str(scratch / "cache"))
        (machine.inputs / "m.so").unlink(missing_ok=True)
        check(following.returncode == 0, following.stderr)
        left = files_in(scratch / "tmp") + [n for n in files_in(scratch / "cache") if not n.endswith(".object")]
        check(not left, f"{command}: the next run finds {left} after signal {ending}")


def killed(machine):
    """kill -9 and Ctrl-C at several moments."""
    commands = ["proa-compile model -q -o $OUT/m.so --embed-weights", "proa-run model -q --outputs $OUT/o.safetensors",
                "proa-translate model -q --to=folder -o $OUT/folder", "proa-check cases --json $OUT/r.json --jobs 1"]
    for command in commands:
        with machine.scratch() as scratch:
            check(run(machine, scratch, command).returncode == 0, f"{command} fails")
            sizes = {path.name: path.stat().st_size for path in (scratch / "out").rglob("*") if path.is_file()}
        for ending in (signal.SIGKILL, signal.SIGINT):
            for delay in (0.1, 0.3):
                ended(machine, command, ending, delay, sizes)


def mount_full(machine):
    """A full disk of 64 KB."""
    machine.full.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", machine.full]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        machine.full.rmdir()
        return False
    (machine.full / "file").write_bytes(b"\0" * 65536)
    return True


def main():
    tools, corpus = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    rows = [row for row in COMMAND_LINES + FILES + MACHINES if len(sys.argv) < 4 or re.search(sys.argv[3], row[0])]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(tools, pathlib.Path(folder))
        machine.inputs.mkdir()
        write_inputs(machine.inputs, corpus)
        is_mounted = mount_full(machine)
        try:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for row, wrong in zip(rows, pool.map(lambda row: wrong_in_row(machine, row), rows)):
                    if wrong:
                        failures.append(f"{row[0]}\n  {wrong}")
            for test in (damaged_cache, shared_cache, killed) if len(sys.argv) < 4 else ():
                try:
                    test(machine)
                except AssertionError as error:
                    failures.append(f"{test.__name__}: {error}")
        finally:
            if is_mounted:
                subprocess.run(["umount", machine.full], check=False)
    print("\n".join(failures))
    print(f"{len(rows)} rows, {len(failures)} failures" + ("" if is_mounted else "; without a full disk"))
    sys.exit(bool(failures))


main()

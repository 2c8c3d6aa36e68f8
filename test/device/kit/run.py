"""Checks proa on a CUDA device: correctness of the driver, kernels, libraries, graphs and states, then times.

    python3 run.py [--out FOLDER] [--only NAME,...] [--jobs N]

Each program runs in a process of its own with a time limit, and none ends the others. Rows are written to
OUT/results.md and OUT/results.jsonl as they come, so a run that is cut short has said something. Exit code 1 if a row
failed. Standard library only; the expected values of kernels need NumPy, and the ceilings PyTorch.
"""

import argparse
import concurrent.futures
import contextlib
import datetime
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent

# Each check in its order: its name, whether CUDA graphs are on, runs of each program, the limit of one in seconds.
CHECKS = {"one kernel": (False, 2, 60), "families": (False, 2, 60), "products": (False, 2, 90),
          "attention": (False, 2, 90), "cublaslt": (False, 2, 90), "cudnn": (False, 2, 60), "cufft": (False, 2, 60),
          "cusolver": (False, 2, 60), "corpus": (True, 2, 60), "graphs": (True, 4, 120), "states": (True, 1, 90)}
SANITIZED = ["op_softmax_f32_grad", "op_scatter_nd_add_basic", "mm_bf16_200x312x104", "att_bf16_odd"]
TIMED_RUNS = 11


def environment(graphs):
    """Of a process that runs programs: the libraries of the kit and of CUDA."""
    variables = dict(os.environ, LD_LIBRARY_PATH=str(HERE / "lib"))
    if not graphs:
        variables["PROA_CUDA_GRAPHS"] = "off"
    return variables


class Table:
    """The rows, on disk as they come."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.lines = open(folder / "results.jsonl", "w", buffering=1)
        self.text = open(folder / "results.md", "w", buffering=1)
        self.lock, self.failed, self.passed = threading.Lock(), 0, 0
        self.begin = time.monotonic()

    def say(self, text):
        with self.lock:
            print(text, flush=True)
            self.text.write(text + "\n")

    def head(self, check):
        self.say(f"\n## {check} ({time.monotonic() - self.begin:.0f} s)\n\n| program | result | seconds | detail |\n"
                 "|---|---|---|---|")

    def row(self, check, name, result, seconds):
        is_good = result["status"] in ("pass", "note")
        with self.lock:
            self.passed += result["status"] == "pass"
            self.failed += not is_good
            self.lines.write(json.dumps({"check": check, "name": name, "seconds": round(seconds, 2), **result}) + "\n")
        detail = result["detail"].replace("\n", " ").replace("|", "/")[:300]
        self.say(f"| {name} | {result['status']} | {seconds:.1f} | {detail} |")


def finish(command, limit, variables):
    """(output, error, exit code); None as the code of a process that ran out of time."""
    process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        output, error = process.communicate(timeout=limit)
        return output, error, process.returncode
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        output, error = process.communicate()
        return output, error, None


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else "nothing"


def run_program(program, graphs, runs, limit, timed=0, prefix=()):
    """The result of kit/check.py; a crash and the time limit are results too."""
    begin = time.monotonic()
    if program["compile_error"]:
        return {"status": "error", "detail": "proa-compile: " + program["compile_error"]}, 0.0
    command = [*prefix, sys.executable, str(HERE / "check.py"), program["name"], str(runs), str(timed)]
    output, error, code = finish(command, limit, environment(graphs))
    seconds = time.monotonic() - begin
    if code is None:
        return {"status": "timeout", "detail": f"no end after {limit} s, last phase: {last_line(error)}"}, seconds
    try:
        result = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    except (StopIteration, ValueError):
        return {"status": "crash", "detail": f"exit code {code}: {last_line(error)}"}, seconds
    if prefix:
        result["sanitizer"] = output
    return result, seconds


def driver(table, options):
    table.head("CUDA driver")
    try:
        fields = "name,driver_version,compute_cap,clocks.max.sm,memory.total"
        output, error, code = finish(["nvidia-smi", "--query-gpu=" + fields, "--format=csv,noheader"], 30,
                                     dict(os.environ))
        status, text = ("note", output.strip()) if code == 0 else ("error", f"{output} {error}".strip())
    except FileNotFoundError:
        status, text = "error", "nvidia-smi is not installed: no driver"
    table.row("driver", "nvidia-smi", {"status": status, "detail": text}, 0)


def checks(table, options, programs):
    for check, (graphs, runs, limit) in CHECKS.items():
        chosen = [p for p in programs if p["check"] == check]
        if not chosen:
            continue
        table.head(check)
        # The largest ones alone: their formulas need memory and all cores.
        jobs = 2 if check == "graphs" else options.jobs
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            pending = {pool.submit(run_program, p, graphs, runs, limit): p for p in chosen}
            for done in concurrent.futures.as_completed(pending):
                table.row(check, pending[done]["name"], *done.result())


def peers(table, options):
    """Ceilings by name: milliseconds."""
    table.head("ceilings (PyTorch)")
    begin = time.monotonic()
    output, error, code = finish([sys.executable, str(HERE / "peers.py")], 120, dict(os.environ))
    ceilings = {}
    for line in output.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:  # cut short by the time limit
            continue
        if "ms" in entry:
            ceilings[entry["name"]] = entry["ms"]
        table.row("peers", entry["name"], {"status": "note", "detail": rate(entry) if "ms" in entry else entry["error"],
                                           **{k: v for k, v in entry.items() if k != "name"}}, 0)
    if code != 0:
        table.row("peers", "peers.py", {"status": "error", "detail": last_line(error)}, time.monotonic() - begin)
    return ceilings


def rate(entry):
    text = f"{entry['ms']:.4f} ms"
    if entry.get("bytes"):
        text += f", {entry['bytes'] / entry['ms'] / 1e6:.0f} GB/s"
    if entry.get("flops"):
        text += f", {entry['flops'] / entry['ms'] / 1e9:.1f} TFLOP/s"
    return text


def times_text(result, steps, peer, ceilings):
    """By CUPTI where it was there, else by the profile of the runtime."""
    total = {"bytes": sum(step["bytes"] for step in steps), "flops": sum(step["flops"] for step in steps)}
    if kernels := result.get("kernels"):
        text = f"{len(kernels)} kernels, "
        total["ms"] = sum(milliseconds for _, milliseconds in kernels)
    else:
        text = f"{len(steps)} steps, by the profile "
        total["ms"] = sum(step["milliseconds"] for step in steps)
    result["total"] = total
    text += rate(total)
    if peer in ceilings:
        text += f", {ceilings[peer] / total['ms']:.2f} of {peer}"
    return text + f"; whole run {result['wall_ms']:.3f} ms"


def facts(table, measured):
    """Facts of the target (docs/target.md) from times of programs that ran."""
    rows = {}
    if "relu_f32" in measured:
        total = measured["relu_f32"]["total"]
        rows["memory_bandwidth"] = f"{total['bytes'] / total['ms'] / 1e3:.0f} MB/s"
    if "fact_start_1" in measured and "fact_start_65" in measured:
        milliseconds = measured["fact_start_65"]["wall_ms"] - measured["fact_start_1"]["wall_ms"]
        rows["step_nanoseconds"] = f"{milliseconds / 64 * 1e6:.0f} ns"
    if "fact_cache" in measured:
        total = measured["fact_cache"]["total"]
        rows["l2_bytes_per_clock"] = f"{total['bytes'] / total['ms'] / 1e6:.0f} GB/s by multiprocessors and clock"
    if rows:
        table.head("facts")
    for name, text in rows.items():
        table.row("facts", name, {"status": "note", "detail": text}, 0)


def times(table, options, programs):
    ceilings, measured = peers(table, options), {}
    table.head("times")
    for program in programs:
        if not program["is_timed"]:
            continue
        # Graphs are for the time of a whole model; other programs have one or two steps.
        result, seconds = run_program(program, program["check"] == "graphs", 1, 90, TIMED_RUNS)
        if steps := result.get("steps"):
            result["detail"] = times_text(result, steps, program["peer"], ceilings)
            measured[program["name"]] = result
        table.row("times", program["name"], result, seconds)
    facts(table, measured)


def sanitize(tool, program):
    try:
        result, seconds = run_program(program, False, 1, 90, 0, ("compute-sanitizer", "--tool", tool))
    except FileNotFoundError:
        return {"status": "note", "detail": "compute-sanitizer is not installed"}, 0
    report = result.pop("sanitizer", "")
    found = [line for line in report.splitlines() if "SUMMARY" in line or "Error:" in line]
    if found and result["status"] == "pass":
        is_clean = " 0 errors" in found[-1] or " 0 hazards" in found[-1]
        result = {"status": "pass" if is_clean else "fail", "detail": found[-1].strip("= ")}
    return result, seconds


def sanitizer(table, options, programs):
    chosen = [p for p in programs if p["name"] in SANITIZED]
    table.head("sanitizer")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = {pool.submit(sanitize, tool, p): f"{p['name']} ({tool})" for p in chosen
                   for tool in ("memcheck", "racecheck", "synccheck")}
        for done in concurrent.futures.as_completed(pending):
            table.row("sanitizer", pending[done], *done.result())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("device-results"))
    parser.add_argument("--only", default="", help="names of programs, or of checks")
    parser.add_argument("--jobs", type=int, default=min(6, os.cpu_count() or 1),
                        help="programs at a time, untimed ones")
    options = parser.parse_args()
    programs = json.loads((HERE / "programs.json").read_text())
    names = set(filter(None, options.only.split(",")))
    if names:
        programs = [p for p in programs if p["name"] in names or p["check"] in names]
    table = Table(options.out)
    table.say(f"# proa on a CUDA device, {datetime.date.today()}")
    driver(table, options)
    checks(table, options, programs)
    sanitizer(table, options, programs)
    if any(p["is_timed"] for p in programs):
        times(table, options, programs)
    table.say(f"\n{table.passed} passed, {table.failed} failed, {time.monotonic() - table.begin:.0f} s")
    sys.exit(1 if table.failed else 0)


main()

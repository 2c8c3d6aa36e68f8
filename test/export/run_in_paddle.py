#!/usr/bin/env python3
"""Exports programs and runs the exports in Paddle.

Each case folder (as in test/corpus) is written as a legacy program by `proa-translate --to=pdmodel`. Paddle loads it
and runs it on the case's inputs and parameters, and its outputs are compared with the expected ones. Needs a Python
with Paddle 2.6; exits with 77 without it.

  run_in_paddle.py --translate build/dev/bin/proa-translate [--known FILE] CASE...

A CASE is a folder, with a leading @ a file with one folder a line, or with --below a folder of such folders. --known
lists cases that fail, "folder: reason"; one of them that passes is an error.
"""
import argparse
import glob
import itertools
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
SECONDS = 60  # the limit of a case
DTYPES = {"F16": "float16", "F32": "float32", "F64": "float64", "I8": "int8", "I16": "int16", "I32": "int32",
          "I64": "int64",
          "U8": "uint8", "BOOL": "bool", "C64": "complex64", "BF16": "uint16"}


def read_tensors(path):
    """The tensors of a .safetensors file by name, bfloat16 as its bits."""
    tensors, bits = {}, open(path, "rb").read()
    size = struct.unpack("<Q", bits[:8])[0]
    header = json.loads(bits[8:8 + size])
    wide = header.get("__metadata__", {}).get("complex128", "").split(",")
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        array = np.frombuffer(bits[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        if name in wide:
            array = np.ascontiguousarray(array).view("complex128").reshape(array.shape[:-1])
        tensors[name] = array
    return tensors


def tensor_of(array, lod=None):
    tensor = paddle.base.core.LoDTensor()
    tensor.set(array, paddle.CPUPlace())
    if lod:
        tensor.set_lod(lod)
    return tensor


def agree(meta, found, expected, name):
    found = np.asarray(found)
    if meta.get("compare", "allclose") != "allclose" or found.size == 0 == expected.size:
        return None
    if expected.dtype == np.uint16 and found.dtype == np.uint16:
        found, expected = ((a.astype(np.uint32) << 16).view(np.float32) for a in (found, expected))
    if found.shape != expected.shape:
        return f"{name}: shape {list(found.shape)}, expected {list(expected.shape)}"
    if np.allclose(found, expected, rtol=10 * meta.get("rtol", 1e-5), atol=10 * meta.get("atol", 1e-6), equal_nan=True):
        return None
    with np.errstate(all="ignore"):
        worst = np.nanmax(np.abs(found.astype("complex128") - expected.astype("complex128")))
    return f"{name}: differs by up to {worst:.3g}"


def load_parameters(executor, program, path):
    """Reads the file of all parameters of a program, in the order of their names."""
    loading = paddle.static.Program()
    block = loading.global_block()
    variables = [block.create_var(name=v.name, shape=v.shape, dtype=v.dtype, persistable=True)
                 for v in sorted(program.list_vars(), key=lambda v: v.name)
                 if v.persistable and v.name not in ("feed", "fetch")]
    block.append_op(type="load_combine", inputs={}, outputs={"Out": variables}, attrs={"file_path": path})
    executor.run(loading)


def run_steps(meta, program, folder):
    """Runs the program as the case says; the first difference, or None."""
    inputs, expected = (read_tensors(f"{folder}/{file}.safetensors") for file in ("inputs", "expected"))
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
    steps = meta.get("steps", 1) if meta.get("training") else 1
    fetches = meta["fetches"]
    with paddle.static.scope_guard(scope):
        if os.path.exists(f"{folder}/params.safetensors"):
            for name, array in read_tensors(f"{folder}/params.safetensors").items():
                scope.var(name).get_tensor().set(array, paddle.CPUPlace())
        elif os.path.exists(f"{folder}/params.pdiparams"):
            load_parameters(executor, program, f"{folder}/params.pdiparams")
        for step in range(steps):
            prefix = f"step{step}/" if meta.get("training") else ""
            for name in meta.get("state_inputs", []):
                scope.var(name).get_tensor().set(inputs[prefix + name], paddle.CPUPlace())
            feed = {name: tensor_of(inputs[prefix + name], meta.get("lod", {}).get(name)) for name in meta["feeds"]}
            results = executor.run(program, feed=feed, fetch_list=fetches, return_numpy=False)
            for name, result in zip(fetches, results):
                known = expected.get(prefix + name)
                problem = None if known is None else agree(meta, result, known, prefix + name)
                lod = meta.get("expected_lod", {}).get(name)
                if not problem and lod and result.lod() != lod:
                    problem = f"{name}: LoD {result.lod()}, expected {lod}"
                if problem:
                    return problem
        for name, known in expected.items():
            variable = scope.find_var(name[len("final/"):]) if name.startswith("final/") else None
            problem = variable and agree(meta, variable.get_tensor(), known, name)
            if problem:
                return problem
    return None


def check(translate, folder, work):
    """What is wrong with the export of a case; None where all is right."""
    meta = json.load(open(f"{folder}/meta.json"))
    path = f"{work}/program.pdmodel"
    done = subprocess.run([translate, "-q", folder, "--to=pdmodel", "-o", path], capture_output=True, text=True)
    if done.returncode != 0:
        return "not exported: " + done.stderr.strip()[:300]
    try:
        program = paddle.static.Program.parse_from_string(open(path, "rb").read())
        return run_steps(meta, program, folder)
    except Exception as error:  # any exception of Paddle for a program that it cannot run
        return "not run: " + " ".join(str(error).split())[-300:]


def folders_of(arguments, below):
    for argument in arguments:
        if below:
            yield from sorted(os.path.dirname(meta) for meta in glob.glob(f"{argument}/**/meta.json", recursive=True))
        elif argument.startswith("@"):
            yield from (line.strip() for line in open(argument[1:]) if line.strip() and not line.startswith("#"))
        else:
            yield argument.rstrip("/")


def start_check(translate, folder, results):
    """Checks a case in a child, which writes what is wrong to the file of its id in `results`; the id of the child."""
    child = os.fork()
    if child:
        return child
    for number in (signal.SIGALRM, signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGBUS, signal.SIGILL):
        signal.signal(number, signal.SIG_DFL)  # Paddle's handlers can wait for a lock of the heap
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # stacks of Paddle's crashes
    signal.alarm(SECONDS)
    with tempfile.TemporaryDirectory() as work:
        problem = check(translate, folder, work)
    with open(f"{results}/{os.getpid()}", "w", encoding="utf-8") as file:
        file.write(problem or "")
    os._exit(0)


def problems(options, folders):
    """Each folder with what is wrong, in the order in which they end. A crash of Paddle ends one child only."""
    running = {}
    with tempfile.TemporaryDirectory() as results:
        for folder in itertools.chain(folders, [None] * options.jobs):
            if running and (folder is None or len(running) == options.jobs):
                child, status = os.wait()
                ended = running.pop(child)
                crash = f"Paddle ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else None
                yield ended, crash or open(f"{results}/{child}", encoding="utf-8").read() or None
            if folder is not None:
                running[start_check(options.translate, os.path.join(options.root, folder), results)] = folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--translate", required=True)
    parser.add_argument("--known")
    parser.add_argument("--root", default=".", help="folder that the cases are named from")
    parser.add_argument("--below", action="store_true", help="all cases below the folders")
    parser.add_argument("--jobs", type=int, default=1, help="number of cases that are checked at once")
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    known = {}
    for line in open(options.known) if options.known else []:
        folder, _, reason = line.strip().partition(": ")
        known[folder] = reason
    failures = passed = 0
    for folder, problem in problems(options, folders_of(options.cases, options.below)):
        passed += problem is None
        if problem and folder not in known:
            failures += 1
            print(f"{folder}: {problem}", flush=True)
        elif not problem and folder in known:
            failures += 1
            print(f"{folder}: unexpectedly passed; remove its line from {options.known}", flush=True)
    print(f"{passed} right, {failures} wrong")
    return failures > 0


if __name__ == "__main__":
    os.environ.setdefault("GLOG_v", "0")
    os.environ.setdefault("GLOG_minloglevel", "2")
    try:
        import numpy as np
        import paddle
    except ImportError:
        print("this Python has no Paddle")
        sys.exit(SKIPPED)
    paddle.enable_static()
    sys.exit(main())

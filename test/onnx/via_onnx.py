#!/usr/bin/env python3
"""Exports the cases of a corpus to ONNX, and runs them in ONNX Runtime, with Paddle's outputs as the oracle.

  via_onnx.py build/release/bin/proa-translate test/corpus
  via_onnx.py build/release/bin/proa-translate test/corpus --filter models/nlp --opset 17 --verbose
  via_onnx.py build/release/bin/proa-translate test/corpus --kind op --out build/via_onnx

A case passes if the model can be written, onnx.checker accepts it (full check), ONNX Runtime loads and runs it, and
its outputs equal the expected ones within the tolerances of meta.json. Prints the number of cases by verdict and a
histogram of reasons. The folder of --out keeps the models, and gets cases.tsv: case, verdict and reason. Ends with
code 77, "skipped", where Python lacks the packages.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

SKIPPED = 77
KINDS = ("inference", "inference_realistic", "control_flow", "pir", "op")
DTYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32, "I16": np.int16,
          "I8": np.int8, "U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64, "BOOL": np.bool_,
          "C64": np.complex64, "BF16": np.uint16}


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    complex_names = json.loads((header.pop("__metadata__", None) or {}).get("complex128", "[]"))
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        array = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        if entry["dtype"] == "BF16":
            array = (array.astype(np.uint32) << 16).view(np.float32)
        if name in complex_names:
            array = array.view(np.complex128)[..., 0]
        tensors[name] = array
    return tensors


def cases_of(folder, arguments):
    for meta in sorted(folder.rglob("meta.json")):
        case = json.loads(meta.read_text())
        if case["kind"] in arguments.kind and case["runnable"] and arguments.filter in str(meta.parent):
            yield meta.parent, case


def feeds_of(inputs, session, case, prefix):
    feeds = {}
    for feed in session.get_inputs():
        name, _, level = feed.name.partition("@LOD")
        if level and name in case.get("lod", {}):
            feeds[feed.name] = np.array(case["lod"][name][int(level)], np.int64)
            continue
        value = inputs.get(prefix + feed.name)
        if value is None and prefix:
            value = inputs.get(feed.name)
        if value is None:
            continue  # a parameter with its initial value
        if "bfloat16" in feed.type:
            raise ValueError("a feed of bfloat16, which NumPy lacks")
        feeds[feed.name] = value
    return feeds


def compare(name, actual, expected, case):
    """The difference as text; empty if there is none."""
    if list(actual.shape) != list(expected.shape):
        return f"{name}: shape {list(actual.shape)}, expected {list(expected.shape)}"
    if actual.dtype != expected.dtype and expected.dtype != np.uint16:
        if not (expected.dtype.kind == "f" and actual.dtype.kind == "f"):
            return f"{name}: type {actual.dtype}, expected {expected.dtype}"
    if case["compare"] == "stats":
        return ""
    if case["compare"] == "sorted":
        actual, expected = np.sort(actual, axis=None), np.sort(expected, axis=None)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = actual.astype(wide), expected.astype(wide)
    scale = case.get("scale_of_outputs", {}).get(name, 0)
    with np.errstate(all="ignore"):
        close = np.isclose(a, b, rtol=case["rtol"], atol=max(case["atol"], case["rtol"] * scale), equal_nan=True)
    if close.all():
        return ""
    with np.errstate(all="ignore"):
        differences = np.abs(a - b)[~close]
    finite = differences[np.isfinite(differences)]
    worst = finite.max() if finite.size else np.inf
    return f"{name}: {int((~close).sum())} of {a.size} elements differ, by up to {worst:.3g}"


def run_model(path, folder, case, arguments):
    import onnx
    import onnxruntime
    try:
        # A model with weights above the limit of protobuf is checked by its path.
        onnx.checker.check_model(str(path), full_check=True)
    except Exception as error:
        return "checker", str(error)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        return "load", str(error)
    inputs = read_safetensors(folder / "inputs.safetensors") if (folder / "inputs.safetensors").exists() else {}
    expected = read_safetensors(folder / "expected.safetensors")
    names = {output.name for output in session.get_outputs()}
    differences = []
    for run in range(case.get("runs", 1)):
        prefix = f"run{run}/" if run else ""
        try:
            outputs = dict(zip([o.name for o in session.get_outputs()],
                               session.run(None, feeds_of(inputs, session, case, prefix))))
        except Exception as error:
            return "run", str(error)
        for fetch in case["fetches"]:
            if fetch in case.get("suspect", {}) or prefix + fetch not in expected:
                continue
            output = fetch if fetch in names else fetch + "@OUT"
            if output not in outputs:
                differences.append(f"{fetch}: is not an output")
                continue
            differences.append(compare(fetch, np.asarray(outputs[output]), expected[prefix + fetch], case))
    differences = [difference for difference in differences if difference]
    return ("wrong", differences[0]) if differences else ("ok", "")


def run_case(folder, case, arguments):
    name = str(folder.relative_to(arguments.corpus)).replace("/", "__")
    path = arguments.out / f"{name}.onnx"
    for stale in (path, path.with_suffix(".onnx.data")):
        stale.unlink(missing_ok=True)
    done = subprocess.run([arguments.translate, str(folder), "--to=onnx", f"--opset={arguments.opset}",
                           "--warnings=none", "-o", str(path)], capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return "export", lines[0] if lines else f"code {done.returncode}"
    # A process of its own: a crash of the runtime costs one case.
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            verdict = run_model(path, folder, case, arguments)
        except BaseException as error:  # the process ends here
            verdict = ("run", repr(error))
        os.write(writer, json.dumps([verdict[0], verdict[1][:2000]]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    if not arguments.keep:
        path.unlink(missing_ok=True)
        path.with_suffix(".onnx.data").unlink(missing_ok=True)
    return tuple(json.loads(text)) if text else ("run", "the process crashed")


def cause_of(reason):
    """A reason without names and numbers of one case."""
    text = re.sub(r"\S*\.(onnx|py|json)(:\d+)*:?|'[^']*'|\[[-\d, ]*\]| -> \S+|\([^)]*:\d+\)", "", reason)
    return " ".join(re.sub(r"\b[tT]?\d+(\.\d+)?(e-?\d+)?\b", "N", text).split())[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("translate", help="proa-translate")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--filter", default="", help="cases whose path has this text")
    parser.add_argument("--kind", action="append", help=f"kinds of cases; default: {', '.join(KINDS)}")
    parser.add_argument("--opset", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, help="folder of the models; default: a temporary one")
    parser.add_argument("--verbose", action="store_true", help="prints each case that fails")
    arguments = parser.parse_args()
    arguments.kind = arguments.kind or KINDS
    arguments.keep = arguments.out is not None
    temporary = tempfile.TemporaryDirectory()
    arguments.out = arguments.out or pathlib.Path(temporary.name)
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        print(f"skipped: {error}; ./bootstrap.sh onnx installs it")
        return SKIPPED
    cases = list(cases_of(arguments.corpus, arguments))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = list(pool.map(lambda entry: run_case(*entry, arguments), cases))
    rows = sorted((verdict, cause_of(reason), str(folder.relative_to(arguments.corpus)), " ".join(reason.split()))
                  for (folder, _), (verdict, reason) in zip(cases, verdicts))
    failed = [row for row in rows if row[0] != "ok"]
    for (verdict, cause), count in collections.Counter(row[:2] for row in failed).most_common():
        print(f"{count:5} {verdict:8} {cause}")
    if arguments.verbose:
        for verdict, _, case, reason in failed:
            print(f"{verdict:8} {case}: {reason[:300]}")
    if arguments.keep:
        (arguments.out / "cases.tsv").write_text("".join("\t".join((row[2], row[0], row[3])) + "\n" for row in rows))
    counts = collections.Counter(row[0] for row in rows)
    print(f"{counts['ok']} of {len(rows)} cases are right: " + ", ".join(f"{v} {n}" for v, n in counts.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

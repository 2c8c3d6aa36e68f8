#!/usr/bin/env python3
"""Latency of the same network in proa's formats and in ONNX Runtime: the program of Paddle, the model of ONNX that
proa-translate writes from it, and that file in ONNX Runtime.

    PYTHONPATH=build/onnx test/bench/onnx_latency.py                      all inference programs of test/corpus/models
    PYTHONPATH=build/onnx test/bench/onnx_latency.py --threads 2 CASE...  these cases

Columns: milliseconds of proa on the program, of proa on the model, of ONNX Runtime on the model; the second through the
first (1: the import of ONNX loses nothing), and the third through the second (above 1: proa is faster). The three
alternate, `--rounds` times; a figure is the best median of the rounds."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

from corpus import Case  # noqa: E402
from timing import milliseconds  # noqa: E402


def inference_cases(folder):
    """The inference programs below a folder that have expected outputs."""
    for parent, _, files in sorted(os.walk(folder)):
        if "meta.json" not in files:
            continue
        with open(os.path.join(parent, "meta.json")) as file:
            meta = json.load(file)
        if meta.get("runnable") and not meta.get("training"):
            yield parent


def median_of_proa(options, model, inputs):
    """The median of as many runs as fit into the time, found by a first short measurement; None after an error."""
    base = [os.path.join(options.bin, "proa-run"), model, "--json", "--threads", str(options.threads)]
    base += ["--inputs", inputs]
    median = None
    for repeat in (3, None):
        repeat = repeat or max(7, min(100000, int(options.seconds * 1e3 / max(median, 1e-3))))
        done = subprocess.run([*base, "--warmup", "3", "--repeat", str(repeat)], capture_output=True, text=True)
        if done.returncode:
            return None
        median = json.loads(done.stdout.strip().splitlines()[-1])["median_ms"]
    return median


def median_of_onnxruntime(options, model, feeds):
    import onnxruntime

    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = options.threads
    session_options.inter_op_num_threads = 1
    session_options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(model, session_options, providers=["CPUExecutionProvider"])
        names = {value.name for value in session.get_inputs()}
        known = {name: value for name, value in feeds.items() if name in names}
        times = milliseconds(lambda: session.run(None, known), options.seconds)
    except Exception as error:  # noqa: BLE001  ONNX Runtime has no common class of errors
        print(str(error).splitlines()[0], file=sys.stderr)
        return None
    return times[len(times) // 2]


def measure(options, folder, scratch):
    """The best medians of the three, None for one that failed."""
    case = Case(folder)
    model, inputs = os.path.join(scratch, "model.onnx"), os.path.join(folder, "inputs.safetensors")
    done = subprocess.run([os.path.join(options.bin, "proa-translate"), folder, "--to=onnx", "-o", model, "--quiet"],
                          capture_output=True, text=True)
    if done.returncode:
        return [None, None, None]
    rounds = []
    for _ in range(options.rounds):
        rounds.append([median_of_proa(options, folder, inputs), median_of_proa(options, model, inputs),
                       median_of_onnxruntime(options, model, case.feeds)])
    return [None if any(time is None for time in times) else min(times) for times in zip(*rounds)]


def text_of(number, width, digits):
    return ("-" if number is None else f"{number:.{digits}f}").rjust(width)


def ratio(a, b):
    return None if a is None or b is None else a / b


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="case folders; default: test/corpus/models/*")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of the tools")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.4, help="measuring time of a round")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write all results to this file")
    options = parser.parse_args()
    cases = options.cases or list(inference_cases(os.path.join(ROOT, "test", "corpus", "models")))
    print("%-28s %9s %9s %9s %10s %10s" % ("case", "program", "model", "ort", "model/prog", "ort/model"))
    results, ratios = {}, ([], [])
    for folder in cases:
        with tempfile.TemporaryDirectory() as scratch:
            times = measure(options, folder, scratch)
        name = os.path.basename(folder.rstrip("/"))
        results[name] = times
        pair = ratio(times[1], times[0]), ratio(times[2], times[1])
        for values, value in zip(ratios, pair):
            if value is not None:
                values.append(value)
        print("%-28s" % name, *(text_of(time, 9, 3) for time in times), *(text_of(value, 10, 2) for value in pair),
              flush=True)
    medians = [sorted(values)[len(values) // 2] if values else None for values in ratios]
    print("%-28s" % f"median of {len(ratios[0])} and {len(ratios[1])}", " " * 29,
          *(text_of(value, 10, 2) for value in medians))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()

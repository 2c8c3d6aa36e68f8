#!/usr/bin/env python3
"""Time from a model's file to its first result, beside ONNX Runtime on the model that proa-translate writes from it.

    PYTHONPATH=build/onnx test/bench/cold_start.py                       20 programs of test/corpus
    PYTHONPATH=build/onnx test/bench/cold_start.py --rounds 5 CASE...    these cases

Each measurement is a process of its own; its start is not counted. Columns, in milliseconds: opening with an empty
object cache, opening with a filled one, the creation of a session in ONNX Runtime; then the same with the first run;
then proa's time through ONNX Runtime's, cold and warm, with the first run. The four alternate, and a figure is the
median of the rounds. proa opens: read, import, compile, load."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = """realistic/resnet50 realistic/bert_base realistic/gpt2_small realistic/mobilenet_v2 models/vision/lenet
models/vision/mobilenet_v3_small models/vision/efficientnet_b0 models/vision/shufflenet_v2 models/vision/swin
models/vision/vit models/vision/svtr models/vision/dla34 models/nlp/bert models/nlp/gpt models/nlp/llama
models/nlp/t5_encoder models/misc/unet models/misc/crnn_ocr models/misc/lstm_classifier
models/misc/yolo_head_nms""".split()


def run_onnxruntime(model, folder, threads):
    """Prints the times of ONNX Runtime's session and of its first run: what a process of its own does."""
    import onnxruntime

    from corpus import Case

    feeds = Case(folder).feeds
    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = threads
    session_options.log_severity_level = 3
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(model, session_options, providers=["CPUExecutionProvider"])
    opened = time.perf_counter()
    names = {value.name for value in session.get_inputs()}
    session.run(None, {name: value for name, value in feeds.items() if name in names})
    print(json.dumps([(opened - start) * 1e3, (time.perf_counter() - start) * 1e3]))


def output_of(command):
    """What a command prints as JSON in its last line; None after an error, which is shown."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1:], file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def times_of_proa(options, folder, cache):
    """The times until proa has opened a model and until its first result, with an object cache in this folder."""
    result = output_of([os.path.join(options.bin, "proa-run"), folder, "--json", "--cache", cache, "--threads",
                        str(options.threads), "--warmup", "0", "--repeat", "1", *options.option])
    if result is None:
        return None
    opened = sum(result[name] for name in ("read_ms", "import_ms", "compile_ms", "load_ms"))
    return [opened, opened + result["first_ms"]]


def measure(options, folder, scratch):
    """The medians of proa with a cold cache, with a warm one, and of ONNX Runtime; None for what failed."""
    model = os.path.join(scratch, "model.onnx")
    subprocess.run([os.path.join(options.bin, "proa-translate"), folder, "--to=onnx", "-o", model, "--quiet"],
                   capture_output=True, check=False)
    worker = [sys.executable, os.path.abspath(__file__), "--worker", model, folder, "--threads", str(options.threads)]
    rounds = []
    for number in range(options.rounds):
        cache = os.path.join(scratch, f"cache{number}")
        rounds.append([times_of_proa(options, folder, cache), times_of_proa(options, folder, cache),
                       output_of(worker)])
    return [None if any(times is None for times in column) else
            [statistics.median(time) for time in zip(*column)] for column in zip(*rounds)]


def text_of(number, width, digits=1):
    return ("-" if number is None else f"{number:.{digits}f}").rjust(width)


def row_of(times):
    """The numbers of a row: opened, with the first run, and the two ratios."""
    cold, warm, peer = [time or [None, None] for time in times]
    ratios = [None if own[1] is None or peer[1] is None else own[1] / peer[1] for own in (cold, warm)]
    return [cold[0], warm[0], peer[0], cold[1], warm[1], peer[1], *ratios]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="case folders; default: 20 of test/corpus")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of the tools")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--option", action="append", default=[], help="an option for proa-run")
    parser.add_argument("--json", metavar="FILE", help="write all results to this file")
    parser.add_argument("--worker", metavar="MODEL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        run_onnxruntime(options.worker, options.cases[0], options.threads)
        return
    cases = options.cases or [os.path.join(ROOT, "test", "corpus", name) for name in PROGRAMS]
    print("%-22s %8s %8s %8s %8s %8s %8s %8s %8s" % ("case", "cold", "warm", "ort", "cold+1", "warm+1", "ort+1",
                                                     "cold/ort", "warm/ort"))
    rows = {}
    for folder in cases:
        with tempfile.TemporaryDirectory() as scratch:
            name = os.path.basename(folder.rstrip("/"))
            rows[name] = row_of(measure(options, folder, scratch))
        print("%-22s" % name, *(text_of(number, 8) for number in rows[name][:6]),
              *(text_of(number, 8, 2) for number in rows[name][6:]), flush=True)
    for column, title in ((6, "cold"), (7, "warm")):
        ratios = [row[column] for row in rows.values() if row[column] is not None]
        print(f"{title}: median {statistics.median(ratios):.2f}, worst {max(ratios):.2f} of {len(ratios)}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


main()

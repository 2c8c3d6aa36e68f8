#!/usr/bin/env python3
"""The sections of docs/benchmarks.md on latency, translation and training, measured in one run and printed.

    test/bench/book.py                  with the peers that peer_latency.py knows
    test/bench/book.py --engines proa   without peers
    test/bench/book.py -o FILE          into a file

Builds what it needs into build/release first. Takes about a quarter of an hour; close other programs."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import peer_latency
from peer_latency import output_of

BUILD = os.path.join(peer_latency.ROOT, "build", "release")
CORPUS = os.path.join(peer_latency.ROOT, "test", "corpus")
# Programs and the dims of their feeds, for the number of operations.
LATENCY = {"resnet50": "image=1x3x224x224", "bert_base": "input_ids=1x128", "gpt2_small": "input_ids=1x64",
           "resnet18": "image=1x3x224x224", "vgg16": "image=1x3x224x224"}


def tool(name):
    return os.path.join(BUILD, "bin", name)


def say(text):
    print(text, file=sys.stderr, flush=True)


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return "%s, %d cores" % (names[0] if names else platform.processor(), os.cpu_count())


def gemm_peaks():
    """GFLOP/s of the largest matmul of runtime-bench by number of threads: the roofline."""
    peaks = {}
    for threads in (1, 2):
        # One process each: oneDNN plans for the number of threads of its first call.
        text = output_of([tool("runtime-bench"), "--benchmark_filter=matmul/1536x1536x1536/%d/" % threads,
                          "--benchmark_format=json", "--benchmark_repetitions=5", "--benchmark_min_time=0.5"])
        entries = json.loads(text)["benchmarks"]
        peaks[threads] = max(entry["GFLOP/s"] for entry in entries if entry.get("run_type") == "iteration")
    return peaks


def latency_rows(options, peaks):
    rows = []
    for name, dims in LATENCY.items():
        case = os.path.join(CORPUS, "realistic", name)
        summary = json.loads(output_of([tool("proa-translate"), case, "--summary", "--json", "--dims", dims]))
        for threads in (1, 2):
            rounds = {engine: [] for engine in options.engines}
            for _ in range(options.rounds):
                for engine in options.engines:
                    say("%s on %s, %d threads" % (name, engine, threads))
                    rounds[engine].append(peer_latency.measure_engine(engine, case, threads, options))
            best = {engine: peer_latency.best(found) for engine, found in rounds.items()}
            rows.append((name, threads, summary["flops"] / peaks[threads] / 1e6, best))
    return rows


def latency_table(options, peaks):
    engines = options.engines
    lines = ["| program | threads | roofline ms | " + " | ".join(e + " ms" for e in engines) + " | of the roofline | "
             + " | ".join(e + " / proa" for e in engines if e != "proa") + " |"]
    lines.append("|" + "---|" * (lines[0].count("|") - 1))
    for name, threads, floor, best in latency_rows(options, peaks):
        failed = [e for e in engines if "error" in best[e]]
        for engine in failed:
            say("error: %s on %s: %s" % (engine, name, best[engine]["error"]))
        times = {e: best[e]["median_ms"] for e in engines if e not in failed}
        own = times.get("proa")
        cells = ["%.1f" % times[e] if e in times else "failed" for e in engines]
        ratios = ["%.2f" % (times[e] / own) if own and e in times else "-" for e in engines if e != "proa"]
        share = "%.0f %%" % (100 * floor / own) if own else "-"
        lines.append("| %s | %d | %.1f | %s |" % (name, threads, floor, " | ".join(cells + [share] + ratios)))
    return lines


def translate_table(folder):
    """Wall time of the whole command."""
    programs = [("corpus: llama_7b_shaped", os.path.join(CORPUS, "realistic", "llama_7b_shaped", "program.json"))]
    for count in (1000, 10000, 100000):
        path = os.path.join(folder, "%d.json" % count)
        output_of([tool("make-program"), str(count), path])
        programs.append(("synthetic", path))
    lines = ["| program | ops | text ms | ops/s | bytecode ms | ops/s |", "|---|---|---|---|---|---|"]
    for name, path in programs:
        say("proa-translate " + path)
        ops = json.loads(output_of([tool("proa-translate"), "--summary", "--json", "--quiet", path]))["ops"]
        cells = []
        for form in ([], ["--bytecode"]):
            walls = []
            for _ in range(7):
                start = time.perf_counter()
                output_of([tool("proa-translate"), "--quiet", path, "-o", os.path.join(folder, "out"), *form])
                walls.append(time.perf_counter() - start)
            wall = statistics.median(walls)
            cells.append("%.0f | %d,000" % (wall * 1e3, round(ops / wall / 1e3)))
        lines.append("| %s | %d | %s |" % (name, ops, " | ".join(cells)))
    return lines


def training_chapters(options):
    """The sections of training.py; the steps need Paddle."""
    say("training")
    command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "training.py")]
    if "paddle2" not in options.engines:
        command += ["--only", "gradients"]
    return output_of(command).rstrip().splitlines()


def page(options):
    peaks = gemm_peaks()
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            "# Benchmarks",
            "",
            "Measured by `test/bench/book.py` on %s." % processor(),
            "",
            "## Latency",
            "Float32, batch 1, medians; the engines alternate, and the best of %d rounds counts. The roofline is the"
            % options.rounds,
            "number of operations of the program (`proa-translate --summary`) divided by the peak of oneDNN's matmul: "
            "%s."
            % ", ".join("%.0f GFLOP/s on %d thread%s" % (p, t, "s" if t > 1 else "") for t, p in sorted(peaks.items())),
            "Winograd convolutions need fewer operations than the roofline counts, so the fraction may exceed 100 %.",
            "",
            *latency_table(options, peaks),
            "",
            "## Translation",
            "`proa-translate` from JSON to a file, as a whole process.",
            "",
            *translate_table(folder),
            "",
            *training_chapters(options),
        ]
    return "\n".join(lines) + "\n"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="proa,paddle2,ort", help="comma-separated; see peer_latency.py")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4, help="measuring time of a round")
    parser.add_argument("--timeout", type=float, default=600, help="seconds a round may take in total")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the page there")
    options = parser.parse_args()
    options.engines = options.engines.split(",")
    options.proa = tool("proa-run")
    return options


def main():
    options = parse_arguments()
    targets = ["proa-run", "proa-translate", "proa-opt", "make-program", "runtime-bench"]
    subprocess.run(["cmake", "--build", BUILD, "--target", *targets], check=True, stdout=sys.stderr)
    text = page(options)
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()

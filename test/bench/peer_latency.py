#!/usr/bin/env python3
"""Latency of proa, Paddle and ONNX Runtime on the same programs, weights and inputs.

    test/bench/peer_latency.py                                  all inference programs of test/corpus/realistic
    test/bench/peer_latency.py --threads 1 --threads 2 CASE...  these cases, with each number of threads
    test/bench/peer_latency.py --engines proa,ort --json out.json

Engines: proa, paddle2 (Paddle Inference 2.6.2), paddle3 (the current Paddle Inference), ort (ONNX Runtime). The peers
are in two virtual environments in build/peers, created on first use from the Python package index.

Engines alternate, `--rounds` times, each in its own process, so that a slow phase of the machine affects all of them. A
figure is the best median of the rounds. Ratios are peer / proa: above 1, proa is faster. Close other programs first."""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PEERS = os.path.join(ROOT, "build", "peers")
ENVIRONMENTS = {
    "paddle2": ["paddlepaddle==2.6.2", "numpy==1.26.4", "protobuf==3.20.3", "paddle2onnx==1.3.1", "onnxruntime",
                "setuptools"],
    "paddle3": ["paddlepaddle", "numpy", "setuptools"],
}
# Engine: its virtual environment, and its name in peer_worker.py.
PEER_ENGINES = {"paddle2": ("paddle2", "paddle"), "paddle3": ("paddle3", "paddle"), "ort": ("paddle2", "ort")}


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("error: %s: %s" % (" ".join(command), done.stderr.strip()))
    return done.stdout


def peer_python(environment):
    """The Python of a virtual environment, which is created if it is missing."""
    folder = os.path.join(PEERS, environment)
    python = os.path.join(folder, "bin", "python")
    done = os.path.join(folder, "complete")
    if not os.path.exists(done):
        print("installing " + " ".join(ENVIRONMENTS[environment]), file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *ENVIRONMENTS[environment]], check=True)
        open(done, "w").close()
    return python


def proa_command(options, case, threads):
    """As many runs as fit into the time, found by a first short measurement."""
    base = [options.proa, case, "--expect", "--json", "--threads", str(threads)]
    first = measure([*base, "--repeat", "3", "--warmup", "1"], options)
    if "error" in first:
        return first
    repeat = max(7, min(100000, int(options.seconds * 1e3 / max(first["median_ms"], 1e-3))))
    result = measure([*base, "--warmup", "3", "--repeat", str(repeat)], options)
    if "outputs" in result:
        result["max_abs_error"] = max(output["max_abs_error"] for output in result["outputs"])
        result["version"] = "proa"
        if not all(output["passed"] for output in result["outputs"]):
            return {"error": "wrong outputs"}
    return result


def measure(command, options):
    """The JSON that a command prints on its last line, or why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except (subprocess.TimeoutExpired, OSError) as error:
        return {"error": type(error).__name__}
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        lines = done.stderr.strip().splitlines() or ["code %d" % done.returncode]
        return {"error": lines[-1]}


def measure_engine(engine, case, threads, options):
    if engine == "proa":
        return proa_command(options, case, threads)
    environment, name = PEER_ENGINES[engine]
    command = [peer_python(environment), os.path.join(HERE, "peer_worker.py"), case, "--engine", name]
    return measure([*command, "--threads", str(threads), "--seconds", str(options.seconds)], options)


def best(results):
    """The round with the smallest median, or the first error."""
    good = [r for r in results if "error" not in r]
    return min(good, key=lambda r: r["median_ms"]) if good else results[0]


def realistic_cases():
    """The cases of test/corpus/realistic that have expected outputs."""
    folder = os.path.join(ROOT, "test", "corpus", "realistic")
    cases = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name, "meta.json")) as file:
            if json.load(file)["runnable"]:
                cases.append(os.path.join(folder, name))
    return cases


def row(case, threads, engines, results):
    """One line of the table: milliseconds of each engine, then the ratios to proa."""
    text = "%-24s %7d" % (os.path.basename(case.rstrip("/")), threads)
    for engine in engines:
        result = results[engine]
        text += " %12s" % ("failed" if "error" in result else "%.3f" % result["median_ms"])
    own = results.get("proa", {})
    for engine in engines:
        if engine != "proa" and "proa" in engines:
            known = "error" not in own and "error" not in results[engine]
            text += " %12s" % ("%.2f" % (results[engine]["median_ms"] / own["median_ms"]) if known else "-")
    return text


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="case folders; default: test/corpus/realistic")
    parser.add_argument("--engines", default="proa,paddle2,paddle3,ort", help="comma-separated")
    parser.add_argument("--threads", type=int, action="append", help="may be repeated; default: 1")
    parser.add_argument("--seconds", type=float, default=4, help="measuring time of a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=600, help="seconds a round may take, with everything")
    parser.add_argument("--proa", default=os.path.join(ROOT, "build", "release", "bin", "proa-run"),
                        help="proa-run to measure")
    parser.add_argument("--json", metavar="FILE", help="write all results to this file")
    options = parser.parse_args()
    options.engines = options.engines.split(",")
    unknown = [e for e in options.engines if e != "proa" and e not in PEER_ENGINES]
    if unknown:
        parser.error("unknown engine %s; there are proa, %s" % (unknown[0], ", ".join(PEER_ENGINES)))
    return options


def main():
    options = parse_arguments()
    header = "%-24s %7s" % ("case (ms)", "threads")
    header += "".join(" %12s" % engine for engine in options.engines)
    header += "".join(" %12s" % (e + "/proa") for e in options.engines if e != "proa" and "proa" in options.engines)
    print(header, flush=True)
    everything, errors = [], []
    for case in options.cases or realistic_cases():
        for threads in options.threads or [1]:
            rounds = {engine: [] for engine in options.engines}
            for _ in range(options.rounds):
                for engine in options.engines:
                    rounds[engine].append(measure_engine(engine, case, threads, options))
            results = {engine: best(rounds[engine]) for engine in options.engines}
            print(row(case, threads, options.engines, results), flush=True)
            errors += ["%s on %s: %s" % (e, case, r["error"]) for e, r in results.items() if "error" in r]
            everything.append({"case": case, "threads": threads, "results": results, "rounds": rounds})
    for line in errors:
        print("error: " + line, file=sys.stderr)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(everything, file, indent=1)
    return 1 if errors else 0



if __name__ == "__main__":
    sys.exit(main())

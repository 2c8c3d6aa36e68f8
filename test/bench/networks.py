#!/usr/bin/env python3
"""Time of whole networks with convolutions in proa, and in ONNX Runtime and OpenVINO on the model that proa-translate
writes, on one thread.

    PYTHONPATH=build/release/python:build/onnx test/bench/networks.py                        with all instructions
    PROA_MAX_CPU_ISA=avx2 PYTHONPATH=... test/bench/networks.py                              proa without AVX-512
    PYTHONPATH=... test/bench/networks.py test/corpus/realistic/mobilenet_v2                 these cases
    PYTHONPATH=... test/bench/networks.py --vision                  networks of vision_networks.py,
                                                                 backbones.py and dense_networks.py
    PYTHONPATH=... test/bench/networks.py --timm                    networks of the package timm (timm_networks.py)
    PYTHONPATH=... test/bench/networks.py --vision unet yolov3 --engines proa --threads 2

The engines run in this process, one after the other, `--rounds` times. A figure is the shortest run: other processes
of a shared machine interrupt the others. The rows are sorted by their quotient. Needs the packages onnx and
onnxruntime, and openvino unless --engines leaves it out."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # read when the libraries load
    os.environ.setdefault(variable, "1")

import backbones  # noqa: E402
import convolutions  # noqa: E402
import dense_networks  # noqa: E402
import timm_networks  # noqa: E402
import vision_networks  # noqa: E402
from convolutions import shortest_us  # noqa: E402
from corpus import Case  # noqa: E402
from onnx_latency import ROOT, inference_cases  # noqa: E402


VISION_NETWORKS = vision_networks.NETWORKS | backbones.NETWORKS | dense_networks.NETWORKS


def processor():
    with open("/proc/cpuinfo") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))


def has_convolutions(folder):
    with open(os.path.join(folder, "program.json")) as file:
        text = file.read()
    return re.search(r'"type": *"(depthwise_)?conv2d(_transpose)?"', text) is not None


def default_cases():
    for folder in ("models", "realistic"):
        yield from filter(has_convolutions, inference_cases(os.path.join(ROOT, "test", "corpus", folder)))


def proa_runner(folder, feeds):
    import proa

    compiled = proa.open(folder, threads=1, optimize="always")
    compiled.run_tensors(feeds)
    return lambda: compiled.run_tensors(feeds)


def ort_runner(model, feeds):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = {value.name for value in session.get_inputs()}
    known = {name: value for name, value in feeds.items() if name in names}
    return lambda: session.run(None, known)


def openvino_runner(model, feeds):
    import openvino

    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
    compiled = core.compile_model(core.read_model(model), "CPU", settings)
    request = compiled.create_infer_request()
    for port in compiled.inputs:
        name = next(name for name in port.get_names() if name in feeds)
        request.set_tensor(port, openvino.Tensor(feeds[name]))
    request.infer()
    return request.infer


RUNNERS = {"proa": lambda folder, model, feeds: proa_runner(folder, feeds),
           "ort": lambda folder, model, feeds: ort_runner(model, feeds),
           "openvino": lambda folder, model, feeds: openvino_runner(model, feeds)}


def measure(folder, engines, options):
    """Milliseconds of the engines; None where proa cannot write the program, infinite where one cannot run it."""
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(scratch, "model.onnx")
        command = [os.path.join(options.bin, "proa-translate"), folder, "--to=onnx", "-o", model, "--quiet"]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
        feeds = Case(folder).feeds
        runners = {}
        for engine in engines:
            try:
                runners[engine] = RUNNERS[engine](folder, model, feeds)
            except Exception as error:  # noqa: BLE001  the engines have no common class of errors
                print(f"{folder}: {engine}: {str(error).splitlines()[0]}", file=sys.stderr)
        times = dict(zip(runners, best_of(list(runners.values()), options)))
        return {engine: times.get(engine, float("inf")) for engine in engines}


def best_of(runners, options):
    """The shortest milliseconds of each runner."""
    best = [float("inf")] * len(runners)
    for _ in range(options.rounds):
        best = [min(us, shortest_us(run, options.seconds)) for us, run in zip(best, runners)]
    return [us / 1e3 for us in best]


def images_networks(options):
    """The names of the networks for images, and the function that builds one."""
    if options.timm:
        return options.cases or timm_networks.NETWORKS, timm_networks.build
    return options.cases or VISION_NETWORKS, lambda name: vision_networks.build(name, VISION_NETWORKS)


def measure_vision(options):
    """Prints the milliseconds of the engines on each network, and the quotient of the best peer and proa."""
    engines = options.engines.split(",")
    print("| network | " + " | ".join(f"{engine} ms" for engine in engines) + " | best peer / proa |")
    print("|---" * (2 + len(engines)) + "|")
    names, build = images_networks(options)
    for name in names:
        model, feeds = build(name)
        runners = [convolutions.RUNNERS[engine](model, feeds["x"], options.threads)[0] for engine in engines]
        times = dict(zip(engines, best_of(runners, options)))
        peers = [ms for engine, ms in times.items() if engine != "proa"]
        quotient = f"{min(peers) / times['proa']:.2f}" if peers and "proa" in times else ""
        print(f"| {name} | " + " | ".join(f"{ms:.3f}" for ms in times.values()) + f" | {quotient} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="folders of programs; default: the corpus, with convolutions")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--seconds", type=float, default=0.1, help="measuring time of an engine in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--vision", action="store_true", help="the cases are networks of these three files")
    parser.add_argument("--timm", action="store_true", help="the cases are networks of the package timm")
    parser.add_argument("--engines", default="proa,ort,openvino", help="comma-separated")
    parser.add_argument("--threads", type=int, default=1, help="with --vision and --timm")
    options = parser.parse_args()
    if options.vision or options.timm:
        return measure_vision(options)
    rows, engines = [], options.engines.split(",")
    for folder in options.cases or default_cases():
        if times := measure(folder, engines, options):
            peers = [ms for engine, ms in times.items() if engine != "proa"]
            ratio = min(peers) / times["proa"] if peers and "proa" in times else 0
            rows.append((ratio, os.path.basename(folder), times))
            print(f"{rows[-1][1]}: {times}", file=sys.stderr)
    print(f"{processor()}, PROA_MAX_CPU_ISA={os.environ.get('PROA_MAX_CPU_ISA', '')}\n")
    print("| program | " + " | ".join(f"{engine} ms" for engine in engines) + " | best peer / proa |")
    print("|---" * (2 + len(engines)) + "|")
    for ratio, name, times in sorted(rows, key=lambda row: row[:2]):
        print(f"| {name} | " + " | ".join(f"{ms:.3f}" for ms in times.values()) + f" | {ratio:.2f} |")


if __name__ == "__main__":
    main()

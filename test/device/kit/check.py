"""Runs one program of the kit on the device, and compares its outputs. Prints one JSON object: `status` ("pass",
"fail", "error"), `detail`, and for timed programs the steps on the device.

Arguments: the name of the program in programs.json, the number of runs, and of timed runs. stderr names each phase.
"""

import json
import math
import os
import pathlib
import statistics
import struct
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import compiled_library as compiled

SAMPLED_ROWS = 64
LARGE = 1 << 22  # outputs of more elements are compared in a sample of rows


def phase(text):
    print(text, file=sys.stderr, flush=True)


def numpy_dtype(np, dtype):
    """The dtype of the stored elements; bfloat16 and float8 are stored as integers."""
    return {0: np.bool_, 1: np.uint8, 5: np.int8, 7: np.int32, 8: np.int64, 9: np.uint8, 10: np.uint8, 11: np.float16,
            12: np.uint16, 13: np.float32, 14: np.float64}[dtype]


def stored(np, values, dtype):
    """Float64 values as elements of a proa_dtype; bfloat16 rounds to even."""
    if dtype == 12:
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    if dtype in (9, 10):  # the bits of small numbers of either format
        return (np.abs(values * 1e6).astype(np.int64) % 0x60).astype(np.uint8) | (values < 0).astype(np.uint8) << 7
    if dtype in (1, 5, 7, 8):
        return np.floor(values * 100).astype(numpy_dtype(np, dtype))
    return values.astype(numpy_dtype(np, dtype))


def widened(np, data, dtype):
    if dtype == 12:
        return (data.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return data.astype(np.float64)


def random_feeds(np, inputs):
    """Uniform numbers in (-1, 1), by name: (type, dims, address), the arrays themselves."""
    names = {value: name for name, (value, _) in compiled.DTYPES.items()}
    feeds, arrays = {}, []
    for number, (name, dtype, dims) in enumerate(inputs):
        values = np.random.default_rng(number + 1).random(tuple(dims), dtype=np.float32) * 2 - 1
        array = np.ascontiguousarray(stored(np, values, dtype))
        feeds[name] = (names[dtype], dims, array.ctypes.data)
        arrays.append((array, dtype))
    return feeds, arrays


def compare_sampled(np, got, expected, tolerance):
    with np.errstate(invalid="ignore"):
        error = np.abs(got - expected) / (1 + np.abs(expected))
    both = np.isnan(got) & np.isnan(expected)
    wrong = ~((error <= tolerance) | both | (got == expected))
    if not wrong.any():
        return "", f"largest error {np.nanmax(error, initial=0):.1e}"
    first = np.argwhere(wrong)[0]
    return (f"{int(wrong.sum())} of {wrong.size} differ by more than {tolerance:g}, first at {first.tolist()}: found "
            f"{got[tuple(first)]:g}, expected {expected[tuple(first)]:g}"), ""


class FormulaOracle:
    """Expected rows from kit/formulas.py, computed once."""

    def __init__(self, np, program, arrays, outputs):
        import formulas
        self.np, self.tolerance = np, program["tolerance"]
        self.joined = formulas.JOINED_AXES.get(program["oracle"], 1)
        (_, dims, data), = outputs.values()
        count = math.prod(dims[:self.joined])
        self.rows = np.arange(count)
        if math.prod(dims) > LARGE or self.joined > 1:
            self.rows = np.unique(np.random.default_rng(7).integers(0, count, SAMPLED_ROWS))
            self.rows = np.union1d(self.rows, [0, count - 1])
        feeds = [widened(np, array, dtype) for array, dtype in arrays]
        self.expected = getattr(formulas, program["oracle"])(feeds, self.rows)

    def compare(self, outputs):
        (dtype, dims, data), = outputs.values()
        got = self.np.frombuffer(data, numpy_dtype(self.np, dtype)).reshape(-1, *dims[self.joined:])[self.rows]
        return compare_sampled(self.np, widened(self.np, got, dtype), self.expected, self.tolerance)


class CpuOracle:
    """Expected outputs from the program compiled for the CPU."""

    def __init__(self, np, program, runtime, feeds):
        self.np, self.tolerance = np, program["tolerance"]
        library = compiled.Library(runtime, str(HERE / "programs" / (program["name"] + ".cpu.so")), None)
        self.expected = library.run(feeds)

    def compare(self, outputs):
        details = []
        for name, (dtype, dims, data) in self.expected.items():
            got, expected = (widened(self.np, self.np.frombuffer(bytes, numpy_dtype(self.np, dtype)), dtype)
                             for bytes in (outputs[name][2], data))
            wrong, detail = compare_sampled(self.np, got, expected, self.tolerance)
            if wrong:
                return f"{name}: {wrong}", ""
            details.append(detail)
        return "", details[0]


class PaddleOracle:
    """Expected outputs of a case of the corpus; of a training program, the outputs of each step."""

    def __init__(self, program):
        self.meta = json.loads((HERE / program["source"] / "meta.json").read_text())
        self.expected = compiled.read_safetensors(HERE / program["source"] / "expected.safetensors")

    def compare(self, outputs, prefix=""):
        found = next(compiled.differences(outputs, self.expected, prefix, self.meta), "")
        return found, "as Paddle"


def write_generated(folder):
    """The weights of a case that are generated from a seed; a path, or None for a case without them."""
    meta = json.loads((folder / "meta.json").read_text())
    if not meta.get("generated_params"):
        return None
    import corpus
    header, arrays, offset = {}, [], 0
    for name, array in corpus.Case(str(folder)).weights().items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        arrays.append(array)
        offset += array.nbytes
    text = json.dumps(header).encode()
    with tempfile.NamedTemporaryFile(suffix=".safetensors", delete=False) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays:
            file.write(array.tobytes())
    return file.name


def weights_of(program):
    if program["oracle"] != "paddle":
        return None
    folder = HERE / program["source"]
    generated = write_generated(folder)
    stored = (folder / name for name in ("params.safetensors", "params.pdiparams"))
    return generated or next((str(path) for path in stored if path.exists()), None)


def check_training(library, program):
    inputs = compiled.read_safetensors(HERE / program["source"] / "inputs.safetensors")
    oracle, number = PaddleOracle(program), 0
    while any(name.startswith(f"step{number}/") for name in oracle.expected):
        prefix = f"step{number}/"
        phase(f"step {number}")
        feeds = {name.removeprefix(prefix): tensor for name, tensor in inputs.items() if name.startswith(prefix)}
        wrong, _ = oracle.compare(library.run(feeds), prefix)
        if wrong:
            return {"status": "fail", "detail": wrong}
        number += 1
    return {"status": "pass", "detail": f"{number} steps as Paddle"}


def timed_steps(library, feeds, count):
    """The steps on the device with the medians of their milliseconds, by the profile of the runtime. It measures from
    request to request, so steps that take less than their request count too much."""
    runs = []
    for _ in range(count):
        library.set_profile(True)
        library.run(feeds)
        runs.append(library.step_times())
    library.set_profile(False)
    steps = []
    for i, step in enumerate(runs[0]):
        if step["bytes"] > 0 and not step["kernel"].startswith("copy"):
            step["milliseconds"] = statistics.median(run[i]["milliseconds"] for run in runs)
            steps.append(step)
    return steps


def traced_kernels(library, feeds, count):
    """[name, milliseconds of one run] of each kernel in its order, by CUPTI through PyTorch; None without PyTorch."""
    try:
        import torch
        from torch.profiler import ProfilerActivity, profile
    except ModuleNotFoundError:
        return None
    torch.cuda.init()
    library.run(feeds)
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        for _ in range(count):
            library.run(feeds)
    events = [e for e in trace.profiler.kineto_results.events() if "cuda" in str(e.device_type()).lower()]
    kernels = sorted((e.start_ns(), e.name(), e.duration_ns()) for e in events
                     if not e.name().startswith(("Memcpy", "Memset")))
    if not kernels or len(kernels) % count:
        return None
    size = len(kernels) // count
    return [[kernels[i][1], statistics.median(kernels[run * size + i][2] for run in range(count)) / 1e6]
            for i in range(size)]


def wall_milliseconds(library, feeds, count):
    """The median of whole runs with the copies of feeds and results."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        library.run(feeds)
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times)


def check_program(runtime, program, runs, timed):
    phase("create")
    weights = weights_of(program)
    library = compiled.Library(runtime, str(HERE / "programs" / (program["name"] + ".so")), weights)
    if program["check"] == "states":
        return check_training(library, program)
    if program["oracle"] == "paddle":
        inputs = compiled.read_safetensors(HERE / program["source"] / "inputs.safetensors")
        feeds, oracle = inputs, PaddleOracle(program)
    else:
        import numpy as np
        feeds, arrays = random_feeds(np, library.describe("input"))
        oracle = CpuOracle(np, program, runtime, feeds) if program["oracle"] == "cpu" else None
    detail, first = "", None
    for number in range(runs):
        phase(f"run {number}")
        outputs = library.run(feeds)
        if number == 0:
            oracle = oracle or FormulaOracle(np, program, arrays, outputs)
            first = {name: output[2] for name, output in outputs.items()}
        wrong, detail = oracle.compare(outputs)
        if wrong:
            return {"status": "fail", "detail": f"run {number}: {wrong}"}
        if any(output[2] != first[name] for name, output in outputs.items()):
            return {"status": "fail", "detail": f"run {number} has other bits than run 0"}
    result = {"status": "pass", "detail": detail}
    if timed:
        phase("timed runs")
        result["wall_ms"] = wall_milliseconds(library, feeds, timed)
        result["steps"] = timed_steps(library, feeds, timed)
        result["kernels"] = traced_kernels(library, feeds, timed)
    return result


def main(name, runs, timed):
    programs = json.loads((HERE / "programs.json").read_text())
    program = next(p for p in programs if p["name"] == name)
    runtime = compiled.load_runtime(str(next((HERE / "lib").glob("libproa_runtime.so.*"))))
    try:
        result = check_program(runtime, program, int(runs), int(timed))
    except compiled.Error as error:
        result = {"status": "error", "detail": str(error)}
    except ModuleNotFoundError as error:
        result = {"status": "error", "detail": f"{error}; the expected values need it"}
    print(json.dumps(result), flush=True)
    os._exit(0)  # the result stands, whatever the libraries of CUDA do at exit


main(*sys.argv[1:])

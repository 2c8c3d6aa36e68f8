"""Compiles cases of the corpus ahead of time with dynamic dims, and compares their outputs with Paddle's.

Arguments: the build folder, then case folders. Every run of a case goes through one loaded library, so that it meets
other dims each time.
"""

import ctypes
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

# Dtypes of safetensors: the value of proa_dtype, the code of struct.
DTYPES = {"BOOL": (0, "?"), "U8": (1, "B"), "I8": (5, "b"), "I16": (6, "h"), "I32": (7, "i"), "I64": (8, "q"),
          "F16": (11, "e"), "F32": (13, "f"), "F64": (14, "d")}
CODES = dict(DTYPES.values())


class Tensor(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("rank", ctypes.c_size_t), ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("data", ctypes.c_void_p)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_size_t),
                ("dims", ctypes.POINTER(ctypes.c_int64))]


def read_safetensors(path):
    """{name: (type, dims, bytes)}; empty without a file."""
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        content = file.read()
    return {name: (entry["dtype"], entry["shape"], content[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def values_of(code, data):
    return [value for (value,) in struct.iter_unpack("<" + code, data)]


def is_close(got, expected, meta):
    if got == expected or (isinstance(got, float) and math.isnan(got) and math.isnan(expected)):
        return True
    return abs(got - expected) <= meta["atol"] + meta["rtol"] * abs(expected)


class Library:
    """A compiled case, loaded."""

    def __init__(self, runtime, path, weights):
        self.runtime = runtime
        create = ctypes.CDLL(path).model_create
        create.restype, create.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        self.program = create(weights.encode() if weights else None)
        if not self.program:
            raise RuntimeError("create: " + runtime.proa_error().decode())

    def names(self, kind):
        info = TensorInfo()
        count = getattr(self.runtime, f"proa_program_{kind}_count")(self.program)
        describe = getattr(self.runtime, f"proa_program_{kind}")
        return [(describe(self.program, i, ctypes.byref(info)), info.name.decode())[1] for i in range(count)]

    def run(self, feeds):
        inputs = self.names("input")
        given, kept = (Tensor * len(inputs))(), []
        for tensor, name in zip(given, inputs):
            dtype, dims, data = feeds[name]
            kept.append((ctypes.create_string_buffer(data, len(data) + 1), (ctypes.c_int64 * len(dims))(*dims)))
            tensor.dtype, tensor.rank = DTYPES[dtype][0], len(dims)
            tensor.data, tensor.dims = ctypes.cast(kept[-1][0], ctypes.c_void_p), kept[-1][1]
        names = self.names("output")
        results = (Tensor * len(names))()
        if self.runtime.proa_program_run(self.program, given, results):
            raise RuntimeError("run: " + self.runtime.proa_error().decode())
        outputs = {}
        for name, result in zip(names, results):
            dims = result.dims[: result.rank]
            size = math.prod(dims) * self.runtime.proa_dtype_size(result.dtype)
            outputs[name] = (result.dtype, dims, ctypes.string_at(result.data, size) if size else b"")
        return outputs

    def close(self):
        self.runtime.proa_program_destroy(self.program)


def load_runtime(build):
    runtime = ctypes.CDLL(build + "/lib/libproa_runtime.so", ctypes.RTLD_GLOBAL)
    runtime.proa_error.restype = ctypes.c_char_p
    runtime.proa_dtype_size.restype = ctypes.c_size_t
    for kind in ("input", "output"):
        count = getattr(runtime, f"proa_program_{kind}_count")
        count.restype, count.argtypes = ctypes.c_size_t, [ctypes.c_void_p]
        getattr(runtime, f"proa_program_{kind}").argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    runtime.proa_program_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    runtime.proa_program_destroy.argtypes = [ctypes.c_void_p]
    return runtime


def differences(outputs, expected, prefix, meta):
    for name in meta["fetches"]:
        dtype, dims, data = expected[prefix + name]
        code = DTYPES[dtype][1]
        got = outputs.get(name)
        if got is None or got[1] != dims or got[0] != DTYPES[dtype][0]:
            yield f"{prefix}{name}: found {got and got[:2]}, expected {dtype} {dims}"
            continue
        wrong = [(a, b) for a, b in zip(values_of(code, got[2]), values_of(code, data)) if not is_close(a, b, meta)]
        if wrong:
            yield f"{prefix}{name}: {len(wrong)} of {math.prod(dims)} differ, found and expected {wrong[0]}"


def check(build, runtime, case, folder):
    with open(case + "/meta.json") as file:
        meta = json.load(file)
    weights = next((case + "/" + name for name in ("params.safetensors", "params.pdiparams")
                    if os.path.exists(case + "/" + name)), "")
    library = f"{folder}/lib{abs(hash(case))}.so"
    command = [build + "/bin/proa-compile", case, "-o", library, "--name", "model"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return [f"proa-compile ended with {done.returncode}: {done.stderr.strip()}"]
    inputs, expected = read_safetensors(case + "/inputs.safetensors"), read_safetensors(case + "/expected.safetensors")
    found = []
    try:
        loaded = Library(runtime, library, weights)
        for number in range(meta.get("runs", 1)):
            prefix = f"run{number}/" if number else ""
            feeds = {name.removeprefix(prefix): tensor for name, tensor in inputs.items() if name.startswith(prefix)}
            found += differences(loaded.run(feeds), expected, prefix, meta)
        loaded.close()
    except (RuntimeError, KeyError) as error:
        found.append(f"{type(error).__name__}: {error}")
    return found


def main(build, *cases):
    runtime, failed = load_runtime(build), 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            found = check(build, runtime, case, folder)
            failed += bool(found)
            print("failed" if found else "passed", case, *found, sep="\n  " if found else " ", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

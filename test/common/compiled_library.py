"""Libraries that proa-compile wrote, through their C interface; and the tensor files of the corpus. Standard library
only."""

import ctypes
import json
import math
import os
import struct

# Dtypes of safetensors: the value of proa_dtype, the code of struct.
DTYPES = {"BOOL": (0, "?"), "U8": (1, "B"), "I8": (5, "b"), "I16": (6, "h"), "I32": (7, "i"), "I64": (8, "q"),
          "F16": (11, "e"), "BF16": (12, "H"), "F32": (13, "f"), "F64": (14, "d"), "C64": (15, "2f"),
          "F8_E4M3": (9, "B"), "F8_E5M2": (10, "B")}


class Tensor(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("rank", ctypes.c_size_t), ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("data", ctypes.c_void_p)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_size_t),
                ("dims", ctypes.POINTER(ctypes.c_int64))]


class StepTime(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("ops", ctypes.c_char_p), ("variable", ctypes.c_char_p),
                ("types", ctypes.c_char_p), ("location", ctypes.c_char_p), ("calls", ctypes.c_int64),
                ("milliseconds", ctypes.c_double), ("bytes", ctypes.c_double), ("flops", ctypes.c_double),
                ("roofline", ctypes.c_double)]


class Error(Exception):
    """A call failed; the text comes from proa_error()."""


def read_safetensors(path):
    """{name: (type, dims, bytes)}; empty without a file."""
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        content = file.read()
    return {name: (entry["dtype"], entry["shape"], content[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def load_runtime(path):
    """libproa_runtime.so, with the types of its functions."""
    runtime = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    runtime.proa_error.restype = ctypes.c_char_p
    runtime.proa_dtype_size.restype = ctypes.c_size_t
    for kind in ("input", "output", "step"):
        count = getattr(runtime, f"proa_program_{kind}_count")
        count.restype, count.argtypes = ctypes.c_size_t, [ctypes.c_void_p]
        getattr(runtime, f"proa_program_{kind}").argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    runtime.proa_program_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    runtime.proa_program_set_profile.argtypes = [ctypes.c_void_p, ctypes.c_int]
    runtime.proa_program_destroy.argtypes = [ctypes.c_void_p]
    return runtime


class Library:
    """A compiled program, loaded; `name` is the one given to proa-compile --name."""

    def __init__(self, runtime, path, weights, name="model"):
        self.runtime = runtime
        create = getattr(ctypes.CDLL(path), f"{name}_create")
        create.restype, create.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        self.program = create(weights.encode() if weights else None)
        if not self.program:
            raise Error("create: " + runtime.proa_error().decode().strip())

    def describe(self, kind):
        """(name, dtype, dims) of each input or output."""
        info = TensorInfo()
        count = getattr(self.runtime, f"proa_program_{kind}_count")(self.program)
        describe = getattr(self.runtime, f"proa_program_{kind}")
        described = []
        for i in range(count):
            describe(self.program, i, ctypes.byref(info))
            described.append((info.name.decode(), info.dtype, info.dims[: info.rank]))
        return described

    def run(self, feeds):
        """Outputs by name, as (dtype, dims, bytes). `feeds`: {name: (type, dims, bytes or address)}."""
        inputs = self.describe("input")
        given, kept = (Tensor * len(inputs))(), []
        for tensor, (name, _, _) in zip(given, inputs):
            if name not in feeds:
                raise Error(f"run: the case has no feed '{name}'")
            dtype, dims, data = feeds[name]
            memory = data if isinstance(data, int) else ctypes.create_string_buffer(data, len(data) + 1)
            kept.append((memory, (ctypes.c_int64 * len(dims))(*dims)))
            tensor.dtype, tensor.rank = DTYPES[dtype][0], len(dims)
            tensor.data = memory if isinstance(data, int) else ctypes.cast(memory, ctypes.c_void_p)
            tensor.dims = kept[-1][1]
        outputs = self.describe("output")
        results = (Tensor * len(outputs))()
        if self.runtime.proa_program_run(self.program, given, results):
            raise Error("run: " + self.runtime.proa_error().decode().strip())
        found = {}
        for (name, _, _), result in zip(outputs, results):
            dims = result.dims[: result.rank]
            size = math.prod(dims) * self.runtime.proa_dtype_size(result.dtype)
            found[name] = (result.dtype, dims, ctypes.string_at(result.data, size) if size else b"")
        return found

    def set_profile(self, on):
        self.runtime.proa_program_set_profile(self.program, int(on))

    def step_times(self):
        """The fields of the StepTime of each measured step."""
        steps, step = [], StepTime()
        for i in range(self.runtime.proa_program_step_count(self.program)):
            self.runtime.proa_program_step(self.program, i, ctypes.byref(step))
            fields = {name: getattr(step, name) for name, _ in StepTime._fields_}
            steps.append({key: value.decode() if isinstance(value, bytes) else value for key, value in fields.items()})
        return steps

    def close(self):
        self.runtime.proa_program_destroy(self.program)


def _values(dtype, data):
    code = DTYPES[dtype][1]
    values = [value[0] if len(value) == 1 else complex(*value) for value in struct.iter_unpack("<" + code, data)]
    if dtype == "BF16":
        values = [struct.unpack("<f", struct.pack("<I", value << 16))[0] for value in values]
    return values


def _is_close(got, expected, meta):
    if got == expected or (got != got and expected != expected):
        return True
    return abs(got - expected) <= meta["atol"] + meta["rtol"] * abs(expected)


def differences(outputs, expected, prefix, meta):
    """A line for each fetch of a case that differs from `expected` by more than rtol and atol."""
    for name in meta["fetches"]:
        dtype, dims, data = expected[prefix + name]
        got = outputs.get(name)
        if got is None or got[1] != dims or got[0] != DTYPES[dtype][0]:
            yield f"{prefix}{name}: found {got and got[:2]}, expected {dtype} {dims}"
            continue
        if got[2] == data:
            continue
        wrong = [(a, b) for a, b in zip(_values(dtype, got[2]), _values(dtype, data)) if not _is_close(a, b, meta)]
        if wrong:
            yield f"{prefix}{name}: {len(wrong)} of {math.prod(dims)} differ, found and expected {wrong[0]}"

"""Weights in safetensors files, for tests that compare states after training."""
import json
import struct

# Biases of keys have gradient zero: AdamW divides rounding noise by itself (test/corpus/known-failures.txt).
NOISE = {"linear_1.b_0", "linear_7.b_0"}


def floats_of(path):
    """The float32 tensors of a safetensors file."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            tensors[name] = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
    return tensors


def largest_difference(actual, expected):
    return max((abs(a - b) / (1e-3 + abs(b)) for name, tensor in expected.items() if name not in NOISE
                for a, b in zip(actual[name], tensor)), default=0.0)

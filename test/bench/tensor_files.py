"""Reads and writes safetensors files as NumPy arrays."""

import json
import os
import struct

import numpy as np

DTYPES = {
    "F16": np.float16, "F32": np.float32, "F64": np.float64, "C64": np.complex64,
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64,
}


def read_safetensors(path):
    """All tensors of a file by name; empty without a file."""
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        raw = file.read()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        data = np.frombuffer(raw[8 + size + begin : 8 + size + end], DTYPES[entry["dtype"]])
        tensors[name] = data.reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    names = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
    header, data = {}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)

"""Writes .npy files without numpy.

npy.py values OUT DTYPE DIMS VALUE...   DIMS is "2x3", or "" for a scalar
npy.py tensors FILE PREFIX OUT          each tensor PREFIX<name> of a safetensors file, as OUT.<name>.npy
"""
import json
import struct
import sys

CODES = {"float32": ("<f4", "f"), "float64": ("<f8", "d"), "int32": ("<i4", "i"), "int64": ("<i8", "q")}


def write(path, code, dims, data):
    header = str({"descr": code, "fortran_order": False, "shape": tuple(dims)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


if sys.argv[1] == "values":
    code, letter = CODES[sys.argv[3]]
    values = [int(v) if letter in "iq" else float(v) for v in sys.argv[5:]]
    dims = [int(d) for d in sys.argv[4].split("x") if d]
    write(sys.argv[2], code, dims, struct.pack(f"<{len(values)}{letter}", *values))
else:
    with open(sys.argv[2], "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header, data = json.loads(file.read(size)), file.read()
    for name, entry in header.items():
        if name.startswith(sys.argv[3]):
            begin, end = entry["data_offsets"]
            code = {"F32": "<f4", "I64": "<i8"}[entry["dtype"]]
            write(f"{sys.argv[4]}.{name[len(sys.argv[3]):]}.npy", code, entry["shape"], data[begin:end])

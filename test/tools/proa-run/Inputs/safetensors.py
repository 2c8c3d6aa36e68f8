"""Writes a safetensors file: safetensors.py FILE NAME=DTYPE:SHAPE:VALUES ..., as in x=F32:2,1:0,nan; @OTHER adds what
another file holds."""
import json
import struct
import sys

FORMATS = {"F32": "f", "F64": "d", "F16": "e", "I64": "q", "I32": "i"}
header, data = {}, b""
for argument in sys.argv[2:]:
    if argument.startswith("@"):
        with open(argument[1:], "rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            entries = json.loads(file.read(size))
            other = file.read()
        for name, entry in entries.items():
            begin, end = entry["data_offsets"]
            header[name] = entry | {"data_offsets": [len(data), len(data) + end - begin]}
            data += other[begin:end]
        continue
    name, text = argument.rsplit("=", 1)
    dtype, shape, values = text.split(":")
    numbers = [float(v) if dtype[0] == "F" else int(v) for v in values.split(",") if v]
    piece = struct.pack(f"<{len(numbers)}{FORMATS[dtype]}", *numbers)
    header[name] = {"dtype": dtype, "shape": [int(d) for d in shape.split(",") if d],
                    "data_offsets": [len(data), len(data) + len(piece)]}
    data += piece
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)

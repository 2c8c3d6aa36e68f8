"""repeat.py FILE OUT COUNT: repeats each tensor of a safetensors file along its first dim."""
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    size = struct.unpack("<Q", file.read(8))[0]
    header, data = json.loads(file.read(size)), file.read()
count = int(sys.argv[3])
header.pop("__metadata__", None)
result, content = {}, b""
for name, entry in header.items():
    begin, end = entry["data_offsets"]
    shape = [entry["shape"][0] * count] + entry["shape"][1:]
    added = data[begin:end] * count
    result[name] = {"dtype": entry["dtype"], "shape": shape, "data_offsets": [len(content), len(content) + len(added)]}
    content += added
text = json.dumps(result).encode()
with open(sys.argv[2], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + content)

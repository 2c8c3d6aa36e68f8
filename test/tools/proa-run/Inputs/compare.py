"""compare.py FILE[:NAME] FILE NAME same|differs: whether a tensor of two safetensors files has the same bytes."""
import json
import struct
import sys


def bytes_of(path, name):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        begin, end = json.loads(file.read(size))[name]["data_offsets"]
        file.seek(8 + size + begin)
        return file.read(end - begin)


first, _, other = sys.argv[1].partition(":")
same = bytes_of(first, other or sys.argv[3]) == bytes_of(sys.argv[2], sys.argv[3])
sys.exit(same != (sys.argv[4] == "same"))

"""Files of tensors: `.safetensors` and `.npy`, with NumPy only."""
import json
import pathlib
import struct

import numpy

NAMES = {"float16": "F16", "float32": "F32", "float64": "F64", "int8": "I8", "int16": "I16", "int32": "I32",
         "int64": "I64", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64", "bool": "BOOL",
         "bfloat16": "BF16"}
DTYPES = {code: name for name, code in NAMES.items()}


def read_safetensors(path):
    """The tensors of a file by name; bfloat16 as its bits."""
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        dtype = "uint16" if entry["dtype"] == "BF16" else DTYPES[entry["dtype"]]
        tensors[name] = numpy.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors, codes=NAMES):
    """Writes tensors by name, with the codes of the format by NumPy's names of types. Tensors of types without a code
    are left out; returns their names."""
    header, pieces, offset, left_out = {}, [], 0, []
    for name, tensor in tensors.items():
        if tensor.dtype.name not in codes:
            left_out.append(name)
            continue
        piece = numpy.ascontiguousarray(tensor).tobytes()
        header[name] = {"dtype": codes[tensor.dtype.name], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(piece)]}
        pieces.append(piece)
        offset += len(piece)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(pieces)
    return left_out


def read_lods(sources, names):
    """The LoD of feeds: offsets by level. `x` has the tensors `x@LOD0`, `x@LOD1`, ..., the outermost first."""
    lods = {}
    for source in sources:
        if source.endswith(".safetensors"):
            tensors = read_safetensors(source)
            for name in names:
                levels = []
                while f"{name}@LOD{len(levels)}" in tensors:
                    levels.append(tensors[f"{name}@LOD{len(levels)}"].tolist())
                if levels:
                    lods[name] = levels
    return lods


def read_feeds(sources, names):
    """Feeds by name, from `x.safetensors`, `x.npy` (of one feed) and `NAME=x.npy`."""
    feeds = {}
    for source in sources:
        name, separator, path = source.partition("=")
        if source.endswith(".safetensors"):
            feeds.update((key, value) for key, value in read_safetensors(source).items() if key in names)
        elif separator:
            feeds[name] = numpy.load(path)
        elif len(names) == 1:
            feeds[names[0]] = numpy.load(source)
        else:
            raise SystemExit(f"error: {source}: the program has the feeds {', '.join(names)}, expected NAME={source}")
    missing = [name for name in names if name not in feeds]
    if missing:
        raise SystemExit(f"error: feeds without a value: {', '.join(missing)}")
    return feeds

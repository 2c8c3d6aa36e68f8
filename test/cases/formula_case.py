"""A case of test/cases that a script writes: program.json, meta.json and the files of its tensors."""
import json
import struct

NUMBERS = {"BOOL": 0, "INT32": 2, "INT64": 3, "FP32": 5, "FP64": 6, "FP16": 4}
STORED = {"BOOL": ("BOOL", "?"), "INT8": ("I8", "b"), "INT32": ("I32", "i"), "INT64": ("I64", "q"), "FP16": ("F16", "e"),
          "FP32": ("F32", "f"), "FP64": ("F64", "d")}


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, (dtype, dims, values) in tensors.items():
        code, letter = STORED[dtype]
        content = struct.pack(f"<{len(values)}{letter}", *values)
        header[name] = {"dtype": code, "shape": dims, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def attribute(name, value):
    if isinstance(value, bool):
        return {"name": name, "type": "BOOLEAN", "b": value}
    if isinstance(value, int):
        return {"name": name, "type": "INT", "i": value}
    if isinstance(value, float):
        return {"name": name, "type": "FLOAT", "f": value}
    if isinstance(value, str):
        return {"name": name, "type": "STRING", "s": value}
    if isinstance(value, tuple):
        return {"name": name, "type": "BLOCK", "block_idx": value[0]}
    if value and isinstance(value[0], float):
        return {"name": name, "type": "FLOATS", "floats": value}
    if value and isinstance(value[0], str):
        return {"name": name, "type": "STRINGS", "strings": value}
    return {"name": name, "type": "INTS", "ints": value}


def op(kind, inputs, outputs, **attributes):
    slots = lambda given: [{"parameter": slot, "arguments": names.split()} for slot, names in given.items()]
    return {"type": kind, "inputs": slots(inputs), "outputs": slots(outputs),
            "attrs": [attribute(name, value) for name, value in attributes.items()]}


class Case:
    def __init__(self, root, name):
        self.folder = root / name
        self.name = name
        self.blocks = [{"idx": 0, "parent_idx": -1, "vars": [], "ops": []}]
        self.inputs, self.expected, self.parameters = {}, {}, {}
        self.feeds, self.fetches = [], []
        self.meta = {}

    def variable(self, name, dtype, dims, block=0, kind="LOD_TENSOR", **more):
        slot = "tensor_array" if kind == "LOD_TENSOR_ARRAY" else "lod_tensor"
        self.blocks[block]["vars"].append(
            {"name": name, "type": {"type": kind, slot: {"tensor": {"data_type": dtype, "dims": [str(d) for d in dims]}}},
             **more})

    def feed(self, name, dtype, dims, values, declared=None):
        self.variable(name, dtype, declared or dims)
        self.feeds.append(name)
        self.inputs[name] = (dtype, dims, values)

    def parameter(self, name, declared, stored, values):
        self.variable(name, *declared, persistable=True)
        self.parameters[name] = (*stored, values)

    def fetch(self, name, dtype, dims, values, declared=None):
        self.variable(name, dtype, declared or dims)
        self.fetches.append(name)
        self.expected[name] = (dtype, dims, values)

    def op(self, *given, block=0, **attributes):
        self.blocks[block]["ops"].append(op(*given, **attributes))

    def block(self, parent=0):
        self.blocks.append({"idx": len(self.blocks), "parent_idx": parent, "vars": [], "ops": []})
        return len(self.blocks) - 1

    def write(self, rtol=1e-5, atol=1e-6):
        self.folder.mkdir(parents=True, exist_ok=True)
        program = {"blocks": self.blocks, "version": {"version": "2006002"}}
        (self.folder / "program.json").write_text(json.dumps(program).replace('{"parameter"', '\n{"parameter"') + "\n")
        histogram = {}
        for block in self.blocks:
            for one in block["ops"]:
                histogram[one["type"]] = histogram.get(one["type"], 0) + 1
        meta = {"case": self.name, "kind": "op", "feeds": self.feeds, "fetches": self.fetches, "compare": "allclose",
                "rtol": rtol, "atol": atol, "runnable": True, "training": False, "op_histogram": histogram, **self.meta}
        (self.folder / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")
        write_safetensors(self.folder / "inputs.safetensors", self.inputs)
        write_safetensors(self.folder / "expected.safetensors", self.expected)
        if self.parameters:
            write_safetensors(self.folder / "params.safetensors", self.parameters)

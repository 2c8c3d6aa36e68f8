#!/usr/bin/env python3
"""Mutants of corpus programs with the outputs of Paddle 2.6.2: cases that proa-check runs.

Changes attributes, dims, element types and values of op programs, lets Paddle infer the shapes and run them, and writes
each mutant that Paddle accepts and computes reproducibly as a case folder.

    python3 paddle_mutants.py --corpus test/corpus --count 500 --seed 1 --out DIR [--with-op TYPE]
    proa-check DIR
"""
import argparse
import json
import os
import pathlib
import random
import re
import signal
import struct
import sys

os.environ.setdefault("GLOG_minloglevel", "3")
import numpy as np
import paddle
from google.protobuf import json_format
from paddle.base import core
from paddle.base.proto import framework_pb2

SAFETENSORS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "uint16", "I64": "int64",
               "I32": "int32", "I16": "int16",
               "I8": "int8", "U8": "uint8", "BOOL": "bool", "C64": "complex64"}
NAMES = {numpy_name: name for name, numpy_name in SAFETENSORS.items()}
NUMBERS = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float16": 4, "float32": 5, "float64": 6, "uint8": 20,
           "int8": 21,
           "uint16": 22, "complex64": 23, "complex128": 24}
# Attributes without influence on results.
HINTS = {"op_role", "op_role_var", "op_namescope", "op_device", "op_callstack", "with_quant_attr", "use_mkldnn",
         "use_cudnn", "use_quantizer", "mkldnn_data_type", "is_test", "workspace_size_MB", "exhaustive_search", "seed",
         "fix_seed", "name", "sub_block"}
DTYPE_ATTRIBUTES = {"dtype", "in_dtype", "out_dtype"}
# Feeds that scale gradients: their dims follow from the dims of the other feeds.
WEIGHT = re.compile(r"gw_\d+$|c\d+$")
SECONDS = 20


def read_tensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    complex128 = header.pop("__metadata__", {}).get("complex128", "").split(",")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[8 + size + begin:8 + size + end],
                              SAFETENSORS[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = array.view("complex128").reshape(array.shape[:-1]) if name in complex128 else array
        if entry["dtype"] == "BF16":
            raise ValueError("bfloat16 is left alone")
    return tensors


def write_tensors(path, tensors):
    header, blobs, offset, complex128 = {}, [], 0, []
    for name, array in tensors.items():
        if array.dtype == "complex128":
            complex128.append(name)
            array = np.stack([array.real, array.imag], -1)
        blob = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": NAMES[str(array.dtype)], "shape": list(array.shape),
                        "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    if complex128:
        header["__metadata__"] = {"complex128": ",".join(complex128)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


class Case:
    """A case folder in memory: what is mutated."""

    def __init__(self, folder):
        self.folder = folder
        self.meta = json.loads((folder / "meta.json").read_text())
        # FLT_MAX as Paddle prints it is too large for a float.
        text = (folder / "program.json").read_text().replace("3.4028235e+38", "3.4028234663852886e+38")
        self.program = json_format.Parse(text, framework_pb2.ProgramDesc())
        self.feeds = read_tensors(folder / "inputs.safetensors")
        self.params = read_tensors(folder / "params.safetensors") if (folder / "params.safetensors").exists() else {}
        self.changes = []

    def ops(self):
        return [op for block in self.program.blocks for op in block.ops]

    def variables(self):
        return {var.name: var for block in self.program.blocks for var in block.vars}


def value_field(attribute):
    """The field of an OpDesc.Attr that holds its value, by AttrType."""
    return ["i", "f", "s", "ints", "floats", "strings", "b", "bools", None, "l", None, "longs", "float64s", None,
            None, "float64", None, None][
        attribute.type]


def value_of(attribute):
    field = value_field(attribute)
    value = getattr(attribute, field) if field else None
    return list(value) if field and field.endswith("s") and field != "s" else value


def set_value(attribute, value):
    field = value_field(attribute)
    if isinstance(value, list):
        del getattr(attribute, field)[:]
        getattr(attribute, field).extend(value)
    else:
        setattr(attribute, field, value)


def base_type(op_type):
    for suffix in ("_triple_grad", "_double_grad", "_grad_grad", "_grad2", "_grad"):
        op_type = op_type.removesuffix(suffix)
    return op_type


def tweak(rng, value, seen):
    if isinstance(value, bool):
        return not value
    if seen and rng.random() < 0.5:
        return rng.choice(seen)
    if isinstance(value, int):
        return rng.choice([-2, -1, 0, 1, 2, 3, value + 1, value - 1])
    if isinstance(value, float):
        return rng.choice([0.0, 1.0, -1.0, 0.5, 2.0, value * 2, -value, value + 0.25])
    if isinstance(value, list):
        value = list(value)
        how = rng.randrange(4)
        if value and how == 0:
            value.pop(rng.randrange(len(value)))
        elif how == 1:
            value.insert(rng.randrange(len(value) + 1), rng.choice(value) if value else 0)
        elif value:
            place = rng.randrange(len(value))
            value[place] = tweak(rng, value[place], [])
        return value
    return value


def mutate_attribute(case, rng, pool):
    target = case.meta.get("op")
    ops = [op for op in case.ops() if op.type == target] or [op for op in case.ops() if not op.type.endswith("_grad")]
    op = rng.choice(ops)
    choices = [a for a in op.attrs if a.name not in HINTS and value_field(a) and a.name not in DTYPE_ATTRIBUTES]
    if not choices:
        return False
    attribute = rng.choice(choices)
    before = value_of(attribute)
    after = tweak(rng, before, pool.get((op.type, attribute.name), []))
    if after == before:
        return False
    for other in case.ops():
        if base_type(other.type) == base_type(op.type):
            for a in other.attrs:
                if a.name == attribute.name and a.type == attribute.type and value_of(a) == before:
                    set_value(a, after)
    case.changes.append(f"{op.type}.{attribute.name}: {before} -> {after}")
    return True


def resample(rng, array, shape):
    """An array of another shape with the values of the old one: they stay in the domain of the op."""
    flat = array.ravel()
    if not flat.size:
        return np.zeros(shape, array.dtype)
    indices = [rng.randrange(flat.size) for _ in range(int(np.prod(shape, dtype=np.int64)))]
    return flat[indices].reshape(shape)


def resize(case, rng, name, shape):
    case.feeds[name] = resample(rng, case.feeds[name], shape)


def mutate_dims(case, rng, _):
    dims = sorted({d for array in case.feeds.values() for d in array.shape})
    if case.meta.get("lod") or not dims:
        return False
    before = rng.choice(dims)
    after = rng.choice([1, 1, 0, 2, 3, 5, before + 1, 7, 17])
    if before == after:
        return False
    for name, array in list(case.feeds.items()):
        if before in array.shape:
            resize(case, rng, name, [after if d == before else d for d in array.shape])
    case.changes.append(f"dims {before} -> {after}")
    return True


def mutate_one_dim(case, rng, _):
    names = [name for name, array in case.feeds.items() if array.ndim and not WEIGHT.match(name)]
    if case.meta.get("lod") or not names:
        return False
    name = rng.choice(names)
    shape = list(case.feeds[name].shape)
    place = rng.randrange(len(shape))
    shape[place] = rng.choice([1, 2, 3, 4, 6, shape[place] + 1])
    resize(case, rng, name, shape)
    case.changes.append(f"dims of {name}: {shape}")
    return True


def mutate_rank(case, rng, _):
    names = [name for name, array in case.feeds.items() if not WEIGHT.match(name)]
    if case.meta.get("lod") or not names:
        return False
    ranks = {case.feeds[name].ndim for name in names}
    chosen = names if rng.random() < 0.6 and len(ranks) == 1 else [rng.choice(names)]
    drop = rng.random() < 0.3
    for name in chosen:
        shape = list(case.feeds[name].shape)
        shape = shape[1:] if drop and shape else [rng.choice([1, 2])] + shape
        resize(case, rng, name, shape)
    case.changes.append(f"rank of {','.join(chosen)} {'-' if drop else '+'} 1")
    return True


def mutate_values(case, rng, _):
    name = rng.choice(sorted(case.feeds))
    array = case.feeds[name].copy()
    if not array.size:
        return False
    how = rng.randrange(4)
    flat = array.reshape(-1)
    if how == 0 or array.dtype == bool:
        array = resample(rng, array, array.shape)
    elif array.dtype.kind in "fc":
        for _ in range(max(1, flat.size // 5)):
            flat[rng.randrange(flat.size)] = rng.choice([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e4, -1e4,
                                                         0.5, 1.5, 2.5, 1e-6])
    else:
        for _ in range(max(1, flat.size // 5)):
            flat[rng.randrange(flat.size)] = rng.choice([0, 1, 2]) if how < 3 else flat[rng.randrange(flat.size)]
    case.feeds[name] = array
    case.changes.append(f"values of {name}")
    return True


def mutate_dtype(case, rng, _):
    present = {str(array.dtype) for array in case.feeds.values()}
    conversions = [("float32", "float64"), ("float64", "float32"), ("int64", "int32"), ("int32", "int64"),
                   ("float32", "int32"), ("float32", "int64"), ("float32", "complex64"), ("int64", "float32"),
                   ("float32", "float16"), ("float64", "complex128"), ("int32", "uint8")]
    pairs = [(a, b) for a, b in conversions if a in present]
    if not pairs:
        return False
    before, after = rng.choice(pairs)
    for name, array in list(case.feeds.items()):
        if str(array.dtype) == before:
            case.feeds[name] = array.astype(after)
    for var in case.variables().values():
        tensor = var.type.lod_tensor.tensor
        if tensor.data_type == NUMBERS[before]:
            tensor.data_type = NUMBERS[after]
    for op in case.ops():
        for a in op.attrs:
            if a.name in DTYPE_ATTRIBUTES and value_field(a) == "i" and a.i == NUMBERS[before]:
                a.i = NUMBERS[after]
    case.changes.append(f"{before} -> {after}")
    return True


def mutate_dtype_attribute(case, rng, _):
    choices = [a for op in case.ops() if op.type == case.meta.get("op") for a in op.attrs
               if a.name in DTYPE_ATTRIBUTES and value_field(a) == "i"]
    if not choices:
        return False
    attribute = rng.choice(choices)
    before, after = attribute.i, rng.choice([0, 2, 3, 5, 6])
    attribute.i = after
    case.changes.append(f"{attribute.name}: {before} -> {after}")
    return before != after


MUTATIONS = [(mutate_attribute, 10), (mutate_dims, 5), (mutate_one_dim, 3), (mutate_rank, 3), (mutate_values, 3),
             (mutate_dtype, 3),
             (mutate_dtype_attribute, 1)]


def mutate(case, rng, pool):
    functions = [f for f, weight in MUTATIONS for _ in range(weight)]
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        rng.choice(functions)(case, rng, pool)
    return bool(case.changes)


def infer(case):
    """Lets Paddle infer all types again, op by op, and adapts the weights of the gradients (gw_*)."""
    for var in case.program.blocks[0].vars:
        if var.name in case.feeds:
            var.type.lod_tensor.tensor.dims[:] = list(case.feeds[var.name].shape)
    program = paddle.static.Program.parse_from_string(case.program.SerializeToString())
    block = program.desc.block(0)
    rng = random.Random(1)
    for i in range(block.op_size()):
        op = block.op(i)
        if op.type() == "elementwise_mul" and op.input("Y") and WEIGHT.match(op.input("Y")[0]):
            shape = block.find_var(op.input("X")[0].encode()).shape()
            name = op.input("Y")[0]
            if all(d >= 0 for d in shape):
                block.find_var(name.encode()).set_shape(shape)
                resize(case, rng, name, shape)
        op.infer_var_type(block)
        op.infer_shape(block)
    return program


def run_program(case, program):
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
    feeds = {}
    for name in case.meta["feeds"]:
        feeds[name] = case.feeds[name]
        if name in case.meta.get("lod", {}):
            tensor = core.LoDTensor()
            tensor.set(case.feeds[name], core.CPUPlace())
            tensor.set_lod(case.meta["lod"][name])
            feeds[name] = tensor
    with paddle.static.scope_guard(scope):
        for name, array in case.params.items():
            scope.var(name).get_tensor().set(array, paddle.CPUPlace())
        results = executor.run(program, feed=feeds, fetch_list=case.meta["fetches"], return_numpy=False)
    # An op may leave an output alone.
    computed = {n: t for n, t in zip(case.meta["fetches"], results) if not hasattr(t, "lod") or t._is_initialized()}
    tensors = {n: np.array(t) for n, t in computed.items()}
    lods = {n: t.lod() for n, t in computed.items() if hasattr(t, "lod") and t.lod()}
    return tensors, lods


def write_case(case, program, tensors, lods, out):
    out.mkdir(parents=True)
    message = framework_pb2.ProgramDesc()
    message.ParseFromString(program.desc.serialize_to_string())
    (out / "program.json").write_text(json_format.MessageToJson(message, preserving_proto_field_name=True, indent=None))
    write_tensors(out / "inputs.safetensors", case.feeds)
    write_tensors(out / "expected.safetensors", tensors)
    if case.params:
        write_tensors(out / "params.safetensors", case.params)
    meta = dict(case.meta, case=out.name, fetches=list(tensors), changes=case.changes, from_case=str(case.folder))
    half = any(str(a.dtype) in ("float16", "uint16") for a in [*tensors.values(), *case.feeds.values()])
    meta.update(rtol=2e-2 if half else max(1e-4, meta.get("rtol", 0)),
                atol=1e-2 if half else max(1e-5, meta.get("atol", 0)))
    meta.pop("expected_lod", None)
    if lods:
        meta["expected_lod"] = lods
    (out / "meta.json").write_text(json.dumps(meta, indent=1))


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def attempt(case, rng, pool, out):
    """In a process of its own: Paddle may end it. Exit code 0: a case was written, 2: nothing to run."""
    signal.alarm(SECONDS)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.dup2(null, 1)
    code = 2
    try:
        if mutate(case, rng, pool):
            program = infer(case)
            first, lods = run_program(case, program)
            second, _ = run_program(case, program)
            is_same = all(same(first[n], second[n]) for n in first)
            if first and is_same and sum(a.size for a in first.values()) < 1 << 20:
                write_case(case, program, first, lods, out)
                code = 0
    except BaseException:
        pass
    os._exit(code)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--with-op", default="")
    options = parser.parse_args()
    paddle.enable_static()
    cases, pool = [], {}
    for meta in sorted(p for root in options.corpus for p in root.rglob("meta.json")):
        text = json.loads(meta.read_text())
        is_compared = text.get("kind") == "op" and text.get("runnable", True) \
            and text.get("compare", "allclose") == "allclose"
        lacks_op = options.with_op and options.with_op not in text.get("op_histogram", {options.with_op: 1})
        if not is_compared or text.get("training") or text.get("runs") or lacks_op:
            continue
        try:
            case = Case(meta.parent)
        except Exception:
            continue
        cases.append(meta.parent)
        for op in case.ops():
            for a in op.attrs:
                if a.name not in HINTS and value_field(a):
                    values = pool.setdefault((op.type, a.name), [])
                    if value_of(a) not in values:
                        values.append(value_of(a))
    written = 0
    for index in range(options.count):
        rng = random.Random(options.seed * 1000003 + index)
        folder = rng.choice(cases)
        case = Case(folder)
        out = options.out / f"{case.meta.get('op', folder.name)}_{options.seed}_{index}"
        child = os.fork()
        if child == 0:
            attempt(case, rng, pool, out)
        _, status = os.waitpid(child, 0)
        written += status == 0
        if index % 50 == 49:
            print(f"{index + 1} mutants, {written} run by Paddle", file=sys.stderr)


if __name__ == "__main__":
    main()

"""Writes programs that make NaN or Inf: finite.py KIND FILE.

chain: x -> log -> plus 1 -> matmul with itself transposed      (log makes -Inf of 0 and NaN of negative x)
half:  as chain, in float16
loop:  i = 0; while i < 5: x = sqrt(x - 1); i = i + 1           (sqrt makes NaN in a later iteration)
inf:   exp(x) - exp(x): Inf first, and NaN of it
masked: softmax(x + mask)                                       (NaN where the mask of a whole row is -Inf)
weight: x + sqrt(w), w a parameter
twice: chain, then log and plus 1 again, on lines 61 to 66     (one kernel with two callers)
"""
import json
import sys


def variable(name, dims, dtype="FP32", **more):
    tensor = {"data_type": dtype, "dims": [str(d) for d in dims]}
    return {"name": name, "type": {"type": "LOD_TENSOR", "lod_tensor": {"tensor": tensor}}, **more}


def attribute(name, value):
    if isinstance(value, bool):
        return {"name": name, "type": "BOOLEAN", "b": value}
    if isinstance(value, int):
        return {"name": name, "type": "INT", "i": value}
    if isinstance(value, float):
        return {"name": name, "type": "FLOAT", "f": value}
    return {"name": name, "type": "LONGS", "longs": [str(v) for v in value]}


def op(kind, inputs, outputs, line, **attributes):
    stack = {"name": "op_callstack", "type": "STRINGS",
             "strings": [f'  File "net.py", line {line}, in forward', f"    {kind}"]}
    slots = lambda given: [{"parameter": k, "arguments": [v] if isinstance(v, str) else v} for k, v in given.items()]
    return {"type": kind, "inputs": slots(inputs), "outputs": slots(outputs),
            "attrs": [stack] + [attribute(k, v) for k, v in attributes.items()]}


def feed(name):
    return op("feed", {"X": "feed"}, {"Out": name}, 1, col=0)


def fetch(name):
    return op("fetch", {"X": name}, {"Out": "fetch"}, 99, col=0)


def block(index, variables, ops):
    return {"idx": index, "parent_idx": index - 1, "vars": variables, "ops": ops}


def chain(dtype="FP32"):
    names = [variable(n, [2, 2], dtype) for n in ("x", "a", "b", "c")]
    return [block(0, names, [
        feed("x"),
        op("log", {"X": "x"}, {"Out": "a"}, 11),
        op("scale", {"X": "a"}, {"Out": "b"}, 12, scale=1.0, bias=1.0, bias_after_scale=True),
        op("matmul_v2", {"X": "b", "Y": "b"}, {"Out": "c"}, 13, trans_x=False, trans_y=True),
        fetch("c")])]


def loop():
    outer = [variable("x", [2]), variable("i", [1], "INT64"), variable("n", [1], "INT64"),
             variable("test", [1], "BOOL"), {"name": "scopes", "type": {"type": "STEP_SCOPES"}}]
    inner = [variable("less", [2]), variable("root", [2]), variable("next", [1], "INT64")]
    ops = [
        feed("x"),
        op("fill_constant", {}, {"Out": "i"}, 20, shape=[1], dtype=3, value=0.0),
        op("fill_constant", {}, {"Out": "n"}, 20, shape=[1], dtype=3, value=5.0),
        op("less_than", {"X": "i", "Y": "n"}, {"Out": "test"}, 21),
        op("while", {"Condition": "test", "X": ["x", "i", "n"]},
           {"Out": ["x", "i", "test"], "StepScopes": "scopes"}, 21),
        fetch("x")]
    ops[4]["attrs"].append({"name": "sub_block", "type": "BLOCK", "block_idx": 1})
    body = [
        op("scale", {"X": "x"}, {"Out": "less"}, 22, scale=1.0, bias=-1.0, bias_after_scale=True),
        op("sqrt", {"X": "less"}, {"Out": "root"}, 23),
        op("assign", {"X": "root"}, {"Out": "x"}, 23),
        op("scale", {"X": "i"}, {"Out": "next"}, 24, scale=1.0, bias=1.0, bias_after_scale=True),
        op("assign", {"X": "next"}, {"Out": "i"}, 24),
        op("less_than", {"X": "i", "Y": "n"}, {"Out": "test"}, 25)]
    return [block(0, outer, ops), block(1, inner, body)]


def inf():
    names = [variable(n, [3]) for n in ("x", "a", "b")]
    return [block(0, names, [
        feed("x"),
        op("exp", {"X": "x"}, {"Out": "a"}, 31),
        op("elementwise_sub", {"X": "a", "Y": "a"}, {"Out": "b"}, 32, axis=-1),
        op("fetch", {"X": "a"}, {"Out": "fetch"}, 99, col=0),
        op("fetch", {"X": "b"}, {"Out": "fetch"}, 99, col=1)])]


def masked():
    names = [variable(n, [2, 3]) for n in ("x", "mask", "a", "b")]
    return [block(0, names, [
        feed("x"),
        op("feed", {"X": "feed"}, {"Out": "mask"}, 1, col=1),
        op("elementwise_add", {"X": "x", "Y": "mask"}, {"Out": "a"}, 41, axis=-1),
        op("softmax", {"X": "a"}, {"Out": "b"}, 42, axis=-1),
        fetch("b")])]


def weight():
    names = [variable(n, [2]) for n in ("x", "a", "b")] + [variable("w", [2], persistable=True, is_parameter=True)]
    return [block(0, names, [
        feed("x"),
        op("sqrt", {"X": "w"}, {"Out": "a"}, 51),
        op("elementwise_add", {"X": "x", "Y": "a"}, {"Out": "b"}, 52, axis=-1),
        fetch("b")])]


def twice():
    names = [variable(n, [2, 2]) for n in ("x", "a", "b", "c", "d", "e", "f")]
    plus_one = dict(scale=1.0, bias=1.0, bias_after_scale=True)
    return [block(0, names, [
        feed("x"),
        op("log", {"X": "x"}, {"Out": "a"}, 61),
        op("scale", {"X": "a"}, {"Out": "b"}, 62, **plus_one),
        op("matmul_v2", {"X": "b", "Y": "b"}, {"Out": "c"}, 63, trans_x=False, trans_y=True),
        op("log", {"X": "c"}, {"Out": "d"}, 64),
        op("scale", {"X": "d"}, {"Out": "e"}, 65, **plus_one),
        op("matmul_v2", {"X": "e", "Y": "e"}, {"Out": "f"}, 66, trans_x=False, trans_y=True),
        fetch("f")])]


kinds = {"twice": twice, "chain": chain,
         "half": lambda: chain("FP16"), "loop": loop, "inf": inf, "masked": masked, "weight": weight}
with open(sys.argv[2], "w") as file:
    json.dump({"blocks": kinds[sys.argv[1]]()}, file)

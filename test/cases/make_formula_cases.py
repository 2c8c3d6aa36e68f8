#!/usr/bin/env python3
"""Writes the cases of test/cases/formulas: programs whose results follow from formulas, not from a run of Paddle.

The formulas are from Paddle's sources: EqualFunctor (equal, not_equal, equal_all), the allclose kernel, the post-ops of
the oneDNN kernels (fused attributes), attention ops that have kernels for GPUs only (block_multi_head_attention_kernel.cu). Usage: make_formula_cases.py [FOLDER]
"""
import json
import math
import struct
import sys
from pathlib import Path

from formula_case import Case, f32

# -- Equality ----------------------------------------------------------------------------------------------------------


def are_equal(a, b, dtype):
    """EqualFunctor of Paddle 2.6.2: std::is_floating_point does not hold for its float16."""
    if dtype == "FP16" or math.isinf(a) or math.isinf(b):
        return a == b
    if math.isnan(a) or math.isnan(b):
        return False
    difference = f32(a - b) if dtype == "FP32" and abs(a - b) < 3e38 else a - b
    return abs(difference) < 1e-8


def equality_cases(root):
    inf, nan = math.inf, math.nan
    pairs = [(0, 1e-9), (0, 1e-40), (0, 9.9e-9), (0, 1.01e-8), (1e-8, 0), (-4e-9, 4e-9), (-6e-9, 6e-9), (1, 1), (1, 1.0000001),
             (0.0, -0.0), (inf, inf), (-inf, -inf), (inf, -inf), (inf, 3e38), (3e38, -3e38), (nan, nan), (nan, 0), (0, nan),
             (nan, inf), (100000, 100000.01), (2, 3)]
    for dtype in ("FP32", "FP64", "FP16"):
        cut = {"FP32": f32, "FP64": float, "FP16": lambda v: float(v) if not math.isfinite(v) or abs(v) < 60000 else 60000.0}[dtype]
        half = lambda v: struct.unpack("e", struct.pack("e", v))[0]
        x = [half(cut(a)) if dtype == "FP16" else cut(a) for a, _ in pairs]
        y = [half(cut(b)) if dtype == "FP16" else cut(b) for _, b in pairs]
        equal = [are_equal(a, b, dtype) for a, b in zip(x, y)]
        case = Case(root, f"equal_{dtype.lower()}")
        case.feed("x", dtype, [len(x)], x)
        case.feed("y", dtype, [len(x)], y)
        case.fetch("same", "BOOL", [len(x)], equal)
        case.fetch("other", "BOOL", [len(x)], [not e for e in equal])
        case.op("equal", {"X": "x", "Y": "y"}, {"Out": "same"}, axis=-1)
        case.op("not_equal", {"X": "x", "Y": "y"}, {"Out": "other"}, axis=-1)
        case.write()
    for name, y, same in (("near", [1.0, 1e-9, -1e-40], True), ("far", [1.0, 2e-8, 0.0], False)):
        case = Case(root, f"equal_all_{name}")
        case.feed("x", "FP32", [3], [1.0, 0.0, 0.0])
        case.feed("y", "FP32", [3], [f32(v) for v in y])
        case.fetch("out", "BOOL", [], [same])
        case.op("equal_all", {"X": "x", "Y": "y"}, {"Out": "out"}, axis=-1)
        case.write()


def is_close(a, b, rtol, atol, dtype):
    cut = f32 if dtype == "FP32" else float
    left = cut(abs(a - b))
    right = cut(atol + rtol * abs(b))
    return a == b or left <= right or cut(abs(left - right)) <= 1e-15


def closeness_cases(root):
    for dtype in ("FP32", "FP64"):
        cut = f32 if dtype == "FP32" else float
        pairs = [(10.1, 10.0), (1e-8, 0), (2e-8, 0), (1 + 1e-15, 1), (1, 1.5), (1e-15, 0), (3e-16, 0), (-1, -1.1), (5, 5)]
        x, y = [cut(a) for a, _ in pairs], [cut(b) for _, b in pairs]
        for name, rtol, atol in (("rtol", 0.01, 0.0), ("atol", 0.0, 1e-8), ("none", 0.0, 0.0)):
            case = Case(root, f"isclose_{dtype.lower()}_{name}")
            case.feed("x", dtype, [len(x)], x)
            case.feed("y", dtype, [len(x)], y)
            case.fetch("out", "BOOL", [len(x)], [is_close(a, b, rtol, atol, dtype) for a, b in zip(x, y)])
            case.op("isclose", {"Input": "x", "Other": "y"}, {"Out": "out"}, rtol=str(rtol), atol=str(atol), equal_nan=False)
            case.write()


# -- Fused parts -------------------------------------------------------------------------------------------------------

X, Y = [1.0, -2.0, 0.5, 3.0, -1.5, 2.0], [0.5, 1.0, -1.0, 2.0, 1.5, -0.5]  # 2 x 3 and 3 x 2


def product(x, y, rows, inner, columns):
    return [sum(x[r * inner + k] * y[k * columns + c] for k in range(inner)) for r in range(rows) for c in range(columns)]


def clip(x, low, high):
    return min(max(x, low), high)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


ACTIVATIONS = {
    "abs": (0.0, 0.0, lambda x, a, b: abs(x)),
    "clip": (-1.0, 2.0, clip),
    "gelu": (0.0, 0.0, lambda x, a, b: x * 0.5 * (1 + math.erf(x / math.sqrt(2)))),
    "gelu_erf": (0.0, 0.0, lambda x, a, b: x * 0.5 * (1 + math.erf(x / math.sqrt(2)))),
    "gelu_tanh": (0.0, 0.0, lambda x, a, b: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    "hard_sigmoid": (0.2, 0.5, lambda x, a, b: clip(a * x + b, 0, 1)),
    "hard_swish": (1 / 6, 0.5, lambda x, a, b: x * clip(a * x + b, 0, 1)),
    "leaky_relu": (0.1, 0.0, lambda x, a, b: x if x > 0 else a * x),
    "mish": (0.0, 0.0, lambda x, a, b: x * math.tanh(math.log1p(math.exp(x)))),
    "relu": (0.0, 0.0, lambda x, a, b: max(x, 0)),
    "relu6": (2.5, 0.0, lambda x, a, b: clip(x, 0, a)),
    "sigmoid": (0.0, 0.0, lambda x, a, b: sigmoid(x)),
    "swish": (1.5, 0.0, lambda x, a, b: x * sigmoid(a * x)),
    "tanh": (0.0, 0.0, lambda x, a, b: math.tanh(x)),
}


def matmul_case(root, name, expected, dims=(2, 2), feeds=(), **attributes):
    case = Case(root, name)
    case.feed("x", "FP32", [2, 3], X)
    case.feed("y", "FP32", [3, 2], Y)
    inputs = {"X": "x", "Y": "y"}
    for slot, variable, shape, values in feeds:
        case.feed(variable, "FP32", shape, values)
        inputs[slot] = variable
    case.fetch("out", "FP32", list(dims), expected)
    case.op("matmul_v2", inputs, {"Out": "out"}, trans_x=False, trans_y=False, **attributes)
    case.write()


def fused_matmul_cases(root):
    plain = product(X, Y, 2, 3, 2)
    for name, (alpha, beta, function) in ACTIVATIONS.items():
        matmul_case(root, f"matmul_{name}", [function(v, alpha, beta) for v in plain], fuse_activation=name, fuse_alpha=alpha,
                    fuse_beta=beta)
    residual = [1.0, -20.0, 0.25, 4.0]
    matmul_case(root, "matmul_residual_relu", [max(v + r, 0) for v, r in zip(plain, residual)],
                feeds=[("ResidualData", "r", [2, 2], residual)], fuse_residual_connection=True, fuse_activation="relu")
    matmul_case(root, "matmul_scales", [v / 2 / 4 * 3 for v in plain], Scale_x=2.0, Scale_y=4.0, Scale_out=3.0)
    # x as [1, 3, 2], transposed to [1, 2, 3]; the result [1, 2, 2] is transposed to [2, 1, 2] and is then [4].
    turned = [X[k * 2 + r] for r in range(2) for k in range(3)]
    matmul_case(root, "matmul_rearranged", product(turned, Y, 2, 3, 2), dims=[4], fused_reshape_X=[1, 3, 2],
                fused_transpose_X=[0, 2, 1], fused_transpose_Out=[1, 0, 2], fused_reshape_Out=[4])
    case = Case(root, "matmul_v1_relu")
    case.feed("x", "FP32", [2, 3], X)
    case.feed("y", "FP32", [3, 2], Y)
    case.fetch("out", "FP32", [2, 2], [max(0.5 * v, 0) for v in plain])
    case.op("matmul", {"X": "x", "Y": "y"}, {"Out": "out"}, transpose_X=False, transpose_Y=False, alpha=0.5,
            fuse_activation="relu")
    case.write()


def fused_conv_cases(root):
    image = [float(v) for v in range(-4, 4)]  # 1 x 2 x 2 x 2
    weights, bias = [1.0, -1.0, 0.5, 2.0], [0.25, -1.0]
    plain = [sum(weights[o * 2 + i] * image[i * 4 + p] for i in range(2)) for o in range(2) for p in range(4)]
    residual = [float(v % 3 - 1) for v in range(8)]
    biased = [v + bias[k // 4] for k, v in enumerate(plain)]
    for kind in ("conv2d", "depthwise_conv2d"):
        case = Case(root, f"{kind}_fused")
        case.feed("x", "FP32", [1, 2, 2, 2], image)
        case.feed("w", "FP32", [2, 2, 1, 1], weights)
        case.feed("b", "FP32", [2], bias)
        case.feed("r", "FP32", [1, 2, 2, 2], residual)
        case.fetch("out", "FP32", [1, 2, 2, 2], [max(v + r, 0) for v, r in zip(biased, residual)])
        case.op(kind, {"Input": "x", "Filter": "w", "Bias": "b", "ResidualData": "r"}, {"Output": "out"}, strides=[1, 1],
                paddings=[0, 0], dilations=[1, 1], groups=1, data_format="NCHW", fuse_residual_connection=True, fuse_relu=True)
        case.write()
    case = Case(root, "conv2d_relu_before")
    case.feed("x", "FP32", [1, 2, 2, 2], image)
    case.feed("w", "FP32", [2, 2, 1, 1], weights)
    positive = [max(v, 0) for v in image]
    case.fetch("out", "FP32", [1, 2, 2, 2],
               [sum(weights[o * 2 + i] * positive[i * 4 + p] for i in range(2)) for o in range(2) for p in range(4)])
    case.op("conv2d", {"Input": "x", "Filter": "w"}, {"Output": "out"}, strides=[1, 1], paddings=[0, 0], dilations=[1, 1],
            groups=1, data_format="NCHW", fuse_relu_before_depthwise_conv=True)
    case.write()
    # The bounded relu of Paddle before 2.2.
    case = Case(root, "conv2d_bounded_relu")
    case.feed("x", "FP32", [1, 2, 2, 2], image)
    case.feed("w", "FP32", [2, 2, 1, 1], weights)
    case.fetch("out", "FP32", [1, 2, 2, 2],
               [min(max(sum(weights[o * 2 + i] * image[i * 4 + p] for i in range(2)), 0), 1.5)
                for o in range(2) for p in range(4)])
    case.op("conv2d", {"Input": "x", "Filter": "w"}, {"Output": "out"}, strides=[1, 1], paddings=[0, 0], dilations=[1, 1],
            groups=1, data_format="NCHW", fuse_brelu=True, fuse_brelu_threshold=1.5)
    case.write()


def other_fused_cases(root):
    case = Case(root, "batch_norm_relu")
    case.feed("x", "FP32", [3, 2], X)
    for name, values in (("mean", [0.5, 1.0]), ("variance", [4.0, 1.0]), ("scale", [2.0, -1.0]), ("bias", [0.25, 0.5])):
        case.parameter(name, ("FP32", [2]), ("FP32", [2]), values)
    normal = [((v - [0.5, 1.0][k % 2]) / math.sqrt([4.0, 1.0][k % 2] + 1e-5)) * [2.0, -1.0][k % 2] + [0.25, 0.5][k % 2]
              for k, v in enumerate(X)]
    case.fetch("out", "FP32", [3, 2], [max(v, 0) for v in normal])
    case.variable("saved_mean", "FP32", [2])
    case.variable("saved_variance", "FP32", [2])
    case.op("batch_norm", {"X": "x", "Mean": "mean", "Variance": "variance", "Scale": "scale", "Bias": "bias"},
            {"Y": "out", "MeanOut": "mean", "VarianceOut": "variance", "SavedMean": "saved_mean",
             "SavedVariance": "saved_variance"}, is_test=True, epsilon=1e-5, momentum=0.9, data_layout="NCHW",
            fuse_with_relu=True)
    case.write()
    case = Case(root, "elementwise_fused")
    case.feed("x", "FP32", [6], X)
    case.feed("y", "FP32", [6], Y)
    sums = [3 * (a / 2 + b / 4) for a, b in zip(X, Y)]
    case.fetch("out", "FP32", [6], [max(v, 0) for v in sums])
    case.op("elementwise_add", {"X": "x", "Y": "y"}, {"Out": "out"}, axis=-1, Scale_x=2.0, Scale_y=4.0, Scale_out=3.0,
            fuse_activation="relu")
    case.write()


def exclusive_sum_cases(root):
    """Sums before each element of a value that nothing else reads. Paddle 2.6 computes them in place and loses them."""
    for name, attributes, expected in (
            ("rows", {"axis": 1}, [0.0, 2.0, 6.0, 0.0, 8.0, 18.0]),
            ("rows_reverse", {"axis": -1, "reverse": True}, [10.0, 6.0, 0.0, 22.0, 12.0, 0.0]),
            ("columns", {"axis": 0}, [0.0, 0.0, 0.0, 2.0, 4.0, 6.0]),
            ("flat", {"axis": 0, "flatten": True}, [0.0, 2.0, 6.0, 12.0, 20.0, 30.0])):
        dims = [6] if name == "flat" else [2, 3]
        case = Case(root, f"exclusive_sum_{name}")
        case.feed("x", "FP32", [2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        case.variable("double", "FP32", [2, 3])
        case.variable("sums", "FP32", dims)
        case.fetch("out", "FP32", dims, [v + 1 for v in expected])
        case.op("scale", {"X": "x"}, {"Out": "double"}, scale=2.0, bias=0.0, bias_after_scale=True)
        case.op("cumsum", {"X": "double"}, {"Out": "sums"}, exclusive=True, **attributes)
        case.op("scale", {"X": "sums"}, {"Out": "out"}, scale=1.0, bias=1.0, bias_after_scale=True)
        case.write()


# -- Control flow that never runs --------------------------------------------------------------------------------------

FED = [1.0, -2.0, 3.0, 0.5, 4.0, -1.0]


def bad_reshape(case, block, result):
    case.op("reshape2", {"X": "x"}, {"Out": result}, block=block, shape=[4, 4])


def bad_add(case, block, result):
    case.parameter("b", ("FP32", [5]), ("FP32", [5]), [1.0] * 5)
    case.op("elementwise_add", {"X": "x", "Y": "b"}, {"Out": result}, block=block, axis=-1)


def bad_concat(case, block, result):
    case.parameter("b", ("FP32", [2, 2]), ("FP32", [2, 2]), [1.0] * 4)
    case.op("concat", {"X": "x b"}, {"Out": result}, block=block, axis=0)


def bad_matmul(case, block, result):
    case.parameter("b", ("FP32", [5, 6]), ("FP32", [5, 6]), [1.0] * 30)
    case.op("matmul_v2", {"X": "x", "Y": "b"}, {"Out": result}, block=block, trans_x=False, trans_y=False)


def bad_topk(case, block, result):
    case.variable("indices", "INT64", [1000], block=block)
    case.op("top_k_v2", {"X": "x"}, {"Out": result, "Indices": "indices"}, block=block, k=1000, axis=-1, largest=True,
            sorted=True)


def unknown_op(case, block, result):
    case.op("op_of_a_plugin", {"X": "x"}, {"Out": result}, block=block)


def unknown_attribute(case, block, result):
    case.op("relu", {"X": "x"}, {"Out": result}, block=block, relu_of_a_fork=3)


def bad_loop(case, block, result):
    """A loop whose body cannot be imported."""
    body = case.block(block)
    case.variable("go", "BOOL", [1], block=block)
    case.variable("state", "FP32", [6], block=block)
    case.op("assign", {"X": "c"}, {"Out": "go"}, block=block)
    case.op("assign", {"X": "x"}, {"Out": "state"}, block=block)
    case.op("elementwise_add", {"X": "state", "Y": "state"}, {"Out": "state"}, block=body, axis=-1)
    case.op("op_of_a_plugin", {"X": "state"}, {"Out": "state"}, block=body)
    case.op("logical_not", {"X": "go"}, {"Out": "go"}, block=body)
    case.op("while", {"X": "state go", "Condition": "go"}, {"Out": "state go", "StepScopes": "scopes"}, block=block,
            sub_block=(body,), is_test=True)
    case.op("assign", {"X": "state"}, {"Out": result}, block=block)


def condition(case, block, value, live, dead, result):
    """result = dead() if value else live()"""
    outer = {"block": block}
    first, second = case.block(block), case.block(block)
    for name, dims in ((f"{result}_dead", [-1]), (f"{result}_live", [6])):
        case.variable(name, "FP32", dims, block=block)
    for name in (f"{result}_not", ):
        case.variable(name, "BOOL", [1], block=block)
    case.variable(f"{result}_mask", "INT32", [1], block=block)
    dead(case, first, f"{result}_dead")
    live(case, second, f"{result}_live")
    case.op("conditional_block", {"Cond": value, "Input": "x"}, {"Out": f"{result}_dead", "Scope": "scope"}, **outer,
            sub_block=(first,), is_scalar_condition=True)
    case.op("logical_not", {"X": value}, {"Out": f"{result}_not"}, **outer)
    case.op("conditional_block", {"Cond": f"{result}_not", "Input": "x"}, {"Out": f"{result}_live", "Scope": "scope"}, **outer,
            sub_block=(second,), is_scalar_condition=True)
    case.op("cast", {"X": value}, {"Out": f"{result}_mask"}, **outer, in_dtype=0, out_dtype=2)
    case.op("select_input", {"X": f"{result}_live {result}_dead", "Mask": f"{result}_mask"}, {"Out": result}, **outer)


def doubled(case, block, result):
    case.op("scale", {"X": "x"}, {"Out": result}, block=block, scale=2.0, bias=0.0, bias_after_scale=True)


def dead_arm_cases(root):
    bad = [bad_reshape, bad_add, bad_concat, bad_matmul, bad_topk, unknown_op, unknown_attribute, bad_loop]
    for make in bad:
        for dims in ([6], [-1]):
            name = "dead_" + make.__name__.removeprefix("bad_") + ("_open" if dims == [-1] else "")
            case = Case(root, name)
            case.feed("x", "FP32", [6], FED, declared=dims)
            case.feed("c", "BOOL", [1], [False])
            case.fetch("out", "FP32", [6], [2 * v for v in FED], declared=[-1])
            condition(case, 0, "c", doubled, make, "out")
            case.write()
    # A dead branch in one that runs, and one in a branch that never runs.
    nested = lambda inner: lambda case, block, result: (
        case.variable("inner", "FP32", [-1], block=block), condition(case, block, inner, doubled, bad_reshape, "inner"),
        case.op("scale", {"X": "inner"}, {"Out": result}, block=block, scale=3.0, bias=0.0, bias_after_scale=True))
    case = Case(root, "dead_nested")
    case.feed("x", "FP32", [6], FED)
    case.feed("c", "BOOL", [1], [False])
    case.fetch("out", "FP32", [6], [6 * v for v in FED], declared=[-1])
    condition(case, 0, "c", nested("c"), unknown_op, "out")
    case.write()
    # A variable that only a conditional_block changes.
    case = Case(root, "dead_in_place")
    case.feed("x", "FP32", [6], FED)
    case.feed("c", "BOOL", [1], [False])
    case.variable("y", "FP32", [-1])
    case.fetch("out", "FP32", [6], [2 * v for v in FED], declared=[-1])
    case.op("assign", {"X": "x"}, {"Out": "y"})
    block = case.block()
    bad_matmul(case, block, "y")
    case.op("conditional_block", {"Cond": "c", "Input": "x"}, {"Out": "y", "Scope": "scope"}, sub_block=(block,),
            is_scalar_condition=True)
    case.op("scale", {"X": "y"}, {"Out": "out"}, scale=2.0, bias=0.0, bias_after_scale=True)
    case.write()
    # A loop with no iterations.
    case = Case(root, "dead_while")
    case.feed("x", "FP32", [6], FED)
    case.feed("c", "BOOL", [1], [False])
    case.fetch("out", "FP32", [6], FED, declared=[-1])
    bad_loop(case, 0, "out")
    case.write()
    array_cases(root)


def array_cases(root):
    """An arm that writes an array and is dead, and select_input of arrays under other names."""
    def write(index):
        def make(case, block, result):
            case.variable(f"i{index}", "INT64", [1], block=block)
            case.op("lod_array_length", {"X": result}, {"Out": f"i{index}"}, block=block)
            case.op("write_to_array", {"X": "x", "I": f"i{index}"}, {"Out": result}, block=block)
        return make
    for name, dead in (("array_dead", True), ("array_select", False)):
        for value in ([False] if dead else [False, True]):
            case = Case(root, name + ("" if dead else f"_{str(value).lower()}"))
            case.feed("x", "FP32", [6], FED)
            case.feed("c", "BOOL", [1], [value])
            for variable in ("out_live", "out_dead", "out"):
                case.variable(variable, "FP32", [6], kind="LOD_TENSOR_ARRAY")
            count = 2 if value else 1
            case.fetch("all", "FP32", [count, 6], FED * count, declared=[-1, 6])
            case.variable("index", "INT32", [-1])
            first, second = case.block(), case.block()
            write(0)(case, second, "out_live")
            for index in (1, 2):
                write(index)(case, first, "out_dead")
            if dead:
                case.variable("bad", "FP32", [-1], block=first)
                bad_reshape(case, first, "bad")
            case.variable("not", "BOOL", [1])
            case.variable("mask", "INT32", [1])
            case.op("conditional_block", {"Cond": "c", "Input": "x"}, {"Out": "out_dead", "Scope": "scope"},
                    sub_block=(first,), is_scalar_condition=True)
            case.op("logical_not", {"X": "c"}, {"Out": "not"})
            case.op("conditional_block", {"Cond": "not", "Input": "x"}, {"Out": "out_live", "Scope": "scope"},
                    sub_block=(second,), is_scalar_condition=True)
            case.op("cast", {"X": "c"}, {"Out": "mask"}, in_dtype=0, out_dtype=2)
            case.op("select_input", {"X": "out_live out_dead", "Mask": "mask"}, {"Out": "out"})
            case.op("tensor_array_to_tensor", {"X": "out"}, {"Out": "all", "OutIndex": "index"}, axis=0, use_stack=True)
            case.write()


# -- Weights of other types than declared ------------------------------------------------------------------------------


def weight_cases(root):
    for name, declared, stored in (("scalar_for_vector", [1], []), ("vector_for_scalar", [], [1]), ("row_for_vector", [3], [1, 3])):
        case = Case(root, f"weight_{name}")
        values = [2.0] if stored != [1, 3] else [2.0, -1.0, 0.5]
        case.feed("x", "FP32", [2, 3], X)
        case.parameter("w", ("FP32", declared), ("FP32", stored), values)
        case.fetch("out", "FP32", [2, 3], [v * values[k % len(values)] for k, v in enumerate(X)])
        case.op("elementwise_mul", {"X": "x", "Y": "w"}, {"Out": "out"}, axis=-1)
        case.write()
    case = Case(root, "weight_int8")
    case.feed("x", "FP32", [2, 3], X)
    case.parameter("w", ("FP32", [3, 2]), ("INT8", [3, 2]), [127, -64, 5, 0, -127, 1])
    case.parameter("s", ("FP32", [1]), ("FP32", []), [0.5])
    case.parameter("z", ("INT32", [1]), ("INT32", [1]), [0])
    case.variable("d", "FP32", [3, 2])
    weights = [v * 0.5 / 127 for v in [127, -64, 5, 0, -127, 1]]
    case.fetch("out", "FP32", [2, 2], product(X, weights, 2, 3, 2))
    case.op("dequantize_linear", {"X": "w", "Scale": "s", "ZeroPoint": "z"}, {"Y": "d"}, bit_length=8, quant_axis=-1,
            round_type=0, X0_threshold=0.5, Y0_threshold=0.5, out_threshold=0.5)
    case.op("matmul_v2", {"X": "x", "Y": "d"}, {"Out": "out"}, trans_x=False, trans_y=False, X0_threshold=3.0,
            Y0_threshold=[0.5, 0.25], Out0_threshold=1.5, activation_bits=8,
            quantization_type="qat_without_weight", skip_quant=True, with_quant_attr=True)
    case.write()


# -- Attention over a cache --------------------------------------------------------------------------------------------


NEW_IR_OPERANDS = {
    "block_multihead_attention": """qkv key_cache value_cache seq_lens_encoder seq_lens_decoder seq_lens_this_time
        padding_offsets cum_offsets cu_seqlens_q cu_seqlens_k block_tables pre_key_cache pre_value_cache rope_emb mask
        tgt_mask cache_k_quant_scales cache_v_quant_scales cache_k_dequant_scales cache_v_dequant_scales qkv_out_scale
        qkv_bias out_shift out_smooth max_enc_len_this_time max_dec_len_this_time""".split(),
    "masked_multihead_attention": """x cache_kv bias src_mask cum_offsets sequence_lengths rotary_tensor
        beam_cache_offset qkv_out_scale out_shift out_smooth""".split()}


def write_new_ir(case):
    """The same program, of one op that overwrites operands, in the new IR. Names and order follow Paddle's registry."""
    kinds = {"FP32": "0.t_f32", "INT32": "0.t_i32"}
    one, ids = case.blocks[0]["ops"][0], {}

    def value(dtype, dims):
        value.last += 1
        return {"%": value.last, "TT": {"#": "0.t_dtensor", "D": [{"#": kinds[dtype]}, dims, "NCHW", [], 0]}}
    value.last = 0

    def literal(name, kind, content):
        return {"N": name, "AT": {"#": kind, "D": content}}

    ops = []
    for name in case.feeds:
        dtype, dims, _ = case.inputs[name]
        out = value(dtype, dims)
        ids[name] = out["%"]
        ops.append({"#": "1.data", "I": [], "O": [out], "OA": [], "A": [
            literal("name", "0.a_str", name), literal("shape", "1.a_intarray", dims),
            literal("dtype", "1.a_dtype", {"FP32": "float32", "INT32": "int32"}[dtype]),
            literal("place", "1.a_place", [0, 0, ""])]})
    given = {slot["parameter"]: slot["arguments"][0] for slot in one["inputs"]}
    letters = {"BOOLEAN": ("0.a_bool", "b"), "INT": ("0.a_i32", "i"), "FLOAT": ("0.a_f32", "f"), "STRING": ("0.a_str", "s")}
    attributes = [literal(a["name"], letters[a["type"]][0], a[letters[a["type"]][1]]) for a in one["attrs"]]
    results = [value(*case.expected[slot["arguments"][0]][:2]) for slot in one["outputs"]]
    fetched = {slot["arguments"][0]: result["%"] for slot, result in zip(one["outputs"], results)}
    if one["type"] == "masked_multihead_attention":
        results.append({"%": 999, "TT": {"#": "NULL"}})  # beam_cache_offset_out
    ops.append({"#": f"1.{one['type']}_", "A": attributes, "O": results, "OA": [],
                "I": [{"%": ids[given[name]] if name in given else 0} for name in NEW_IR_OPERANDS[one["type"]]]})
    for column, name in enumerate(case.fetches):
        ops.append({"#": "1.fetch", "I": [{"%": fetched[name]}], "O": [value(*case.expected[name][:2])], "OA": [],
                    "A": [literal("name", "0.a_str", name), literal("col", "0.a_i32", column)]})
    program = {"base_code": {"magic": "pir", "trainable": True, "version": 4}, "program": {"regions": [
        {"#": "region_0", "blocks": [{"#": "block_0", "args": [], "ops": ops}]}]}}
    case.meta.update({"kind": "pir", "pir": True})
    case.write()
    (case.folder / "program.json").write_text(json.dumps(program).replace('{"#": "1.', '\n{"#": "1.') + "\n")


def numbers(count, seed):
    """Numbers in [-1, 1) that float32 has exactly."""
    values, state = [], seed
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        values.append((state >> 11) / 2**19 - 1)
    return values


def attend(query, keys, values, mask=()):
    """softmax(query keys / sqrt(D) + mask) values in double precision."""
    scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys]
    scores = [score + added for score, added in zip(scores, mask)] if mask else scores
    weights = [math.exp(score - max(scores)) for score in scores]
    return [sum(w * value[e] for w, value in zip(weights, values)) / sum(weights) for e in range(len(values[0]))]


def rotate_pairs(head, position, theta):
    out = list(head)
    for i in range(0, len(head), 2):
        angle = position / theta ** (i / len(head))
        out[i] = head[i] * math.cos(angle) - head[i + 1] * math.sin(angle)
        out[i + 1] = head[i + 1] * math.cos(angle) + head[i] * math.sin(angle)
    return out


def rotate_halves(head, cosines, sines):
    half = len(head) // 2
    return [head[i] * cosines[i] + (-head[i + half] if i < half else head[i - half]) * sines[i] for i in range(len(head))]


def block_attention_case(root, name, query_heads, key_heads, rope="", theta=10000.0, bias=False, dims=8, rows=4,
                         write=Case.write):
    """A decoding step of block_multihead_attention: sequences of 1, 3, 4 and 9 tokens get another one."""
    tokens, columns, blocks, positions = [1, 3, 4, 9], 3, 11, 12
    batch, heads = len(tokens), query_heads + 2 * key_heads
    table = [7, -1, -1, 2, -1, -1, 10, 0, -1, 5, 1, 8]
    qkv = numbers(batch * heads * dims, 1)
    caches = [numbers(blocks * key_heads * rows * dims, seed) for seed in (2, 3)]
    place = lambda b, n, head: ((table[b * columns + n // rows] * key_heads + head) * rows + n % rows) * dims
    case = Case(root, name)
    added = numbers(heads * dims, 4) if bias else [0.0] * heads * dims
    sums = [f32(x + added[i % (heads * dims)]) for i, x in enumerate(qkv)]
    cosines, sines = numbers(positions * dims, 5), numbers(positions * dims, 6)  # any table
    updated, out = [list(cache) for cache in caches], []
    for b, position in enumerate(tokens):
        of = [sums[(b * heads + h) * dims:(b * heads + h + 1) * dims] for h in range(heads)]
        for h in range(query_heads + key_heads):
            if rope == "pairs":
                of[h] = rotate_pairs(of[h], position, theta)
            elif rope == "halves":
                own = slice(position * dims, (position + 1) * dims)
                of[h] = rotate_halves(of[h], cosines[own], sines[own])
        for h in range(key_heads):
            for cache, head in zip(updated, (of[query_heads + h], of[query_heads + key_heads + h])):
                cache[place(b, position, h):place(b, position, h) + dims] = head
        for h in range(query_heads):
            read = lambda cache: [cache[at:at + dims] for at in
                                  (place(b, n, h // (query_heads // key_heads)) for n in range(position + 1))]
            out += attend(of[h], *map(read, updated))
    cache_dims = [blocks, key_heads, rows, dims]
    inputs = {"qkv": "qkv", "key_cache": "keys", "value_cache": "values", "block_tables": "table"}
    case.feed("qkv", "FP32", [batch, heads * dims], qkv)
    case.feed("keys", "FP32", cache_dims, caches[0])
    case.feed("values", "FP32", cache_dims, caches[1])
    case.feed("table", "INT32", [batch, columns], table)
    for slot, lengths, given in (("seq_lens_encoder", [batch, 1], [0] * batch), ("seq_lens_decoder", [batch, 1], tokens),
                                 ("seq_lens_this_time", [batch, 1], [1] * batch), ("padding_offsets", [batch], [0] * batch),
                                 ("cum_offsets", [batch], [0] * batch),
                                 ("cu_seqlens_q", [batch + 1, 1], list(range(batch + 1))),
                                 ("cu_seqlens_k", [batch + 1, 1], list(range(batch + 1)))):
        case.feed(slot, "INT32", lengths, given)
        inputs[slot] = slot
    if bias:
        case.feed("bias", "FP32", [heads * dims], added)
        inputs["qkv_bias"] = "bias"
    if rope:
        case.feed("rope", "FP32", [2, 1, positions, 1, dims], cosines + sines)
        inputs["rope_emb"] = "rope"
    case.fetch("out", "FP32", [batch, query_heads * dims], out)
    for variable, dims_of, values in (("qkv", [batch, heads * dims], sums), ("keys", cache_dims, updated[0]),
                                      ("values", cache_dims, updated[1])):  # overwritten
        case.fetches.append(variable)
        case.expected[variable] = ("FP32", dims_of, values)
    attributes = {"rope_theta": theta} if theta != 10000.0 else {}
    case.op("block_multihead_attention", inputs,
            {"fmha_out": "out", "qkv_out": "qkv", "key_cache_out": "keys", "value_cache_out": "values"},
            max_seq_len=1, block_size=rows, use_neox_style=rope == "halves", dynamic_cachekv_quant=False,
            quant_round_type=1, quant_max_bound=127.0, quant_min_bound=-127.0, out_scale=-1.0, compute_dtype="default",
            **attributes)
    write(case)


def masked_attention_case(root, name, query_heads, key_heads, positions=(), mask_heads=0, rope="", bias=False,
                          write=Case.write):
    """A decoding step of masked_multihead_attention."""
    batch, rows, dims, adjacent, heads = 2, 6, 8, 4, query_heads + 2 * key_heads
    used = 5 if mask_heads else rows
    steps = list(positions) or [used - 1] * batch
    x, cache = numbers(batch * heads * dims, 1), numbers(2 * batch * key_heads * rows * dims, 2)
    added = numbers(heads * dims, 3) if bias else [0.0] * heads * dims
    mask = numbers(batch * mask_heads * used, 4)
    cosines, sines = numbers(batch * dims, 5), numbers(batch * dims, 6)
    sums, updated, out = [v + added[i % (heads * dims)] for i, v in enumerate(x)], list(cache), []

    def place(part, b, head, n, d):
        """Keys have four adjacent elements, then the positions, then the groups of elements."""
        base = ((part * batch + b) * key_heads + head) * rows * dims
        return base + (n * dims + d if part else d // adjacent * rows * adjacent + n * adjacent + d % adjacent)

    for b, step in enumerate(steps):
        of = [sums[(b * heads + h) * dims:(b * heads + h + 1) * dims] for h in range(heads)]
        own = slice(b * dims, (b + 1) * dims)
        for h in range(query_heads + key_heads):
            if rope == "halves":
                of[h] = rotate_halves(of[h], cosines[own], sines[own])
            elif rope == "pairs":
                of[h] = [of[h][i] * cosines[own][i] + (of[h][i - 1] if i % 2 else -of[h][i + 1]) * sines[own][i]
                         for i in range(dims)]
        for h in range(key_heads):
            for part in (0, 1):
                for d in range(dims):
                    updated[place(part, b, h, step, d)] = of[query_heads + part * key_heads + h][d]
        for h in range(query_heads):
            group = h // (query_heads // key_heads)
            keys, values = ([[updated[place(part, b, group, n, d)] for d in range(dims)] for n in range(step + 1)]
                            for part in (0, 1))
            scores = [mask[(b * mask_heads + h % mask_heads) * used + n] if mask_heads else 0 for n in range(step + 1)]
            out += attend(of[h], keys, values, scores)
    case = Case(root, name)
    inputs = {"x": "x", "cache_kv": "cache"}
    case.feed("x", "FP32", [batch, heads * dims], x)
    case.feed("cache", "FP32", [2, batch, key_heads, rows, dims], cache)
    for given, slot, dtype, own_dims, values in (
            (bias, "bias", "FP32", [heads, dims], added), (mask_heads, "src_mask", "FP32", [batch, mask_heads, 1, used], mask),
            (positions, "sequence_lengths", "INT32", [batch, 1], steps),
            (rope, "rotary_tensor", "FP32", [2, batch, 1, 1, dims], cosines + sines)):
        if given:
            case.feed(slot, dtype, own_dims, values)
            inputs[slot] = slot
    case.fetch("out", "FP32", [batch, query_heads * dims], out)
    case.fetches.append("cache")  # overwritten
    case.expected["cache"] = ("FP32", [2, batch, key_heads, rows, dims], updated)
    case.op("masked_multihead_attention", inputs, {"out": "out", "cache_kv_out": "cache"}, seq_len=1,
            rotary_emb_dims=1 if rope else 0, use_neox_rotary_style=rope == "halves", compute_dtype="default",
            out_scale=-1.0, quant_round_type=1, quant_max_bound=127.0, quant_min_bound=-127.0)
    write(case)


def block_attention_cases(root):
    masked_attention_case(root, "masked_attention_lengths", 4, 2, positions=(0, 3))
    masked_attention_case(root, "masked_attention_mask", 2, 2, mask_heads=1, bias=True)
    masked_attention_case(root, "masked_attention_mask_heads", 4, 2, mask_heads=4, positions=(4, 2), rope="pairs", bias=True)
    masked_attention_case(root, "masked_attention_halves", 4, 2, positions=(5, 1), rope="halves", bias=True)
    masked_attention_case(root, "masked_attention_new_ir", 4, 2, positions=(5, 1), rope="pairs", bias=True, write=write_new_ir)
    block_attention_case(root, "block_attention_new_ir", 4, 2, rope="pairs", theta=500.0, bias=True, write=write_new_ir)
    block_attention_case(root, "block_attention", 4, 4)
    block_attention_case(root, "block_attention_groups_bias", 6, 2, bias=True)
    block_attention_case(root, "block_attention_pairs", 4, 2, rope="pairs", bias=True)
    block_attention_case(root, "block_attention_pairs_theta", 2, 2, rope="pairs", theta=500000.0)
    block_attention_case(root, "block_attention_halves", 4, 2, rope="halves", bias=True)


# -- Training: gradients that ops of other names write -----------------------------------------------------------------


def training_cases(root):
    """loss = mean(x * f(w)); the backward op of f is f itself."""
    for kind, forward, attributes, factor in (
            ("assign", {"X": "w"}, {}, 1.0),
            ("scale", {"X": "w"}, {"scale": 3.0, "bias": 0.0, "bias_after_scale": True}, 3.0)):
        case = Case(root, f"gradient_by_{kind}")
        w, rate = [1.0, -1.0, 2.0], 0.5
        case.variable("x", "FP32", [3])
        case.feeds.append("x")
        case.parameter("w", ("FP32", [3]), ("FP32", [3]), w)
        case.parameter("rate", ("FP32", [1]), ("FP32", [1]), [rate])
        for name, dims in (("f", [3]), ("p", [3]), ("loss", []), ("loss@GRAD", []), ("p@GRAD", [3]), ("f@GRAD", [3]),
                           ("w@GRAD", [3])):
            case.variable(name, "FP32", dims)
        case.fetches.append("loss")
        role = lambda number: {"op_role": number}
        case.op(kind, forward, {"Out": "f"}, **attributes, **role(0))
        case.op("elementwise_mul", {"X": "x", "Y": "f"}, {"Out": "p"}, axis=-1, **role(0))
        case.op("reduce_mean", {"X": "p"}, {"Out": "loss"}, dim=[0], reduce_all=True, keep_dim=False, **role(256))
        case.op("fill_constant", {}, {"Out": "loss@GRAD"}, shape=[], value=1.0, dtype=5, **role(257))
        case.op("reduce_mean_grad", {"X": "p", "Out@GRAD": "loss@GRAD"}, {"X@GRAD": "p@GRAD"}, dim=[0], reduce_all=True,
                keep_dim=False, **role(1))
        case.op("elementwise_mul_grad", {"X": "x", "Y": "f", "Out@GRAD": "p@GRAD"}, {"Y@GRAD": "f@GRAD"}, axis=-1, **role(1))
        case.op(kind, {"X": "f@GRAD"}, {"Out": "w@GRAD"}, **attributes, **role(1))
        case.op("sgd", {"Param": "w", "Grad": "w@GRAD", "LearningRate": "rate"}, {"ParamOut": "w"}, **role(2))
        for step, x in enumerate(([1.0, 2.0, 3.0], [-1.0, 0.5, 2.0])):
            case.inputs[f"step{step}/x"] = ("FP32", [3], x)
            case.expected[f"step{step}/loss"] = ("FP32", [], [sum(a * factor * b for a, b in zip(x, w)) / 3])
            w = [b - rate * factor * a / 3 for a, b in zip(x, w)]
        case.expected["final/w"] = ("FP32", [3], w)
        case.meta = {"kind": "training", "training": True, "steps": 2, "loss": "loss", "param_grad": {"w": "w@GRAD"},
                     "persistables": ["w", "rate"]}
        case.write()


# -- Gradients ---------------------------------------------------------------------------------------------------------


def teacher_student_gradient(x, label, upper, lower):
    """teacher_student_sigmoid_loss_grad of Paddle 2.6.2: 0 from the bounds on."""
    if x >= upper or x <= lower:
        return 0.0
    sigmoid = 1 / (1 + math.exp(-x))
    return sigmoid if label < -1 else sigmoid - 1 if label < 0 else 2 * sigmoid - label


def gradient_cases(root):
    x = [-20.0, -15.0, -1.5, 0.25, 1.5, 15.0, 20.0, 3.0]
    label = [0.25, -2.0, -2.0, -0.5, 0.5, 1.5, -0.5, 1.75]
    dy = [1.0, 2.0, -1.0, 0.5, 1.0, 3.0, 1.0, 2.0]
    for name, bounds in (("teacher_student_bounds", {"soft_max_up_bound": 15.0, "soft_max_lower_bound": -15.0}),
                         ("teacher_student_other_bounds", {"soft_max_up_bound": 2.0, "soft_max_lower_bound": -1.0})):
        case = Case(root, name)
        for feed, values in (("x", x), ("label", label), ("dy", dy)):
            case.feed(feed, "FP32", [8, 1], values)
        case.variable("y", "FP32", [8, 1])
        case.fetch("dx", "FP32", [8, 1], [teacher_student_gradient(a, b, *bounds.values()) * c
                                          for a, b, c in zip(x, label, dy)])
        case.op("teacher_student_sigmoid_loss", {"X": "x", "Label": "label"}, {"Y": "y"}, **bounds)
        case.op("teacher_student_sigmoid_loss_grad", {"X": "x", "Label": "label", "Y@GRAD": "dy"}, {"X@GRAD": "dx"},
                **bounds)
        case.write()


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "formulas"
    equality_cases(root)
    closeness_cases(root)
    fused_matmul_cases(root)
    fused_conv_cases(root)
    other_fused_cases(root)
    exclusive_sum_cases(root)
    dead_arm_cases(root)
    weight_cases(root)
    gradient_cases(root)
    block_attention_cases(root)
    training_cases(root.parent / "training" if len(sys.argv) == 1 else root / "training")


if __name__ == "__main__":
    main()

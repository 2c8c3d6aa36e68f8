"""Small models of one op for op_versions.py.

They have old opsets, special values, and lists that are attributes, constants or feeds. The expected outputs come from
ONNX Runtime, or of ONNX's reference for element types and ops that it lacks.
"""
from dataclasses import dataclass, field

import numpy as np
from onnx import TensorProto, numpy_helper

random = np.random.default_rng(1)


@dataclass
class Case:
    name: str
    op: str
    inputs: list  # arrays, or None for an absent input
    opset: int
    attributes: dict = field(default_factory=dict)
    constants: tuple = ()  # the indices of inputs that are constants of the model
    outputs: int = 1
    has_reference: bool = False  # the expected outputs come from ONNX's reference
    domain: str = ""  # of the op, which has this opset


def floats(*dims):
    return random.standard_normal(dims).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


IMAGE = floats(2, 3, 4, 5)


def slices():
    for opset in (10, 13):
        constant = dict(opset=opset, constants=(1, 2, 3, 4))
        down = [IMAGE, ints(10, -1), ints(-100, 0), ints(1, 3), ints(-1, -2)]
        yield Case("down_to_the_first", "Slice", down, **constant)
        yield Case("down_to_the_last", "Slice", [IMAGE, ints(2), ints(-1), ints(2), ints(-1)], **constant)
        yield Case("up_to_the_last", "Slice", [IMAGE, ints(0, 1), ints(-1, -1)], **constant)
        least = [IMAGE, ints(np.iinfo(np.int64).min), ints(-2), ints(2)]  # as PyTorch writes x[:, :, :-2]
        yield Case("from_the_least", "Slice", least, opset, constants=(1, 2, 3))
        bounds = [IMAGE, ints(3, 4), ints(-1, -100), ints(2, 3), ints(-1, -2)]
        yield Case("fed_bounds", "Slice", bounds, opset, constants=(3, 4))
        steps = [IMAGE, ints(3, 0), ints(-1, 3), ints(2, 3), ints(-1, 2)]
        yield Case("fed_steps", "Slice", steps, opset, constants=(3,))
        yield Case("all_fed", "Slice", bounds, opset)
    yield Case("attributes", "Slice", [IMAGE], 9, {"starts": [1, 0], "ends": [2, 3], "axes": [1, 3]})
    small = [np.array([n], np.int32) for n in (1, 3, -2)]
    yield Case("int32", "Slice", [IMAGE, *small], 13, constants=(1, 2, 3))


def splits():
    matrix = floats(6, 4)
    yield Case("equal", "Split", [matrix], 7, {"axis": 0}, outputs=3)
    yield Case("attribute", "Split", [matrix], 11, {"axis": -1, "split": [1, 3]}, outputs=2)
    yield Case("fed", "Split", [matrix, ints(2, 4)], 13, outputs=2)
    yield Case("uneven", "Split", [floats(7, 4)], 18, {"num_outputs": 3, "axis": 0}, outputs=3)


def pads():
    amounts = [0, 0, 1, 2, 0, 0, 3, 1]
    for mode in ("constant", "reflect", "edge"):
        yield Case(mode, "Pad", [IMAGE], 7, {"pads": amounts, "mode": mode})
        yield Case(mode, "Pad", [IMAGE, ints(*amounts)], 11, {"mode": mode}, (1,))
        yield Case(f"{mode}_fed", "Pad", [IMAGE, ints(1, 2, 3, 1), None, ints(2, -1)], 18, {"mode": mode}, (3,))
    yield Case("wrap", "Pad", [IMAGE, ints(0, 1, 1, 2, 0, 1, 3, 1)], 19, {"mode": "wrap"}, (1,))
    negative = [IMAGE, ints(0, -1, 1, -2, 0, 0, -1, 1), np.array(2.5, np.float32)]
    yield Case("negative", "Pad", negative, 13, constants=(1,))
    yield Case("negative_fed", "Pad", negative, 13)
    # The value is not a double.
    large = [np.arange(6).reshape(2, 3), ints(1, 0, 0, 2), np.array(2**60 + 1)]
    yield Case("int64", "Pad", large, 13, constants=(1, 2))
    yield Case("bool", "Pad", [np.array([[True, False]]), ints(1, 0, 0, 2), np.array(True)], 13, constants=(1, 2))
    yield Case("half", "Pad", [IMAGE.astype(np.float16), ints(*amounts)], 13, {"mode": "reflect"}, (1,))


def shapes():
    yield Case("inferred", "Reshape", [IMAGE, ints(0, -1, 2)], 8, constants=(1,))
    yield Case("fed", "Reshape", [IMAGE, ints(0, -1, 2)], 13)
    yield Case("zero", "Reshape", [floats(0, 3), ints(3, 0)], 14, {"allowzero": 1}, (1,))
    yield Case("zero_fed", "Reshape", [floats(0, 3), ints(3, 0)], 14, {"allowzero": 1})
    yield Case("scalar", "Reshape", [floats(1, 1), ints()], 13, constants=(1,))
    for axis in (-4, -1, 0, 2, 4):
        yield Case(f"axis{axis}", "Flatten", [IMAGE], 11, {"axis": axis})
    yield Case("all", "Squeeze", [floats(1, 3, 1)], 11)
    yield Case("negative", "Squeeze", [floats(1, 3, 1), ints(-1)], 13, constants=(1,))
    yield Case("fed", "Squeeze", [floats(1, 3, 1), ints(-1, 0)], 13)
    yield Case("attribute", "Unsqueeze", [floats(3, 4)], 11, {"axes": [-1, 0]})
    yield Case("unordered", "Unsqueeze", [floats(3, 4), ints(3, -5, 1)], 13, constants=(1,))
    yield Case("reversed", "Transpose", [IMAGE], 7)
    yield Case("listed", "Transpose", [IMAGE], 13, {"perm": [0, 2, 3, 1]})
    yield Case("both_ways", "Expand", [floats(3, 1), ints(2, 1, 4)], 8, constants=(1,))
    yield Case("both_ways_fed", "Expand", [floats(3, 1), ints(2, 1, 4)], 13)
    yield Case("lower_rank", "Expand", [floats(2, 3, 1), ints(4)], 13, constants=(1,))
    yield Case("lower_rank_fed", "Expand", [floats(2, 3, 1), ints(1, 4)], 13)
    yield Case("constant", "Tile", [floats(2, 3), ints(2, 1)], 7, constants=(1,))
    yield Case("fed", "Tile", [floats(2, 3), ints(0, 2)], 13)
    yield Case("negative", "Concat", [floats(2, 3), floats(2, 1)], 11, {"axis": -1})
    yield Case("one", "Concat", [floats(2, 3)], 13, {"axis": 0})
    yield Case("part", "Shape", [IMAGE], 15, {"start": -3, "end": -1})
    yield Case("scalar", "Shape", [np.array(1.0)], 13)
    yield Case("all", "Size", [IMAGE], 7)
    yield Case("columns_first", "DepthToSpace", [floats(1, 8, 2, 3)], 11, {"blocksize": 2, "mode": "CRD"})
    yield Case("depth_first", "DepthToSpace", [floats(1, 8, 2, 3)], 7, {"blocksize": 2})
    yield Case("depth_first", "SpaceToDepth", [floats(1, 2, 4, 6)], 13, {"blocksize": 2})
    box = [floats(7, 4, 9), ints(4, 8)]
    yield Case("constant", "CenterCropPad", box, 18, {"axes": [-1, 1]}, (1,))
    yield Case("fed", "CenterCropPad", box, 18, {"axes": [2, 1]})


def creations():
    seven = numpy_helper.from_array(ints(7))
    yield Case("fed", "ConstantOfShape", [ints(2, 3)], 9, {"value": seven})
    yield Case("default", "ConstantOfShape", [ints(2, 3)], 20, constants=(0,))
    yield Case("floats", "Range", [np.array(n, np.float32) for n in (1.5, 9, 2)], 11)
    yield Case("downwards", "Range", [np.array(10), np.array(1), np.array(-3)], 11)
    yield Case("fed_end", "Range", [np.array(0), np.array(4), np.array(1)], 11, constants=(0, 2))
    yield Case("int16", "Range", [np.array(n, np.int16) for n in (0, 4, 1)], 11)
    yield Case("below", "EyeLike", [np.zeros((3, 5), np.float32)], 9, {"k": -1, "dtype": TensorProto.INT64})
    yield Case("fed", "Trilu", [floats(4, 5), np.array(1)], 14, {"upper": 1})
    yield Case("constant", "Trilu", [floats(2, 4, 5), np.array(-1)], 14, {"upper": 0}, (1,))
    yield Case("bool", "Trilu", [np.ones((3, 3), bool)], 14)
    for window in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        yield Case("symmetric", window, [np.array(10)], 17, {"periodic": 0})
        yield Case("double", window, [np.array(10)], 17, {"output_datatype": TensorProto.DOUBLE}, (0,))


def indices():
    matrix = floats(3, 4)
    yield Case("scalar", "Gather", [matrix, np.array(-1)], 11, {"axis": 1})
    yield Case("int32", "Gather", [matrix, np.array([[0, 2]], np.int32)], 7, {"axis": 0})
    yield Case("fewer_columns", "GatherElements", [matrix, ints(2, -1, 0).reshape(1, 3)], 11, {"axis": 0})
    yield Case("one_row", "GatherElements", [matrix, ints(2, 1, 0, 1, 1).reshape(1, 5)], 13, {"axis": 1})
    yield Case("batch", "GatherND", [floats(2, 3, 4), ints(1, 0).reshape(2, 1)], 12, {"batch_dims": 1})
    tuples = random.integers(-4, 4, (2, 3, 2, 1))
    yield Case("two_batches", "GatherND", [floats(2, 3, 4, 5), tuples], 13, {"batch_dims": 2})
    fewer = [matrix, ints(2, -1, 0).reshape(1, 3), floats(1, 3)]
    yield Case("fewer_columns", "ScatterElements", fewer, 11, {"axis": 0})
    for reduction in ("add", "mul", "min", "max"):
        updated = [matrix, random.integers(-3, 3, (2, 4)), floats(2, 4)]
        yield Case(reduction, "ScatterElements", updated, 18, {"axis": 0, "reduction": reduction})
        rows = [matrix, random.integers(-3, 3, (5, 1)), floats(5, 4)]
        yield Case(reduction, "ScatterND", rows, 18, {"reduction": reduction})
    yield Case("deprecated", "Scatter", [matrix, ints(2, 1).reshape(1, 2), floats(1, 2)], 9, {"axis": 1})
    numbers = [np.arange(12).reshape(3, 4), ints(2, 0).reshape(2, 1), np.ones((2, 4), np.int64)]
    yield Case("int64", "ScatterND", numbers, 11)
    encoded = [random.integers(-4, 6, (2, 3)), ints(5), f32(1, 3)]
    yield Case("fed", "OneHot", encoded, 11, {"axis": 1})
    yield Case("constant", "OneHot", [ints(0, 7, 2), np.array(5), ints(0, 1)], 9, constants=(1, 2))
    yield Case("floats", "OneHot", [f32(0, 4, 2), np.array(5, np.float32), f32(0, 1)], 11)
    yield Case("axis", "Compress", [matrix, np.array([True, False, True])], 11, {"axis": 1})
    yield Case("flat", "Compress", [matrix, np.array([False, True, True])], 9)
    time = {"time_axis": 0, "batch_axis": 1}
    yield Case("time_first", "ReverseSequence", [floats(4, 3, 2), ints(1, 4, 2)], 10, time)
    time = {"time_axis": 1, "batch_axis": 0}
    yield Case("batch_first", "ReverseSequence", [floats(3, 4), ints(1, 4, 2)], 10, time)


def searches():
    ties = random.integers(0, 4, (3, 7)).astype(np.float32)
    yield Case("attribute", "TopK", [ties], 7, {"k": 3, "axis": -1}, outputs=2)
    yield Case("smallest", "TopK", [ties, ints(4)], 11, {"largest": 0, "axis": 1}, (1,), outputs=2)
    yield Case("fed", "TopK", [ties, ints(2)], 11, {"axis": 0}, outputs=2)
    yield Case("int64", "TopK", [ties.astype(np.int64), ints(3)], 11, constants=(1,), outputs=2)
    yield Case("half", "TopK", [ties.astype(np.float16), ints(3)], 11, constants=(1,), outputs=2, has_reference=True)
    yield Case("first", "ArgMax", [ties], 7, {"axis": 1, "keepdims": 0})
    yield Case("last", "ArgMin", [ties], 13, {"axis": 0, "select_last_index": 1})
    yield Case("int32", "ArgMax", [ties.astype(np.int32)], 13, {"axis": -1, "select_last_index": 1, "keepdims": 0})
    rows, columns = f32([1, 0], [2, 1], [1, 0], [0, 5]), np.array([[2, 1, 2, 0], [3, 1, 3, 0]])
    for is_sorted in (0, 1):
        order = {"sorted": is_sorted}
        yield Case(f"sorted{is_sorted}", "Unique", [ties.reshape(-1)], 11, order, outputs=4)
        yield Case(f"rows{is_sorted}", "Unique", [rows], 11, {"axis": 0, **order}, outputs=4)
        yield Case(f"columns{is_sorted}", "Unique", [columns], 11, {"axis": 1, **order}, outputs=4)
    yield Case("floats", "NonZero", [f32([0, 1.5], [2, 0])], 13)
    yield Case("bools", "NonZero", [np.array([True, False, True])], 9)
    yield Case("reverse", "CumSum", [floats(3, 4), np.array(-1)], 14, {"reverse": 1, "exclusive": 1}, (1,))
    yield Case("fed", "CumSum", [floats(3, 4), np.array(0, np.int32)], 11)


def reductions():
    for name in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"):
        op, data = "Reduce" + name, floats(3, 4, 2)
        if name == "LogSum":
            data = np.abs(data)
        yield Case("attribute", op, [data], 7, {"axes": [0, 2], "keepdims": 0})
        yield Case("constant", op, [data, ints(-1)], 18, {"keepdims": 1}, (1,))
        yield Case("fed", op, [data, ints(1, -1)], 18, {"keepdims": 0})
        yield Case("noop", op, [data, ints()], 18, {"noop_with_empty_axes": 1}, (1,))
        yield Case("axes_noop", op, [data, ints(-1)], 18, {"noop_with_empty_axes": 1}, (1,))
        yield Case("half", op, [data.astype(np.float16)], 13, {"keepdims": 1}, has_reference=True)
        few = (np.abs(data[:1]) * 3).astype(np.int32) + 1
        yield Case("int32", op, [few], 13, {"keepdims": 0})
        yield Case("nan", op, [f32([1, np.nan], [2, 3])], 13, {"keepdims": 0}, has_reference=True)


def arithmetic():
    yield Case("three", "Max", [floats(3, 1), floats(1, 4), floats(4)], 8)
    yield Case("nan", "Min", [f32(1, np.nan, 3), f32(2, 2, np.nan)], 13)
    yield Case("int8", "Max", [np.array([1, -3], np.int8), np.array([-2, 4], np.int8)], 12)
    yield Case("broadcast", "Mean", [floats(2, 3), floats(3)], 8)
    yield Case("three", "Sum", [floats(2, 3), floats(2, 3), floats(3)], 8)
    yield Case("half", "Sum", [floats(2, 3).astype(np.float16)] * 3, 13, has_reference=True)
    yield Case("square", "Pow", [floats(2, 3), np.array(2, np.float32)], 8, constants=(1,))
    yield Case("root", "Pow", [np.abs(floats(2, 3)), f32(-0.5)], 13, constants=(1,))
    yield Case("rank", "Pow", [floats(3), np.full((1, 1), 3, np.float32)], 13, constants=(1,))
    yield Case("int_float", "Pow", [np.array([2, 3], np.int32), f32(2.5, 1.5)], 13)
    yield Case("int32_int64", "Pow", [np.array([2, 3], np.int32), ints(5, 2)], 13)
    yield Case("float_int", "Pow", [floats(3), ints(2, 3, 0)], 13)
    signs = [ints(-7, 7, -7, 7), ints(3, -3, -3, 3)]
    yield Case("divisor", "Mod", signs, 10)
    yield Case("dividend", "Mod", signs, 10, {"fmod": 1})
    yield Case("floats", "Mod", [f32(-7.5, 7.5, 1e30, -0.0), f32(2, -2, 3, 5)], 13, {"fmod": 1})
    bits = [np.array([1, 4], np.uint8), np.array([1, 2], np.uint8)]
    yield Case("right", "BitShift", bits, 11, {"direction": "RIGHT"})
    yield Case("bools", "Not", [np.array([True, False])], 7)
    yield Case("broadcast", "Where", [np.array([[True], [False]]), floats(3), np.array(1, np.float32)], 9)
    special = f32(1, -np.inf, np.inf, np.nan)
    yield Case("negative", "IsInf", [special], 10, {"detect_positive": 0})
    yield Case("neither", "IsInf", [special], 10, {"detect_positive": 0, "detect_negative": 0})


def clips():
    low, high = np.array(-0.5, np.float32), np.array(0.5, np.float32)
    yield Case("attributes", "Clip", [floats(2, 3)], 7, {"min": -0.5, "max": 0.5})
    yield Case("minimum", "Clip", [floats(2, 3)], 7, {"min": 0.25})
    yield Case("fed", "Clip", [floats(2, 3), low, high], 11)
    yield Case("maximum", "Clip", [floats(2, 3), None, high], 13, constants=(2,))
    yield Case("int64", "Clip", [ints(-5, 2**62, 3), np.array(0), np.array(2**61)], 12, constants=(1, 2))
    yield Case("absent", "Clip", [floats(3)], 12)
    yield Case("six", "Clip", [f32(np.nan, 9, -9), f32(0)[0:1].reshape(()), f32(6).reshape(())], 13, constants=(1, 2))
    half = [value.astype(np.float16) for value in (floats(3), low, high)]
    yield Case("half", "Clip", half, 13, constants=(1, 2))


ACTIVATIONS = [("LeakyRelu", 7, {}), ("LeakyRelu", 16, {"alpha": 0.3}), ("Elu", 7, {"alpha": 2.0}), ("Selu", 7, {}),
               ("Celu", 12, {"alpha": 0.5}), ("Softplus", 7, {}), ("Softsign", 7, {}), ("Sigmoid", 7, {}),
               ("HardSigmoid", 7, {"alpha": 0.3}), ("HardSwish", 14, {}), ("Gelu", 20, {}),
               ("Gelu", 20, {"approximate": "tanh"}), ("Mish", 18, {}), ("ThresholdedRelu", 10, {"alpha": 0.7}),
               ("Shrink", 9, {"bias": 0.2, "lambd": 0.4}), ("Erf", 9, {}), ("Round", 11, {}), ("Reciprocal", 7, {}),
               ("Tanh", 7, {}), ("Exp", 7, {}), ("Sign", 9, {}), ("Sqrt", 7, {}), ("Log", 7, {}), ("Ceil", 7, {})]


def activations():
    special = f32(np.nan, np.inf, -np.inf, 0, -0.0, 1, -1, 88, -88, 100, -100, 25, -25)
    for op, opset, attributes in ACTIVATIONS:
        yield Case("floats", op, [floats(3, 5) * 3], opset, attributes)
        yield Case("special", op, [special], opset, attributes)
        yield Case("doubles", op, [floats(3, 5).astype(np.float64) * 3], opset, attributes, has_reference=True)
    yield Case("floats", "Relu", [floats(3, 5)], 7)
    yield Case("floats", "Swish", [floats(3, 5)], 24, {"alpha": 0.5}, has_reference=True)
    yield Case("large", "Softplus", [np.array([18.0, 21, 30, 50, 800, -50])], 13, has_reference=True)
    yield Case("int32", "Shrink", [np.array([-3, -1, 0, 1, 3], np.int32)], 9, {"bias": 1.0, "lambd": 1.5},
               has_reference=True)
    yield Case("channels", "PRelu", [IMAGE, floats(3, 1, 1)], 9)
    yield Case("int32", "PRelu", [np.array([-3, 4], np.int32), np.array([2], np.int32)], 16)


def softmaxes():
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for opset, axis in ((7, 1), (7, 2), (11, 1), (11, -1), (11, 0), (13, 1), (13, -1), (13, 0)):
            yield Case(f"axis{axis}", op, [IMAGE * 4], opset, {"axis": axis})
        for opset in (11, 13):
            yield Case("default", op, [IMAGE], opset)
        yield Case("wide", op, [f32([0, -200, -100, 3])], 13)
        yield Case("infinite", op, [f32([0, -np.inf, 1, 3])], 13)


def normalizations():
    # ONNX Runtime writes its own op into optimized models of older opsets, also with a scale of another type than x.
    x, scale, bias = floats(2, 3, 8), floats(8), floats(8)
    for name, of_x, of_scale in (("runtime", "f4", "f4"), ("half_x", "f2", "f4"), ("half_scale", "f4", "f2")):
        inputs = [x.astype(of_x), scale.astype(of_scale), bias.astype(of_scale)]
        yield Case(name, "LayerNormalization", inputs, 14, {"axis": -1, "epsilon": 1e-3}, outputs=3)
    yield Case("runtime_axis", "LayerNormalization", [x, floats(3, 8)], 11, {"axis": 1})


def others():
    wide = {"alpha": 0.1, "beta": 0.6, "bias": 2.0}
    yield Case("odd", "LRN", [floats(2, 5, 3, 3)], 7, {"size": 3, **wide})
    yield Case("batch", "Det", [floats(2, 3, 3)], 11)
    yield Case("corners", "AffineGrid", [floats(2, 2, 3), ints(2, 3, 4, 5)], 20, {"align_corners": 1})


def ngrams():
    grams = dict(min_gram_length=1, max_gram_length=2, max_skip_count=1, ngram_counts=[0, 3],
                 ngram_indexes=[2, 0, 4, 1, 3], pool_int64s=[2, 3, 5, 2, 3, 5, 2])
    words = np.array([[2, 3, 5, 2, 2, 3], [5, 5, 2, 2, 3, 3]])
    for mode in ("TF", "IDF", "TFIDF"):
        weights = {} if mode == "TF" else {"weights": [0.5, 1.0, 2.0, 3.0, 4.0]}
        yield Case(mode, "TfIdfVectorizer", [words], 9, {"mode": mode, **grams, **weights})
    yield Case("short", "TfIdfVectorizer", [ints(3)], 9, {"mode": "TF", **grams})
    yield Case("int32", "TfIdfVectorizer", [words.astype(np.int32)], 9, {"mode": "TF", **grams})


def strings(*values):
    return np.array(values, object)


WORDS = strings("red", "green", "", "größe", "blue", "red").reshape(2, 3)


def moved_strings():
    yield Case("strings", "Concat", [WORDS, strings("a", "violet").reshape(2, 1)], 13, {"axis": 1})
    yield Case("strings", "Gather", [WORDS, ints(2, 0, -1)], 13, {"axis": 1})
    yield Case("strings", "GatherND", [WORDS, ints(0, 2, 1, 1).reshape(2, 2)], 13)
    yield Case("strings", "GatherElements", [WORDS, ints(2, 0).reshape(2, 1)], 13, {"axis": 1})
    yield Case("strings", "ScatterElements", [WORDS, ints(1, 0).reshape(2, 1), strings("x", "long").reshape(2, 1)], 18,
               {"axis": 1}, has_reference=True)
    yield Case("strings", "Reshape", [WORDS, ints(3, -1)], 13, constants=(1,))
    yield Case("strings", "Transpose", [WORDS], 13, {"perm": [1, 0]})
    yield Case("strings", "Slice", [WORDS, ints(2), ints(0), ints(1), ints(-1)], 13, constants=(1, 2, 3, 4))
    yield Case("strings", "Split", [WORDS, ints(1, 2)], 13, {"axis": 1}, (1,), outputs=2)
    yield Case("strings", "Expand", [WORDS[:, :1], ints(2, 2, 4)], 13, constants=(1,))
    yield Case("strings", "Tile", [WORDS, ints(2, 1)], 13, constants=(1,), has_reference=True)
    yield Case("strings", "Where", [np.array([[True, False, True]]), WORDS, strings("other")], 9)
    yield Case("strings", "Compress", [WORDS, np.array([True, False, True])], 11, {"axis": 1})
    yield Case("strings", "Squeeze", [WORDS[:, :1], ints(1)], 13, constants=(1,))
    yield Case("strings", "Unsqueeze", [WORDS, ints(1)], 13, constants=(1,))
    yield Case("strings", "Flatten", [WORDS], 13, {"axis": 0})
    yield Case("strings", "Identity", [WORDS], 13)
    yield Case("strings", "Shape", [WORDS], 13)
    yield Case("strings", "Equal", [WORDS, strings("red", "", "größe")], 19)


def encoders():
    ml = dict(opset=3, domain="ai.onnx.ml")
    names, numbers = ["red", "green", "blue", "größe", "red"], [4, 7, 1, 0, 3]
    yield Case("strings_int64s", "LabelEncoder", [WORDS], attributes={"keys_strings": names, "values_int64s": numbers,
               "default_int64": -5}, **ml)
    numbers_twice = {"keys_int64s": [7, 1, 7], "values_int64s": [10, 20, 30]}
    yield Case("repeated_key", "LabelEncoder", [ints(7, 1, 2)], attributes=numbers_twice, **ml)
    yield Case("strings_floats", "LabelEncoder", [WORDS], attributes={"keys_strings": names[:4],
               "values_floats": [0.5, 1.5, -2, 8], "default_float": 9.0}, **ml)
    yield Case("strings_strings", "LabelEncoder", [WORDS], attributes={"keys_strings": names[:3],
               "values_strings": ["r", "a longer one", "ü"]}, **ml)
    yield Case("int64s_strings", "LabelEncoder", [ints(7, 1, 2)], attributes={"keys_int64s": numbers[:4],
               "values_strings": names[:4], "default_string": "none of them"}, **ml)
    unique = dict(cats_strings=names[:4], cats_int64s=numbers[:4])
    yield Case("strings", "CategoryMapper", [WORDS], attributes=unique, **ml)
    yield Case("int64s", "CategoryMapper", [ints(7, 1, 2)], attributes={**unique, "default_string": "?"}, **ml)
    yield Case("strings", "OneHotEncoder", [WORDS], attributes={"cats_strings": names[:4], "zeros": 1}, **ml)
    yield Case("strings", "ArrayFeatureExtractor", [WORDS, ints(2, 0)], **ml)
    scores = dict(coefficients=[1.0, -2.0, 3.0, 0.5, 1.0, -1.0], intercepts=[0.1, 0.2, -0.3])
    yield Case("strings", "LinearClassifier", [floats(4, 2)], attributes={**scores,
               "classlabels_strings": ["low", "middle", "high"]}, outputs=2, **ml)


def texts():
    yield Case("middle", "StringConcat", [WORDS, strings("-", "", "++")], 20, has_reference=True)
    rows = strings("a-b--c", "-", "", "größe-ß--", "--x", "nothing").reshape(2, 3)
    for name, attributes in (("each", {"delimiter": "-"}), ("bytes", {"delimiter": "--"}),
                             ("most", {"delimiter": "-", "maxsplit": 1}), ("umlaut", {"delimiter": "ß"}),
                             ("none", {"delimiter": "-", "maxsplit": 0})):
        yield Case(name, "StringSplit", [rows], 20, attributes, outputs=2, has_reference=True)
    spaces = strings(" a  b\tc ", "", "  ", "one", " two three  four ")
    yield Case("space", "StringSplit", [spaces], 20, {}, outputs=2, has_reference=True)
    yield Case("first_space", "StringSplit", [spaces], 20, {"maxsplit": 1}, outputs=2, has_reference=True)
    line = strings("Mon", "tue", "WED", "Big", "tue")
    words = {"stopwords": ["mon", "TUE"], "case_change_action": "LOWER"}
    # ONNX Runtime needs the locales of the machine.
    for name, text, attributes in (("upper", line[:2], {"case_change_action": "UPPER"}),
                                   ("stopwords", line, {**words, "is_case_sensitive": 1}),
                                   ("any_case", line[:3].reshape(1, 3), {**words, "is_case_sensitive": 0}),
                                   ("nothing_left", line[:2], {**words, "is_case_sensitive": 0})):
        yield Case(name, "StringNormalizer", [text], 10, attributes, has_reference=True)
    grams = dict(min_gram_length=1, max_gram_length=2, max_skip_count=0, ngram_counts=[0, 3], mode="TF",
                 ngram_indexes=[2, 0, 4, 1, 3], pool_strings=["red", "green", "blue", "red", "green", "", "größe"])
    yield Case("strings", "TfIdfVectorizer", [WORDS], 9, grams)


def regions():
    rois = f32(*np.array([[1, 0.5, 6, 5], [0, 0, 2.5, 3], [-2, 1, 9, 4], [3, 3, 3.2, 3.4]])).reshape(4, 4)
    inputs = [floats(2, 3, 6, 8), rois, ints(1, 0, 1, 0)]
    for ratio in (0, 2):
        for shift in ("half_pixel", "output_half_pixel"):
            yield Case(f"max{ratio}_{shift}", "RoiAlign", inputs, 16,
                       {"mode": "max", "output_height": 2, "output_width": 3, "sampling_ratio": ratio,
                        "spatial_scale": 0.8, "coordinate_transformation_mode": shift}, has_reference=True)


def suppressions():
    """Boxes without an area, some at the same place, beside others: none of them suppresses or is suppressed."""
    boxes = f32(*np.array([[0, 0, 4, 4], [4, 0, 4, 4], [4, 1, 4, 3], [4, 1, 4, 3], [0, 0, 4, 3.9], [2, 2, 2, 2],
                           [4, 4, 0, 0]])).reshape(1, 7, 4)
    scores = f32(0.9, 0.8, 0.85, 0.7, 0.75, 0.6, 0.5).reshape(1, 1, 7)
    for threshold in (0, 0.5):
        yield Case(f"empty_boxes_{threshold}", "NonMaxSuppression",
                   [boxes, scores, ints(10), f32(threshold), f32(0.1)], 11, constants=(2, 3, 4))
    # Boxes apart from each other and equal ones, more than a class may have; the limit is a constant or fed.
    corners = np.tile(np.arange(40.0)[:, None] % 30 * 3, 4) + [0, 0, 2, 2]
    values = np.random.default_rng(5).permutation(160).astype(np.float32).reshape(2, 2, 40) / 160
    for most in (0, 1, 7, 100):
        for name, constants in (("", (2, 3, 4)), ("_fed", (3, 4))):
            yield Case(f"limit_{most}{name}", "NonMaxSuppression",
                       [np.stack([corners, corners[::-1]]).astype(np.float32), values, ints(most), f32(0.5), f32(0.1)],
                       11, constants=constants)
    centred = f32(*np.array([[2, 2, 4, 4], [2, 4, 4, 0], [2, 4, 4, 0], [2, 2, 4, 3.9]])).reshape(1, 4, 4)
    yield Case("empty_centred", "NonMaxSuppression",
               [centred, f32(0.9, 0.8, 0.7, 0.6).reshape(1, 1, 4), ints(10), f32(0.5), f32(0.1)], 11,
               {"center_point_box": 1}, constants=(2, 3, 4))


def all_cases():
    """All cases, by unique names: "Slice/opset10_fed_bounds"."""
    for family in (slices, splits, pads, shapes, creations, indices, searches, reductions, arithmetic, clips,
                   activations, softmaxes, others, ngrams, moved_strings, encoders, texts, regions,
                   suppressions, normalizations):
        for case in family():
            case.name = f"{case.op}/opset{case.opset}_{case.name}"
            if case.attributes.get("approximate"):
                case.name += "_" + case.attributes["approximate"]
            yield case

"""Ops that all systems have, each with its definition for numpy and JAX, Paddle's rule and its arguments, and IR of pd.

A case is (name, input shapes, definition, rule, arguments of the rule, IR). The definition takes the module of
functions (numpy or jax.numpy), the inputs and the dims that the result has on a device, which only reshapes need. In
IR, $0 is an input and $t0 its type, $r the type of the result.
"""
import numpy as np

EPSILON = 1e-5


def softmax(m, x, axis):
    e = m.exp(x - m.max(x, axis=axis, keepdims=True))
    return e / m.sum(e, axis=axis, keepdims=True)


def layer_norm(m, x, scale, bias):
    centered = x - m.mean(x, axis=-1, keepdims=True)
    return centered / m.sqrt(m.mean(centered * centered, axis=-1, keepdims=True) + EPSILON) * scale + bias


def rms_norm(m, x, scale):
    return x / m.sqrt(m.mean(x * x, axis=-1, keepdims=True) + EPSILON) * scale


def conv2d(m, x, w):
    rows = x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1
    return sum(m.einsum("nchw,oc->nohw", x[:, :, i:i + rows[0], j:j + rows[1]], w[:, :, i, j])
               for i in range(w.shape[2]) for j in range(w.shape[3]))


def cross_entropy(m, x, labels):
    shifted = x - m.max(x, axis=-1, keepdims=True)
    log = shifted - m.log(m.sum(m.exp(shifted), axis=-1, keepdims=True))
    return -m.sum(m.where(labels == m.arange(x.shape[-1]), log, 0), axis=-1, keepdims=True)


def gelu(m, x):
    return 0.5 * x * (1 + m.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))


def op(name, attributes=""):
    return "pd." + name + " ", " {" + attributes + "}" if attributes else ""


def ir(name, count, attributes=""):
    """An op on `count` inputs with one result."""
    text = " {" + attributes + "}" if attributes else ""
    operands, types = (", ".join(p + str(i) for i in range(count)) for p in ("$", "$t"))
    return f"%r = pd.{name} {operands}{text} : ({types}) -> $r"


def axis(*axes):
    return f"axis = array<i64: {', '.join(map(str, axes))}>"


X, Y = [16, 24], [24, 32]
CASES = [
    ("matmul", [X, Y], lambda m, x, y, _: x @ y, "matmul", [False, False], ir("matmul", 2)),
    ("batched matmul", [[4, 16, 24], [4, 24, 32]], lambda m, x, y, _: x @ y, "matmul", [False, False], ir("matmul", 2)),
    ("add", [X, X], lambda m, x, y, _: x + y, "add", [], ir("add", 2)),
    ("add of a bias", [X, [24]], lambda m, x, y, _: x + y, "add", [], ir("add", 2)),
    ("multiply", [X, X], lambda m, x, y, _: x * y, "multiply", [], ir("multiply", 2)),
    ("maximum", [X, X], lambda m, x, y, _: m.maximum(x, y), "maximum", [], ir("maximum", 2)),
    ("relu", [X], lambda m, x, _: m.maximum(x, 0), "relu", [], ir("relu", 1)),
    ("gelu", [X], lambda m, x, _: gelu(m, x), "gelu", [True], ir("gelu", 1, "approximate = true")),
    ("cast", [X], lambda m, x, _: x.astype(np.float16), "cast", ["float16"], ir("cast", 1, "dtype = f16")),
    ("pow", [X], lambda m, x, _: x ** 2, "pow", [2.0], ir("pow", 1, "factor = 2.0 : f64")),
    ("softmax", [X], lambda m, x, _: softmax(m, x, -1), "softmax", [-1], ir("softmax", 1)),
    ("layer_norm", [X, [24], [24]], lambda m, x, s, b, _: layer_norm(m, x, s, b), "layer_norm", [EPSILON, 1],
     "%r, %mean, %var = pd.layer_norm $0 scale = $1 bias = $2 {begin_norm_axis = 1 : i64} : ($t0, $t1, $t2) -> "
     "($r, tensor<16xf32>, tensor<16xf32>)"),
    ("rms_norm", [X, [24]], lambda m, x, s, _: rms_norm(m, x, s), "fused_rms_norm", [EPSILON],
     "%r, %inv = pd.rms_norm $0, $1 {normalized_shape = array<i64: 24>} : ($t0, $t1) -> ($r, tensor<16xf32>)"),
    ("reshape, merge", [[8, 12, 16]], lambda m, x, d: x.reshape(d), "reshape", [[96, 16]],
     ir("reshape", 1, "shape = array<i64: 96, 16>")),
    ("reshape, split", [[96, 16]], lambda m, x, d: x.reshape(d), "reshape", [[8, 12, 16]],
     ir("reshape", 1, "shape = array<i64: 8, 12, 16>")),
    ("squeeze", [[16, 1, 24]], lambda m, x, _: x[:, 0], "squeeze", [[1]], ir("squeeze", 1, axis(1))),
    ("unsqueeze", [X], lambda m, x, _: x[:, None], "unsqueeze", [[1]], ir("unsqueeze", 1, axis(1))),
    ("transpose", [[8, 12, 16]], lambda m, x, _: m.transpose(x, (2, 0, 1)), "transpose", [[2, 0, 1]],
     ir("transpose", 1, "perm = array<i64: 2, 0, 1>")),
    ("sum", [X], lambda m, x, _: m.sum(x, axis=1), "sum", [[1], False], ir("sum", 1, axis(1))),
    ("mean", [X], lambda m, x, _: m.mean(x, axis=1), "mean", [[1], False], ir("mean", 1, axis(1))),
    ("max", [X], lambda m, x, _: m.max(x, axis=1), "max", [[1], False], ir("max", 1, axis(1))),
    ("prod", [X], lambda m, x, _: m.prod(x, axis=1), "prod", [[1], False], ir("prod", 1, axis(1))),
    ("logsumexp", [X], lambda m, x, _: m.log(m.sum(m.exp(x), axis=1)), "logsumexp", [[1], False, False],
     ir("logsumexp", 1, axis(1))),
    ("embedding", [[16], [24, 32]], lambda m, i, w, _: w[i], "embedding", [-1, False], ir("embedding", 2)),
    ("cross entropy", [X, [16, 1]], lambda m, x, i, _: cross_entropy(m, x, i), "cross_entropy_with_softmax",
     [False, True, True, -100, -1],
     "%p, %r = pd.cross_entropy_with_softmax $0, $1 : ($t0, $t1) -> ($t0, $r)"),
    ("concat", [X, X], lambda m, x, y, _: m.concatenate([x, y], 0), "concat", [0], ir("concat", 2)),
    ("stack", [X, X], lambda m, x, y, _: m.stack([x, y], 0), "stack", [0], ir("stack", 2)),
    ("slice", [X], lambda m, x, _: x[:, 4:16], "slice", [[1], [4], [16], [], []],
     ir("slice", 1, "axes = array<i64: 1>, starts = array<i64: 4>, ends = array<i64: 16>")),
    ("strided slice", [X], lambda m, x, _: x[:, 0:24:5], "strided_slice", [[1], [0], [24], [5]],
     ir("slice", 1, "axes = array<i64: 1>, starts = array<i64: 0>, ends = array<i64: 24>, strides = array<i64: 5>")),
    ("index_select", [[24, 32], [16]], lambda m, w, i, _: w[i], "index_select", [0], ir("gather", 2)),
    ("where", [X, X], lambda m, x, y, _: m.where(x > y, x, y), None, [],
     "%c = pd.greater_than $0, $1 : ($t0, $t1) -> tensor<16x24xi1>\n"
     "%r = pd.where %c, $0, $1 : (tensor<16x24xi1>, $t0, $t1) -> $r"),
    ("cumsum", [X], lambda m, x, _: m.cumsum(x, axis=1), "cumsum", [1, False, False, False],
     ir("cumsum", 1, "axis = 1 : i64")),
    ("argmax", [X], lambda m, x, _: m.argmax(x, axis=1), "argmax", [1, False, False, "int64"],
     ir("argmax", 1, "axis = 1 : i64")),
    ("sort", [X], lambda m, x, _: m.sort(x, axis=1), "argsort", [1, False, True],
     "%r, %i = pd.argsort $0 {axis = 1 : i64} : ($t0) -> ($r, tensor<16x24xi64>)"),
    ("tile", [X], lambda m, x, _: m.tile(x, (2, 1)), "tile", [[2, 1]],
     ir("tile", 1, "repeat_times = array<i64: 2, 1>")),
    ("one_hot", [[16]], lambda m, i, _: (i[:, None] == m.arange(24)).astype(np.float32), "one_hot", [24],
     ir("one_hot", 1, "num_classes = 24 : i64")),
    ("conv2d", [[4, 8, 12, 12], [8, 8, 3, 3]], lambda m, x, w, _: conv2d(m, x, w), "conv2d",
     [[1, 1], [0, 0], "EXPLICIT", [1, 1], 1, "NCHW"], ir("conv2d", 2)),
]

INTEGER_INPUTS = {("embedding", 0): 24, ("cross entropy", 1): 24, ("index_select", 1): 24, ("one_hot", 0): 24}


def inputs_of(case):
    """Random inputs of a case."""
    random = np.random.default_rng(7)
    name, shapes = case[:2]
    return [random.integers(0, INTEGER_INPUTS[name, i], shape) if (name, i) in INTEGER_INPUTS
            else random.uniform(0.5, 1.5, shape).astype(np.float32) for i, shape in enumerate(shapes)]


def result_of(case, module, inputs, dims=None):
    """The result of the definition; `dims` are a shard's dims where the tensor is split."""
    whole = {"reshape, merge": [96, 16], "reshape, split": [8, 12, 16]}
    return case[2](module, *inputs, dims if dims is not None else whole.get(case[0]))


def placements(case):
    """All choices of at most one split dimension of each input."""
    choices = [[]]
    for shape in case[1]:
        choices = [c + [d] for c in choices for d in (None, *range(len(shape)))]
    return choices

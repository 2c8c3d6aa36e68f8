"""The functions: in pd ops, in JAX, and the points they are tried at. `y` is the result."""
import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

CASES = {}


def add(name, args, out, body, function, points, **more):
    assert name not in CASES, name
    CASES[name] = dict(args=args.split(), out=out, body=body, jax=function, points=points, **more)


def rows(*values):
    """One point for each list of a function of one argument."""
    return [[v] for v in values]


def spread(low, high, count, seed=0):
    return np.round(np.random.default_rng(seed).uniform(low, high, count), 3).tolist()


# Elementwise functions of one operand.

PLAIN = [[-1.5, -0.25, 0.5, 2.0], [0.75, -2.5, 1.25, 0.125]]
AROUND_ZERO = [[-1.5, 0.0, 0.5, 2.0], [0.75, -2.5, 0.0, 0.125]]
POSITIVE = [[0.25, 0.5, 1.0, 3.0], [1.5, 2.0, 0.125, 7.0]]
BELOW_ONE = [[-0.75, 0.0, 0.5, 0.9], [0.1, -0.3, 0.6, -0.95]]


def unary(op, function, points=PLAIN, name="", attributes=""):
    add(name or op, "4", "4", f"y:4 = {op} %a{attributes}", function, rows(*points))


unary("exp", jnp.exp, AROUND_ZERO)
unary("expm1", jnp.expm1, AROUND_ZERO)
unary("log", jnp.log, POSITIVE)
unary("log1p", jnp.log1p, [[-0.5, 0.0, 0.5, 2.0], [0.75, 3.0, 0.0, 0.125]])
unary("log2", jnp.log2, POSITIVE)
unary("log10", jnp.log10, POSITIVE)
unary("sqrt", jnp.sqrt, POSITIVE)
unary("rsqrt", lambda x: 1 / jnp.sqrt(x), POSITIVE)
unary("square", jnp.square, AROUND_ZERO)
unary("reciprocal", lambda x: 1 / x)
unary("abs", jnp.abs)
unary("sin", jnp.sin, AROUND_ZERO)
unary("cos", jnp.cos, AROUND_ZERO)
unary("tan", jnp.tan, BELOW_ONE)
unary("asin", jnp.arcsin, BELOW_ONE)
unary("acos", jnp.arccos, BELOW_ONE)
unary("atan", jnp.arctan, AROUND_ZERO)
unary("sinh", jnp.sinh, AROUND_ZERO)
unary("cosh", jnp.cosh, AROUND_ZERO)
unary("tanh", jnp.tanh, AROUND_ZERO)
unary("asinh", jnp.arcsinh, AROUND_ZERO)
unary("acosh", jnp.arccosh, [[1.25, 2.0, 3.0, 5.0], [1.5, 1.125, 4.0, 2.5]])
unary("atanh", jnp.arctanh, BELOW_ONE)
unary("erf", lax.erf, AROUND_ZERO)
unary("erfinv", lax.erf_inv, BELOW_ONE)
unary("lgamma", lax.lgamma, POSITIVE)
unary("digamma", lax.digamma, POSITIVE)
unary("sigmoid", jax.nn.sigmoid, AROUND_ZERO)
unary("logsigmoid", jax.nn.log_sigmoid, AROUND_ZERO)
unary("softplus", jax.nn.softplus, AROUND_ZERO)
unary("softsign", lambda x: x / (1 + jnp.abs(x)))
unary("silu", jax.nn.silu, AROUND_ZERO)
unary("mish", lambda x: x * jnp.tanh(jax.nn.softplus(x)), AROUND_ZERO)
unary("gelu", lambda x: jax.nn.gelu(x, approximate=False), AROUND_ZERO)
unary("relu", jax.nn.relu)
unary("elu", jax.nn.elu)
unary("selu", jax.nn.selu)
unary("leaky_relu", lambda x: jax.nn.leaky_relu(x, 0.02))
unary("tanh_shrink", lambda x: x - jnp.tanh(x), AROUND_ZERO)
unary("pow", lambda x: x**3, AROUND_ZERO, "pow_3", " {factor = 3.0}")
unary("pow", lambda x: x**5, AROUND_ZERO, "pow_5", " {factor = 5.0}")
unary("pow", lambda x: x**2.5, POSITIVE, "pow_real", " {factor = 2.5}")
unary("clip", lambda x: jnp.clip(x, -1, 1), PLAIN, "clip",
      " {min = -1.0, max = 1.0}")

# Elementwise functions of two operands.


def binary(op, function, points, name=""):
    add(name or op, "3 3", "3", f"y:3 = {op} %a, %b", function, points)


PAIRS = [[[0.5, -1.5, 2.0], [1.25, 0.75, -0.5]], [[3.0, 0.25, -2.0], [-1.0, 2.0, 1.5]]]
binary("add", lambda x, y: x + y, PAIRS)
binary("subtract", lambda x, y: x - y, PAIRS)
binary("multiply", lambda x, y: x * y, PAIRS)
binary("divide", lambda x, y: x / y, PAIRS)
binary("maximum", jnp.maximum, PAIRS)
binary("minimum", jnp.minimum, PAIRS)
binary("atan2", jnp.arctan2, PAIRS)
binary("elementwise_pow", jnp.power, [[[0.5, 1.5, 2.0], [1.25, 3.0, -0.5]], [[3.0, 0.25, 1.0], [-1.0, 2.0, 1.5]]])


def power_at_zero(x, y):
    """x^y with the derivatives of mathematics at x = 0 for whole y >= 0: by y they are 0 there."""
    zero = x == 0
    safe = jnp.where(zero, 1.0, x)
    return jnp.where(zero, sum(jnp.where(y == k, x**k, 0.0) for k in range(6)), jnp.exp(y * jnp.log(safe)))


# Not at y <= 3, where third derivatives by y and x do not exist at x = 0.
add("pow_at_zero", "3 3", "3", "y:3 = elementwise_pow %a, %b", power_at_zero,
    [[[0.0, 1.5, 0.0], [4.0, 3.0, 5.0]], [[0.0, 0.0, 2.0], [5.0, 4.0, 0.5]]])
add("square_by_pow", "3", "3", "c:3 = const [2.0, 2.0, 2.0]\ny:3 = elementwise_pow %a, %c", lambda x: x * x,
    rows([0.0, 1.5, -2.0], [-0.5, 0.0, 0.0]))
add("lerp", "3 3 3", "3", "y:3 = lerp %a, %b, %c", lambda x, y, w: x + w * (y - x),
    [[[0.5, -1.5, 2.0], [1.25, 0.75, -0.5], [0.25, 0.5, 0.75]]])
add("broadcast", "2x3 3", "2x3", "p:2x3 = multiply %a, %b\ny:2x3 = add %p, %b", lambda x, y: x * y + y,
    [[spread(-1, 1, 6), [0.5, -1.5, 2.0]], [spread(-1, 1, 6, 1), [0.25, 1.0, -1.0]]])

# Reductions and scans.

MATRICES = rows(spread(-1, 1, 6), spread(-1, 1, 6, 1))


def reduction(name, body, function, out="2", points=None):
    add(name, "2x3", out, body, function, points or MATRICES)


reduction("sum", "y:2 = sum %a {axis = array<i64: 1>}", lambda x: x.sum(1))
reduction("mean", "y:3 = mean %a {axis = array<i64: 0>}", lambda x: x.mean(0), "3")
reduction("max", "y:2 = max %a {axis = array<i64: 1>}", lambda x: x.max(1))
reduction("min", "y:2 = min %a {axis = array<i64: 1>}", lambda x: x.min(1))
reduction("prod_rows", "y:2 = prod %a {axis = array<i64: 1>}", lambda x: x.prod(1), "2",
          rows([2, 0, 3, 1.5, 2, -1], [0, 0, 3, 0, 0, 0]))
reduction("logsumexp", "y:2 = logsumexp %a {axis = array<i64: 1>}", lambda x: jsp.special.logsumexp(x, 1))
reduction("cumsum", "y:2x3 = cumsum %a {axis = 1 : i64}", lambda x: jnp.cumsum(x, 1), "2x3")
reduction("cumsum_reverse", "y:2x3 = cumsum %a {axis = 0 : i64, reverse = true}",
          lambda x: jnp.flip(jnp.cumsum(jnp.flip(x, 0), 0), 0), "2x3")
reduction("logcumsumexp", "y:2x3 = logcumsumexp %a {axis = 1 : i64}",
          lambda x: jnp.stack([jsp.special.logsumexp(x[:, :i + 1], 1) for i in range(3)], 1), "2x3")
reduction("frobenius_norm", "y: = frobenius_norm %a", lambda x: jnp.sqrt((x * x).sum()), "")
reduction("p_norm_2", "y:2 = p_norm %a {porder = 2.0, axis = 1 : i64, epsilon = 0.0}",
          lambda x: jnp.sqrt((x * x).sum(1)))
reduction("p_norm_3", "y: = p_norm %a {porder = 3.0, asvector = true, epsilon = 0.0}",
          lambda x: (jnp.abs(x)**3).sum()**(1 / 3), "")
reduction("squared_l2_norm", "y:1 = squared_l2_norm %a", lambda x: (x * x).sum().reshape(1), "1")
add("prod", "3", "", "y: = prod %a", jnp.prod, rows([2, 0, 3], [0, 1.5, 0], [0.5, -2, 3]))
add("cumprod", "4", "4", "y:4 = cumprod %a {axis = 0 : i64}",
    lambda x: jnp.stack([jnp.prod(x[:i + 1]) for i in range(4)]), rows([2, 0, 3, 1.5], [0, 0, 2, 1], [1.5, 2, -1, 3]))

# Softmax and losses.

add("softmax", "2x3", "2x3", "y:2x3 = softmax %a", lambda x: jax.nn.softmax(x, -1), MATRICES)
add("softmax_first", "2x3", "2x3", "y:2x3 = softmax %a {axis = 0 : i64}", lambda x: jax.nn.softmax(x, 0), MATRICES)
add("log_softmax", "2x3", "2x3", "y:2x3 = log_softmax %a", lambda x: jax.nn.log_softmax(x, -1), MATRICES)


def hard_loss(x, label):
    """Not above 64 plus the logarithm of the sum, as in Paddle; the derivatives are those without that bound."""
    true = -jax.nn.log_softmax(x, -1)
    shifted = jnp.maximum(x - x.max(-1, keepdims=True), -64)
    bounded = jnp.log(jnp.exp(shifted).sum(-1, keepdims=True)) - shifted
    return jnp.take_along_axis(true + lax.stop_gradient(bounded - true), np.array(label), -1)


LABELS = "c:i2x1 = const [[2], [0]]\n"
add("cross_entropy", "2x3", "2x1", LABELS + "p:2x3, y:2x1 = cross_entropy_with_softmax %a, %c",
    lambda x: hard_loss(x, [[2], [0]]), MATRICES)
add("cross_entropy_far", "2x3", "2x1", LABELS + "p:2x3, y:2x1 = cross_entropy_with_softmax %a, %c",
    lambda x: hard_loss(x, [[2], [0]]), rows([100, 0, 0, 0.5, -0.5, 90], [0, 0, -70, 1, 2, 3]))


def soft_loss(x, label):
    return -(label * jax.nn.log_softmax(x, -1)).sum(-1, keepdims=True)


add("cross_entropy_soft", "2x3 2x3", "2x1",
    "p:2x3, y:2x1 = cross_entropy_with_softmax %a, %b {soft_label = true}", soft_loss,
    [[spread(-1, 1, 6), [0.2, 0.3, 0.5, 0.1, 0.9, 0]], [spread(-1, 1, 6, 1), [0.5, 1.5, 0.25, -0.5, 2, 0.3]]])
add("nll_loss", "2x3", "2", "c:i2 = const [2, 0]\ny:2, t: = nll_loss %a, %c reduction = none",
    lambda x: -jnp.take_along_axis(x, np.array([[2], [0]]), -1)[:, 0], MATRICES)
add("bce_loss", "3 3", "3", "y:3 = bce_loss %a, %b",
    lambda x, z: -(z * jnp.log(x) + (1 - z) * jnp.log(1 - x)),
    [[[0.25, 0.5, 0.9], [0.0, 1.0, 0.3]], [[0.1, 0.75, 0.4], [1.0, 0.5, 0.0]]])
add("sigmoid_cross_entropy", "3 3", "3", "y:3 = sigmoid_cross_entropy_with_logits %a, %b",
    lambda x, z: -(z * jax.nn.log_sigmoid(x) + (1 - z) * jax.nn.log_sigmoid(-x)),
    [[[0.25, -1.5, 0.0], [0.0, 1.0, 0.3]], [[2.0, 0.75, -0.4], [1.0, 0.5, 0.0]]])
add("kldiv_loss", "3 3", "3", "y:3 = kldiv_loss %a, %b reduction = none",
    lambda x, z: jnp.where(z > 0, z * (jnp.log(jnp.where(z > 0, z, 1)) - x), 0.0),
    [[[0.25, -1.5, 0.5], [0.0, 1.0, 0.3]], [[2.0, 0.75, -0.4], [1.0, 0.5, 0.0]]])
add("huber_loss", "3 3", "3", "y:3, r:3 = huber_loss %a, %b {delta = 0.75}",
    lambda x, z: jnp.where(jnp.abs(z - x) <= 0.75, 0.5 * (z - x)**2, 0.75 * (jnp.abs(z - x) - 0.375)), PAIRS)
add("log_loss", "3 3", "3", "y:3 = log_loss %a, %b {epsilon = 0.001}",
    lambda x, z: -z * jnp.log(x + 0.001) - (1 - z) * jnp.log(1 - x + 0.001),
    [[[0.25, 0.5, 0.9], [0.0, 1.0, 0.3]], [[0.1, 0.75, 0.4], [1.0, 0.5, 0.0]]])

# Layers.

add("matmul", "2x3 3x2", "2x2", "y:2x2 = matmul %a, %b", jnp.matmul,
    [[spread(-1, 1, 6), spread(-1, 1, 6, 1)], [spread(-1, 1, 6, 2), spread(-1, 1, 6, 3)]])
add("matmul_vector", "3 2x3", "2", "y:2 = matmul %a, %b {transpose_y = true}", lambda x, y: y @ x,
    [[spread(-1, 1, 3), spread(-1, 1, 6, 1)], [spread(-1, 1, 3, 2), spread(-1, 1, 6, 3)]])


def conv(x, w, strides, padding, groups=1):
    return lax.conv_general_dilated(x, w, strides, padding, feature_group_count=groups,
                                    dimension_numbers=("NCHW", "OIHW", "NCHW"))


add("conv2d", "1x2x3x3 2x2x2x2", "1x2x2x2",
    "y:1x2x2x2 = conv2d %a, %b {strides = array<i64: 2, 1>, paddings = array<i64: 1, 0, 0, 0>}",
    lambda x, w: conv(x, w, (2, 1), ((1, 0), (0, 0))), [[spread(-1, 1, 18), spread(-1, 1, 16, 1)]])
add("conv2d_groups", "1x2x3x3 2x1x2x2", "1x2x2x2", "y:1x2x2x2 = conv2d %a, %b {groups = 2 : i64}",
    lambda x, w: conv(x, w, (1, 1), ((0, 0), (0, 0)), 2), [[spread(-1, 1, 18), spread(-1, 1, 8, 1)]])
add("conv2d_transpose", "1x2x2x2 2x1x2x2", "1x1x3x3", "y:1x1x3x3 = conv2d_transpose %a, %b",
    lambda x, w: lax.conv_general_dilated(x, jnp.flip(w, (2, 3)).transpose(1, 0, 2, 3), (1, 1), ((1, 1), (1, 1)),
                                          dimension_numbers=("NCHW", "OIHW", "NCHW")),
    [[spread(-1, 1, 8), spread(-1, 1, 8, 1)]])
add("average_pool", "1x1x4x4", "1x1x2x2",
    "y:1x1x2x2 = pool2d %a pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>}",
    lambda x: x.reshape(1, 1, 2, 2, 2, 2).mean((3, 5)), rows(spread(-1, 1, 16), spread(-1, 1, 16, 1)))
add("max_pool", "1x1x4x4", "1x1x2x2",
    "y:1x1x2x2 = pool2d %a pooling_type = max {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>}",
    lambda x: x.reshape(1, 1, 2, 2, 2, 2).max((3, 5)), rows(spread(-1, 1, 16), spread(-1, 1, 16, 1)))


def normal(x, axes, epsilon=0.01):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean)**2).mean(axes, keepdims=True) + epsilon)


add("layer_norm", "2x3 3 3", "2x3",
    "y:2x3, m:2, v:2 = layer_norm %a scale = %b bias = %c {epsilon = 0.01, begin_norm_axis = 1 : i64}",
    lambda x, s, b: normal(x, 1) * s + b,
    [[spread(-1, 1, 6), spread(0.5, 2, 3), spread(-1, 1, 3)], [spread(-1, 1, 6, 1), spread(0.5, 2, 3, 1), [0, 1, 2]]])
add("layer_norm_plain", "2x3", "2x3",
    "y:2x3, m:2, v:2 = layer_norm %a {epsilon = 0.01, begin_norm_axis = 1 : i64}", lambda x: normal(x, 1), MATRICES)
add("batch_norm", "3x2x2 2 2", "3x2x2", """d:2 = const [0.0, 0.0]
y:3x2x2, m:2, v:2, sm:2, sv:2, r:0 = batch_norm %a, %d, %d scale = %b bias = %c {epsilon = 0.01}""",
    lambda x, s, b: normal(x, (0, 2)) * s[:, None] + b[:, None],
    [[spread(-1, 1, 12), [0.5, 1.5], [0.25, -1]], [spread(-1, 1, 12, 1), [2, -1], [1, 0.5]]])
add("group_norm", "2x4x1x2 4 4", "2x4x1x2",
    "y:2x4x1x2, m:2x2, v:2x2 = group_norm %a scale = %b bias = %c {epsilon = 0.01, groups = 2 : i64}",
    lambda x, s, b: normal(x.reshape(2, 2, 4), 2).reshape(2, 4, 1, 2) * s[:, None, None] + b[:, None, None],
    [[spread(-1, 1, 16), spread(0.5, 2, 4), spread(-1, 1, 4)],
     [spread(-1, 1, 16, 1), spread(0.5, 2, 4, 1), [0, 1, 2, 3]]])
add("instance_norm", "2x2x1x3 2 2", "2x2x1x3",
    "y:2x2x1x3, m:4, v:4 = instance_norm %a scale = %b bias = %c {epsilon = 0.01}",
    lambda x, s, b: normal(x, (2, 3)) * s[:, None, None] + b[:, None, None],
    [[spread(-1, 1, 12), [0.5, 1.5], [0.25, -1]], [spread(-1, 1, 12, 1), [2, -1], [1, 0.5]]])
add("clip_by_norm", "3", "3", "y:3 = clip_by_norm %a {max_norm = 0.5}",
    lambda x: x * jnp.where((x * x).sum() > 0.25, 0.5 / jnp.sqrt(jnp.where((x * x).sum() > 0.25, (x * x).sum(), 1)), 1),
    rows([0, 0, 0], [0.3, -0.6, 1.5], [0.1, 0.2, -0.1]))
add("norm", "2x3", "2x3", "y:2x3, n:2x1 = norm %a {axis = 1 : i64, epsilon = 0.01}",
    lambda x: x / jnp.sqrt((x * x).sum(1, keepdims=True) + 0.01), rows([0, 0, 0, 1, 2, 3], spread(-1, 1, 6)))

# Indices and data movement.

add("gather", "3x2", "4x2", "c:i4 = const [2, 0, 2, 1]\ny:4x2 = gather %a, %c", lambda x: x[np.array([2, 0, 2, 1])],
    MATRICES)
add("gather_nd", "3x2", "3", "c:i3x2 = const [[2, 0], [0, 1], [2, 0]]\ny:3 = gather_nd %a, %c",
    lambda x: x[np.array([2, 0, 2]), np.array([0, 1, 0])], MATRICES)
add("take_along_axis", "3x2", "2x2", "c:i2x2 = const [[2, 0], [2, 1]]\ny:2x2 = take_along_axis %a, %c {axis = 0 : i64}",
    lambda x: jnp.take_along_axis(x, np.array([[2, 0], [2, 1]]), 0), MATRICES)
add("embedding", "3x2", "4x2", "c:i4 = const [2, 0, 2, 1]\ny:4x2 = embedding %c, %a",
    lambda x: x[np.array([2, 0, 2, 1])], MATRICES)


def last_wins(x, index, updates):
    """One update after the other: of a row that is written twice the last one is left."""
    for i, row in enumerate(index):
        x = x.at[row].set(updates[i])
    return x


UPDATES = [[spread(-1, 1, 6), spread(-1, 1, 6, 1)], [spread(-1, 1, 6, 2), spread(-1, 1, 6, 3)]]
add("scatter", "3x2 3x2", "3x2", "c:i3 = const [2, 0, 2]\ny:3x2 = scatter %a, %c, %b",
    lambda x, u: last_wins(x, [2, 0, 2], u), UPDATES)
add("scatter_add", "3x2 3x2", "3x2", "c:i3 = const [2, 0, 2]\ny:3x2 = scatter %a, %c, %b {overwrite = false}",
    lambda x, u: x.at[np.array([0, 2])].set(0.0).at[np.array([2, 0, 2])].add(u), UPDATES)
add("scatter_nd_add", "3x2 3x2", "3x2", "c:i3x1 = const [[2], [0], [2]]\ny:3x2 = scatter_nd_add %a, %c, %b",
    lambda x, u: x.at[np.array([2, 0, 2])].add(u), UPDATES)
add("index_put", "3x2 4", "3x2", """c:i4 = const [2, 0, 2, 2]
d:i4 = const [1, 0, 1, 0]
y:3x2 = index_put %a, %c, %d, %b""", lambda x, u: last_wins(x, [(2, 1), (0, 0), (2, 1), (2, 0)], u),
    [[spread(-1, 1, 6), spread(-1, 1, 4, 1)], [spread(-1, 1, 6, 2), spread(-1, 1, 4, 3)]])
add("index_add", "3x2 3x2", "3x2", "c:i3 = const [2, 0, 2]\ny:3x2 = index_add %a, %c, %b",
    lambda x, u: x.at[np.array([2, 0, 2])].add(u), UPDATES)
add("put_along_axis", "3x2 2x2", "3x2", """c:i2x2 = const [[2, 0], [2, 1]]
y:3x2 = put_along_axis %a, %c, %b reduce = assign {axis = 0 : i64}""",
    lambda x, u: last_wins(x, [(2, 0), (0, 1), (2, 0), (1, 1)], u.reshape(-1)),
    [[spread(-1, 1, 6), spread(-1, 1, 4, 1)], [spread(-1, 1, 6, 2), spread(-1, 1, 4, 3)]])
add("where", "3 3", "3", "c:b3 = const [true, false, true]\ny:3 = where %c, %a, %b",
    lambda x, y: jnp.where(np.array([True, False, True]), x, y), PAIRS)
add("slice_concat", "2x3", "2x4",
    """p:2x2 = slice %a {axes = array<i64: 1>, starts = array<i64: 1>, ends = array<i64: 3>}
y:2x4 = concat %p, %p {axis = 1 : i64}""", lambda x: jnp.concatenate([x[:, 1:], x[:, 1:]], 1), MATRICES)
add("flip_roll", "2x3", "2x3", """p:2x3 = flip %a {axis = array<i64: 1>}
y:2x3 = roll %p {shifts = array<i64: 1>, axis = array<i64: 0>}""", lambda x: jnp.roll(jnp.flip(x, 1), 1, 0), MATRICES)
add("pad", "2x3", "3x4", "y:3x4 = pad %a {paddings = array<i64: 1, 0, 0, 1>, pad_value = 0.5}",
    lambda x: jnp.pad(x, ((1, 0), (0, 1)), constant_values=0.5), MATRICES)
add("tril", "3x3", "3x3", "y:3x3 = tril %a", jnp.tril, rows(spread(-1, 1, 9), spread(-1, 1, 9, 1)))

# Linear algebra.

REGULAR = [[2, 0.5, 0.25, -0.5, 1.5, 0.75, 0.125, 0.5, 3], [1, 2, 0.5, -1, 1, 0.25, 0.5, 0, 2]]


def square(name, body, function, points=REGULAR, out="3x3", **more):
    add(name, "3x3", out, body, function, rows(*points), **more)


def determinant(x):
    """By the rule of Sarrus: its derivatives of any order exist for singular matrices too."""
    (a, b, c), (d, e, f), (g, h, i) = x
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


square("det", "y: = det %a", determinant, REGULAR, "")
square("det_singular", "y: = det %a", determinant,
       [[1, 2, 3, 2, 4, 6, 1, 0, 1], [1, 2, 3, 2, 4, 6, 3, 6, 9], [0] * 9], "")
square("slogdet", "y:2 = slogdet %a", lambda x: jnp.stack([jnp.sign(determinant(x)), jnp.log(jnp.abs(determinant(x)))]),
       REGULAR, "2")
square("inverse", "y:3x3 = inverse %a", jnp.linalg.inv)
square("matrix_power", "y:3x3 = matrix_power %a {n = 3 : i64}", lambda x: x @ x @ x, REGULAR + [[0] * 9])
square("matrix_power_negative", "y:3x3 = matrix_power %a {n = -2 : i64}",
       lambda x: jnp.linalg.inv(x) @ jnp.linalg.inv(x))
square("cholesky", "c:3x3 = matmul %a, %a {transpose_y = true}\ny:3x3 = cholesky %c",
       lambda x: jnp.linalg.cholesky(x @ x.T))
square("qr", "q:3x3, y:3x3 = qr %a", lambda x: jnp.linalg.qr(x)[1])
square("trace", "y: = trace %a", jnp.trace, REGULAR, "")
add("solve", "3x3 3x2", "3x2", "y:3x2 = solve %a, %b", jnp.linalg.solve,
    [[REGULAR[0], spread(-1, 1, 6)], [REGULAR[1], spread(-1, 1, 6, 1)]])
add("triangular_solve", "3x3 3x2", "3x2", "y:3x2 = triangular_solve %a, %b",
    lambda x, y: jsp.linalg.solve_triangular(x, y, lower=False),
    [[REGULAR[0], spread(-1, 1, 6)], [REGULAR[1], spread(-1, 1, 6, 1)]])
add("eigenvalues", "3x3", "3", "c:3x3 = matmul %a, %a {transpose_y = true}\ny:3, v:3x3 = eigh %c",
    lambda x: jnp.linalg.eigh(x @ x.T)[0], rows(*REGULAR))
add("singular_values", "2x3", "2", "u:2x2, y:2, v:2x3 = svd %a", lambda x: jnp.linalg.svd(x, full_matrices=False)[1],
    MATRICES)
add("kron", "2x2 2x2", "4x4", "y:4x4 = kron %a, %b", jnp.kron, [[spread(-1, 1, 4), spread(-1, 1, 4, 1)]])


# Control flow.

add("while_fixed", "3", "3", """n:i1 = const [3]
z:i1 = const [0]
o:i1 = const [1]
  %y, %i = scf.while (%s = %a, %j = %z) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %l = pd.less_than %j, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %l {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %t = tensor.extract %r[] : tensor<i1>
    scf.condition(%t) %s, %j : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%p: tensor<3xf64>, %q: tensor<1xi64>):
    %m = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %u = pd.multiply %m, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %k = pd.add %q, %o : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %u, %k : tensor<3xf64>, tensor<1xi64>
  }""", lambda x: jnp.sin(jnp.sin(jnp.sin(x) * x) * x) * x, rows([0.5, -1.5, 2.0], [1.25, 0.0, -0.5]))


def doubled_until(x):
    """x times two as long as its sum is below 8, at most ten times."""
    for _ in range(10):
        x = jnp.where(x.sum() < 8, x * 2 + jnp.sin(x), x)
    return x


add("while_by_data", "3", "3", """  %e = pd.constant dense<8.0> : tensor<f64>
  %two = pd.constant dense<2.0> : tensor<f64>
  %y = scf.while (%s = %a) : (tensor<3xf64>) -> tensor<3xf64> {
    %g = pd.sum %s : (tensor<3xf64>) -> tensor<f64>
    %l = pd.less_than %g, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %t = tensor.extract %l[] : tensor<i1>
    scf.condition(%t) %s : tensor<3xf64>
  } do {
  ^bb0(%p: tensor<3xf64>):
    %m = pd.multiply %p, %two : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    %h = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %u = pd.add %m, %h : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %u : tensor<3xf64>
  }""", doubled_until, rows([0.5, 1.5, 2.0], [0.25, 0.125, 0.5], [3.0, 4.0, 5.0]))
add("if_by_data", "3", "3", """  %e = pd.constant dense<0.0> : tensor<f64>
  %g = pd.sum %a : (tensor<3xf64>) -> tensor<f64>
  %l = pd.less_than %g, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %t = tensor.extract %l[] : tensor<i1>
  %y = scf.if %t -> (tensor<3xf64>) {
    %m = pd.multiply %a, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %m : tensor<3xf64>
  } else {
    %h = pd.sin %a : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %h : tensor<3xf64>
  }""", lambda x: jnp.where(x.sum() < 0, x * x, jnp.sin(x)), rows([0.5, 1.5, 2.0], [-0.25, -0.125, 0.25]))

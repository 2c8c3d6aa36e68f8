"""Derivatives and batches of functions: formulas, finite differences, and values of Paddle."""
import numpy
import pytest
from conftest import assert_expected

import proa

PRODUCT = """
func.func @f(%w: tensor<4xf64>, %x: tensor<4xf64>) -> tensor<f64> {
  %y = pd.multiply %w, %x : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %z = pd.tanh %y : (tensor<4xf64>) -> tensor<4xf64>
  %loss = pd.sum %z : (tensor<4xf64>) -> tensor<f64>
  return %loss : tensor<f64>
}
"""


@pytest.fixture
def function():
    return proa.Function.parse(PRODUCT)


@pytest.fixture
def values():
    generator = numpy.random.default_rng(1)
    return generator.normal(size=4), generator.normal(size=4)


def test_call(function, values):
    w, x = values
    numpy.testing.assert_allclose(function(w, x), numpy.tanh(w * x).sum(), rtol=1e-12)
    numpy.testing.assert_array_equal(function(argument1=x, argument0=w), function(w, x))
    assert [info.dims for info in function.arguments] == [[4], [4]]
    assert [info.dtype for info in function.results] == ["float64"]
    assert "pd.tanh" in function.text and function.arena_bytes(w, x) >= 0


def test_grad(function, values):
    w, x = values
    slope = 1 - numpy.tanh(w * x) ** 2
    by_w, by_x = proa.grad(function)(w, x)
    numpy.testing.assert_allclose(by_w, slope * x, rtol=1e-10)
    numpy.testing.assert_allclose(by_x, slope * w, rtol=1e-10)
    value, gradient = proa.grad(function, "argument1", with_value=True)(w, x)
    numpy.testing.assert_array_equal(gradient, by_x)
    numpy.testing.assert_allclose(value, function(w, x), rtol=1e-12)


def test_jvp_and_vjp(function, values):
    w, x = values
    slope = 1 - numpy.tanh(w * x) ** 2
    direction = numpy.arange(4.0)
    _, tangent = proa.jvp(function, 0)(w, x, direction)
    numpy.testing.assert_allclose(tangent, (slope * x * direction).sum(), rtol=1e-10)
    _, gradient = proa.vjp(function, [0])(w, x, 2.0)
    numpy.testing.assert_allclose(gradient, 2 * slope * x, rtol=1e-10)


def test_hessian(function, values):
    w, x = values
    t = numpy.tanh(w * x)
    expected = numpy.diag(-2 * t * (1 - t**2) * x**2)
    numpy.testing.assert_allclose(proa.hessian(function, 0)(w, x), expected, rtol=1e-10, atol=1e-14)


def test_vmap(function, values):
    w, x = values
    batch = numpy.stack([x, 2 * x, -x])
    expected = numpy.tanh(w * batch).sum(axis=1)
    for axes in ([None, 0], {"argument1": 0}):
        numpy.testing.assert_allclose(proa.vmap(function, axes)(w, batch), expected, rtol=1e-12)
    each = proa.vmap(proa.grad(function, 0), [None, 0], size=3)(w, batch)
    assert each.shape == (3, 4)
    for row, example in zip(each, batch):
        numpy.testing.assert_allclose(row, proa.grad(function, 0)(w, example), rtol=1e-12)


def test_memory_transforms_keep_results(function, values):
    expected = proa.grad(function)(*values)
    for changed in (proa.checkpoint(function), function.without_optimization()):
        for found, value in zip(proa.grad(changed)(*values), expected):
            numpy.testing.assert_allclose(found, value, rtol=1e-12)
    for found, value in zip(proa.rematerialize(proa.grad(function))(*values), expected):
        numpy.testing.assert_allclose(found, value, rtol=1e-12)


def test_mixed_precision():
    text = """
func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = pd.matmul %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}"""
    a = numpy.linspace(0, 1, 64, dtype="float32").reshape(8, 8)
    function = proa.Function.parse(text)
    mixed = proa.mix_precision(function, {"level": "O1", "dtype": "bfloat16"})
    assert "bf16" in mixed.text
    numpy.testing.assert_allclose(mixed(a, a), a @ a, rtol=2e-2)
    numpy.testing.assert_allclose(function(a, a), a @ a, rtol=1e-5)


def test_program_as_function(case):
    folder, meta, inputs, expected = case("models/vision/lenet")
    function = proa.Function.open(folder)
    parameters = proa.open(folder).parameters
    (name,) = expected
    assert_expected(meta, {name: function(**inputs, **parameters)}, expected)
    # A derivative by the weights of the last layer, in which the program is linear, with central differences.
    (weights,) = [key for key, value in parameters.items() if value.shape == (84, 10)]
    along = proa.jvp(function, weights)
    values = inputs | dict(parameters)
    direction = numpy.random.default_rng(1).normal(size=(84, 10)).astype("float32")
    _, tangent = along(*[values[info.name] for info in function.arguments], direction)
    above, below = (function(**values | {weights: values[weights] + sign * direction}) for sign in (1, -1))
    numpy.testing.assert_allclose(tangent, (above - below) / 2, rtol=1e-4, atol=1e-3)


def test_with_dims_and_results():
    text = """
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = pd.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  %z = pd.tanh %x : (tensor<?xf32>) -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}"""
    function = proa.Function.parse(text)
    for dims in ([[3]], {"argument0": [3]}):
        assert function.with_dims(dims).arguments[0].dims == [3]
    second = function.with_results(1)
    numpy.testing.assert_allclose(second([0.5, 1]), numpy.tanh(numpy.float32([0.5, 1])), rtol=1e-6)


def test_errors(function, values):
    with pytest.raises(proa.Error, match="custom op name|unknown|undefined|pd.no_such"):
        proa.Function.parse("func.func @f() { pd.no_such }")
    with pytest.raises(TypeError, match="missing arguments: argument1"):
        function(values[0])
    with pytest.raises(TypeError, match="unknown or repeated argument 'y', expected: argument1"):
        function(values[0], y=1)
    with pytest.raises(TypeError, match="got 3 arguments, expected 2"):
        function(*values, 1)
    with pytest.raises(KeyError, match="argument 'y' is unknown, expected: argument0, argument1"):
        proa.grad(function, "y")
    with pytest.raises(IndexError, match="argument 5 is requested, expected 0 to 1"):
        proa.grad(function, 5)
    with pytest.raises(proa.Error, match=r"expected float64\[4\]"):
        function(numpy.zeros(4, "float32"), values[1])

"""A physics-informed network for the biharmonic equation of a clamped plate.

u_xxxx + 2 u_xxyy + u_yyyy = f on the unit square, u = 0 and du/dn = 0 on its boundary. N is a network of two hidden
layers; u = 200 (x (1-x) y (1-y))^2 N(x, y) satisfies the boundary conditions. Its fourth derivatives are forward mode
applied four times, batched over the three terms. The gradient of the loss by the parameters is reverse mode through it.
f is chosen so that the solution is u = (sin(pi x) sin(pi y))^2.

usage: physics_informed.py [STEPS]
"""
import math
import sys

import numpy
from numpy.typing import NDArray

import proa

SIDE, HIDDEN = 8, 16
POINTS = SIDE * SIDE
Array = NDArray[numpy.float64]

NETWORK = """
func.func @u(%p: tensor<64x2xf64>, %w1: tensor<2x16xf64>, %b1: tensor<16xf64>, %w2: tensor<16x16xf64>,
             %b2: tensor<16xf64>, %w3: tensor<16x1xf64>, %b3: tensor<1xf64>) -> tensor<64x1xf64> {
  %m1 = pd.matmul %p, %w1 : (tensor<64x2xf64>, tensor<2x16xf64>) -> tensor<64x16xf64>
  %s1 = pd.add %m1, %b1 : (tensor<64x16xf64>, tensor<16xf64>) -> tensor<64x16xf64>
  %h1 = pd.tanh %s1 : (tensor<64x16xf64>) -> tensor<64x16xf64>
  %m2 = pd.matmul %h1, %w2 : (tensor<64x16xf64>, tensor<16x16xf64>) -> tensor<64x16xf64>
  %s2 = pd.add %m2, %b2 : (tensor<64x16xf64>, tensor<16xf64>) -> tensor<64x16xf64>
  %h2 = pd.tanh %s2 : (tensor<64x16xf64>) -> tensor<64x16xf64>
  %m3 = pd.matmul %h2, %w3 : (tensor<64x16xf64>, tensor<16x1xf64>) -> tensor<64x1xf64>
  %n = pd.add %m3, %b3 : (tensor<64x1xf64>, tensor<1xf64>) -> tensor<64x1xf64>
  %one = pd.constant dense<1.0> : tensor<f64>
  %q = pd.subtract %one, %p : (tensor<f64>, tensor<64x2xf64>) -> tensor<64x2xf64>
  %pq = pd.multiply %p, %q : (tensor<64x2xf64>, tensor<64x2xf64>) -> tensor<64x2xf64>
  %border = pd.prod %pq {axis = array<i64: 1>, keepdim = true} : (tensor<64x2xf64>) -> tensor<64x1xf64>
  %square = pd.multiply %border, %border : (tensor<64x1xf64>, tensor<64x1xf64>) -> tensor<64x1xf64>
  %scale = pd.constant dense<200.0> : tensor<f64>
  %scaled = pd.multiply %square, %scale : (tensor<64x1xf64>, tensor<f64>) -> tensor<64x1xf64>
  %u = pd.multiply %scaled, %n : (tensor<64x1xf64>, tensor<64x1xf64>) -> tensor<64x1xf64>
  return %u : tensor<64x1xf64>
}"""


def grid(offset: float) -> Array:
    """The points of a grid in the square, shifted by `offset` of its step."""
    steps = (numpy.arange(SIDE) + offset) / SIDE
    return numpy.stack(numpy.meshgrid(steps, steps), axis=-1).reshape(POINTS, 2)


def solution(points: Array) -> Array:
    values: Array = numpy.sin(math.pi * points).prod(axis=1, keepdims=True) ** 2
    return values


def force(points: Array) -> Array:
    """The biharmonic operator applied to the solution."""
    cosines = numpy.cos(2 * math.pi * points)
    value, second, fourth = (1 - cosines) / 2, 2 * math.pi**2 * cosines, -8 * math.pi**4 * cosines
    x, y = slice(0, 1), slice(1, 2)
    total: Array = fourth[:, x] * value[:, y] + 2 * second[:, x] * second[:, y] + value[:, x] * fourth[:, y]
    return total


def directions() -> list[Array]:
    """For each of four derivatives the direction of each term of the operator: xxxx, xxyy, yyyy."""
    units = {"x": [1.0, 0.0], "y": [0.0, 1.0]}
    terms = ["xxxx", "xxyy", "yyyy"]
    return [
        numpy.broadcast_to(numpy.array([units[term[order]] for term in terms])[:, None], (3, POINTS, 2))
        for order in range(4)
    ]


def main() -> int:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    u = derivative = proa.Function.parse(NETWORK)
    for _ in range(4):
        derivative = proa.jvp(derivative, 0).with_results(1)
    # All three terms at once: directions are batched, points and parameters are not.
    terms = proa.vmap(derivative, [None] * 7 + [0] * 4, size=3)
    gradient = proa.vjp(terms, range(1, 7))

    generator = numpy.random.default_rng(1)
    shapes = [(2, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,)]
    scales = [1 / math.sqrt(shape[0]) if len(shape) == 2 else 0.1 for shape in shapes]
    parameters = [generator.normal(scale=scale, size=shape) for shape, scale in zip(shapes, scales)]
    first, second = ([numpy.zeros(shape) for shape in shapes] for _ in range(2))
    inside, along = grid(0.5), directions()
    weights, size = numpy.array([1.0, 2.0, 1.0]).reshape(3, 1, 1), 8 * math.pi**4

    def error() -> float:
        """The largest error at points outside of the training set; the maximum of the solution is 1."""
        points = grid(0.25)
        return float(numpy.abs(u(points, *parameters) - solution(points)).max())

    for step in range(steps):
        fourth = terms(inside, *parameters, *along)
        residual = ((weights * fourth).sum(axis=0) - force(inside)) / size
        cotangent = 2 * residual * weights / (POINTS * size)
        _, *by_parameters = gradient(inside, *parameters, *along, cotangent)
        rate = 1e-2 * 0.05 ** (step / steps)
        for p, g in enumerate(by_parameters):  # Adam
            first[p] = 0.9 * first[p] + 0.1 * g
            second[p] = 0.999 * second[p] + 0.001 * g * g
            mean, square = first[p] / (1 - 0.9 ** (step + 1)), second[p] / (1 - 0.999 ** (step + 1))
            parameters[p] = parameters[p] - rate * mean / (numpy.sqrt(square) + 1e-8)
        if step % 100 == 0 or step + 1 == steps:
            print(f"step {step:5d}  loss {float((residual**2).mean()):.3e}  greatest error {error():.3e}")
    return 0 if error() < 1e-2 else 1


if __name__ == "__main__":
    sys.exit(main())

"""Finds an image that a classifier assigns to a class, with the classifier's gradient in SciPy's optimizer.

usage: minimize_with_scipy.py [MODEL [CLASS]]    MODEL maps one float32 feed to scores; default: LeNet, class 3
"""
import pathlib
import sys

import numpy
from numpy.typing import NDArray

import proa

DEFAULT = pathlib.Path(__file__).parents[2] / "test/corpus/models/vision/lenet"
WEIGHT = 1e-3  # of the squared image in the loss


def main() -> int:
    try:
        from scipy.optimize import minimize
    except ImportError:
        print("skipped: expected the package scipy")
        return 77
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    expected = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    model = proa.open(path)
    feed = model.feeds[0]
    parameters = dict(model.parameters)
    # (feed, parameters, cotangent of the scores) -> (scores, gradient by the feed)
    gradient = proa.vjp(proa.Function.open(path), feed.name)
    cotangent_name = gradient.arguments[-1].name

    def evaluate(scores: NDArray[numpy.float32]) -> tuple[float, NDArray[numpy.float32]]:
        """The mean cross entropy with the expected class, and its gradient by the scores."""
        exponentials = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        softmax = exponentials / exponentials.sum(axis=1, keepdims=True)
        loss = -numpy.log(softmax[:, expected]).mean()
        softmax[:, expected] -= 1
        return float(loss), softmax / len(scores)

    def loss_and_gradient(flat: NDArray[numpy.float64]) -> tuple[float, NDArray[numpy.float64]]:
        image = flat.reshape(feed.dims).astype("float32")
        feeds = {feed.name: image, **parameters}
        (scores,) = model.run({feed.name: image}).values()
        loss, cotangent = evaluate(scores)
        _, by_image = gradient(**feeds, **{cotangent_name: cotangent})
        return loss + WEIGHT * float(flat @ flat), by_image.astype("float64").ravel() + 2 * WEIGHT * flat

    start = numpy.random.default_rng(1).normal(size=feed.dims).ravel()
    before, slope = loss_and_gradient(start)
    # The gradient along itself, with a central difference.
    step = 1e-2 * slope / numpy.linalg.norm(slope)
    difference = (loss_and_gradient(start + step)[0] - loss_and_gradient(start - step)[0]) / 2e-2
    print(f"slope {numpy.linalg.norm(slope):.5f}, by differences {difference:.5f}")
    found = minimize(loss_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    (scores,) = model.run({feed.name: found.x.reshape(feed.dims).astype("float32")}).values()
    print(f"loss {before:.3f} -> {found.fun:.4f} after {found.nit} iterations, classes {scores.argmax(axis=1)}")
    is_right = abs(numpy.linalg.norm(slope) - difference) < 0.05 * difference
    return 0 if is_right and (scores.argmax(axis=1) == expected).all() else 1


if __name__ == "__main__":
    sys.exit(main())

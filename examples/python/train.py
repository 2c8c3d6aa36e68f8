"""Trains a program of Paddle on random points, with a checkpoint after each epoch; continues from the last one.

usage: train.py [FOLDER [EPOCHS]]    FOLDER has the checkpoint; default: a temporary one
"""
import pathlib
import sys
import tempfile
from collections.abc import Iterator

import numpy

import proa

PROGRAM = pathlib.Path(__file__).parents[2] / "test/corpus/training/mlp_adagrad"
STEPS = 40  # in an epoch


def batches(model: proa.Model, epoch: int) -> Iterator[dict[str, numpy.ndarray]]:
    """Points with the labels of a linear classifier; equal epochs have equal batches."""
    dims = model.feeds[0].dims
    classifier = numpy.random.default_rng(0).normal(size=(dims[1], 4))
    generator = numpy.random.default_rng(epoch + 1)
    for _ in range(STEPS):
        x = generator.normal(size=dims).astype("float32")
        yield {"x": x, "y": (x @ classifier).argmax(axis=1, keepdims=True)}


def train(folder: pathlib.Path, epochs: int) -> list[float]:
    """Trains up to an epoch; returns the mean loss of each epoch that this call ran."""
    model = proa.open(PROGRAM, on_diagnostic=lambda _: None)
    step = model.load_checkpoint(folder) if any(folder.iterdir()) else 0
    if step:
        print(f"continues after step {step}")
    losses = []
    for epoch in range(step // STEPS, epochs):
        values = [float(next(iter(model.run(batch).values()))) for batch in batches(model, epoch)]
        losses.append(sum(values) / len(values))
        model.save_checkpoint(folder, step=(epoch + 1) * STEPS, wait=False)  # while the next epoch runs
        print(f"epoch {epoch}: loss {losses[-1]:.4f}")
    model.finish_checkpoint()
    return losses


def main() -> int:
    epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    if len(sys.argv) > 1:
        folder = pathlib.Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        train(folder, epochs)
        return 0
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        whole = train(pathlib.Path(first), epochs)
        # The same in two runs: states of the optimizer are in the checkpoint, too.
        resumed = train(pathlib.Path(second), epochs // 2) + train(pathlib.Path(second), epochs)
    print("equal losses after the interruption:", whole == resumed)
    return 0 if whole == resumed and whole[-1] < 0.7 * whole[0] else 1


if __name__ == "__main__":
    sys.exit(main())

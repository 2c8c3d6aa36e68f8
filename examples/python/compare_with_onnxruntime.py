"""Runs a model by proa and by ONNX Runtime, and compares the outputs.

usage: compare_with_onnxruntime.py [MODEL]    MODEL is a folder or file that proa opens; default: LeNet
"""
import pathlib
import sys
import tempfile

import numpy

import proa

DEFAULT = pathlib.Path(__file__).parents[2] / "test/corpus/models/vision/lenet"


def random_feeds(model: proa.Model) -> dict[str, numpy.ndarray]:
    generator = numpy.random.default_rng(1)
    return {
        info.name: generator.random([max(dim, 1) for dim in info.dims]).astype(info.dtype) for info in model.feeds
    }


def main() -> int:
    try:
        import onnxruntime
    except ImportError:
        print("skipped: expected the package onnxruntime")
        return 77
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    model = proa.open(path)
    feeds = random_feeds(model)
    outputs = model.run(feeds)
    with tempfile.TemporaryDirectory() as folder:
        file = path if path.suffix == ".onnx" else pathlib.Path(folder) / "model.onnx"
        if file is not path:
            proa.translate(path, file)
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        others = session.run(None, feeds)
    greatest = 0.0
    for (name, value), other in zip(outputs.items(), others):
        error = float(numpy.abs(value - other).max() / max(numpy.abs(other).max(), 1))
        greatest = max(greatest, error)
        print(f"{name}: {value.dtype}{list(value.shape)}, greatest error {error:.1e}")
    return 0 if greatest < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())

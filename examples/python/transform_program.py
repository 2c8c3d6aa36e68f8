"""Imports a program, transforms it, runs the result, and exports it.

usage: transform_program.py [MODEL]    default: LeNet
"""
import collections
import pathlib
import re
import sys
import tempfile

import numpy

import proa

DEFAULT = pathlib.Path(__file__).parents[2] / "test/corpus/models/vision/lenet"


def count_ops(text: str) -> collections.Counter[str]:
    return collections.Counter(re.findall(r"\bpd\.(\w+)[ (]", text))


def main() -> int:
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    text = proa.translate(path)
    decomposed = proa.opt(text, "builtin.module(func.func(pd-decompose,canonicalize,cse))")
    print("imported:  ", dict(count_ops(text)))
    print("decomposed:", dict(count_ops(decomposed)))
    model = proa.open(path)
    generator = numpy.random.default_rng(1)
    feeds = {info.name: generator.random([max(dim, 1) for dim in info.dims]).astype(info.dtype) for info in model.feeds}
    expected = model.run(feeds)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model.parameters.save(folder / "weights.safetensors")
        (folder / "decomposed.mlir").write_text(decomposed)
        for output in ("decomposed.onnx", "legacy"):  # an ONNX model, and a folder that Paddle opens
            proa.translate(folder / "decomposed.mlir", folder / output, parameters=folder / "weights.safetensors")
        for program, options in (
            ("decomposed.mlir", proa.Options(parameters=folder / "weights.safetensors")),
            ("decomposed.onnx", proa.Options()),
            ("legacy", proa.Options()),
        ):
            outputs = proa.open(folder / program, **options).run(feeds)
            errors = [float(numpy.abs(outputs[name] - value).max()) for name, value in expected.items()]
            print(f"{program}: greatest error {max(errors):.1e}")
            if max(errors) > 1e-4:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

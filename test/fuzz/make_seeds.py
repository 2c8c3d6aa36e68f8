#!/usr/bin/env python3
"""Writes files from which fuzzers of readers start, where the corpus has none: state dicts, indices, arrays.

usage: make_seeds.py FOLDER      writes FOLDER/seeds-state-dict, FOLDER/seeds-checkpoint-index, FOLDER/seeds-npy

Ends with code 77 without NumPy.
"""
import io
import json
import pathlib
import pickle
import sys
import zipfile

try:
    import numpy
except ImportError:
    print("skipped: Python has no NumPy")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "checkpoint"))
import stubs  # noqa: E402


def arrays():
    for dtype in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", ">f4", "U2", "O"):
        yield f"type-{dtype.replace('>', 'big-')}", numpy.ones((2, 3), dtype)
    yield "scalar", numpy.array(2.5, "f4")
    yield "empty", numpy.zeros((0, 4), "f4")
    yield "columns", numpy.asfortranarray(numpy.arange(6, dtype="f4").reshape(2, 3))


def npy_files():
    for name, array in arrays():
        for version in ((1, 0), (2, 0)):
            file = io.BytesIO()
            numpy.lib.format.write_array(file, array, version)
            yield f"{name}-{version[0]}", file.getvalue()


def paddle_files():
    values = {name: array for name, array in arrays() if array.dtype.kind not in "UO"}
    state = values | {"LR_Scheduler": {"last_epoch": 3, "last_lr": 0.25}, "StructuredToParameterName@@": {"w": "x"}}
    for protocol in (2, 3, 4, 5):
        yield f"state-{protocol}", pickle.dumps(state, protocol=protocol)
        yield f"pair-{protocol}", pickle.dumps({"w": ("w", values["type-f4"])}, protocol=protocol)
        yield f"one-{protocol}", pickle.dumps({"w": values["columns"]}, protocol=protocol)


def torch_files():
    data = numpy.arange(24, dtype="f4")
    storage = stubs.Storage("FloatStorage", "0", data.tobytes(), 24)
    halves = stubs.Storage("BFloat16Storage", "1", bytes(6), 3)
    state = {"whole": stubs.TorchTensor(storage, 0, (4, 6), (6, 1)),
             "turned": stubs.TorchTensor(storage, 0, (6, 4), (1, 6)),
             "scalar": stubs.TorchTensor(storage, 3, (), ()), "halves": stubs.TorchTensor(halves, 0, (3,), (1,)),
             "optimizer": {"step": 7, "betas": (0.9, 0.999)}}
    yield "torch", stubs.torch_save(state)
    yield "torch-compressed", stubs.torch_save(state, zipfile.ZIP_DEFLATED)
    yield "torch-tensor", stubs.torch_save(state["turned"])


def index_files():
    yield "hub", json.dumps({"metadata": {"total_size": 96},
                             "weight_map": {"w": "1.safetensors", "b": "2.safetensors"}})
    shards = [{"file": "0.safetensors", "box": [[0, 2], [0, 6]], "checksum": "0123456789abcdef"},
              {"file": "1.safetensors", "box": [[2, 4], [0, 6]]}]
    catalog = {"version": 1, "save": "1", "tensors": {"w": {"dtype": "float32", "shape": [4, 6], "kind": "parameter"}},
               "shards": {"w": shards}, "files": {"0.safetensors": 96, "1.safetensors": None},
               "training": {"step": 3, "random": {"seed": 1, "calls": 2}}, "checksum": "0123456789abcdef"}
    yield "catalog", json.dumps({"metadata": {"total_size": 96, "proa": catalog}, "weight_map": {"w": "0.safetensors"}})
    catalog = {name: value for name, value in catalog.items() if name not in ("checksum", "training")}
    yield "catalog-plain", json.dumps({"metadata": {"proa": catalog}, "weight_map": {}})


def main():
    folder = pathlib.Path(sys.argv[1])
    files = {"npy": [*npy_files()], "state-dict": [*paddle_files(), *torch_files()],
             "checkpoint-index": [(name, text.encode()) for name, text in index_files()]}
    for fuzzer, seeds in files.items():
        target = folder / f"seeds-{fuzzer}"
        target.mkdir(parents=True, exist_ok=True)
        for name, content in seeds:
            (target / name).write_bytes(content)


main()

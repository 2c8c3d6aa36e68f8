"""Reads the case folders of test/corpus: tensors, and weights that are generated from a seed."""

import json
import os

import numpy as np

from tensor_files import read_safetensors

MASK = (1 << 64) - 1


def seeded(name, shape, seed, low, high):
    """The weights of a `generated_params` entry; the formula is in test/corpus/README.md."""
    hashed = 0xCBF29CE484222325
    for byte in name.encode():
        hashed = ((hashed ^ byte) * 0x100000001B3) & MASK
    golden = 0x9E3779B97F4A7C15
    count = int(np.prod(shape, dtype=np.int64))
    with np.errstate(over="ignore"):
        z = np.uint64(hashed ^ (seed * golden & MASK)) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(golden)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    unit = (z >> np.uint64(40)).astype(np.float64) / float(1 << 24)
    return (low + (high - low) * unit).astype(np.float32).reshape(shape)


class Case:
    """Program, weights, inputs and expected outputs of one inference case."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "meta.json")) as file:
            self.meta = json.load(file)
        self.name = self.meta["case"]
        first = lambda tensors: {k: v for k, v in tensors.items() if not k.startswith(("run", "step", "final/"))}
        self.feeds = first(read_safetensors(os.path.join(folder, "inputs.safetensors")))
        self.expected = first(read_safetensors(os.path.join(folder, "expected.safetensors")))

    def weights(self):
        weights = dict(read_safetensors(os.path.join(self.folder, "params.safetensors")))
        generated = self.meta.get("generated_params") or {}
        for entry in generated.get("params", []):
            weights[entry["name"]] = seeded(entry["name"], entry["shape"], generated["seed"], entry["lo"], entry["hi"])
        return weights

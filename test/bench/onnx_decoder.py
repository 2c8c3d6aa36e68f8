#!/usr/bin/env python3
"""Latency of a language model with quantized weights, in proa and in ONNX Runtime on the same files.

    PYTHONPATH=build/onnx test/bench/onnx_decoder.py

The model has random weights, 4 layers, 16 heads of 64 elements that share 4 heads of keys and values, 2,048 hidden
units and 4,000 words (test/onnx/models/decoder_models.py). Weights: float32, and 4 and 8 bits in blocks of 32. A prompt
has 128 tokens; a step decodes one token after 512. Columns: milliseconds, best median of the rounds; the last is above
1 where proa is faster."""

import argparse
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "onnx"), str(HERE.parent / "onnx" / "models")]

import onnx  # noqa: E402
import safetensors_file  # noqa: E402
from decoder_models import Decoder, Sizes  # noqa: E402
from onnx_latency import median_of_onnxruntime, median_of_proa  # noqa: E402

SIZES = Sizes(layers=4, heads=16, kv_heads=4, size=64, words=4000, hidden=2048, context=2048)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(HERE.parent.parent / "build" / "release" / "bin"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.4, help="measuring time of a round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    print("%-8s %-8s %9s %9s %9s" % ("weights", "run", "proa", "ort", "ort/proa"))
    for name, bits in (("float32", 0), ("8 bits", 8), ("4 bits", 4)):
        decoder = Decoder(SIZES, bits, block=32)
        model = decoder.model()
        with tempfile.TemporaryDirectory() as folder:
            path, inputs = os.path.join(folder, "model.onnx"), os.path.join(folder, "x.safetensors")
            onnx.save(model, path)
            for run, data in (("prompt", (1, 128, 0)), ("step", (1, 1, 512))):
                feeds = dict(zip([value.name for value in model.graph.input], decoder.data(*data)))
                safetensors_file.write(inputs, feeds)
                rounds = [(median_of_proa(options, path, inputs), median_of_onnxruntime(options, path, feeds))
                          for _ in range(options.rounds)]
                proa, other = (min(times) for times in zip(*rounds))
                print("%-8s %-8s %9.2f %9.2f %9.2f" % (name, run, proa, other, other / proa), flush=True)


main()

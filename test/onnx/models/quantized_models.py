#!/usr/bin/env python3
"""Quantizes and optimizes models by the tools of ONNX Runtime, as case folders: quantized_models.py CORPUS OUTPUT

CORPUS has the models of torch_models.py. Needs onnx and onnxruntime from PyPI, and sympy.
"""
import pathlib
import sys
import tempfile

import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType, matmul_nbits_quantizer,
                                      quantize_dynamic, quantize_static)
from onnxruntime.quantization.shape_inference import quant_pre_process

from case_writer import write_case


def inputs_of(folder):
    model = onnx.load(folder / "model.onnx")
    names = [info.name for info in model.graph.input]
    sets = []
    for place in sorted(folder.glob("test_data_set_*")):
        sets.append([numpy_helper.to_array(onnx.load_tensor(place / f"input_{i}.pb")) for i in range(len(names))])
    return names, sets


class Calibration(CalibrationDataReader):
    def __init__(self, names, sets):
        self.feeds = iter([dict(zip(names, values)) for values in sets])

    def get_next(self):
        return next(self.feeds, None)


def static(source, target, names, sets, **options):
    quant_pre_process(source, target.with_suffix(".prepared.onnx"), skip_symbolic_shape=True)
    quantize_static(target.with_suffix(".prepared.onnx"), target, Calibration(names, sets), **options)


def dynamic(source, target, names, sets, **options):
    quantize_dynamic(source, target, **options)


def four_bits(source, target, names, sets, **options):
    quantizer = matmul_nbits_quantizer.MatMulNBitsQuantizer(onnx.load(source), block_size=16, **options)
    quantizer.process()
    onnx.save(quantizer.model.model, target)


def fused_transformer(source, target, names, sets, kind):
    """The ops of com.microsoft that the optimizer for transformers writes."""
    from onnxruntime.transformers import optimizer

    optimizer.optimize_model(str(source), model_type=kind, num_heads=2, hidden_size=16, opt_level=0,
                             only_onnxruntime=False).save_model_to_file(str(target))


def fused_by_runtime(source, target, names, sets):
    """The model as ONNX Runtime saves it after its extended optimizations."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


# ONNX Runtime itself, with and without its optimizations, differs by this much where activations are quantized at run:
# a value between two steps is rounded to the one or the other.
DYNAMIC = (1e-2, 5e-3)

# Name: source, tool, options, tolerances.
cases = {
    "cnn_qdq": ("cnn", static, {"quant_format": QuantFormat.QDQ}),
    "resnet_qdq_per_channel": ("resnet", static, {"quant_format": QuantFormat.QDQ, "per_channel": True,
                                            "activation_type": QuantType.QInt8}),
    "cnn_qoperator": ("cnn", static, {"quant_format": QuantFormat.QOperator, "activation_type": QuantType.QUInt8}),
    "resnet_qdq_int16": ("resnet", static, {"quant_format": QuantFormat.QDQ, "activation_type": QuantType.QUInt16}),
    "lstm_dynamic": ("lstm_two_layers", dynamic, {}, DYNAMIC),
    "transformer_dynamic": ("vision_transformer", dynamic, {"weight_type": QuantType.QUInt8}, DYNAMIC),
    "llama_4_bits": ("llama", four_bits, {}),
    "bert_fused": ("bert", fused_transformer, {"kind": "bert"}),
    "mobile_blocks_fused": ("mobile_blocks", fused_by_runtime, {}),
    "vision_transformer_fused": ("vision_transformer", fused_by_runtime, {}),
}


def main():
    corpus, out = map(pathlib.Path, sys.argv[1:3])
    for name, (source, tool, options, *tolerances) in cases.items():
        names, sets = inputs_of(corpus / source)
        try:
            with tempfile.TemporaryDirectory() as folder:
                target = pathlib.Path(folder) / "model.onnx"
                tool(corpus / source / "model.onnx", target, names, sets, **options)
                write_case(out / name, onnx.load(target), *sets, tolerances=tolerances[0] if tolerances else None)
        except Exception as error:  # noqa: BLE001
            print(f"FAILED {name}: {type(error).__name__}: {str(error)[:600]}", file=sys.stderr)


if __name__ == "__main__":
    main()

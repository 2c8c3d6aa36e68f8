#!/usr/bin/env python3
"""Writes language models in the form of ONNX Runtime GenAI, as case folders: decoder_models.py OUTPUT

Grouped heads, rotary embeddings and a cache (GroupQueryAttention), residual normalizations, weights of 4 and 8 bits.
A data set is a prompt, one a step of decoding, and one a step of two examples. Needs onnx and onnxruntime from PyPI.
"""
import dataclasses
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from case_writer import write_case

MICROSOFT = "com.microsoft"


@dataclasses.dataclass
class Sizes:
    layers: int = 2
    heads: int = 6
    kv_heads: int = 2
    size: int = 16  # of a head
    words: int = 61
    hidden: int = 80
    context: int = 64

    @property
    def width(self):
        return self.heads * self.size


class Decoder:
    """A model of matrices with `bits` bits for each element, in blocks; with bits=0 of float32. QDQ: of int4, with
    DequantizeLinear."""

    def __init__(self, sizes, bits, block, has_zeros=False, is_qdq=False):
        self.random = np.random.default_rng(11)
        self.sizes, self.bits, self.block, self.has_zeros, self.is_qdq = sizes, bits, block, has_zeros, is_qdq
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def weight(self, name, values):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, op, inputs, outputs, domain="", **attributes):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def linear(self, x, name, inner, outer):
        if self.bits == 0:
            values = self.random.standard_normal((inner, outer)) / np.sqrt(inner)
            return self.node("MatMul", [x, self.weight(name, values.astype(np.float32))], f"{name}_out")
        if self.is_qdq:
            return self.dequantized_linear(x, name, inner, outer)
        blocks = -(-inner // self.block)
        codes = self.random.integers(0, 256, (outer, blocks, self.block * self.bits // 8), dtype=np.uint8)
        scale = 3 / (2 ** self.bits * np.sqrt(inner))
        scales = (scale * (0.5 + self.random.random((outer, blocks)))).astype(np.float32)
        operands = [x, self.weight(name, codes), self.weight(f"{name}_scales", scales.reshape(-1))]
        if self.has_zeros:
            zeros = self.random.integers(0, 256, (outer, (blocks * self.bits + 7) // 8), dtype=np.uint8)
            operands.append(self.weight(f"{name}_zeros", zeros.reshape(-1)))
        return self.node("MatMulNBits", operands, f"{name}_out", MICROSOFT, K=inner, N=outer, bits=self.bits,
                         block_size=self.block)

    def dequantized_linear(self, x, name, inner, outer):
        def integers(what, *dims):
            values = self.random.integers(-8, 8, dims).reshape(-1).tolist()
            self.weights.append(helper.make_tensor(f"{name}_{what}", TensorProto.INT4, dims, values))
            return f"{name}_{what}"

        blocks = inner // self.block
        scales = 0.2 / np.sqrt(inner) * (0.5 + self.random.random((blocks, outer)))
        operands = [integers("codes", inner, outer), self.weight(f"{name}_scales", scales.astype(np.float32)),
                    integers("zeros", blocks, outer)]
        matrix = self.node("DequantizeLinear", operands, name, axis=0, block_size=self.block)
        return self.node("MatMul", [x, matrix], f"{name}_out")

    def norm_weight(self, name):
        return self.weight(name, (1 + 0.1 * self.random.standard_normal(self.sizes.width)).astype(np.float32))

    def lengths(self):
        """seqlens_k and total_sequence_length of GroupQueryAttention."""
        self.node("ReduceSum", ["attention_mask", self.weight("axis", np.array([1]))], "count", keepdims=0)
        self.node("Sub", ["count", self.weight("one", np.array(1))], "before")
        self.node("Cast", ["before"], "lengths", to=TensorProto.INT32)
        self.node("Shape", ["attention_mask"], "dims")
        self.node("Gather", ["dims", "one"], "whole")
        self.node("Cast", ["whole"], "total", to=TensorProto.INT32)

    def attention(self, name, index, x):
        of = self.sizes
        q, k, v = (self.linear(x, name + part, of.width, heads * of.size)
                   for part, heads in (("q", of.heads), ("k", of.kv_heads), ("v", of.kv_heads)))
        caches = []
        for values, prefix, length in ((self.inputs, "past", "past"), (self.outputs, "present", "all")):
            dims = ["batch", of.kv_heads, length, of.size]
            for part in ("key", "value"):
                caches.append(f"{prefix}.{index}.{part}")
                values.append(helper.make_tensor_value_info(caches[-1], TensorProto.FLOAT, dims))
        out = self.node("GroupQueryAttention", [q, k, v, *caches[:2], "lengths", "total", "cos", "sin"],
                        [name + "attention", *caches[2:]], MICROSOFT, num_heads=of.heads, kv_num_heads=of.kv_heads,
                        do_rotary=1)
        return self.linear(out, name + "o", of.width, of.width)

    def add_and_normalize(self, name, residual, x):
        outputs = [f"{name}_normal", "", "", f"{name}_residual"]
        self.node("SkipSimplifiedLayerNormalization", [residual, x, self.norm_weight(name)], outputs, MICROSOFT,
                  epsilon=1e-5)
        return outputs[3], outputs[0]

    def layer(self, index, residual, x):
        name, of = f"layer{index}_", self.sizes
        residual, x = self.add_and_normalize(name + "middle", residual, self.attention(name, index, x))
        gate, up = (self.linear(x, name + part, of.width, of.hidden) for part in ("gate", "up"))
        sigmoid = self.node("Sigmoid", [gate], name + "sigmoid")
        silu = self.node("Mul", [gate, sigmoid], name + "silu")
        product = self.node("Mul", [silu, up], name + "product")
        return self.add_and_normalize(name + "last", residual, self.linear(product, name + "down", of.hidden, of.width))

    def normalized(self, x):
        self.weight("epsilon", np.array(1e-5, np.float32))
        self.node("Mul", [x, x], "squares")
        self.node("ReduceMean", ["squares", self.weight("last", np.array([-1]))], "mean")
        self.node("Add", ["mean", "epsilon"], "positive")
        self.node("Sqrt", ["positive"], "root")
        self.node("Div", [x, "root"], "quotient")
        return self.node("Mul", ["quotient", self.norm_weight("norm")], "normal")

    def model(self):
        for name, length in (("input_ids", "tokens"), ("attention_mask", "all")):
            self.inputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", length]))
        table = self.random.standard_normal((self.sizes.words, self.sizes.width)).astype(np.float32)
        x = self.node("Gather", [self.weight("table", table), "input_ids"], "x")
        self.lengths()
        pairs = self.sizes.size // 2
        angles = np.arange(self.sizes.context)[:, None] / 10000 ** (np.arange(pairs) / pairs)
        self.weight("cos", np.cos(angles).astype(np.float32))
        self.weight("sin", np.sin(angles).astype(np.float32))
        residual, normal = x, self.normalized(x)
        for index in range(self.sizes.layers):
            residual, normal = self.layer(index, residual, normal)
        logits = self.linear(normal, "head", self.sizes.width, self.sizes.words)
        dims = ["batch", "tokens", self.sizes.words]
        self.outputs.insert(0, helper.make_tensor_value_info(logits, TensorProto.FLOAT, dims))
        graph = helper.make_graph(self.nodes, "decoder", self.inputs, self.outputs, self.weights)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def data(self, batch, tokens, past):
        """Inputs in the order of the model's."""
        mask = np.ones((batch, past + tokens), np.int64)
        cache = [self.random.standard_normal((batch, self.sizes.kv_heads, past, self.sizes.size)).astype(np.float32)
                 for _ in range(2 * self.sizes.layers)]
        return [self.random.integers(0, self.sizes.words, (batch, tokens)), mask, *cache]


def main():
    out = pathlib.Path(sys.argv[1])
    # With random zero points outputs near zero are differences of large sums.
    for name, options, tolerances in (("decoder_4_bits", (4, 32), None),
                                      ("decoder_4_bits_zeros", (4, 16, True), (1e-3, 1e-5)),
                                      ("decoder_8_bits", (8, 32), None),
                                      ("decoder_4_bits_qdq", (4, 16, True, True), (1e-3, 1e-5))):
        decoder = Decoder(Sizes(), *options)
        write_case(out / name, decoder.model(), decoder.data(1, 24, 0), decoder.data(1, 1, 19), decoder.data(2, 1, 9),
                   tolerances=tolerances)


if __name__ == "__main__":
    main()

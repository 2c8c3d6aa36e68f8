#!/usr/bin/env python3
"""Writes models of one op of com.microsoft or ai.onnx.ml each, as case folders: runtime_op_models.py OUTPUT

Needs onnx and onnxruntime from PyPI.
"""
import pathlib
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from case_writer import write_case

RANDOM = np.random.default_rng(7)
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def floats(*dims, scale=1.0):
    return (RANDOM.standard_normal(dims) * scale).astype(np.float32)


def bytes_(*dims, dtype=np.uint8):
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max + 1, dims).astype(dtype)


def scalar(value, dtype=np.float32):
    return np.array(value, dtype)


class Case:
    """One node. Inputs are arrays (feeds), or ("w", array): a weight; None: absent. An output whose type is None is not
    one of the model."""

    def __init__(self, op, inputs, outputs=1, domain=MICROSOFT, dynamic=(), types=None, **attributes):
        self.op, self.inputs, self.domain, self.dynamic = op, inputs, domain, dynamic
        self.outputs = outputs if isinstance(outputs, list) else [f"y{i}" for i in range(outputs)]
        self.types, self.attributes = types, attributes

    def model(self):
        names, feeds, weights = [], [], []
        for i, value in enumerate(self.inputs):
            name = "" if value is None else f"x{i}"
            names.append(name)
            if isinstance(value, tuple):
                weights.append(numpy_helper.from_array(value[1], name))
            elif value is not None:
                dims = [f"{name}_{d}" if d in self.dynamic else dim for d, dim in enumerate(value.shape)]
                feeds.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), dims))
        node = helper.make_node(self.op, names, self.outputs, domain=self.domain, **self.attributes)
        types = self.types or [TensorProto.FLOAT] * len(self.outputs)
        outputs = [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(self.outputs, types)
                   if name and kind is not None]
        graph = helper.make_graph([node], self.op, feeds, outputs, weights)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1), helper.make_opsetid(ML, 3)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        # The outputs need ranks, which a run tells.
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        values = session.run(None, {info.name: value for info, value in zip(feeds, self.feeds())})
        for info, value in zip(model.graph.output, values):
            info.CopyFrom(helper.make_tensor_value_info(info.name, info.type.tensor_type.elem_type,
                                                        [None] * value.ndim))
        return model

    def feeds(self):
        return [value for value in self.inputs if value is not None and not isinstance(value, tuple)]


def quantized_pair():
    return [bytes_(2, 3, 4), scalar(0.05), scalar(120, np.uint8)]


def attention_cases():
    b, s, h, heads = 2, 5, 64, 4
    weights, bias = ("w", floats(h, 3 * h, scale=0.1)), ("w", floats(3 * h))
    x = floats(b, s, h)
    past = floats(2, b, heads, 3, h // heads)
    yield "attention", Case("Attention", [x, weights, bias], num_heads=heads)
    yield "attention_lengths", Case("Attention", [x, weights, bias, np.array([3, 5], np.int32)], num_heads=heads)
    yield "attention_mask_causal", Case("Attention", [x, weights, bias, np.array([[1, 1, 1, 0, 0], [1] * 5], np.int32)],
                                        num_heads=heads, unidirectional=1)
    yield "attention_past", Case("Attention", [x, weights, bias, None, past], outputs=2, num_heads=heads,
                                 unidirectional=1)
    yield "attention_sizes", Case("Attention", [x, ("w", floats(h, 8 + 8 + 12, scale=0.1)), ("w", floats(28))],
                                  num_heads=heads, qkv_hidden_sizes=[8, 8, 12])
    q, k, v = floats(b, s, h), floats(b, 7, h), floats(b, 7, h)
    yield "multi_head", Case("MultiHeadAttention", [q, k, v], num_heads=heads)
    yield "multi_head_bias", Case("MultiHeadAttention", [q, k, v, bias], num_heads=heads, dynamic=(0, 1))
    yield "multi_head_mask", Case("MultiHeadAttention",
                                  [q, k, v, None, np.array([[1] * 7, [1] * 4 + [0] * 3], np.int32),
                                   floats(b, heads, s, 7)], num_heads=heads, scale=0.3)
    yield "multi_head_past", Case("MultiHeadAttention",
                                  [q, floats(b, s, h), floats(b, s, h), None, None, None,
                                   floats(b, heads, 3, h // heads), floats(b, heads, 3, h // heads)],
                                  outputs=3, num_heads=heads)
    cos, sin = ("w", np.cos(floats(16, 8))), ("w", np.sin(floats(16, 8)))
    yield "rotary", Case("RotaryEmbedding", [x, np.array([2], np.int64), cos, sin])
    yield "rotary_interleaved", Case("RotaryEmbedding", [x, RANDOM.integers(0, 16, (b, s)), cos, sin], interleaved=1)
    yield "rotary_partial", Case("RotaryEmbedding", [floats(b, s, 128), RANDOM.integers(0, 16, (b, s)), cos, sin],
                                 num_heads=4, rotary_embedding_dim=16)
    kv = h // 2
    total = np.array(s, np.int32)
    yield "group_query_prompt", Case("GroupQueryAttention",
                                     [x, floats(b, s, kv), floats(b, s, kv), np.zeros((b, 2, 0, 16), np.float32),
                                      np.zeros((b, 2, 0, 16), np.float32), np.array([s - 1] * b, np.int32), total, cos,
                                      sin], outputs=3, num_heads=heads, kv_num_heads=2, do_rotary=1)
    one = floats(b, 1, h)
    yield "group_query_step", Case("GroupQueryAttention",
                                   [one, floats(b, 1, kv), floats(b, 1, kv), floats(b, 2, 6, 16), floats(b, 2, 6, 16),
                                    np.array([6, 6], np.int32), np.array(7, np.int32), cos, sin],
                                   outputs=3, num_heads=heads, kv_num_heads=2, do_rotary=1, local_window_size=4)
    yield "group_query_softcap", Case("GroupQueryAttention",
                                      [one, floats(b, 1, kv), floats(b, 1, kv), floats(b, 2, 6, 16),
                                       floats(b, 2, 6, 16), np.array([6, 6], np.int32), np.array(7, np.int32)],
                                      outputs=3, num_heads=heads, kv_num_heads=2, softcap=2.0, smooth_softmax=1)
    yield "group_query_packed", Case("GroupQueryAttention",
                                     [floats(b, s, h + 2 * kv), None, None, np.zeros((b, 2, 0, 16), np.float32),
                                      np.zeros((b, 2, 0, 16), np.float32), np.array([s - 1] * b, np.int32), total],
                                     outputs=3, num_heads=heads, kv_num_heads=2)


def other_float_cases():
    x, h = floats(2, 5, 8), 8
    gamma, beta, bias = ("w", floats(h)), ("w", floats(h)), ("w", floats(h))
    yield "skip_layer_norm", Case("SkipLayerNormalization", [x, floats(2, 5, 8), gamma, beta, bias],
                                  outputs=["y", "", "", "sum"], types=[1, 1, 1, 1], epsilon=1e-5)
    yield "skip_simplified_layer_norm", Case("SkipSimplifiedLayerNormalization", [x, floats(2, 5, 8), gamma],
                                             outputs=["y", "", "", "sum"], types=[1, 1, 1, 1], epsilon=1e-5)
    ids = RANDOM.integers(0, 9, (2, 5)).astype(np.int32)
    yield "embed_layer_norm", Case("EmbedLayerNormalization",
                                   [ids, RANDOM.integers(0, 2, (2, 5)).astype(np.int32), ("w", floats(9, h)),
                                    ("w", floats(6, h)), ("w", floats(2, h)), gamma, beta,
                                    np.array([[1, 1, 1, 0, 0], [1] * 5], np.int32)], outputs=2,
                                   types=[TensorProto.FLOAT, TensorProto.INT32])
    yield "gelu", Case("Gelu", [x], dynamic=(0,))
    yield "bias_gelu", Case("BiasGelu", [x, bias])
    yield "fast_gelu", Case("FastGelu", [x, bias])
    yield "quick_gelu", Case("QuickGelu", [x], alpha=1.5)
    yield "fused_matmul", Case("FusedMatMul", [floats(2, 4, 3), floats(2, 5, 4)], transA=1, transB=1, alpha=0.5)
    yield "fused_matmul_batch", Case("FusedMatMul", [floats(3, 2, 4), floats(2, 4, 5)], transBatchA=1)
    yield "fused_gemm", Case("FusedGemm", [floats(3, 4), floats(4, 5), floats(5)], activation="LeakyRelu",
                             activation_alpha=0.2, alpha=0.5, beta=2.0)
    a = floats(3, 40)
    for bits in (4, 8):
        shape = (6, 3, 16 * bits // 8)
        yield f"matmul_{bits}_bits", Case("MatMulNBits", [a, ("w", bytes_(*shape)), ("w", floats(6, 3).reshape(18))],
                                          K=40, N=6, bits=bits, block_size=16)
        zeros = bytes_(6, (3 * bits + 7) // 8).reshape(-1)
        yield f"matmul_{bits}_bits_zero", Case("MatMulNBits", [a, ("w", bytes_(*shape)),
                                                               ("w", floats(6, 3).reshape(18)), ("w", zeros)],
                                               K=40, N=6, bits=bits, block_size=16)


def quantized_cases():
    u8, s8 = [TensorProto.UINT8], [TensorProto.INT8]
    out = [scalar(0.07), scalar(100, np.uint8)]
    for op in ("QLinearAdd", "QLinearMul"):
        yield op, Case(op, [*quantized_pair(), *quantized_pair(), *out], types=u8)
    signed = [bytes_(2, 3, 4, dtype=np.int8), scalar(0.05), scalar(3, np.int8)]
    yield "QLinearAdd_signed", Case("QLinearAdd", [*signed, *signed, scalar(0.1), scalar(-3, np.int8)], types=s8)
    yield "QLinearSigmoid", Case("QLinearSigmoid", [*quantized_pair(), scalar(1 / 256), scalar(0, np.uint8)], types=u8)
    yield "QLinearLeakyRelu", Case("QLinearLeakyRelu", [*quantized_pair(), *out], types=u8, alpha=0.1)
    yield "QLinearSoftmax", Case("QLinearSoftmax", [*quantized_pair(), scalar(1 / 256), scalar(0, np.uint8)], types=u8,
                                 axis=-1, opset=13)
    yield "QLinearConcat", Case("QLinearConcat", [*out, *quantized_pair(), *quantized_pair()], types=u8, axis=1)
    yield "QLinearWhere", Case("QLinearWhere", [RANDOM.integers(0, 2, (2, 3, 4)).astype(bool), *quantized_pair(),
                                                *quantized_pair(), *out], types=u8)
    yield "QLinearGlobalAveragePool", Case("QLinearGlobalAveragePool", [bytes_(2, 3, 4, 4), scalar(0.05),
                                                                        scalar(120, np.uint8), *out], types=u8)
    yield "QLinearAveragePool", Case("QLinearAveragePool", [bytes_(2, 3, 6, 6), scalar(0.05), scalar(120, np.uint8),
                                                            *out], types=u8, kernel_shape=[3, 3], strides=[2, 2],
                                     pads=[1, 1, 1, 1])
    a = [bytes_(3, 8), scalar(0.05), scalar(120, np.uint8)]
    b = [bytes_(8, 5, dtype=np.int8), scalar(0.02), scalar(4, np.int8)]
    yield "QGemm", Case("QGemm", [*a, *b, RANDOM.integers(-500, 500, (5,)).astype(np.int32), *out], types=u8)
    yield "QGemm_float", Case("QGemm", [*a, *b], transB=0)
    yield "MatMulIntegerToFloat", Case("MatMulIntegerToFloat", [a[0], b[0], a[1], floats(5), a[2], b[2], floats(5)])
    yield "DynamicQuantizeMatMul", Case("DynamicQuantizeMatMul", [floats(3, 8), b[0], scalar(0.02), b[2], floats(5)])
    yield "QuantizeLinear", Case("QuantizeLinear", [floats(3, 4), scalar(0.05), scalar(120, np.uint8)], types=u8)
    yield "DequantizeLinear", Case("DequantizeLinear", [bytes_(3, 4), floats(4), bytes_(4)], axis=1)
    x, w = [bytes_(1, 2, 6, 6), scalar(0.05), scalar(120, np.uint8)], bytes_(4, 2, 3, 3, dtype=np.int8)
    yield "QLinearConv", Case("QLinearConv", [*x, w, floats(4) ** 2, np.zeros(4, np.int8), *out,
                                              RANDOM.integers(-500, 500, (4,)).astype(np.int32)], types=u8, domain="",
                              pads=[1, 1, 1, 1])


def ml_cases():
    x = floats(6, 3)
    tree = dict(nodes_treeids=[0] * 5 + [1] * 3, nodes_nodeids=[0, 1, 2, 3, 4, 0, 1, 2],
                nodes_featureids=[0, 1, 0, 0, 0, 2, 0, 0], nodes_values=[0.1, -0.2, 0, 0, 0, 0.3, 0, 0],
                nodes_modes=["BRANCH_LEQ", "BRANCH_GT", "LEAF", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"],
                nodes_truenodeids=[1, 2, 0, 0, 0, 1, 0, 0], nodes_falsenodeids=[4, 3, 0, 0, 0, 2, 0, 0])
    leaves = [0, 0, 0, 1, 1], [2, 3, 4, 1, 2]
    missing = x.copy()
    missing[1, 0] = missing[2, 1] = np.nan
    for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
        yield f"trees_{aggregate}", Case("TreeEnsembleRegressor", [x], domain=ML, target_treeids=leaves[0],
                                         target_nodeids=leaves[1], target_ids=[0, 1, 0, 1, 0], n_targets=2,
                                         target_weights=[0.5, -1.0, 2.0, 0.25, 1.5], aggregate_function=aggregate,
                                         **tree)
    yield "trees_missing", Case("TreeEnsembleRegressor", [missing], domain=ML, target_treeids=leaves[0],
                                target_nodeids=leaves[1], target_ids=[0] * 5, n_targets=1, base_values=[0.5],
                                target_weights=[0.5, -1.0, 2.0, 0.25, 1.5],
                                nodes_missing_value_tracks_true=[1, 0, 0, 0, 0, 0, 0, 0], **tree)
    # Each mode once, in a chain whose true branches are leaves; integers, so that features equal splits.
    modes, whole = ["LEQ", "LT", "GTE", "GT", "EQ", "NEQ"], RANDOM.integers(-1, 3, (40, 6)).astype(np.float32)
    whole[::7, 2] = whole[3::7, 4] = np.nan
    chain = dict(nodes_treeids=[0] * 13, nodes_nodeids=list(range(13)), nodes_featureids=[*range(6), *[0] * 7],
                 nodes_values=[-1.0, 0.0, 2.0, 1.0, 1.0, *[0.0] * 8], nodes_truenodeids=[*range(6, 12), *[0] * 7],
                 nodes_modes=[f"BRANCH_{mode}" for mode in modes] + ["LEAF"] * 7,
                 nodes_falsenodeids=[1, 2, 3, 4, 5, 12, *[0] * 7], n_targets=1, target_treeids=[0] * 7,
                 target_nodeids=list(range(6, 13)), target_ids=[0] * 7, target_weights=[1.0, 2, 3, 4, 5, 6, 7])
    for name, tracks in (("false", [0] * 13), ("true", [1] * 6 + [0] * 7)):
        yield f"trees_modes_{name}", Case("TreeEnsembleRegressor", [whole], domain=ML, **chain,
                                          nodes_missing_value_tracks_true=tracks)
    labels = dict(classlabels_int64s=[3, 7])
    kinds = [TensorProto.INT64, TensorProto.FLOAT]
    for name, weights in (("mixed", [0.5, -1.0, 0.2, -0.25, 0.6]), ("positive", [0.5, 0.1, 0.2, 0.25, 0.3])):
        for transform in ("NONE", "LOGISTIC"):
            yield f"trees_binary_{name}_{transform}", Case(
                "TreeEnsembleClassifier", [x], outputs=2, domain=ML, types=kinds, class_treeids=leaves[0],
                class_nodeids=leaves[1], class_ids=[0] * 5, class_weights=weights, post_transform=transform, **labels,
                **tree)
    # Only the scores: the runtime's label is 1 wherever the second score is positive, the schema's is the larger one.
    yield "trees_two_classes", Case("TreeEnsembleClassifier", [x], outputs=2, domain=ML, types=[None, kinds[1]],
                                    class_treeids=leaves[0] * 2, class_nodeids=leaves[1] * 2,
                                    class_ids=[0] * 5 + [1] * 5,
                                    class_weights=[0.5, 0.1, 0.2, 0.25, 0.3, 0.0, 0.4, 0.3, 0.25, 0.2],
                                    classlabels_int64s=[0, 1], **tree)
    for transform in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
        yield f"trees_classes_{transform}", Case(
            "TreeEnsembleClassifier", [x], outputs=2, domain=ML, types=kinds, class_treeids=leaves[0],
            class_nodeids=leaves[1], class_ids=[0, 1, 2, 0, 1], class_weights=[0.5, -1.0, 2.0, 0.25, 1.5],
            classlabels_int64s=[5, 6, 9], post_transform=transform, **tree)
        yield f"linear_{transform}", Case("LinearClassifier", [x], outputs=2, domain=ML, types=kinds,
                                          coefficients=floats(9).tolist(), intercepts=floats(3).tolist(),
                                          classlabels_ints=[5, 6, 9], post_transform=transform, multi_class=1)
    for transform in ("NONE", "LOGISTIC"):
        yield f"linear_binary_{transform}", Case("LinearClassifier", [x], outputs=2, domain=ML, types=kinds,
                                                 coefficients=floats(3).tolist(), intercepts=[0.1],
                                                 classlabels_ints=[5, 6], post_transform=transform)
    yield "linear_regressor", Case("LinearRegressor", [x], domain=ML, coefficients=floats(6).tolist(),
                                   intercepts=floats(2).tolist(), targets=2)
    yield "scaler", Case("Scaler", [x], domain=ML, offset=[0.1, 0.2, 0.3], scale=[2.0, 3.0, 4.0])
    for norm in ("MAX", "L1", "L2"):
        yield f"normalizer_{norm}", Case("Normalizer", [x], domain=ML, norm=norm)
    yield "binarizer", Case("Binarizer", [x], domain=ML, threshold=0.2)
    yield "array_feature_extractor", Case("ArrayFeatureExtractor", [x, np.array([2, 0], np.int64)], domain=ML)
    yield "feature_vectorizer", Case("FeatureVectorizer", [x, floats(6, 2)], domain=ML, inputdimensions=[3, 2])
    yield "imputer", Case("Imputer", [missing], domain=ML, imputed_value_floats=[1.0, 2.0, 3.0],
                          replaced_value_float=float("nan"))
    yield "one_hot", Case("OneHotEncoder", [np.array([1, 3, 2, 9], np.int64)], domain=ML, cats_int64s=[1, 2, 3])
    yield "label_encoder", Case("LabelEncoder", [np.array([1, 3, 2, 9], np.int64)], domain=ML, keys_int64s=[1, 2, 3],
                                values_floats=[0.5, 1.5, 2.5], default_float=-1.0)
    support = dict(support_vectors=floats(12).tolist(), coefficients=floats(4).tolist(), rho=[0.3], n_supports=4)
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        yield f"svm_regressor_{kernel}", Case("SVMRegressor", [x], domain=ML, kernel_type=kernel,
                                              kernel_params=[0.4, 0.2, 3.0], **support)
    yield "svm_one_class", Case("SVMRegressor", [x], domain=ML, kernel_type="RBF", kernel_params=[0.4, 0.0, 0.0],
                                one_class=1, **support)
    for name, more in (("votes", {}), ("probabilities", dict(prob_a=[-1.2, -0.8, -1.0], prob_b=[0.1, -0.2, 0.05]))):
        yield f"svm_classifier_{name}", Case(
            "SVMClassifier", [x], outputs=2, domain=ML, types=kinds, kernel_type="RBF", kernel_params=[0.4, 0.0, 0.0],
            support_vectors=floats(18).tolist(), coefficients=floats(12).tolist(), vectors_per_class=[2, 3, 1],
            rho=[0.1, -0.2, 0.3], classlabels_ints=[5, 6, 9], **more)
    yield "svm_classifier_binary", Case(
        "SVMClassifier", [x], outputs=2, domain=ML, types=kinds, kernel_type="RBF", kernel_params=[0.4, 0.0, 0.0],
        support_vectors=floats(12).tolist(), coefficients=floats(4).tolist(), vectors_per_class=[2, 2], rho=[0.1],
        classlabels_ints=[5, 6], prob_a=[-1.2], prob_b=[0.1])


def state_cases():
    """Ops that carry a state."""
    b, t, size = 2, 5, 8
    for rule, gates in (("linear", (None, None)), ("gated", (4, None)), ("delta", (None, 1)), ("gated_delta", (16, 2))):
        decay, beta = [None if n is None else -np.abs(floats(b, t, n)) if i == 0 else 1 / (1 + np.exp(floats(b, t, n)))
                       for i, n in enumerate(gates)]
        heads = 4 if rule == "gated" else 2
        decay = None if decay is None else decay.astype(np.float32)
        yield f"linear_attention_{rule}", Case(
            "LinearAttention", [floats(b, t, 4 * size), floats(b, t, heads * size, scale=0.3), floats(b, t, heads * 6),
                                floats(b, heads, size, 6), decay, beta], outputs=2,
            dynamic=() if decay is None else (1,), q_num_heads=4, kv_num_heads=heads, update_rule=rule)
    yield "causal_conv", Case("CausalConvWithState", [floats(b, 6, t), ("w", floats(6, 1, 4)), ("w", floats(6)),
                                                      floats(b, 6, 3)], outputs=2, activation="silu")
    for name, directions, columns, dtype in (("column", 2, 16, np.int8), ("tensor", 1, None, np.uint8)):
        scales = [("w", np.abs(floats(directions, *[columns] * (columns is not None), scale=0.01)) + 0.005)
                  for _ in range(2)]
        zero = ("w", np.full(scales[0][1].shape, 0 if dtype == np.int8 else 128, dtype))
        yield f"dynamic_quantize_lstm_{name}", Case(
            "DynamicQuantizeLSTM", [floats(t, 1, 3), ("w", bytes_(directions, 3, 16, dtype=dtype)),
                                    ("w", bytes_(directions, 4, 16, dtype=dtype)), ("w", floats(directions, 32)), None,
                                    None, None, None, scales[0], zero, scales[1], zero], outputs=3, hidden_size=4,
            direction="bidirectional" if directions == 2 else "forward")


def other_cases():
    yield "trilu", Case("Trilu", [floats(2, 3, 4), np.array(1, np.int64)], upper=0)
    yield "grid_sample", Case("GridSample", [floats(1, 2, 4, 5), floats(1, 3, 4, 2)], mode="bicubic",
                              padding_mode="border", align_corners=1)
    for metric in ("euclidean", "sqeuclidean"):
        yield f"cdist_{metric}", Case("CDist", [floats(4, 3), floats(5, 3)], metric=metric)
    yield "nhwc_max_pool", Case("NhwcMaxPool", [bytes_(1, 5, 6, 3, dtype=np.int8)], types=[TensorProto.INT8],
                                kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 1, 1])
    h, heads = 32, 4
    yield "q_attention", Case("QAttention", [bytes_(2, 5, h), ("w", bytes_(h, 3 * h, dtype=np.int8)),
                                             ("w", floats(3 * h)), scalar(0.02), ("w", np.abs(floats(3 * h)) * 0.01),
                                             np.array([3, 5], np.int32), scalar(120, np.uint8),
                                             ("w", np.zeros(3 * h, np.int8))], num_heads=heads)
    indices = np.array([[0, 5], [2, -1]], np.int64)
    for bits in (4, 8):
        packed, zeros = bytes_(6, 32 * bits // 8), bytes_(6, (2 * bits + 7) // 8)
        for name, more in (("", []), ("_zero", [("w", zeros)])):
            yield f"gather_{bits}_bits{name}", Case(
                "GatherBlockQuantized", [("w", packed), indices, ("w", floats(6, 2)), *more], bits=bits, block_size=16)


def expert_cases():
    tokens, experts, hidden, inner = 5, 4, 8, 6
    x, router = floats(tokens, hidden), floats(tokens, experts)
    first, second = ("w", floats(experts, inner, hidden, scale=0.2)), ("w", floats(experts, hidden, inner, scale=0.2))
    biases = ("w", floats(experts, inner)), ("w", floats(experts, hidden))
    for name in ("relu", "gelu", "silu", "identity"):
        yield f"experts_{name}", Case("MoE", [x, router, first, biases[0], second, biases[1]], k=2,
                                      activation_type=name, normalize_routing_weights=int(name == "silu"))
    both = ("w", floats(experts, 2 * inner, hidden, scale=0.2))
    yield "experts_swiglu", Case("MoE", [x.reshape(1, tokens, hidden), router, both, None, second], k=1,
                                 activation_type="swiglu", swiglu_fusion=1, activation_alpha=1.702,
                                 activation_beta=1.0, swiglu_limit=0.7)
    yield "experts_dynamic", Case("MoE", [x, router, first, None, second], k=3, dynamic=(0,))

    hidden = inner = 32  # blocks have 16 numbers or more
    x = floats(tokens, hidden)

    def layer(bits, rows, columns, blocks, has_zeros):
        scales = np.abs(floats(experts, rows, blocks)) * 0.02
        zeros = (experts, rows, (blocks * bits + 7) // 8) if blocks > 1 else (experts, rows * bits // 8)
        return [("w", bytes_(experts, rows, columns * bits // 8)), ("w", scales if blocks > 1 else scales[:, :, 0]),
                ("w", bytes_(*zeros)) if has_zeros else None]

    # With 8 bits in blocks the runtime quantizes the activations.
    for bits, blocks in ((4, 1), (4, 2), (8, 1)):
        for has_zeros in (False, True):
            one, two = layer(bits, inner, hidden, blocks, has_zeros), layer(bits, hidden, inner, blocks, has_zeros)
            more = {"block_size": inner // blocks} if blocks > 1 else {}
            yield f"experts_{bits}_bits_{blocks}{'_zero' if has_zeros else ''}", Case(
                "QMoE", [x, router, *one[:2], None, *two[:2], None, None, None, None, one[2], two[2]], k=2,
                expert_weight_bits=bits, activation_type="silu", **more)
    for kind, name in enumerate(("fp4", "nf4")):
        yield f"matmul_{name}", Case("MatMulBnb4", [floats(3, 40), ("w", bytes_(6 * 40 // 2)),
                                                    ("w", np.abs(floats(6 * 40 // 16)))], K=40, N=6, block_size=16,
                                     quant_type=kind)


def decoder_cases():
    """Ops that exporters of language models write."""
    b, heads, size = 2, 4, 8
    h = heads * size
    one = floats(b, 1, h)
    buffers = [floats(b, heads, 7, size) for _ in range(2)]
    length = ("w", np.array([5], np.int32))
    yield "decoder_masked_buffer", Case(
        "DecoderMaskedMultiHeadAttention", [one, floats(b, 1, h), floats(b, 1, h), None, None, *buffers, length, None,
                                            None, ("w", floats(3 * h))],
        outputs=3, num_heads=heads, past_present_share_buffer=1)
    beams = RANDOM.integers(0, 2, (1, 2, 7)).astype(np.int32)
    yield "decoder_masked_beams", Case(
        "DecoderMaskedMultiHeadAttention", [one, floats(b, 1, h), floats(b, 1, h), None, None, *buffers, length,
                                            ("w", np.array([2], np.int32)), beams],
        outputs=3, num_heads=heads, past_present_share_buffer=1)
    yield "decoder_masked_cross", Case("DecoderMaskedMultiHeadAttention", [one, *buffers], num_heads=heads,
                                       scale=0.3)
    x = floats(b, 3, 4 * 2 * size)
    cos, sin = ("w", np.cos(floats(16, 4))), ("w", np.sin(floats(16, 4)))
    for name, layout, sections in (("sections", 0, [1, 2, 1]), ("mixed", 1, [2, 1, 1])):
        yield f"mrotary_{name}", Case("MRotaryEmbedding", [x, RANDOM.integers(0, 16, (3, b, 3)), cos, sin],
                                      num_heads=heads * 2, rotary_embedding_dim=size, mrope_section=sections,
                                      mrope_layout=layout, interleaved=layout)


def language_model_cases():
    x = floats(2, 3, 8)
    for activation in ("silu", "sigmoid"):
        yield f"gated_rms_norm_{activation}", Case("GatedRMSNorm", [x, ("w", floats(4)), floats(2, 3, 8)],
                                                   activation=activation, epsilon=1e-5)
    yield "linear_attention_gate", Case("LinearAttentionGate",
                                        [x, ("w", floats(8)), ("w", -np.abs(floats(8))), floats(2, 3, 8)], outputs=2)
    yield "branchwise_rms_norm", Case("BranchwiseRMSNorm", [x, ("w", floats(8))], num_branches=2, epsilon=1e-5)
    yield "branchwise_rms_norm_grouped", Case("BranchwiseRMSNorm", [floats(2, 3, 2, 4), ("w", floats(4))],
                                              epsilon=1e-5)
    yield "gated_add", Case("GatedAdd", [x, floats(2, 3, 8), floats(2, 3, 1)])
    yield "scaled_silu", Case("ScaledSiLU", [x], alpha=1.7)
    for name, groups in (("one_group", 1), ("groups", 4)):
        yield f"router_{name}", Case("MoEGroupRouter", [floats(5, 16), ("w", floats(16, scale=0.3))], top_k=4,
                                     n_group=groups, topk_group=min(groups, 2), group_topk=2, router_sentinel=-50.0)
    yield "unfold", Case("UnfoldTensor", [floats(2, 9, 3)], dim=1, size=4, step=2)
    ids = np.array([[1, 2, 3, 1, 2], [4, 4, 4, 0, 4]], np.int64)
    yield "ngram_repeat_block", Case("NGramRepeatBlock", [ids, floats(2, 6)], ngram_size=2)
    table = [("w", bytes_(n, 8)) for n in (9, 6, 2)]
    scales, zeros = [("w", scalar(0.01 * (i + 1))) for i in range(5)], [("w", scalar(120, np.uint8))] * 5
    yield "q_embed_layer_norm", Case(
        "QEmbedLayerNormalization",
        [RANDOM.integers(0, 9, (2, 5)).astype(np.int32), RANDOM.integers(0, 2, (2, 5)).astype(np.int32), *table,
         ("w", bytes_(8)), ("w", bytes_(8)), np.array([[1, 1, 1, 0, 0], [1] * 5], np.int32), *scales, *zeros],
        outputs=2, types=[TensorProto.FLOAT, TensorProto.INT32], epsilon=1e-5)
    yield "gather_nd", Case("GatherND", [floats(2, 3, 4), np.array([[0, 2], [1, 0]], np.int64)])


def shape_cases():
    # The last region is partly outside of its image, the fourth is reversed. The regions avoid positions where float32
    # rounding decides about the nearest element.
    regions = np.array([[0, 0, 1, 1], [0.12, 0.2, 0.68, 0.9], [0.3, 0.3, 0.3, 0.8], [0.8, 0.9, 0.2, 0.1],
                        [-0.3, 0.4, 0.6, 1.4]], np.float32)
    images = np.array([0, 1, 1, 0, 1], np.int32)
    for name, size, mode in (("bilinear", (4, 3), "bilinear"), ("nearest", (3, 5), "nearest"),
                             ("one", (1, 4), "bilinear")):
        yield f"crop_and_resize_{name}", Case(
            "CropAndResize", [floats(2, 3, 6, 7), regions, images, ("w", np.array(size, np.int32))], mode=mode,
            extrapolation_value=0.25)
    yield "crop_and_resize_dynamic", Case(
        "CropAndResize", [floats(2, 3, 6, 7), regions, images, np.array([2, 3], np.int32)], dynamic=(0, 2, 3))
    for name, axis in (("front", 0), ("last", -1), ("middle", -2)):
        yield f"expand_dims_{name}", Case("ExpandDims", [floats(2, 3), ("w", np.array(axis, np.int32))])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1])
    for cases in (attention_cases, other_float_cases, quantized_cases, ml_cases, state_cases,
                  other_cases, expert_cases, decoder_cases, language_model_cases,
                  shape_cases):
        for name, case in cases():
            write_case(target / name, case.model(), case.feeds())


if __name__ == "__main__":
    main()

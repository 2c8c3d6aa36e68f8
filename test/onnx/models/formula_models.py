#!/usr/bin/env python3
"""Writes models as case folders, with outputs by formulas in NumPy: formula_models.py OUTPUT

No runtime has Gradient, ONNX Runtime has no kernels for the CPU of the ops of com.microsoft, and gives functions the
opset of the model. Needs onnx from PyPI.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnx.parser
from onnx import helper, numpy_helper

RANDOM = np.random.default_rng(3)
TRAINING, MICROSOFT = "ai.onnx.preview.training", "com.microsoft"


def floats(*dims):
    return RANDOM.standard_normal(dims).astype(np.float32)


def gradient(inputs, outputs, **attributes):
    return helper.make_node("Gradient", inputs, outputs, domain=TRAINING, **attributes)


def write(folder, nodes, inputs, outputs, weights=None):
    """A case with these nodes; inputs, outputs and weights are arrays by name."""
    infos = [[helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
              for name, value in values.items()] for values in (inputs, outputs)]
    constants = [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()]
    graph = helper.make_graph(nodes, folder.name, *infos, constants)
    opsets = [helper.make_opsetid(domain, n) for domain, n in (("", 12), (TRAINING, 1), (MICROSOFT, 1))]
    write_data(folder, helper.make_model(graph, opset_imports=opsets, ir_version=8), inputs, outputs)


def write_data(folder, model, inputs, outputs):
    place = folder / "test_data_set_0"
    place.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    for prefix, values in (("input", inputs), ("output", outputs)):
        for i, (name, value) in enumerate(values.items()):
            message = numpy_helper.from_array(value, name)
            (place / f"{prefix}_{i}.pb").write_bytes(message.SerializeToString())


def group_norm(x, gamma, beta, groups, silu):
    """Of x [batch, height, width, channels]."""
    parts = x.reshape(*x.shape[:3], groups, -1).astype(np.float64)
    mean, variance = [f(parts, axis=(1, 2, 4), keepdims=True) for f in (np.mean, np.var)]
    y = ((parts - mean) / np.sqrt(variance + 1e-5)).reshape(x.shape) * gamma + beta
    return (y / (1 + np.exp(-y)) if silu else y).astype(np.float32)


def t5_range(distance, is_bidirectional, count, most):
    """The range of the distance of a key from a query, as T5 divides them."""
    start = 0
    if is_bidirectional:
        count //= 2
        start = count if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    small = count // 2
    if distance < small:
        return start + distance
    large = small + int(np.float32(np.log(distance / small)) / np.log(most / small) * (count - small))
    return start + min(large, count - 1)


def write_function_opset(target):
    """Softmax of opset 12 takes all dimensions from its axis on, and ReduceSum has its axes as an attribute."""
    x = floats(2, 3, 4)
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        function_opset (float[2, 3, 4] x) => (float[2, 1, 4] y, float[2, 4] z) <int64[1] axis = {1}> {
          y = local.old (x)
          s = Softmax <axis = 1> (x)
          z = ReduceSum <keepdims = 0> (s, axis)
        }
        <domain: "local", opset_import: ["" : 12]> old (a) => (b) {
          t = Softmax <axis = 1> (a)
          b = ReduceSum <axes = [1]> (t)
        }""")
    powers = np.exp(x)
    old = powers / powers.sum((1, 2), keepdims=True)
    outputs = {"y": old.sum(1, keepdims=True), "z": np.ones((2, 4), np.float32)}
    write_data(target / "function_opset", model, {"x": x}, outputs)


def write_runtime_ops(target):
    node = helper.make_node
    x, gamma, beta, bias, skip = floats(2, 3, 4, 8), floats(8), floats(8), floats(8), floats(2, 8)
    for name, activation in (("group_norm", 0), ("group_norm_silu", 1)):
        attributes = dict(domain=MICROSOFT, groups=4, activation=activation, epsilon=1e-5)
        write(target / name, [node("GroupNorm", ["x", "g", "b"], ["y"], **attributes)],
              {"x": x, "g": gamma, "b": beta}, {"y": group_norm(x, gamma, beta, 4, activation)})
    total = x + skip[:, None, None] + bias
    write(target / "skip_group_norm", [node("SkipGroupNorm", ["x", "g", "b", "s", "a"], ["y", "t"], **attributes)],
          {"x": x, "g": gamma, "b": beta, "s": skip, "a": bias},
          {"y": group_norm(total, gamma, beta, 4, True), "t": total})
    table, length = floats(8, 3), 11
    for is_bidirectional in (0, 1):
        ranges = [[t5_range(k - q, is_bidirectional, 8, 20) for k in range(length)] for q in range(length)]
        write(target / f"relative_position_bias_{is_bidirectional}",
              [node("RelativePositionBias", ["t", "n", "n"], ["y"], domain=MICROSOFT, max_distance=20,
                    is_bidirectional=is_bidirectional)],
              {"n": np.array([length])}, {"y": table.reshape(3, 8)[None, :, ranges]}, {"t": table})


def attention(q, k, v, is_kept=True, bias=0.0):
    """Of q [..., heads, queries, size]; `is_kept` and `bias` broadcast to the scores."""
    scores = np.where(is_kept, q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + bias, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return (powers / powers.sum(-1, keepdims=True) @ v).astype(np.float32)


def split_heads(x, heads):
    """[..., length, heads * size] as [..., heads, length, size]."""
    return np.swapaxes(x.reshape(*x.shape[:-1], heads, -1), -2, -3)


def join_heads(x):
    x = np.swapaxes(x, -2, -3)
    return x.reshape(*x.shape[:-2], -1)


def write_packed_attentions(target):
    """Three sequences of up to four tokens; offsets of padding follow the offsets of tokens."""
    node, heads, hidden = helper.make_node, 2, 8
    lengths = np.array([1, 4, 2], np.int32)
    is_token = (np.arange(4) < lengths[:, None]).reshape(-1)
    offsets = np.argsort(~is_token, kind="stable").astype(np.int32).reshape(3, 4)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    x, bias = floats(7, hidden), floats(1, heads, 4, 4)
    weights, addend = floats(hidden, 3 * hidden), floats(3 * hidden)

    def of_sequences(parts):
        rows = [join_heads(attention(*(split_heads(part[a:b], heads) for part in parts),
                                     bias=bias[0, :, :b - a, :b - a])) for a, b in zip(ends, ends[1:])]
        return np.concatenate(rows)

    more = {"o": offsets, "c": ends, "r": bias}
    y = of_sequences(np.split(x @ weights + addend, 3, axis=1))
    write(target / "packed_attention",
          [node("PackedAttention", ["x", "w", "b", "o", "c", "r"], ["y"], domain=MICROSOFT, num_heads=heads)],
          {"x": x, **more}, {"y": y}, {"w": weights, "b": addend})
    qkv = [floats(7, hidden) for _ in range(3)]
    y = of_sequences([part + own for part, own in zip(qkv, np.split(addend, 3))])
    write(target / "packed_multi_head",
          [node("PackedMultiHeadAttention", ["q", "k", "v", "b", "o", "c", "r"], ["y"], domain=MICROSOFT,
                num_heads=heads)], {**dict(zip("qkv", qkv)), **more}, {"y": y}, {"b": addend})
    packed = np.stack([part.reshape(7, heads, -1) for part in qkv], axis=2)
    write(target / "packed_multi_head_together",
          [node("PackedMultiHeadAttention", ["q", "", "", "", "o", "c", "r"], ["y"], domain=MICROSOFT,
                num_heads=heads)], {"q": packed, **more}, {"y": of_sequences(qkv)})
    padded = floats(3, 4, hidden)
    outputs = {"y": padded.reshape(12, hidden)[is_token], "o": offsets, "c": ends, "m": lengths.max(keepdims=True)}
    write(target / "remove_padding", [node("RemovePadding", ["x", "l"], ["y", "o", "c", "m"], domain=MICROSOFT)],
          {"x": padded, "l": lengths}, outputs)
    restored = np.where(is_token[:, None], padded.reshape(12, hidden), 0).reshape(3, 4, hidden)
    write(target / "restore_padding", [node("RestorePadding", ["x", "o"], ["y"], domain=MICROSOFT)],
          {"x": outputs["y"], "o": offsets}, {"y": restored})
    # WavLM's gates.
    query, shift, relative, scale = floats(2, 3, hidden), floats(hidden), floats(1, heads, 3, 3), floats(1, heads, 1, 1)
    gate_weight, gate_bias = floats(hidden // heads, 8), floats(8)
    gates = split_heads(query + shift, heads) @ gate_weight + gate_bias
    gates = 1 / (1 + np.exp(-gates.reshape(2, heads, 3, 2, 4).sum(-1)))
    y = (gates[..., :1] * (gates[..., 1:] * scale - 1) + 2) * relative
    write(target / "gated_relative_position_bias",
          [node("GatedRelativePositionBias", ["q", "s", "r", "w", "b", "e"], ["y"], domain=MICROSOFT,
                num_heads=heads)],
          {"q": query, "r": relative}, {"y": y.astype(np.float32)},
          {"s": shift, "w": gate_weight, "b": gate_bias, "e": scale})


def rotated(x, cos, sin):
    """x [batch, heads, length, size] by angles [batch, 1, length, size / 2]."""
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def write_caches(target):
    """Attentions whose kernels for the CPU need a shared buffer, or inputs that they refuse."""
    node, b, heads, size = helper.make_node, 2, 4, 16
    q, k, v = (floats(b, 1, heads * size) for _ in range(3))
    past = [floats(b, heads, 5, size) for _ in range(2)]
    mask, bias = np.array([[1, 1, 0, 1, 1, 1], [1] * 6], np.int32), floats(1, heads, 1, 6)
    present = [np.concatenate([old, split_heads(new, heads)], 2) for old, new in zip(past, (k, v))]
    shift = np.where(mask[:, None, None] > 0, 0, -10000)
    y = join_heads(attention(split_heads(q, heads), *present, bias=bias + shift))
    write(target / "decoder_masked",
          [node("DecoderMaskedMultiHeadAttention", ["q", "k", "v", "m", "b", "pk", "pv"], ["y", "nk", "nv"],
                domain=MICROSOFT, num_heads=heads)],
          {"q": q, "k": k, "v": v, "m": mask, "b": bias, "pk": past[0], "pv": past[1]},
          {"y": y, "nk": present[0], "nv": present[1]})
    # Four blocks of 16 tokens, two layouts for four heads.
    rows = np.array([[0, 1, 3, 5, 8], [0, 1, 3, 6, 9]], np.int32)
    columns = np.array([[0, 0, 1, 1, 2, 1, 2, 3, -1], [0, 0, 1, 0, 1, 2, 0, 2, 3]], np.int32)
    blocks = np.zeros((2, 4, 4), bool)
    for layout in range(2):
        for row in range(4):
            blocks[layout, row, columns[layout, rows[layout, row]:rows[layout, row + 1]]] = True
    angles = floats(64, size // 2)
    cos, sin = np.cos(angles), np.sin(angles)
    for name, length, totals in (("prompt", 40, [40, 40]), ("step", 1, [50, 37])):
        q, k, v = floats(b, length, heads * size), floats(b, length, 2 * size), floats(b, length, 2 * size)
        caches = [floats(b, 2, 64, size) * (length == 1) for _ in range(2)]
        places = np.array(totals)[:, None] - length + np.arange(length)
        turn = cos[places][:, None], sin[places][:, None]
        new = [cache.copy() for cache in caches]
        for i, part in enumerate((rotated(split_heads(k, 2), *turn), split_heads(v, 2))):
            for example in range(b):
                new[i][example, :, places[example]] = np.swapaxes(part[example], 0, 1)
        keys = np.arange(64)
        kept = blocks[np.arange(heads) % 2][:, places // 16][..., keys // 16] & (keys <= places[..., None])
        y = attention(rotated(split_heads(q, heads), *turn), *(np.repeat(cache, 2, 1) for cache in new),
                      is_kept=np.swapaxes(kept, 0, 1))
        write(target / f"sparse_attention_{name}",
              [node("SparseAttention", ["q", "k", "v", "pk", "pv", "r", "c", "t", "l", "cos", "sin"],
                    ["y", "nk", "nv"], domain=MICROSOFT, num_heads=heads, kv_num_heads=2, sparse_block_size=16,
                    do_rotary=1)],
              {"q": q, "k": k, "v": v, "pk": caches[0], "pv": caches[1], "l": np.array(totals, np.int32)},
              {"y": join_heads(y), "nk": new[0], "nv": new[1]},
              {"r": rows, "c": columns, "t": np.array(max(totals), np.int32), "cos": cos, "sin": sin})
    # Norms of Q and K.
    q, k, v, gains = floats(b, 5, heads * size), floats(b, 5, 2 * size), floats(b, 5, 2 * size), floats(2, size)

    def normalized(x, gain):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain

    key, value = normalized(split_heads(k, 2), gains[1]), split_heads(v, 2)
    y = attention(normalized(split_heads(q, heads), gains[0]), np.repeat(key, 2, 1), np.repeat(value, 2, 1),
                  is_kept=np.tril(np.ones((5, 5), bool)))
    names = ["q", "k", "v", "", "", "s", "t", *[""] * 7, "gq", "gk"]
    write(target / "group_query_norms",
          [node("GroupQueryAttention", names, ["y", "nk", "nv"], domain=MICROSOFT, num_heads=heads, kv_num_heads=2,
                qk_norm_epsilon=1e-5)],
          {"q": q, "k": k, "v": v, "s": np.array([4] * b, np.int32)}, {"y": join_heads(y), "nk": key, "nv": value},
          {"t": np.array(5, np.int32), "gq": gains[0], "gk": gains[1]})


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target, node = pathlib.Path(sys.argv[1]), helper.make_node
    write_runtime_ops(target)
    x, w, z = floats(3, 4), floats(4, 2), floats(3, 4)
    cube = [node("Mul", ["x", "x"], ["s"]), node("Mul", ["s", "x"], ["y"])]
    write(target / "second_order", [*cube, gradient(["x"], ["dx"], xs=["x"], y="y"),
                                    gradient(["x"], ["ddx"], xs=["x"], y="dx")],
          {"x": x}, {"dx": 3 * x * x, "ddx": 6 * x})
    product = x @ w
    write(target / "by_intermediate",
          [node("MatMul", ["x", "w"], ["h"]), node("Tanh", ["h"], ["t"]), node("Mul", ["t", "t"], ["y"]),
           gradient(["h"], ["dh"], xs=["h"], y="y")],
          {"x": x, "w": w}, {"dh": 2 * np.tanh(product) * (1 - np.tanh(product)**2)})
    # The derivative at another value than y's.
    write(target / "other_value", [node("Mul", ["x", "k"], ["s"]), node("Mul", ["s", "x"], ["y"]),
                                   gradient(["z"], ["dx"], xs=["x"], y="y")],
          {"x": x, "z": z}, {"y": 2 * x * x, "dx": 4 * z}, {"k": np.array([2], np.float32)})
    squares = [node("Mul", ["x", "z"], ["s"]), node("Mul", ["s", "s"], ["y"])]
    write(target / "constant", [*squares, gradient(["x", "z"], ["dx"], xs=["x"], zs=["z"], y="y")],
          {"x": x, "z": z}, {"dx": 2 * x * z * z})
    write(target / "absent_output", [*squares, gradient(["x", "z"], ["", "dz"], xs=["x", "z"], y="y")],
          {"x": x, "z": z}, {"dz": 2 * z * x * x})
    write_function_opset(target)
    write_packed_attentions(target)
    write_caches(target)


if __name__ == "__main__":
    main()

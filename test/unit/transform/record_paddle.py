#!/usr/bin/env python3
"""Records what Paddle's AOA engine computes: writes paddle_mappings.json, which TransformPaddleTest reads.

usage: record_paddle.py, in an environment with paddlepaddle 3.3.1 and numpy

A case has statements or an example file, source tensors (dtype, dims, shards along the last dimension) and, if the
result is declared, target tensors in the same form. The elements of all sources are numbered in the order of their
sorted names. The record has dims and elements of each target.
"""
import json
import pathlib

import numpy as np
from paddle.distributed.flex_checkpoint.aoa.aoa_engine import AOAEngine, postprocess_transpose
from paddle.distributed.flex_checkpoint.dcp.sharded_weight import ShardedWeightDesc

F32 = "float32"


def layers(count, **tensors):
    """Tensors of layers: the names have `{}` for the layer, `__` for a dot."""
    return {name.replace("__", ".").replace("L", str(layer)): value
            for layer in range(count) for name, value in tensors.items()}


QKV = {"q": (F32, [4, 8]), "k": (F32, [4, 4]), "v": (F32, [4, 4])}
STATES = ("", ".w_0", ".moment1_0", ".moment2_0")
HEADS = "num_heads=4, num_key_value_groups=2"

CASES = {
    "rename": dict(statements=["a -> b"], sources={"a": (F32, [2, 3]), "c": (F32, [2])}),
    "layers": dict(
        statements=["model.$LAYER_ID.w -> net.layers.$LAYER_ID.weight",
                    "model.$LAYER_ID.b -> net.layers.$LAYER_ID.bias"],
        sources=layers(11, model__L__w=(F32, [2, 1]), model__L__b=(F32, [1]))),
    "experts": dict(
        statements=["l.$LAYER_ID.e.$EXPERT_ID.w1^T, l.$LAYER_ID.e.$EXPERT_ID.w3^T -> "
                    "l.$LAYER_ID.experts.$EXPERT_ID.w, axis=1"],
        sources={f"l.{layer}.e.{expert}.{name}": (F32, [3, 2])
                 for layer in (1, 2) for expert in range(3) for name in ("w1", "w3")}),
    "offset": dict(statements=["l.$LAYER_ID_OFFSET.w -> m.$LAYER_ID_OFFSET.w"],
                   sources={f"l.{i}.w": (F32, [2]) for i in (1, 2, 3)}),
    "merge": dict(statements=["a, b, c -> d, axis=0"],
                  sources={"a": (F32, [1, 2]), "b": (F32, [3, 2]), "c": (F32, [2, 2])}),
    "split": dict(statements=["a -> b, c, d, axis=1"], sources={"a": (F32, [2, 6])}),
    "range": dict(statements=["a -> p[0:3], axis=0", "p_2, p_0, p_1 -> b, axis=0"], sources={"a": (F32, [3, 2])}),
    "star": dict(statements=["e.*.w -> all, axis=0"], sources={f"e.{i}.w": (F32, [1, 2]) for i in range(12)}),
    "star-targets": dict(statements=["all -> e.*.w, axis=0"], sources={"all": (F32, [12, 2])},
                         targets={f"e.{i}.w": (F32, [1, 2]) for i in range(12)}),
    "transpose": dict(statements=["a^T -> b", "c -> d, permute=\"[2, 0, 1]\"", "e^T -> e"],
                      sources={"a": (F32, [2, 3]), "c": (F32, [2, 3, 4]), "e": (F32, [3, 2])}),
    "transposed-split": dict(statements=["a^T -> t", "t -> x, y, axis=0", "y^T -> z", "x -> w, permute=\"[1,0]\""],
                             sources={"a": (F32, [2, 4])}),
    "transposed-merge": dict(
        statements=["a -> s, permute=\"[1, 2, 0]\"", "s, b -> m, axis=2", "m -> n, permute=\"[2, 1, 0]\"",
                    "n -> x, y, axis=1"],
        sources={"a": (F32, [2, 3, 4]), "b": (F32, [3, 4, 1])}),
    "qkv": dict(statements=[f"q, k, v -> qkv, fused_qkv, {HEADS}"], sources=QKV),
    "qkv-transposed": dict(statements=[f"q^T, k^T, v^T -> qkv, fused_qkv, {HEADS}, axis=0"], sources=QKV),
    "qkv-split": dict(statements=[f"qkv -> q, k, v, fused_qkv, {HEADS}, axis=1"], sources={"qkv": (F32, [2, 16])}),
    "qkv-bias": dict(statements=[f"q, k, v -> qkv, fused_qkv, {HEADS}, axis=0"],
                     sources={"q": (F32, [8]), "k": (F32, [4]), "v": (F32, [4])}),
    "qkv-old": dict(statements=[f"q, k, v -> qkv, fused_qkv_old, {HEADS}"], sources=QKV,
                    targets={"qkv": (F32, [4, 16], 2)}),
    "qkv-old-split": dict(statements=[f"qkv -> q, k, v, fused_qkv_old, {HEADS}"], sources={"qkv": (F32, [4, 16], 2)}),
    "qkv-old-shards": dict(statements=[f"w -> qkv, fused_qkv_old, {HEADS}"], sources={"w": (F32, [4, 16], 2)},
                           targets={"qkv": (F32, [4, 16], 1)}),
    "qkv-old-renamed": dict(statements=["w -> t", f"t -> u, fused_qkv_old, {HEADS}", "u -> qkv"],
                            sources={"w": (F32, [4, 16], 1)}, targets={"qkv": (F32, [4, 16], 2)}),
    "ffn": dict(statements=["gate, up -> ffn, fused_ffn"], sources={"gate": (F32, [2, 4]), "up": (F32, [2, 4])},
                targets={"ffn": (F32, [2, 8], 2)}),
    "ffn-split": dict(statements=["ffn -> gate, up, fused_ffn"], sources={"ffn": (F32, [2, 8], 2)}),
    "ffn-shards": dict(statements=["w -> ffn, fused_ffn"], sources={"w": (F32, [2, 24], 2)},
                       targets={"ffn": (F32, [2, 24], 3)}),
    "drop-add": dict(statements=["a -> _", "_ -> b"], sources={"a": (F32, [2]), "c": (F32, [2])},
                     targets={"b": (F32, [3]), "c": (F32, [2])}),
    "chain": dict(statements=["a -> t1", "t1, b -> t2, axis=0", "t2 -> x, y, axis=0", "y -> z"],
                  sources={"a": (F32, [1, 2]), "b": (F32, [3, 2])}),
    "shared": dict(statements=["embed -> embed", "embed -> head"], sources={"embed": (F32, [2, 2])},
                   targets={"embed": (F32, [2, 2]), "head": (F32, [2, 2])}),
    "optimizer": dict(
        statements=["a^T, b^T -> c, axis=0"],
        sources={f"{name}{state}": (F32, [2, 3]) for name in "ab" for state in STATES},
        targets={f"c{state}": (F32, [6, 2]) for state in STATES}),
    "inverse-rename": dict(statements=["m.$LAYER_ID.w -> n.$LAYER_ID.w"], reverse=True,
                           sources=layers(3, n__L__w=(F32, [2])), targets=layers(3, m__L__w=(F32, [2]))),
    "inverse-chain": dict(statements=["a^T -> t", "t, b -> c, axis=0"], reverse=True, sources={"c": (F32, [6, 2])},
                          targets={"a": (F32, [2, 3]), "b": (F32, [3, 2])}),
    "inverse-qkv": dict(statements=[f"q^T, k^T, v^T -> qkv, fused_qkv, {HEADS}, axis=0"], reverse=True,
                        sources={"qkv": (F32, [16, 4])}, targets=QKV),
    "inverse-permute": dict(statements=["a -> b, permute=\"[1, 2, 0]\""], reverse=True, sources={"b": (F32, [3, 4, 2])},
                            targets={"a": (F32, [2, 3, 4])}),
    "inverse-split": dict(statements=["a -> b, c, axis=1"], reverse=True,
                          sources={"b": (F32, [2, 2]), "c": (F32, [2, 2])}, targets={"a": (F32, [2, 4])}),
    "inverse-qkv-old": dict(statements=[f"w -> qkv, fused_qkv_old, {HEADS}"], reverse=True,
                            sources={"qkv": (F32, [4, 16], 1)}, targets={"w": (F32, [4, 16], 2)}),
}

# Files of examples/checkpoint with small tensors of one layer.
LLAMA = {"model.embed_tokens.weight": [2, 3], "model.norm.weight": [3], "lm_head.weight": [2, 3],
         **{f"model.layers.0.{name}.weight": dims for name, dims in {
             "input_layernorm": [3], "post_attention_layernorm": [3], "self_attn.q_proj": [4, 3],
             "self_attn.k_proj": [2, 3], "self_attn.v_proj": [2, 3], "self_attn.o_proj": [3, 4],
             "mlp.gate_proj": [2, 3], "mlp.up_proj": [2, 3], "mlp.down_proj": [3, 2]}.items()}}
MIXTRAL = {**{name: dims for name, dims in LLAMA.items() if ".mlp." not in name},
           **{f"model.layers.0.block_sparse_moe.{name}.weight": dims for name, dims in {
               "gate": [2, 3], "experts.0.w1": [2, 3], "experts.0.w2": [3, 2], "experts.0.w3": [2, 3],
               "experts.1.w1": [2, 3], "experts.1.w2": [3, 2], "experts.1.w3": [2, 3]}.items()}}
GPT = {"transformer.wte.weight": [2, 4], "transformer.wpe.weight": [3, 4],
       **{f"transformer.{name}.{kind}": dims if kind == "weight" else dims[-1:] for kind in ("weight", "bias")
          for name, dims in {"h.0.attn.c_attn": [4, 12], "h.0.attn.c_proj": [4, 4], "h.0.mlp.c_fc": [4, 2],
                             "h.0.mlp.c_proj": [2, 4], "h.0.ln_1": [4], "h.0.ln_2": [4], "ln_f": [4]}.items()}}
BERT = {"bert.embeddings.word_embeddings.weight": [2, 3],
        **{f"bert.{name}.{kind}": dims if kind == "weight" else dims[:1] for kind in ("weight", "bias")
           for name, dims in {"embeddings.LayerNorm": [3], "pooler.dense": [3, 3],
                              **{f"encoder.layer.0.{part}": dims for part, dims in {
                                  "attention.self.query": [3, 3], "attention.self.key": [3, 3],
                                  "attention.self.value": [3, 3], "attention.output.dense": [3, 3],
                                  "attention.output.LayerNorm": [3], "intermediate.dense": [2, 3],
                                  "output.dense": [3, 2], "output.LayerNorm": [3]}.items()}}.items()}}
VARIABLES = {"HEADS": "2", "GROUPS": "1"}
# gpt-hf-to-megatron has placeholders in names that statements assign, which Paddle does not match.
EXAMPLES = {"llama-hf-to-paddle": LLAMA, "llama-hf-to-megatron": LLAMA, "mixtral-hf-to-paddle": MIXTRAL,
            "mixtral-hf-to-megatron": MIXTRAL, "gpt-hf-to-paddle": GPT,
            "bert-hf-to-paddle": BERT}
for example, tensors in EXAMPLES.items():
    CASES[f"example-{example}"] = dict(file=f"examples/checkpoint/{example}.aoa", variables=VARIABLES,
                                       sources={name: (F32, dims) for name, dims in tensors.items()})


def statements_of(case):
    """The statements in Paddle's language: without comments, continued lines, variables and `$NAME`."""
    if "statements" in case:
        return case["statements"]
    root = pathlib.Path(__file__).parents[3]
    lines = [line for line in (root / case["file"]).read_text().split("\n") if line and not line.startswith("#")]
    text = "\n".join(lines).replace(",\n", ",").replace("->\n", "->")
    for name, value in case["variables"].items():
        text = text.replace(f"=${name}", f"={value}")
    return [line.replace("$NAME", kind) for line in text.split("\n")
            for kind in (("weight", "bias") if "$NAME" in line else ("",))]


def shards_of(tensors):
    described = {}
    for name, (dtype, dims, *rest) in tensors.items():
        count = rest[0] if rest else 1
        described[name] = [
            ShardedWeightDesc(name, (*dims[:-1], dims[-1] // count), tuple(dims),
                              (0,) * (len(dims) - 1) + (i * dims[-1] // count,), dtype) for i in range(count)]
    return described


def record(case):
    arrays, begin = {}, 0
    for name in sorted(case["sources"]):
        dims = case["sources"][name][1]
        size = int(np.prod(dims))
        arrays[name] = np.arange(begin, begin + size).reshape(dims)
        begin += size
    targets = case.get("targets")
    engine = AOAEngine({"aoa_statements": statements_of(case), "aoa_config_reverse": case.get("reverse", False)},
                       shards_of(case["sources"]), shards_of(targets) if targets else None)
    names = sorted(targets if targets else engine.output_vars)
    result = {}
    for name in names:
        dims = targets[name][1] if targets else list(engine.output_vars[name].shape)
        whole = ShardedWeightDesc(name, tuple(dims), tuple(dims), (0,) * len(dims), F32)
        array = np.full(dims, -1)
        for entry in engine.find_shard_sources(whole):
            source, target = entry.source_slice, entry.target_slice
            box = arrays[source.key][tuple(slice(o, o + s) for o, s in zip(source.global_offset, source.local_shape))]
            for step in entry.postprocess_list or []:
                if step.startswith("["):
                    box = np.transpose(box, json.loads(step))
            array[tuple(slice(o, o + s) for o, s in zip(target.global_offset, target.local_shape))] = box
        result[name] = dict(dims=dims, elements=array.reshape(-1).tolist())
    return dict(case, result=result)


def main():
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(record(case))}" for name, case in CASES.items())
    path = pathlib.Path(__file__).parent / "paddle_mappings.json"
    path.write_text("{\n" + lines + "\n}\n")


main()

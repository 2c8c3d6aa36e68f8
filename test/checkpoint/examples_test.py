#!/usr/bin/env python3
"""Runs examples/checkpoint/*.aoa on small generated weights, and compares the results with NumPy. The inverse of each
file has to restore the weights.

usage: examples_test.py PROA_CHECKPOINT EXAMPLES
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "onnx"))
import safetensors_file  # noqa: E402

LAYERS, HEADS, GROUPS, HEAD, HIDDEN, FFN, VOCABULARY, EXPERTS = 2, 4, 2, 4, 16, 24, 10, 3
LAYER_IDS = range(LAYERS)


class Weights(dict):
    """Tensors of random bits: equal only if each element has its place."""

    def __init__(self, seed):
        super().__init__()
        self.random = np.random.default_rng(seed)

    def add(self, name, *dims):
        self[name] = self.random.standard_normal(dims).astype(np.float32)

    def linear(self, name, outputs, inputs):
        """As Hugging Face stores it, with a bias."""
        self.add(f"{name}.weight", outputs, inputs)
        self.add(f"{name}.bias", outputs)

    def norm(self, name):
        self.add(f"{name}.weight", HIDDEN)
        self.add(f"{name}.bias", HIDDEN)


def groups_of_heads(query, key, value):
    """Each group has its queries, its key and its value, along the first dimension."""
    parts = []
    for group in range(GROUPS):
        size = HEADS // GROUPS * HEAD
        parts += [query[group * size:(group + 1) * size], key[group * HEAD:(group + 1) * HEAD],
                  value[group * HEAD:(group + 1) * HEAD]]
    return np.concatenate(parts)


def attention(weights, prefix):
    """The weights of queries, keys and values."""
    return (weights[f"{prefix}.{name}_proj.weight"] for name in "qkv")


def llama():
    weights = Weights(1)
    weights.add("model.embed_tokens.weight", VOCABULARY, HIDDEN)
    for layer in LAYER_IDS:
        at = f"model.layers.{layer}"
        for norm in ("input_layernorm", "post_attention_layernorm"):
            weights.add(f"{at}.{norm}.weight", HIDDEN)
        for name, rows in (("q", HEADS), ("k", GROUPS), ("v", GROUPS)):
            weights.add(f"{at}.self_attn.{name}_proj.weight", rows * HEAD, HIDDEN)
        weights.add(f"{at}.self_attn.o_proj.weight", HIDDEN, HEADS * HEAD)
        llama_ffn(weights, at)
    weights.add("model.norm.weight", HIDDEN)
    weights.add("lm_head.weight", VOCABULARY, HIDDEN)
    return weights


def llama_ffn(weights, at):
    for name in ("gate", "up"):
        weights.add(f"{at}.mlp.{name}_proj.weight", FFN, HIDDEN)
    weights.add(f"{at}.mlp.down_proj.weight", HIDDEN, FFN)


def mixtral():
    weights = llama()
    for layer in LAYER_IDS:
        at = f"model.layers.{layer}"
        for name in ("gate", "up", "down"):
            del weights[f"{at}.mlp.{name}_proj.weight"]
        weights.add(f"{at}.block_sparse_moe.gate.weight", EXPERTS, HIDDEN)
        for expert in range(EXPERTS):
            for name, dims in (("w1", (FFN, HIDDEN)), ("w2", (HIDDEN, FFN)), ("w3", (FFN, HIDDEN))):
                weights.add(f"{at}.block_sparse_moe.experts.{expert}.{name}.weight", *dims)
    return weights


def llama_meta():
    weights = Weights(2)
    weights.add("tok_embeddings.weight", VOCABULARY, HIDDEN)
    for layer in LAYER_IDS:
        at = f"layers.{layer}"
        for name, rows in (("q", HEADS), ("k", GROUPS), ("v", GROUPS), ("o", HEADS)):
            weights.add(f"{at}.attention.w{name}.weight", rows * HEAD, HIDDEN)
        for name, dims in (("w1", (FFN, HIDDEN)), ("w2", (HIDDEN, FFN)), ("w3", (FFN, HIDDEN))):
            weights.add(f"{at}.feed_forward.{name}.weight", *dims)
        weights.add(f"{at}.attention_norm.weight", HIDDEN)
        weights.add(f"{at}.ffn_norm.weight", HIDDEN)
    weights.add("norm.weight", HIDDEN)
    weights.add("output.weight", VOCABULARY, HIDDEN)
    return weights


def gpt():
    weights = Weights(3)
    weights.add("transformer.wte.weight", VOCABULARY, HIDDEN)
    weights.add("transformer.wpe.weight", 8, HIDDEN)
    for layer in LAYER_IDS:
        at = f"transformer.h.{layer}"
        for name, inputs, outputs in (("attn.c_attn", HIDDEN, 3 * HIDDEN), ("attn.c_proj", HIDDEN, HIDDEN),
                                      ("mlp.c_fc", HIDDEN, FFN), ("mlp.c_proj", FFN, HIDDEN)):
            weights.add(f"{at}.{name}.weight", inputs, outputs)
            weights.add(f"{at}.{name}.bias", outputs)
        weights.norm(f"{at}.ln_1")
        weights.norm(f"{at}.ln_2")
    weights.norm("transformer.ln_f")
    return weights


def encoder(model):
    weights = Weights(4)
    names = ["word_embeddings", "position_embeddings", "token_type_embeddings"]
    for name in names + (["task_type_embeddings"] if model == "ernie" else []):
        weights.add(f"{model}.embeddings.{name}.weight", VOCABULARY, HIDDEN)
    weights.norm(f"{model}.embeddings.LayerNorm")
    for layer in LAYER_IDS:
        at = f"{model}.encoder.layer.{layer}"
        for name in ("query", "key", "value"):
            weights.linear(f"{at}.attention.self.{name}", HIDDEN, HIDDEN)
        weights.linear(f"{at}.attention.output.dense", HIDDEN, HIDDEN)
        weights.norm(f"{at}.attention.output.LayerNorm")
        weights.linear(f"{at}.intermediate.dense", FFN, HIDDEN)
        weights.linear(f"{at}.output.dense", HIDDEN, FFN)
        weights.norm(f"{at}.output.LayerNorm")
    weights.linear(f"{model}.pooler.dense", HIDDEN, HIDDEN)
    return weights


def megatron_bert():
    """Norms are before the sublayers, and after the last layer."""
    weights = Weights(5)
    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        weights.add(f"bert.embeddings.{name}.weight", VOCABULARY, HIDDEN)
    for layer in LAYER_IDS:
        at = f"bert.encoder.layer.{layer}"
        weights.norm(f"{at}.attention.ln")
        for name in ("query", "key", "value"):
            weights.linear(f"{at}.attention.self.{name}", HIDDEN, HIDDEN)
        weights.linear(f"{at}.attention.output.dense", HIDDEN, HIDDEN)
        weights.norm(f"{at}.ln")
        weights.linear(f"{at}.intermediate.dense", FFN, HIDDEN)
        weights.linear(f"{at}.output.dense", HIDDEN, FFN)
    weights.norm("bert.encoder.ln")
    weights.linear("bert.pooler.dense", HIDDEN, HIDDEN)
    return weights


def paddle_decoder(weights, model):
    """Names and layouts of Paddle without the feed-forward layers."""
    result = {f"{model}.embed_tokens.weight": weights["model.embed_tokens.weight"],
              f"{model}.norm.weight": weights["model.norm.weight"], "lm_head.weight": weights["lm_head.weight"].T}
    for layer in LAYER_IDS:
        source, target = f"model.layers.{layer}", f"{model}.layers.{layer}"
        for norm in ("input_layernorm", "post_attention_layernorm"):
            result[f"{target}.{norm}.weight"] = weights[f"{source}.{norm}.weight"]
        result[f"{target}.self_attn.qkv_proj.weight"] = groups_of_heads(*attention(weights, f"{source}.self_attn")).T
        result[f"{target}.self_attn.o_proj.weight"] = weights[f"{source}.self_attn.o_proj.weight"].T
    return result


def megatron_decoder(weights, ffn_norm):
    """Names and layouts of Megatron without the feed-forward layers."""
    result = {"embedding.word_embeddings.weight": weights["model.embed_tokens.weight"],
              "decoder.final_layernorm.weight": weights["model.norm.weight"],
              "output_layer.weight": weights["lm_head.weight"]}
    for layer in LAYER_IDS:
        source, target = f"model.layers.{layer}", f"decoder.layers.{layer}"
        result[f"{target}.self_attention.linear_qkv.layer_norm_weight"] = weights[f"{source}.input_layernorm.weight"]
        result[f"{target}.{ffn_norm}"] = weights[f"{source}.post_attention_layernorm.weight"]
        result[f"{target}.self_attention.linear_qkv.weight"] = groups_of_heads(
            *attention(weights, f"{source}.self_attn"))
        result[f"{target}.self_attention.linear_proj.weight"] = weights[f"{source}.self_attn.o_proj.weight"]
    return result


def llama_to_paddle(weights):
    result = paddle_decoder(weights, "llama")
    for layer in LAYER_IDS:
        source, target = f"model.layers.{layer}.mlp", f"llama.layers.{layer}.mlp"
        result[f"{target}.gate_up_fused_proj.weight"] = np.concatenate(
            [weights[f"{source}.gate_proj.weight"], weights[f"{source}.up_proj.weight"]]).T
        result[f"{target}.down_proj.weight"] = weights[f"{source}.down_proj.weight"].T
    return result


def llama_to_megatron(weights):
    result = megatron_decoder(weights, "mlp.linear_fc1.layer_norm_weight")
    for layer in LAYER_IDS:
        source, target = f"model.layers.{layer}.mlp", f"decoder.layers.{layer}.mlp"
        result[f"{target}.linear_fc1.weight"] = np.concatenate(
            [weights[f"{source}.gate_proj.weight"], weights[f"{source}.up_proj.weight"]])
        result[f"{target}.linear_fc2.weight"] = weights[f"{source}.down_proj.weight"]
    return result


def mixtral_to_paddle(weights):
    result = paddle_decoder(weights, "mixtral")
    for layer in LAYER_IDS:
        source, target = (f"{model}.layers.{layer}.block_sparse_moe" for model in ("model", "mixtral"))
        result[f"{target}.gate.weight"] = weights[f"{source}.gate.weight"].T
        for expert in range(EXPERTS):
            w1, w2, w3 = (weights[f"{source}.experts.{expert}.w{i}.weight"] for i in (1, 2, 3))
            result[f"{target}.experts.{expert}.gate_up_fused_proj.weight"] = np.concatenate([w1.T, w3.T], 1)
            result[f"{target}.experts.{expert}.down_proj.weight"] = w2.T
    return result


def mixtral_to_megatron(weights):
    result = megatron_decoder(weights, "pre_mlp_layernorm.weight")
    for layer in LAYER_IDS:
        source, target = f"model.layers.{layer}.block_sparse_moe", f"decoder.layers.{layer}.mlp"
        result[f"{target}.router.weight"] = weights[f"{source}.gate.weight"]
        for expert in range(EXPERTS):
            w1, w2, w3 = (weights[f"{source}.experts.{expert}.w{i}.weight"] for i in (1, 2, 3))
            result[f"{target}.experts.local_experts.{expert}.linear_fc1.weight"] = np.concatenate([w1, w3])
            result[f"{target}.experts.local_experts.{expert}.linear_fc2.weight"] = w2
    return result


def halves(rows, heads):
    """The elements 2 i of each head, then the elements 2 i + 1."""
    pairs = rows.reshape(heads, HEAD // 2, 2, -1)
    return pairs.transpose(0, 2, 1, 3).reshape(rows.shape)


def meta_to_hf(weights):
    result = {"model.embed_tokens.weight": weights["tok_embeddings.weight"],
              "model.norm.weight": weights["norm.weight"], "lm_head.weight": weights["output.weight"]}
    for layer in LAYER_IDS:
        source, target = f"layers.{layer}", f"model.layers.{layer}"
        get = lambda name: weights[f"{source}.{name}.weight"]  # noqa: E731
        names = {"input_layernorm": get("attention_norm"), "post_attention_layernorm": get("ffn_norm"),
                 "self_attn.q_proj": halves(get("attention.wq"), HEADS),
                 "self_attn.k_proj": halves(get("attention.wk"), GROUPS), "self_attn.v_proj": get("attention.wv"),
                 "self_attn.o_proj": get("attention.wo"), "mlp.gate_proj": get("feed_forward.w1"),
                 "mlp.down_proj": get("feed_forward.w2"), "mlp.up_proj": get("feed_forward.w3")}
        result |= {f"{target}.{name}.weight": value for name, value in names.items()}
    return result


def gpt_to_paddle(weights):
    result = {"gpt.embeddings.word_embeddings.weight": weights["transformer.wte.weight"],
              "gpt.embeddings.position_embeddings.weight": weights["transformer.wpe.weight"]}
    for kind in ("weight", "bias"):
        result[f"gpt.decoder.norm.{kind}"] = weights[f"transformer.ln_f.{kind}"]
        for layer in LAYER_IDS:
            source, target = f"transformer.h.{layer}", f"gpt.decoder.layers.{layer}"
            for name, part in zip("qkv", np.split(weights[f"{source}.attn.c_attn.{kind}"], 3, -1)):
                result[f"{target}.self_attn.{name}_proj.{kind}"] = part
            for old, new in (("attn.c_proj", "self_attn.out_proj"), ("mlp.c_fc", "linear1"), ("mlp.c_proj", "linear2"),
                             ("ln_1", "norm1"), ("ln_2", "norm2")):
                result[f"{target}.{new}.{kind}"] = weights[f"{source}.{old}.{kind}"]
    return result


def gpt_to_megatron(weights):
    result = {"embedding.word_embeddings.weight": weights["transformer.wte.weight"],
              "embedding.position_embeddings.weight": weights["transformer.wpe.weight"]}
    for kind in ("weight", "bias"):
        result[f"decoder.final_layernorm.{kind}"] = weights[f"transformer.ln_f.{kind}"]
        for layer in LAYER_IDS:
            source, target = f"transformer.h.{layer}", f"decoder.layers.{layer}"
            heads = weights[f"{source}.attn.c_attn.{kind}"].T.reshape(3, HEADS, HEAD, -1).swapaxes(0, 1)
            shape = (3 * HIDDEN, HIDDEN) if kind == "weight" else (3 * HIDDEN,)
            result[f"{target}.self_attention.linear_qkv.{kind}"] = heads.reshape(shape)
            for old, new in (("attn.c_proj", "self_attention.linear_proj"), ("mlp.c_fc", "mlp.linear_fc1"),
                             ("mlp.c_proj", "mlp.linear_fc2")):
                result[f"{target}.{new}.{kind}"] = weights[f"{source}.{old}.{kind}"].T
            for old, new in (("ln_1", "self_attention.linear_qkv"), ("ln_2", "mlp.linear_fc1")):
                result[f"{target}.{new}.layer_norm_{kind}"] = weights[f"{source}.{old}.{kind}"]
    return result


def encoder_to_paddle(weights):
    renames = (("embeddings.LayerNorm", "embeddings.layer_norm"), ("encoder.layer.", "encoder.layers."),
               ("attention.self.query", "self_attn.q_proj"), ("attention.self.key", "self_attn.k_proj"),
               ("attention.self.value", "self_attn.v_proj"), ("attention.output.dense", "self_attn.out_proj"),
               ("attention.output.LayerNorm", "norm1"), ("intermediate.dense", "linear1"), ("output.dense", "linear2"),
               ("output.LayerNorm", "norm2"))
    result = {}
    for name, value in weights.items():
        is_linear = value.ndim == 2 and "embeddings" not in name
        for old, new in renames:
            name = name.replace(old, new)
        result[name] = value.T if is_linear else value
    return result


def bert_to_megatron(weights):
    renames = (("bert.embeddings.token_type", "embedding.tokentype"), ("bert.embeddings.", "embedding."),
               ("bert.encoder.layer.", "encoder.layers."), ("bert.encoder.ln", "encoder.final_layernorm"),
               ("bert.pooler", "pooler"), ("attention.ln.", "self_attention.linear_qkv.layer_norm_"),
               (".ln.", ".mlp.linear_fc1.layer_norm_"), ("attention.output.dense", "self_attention.linear_proj"),
               ("intermediate.dense", "mlp.linear_fc1"), ("output.dense", "mlp.linear_fc2"))
    result = {}
    for name, value in weights.items():
        for old, new in renames:
            name = name.replace(old, new)
        if ".attention.self." not in name:
            result[name] = value
    for layer in LAYER_IDS:
        for kind in ("weight", "bias"):
            at = f"bert.encoder.layer.{layer}.attention.self"
            heads = np.stack([weights[f"{at}.{name}.{kind}"].reshape(HEADS, HEAD, -1)
                              for name in ("query", "key", "value")], 1)
            shape = (3 * HIDDEN, HIDDEN) if kind == "weight" else (3 * HIDDEN,)
            result[f"encoder.layers.{layer}.self_attention.linear_qkv.{kind}"] = heads.reshape(shape)
    return result


EXAMPLES = {
    "llama-hf-to-paddle": (llama, llama_to_paddle),
    "llama-hf-to-megatron": (llama, llama_to_megatron),
    "llama-meta-to-hf": (llama_meta, meta_to_hf),
    "gpt-hf-to-paddle": (gpt, gpt_to_paddle),
    "gpt-hf-to-megatron": (gpt, gpt_to_megatron),
    "bert-hf-to-paddle": (lambda: encoder("bert"), encoder_to_paddle),
    "bert-hf-to-megatron": (megatron_bert, bert_to_megatron),
    "ernie-hf-to-paddle": (lambda: encoder("ernie"), encoder_to_paddle),
    "mixtral-hf-to-paddle": (mixtral, mixtral_to_paddle),
    "mixtral-hf-to-megatron": (mixtral, mixtral_to_megatron),
}


def differences(actual, expected):
    names = [f"{name}: only in the {where}" for name in sorted(actual.keys() ^ expected.keys())
             for where in (["result"] if name in actual else ["expectation"])]
    return names + [f"{name}: differs from NumPy" for name in sorted(actual.keys() & expected.keys())
                    if actual[name].shape != expected[name].shape or not np.array_equal(actual[name], expected[name])]


def main():
    tool, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    failures = []
    files = {path.stem for path in examples.glob("*.aoa")}
    failures += [f"{name}: no test, or no file" for name in sorted(files ^ EXAMPLES.keys())]
    with tempfile.TemporaryDirectory() as folder:
        for name, (create, transform) in EXAMPLES.items():
            source, target, back = (f"{folder}/{name}-{part}.safetensors" for part in ("source", "target", "back"))
            weights = create()
            safetensors_file.write(source, weights)
            statements = ["--transform", str(examples / f"{name}.aoa"), "--define", f"HEADS={HEADS}", "--define",
                          f"GROUPS={GROUPS}"]
            subprocess.run([tool, "convert", source, target, *statements], check=True)
            subprocess.run([tool, "convert", target, back, *statements, "--inverse"], check=True)
            failures += [f"{name}: {line}" for line in differences(safetensors_file.read(target), transform(weights))]
            failures += [f"{name}, inverse: {line}" for line in differences(safetensors_file.read(back), weights)]
    print("\n".join(failures) if failures else f"{len(EXAMPLES)} examples agree with NumPy")
    sys.exit(bool(failures))


main()

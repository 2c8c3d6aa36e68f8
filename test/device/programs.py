"""The programs of the device kit: kernels as IR with formulas, cases of the corpus, and which check has them."""

import dataclasses
import json


def unary(op, dims, dtype, result=None):
    x, y = f"tensor<{dims}x{dtype}>", f"tensor<{result or dims}x{dtype}>"
    return f"func.func @main(%x: {x}) -> {y} {{\n  %y = {op} : ({x}) -> {y}\n  return %y : {y}\n}}"


def binary(op, dims, dtype):
    t = f"tensor<{dims}x{dtype}>"
    return f"func.func @main(%x: {t}, %y: {t}) -> {t} {{\n  %z = {op} : ({t}, {t}) -> {t}\n  return %z : {t}\n}}"


def product(m, n, k, dtype, flags=""):
    x = f"tensor<{k}x{m}x{dtype}>" if "transpose_x" in flags else f"tensor<{m}x{k}x{dtype}>"
    y = f"tensor<{n}x{k}x{dtype}>" if "transpose_y" in flags else f"tensor<{k}x{n}x{dtype}>"
    z = f"tensor<{m}x{n}x{dtype}>"
    return (f"func.func @main(%x: {x}, %y: {y}) -> {z} {{\n  %z = pd.matmul %x, %y {flags} : ({x}, {y}) -> {z}\n"
            f"  return %z : {z}\n}}")


def product_of_bytes(m, n, k, dtype, sum_type):
    """A product of elements of 8 bits, with the sums in 32 bits."""
    x, y, z = f"tensor<{m}x{k}x{dtype}>", f"tensor<{k}x{n}x{dtype}>", f"tensor<{m}x{n}x{sum_type}>"
    wide_x, wide_y = x.replace(dtype, sum_type), y.replace(dtype, sum_type)
    return f"""func.func @main(%x: {x}, %y: {y}) -> {z} {{
  %a = pd.cast %x {{dtype = {sum_type}}} : ({x}) -> {wide_x}
  %b = pd.cast %y {{dtype = {sum_type}}} : ({y}) -> {wide_y}
  %z = pd.matmul %a, %b : ({wide_x}, {wide_y}) -> {z}
  return %z : {z}
}}"""


def product_with_epilogue(m, n, k, dtype):
    """gelu(x y + bias)."""
    x, y, b, z = (f"tensor<{dims}x{dtype}>" for dims in (f"{m}x{k}", f"{k}x{n}", f"{n}", f"{m}x{n}"))
    return f"""func.func @main(%x: {x}, %y: {y}, %b: {b}) -> {z} {{
  %p = pd.matmul %x, %y : ({x}, {y}) -> {z}
  %s = pd.add %p, %b : ({z}, {b}) -> {z}
  %z = pd.gelu %s {{approximate = true}} : ({z}) -> {z}
  return %z : {z}
}}"""


def quantized(rows, inner, columns, dtype):
    """Weights of int8 with a scale for each column, as in decoding."""
    x, w, s = f"tensor<{rows}x{inner}x{dtype}>", f"tensor<{inner}x{columns}xi8>", f"tensor<{columns}x{dtype}>"
    y, z = f"tensor<{inner}x{columns}x{dtype}>", f"tensor<{rows}x{columns}x{dtype}>"
    return f"""func.func @main(%x: {x}, %w: {w}, %s: {s}) -> {z} {{
  %a = pd.cast %w {{dtype = {dtype}}} : ({w}) -> {y}
  %b = pd.multiply %a, %s : ({y}, {s}) -> {y}
  %z = pd.matmul %x, %b : ({x}, {y}) -> {z}
  return %z : {z}
}}"""


def grouped(rows, groups, inner, columns, dtype):
    """Experts of which each has one more part of the rows than the one before."""
    x, y, n = f"tensor<{rows}x{inner}x{dtype}>", f"tensor<{groups}x{inner}x{columns}x{dtype}>", f"tensor<{groups}xi64>"
    z = f"tensor<{rows}x{columns}x{dtype}>"
    ends = [rows * g * (g + 1) // (groups * (groups + 1)) for g in range(groups + 1)]
    sizes = [end - start for start, end in zip(ends, ends[1:])]
    return f"""func.func @main(%x: {x}, %y: {y}) -> {z} {{
  %n = pd.constant dense<{sizes}> : {n}
  %z = pd.grouped_matmul %x, %y, %n : ({x}, {y}, {n}) -> {z}
  return %z : {z}
}}"""


def attention(heads, length, depth, dtype, causal=False):
    q, s = f"tensor<1x{heads}x{length}x{depth}x{dtype}>", f"tensor<1x{heads}x{length}xf32>"
    flags = f"{{scale = {depth ** -0.5} : f64{', causal = true' if causal else ''}}}"
    return f"""func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
  %0:3 = pd.fused_attention %q, %k, %v {flags} : ({q}, {q}, {q}) -> ({q}, {s}, {s})
  return %0#0 : {q}
}}"""


def attention_gradient(heads, length, depth, dtype, causal=False):
    q, s = f"tensor<1x{heads}x{length}x{depth}x{dtype}>", f"tensor<1x{heads}x{length}xf32>"
    flags = f"{{scale = {depth ** -0.5} : f64{', causal = true' if causal else ''}}}"
    return f"""func.func @main(%q: {q}, %k: {q}, %v: {q}, %g: {q}) -> ({q}, {q}, {q}) {{
  %0:3 = pd.fused_attention %q, %k, %v {flags} : ({q}, {q}, {q}) -> ({q}, {s}, {s})
  %1:3 = pd.fused_attention_grad %q, %k, %v, %g, %0#1, %0#2, %0#0 {flags}
    : ({q}, {q}, {q}, {q}, {s}, {s}, {q}) -> ({q}, {q}, {q})
  return %1#0, %1#1, %1#2 : {q}, {q}, {q}
}}"""


def paged_attention(batch, heads, groups, length, depth, dtype):
    """A decoding step; the blocks of a sequence are not adjacent."""
    rows = 16
    columns = length // rows
    q, t = f"tensor<{batch}x{heads}x{depth}x{dtype}>", f"tensor<{batch}x{columns}xi32>"
    c, n = f"tensor<{batch * columns}x{groups}x{rows}x{depth}x{dtype}>", f"tensor<{batch}xi32>"
    table = [[column * batch + sequence for column in range(columns)] for sequence in range(batch)]
    return f"""func.func @main(%q: {q}, %k: {c}, %v: {c}) -> {q} {{
  %t = pd.constant dense<{table}> : {t}
  %n = pd.constant dense<{length}> : {n}
  %o = pd.paged_attention %q, %k, %v, %t, %n {{scale = 0.1 : f64}} : ({q}, {c}, {c}, {t}, {n}) -> {q}
  return %o : {q}
}}"""


@dataclasses.dataclass
class Program:
    """One compiled library of the kit, and how it is checked."""

    name: str
    check: str  # the step of the kit that runs it: a key of CHECKS in kit/run.py
    source: str  # IR, or a folder of the corpus ("ops/relu/f32")
    # Where the expected values come from: "paddle" (outputs of the case), the name of a formula in kit/formulas.py, or
    # "cpu" (the program compiled for the CPU).
    oracle: str = "paddle"
    tolerance: float = 0.0  # of formulas and the CPU: |got - expected| <= tolerance * (1 + |expected|)
    libraries: str = ""  # proa-compile --cuda-libraries; empty: all
    is_timed: bool = False
    peer: str = ""  # a measurement of kit/peers.py that the time is compared with


def formula(name, check, source, oracle, tolerance, **rest):
    return Program(name, check, source, oracle, tolerance, **rest)


OPS = {
    "families": (
        "gelu/f32_special gelu/gelu_tanh__f32_grad erf/f32_grad elementwise_add/f32_bcast_grad "
        "elementwise_add/i64 elementwise_pow/f32_grad cast/float16_float32 cast/float64_float32 "
        "cast/f32_i64_neg_trunc where/bcast clip/nan reduce_sum/nan reduce_sum/i64 reduce_max/axes_keep "
        "reduce_max/ties softmax/f32_grad softmax/f32_special softmax/f64_grad log_softmax/f32_special "
        "layer_norm/two_axes group_norm/basic batch_norm/train_2d transpose2/basic transpose2/i64 "
        "concat/axis1 concat/bool slice/getitem_decrease strided_slice/neg pad3d/reflect flip/axes roll/axis "
        "tile/basic expand_v2/basic stack/axis1 split/sections pool2d/avg_incl pool2d/max_pad "
        "max_pool2d_with_index bilinear_interp_v2/interp_bilinear__down nearest_interp_v2/interp_nearest__up "
        "grid_sampler/bilinear gather/axis0 gather_nd/basic scatter/add scatter/overwrite "
        "scatter_nd_add/basic index_put/accumulate take_along_axis/basic put_along_axis/add one_hot_v2/basic "
        "lookup_table_v2/padding cumsum/excl_rev cumsum/i64 cumprod/axis cummax/axis argsort/desc_sort "
        "top_k_v2/basic searchsorted matmul_v2/tx matmul_v2/matvec matmul_v2/sdpa__manual bmm/basic p_norm "
        "lrn prelu multiplex tril_indices"),
    "cudnn": (
        "conv2d/basic conv2d/bias conv2d/asym_pad conv2d/dilation conv2d/groups conv2d/nhwc conv2d/f64 "
        "conv2d/same depthwise_conv2d/basic conv2d_transpose/basic conv2d_transpose/groups "
        "conv3d_transpose/basic"),
    "cufft": (
        "fft_c2c/fft fft_c2c/fft2 fft_c2c/ifft_ortho fft_r2c/rfft fft_r2c/grad fft_c2r/irfft"),
    "cusolver": (
        "cholesky/lower cholesky_solve/basic lu/basic svd/values_recon eigvalsh/basic solve/basic "
        "determinant/basic"),
}
MODELS = ("models/nlp/bert models/nlp/gpt models/nlp/llama models/nlp/t5_encoder models/vision/resnet18 "
          "models/vision/mobilenet_v2 models/vision/swin models/misc/unet models/misc/lstm_classifier "
          "realistic/bert_base realistic/resnet50 realistic/gpt2_small")
TRAINING = "bert_mlm_adamw llama_adamw resnet18_momentum mlp_adam mlp_loss_scaling_dynamic transformer_encoder_adamw"

NONE = {"libraries": "none"}


def products():
    """Matmuls by generated kernels and by cuBLASLt: small ones with odd sizes for correctness, large ones for
    time. The tolerance of 16 bits is one unit of the result and of its sums."""
    tolerances = {"bf16": 2e-2, "f16": 3e-3, "f32": 1e-4}
    for dtype, tolerance in tolerances.items():
        for m, n, k in ((200, 312, 104), (129, 264, 520)):
            yield formula(f"mm_{dtype}_{m}x{n}x{k}", "products", product(m, n, k, dtype), "matmul", tolerance, **NONE)
        yield formula(f"mm_{dtype}_tx", "products", product(192, 320, 136, dtype, "{transpose_x = true}"), "matmul_tx",
                      tolerance, **NONE)
        yield formula(f"mm_{dtype}_ty", "products", product(192, 320, 136, dtype, "{transpose_y = true}"), "matmul_ty",
                      tolerance, **NONE)
        yield formula(f"mm_{dtype}_gelu", "products", product_with_epilogue(256, 384, 256, dtype), "matmul_gelu",
                      tolerance, **NONE)
    yield formula("mm_bf16_split", "products", product(128, 4096, 4096, "bf16"), "matmul", 2e-2, is_timed=True, **NONE)
    yield formula("mm_i8", "products", product_of_bytes(256, 384, 512, "i8", "i32"), "matmul", 0, **NONE)
    yield formula("mm_fp8", "products", product_of_bytes(256, 384, 512, "f8E4M3FN", "f32"), "cpu", 1e-3, **NONE)
    yield formula("mm_int8_weights", "products", quantized(8, 4096, 4096, "bf16"), "cpu", 3e-2, is_timed=True, **NONE)
    for rows in (64, 2048):
        yield formula(f"grouped_{rows}", "products", grouped(rows, 8, 1024, 2048, "bf16"), "cpu", 3e-2, is_timed=True,
                      **NONE)
    for dtype, sizes in (("bf16", (1024, 4096, 8192)), ("f16", (4096,)), ("f32", (4096,))):
        for n in sizes:
            tolerance = tolerances[dtype] * (2 if dtype == "f32" else 1)
            for how, libraries in (("generated", "none"), ("cublaslt", "")):
                check = "products" if how == "generated" else "cublaslt"
                yield formula(f"mm_{dtype}_{n}_{how}", check, product(n, n, n, dtype), "matmul", tolerance,
                              libraries=libraries, is_timed=True, peer=f"matmul_{dtype}_{n}")
    yield formula("mm_f32_gelu_cublaslt", "cublaslt", product_with_epilogue(1024, 1024, 512, "f32"), "matmul_gelu",
                  1e-4)
    yield formula("mm_bf16_gelu_cublaslt", "cublaslt", product_with_epilogue(2048, 1024, 1024, "bf16"), "matmul_gelu",
                  2e-2)
    yield formula("gemv_bf16", "products", product(1, 4096, 4096, "bf16"), "matmul", 2e-2, is_timed=True,
                  peer="gemv_bf16", **NONE)
    yield formula("gemv_bf16_ty", "products", product(1, 4096, 4096, "bf16", "{transpose_y = true}"), "matmul_ty", 2e-2,
                  is_timed=True, peer="gemv_bf16", **NONE)


def attentions():
    yield formula("att_f32_small", "attention", attention(2, 200, 64, "f32"), "attention", 1e-4)
    yield formula("att_bf16_odd", "attention", attention(3, 333, 64, "bf16"), "attention", 2e-2)
    yield formula("att_bf16_odd_causal", "attention", attention(3, 333, 128, "bf16", True), "attention_causal", 2e-2)
    yield formula("att_bf16_d128", "attention", attention(16, 4096, 128, "bf16"), "attention", 2e-2, is_timed=True,
                  peer="sdpa_d128")
    yield formula("att_bf16_d128_causal", "attention", attention(16, 4096, 128, "bf16", True), "attention_causal", 2e-2,
                  is_timed=True, peer="sdpa_d128_causal")
    yield formula("att_bf16_d64", "attention", attention(16, 4096, 64, "bf16"), "attention", 2e-2, is_timed=True,
                  peer="sdpa_d64")
    yield formula("att_grad_odd", "attention", attention_gradient(2, 200, 64, "bf16"), "cpu", 4e-2)
    yield formula("att_grad_f32", "attention", attention_gradient(2, 130, 64, "f32", True), "cpu", 1e-3)
    yield formula("att_grad_d128", "attention", attention_gradient(16, 2048, 128, "bf16"), "cpu", 4e-2, is_timed=True,
                  peer="sdpa_grad_d128")
    yield formula("paged_small", "attention", paged_attention(3, 8, 2, 160, 128, "bf16"), "cpu", 2e-2)
    yield formula("paged_64", "attention", paged_attention(64, 32, 8, 1024, 128, "bf16"), "cpu", 2e-2, is_timed=True)


def memory_bound():
    """Kernels that a copy of the same bytes bounds."""
    yield formula("relu_f32", "one kernel", unary("pd.relu %x", "8192x8192", "f32"), "relu", 0, is_timed=True,
                  peer="copy_f32")
    yield formula("add_f32", "families", binary("pd.add %x, %y", "8192x8192", "f32"), "add", 1e-6, is_timed=True)
    yield formula("gelu_bf16", "families", unary("pd.gelu %x", "16384x8192", "bf16"), "gelu", 1e-2, is_timed=True,
                  peer="copy_bf16")
    for name, dims, dtype, tolerance in (("1k", "65536x1024", "f32", 1e-5), ("8k", "8192x8192", "f32", 1e-5),
                                         ("32k", "4096x32768", "bf16", 1e-2), ("131k", "512x131072", "f32", 1e-5)):
        yield formula(f"softmax_{name}", "families", unary("pd.softmax %x", dims, dtype), "softmax", tolerance,
                      is_timed=True, peer="copy_bf16" if dtype == "bf16" else "copy_f32")
    yield formula("transpose_f32", "families", unary("pd.transpose %x {perm = array<i64: 1, 0>}", "8192x8192", "f32"),
                  "transpose", 0, is_timed=True, peer="copy_f32")
    yield formula("sum_rows_f32", "families",
                  unary("pd.sum %x {axis = array<i64: 1>, keepdim = false}", "8192x8192", "f32", "8192"), "sum_rows",
                  1e-3, is_timed=True)
    yield formula("sum_columns_f32", "families",
                  unary("pd.sum %x {axis = array<i64: 0>, keepdim = false}", "8192x8192", "f32", "8192"), "sum_columns",
                  1e-3, is_timed=True)
    yield formula("cumsum_f32", "families", unary("pd.cumsum %x {axis = 1 : i64}", "4096x8192", "f32"), "cumsum", 1e-3,
                  is_timed=True)


def chain(count):
    """As many kernels: one that permutes elements of a value needs all of it before."""
    x = "tensor<16x16xf32>"
    lines = [f"  %a{i} = pd.transpose %b{i} {{perm = array<i64: 1, 0>}} : ({x}) -> {x}\n"
             f"  %b{i + 1} = pd.tanh %a{i} : ({x}) -> {x}" for i in range(count)]
    return f"func.func @main(%b0: {x}) -> {x} {{\n" + "\n".join(lines) + f"\n  return %b{count} : {x}\n}}"


def facts():
    """Programs whose times are facts of the target (docs/target.md, kit/run.py): kernels in a graph, and sums over a
    quarter of an L2 cache of 50 MB."""
    for count in (1, 65):
        yield formula(f"fact_start_{count}", "graphs", chain(count), "cpu", 1e-5, is_timed=True, **NONE)
    yield formula("fact_cache", "families",
                  unary("pd.sum %x {axis = array<i64: 1>, keepdim = false}", "3072x1024", "f32", "3072"), "sum_rows",
                  1e-3, is_timed=True, **NONE)


def corpus_programs(corpus):
    """All runnable cases of the corpus that have values to compare with."""
    for meta_file in sorted(corpus.glob("*/**/meta.json")):
        meta = json.loads(meta_file.read_text())
        folder = str(meta_file.parent.relative_to(corpus))
        is_left_out = (not meta.get("runnable", True) or meta.get("compare", "allclose") != "allclose"
                       or meta.get("lod") or meta.get("state_inputs") or not meta.get("fetches")
                       or folder.startswith(("realistic", "distributed")))
        if not is_left_out:
            check = "states" if folder.startswith("training") else "corpus"
            yield Program("corpus_" + folder.replace("/", "_"), check, folder)


def all_programs():
    yield from memory_bound()
    yield from facts()
    for check, names in OPS.items():
        for name in names.split():
            yield Program("op_" + name.replace("/", "_"), check, "ops/" + name)
    yield from products()
    yield from attentions()
    for folder in MODELS.split():
        yield Program(folder.replace("/", "_"), "graphs", folder, is_timed=True)
    for folder in TRAINING.split():
        yield Program("training_" + folder, "states", "training/" + folder)

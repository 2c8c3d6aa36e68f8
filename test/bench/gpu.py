"""Speed on a CUDA device: copies, elementwise ops, softmax, norms, products of matrices (generated and cuBLASLt),
attention, and models. Writes a table in Markdown; gpu.sh runs it after the checks of correctness.

Each program runs by `proa-run --target=cuda --repeat N --profile --json`: the time of its steps on the device is that
of CUDA events, without the copies of feeds and results.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]


def unary(op, dims, dtype):
    tensor = f"tensor<{dims}x{dtype}>"
    return f"func.func @main(%x: {tensor}) -> {tensor} {{\n" \
           f"  %y = {op} : ({tensor}) -> {tensor}\n  return %y : {tensor}\n}}"


def product(m, n, k, dtype):
    a, b, c = f"tensor<{m}x{k}x{dtype}>", f"tensor<{k}x{n}x{dtype}>", f"tensor<{m}x{n}x{dtype}>"
    return (f"func.func @main(%x: {a}, %y: {b}) -> {c} {{\n  %z = pd.matmul %x, %y : ({a}, {b}) -> {c}\n"
            f"  return %z : {c}\n}}")


def attention(heads, length, depth, dtype):
    q, s = f"tensor<{heads}x{length}x{depth}x{dtype}>", f"tensor<{heads}x{length}x{length}x{dtype}>"
    return f"""func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
  %s = pd.matmul %q, %k {{transpose_y = true}} : ({q}, {q}) -> {s}
  %p = pd.softmax %s : ({s}) -> {s}
  %o = pd.matmul %p, %v : ({s}, {q}) -> {q}
  return %o : {q}
}}"""


def attention_gradient(heads, length, depth, dtype):
    q, s = f"tensor<1x{heads}x{length}x{depth}x{dtype}>", f"tensor<1x{heads}x{length}xf32>"
    return f"""func.func @main(%q: {q}, %k: {q}, %v: {q}, %g: {q}) -> ({q}, {q}, {q}) {{
  %0:3 = pd.fused_attention %q, %k, %v : ({q}, {q}, {q}) -> ({q}, {s}, {s})
  %1:3 = pd.fused_attention_grad %q, %k, %v, %g, %0#1, %0#2, %0#0
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


PROGRAMS = [
    ("copy (assign), 1 GiB", unary("pd.scale %x {scale = 1.0 : f64, bias = 0.0 : f64}", "16384x16384", "f32"), {}),
    ("relu, 1 GiB", unary("pd.relu %x", "16384x16384", "f32"), {}),
    ("gelu bf16, 512 MiB", unary("pd.gelu %x", "16384x16384", "bf16"), {}),
    ("softmax, 8192 x 8192", unary("pd.softmax %x", "8192x8192", "f32"), {}),
    ("softmax bf16, 8192 x 32768", unary("pd.softmax %x", "8192x32768", "bf16"), {}),
    *[(f"matmul {dtype} {n}, {how}", product(n, n, n, dtype), environment)
      for dtype in ("bf16", "f16", "f32") for n in (1024, 4096, 8192)
      for how, environment in (("cuBLASLt", {}), ("generated", {"PROA_CUDA_LIBRARIES": "none"}))],
    ("matmul bf16 with int8 weights, 8 x 4096 x 4096", quantized(8, 4096, 4096, "bf16"), {}),
    *[(f"grouped matmul bf16, {rows} rows, 8 groups of 4096 x 14336", grouped(rows, 8, 4096, 14336, "bf16"), {})
      for rows in (64, 8192)],
    ("attention bf16, 16 x 4096 x 128", attention(16, 4096, 128, "bf16"), {}),
    ("attention and its gradient bf16, 16 x 4096 x 128", attention_gradient(16, 4096, 128, "bf16"), {}),
    *[(f"paged attention bf16, {batch} x {length} x 128, {heads} heads, {groups} of keys",
       paged_attention(batch, heads, groups, length, 128, "bf16"), {})
      for batch, heads, groups, length in ((64, 32, 8, 4096), (1, 32, 8, 65536), (64, 32, 32, 4096))],
]
MODELS = ["realistic/bert_base", "realistic/gpt2_small", "realistic/resnet50", "models/nlp/llama"]


def run(tools, program, environment, repeat):
    """The steps on the device of one run, and the milliseconds of the whole run."""
    done = subprocess.run([tools / "proa-run", program, "--target=cuda", "--repeat", str(repeat), "--profile", "--json",
                           "--quiet"], capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode:
        return None, done.stdout.strip() or done.stderr.strip()
    result = json.loads(done.stdout)
    steps = [step for step in result["steps"] if step.get("bytes", 0) > 0 and not step["kernel"].startswith("copy_")]
    return steps, f"{result['median_ms']:.3f}"


def figures(steps):
    milliseconds = sum(step["ms"] for step in steps)
    seconds = max(milliseconds, 1e-9) / 1000
    return (f"{milliseconds:.3f}", f"{sum(step['bytes'] for step in steps) / seconds / 1e9:.0f}",
            f"{sum(step['flops'] for step in steps) / seconds / 1e12:.1f}",
            f"{max((step['roofline'] for step in steps), default=0):.0%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=20)
    options = parser.parse_args()
    device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                            capture_output=True, text=True)
    lines = [f"# CUDA device, {datetime.date.today()}", "", device.stdout.strip() or "unknown device", "",
             "| program | device ms | GB/s | TFLOP/s | best share of the roofline | run ms |",
             "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for i, (name, text, environment) in enumerate(PROGRAMS):
            file = pathlib.Path(folder) / f"{i}.mlir"
            file.write_text(text)
            programs.append((name, file, environment))
        for model in MODELS:
            if (ROOT / "test/corpus" / model).exists():
                programs.append((model, ROOT / "test/corpus" / model, {}))
        for name, program, environment in programs:
            steps, outcome = run(options.bin, program, environment, options.repeat)
            cells = figures(steps) if steps is not None else ("failed: " + str(outcome)[:80], "", "", "")
            lines.append(f"| {name} | " + " | ".join(cells) + f" | {outcome if steps is not None else ''} |")
            print(lines[-1], file=sys.stderr)
    options.out.write_text("\n".join(lines) + "\n")


main()

"""Figures of generated GPU kernels that need no device.

For each program and chip: milliseconds of compilation per kernel (LLVM IR to PTX, PTX to machine code in process),
registers, occupancy, and the instruction mix of the machine code. With --triton, the same kernels by Triton:

    python3 -m venv /tmp/triton && /tmp/triton/bin/pip install triton
    test/bench/gpu_static.py --bin build/release/bin --triton /tmp/triton/bin/python

Needs an assembler and nvdisasm (`./bootstrap.sh cuda`, or a CUDA toolkit). Prints tables in Markdown.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent
# Of a multiprocessor: threads, registers, bytes of shared memory, blocks; bytes of shared memory that the system takes
# from each block (NVIDIA's tables of compute capabilities).
LIMITS = {"sm_80": (2048, 65536, 167936, 32, 1024), "sm_90a": (2048, 65536, 233472, 32, 1024),
          "sm_100a": (2048, 65536, 233472, 32, 1024)}
# Groups of instructions in the tables.
GROUPS = {"16-byte loads and stores": r"(LDG|STG)\S*\.128", "other loads and stores": r"(LDG|STG)(?!\S*\.128)",
          "asynchronous copies": r"(LDGSTS|UTMALDG|UBLKCP)", "tensor cores": r"(HMMA|HGMMA|IMMA|IGMMA|QGMMA|UTC)",
          "shared memory": r"(LDS|STS|LDSM|STSM)", "shuffles": r"SHFL", "barriers": r"(BAR|SYNCS)",
          "FMA": r"(FFMA|HFMA2|FADD|FMUL)", "special functions": r"MUFU"}
PROGRAMS = {
    "softmax": ("float32 4096 x 1024", """
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %y = pd.softmax %x : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %y : tensor<4096x1024xf32>
}"""),
    "layer_norm": ("float32 4096 x 1024", """
func.func @main(%x: tensor<4096x1024xf32>, %s: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<4096x1024xf32> {
  %m = pd.mean %x {axis = array<i64: 1>, keepdim = true} : (tensor<4096x1024xf32>) -> tensor<4096x1xf32>
  %d = pd.subtract %x, %m : (tensor<4096x1024xf32>, tensor<4096x1xf32>) -> tensor<4096x1024xf32>
  %q = pd.multiply %d, %d : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %v = pd.mean %q {axis = array<i64: 1>, keepdim = true} : (tensor<4096x1024xf32>) -> tensor<4096x1xf32>
  %e = pd.constant dense<1.0e-5> : tensor<f32>
  %w = pd.add %v, %e : (tensor<4096x1xf32>, tensor<f32>) -> tensor<4096x1xf32>
  %r = pd.rsqrt %w : (tensor<4096x1xf32>) -> tensor<4096x1xf32>
  %n = pd.multiply %d, %r : (tensor<4096x1024xf32>, tensor<4096x1xf32>) -> tensor<4096x1024xf32>
  %t = pd.multiply %n, %s : (tensor<4096x1024xf32>, tensor<1024xf32>) -> tensor<4096x1024xf32>
  %y = pd.add %t, %b : (tensor<4096x1024xf32>, tensor<1024xf32>) -> tensor<4096x1024xf32>
  return %y : tensor<4096x1024xf32>
}"""),
    "matvec": ("float16 1 x 4096 x 4096", """
func.func @main(%x: tensor<1x4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<1x4096xf16> {
  %z = pd.matmul %x, %y : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf16>
  return %z : tensor<1x4096xf16>
}"""),
    "matvec_transposed": ("float16 1 x 4096 x 4096", """
func.func @main(%x: tensor<1x4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<1x4096xf16> {
  %z = pd.matmul %x, %y {transpose_y = true}
    : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf16>
  return %z : tensor<1x4096xf16>
}"""),
    "matmul": ("float16 512 x 512 x 512", """
func.func @main(%x: tensor<512x512xf16>, %y: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %z = pd.matmul %x, %y : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %z : tensor<512x512xf16>
}"""),
    "matmul_float8": ("E4M3 2048 x 2048 x 2048, the second transposed", """
func.func @main(%x: tensor<2048x2048xf8E4M3FN>, %y: tensor<2048x2048xf8E4M3FN>) -> tensor<2048x2048xbf16> {
  %a = pd.cast %x {dtype = f32} : (tensor<2048x2048xf8E4M3FN>) -> tensor<2048x2048xf32>
  %b = pd.cast %y {dtype = f32} : (tensor<2048x2048xf8E4M3FN>) -> tensor<2048x2048xf32>
  %p = pd.matmul %a, %b {transpose_y = true}
    : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %z = pd.cast %p {dtype = bf16} : (tensor<2048x2048xf32>) -> tensor<2048x2048xbf16>
  return %z : tensor<2048x2048xbf16>
}"""),
    "matmul_int8_weights": ("float16 8 x 4096 x 4096, weights of int8 with a scale for each column", """
func.func @main(%x: tensor<8x4096xf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096xf16>) -> tensor<8x4096xf16> {
  %a = pd.cast %w {dtype = f16} : (tensor<4096x4096xi8>) -> tensor<4096x4096xf16>
  %b = pd.multiply %a, %s : (tensor<4096x4096xf16>, tensor<4096xf16>) -> tensor<4096x4096xf16>
  %z = pd.matmul %x, %b : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  return %z : tensor<8x4096xf16>
}"""),
    "grouped_matmul": ("bfloat16, 2048 rows in 8 groups, 2048 x 2048", """
func.func @main(%x: tensor<2048x2048xbf16>, %y: tensor<8x2048x2048xbf16>, %n: tensor<8xi64>) -> tensor<2048x2048xbf16> {
  %z = pd.grouped_matmul %x, %y, %n
    : (tensor<2048x2048xbf16>, tensor<8x2048x2048xbf16>, tensor<8xi64>) -> tensor<2048x2048xbf16>
  return %z : tensor<2048x2048xbf16>
}"""),
    "grouped_matmul_y_grad": ("bfloat16, 2048 rows in 8 groups, 2048 x 2048", """
func.func @main(%x: tensor<2048x2048xbf16>, %g: tensor<2048x2048xbf16>, %n: tensor<8xi64>)
    -> tensor<8x2048x2048xbf16> {
  %z = pd.grouped_matmul_y_grad %x, %g, %n
    : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>, tensor<8xi64>) -> tensor<8x2048x2048xbf16>
  return %z : tensor<8x2048x2048xbf16>
}"""),
    "attention": ("float16, 8 heads, 512 x 64", """
func.func @main(%q: tensor<8x512x64xf16>, %k: tensor<8x512x64xf16>, %v: tensor<8x512x64xf16>) -> tensor<8x512x64xf16> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<8x512x64xf16>, tensor<8x512x64xf16>) -> tensor<8x512x512xf16>
  %c = pd.constant dense<0.125> : tensor<f16>
  %t = pd.multiply %s, %c : (tensor<8x512x512xf16>, tensor<f16>) -> tensor<8x512x512xf16>
  %p = pd.softmax %t : (tensor<8x512x512xf16>) -> tensor<8x512x512xf16>
  %o = pd.matmul %p, %v : (tensor<8x512x512xf16>, tensor<8x512x64xf16>) -> tensor<8x512x64xf16>
  return %o : tensor<8x512x64xf16>
}"""),
    "attention_gradient": ("float16, 8 heads, 512 x 64", """
func.func @main(%q: tensor<1x8x512x64xf16>, %k: tensor<1x8x512x64xf16>, %v: tensor<1x8x512x64xf16>,
                %o: tensor<1x8x512x64xf16>, %g: tensor<1x8x512x64xf16>,
                %m: tensor<1x8x512xf32>, %s: tensor<1x8x512xf32>)
    -> (tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>) {
  %0:3 = pd.fused_attention_grad %q, %k, %v, %g, %m, %s, %o {scale = 0.125 : f64}
    : (tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>,
       tensor<1x8x512xf32>, tensor<1x8x512xf32>, tensor<1x8x512x64xf16>)
    -> (tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>)
  return %0#0, %0#1, %0#2 : tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>
}"""),
    "paged_attention": ("float16, 8 sequences of 4096 x 128, 8 heads of keys for 32", """
func.func @main(%q: tensor<8x32x128xf16>, %k: tensor<2048x8x16x128xf16>, %v: tensor<2048x8x16x128xf16>,
                %t: tensor<8x256xi32>, %n: tensor<8xi32>) -> tensor<8x32x128xf16> {
  %o = pd.paged_attention %q, %k, %v, %t, %n {scale = 0.0883883476 : f64}
    : (tensor<8x32x128xf16>, tensor<2048x8x16x128xf16>, tensor<2048x8x16x128xf16>, tensor<8x256xi32>, tensor<8xi32>)
    -> tensor<8x32x128xf16>
  return %o : tensor<8x32x128xf16>
}"""),
}


def occupancy(chip, registers, shared, threads):
    """Share of the threads of a multiprocessor that blocks of such kernels fill."""
    most, registers_in_all, shared_in_all, blocks, system = LIMITS[chip]
    warps = -(-threads // 32)
    by_registers = registers_in_all // (-(-registers * 32 // 256) * 256 * warps) if registers else blocks
    by_shared = shared_in_all // (shared + system)
    return min(blocks, by_registers, by_shared, most // (warps * 32)) * warps * 32 / most


def instruction_mix(nvdisasm, cubin):
    """The number of instructions of each group, and of all."""
    listing = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
    opcodes = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@\S+\s+)?([A-Z][\w.]*)", listing, re.M)
    mix = collections.Counter({group: sum(bool(re.match(pattern, op)) for op in opcodes)
                               for group, pattern in GROUPS.items()})
    mix["all"] = sum(op != "NOP" for op in opcodes)
    return mix


def toolkit(tools):
    listing = subprocess.run([tools / "proa-ptx", "--toolkit"], capture_output=True, text=True, check=True).stdout
    return dict(line.split(": ", 1) for line in listing.splitlines() if ": /" in line)


def compile_program(tools, program, chip, folder):
    """The descriptions of the kernels of a program (CompileDevice.h)."""
    done = subprocess.run([tools / "proa-compile", program, "-o", folder / "plan", "--emit=plan", "--target=cuda",
                           f"--chips={chip}", "--dump", folder], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program}, {chip}: {done.stderr.strip()}")
    kernels = [json.loads(file.read_text()) for file in sorted((folder / chip).glob("*.json"))]
    for kernel in kernels:
        kernel["cubin"] = folder / chip / (kernel["symbol"] + ".cubin")
    return kernels


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def print_kernels(results, nvdisasm):
    print("\n## Kernels\n")
    row("program", "chip", "kernel", "PTX ms", "assembler ms", "registers", "shared bytes", "threads", "occupancy",
        *GROUPS, "instructions")
    row(*["---"] * (10 + len(GROUPS)))
    for name, chip, kernels in results:
        for kernel in kernels:
            mix = instruction_mix(nvdisasm, kernel["cubin"])
            row(name, chip, kernel["symbol"].removeprefix(chip + "_"), f"{kernel['emitMilliseconds']:.0f}",
                f"{kernel['assembleMilliseconds']:.0f}", kernel["registers"], kernel["sharedBytes"], kernel["threads"],
                f"{occupancy(chip, kernel['registers'], kernel['sharedBytes'], kernel['threads']):.0%}",
                *(mix[group] for group in GROUPS), mix["all"])


def print_times(results):
    times = [kernel["emitMilliseconds"] + kernel["assembleMilliseconds"]
             for _, _, kernels in results for kernel in kernels]
    print(f"\n{len(times)} kernels, LLVM IR to machine code: median {statistics.median(times):.0f} ms, "
          f"most {max(times):.0f} ms; at most 100 ms: {sum(time <= 100 for time in times)} of {len(times)}.")


def print_triton(python, nvdisasm, folder):
    """Triton's kernels for sm_90, which it compiles without a device."""
    done = subprocess.run([python, FOLDER / "gpu_triton.py", folder], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"Triton: {done.stderr.strip()[-800:]}")
    print("\n## Triton " + json.loads(done.stdout)["version"] + "\n")
    row("program", "chip", "ms", "registers", "shared bytes", "threads", *GROUPS, "instructions")
    row(*["---"] * (7 + len(GROUPS)))
    for kernel in json.loads(done.stdout)["kernels"]:
        mix = instruction_mix(nvdisasm, folder / (kernel["name"] + ".cubin"))
        row(kernel["name"], "sm_90a", f"{kernel['milliseconds']:.0f}", kernel["registers"] or "", kernel["sharedBytes"],
            kernel["threads"], *(mix[group] for group in GROUPS), mix["all"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of proa's tools")
    parser.add_argument("--chips", default="sm_80,sm_90a,sm_100a")
    parser.add_argument("--programs", nargs="*", default=[], help="more programs: folders of the corpus")
    parser.add_argument("--triton", help="a Python with the package triton")
    options = parser.parse_args()
    nvdisasm = toolkit(options.bin).get("nvdisasm")
    if not nvdisasm:
        sys.exit("nvdisasm was not found; run ./bootstrap.sh cuda")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        # Compilation is timed with empty caches.
        os.environ.update(PROA_CACHE_DIR=str(folder / "cache"), TRITON_CACHE_DIR=str(folder / "triton"))
        programs = {}
        for name, (text, body) in PROGRAMS.items():
            programs[f"{name}, {text}"] = folder / f"{name}.mlir"
            programs[f"{name}, {text}"].write_text(body)
        programs.update({pathlib.Path(program).name: program for program in options.programs})
        results = []
        for name, program in programs.items():
            for chip in options.chips.split(","):
                own = folder / f"{len(results)}"
                own.mkdir()
                results.append((name, chip, compile_program(options.bin, program, chip, own)))
        print_kernels(results, nvdisasm)
        print_times(results)
        if options.triton:
            print_triton(options.triton, nvdisasm, folder)


main()

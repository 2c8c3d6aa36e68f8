"""Compiles LeNet ahead of time, builds and runs examples/aot with it, and compares with Paddle's output.

Arguments: the build folder, the source folder, a C compiler, flags for it.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

build, source, compiler, *flags = sys.argv[1:]
model = os.path.join(source, "test/corpus/models/vision/lenet")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def only_tensor(path):
    """The bytes of the only tensor of a .safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        assert len(header) == 1, path
        return file.read()


def compare(printed):
    expected = [value for (value,) in struct.iter_unpack("<f", only_tensor(model + "/expected.safetensors"))]
    got = [float(line) for line in printed.split()]
    assert len(got) == len(expected), f"{len(got)} numbers, expected {len(expected)}"
    wrong = [(a, b) for a, b in zip(got, expected) if not abs(a - b) <= 1e-5 + 1e-4 * abs(b)]
    assert not wrong, f"{len(wrong)} numbers differ: {wrong[:5]}"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("image.bin", "wb") as file:
        file.write(only_tensor(model + "/inputs.safetensors"))
    variants = [([], [model + "/params.safetensors", model + "/params.pdiparams"]), (["--embed-weights"], [""])]
    for options, weights in variants:
        run(build + "/bin/proa-compile", model, "-o", "libmodel.so", "--header", "model.h", *options)
        needed = run("ldd", "libmodel.so")
        assert "libproa_runtime" in needed and "LLVM" not in needed and "MLIR" not in needed, needed
        run(compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", source + "/examples/aot/main.c",
            "-I.", "-I" + source + "/include", "-L.", "-lmodel", "-L" + build + "/lib", "-lproa_runtime",
            "-Wl,-rpath,$ORIGIN", "-Wl,-rpath," + build + "/lib", "-o", "main", *flags)
        for path in weights:
            compare(run("./main", path, "image.bin"))
    # Without weights the program must report them as missing.
    run(build + "/bin/proa-compile", model, "-o", "libmodel.so")
    failed = subprocess.run(["./main", "", "image.bin"], capture_output=True, text=True)
    assert failed.returncode == 1 and "weights" in failed.stderr, failed
    assert sorted(os.listdir()) == ["image.bin", "libmodel.so", "main", "model.h"], os.listdir()

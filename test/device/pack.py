"""Packs the device kit: programs compiled ahead of time with their expected outputs, the runtime, and the scripts that
check them. It needs no LLVM, so it fits machines that are lent for minutes.

    python3 test/device/pack.py build/release device-kit.tar.xz
    tar -xJf device-kit.tar.xz && python3 device-kit/run.py          # on the machine with the device

Prints programs that cannot be compiled; they are rows of the kit's table too.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TEST = HERE.parent
sys.path.insert(0, str(HERE))
from programs import all_programs, corpus_programs

SCRIPTS = [HERE / "kit" / name for name in ("run.py", "check.py", "formulas.py", "peers.py")] + [
    TEST / "common/compiled_library.py", TEST / "bench/corpus.py", TEST / "bench/tensor_files.py"]
CASE_FILES = ("meta.json", "inputs.safetensors", "expected.safetensors", "params.safetensors", "params.pdiparams")
# Parts of glibc, which the machine with the device has.
SYSTEM = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux")


def first_case(source):
    """A folder of the corpus; of an op without a named case its first one."""
    folder = TEST / "corpus" / source
    if not (folder / "meta.json").exists():
        folder = min(f for f in folder.iterdir() if (f / "meta.json").exists())
    return folder


def compile_library(options, arguments):
    """The error of proa-compile; empty on success."""
    command = [options.build / "bin/proa-compile", *arguments, "--name", "model", "--cpu", options.cpu, "-q"]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else (done.stderr.strip() or f"exit code {done.returncode}")


def add_program(options, kit, program):
    """Compiles a program into the kit; the entry of programs.json and an error."""
    entry = dataclasses.asdict(program)
    target = kit / "programs" / program.name
    arguments = ["-o", f"{target}.so"]
    if options.target == "cuda":
        arguments += ["--target=cuda", "--chips", options.chips]
        arguments += ["--cuda-libraries", program.libraries] if program.libraries else []
    if program.oracle == "paddle":
        folder = first_case(program.source)
        entry["source"] = str(folder.relative_to(TEST))
        error = compile_library(options, [folder, *arguments])
        copied = kit / entry["source"]
        copied.mkdir(parents=True, exist_ok=True)
        for name in CASE_FILES:
            if (folder / name).exists():
                shutil.copy(folder / name, copied)
        return entry, error
    source = target.with_suffix(".mlir")
    source.write_text(program.source)
    entry["source"] = ""
    error = compile_library(options, [source, *arguments])
    if program.oracle == "cpu" and not error:
        error = compile_library(options, [source, "-o", f"{target}.cpu.so"])
    source.unlink()
    return entry, error


def add_runtime(options, kit):
    """libproa_runtime.so and the libraries that it needs."""
    (kit / "lib").mkdir()
    lib = options.build / "lib"
    library = lib / (lib / "libproa_runtime.so").readlink()
    shutil.copy(library, kit / "lib")
    for line in subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout.splitlines():
        fields = line.split()
        if len(fields) > 2 and fields[2].startswith("/") and not fields[0].startswith(SYSTEM):
            shutil.copy(fields[2], kit / "lib" / fields[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("kit", type=pathlib.Path, help="the packed kit, device-kit.tar.xz")
    parser.add_argument("--target", choices=("cuda", "cpu"), default="cuda", help="cpu: to check the kit itself")
    parser.add_argument("--chips", default="sm_90a", help="as proa-compile --chips")
    parser.add_argument("--cpu", default="x86-64-v3", help="of the machine with the device, as proa-compile --cpu")
    parser.add_argument("--corpus", action="store_true", help="the cases of the corpus instead of the chosen programs")
    parser.add_argument("--only", default="", help="names of programs, or of checks")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    names = set(filter(None, options.only.split(",")))
    known = corpus_programs(TEST / "corpus") if options.corpus else all_programs()
    programs = [p for p in known if not names or p.name in names or p.check in names]
    with tempfile.TemporaryDirectory() as folder:
        kit = pathlib.Path(folder) / "device-kit"
        (kit / "programs").mkdir(parents=True)
        add_runtime(options, kit)
        for script in SCRIPTS:
            shutil.copy(script, kit)
        entries, failed = [], 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for entry, error in pool.map(lambda program: add_program(options, kit, program), programs):
                entries.append(entry | {"compile_error": error})
                failed += bool(error)
                print(f"{len(entries)}/{len(programs)} {entry['name']} {error}".rstrip(), file=sys.stderr, flush=True)
        (kit / "programs.json").write_text(json.dumps(entries, indent=1))
        packed = options.kit.absolute()
        packed.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-C", folder, "-cf", packed, "-I", "xz -T0 -6", "device-kit"], check=True)
    print(f"wrote {options.kit}: {packed.stat().st_size / 1e6:.1f} MB, {len(entries)} programs, {failed} not compiled")
    return 1 if failed else 0


sys.exit(main())

#!/usr/bin/env python3
"""IR files with meshes run on them under mpirun: the documented command, files for which it is wrong, and ranks that
differ in weights, feeds or seeds.

usage: stages_test.py PROA_RUN DOCUMENT
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import processes
from processes import expect, finish, mpirun

PROA_RUN, DOCUMENT = sys.argv[1:3]

ONE_MESH = """
dist.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8x6xf32> {pd.feed = "a"},
    %b: tensor<6x5xf32> {pd.param = "b", dist.sharding = #dist.sharding<@m, [{"x"}, {}]>})
    -> (tensor<8x5xf32> {pd.fetch = "y"}) {
  %0 = pd.matmul %a, %b : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}
"""
NO_MESH = re.sub(r"dist.mesh.*|, dist.sharding = #[^>]*>", "", ONE_MESH)


def documented(text):
    """The program of the section on stages, and the number of processes of its command."""
    section = text[text.index("## Pipeline stages"):]
    program = re.search(r"```mlir\n(.*?)```", section, re.S).group(1)
    command = shlex.split(re.search(r"`(mpirun [^`]*stages.mlir)`", section).group(1))
    assert command[0] == "mpirun" and command[1] == "-n" and command[3:] == ["proa-run", "stages.mlir"], command
    return program, int(command[2])


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def run_one(path, *options):
    """The output of one process without mpirun."""
    return subprocess.run([PROA_RUN, path, *options], check=True, capture_output=True, text=True)


def check_meshes(folder):
    """Outputs are as on one device, and rank 0 prints them once."""
    with open(DOCUMENT, encoding="utf-8") as file:
        stages, ranks = documented(file.read())
    for name, text, count in [("stages.mlir", stages, ranks), ("mesh.mlir", ONE_MESH, 2)]:
        path, written = write(folder, name, text), os.path.join(folder, "expected.safetensors")
        one = run_one(path, "-o", written)
        expect(f"its meshes of {count} devices and its shardings are ignored: one device runs the whole program; "
               f"expected mpirun -n {count}, or simulated ranks (--simulate-mesh)" in one.stderr,
               f"{name}: one process says that it ignores the meshes", one.stderr)
        code, output, _ = finish(mpirun(count, PROA_RUN, path, f"--expect={written}"))
        is_quiet = "ignored" not in output and "no mesh" not in output
        is_right = code == 0 and output.splitlines().count("PASS") == 1 and is_quiet
        expect(is_right, f"{name} on {count} processes", output)
        code, output, _ = finish(mpirun(count + 1, PROA_RUN, path))
        expect(code != 0 and f"it has {count} devices, but {count + 1} processes run, of which 1 belong to no mesh; "
               f"expected mpirun -n {count}" in output and output.count("error:") == 1,
               f"{name} on {count + 1} processes is an error", output)
        code, output, _ = finish(mpirun(1, PROA_RUN, path))
        expect(code != 0 and f"it has {count} devices, but 1 processes run; expected mpirun -n {count}" in output,
               f"{name} on one process is an error", output)


def check_no_mesh(folder):
    """A program without a mesh: each process says that it runs all of it."""
    path = write(folder, "none.mlir", NO_MESH)
    expect("ignored" not in run_one(path).stderr, "no warning about meshes without one", "")
    code, output, _ = finish(mpirun(2, PROA_RUN, path))
    for rank in range(2):
        expect(code == 0 and f"process {rank} of 2 belongs to no mesh and runs the whole program by itself" in output,
               f"process {rank} says that it belongs to no mesh", output)
    code, output, _ = finish(mpirun(2, PROA_RUN, os.path.join(folder, "absent.mlir")))
    expect(code != 0 and "error:" in output and "absent.mlir" in output, "an absent file is an error", output)


def check_equal_values(folder):
    """Ranks with other weights, feeds or seeds than the others: an error on all of them names what differs."""
    path = write(folder, "mesh.mlir", ONE_MESH)
    for option, own, other, name in [("--params", "random:1", "random:2", "parameter 'b'"),
                                     ("-i", "random:1", "random:2", "feed 'a'"),
                                     ("--seed", "1", "2", "the seed")]:
        choice = f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then V={other}; else V={own}; fi'
        code, output, seconds = finish(mpirun(2, "bash", "-c", f"{choice}; exec {PROA_RUN} {path} {option} $V -q"))
        expect(code != 0 and seconds < 30 and output.count("error:") == 1
               and f"{name}: rank 1 has another value than rank 0; expected equal weights, feeds and seeds" in output,
               f"another value of {option} on one rank", output)


def main():
    if not shutil.which("mpirun"):
        print("mpirun is not installed")
        return processes.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check_meshes(folder)
        check_no_mesh(folder)
        check_equal_values(folder)
    return 1 if processes.failures else 0


if __name__ == "__main__":
    sys.exit(main())

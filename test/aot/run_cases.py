"""Compiles cases of the corpus ahead of time with dynamic dims, and compares their outputs with Paddle's.

Arguments: the build folder, then case folders. Every run of a case goes through one loaded library, so that it meets
other dims each time.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
from compiled_library import Error, Library, differences, load_runtime, read_safetensors


def check(build, runtime, case, folder):
    with open(case + "/meta.json") as file:
        meta = json.load(file)
    weights = next((case + "/" + name for name in ("params.safetensors", "params.pdiparams")
                    if os.path.exists(case + "/" + name)), "")
    library = f"{folder}/lib{abs(hash(case))}.so"
    command = [build + "/bin/proa-compile", case, "-o", library, "--name", "model"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return [f"proa-compile ended with {done.returncode}: {done.stderr.strip()}"]
    inputs, expected = read_safetensors(case + "/inputs.safetensors"), read_safetensors(case + "/expected.safetensors")
    found = []
    try:
        loaded = Library(runtime, library, weights)
        for number in range(meta.get("runs", 1)):
            prefix = f"run{number}/" if number else ""
            feeds = {name.removeprefix(prefix): tensor for name, tensor in inputs.items() if name.startswith(prefix)}
            found += differences(loaded.run(feeds), expected, prefix, meta)
        loaded.close()
    except Error as error:
        found.append(str(error))
    return found


def main(build, *cases):
    runtime, failed = load_runtime(build + "/lib/libproa_runtime.so"), 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            found = check(build, runtime, case, folder)
            failed += bool(found)
            print("failed" if found else "passed", case, *found, sep="\n  " if found else " ", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

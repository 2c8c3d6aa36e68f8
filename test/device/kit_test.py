"""The kit without a device: it packs, unpacks, runs to its end, and each row says why nothing ran; with a device the
rows pass.

Arguments: the build folder. Exit code 77 (skipped) without an assembler.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
CHOSEN = "op_gelu_f32_special,mm_bf16_200x312x104,models_nlp_bert,training_mlp_adam,mm_fp8"
LARGEST = 30e6


def main(build):
    toolkit = subprocess.run([build + "/bin/proa-ptx", "--toolkit"], capture_output=True, text=True)
    if "ptxas: not found" in toolkit.stdout:
        print("skipped: no assembler")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        kit = pathlib.Path(folder) / "device-kit.tar.xz"
        subprocess.run([sys.executable, HERE / "pack.py", build, kit, "--only", CHOSEN], check=True)
        assert kit.stat().st_size < LARGEST, f"the kit has {kit.stat().st_size} bytes"
        subprocess.run(["tar", "-xJf", kit, "-C", folder], check=True)
        done = subprocess.run([sys.executable, f"{folder}/device-kit/run.py", "--out", folder], capture_output=True,
                              text=True)
        print(done.stdout, done.stderr)
        rows = [json.loads(line) for line in (pathlib.Path(folder) / "results.jsonl").read_text().splitlines()]
    driver, *others = [row for row in rows if row["check"] not in ("peers", "times", "sanitizer", "facts")]
    assert {row["name"] for row in others} == set(CHOSEN.split(",")), others
    if driver["status"] == "note":
        assert all(row["status"] == "pass" for row in others), others
    else:
        assert all("no CUDA device" in row["detail"] for row in others), others
        assert done.returncode == 1, done.returncode
    print("1 passed, 0 failed")
    return 0


sys.exit(main(*sys.argv[1:]))

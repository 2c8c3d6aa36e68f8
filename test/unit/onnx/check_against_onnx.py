#!/usr/bin/env python3
"""Compares the checks of ONNX models with the checks of the Python package onnx.

usage: check_against_onnx.py ONNX-VERDICTS

Both must accept or refuse each model of make_models.py, including the models of ONNX's backend tests. The copy of a
good model that proa wrote after inlining its functions must pass onnx.checker with the same tensors. Ends with code 77,
"skipped", without the package.
"""
import pathlib
import subprocess
import sys
import tempfile

import make_models

import onnx
from onnx import numpy_helper


def onnx_error(path):
    """The message of onnx.checker; nothing for a model that it accepts."""
    try:
        onnx.checker.check_model(str(path))
    except Exception as error:  # noqa: BLE001 (it raises several kinds)
        return str(error).splitlines()[0]
    return None


def proa_verdicts(program, folder, names):
    """Maps each model to its errors."""
    out = subprocess.run([program, "--copy", *(f"{folder}/{name}.onnx" for name in names)], check=True,
                         capture_output=True, text=True).stdout
    verdicts, name = {}, None
    for line in out.splitlines():
        word, _, path = line.partition(" ")
        if word in ("ok", "refused"):
            name = pathlib.Path(path).stem
            verdicts[name] = ""
        else:
            verdicts[name] += line + "\n"
    return verdicts


def tensors(path):
    """Maps each initializer to its dtype and elements."""
    arrays = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    return {name: (a.dtype, a.tolist() if a.dtype == object else a.tobytes()) for name, a in arrays.items()}


def copy_error(path):
    """What is wrong with the copy of a good model."""
    copy = path.with_name(path.name + ".copy")
    if error := onnx_error(copy):
        return f"onnx refuses the copy: {error}"
    if onnx.load(copy).functions:
        return "the copy has functions"
    if tensors(path) != tensors(copy):
        return "the copy has other tensors"
    return None


# Models that onnx refuses and proa imports, with the reason.
ACCEPTED = {"function_other_version": "nodes of a function are imported in the opset of the function",
            "no_output_shape": "the shape follows from the nodes"}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        names = make_models.write_models(folder, with_backend=True)
        damaged = set(names["damaged"])
        every = sum(names.values(), [])
        verdicts = proa_verdicts(sys.argv[1], folder, every)
        for name in every:
            theirs, ours = onnx_error(folder / f"{name}.onnx"), verdicts[name].strip()
            if (theirs or ours) and name in names["good"]:
                problems.append(f"{name}: expected a good model, but it is refused ({theirs or ours})")
            if name in ACCEPTED and (ours or not theirs):
                problems.append(f"{name}: expected to be refused by onnx only")
            if theirs and not ours and name not in ACCEPTED:
                problems.append(f"{name}: onnx refuses it ({theirs}), proa does not")
            if ours and not theirs:
                problems.append(f"{name}: proa refuses it ({ours}), onnx does not")
            if name not in damaged and not ours and (error := copy_error(folder / f"{name}.onnx")):
                problems.append(f"{name}: {error}")
    print("\n".join(problems))
    print(f"{len(every)} models compared, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()

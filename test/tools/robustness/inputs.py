"""The files that the rows of cases.py name."""

import os
import random
import shutil
import struct

RELU = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pd.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def head(source, target, part):
    """The first part of a file."""
    content = source.read_bytes()
    target.write_bytes(content[:int(len(content) * part)])


def safetensors(path, header, data=b""):
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def write_inputs(folder, corpus):
    lenet = corpus / "models/vision/lenet"
    (folder / "model").symlink_to(lenet)
    (folder / "cases").symlink_to(corpus / "ops/relu/f32_grad")
    (folder / "empty_folder").mkdir()
    (folder / "empty").touch()
    noise = random.Random(1).randbytes(4096)
    for name in ("garbage.json", "garbage.pdmodel", "garbage.npy"):
        (folder / name).write_bytes(noise)
    head(lenet / "program.json", folder / "truncated.json", 0.5)
    head(lenet / "program.pdmodel", folder / "truncated.pdmodel", 0.5)
    head(lenet / "params.pdiparams", folder / "truncated.pdiparams", 0.9)
    head(lenet / "params.safetensors", folder / "truncated.safetensors", 0.9)
    (folder / "deep.json").write_text("[" * 100000)
    (folder / "huge.safetensors").write_bytes(struct.pack("<Q", 2**62) + b"{}")
    safetensors(folder / "other.safetensors", b'{"other":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"\0" * 4)
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", 60) + b"{'descr':'<f4','fortran_order':False,'shape':(%s),}"
    scalar = (npy % b"").ljust(69) + b"\n" + b"\0" * 4
    (folder / "scalar.npy").write_bytes(scalar)
    (folder / "truncated.npy").write_bytes((npy % b"1,1,28,28").ljust(69) + b"\n" + b"\0" * 4)
    (folder / "relu.mlir").write_text(RELU)
    (folder / "two.mlir").write_text(RELU.replace("@main", "@a") + RELU.replace("@main", "@b"))
    (folder / "wrong.mlir").write_text(RELU.replace("pd.relu ", "pd.rellu "))
    (folder / "truncated.mlirbc").write_bytes(b"ML\xefR\x06MLIR22\x00")
    (folder / "truncated.onnx").write_bytes(b"\x08\x0a\x3a\xff\x01abc")
    shutil.copytree(corpus / "ops/relu/f32_grad", folder / "broken_case")
    (folder / "broken_case/meta.json").write_text("{")
    os.chmod(folder / "broken_case", 0o755)

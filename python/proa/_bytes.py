"""Programs in memory."""
from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def file_of(program: str | os.PathLike[str] | bytes) -> Iterator[str]:
    """The path of a program: the given one, or that of a file that exists during the ``with`` block."""
    if not isinstance(program, bytes):
        yield os.fspath(program)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / ("program" + _suffix_of(program))
        file.write_bytes(program)
        yield os.fspath(file)


def _suffix_of(program: bytes) -> str:
    """The suffix of files in the program's format."""
    if program.startswith(b"ML\xefR"):
        return ".mlirbc"
    # Messages of protobuf: the first field of a ModelProto of ONNX is the number ir_version, that of a ProgramDesc of
    # Paddle the message blocks.
    if program[:1] == b"\x08":
        return ".onnx"
    if program[:1] == b"\x0a":
        return ".pdmodel"
    return ".json" if program.lstrip().startswith(b"{") else ".mlir"

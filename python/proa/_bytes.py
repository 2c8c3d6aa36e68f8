"""Programs in memory."""
from __future__ import annotations

import re


def name_of(program: bytes) -> str:
    """The name that a file of the program would have; its suffix says the format."""
    if program.startswith(b"ML\xefR"):
        return "program.mlirbc"
    # Messages of protobuf: the first field of a ModelProto of ONNX is the number ir_version. A ProgramDesc of
    # Paddle begins with the message blocks, whose first number is idx; a line break has the code of this field, too.
    if program[:1] == b"\x08":
        return "program.onnx"
    if re.match(rb"\x0a[\x80-\xff]{0,4}[\x00-\x7f]\x08", program):
        return "program.pdmodel"
    return "program.json" if program.lstrip().startswith(b"{") else "program.mlir"

"""proa runs and transforms programs of deep learning: PaddlePaddle's, ONNX models and MLIR.

>>> model = proa.open("resnet50")
>>> scores = model(image=image)["scores"]
"""
from __future__ import annotations

import os
from typing import Unpack

from ._arrays import Rows, load, save
from ._checkpoint import Checkpoint, Shard, StoredTensor, convert_checkpoint
from ._errors import Error, OnDiagnostic, ProgramWarning
from ._function import Function, checkpoint, grad, hessian, jvp, mix_precision, rematerialize, vjp, vmap
from ._model import FetchInfo, Model, OnProgress, Outputs, Parameters, Session, Times
from ._options import AmpOptions, MeshOptions, OffloadOptions, Options, ProgramOptions
from ._profile import Profile
from ._program import CaseResult, check, opt, translate
from ._proa import Diagnostic, StepTime, Tensor, TensorInfo, version

__all__ = [
    "AmpOptions",
    "CaseResult",
    "Checkpoint",
    "Diagnostic",
    "Error",
    "FetchInfo",
    "Function",
    "MeshOptions",
    "Model",
    "OffloadOptions",
    "Options",
    "Outputs",
    "Parameters",
    "Profile",
    "ProgramOptions",
    "ProgramWarning",
    "Rows",
    "Session",
    "Shard",
    "StepTime",
    "StoredTensor",
    "Tensor",
    "TensorInfo",
    "Times",
    "check",
    "checkpoint",
    "convert_checkpoint",
    "grad",
    "hessian",
    "jvp",
    "load",
    "mix_precision",
    "open",
    "opt",
    "rematerialize",
    "save",
    "translate",
    "version",
    "vjp",
    "vmap",
]
__version__ = version()
for _type in (Error, ProgramWarning):  # the names that messages show
    _type.__module__ = __name__


def open(
    path: str | os.PathLike[str] | bytes,
    *,
    on_diagnostic: OnDiagnostic | None = None,
    on_progress: OnProgress | None = None,
    **options: Unpack[Options],
) -> Model:
    """Opens a program with its weights.

    The path is a folder with ``program.json``, ``*.pdmodel`` or ``*.onnx`` and its weights, such a file, or an IR
    file (``*.mlir``, ``*.mlirbc``); bytes are the content of such a file. Warnings of the program are Python's
    warnings, of the class :class:`ProgramWarning`; with ``on_diagnostic``, this function is called with each warning
    and remark instead. ``on_progress`` is called during compilation. The options are fields of :class:`Options`.
    :class:`Error` lists all errors of the program.
    """
    return Model(path, on_diagnostic=on_diagnostic, on_progress=on_progress, **options)

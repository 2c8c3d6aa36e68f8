"""Programs as text and files: import, passes, export, and checks of case folders."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Unpack, overload

from . import _proa
from ._errors import Error, OnDiagnostic, report
from ._options import ProgramOptions
from ._proa import Diagnostic

Path = str | os.PathLike[str]
Format = Literal["mlir", "mlirbc", "json", "pdmodel", "onnx", "folder"]


@overload
def translate(
    path: Path, output: None = None, *, on_diagnostic: OnDiagnostic | None = None, **options: Unpack[ProgramOptions]
) -> str: ...


@overload
def translate(
    path: Path,
    output: Path,
    format: Format | None = None,
    *,
    on_diagnostic: OnDiagnostic | None = None,
    **options: Unpack[ProgramOptions],
) -> None: ...


def translate(
    path: Path,
    output: Path | None = None,
    format: Format | None = None,
    *,
    on_diagnostic: OnDiagnostic | None = None,
    **options: Unpack[ProgramOptions],
) -> str | None:
    """Imports a program, and returns it as MLIR text or writes it to ``output``.

    The formats are MLIR as text or bytecode, a legacy program without weights (``json``, ``pdmodel``) or with them
    (``folder``), and an ONNX model. By default the suffix of ``output`` says which; without one of them it is a folder.
    """
    found: list[Diagnostic] = []
    try:
        if output is None:
            return _proa.import_program(os.fspath(path), dict(options), found)
        _proa.export_program(os.fspath(path), os.fspath(output), format or "", dict(options), found)
        return None
    finally:
        report(found, on_diagnostic)


def opt(text: str, pipeline: str, *, on_diagnostic: OnDiagnostic | None = None) -> str:
    """Runs passes on MLIR text: a pipeline of MLIR such as ``"func.func(cse),pd-decompose"``.

    ``proa-opt --help`` lists the passes.
    """
    found: list[Diagnostic] = []
    try:
        return _proa.run_passes(text, pipeline, found)
    finally:
        report(found, on_diagnostic)


@dataclass(frozen=True)
class CaseResult:
    """The result of a case of :func:`check`."""

    #: Name of the case: its folder.
    case: str
    status: Literal["passed", "failed", "skipped"]
    #: The stage that failed: "import", "compile", "compare", ...; empty if the case passed.
    stage: str
    #: Reasons of a failure or skip.
    diagnostics: Sequence[Diagnostic]


def check(*folders: Path, arguments: Sequence[str] = ()) -> list[CaseResult]:
    """Runs the programs of case folders and compares their outputs with the expected ones, as proa-check does.

    ``arguments`` are further arguments of the tool ``proa-check``, such as ``["--jobs", "2"]``. The cases run in
    processes of their own. Error: no such folder, or wrong arguments.
    """
    with tempfile.TemporaryDirectory() as temporary:
        file = pathlib.Path(temporary) / "report.json"
        command = [_tool("proa-check"), *[os.fspath(folder) for folder in folders]]
        command += ["--json", os.fspath(file), *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if not file.exists():
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise Error(Diagnostic("proa-check", line) for line in lines)
        written = json.loads(file.read_text())
    if "errors" in written:
        raise Error(_diagnostics(written["errors"]))
    return [
        CaseResult(case["case"], case["status"], "" if case["status"] == "passed" else case["stage"],
                   _diagnostics(case["problems"]))
        for case in written["cases"]
    ]


def _diagnostics(entries: Iterable[Mapping[str, str]]) -> list[Diagnostic]:
    return [Diagnostic(entry["where"], entry["message"]) for entry in entries]


def _tool(name: str) -> str:
    """A tool of the package, of the build that the package is in, or of $PATH."""
    package = pathlib.Path(__file__).parent
    for folder in (package / "bin", package.parents[1] / "bin"):
        if (folder / name).exists():
            return os.fspath(folder / name)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the tool {name} is not found in the package, its build and $PATH")
    return found

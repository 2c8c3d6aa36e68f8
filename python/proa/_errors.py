"""Errors and warnings about programs."""
from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence

from ._proa import Diagnostic

_FOLDER = os.path.dirname(__file__)

#: Called with each warning and remark.
OnDiagnostic = Callable[[Diagnostic], None]


class Error(Exception):
    """All errors of one input: of a program, its weights, its feeds or its options."""

    #: One entry for each error.
    diagnostics: Sequence[Diagnostic]

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))


class ProgramWarning(UserWarning):
    """A warning about a program: results may differ from the original one."""

    #: What the warning is about.
    diagnostic: Diagnostic

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(str(diagnostic).removeprefix("warning: "))


def report(diagnostics: Iterable[Diagnostic], handler: OnDiagnostic | None) -> None:
    """Calls the handler with each diagnostic; without one, warns of each at the line that called the package."""
    for diagnostic in diagnostics:
        if handler is not None:
            handler(diagnostic)
        else:
            warnings.warn(ProgramWarning(diagnostic), stacklevel=_caller_level())


def _caller_level() -> int:
    """The stacklevel of the first frame outside of the package, for the caller of this function."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _FOLDER:
        frame = frame.f_back
        level += 1
    return level

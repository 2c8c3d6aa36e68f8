"""Profiles of runs."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from . import _proa
from ._proa import StepTime


class Profile(Sequence[StepTime]):
    """Times of the steps of a run in program order.

    ``str()`` is two tables: a row for each step, and a row for all steps of one kernel and ops, the slowest first.
    """

    def __init__(self, session: _proa.Session) -> None:
        self._steps = session.profile_steps()
        self._table = session.profile_table()
        self._trace = session.profile_trace()

    @overload
    def __getitem__(self, index: int) -> StepTime: ...

    @overload
    def __getitem__(self, index: slice) -> list[StepTime]: ...

    def __getitem__(self, index: int | slice) -> StepTime | list[StepTime]:
        return self._steps[index]

    def __iter__(self) -> Iterator[StepTime]:
        return iter(self._steps)

    def __len__(self) -> int:
        return len(self._steps)

    def __str__(self) -> str:
        return self._table

    def records(self) -> list[dict[str, Any]]:
        """A dictionary for each step, for example for ``pandas.DataFrame``."""
        fields = ("kernel", "ops", "variable", "types", "location", "calls", "milliseconds", "bytes", "flops",
                  "roofline")
        return [{field: getattr(step, field) for field in fields} for step in self._steps]

    @property
    def trace(self) -> str:
        """A trace for Chrome and Perfetto, as JSON."""
        return self._trace

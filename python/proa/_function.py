"""Functions of tensors: their derivatives and batches, as functions."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _proa
from ._arrays import array_of, tensor_of
from ._proa import TensorInfo

if TYPE_CHECKING:
    from ._options import AmpOptions

#: An argument or a result: its index or its name.
Which = int | str


class Function:
    """A pure function of tensors, which is called as a function of Python.

    The arguments of a call are given in order, or by name. One result is an array, several are a tuple of arrays. The
    first call compiles the function for the dims of the arguments. :func:`grad` and the other transforms return new
    functions, so that they compose in any order.
    """

    def __init__(self, native: _proa.Function) -> None:
        self._native = native

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Function:
        """Opens a program as a function of its feeds, then its parameters; the results are its fetches.

        ``function(**feeds, **model.parameters)`` calls it with the values of an opened model.
        """
        return Function(_proa.Function.open(os.fspath(path)))

    @staticmethod
    def parse(text: str, name: str = "") -> Function:
        """Parses MLIR text with functions of pd ops. The name may be empty if there is only one function."""
        return Function(_proa.Function.parse(text, name))

    @property
    def arguments(self) -> Sequence[TensorInfo]:
        """Names, dtypes and dims; -1 is a dynamic dim."""
        return self._native.arguments

    @property
    def results(self) -> Sequence[TensorInfo]:
        """Names, dtypes and dims; -1 is a dynamic dim."""
        return self._native.results

    @property
    def text(self) -> str:
        """The function as MLIR text."""
        return self._native.text

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Computes the results."""
        results = [array_of(result) for result in self._native.run(self._tensors(arguments, named))]
        return results[0] if len(results) == 1 else tuple(results)

    def arena_bytes(self, *arguments: Any, **named: Any) -> int:
        """Arena size of a run with these arguments, in bytes."""
        return self._native.arena_bytes(self._tensors(arguments, named))

    def with_dims(self, dims: Sequence[Sequence[int]] | Mapping[str, Sequence[int]]) -> Function:
        """The function specialized to static dims: one list for each argument, or by name; others are unchanged.

        A derivative of a specialized function is smaller than one with dynamic dims.
        """
        if isinstance(dims, Mapping):
            for name in dims:
                self._index(self.arguments, name, "argument")
            all_dims = [dims.get(info.name, info.dims) for info in self.arguments]
        else:
            all_dims = list(dims)
        return Function(self._native.with_dims([list(each) for each in all_dims]))

    def with_results(self, *results: Which) -> Function:
        """The function with only these results."""
        return Function(self._native.with_results(self._indices(self.results, results, "result")))

    def without_optimization(self) -> Function:
        """The function compiled in about half the time, and slower: for one run on small tensors."""
        copy = Function(self._native.with_results(list(range(len(self.results)))))
        copy._native.set_optimize(False)
        return copy

    def _tensors(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[_proa.Tensor]:
        infos = self.arguments
        values: list[Any] = list(arguments)
        if len(values) > len(infos):
            raise TypeError(f"got {len(values)} arguments, expected {len(infos)}")
        names = [info.name for info in infos]
        rest = names[len(values) :]
        if unknown := [name for name in named if name not in rest]:
            known = ", ".join(rest) or "none"
            raise TypeError(f"got the unknown or repeated argument '{unknown[0]}', expected: {known}")
        if missing := [name for name in rest if name not in named]:
            raise TypeError(f"missing arguments: {', '.join(missing)}")
        values += [named[name] for name in rest]
        return [tensor_of(value, info.dtype) for value, info in zip(values, infos, strict=True)]

    @staticmethod
    def _index(infos: Sequence[TensorInfo], which: Which, kind: str) -> int:
        if isinstance(which, int):
            if not 0 <= which < len(infos):
                raise IndexError(f"{kind} {which} is requested, expected 0 to {len(infos) - 1}")
            return which
        names = [info.name for info in infos]
        if names.count(which) != 1:
            known = ", ".join(names)
            raise KeyError(f"{kind} '{which}' is {'not unique' if which in names else 'unknown'}, expected: {known}")
        return names.index(which)

    @staticmethod
    def _indices(infos: Sequence[TensorInfo], which: Sequence[Which], kind: str) -> list[int]:
        if isinstance(which, str):
            which = [which]
        return [Function._index(infos, each, kind) for each in which]

    def __repr__(self) -> str:
        arguments, results = (", ".join(repr(info)[1:-1] for info in infos) for infos in (self.arguments, self.results))
        return f"<proa.Function ({arguments}) -> ({results})>"


def grad(
    function: Function,
    by: Which | Sequence[Which] = (),
    *,
    result: Which = 0,
    with_value: bool = False,
    loop_snapshots: int = 0,
    micro_batches: int = 1,
    batches: Sequence[Which] = (),
) -> Function:
    """The gradient of a result y with one element: (arguments) -> dy / dx for each argument x of ``by``, with its dims.

    A complex gradient is the direction of steepest ascent. ``by`` are arguments; none: all float and complex ones. With
    ``with_value`` the result comes first. ``loop_snapshots`` is the most states of each loop that are kept; the others
    are recomputed. ``micro_batches`` is the number of micro-batches that are computed one after the other, for a result
    that is a mean over the first dimension of the arguments in ``batches`` (none: all feeds).
    """
    arguments = function.arguments
    return Function(
        _proa.grad(
            function._native,
            _arguments(function, by),
            Function._index(function.results, result, "result"),
            with_value,
            loop_snapshots,
            micro_batches,
            Function._indices(arguments, batches, "argument"),
        )
    )


def vjp(function: Function, by: Which | Sequence[Which] = (), *, loop_snapshots: int = 0) -> Function:
    """Reverse mode: (arguments, a cotangent v for each float or complex result) -> (results, gradients J^H v).

    J is the Jacobian of the results by the arguments of ``by`` (none: all float and complex ones). A cotangent has the
    dtype and dims of its result, a gradient the dtype and dims of its argument.
    """
    return Function(_proa.vjp(function._native, _arguments(function, by), loop_snapshots))


def jvp(function: Function, by: Which | Sequence[Which] = ()) -> Function:
    """Forward mode: (arguments, a tangent t for each argument of ``by``) -> (results, tangents J t of the results).

    A tangent has the dtype and dims of its argument or result.
    """
    return Function(_proa.jvp(function._native, _arguments(function, by)))


def vmap(function: Function, axes: Sequence[int | None] | Mapping[str, int] = (), *, size: int = -1) -> Function:
    """The function for a batch of ``size`` examples; -1: any number.

    ``axes`` has the index of the batch dimension of each argument, or ``None`` if the argument is the same for all
    examples; by name, arguments that are not listed are the same. Empty: it is dimension 0 of all arguments. It is
    dimension 0 of all results.
    """
    if isinstance(axes, Mapping):
        for name in axes:
            Function._index(function.arguments, name, "argument")
        axes = [axes.get(info.name) for info in function.arguments]
    return Function(_proa.vmap(function._native, [-1 if axis is None else axis for axis in axes], size))


def hessian(function: Function, by: Which = 0, *, result: Which = 0) -> Function:
    """Second derivatives of a result y with one element by an argument x of static dims.

    (arguments) -> one array H with the dims of x twice, H[i, j] = d^2 y / (dx_i dx_j).
    """
    return Function(
        _proa.hessian(
            function._native,
            Function._index(function.arguments, by, "argument"),
            Function._index(function.results, result, "result"),
        )
    )


def checkpoint(function: Function, names: Sequence[str] = ()) -> Function:
    """The same function, whose gradient recomputes values between the named ones instead of keeping them."""
    return Function(_proa.checkpoint(function._native, list(names)))


def rematerialize(function: Function, memory_budget: int = -1) -> Function:
    """The same function, which recomputes values until peak memory is at most this many bytes (best effort).

    It has a forward and a backward region. -1: only values that are nearly free.
    """
    return Function(_proa.rematerialize(function._native, memory_budget))


def mix_precision(function: Function, amp: Literal["O1", "O2"] | AmpOptions = "O1") -> Function:
    """The function in mixed precision; arguments and results keep their dtypes."""
    return Function(_proa.mix_precision(function._native, amp))


def _arguments(function: Function, by: Which | Sequence[Which]) -> list[int]:
    return Function._indices(function.arguments, [by] if isinstance(by, (int, str)) else by, "argument")

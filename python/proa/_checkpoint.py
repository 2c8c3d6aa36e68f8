"""Checkpoints: tensors of trainings and models in files, of which slices can be read."""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

from numpy.typing import NDArray

from . import _proa
from ._arrays import array_of
from ._errors import OnDiagnostic, report
from ._proa import Diagnostic

Path = str | os.PathLike[str]
Index = int | slice | EllipsisType | tuple[int | slice | EllipsisType, ...]


@dataclass(frozen=True)
class Shard:
    """A shard of a tensor in a file."""

    #: Begin and end of each dim.
    box: Sequence[tuple[int, int]]
    #: Name of the file in the folder of the checkpoint.
    file: str


class StoredTensor:
    """A tensor of a checkpoint. Its elements are read when they are asked for.

    ``tensor[2:4, 0]`` reads the shards that have these elements, and no others; ``tensor[...]`` or
    ``numpy.asarray(tensor)`` reads all of them.
    """

    def __init__(self, checkpoint: _proa.Checkpoint, name: str, info: _proa.StoredTensor) -> None:
        self._checkpoint = checkpoint
        self._info = info
        #: The name in the checkpoint.
        self.name = name

    @property
    def dtype(self) -> str:
        """Name of the element type, such as ``"float32"``."""
        return self._info.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The dims of the whole tensor."""
        return tuple(self._info.dims)

    @property
    def kind(self) -> str:
        """``"parameter"``, or ``"state"``: of an optimizer, a counter, a learning rate."""
        return self._info.kind

    @property
    def shards(self) -> Sequence[Shard]:
        """The shards that files have."""
        return [Shard(tuple(box), file) for box, file in self._info.shards]

    def __getitem__(self, index: Index) -> NDArray[Any]:
        """The elements of a slice, always as an array: numbers, slices with step 1, and ``...``."""
        box, taken = self._box(index if isinstance(index, tuple) else (index,))
        elements: NDArray[Any] = array_of(self._checkpoint.read(self.name, box))[(..., *taken)]
        return elements

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = self[...]
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(f"elements of type {self.dtype} cannot be viewed as {dtype}")
            return array.astype(dtype)
        return array.copy() if copy else array

    def _box(self, index: tuple[int | slice | EllipsisType, ...]) -> tuple[list[tuple[int, int]], tuple[Any, ...]]:
        """The box of an index, and the index in the box."""
        rank = len(self.shape)
        dots = [i for i, item in enumerate(index) if item is Ellipsis]
        items = [item for item in index if not isinstance(item, EllipsisType)]
        if len(dots) > 1 or len(items) > rank:
            raise IndexError(f"{self!r} has {rank} dims, found the index {index}")
        at = dots[0] if dots else len(items)
        items[at:at] = [slice(None)] * (rank - len(items))
        box: list[tuple[int, int]] = []
        taken: list[int | slice] = []
        for size, item in zip(self.shape, items):
            if isinstance(item, slice):
                begin, end, step = item.indices(size)
                if step != 1:
                    raise IndexError(f"{self!r}: found a slice with step {step}, expected 1")
                box.append((begin, max(begin, end)))
                taken.append(slice(None))
            else:
                number = item.__index__()
                if not -size <= number < size:
                    raise IndexError(f"{self!r}: index {number} is out of range for a dim of {size}")
                box.append((number % size, number % size + 1))
                taken.append(0)
        return box, tuple(taken)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]>"


class Checkpoint(Mapping[str, StoredTensor]):
    """The tensors of a checkpoint by name, and how far the training was that saved it.

    The path is a folder or file of proa, Hugging Face, Paddle or PyTorch; docs/checkpoints.md lists the formats.
    Checksums are compared when a shard is read for the first time.
    """

    def __init__(self, path: Path) -> None:
        self._checkpoint = _proa.Checkpoint.open(os.fspath(path))
        self._tensors = {
            name: StoredTensor(self._checkpoint, name, info) for name, info in self._checkpoint.tensors
        }

    @property
    def path(self) -> str:
        """The file that describes the checkpoint."""
        return self._checkpoint.path

    @property
    def step(self) -> int | None:
        """The number of completed steps; ``None``: no training saved the checkpoint."""
        return self._checkpoint.step

    def verify(self) -> None:
        """Reads all files and compares sizes and checksums. :class:`Error` lists all that is damaged."""
        self._checkpoint.verify()

    def differences(self, other: Path | Checkpoint) -> list[str]:
        """The differences of names, types, elements and training state, a line each; layouts are not compared."""
        path = other.path if isinstance(other, Checkpoint) else os.fspath(other)
        return _proa.checkpoint_differences(self.path, path)

    def __getitem__(self, name: str) -> StoredTensor:
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __repr__(self) -> str:
        return f"<proa.Checkpoint {self.path}: {len(self)} tensors>"


def convert_checkpoint(
    source: Path | Mapping[str, Path],
    target: Path,
    *,
    shardings: Path | None = None,
    like: Path | None = None,
    flatten: int = 0,
    max_file_size: int = 0,
    strategy: str | None = None,
    model: Path | None = None,
    mesh: str = "",
    dims: Mapping[str, Sequence[int]] | None = None,
    transform: Path | None = None,
    define: Mapping[str, object] | None = None,
    inverse: bool = False,
    on_diagnostic: OnDiagnostic | None = None,
) -> None:
    """Writes a checkpoint in another layout, as ``proa-checkpoint convert`` does.

    The target is one file if it ends with ``.safetensors`` or ``.pdiparams``, else a folder. ``shardings`` (a
    file), ``like`` (a checkpoint), ``flatten`` (a number of files), ``max_file_size`` (in bytes) and ``strategy``
    choose the layout of a folder. The layout of a strategy, such as ``"dp2,mp2,zero1"``, equals the layout of a
    training of the program ``model`` with it; ``mesh`` has axes and their sizes, if the strategy does not, and
    ``dims`` the dims of feeds. Nothing is compiled or run.

    ``transform`` is a file of statements, ``define`` has the values of their variables, and ``inverse``
    inverts them; then ``source`` may be several checkpoints by prefix. Warnings of statements are Python's warnings,
    or arguments of ``on_diagnostic``.
    """
    if isinstance(source, Mapping):
        sources = [f"{prefix}={os.fspath(path)}" for prefix, path in source.items()]
    else:
        sources = [os.fspath(source)]
    if (strategy is None) != (model is None):
        raise ValueError("found one of strategy and model, expected both or none")
    if strategy is None and (mesh or dims):
        raise ValueError("found mesh or dims, expected a strategy with them")
    options: dict[str, object] = {"mesh": {"axes": mesh, "strategy": strategy or "", "simulate": True}}
    if dims:
        options["dims"] = {name: list(sizes) for name, sizes in dims.items()}
    found: list[Diagnostic] = []
    try:
        _proa.convert_checkpoint(
            sources,
            os.fspath(target),
            _text(shardings),
            _text(like),
            flatten,
            max_file_size,
            _text(transform),
            {name: str(value) for name, value in (define or {}).items()},
            inverse,
            _text(model),
            options,
            found,
        )
    finally:
        report(found, on_diagnostic)


def _text(path: Path | None) -> str:
    return "" if path is None else os.fspath(path)

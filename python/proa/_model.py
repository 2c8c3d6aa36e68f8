"""Models: programs with their weights and state."""
from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from numpy.typing import NDArray

from . import _proa
from ._arrays import array_of, tensor_of
from ._bytes import file_of
from ._errors import OnDiagnostic, report
from ._options import Options
from ._profile import Profile
from ._proa import Tensor, TensorInfo, Times


#: Called during long work with the current activity and the fraction done in [0, 1].
OnProgress = Callable[[str, float], None]


@dataclass(frozen=True)
class FetchInfo:
    """Name, dtype and dims of a fetch. Some programs tell dtypes and dims only after the first run."""

    name: str
    #: Name of the element type; ``None``: not known yet.
    dtype: str | None
    #: The dims, -1 is a dynamic dim; ``None``: not known yet.
    dims: Sequence[int] | None
    #: Whether it is a list of tensors, or an optional tensor.
    is_sequence: bool

    @staticmethod
    def of(name: str, info: TensorInfo | None) -> FetchInfo:
        """The fetch with this name; ``info`` is what is known."""
        if info is None:
            return FetchInfo(name, None, None, False)
        return FetchInfo(name, info.dtype, info.dims, info.is_sequence)

    def __str__(self) -> str:
        dims = "?" if self.dims is None else ", ".join(map(str, self.dims))
        return f"{self.name}: {self.dtype or '?'}[{dims}]"


class Outputs(dict[str, Any]):
    """Fetched values by name, in the order of the program's fetches: NumPy arrays, and lists of them for sequences."""

    #: LoDs by name, of the outputs that have one.
    lods: dict[str, list[list[int]]]

    def __init__(self, fetched: Sequence[tuple[str, Tensor]], sequences: Container[str]) -> None:
        super().__init__()
        self.lods = {}
        for name, tensor in fetched:
            sequence = name.rpartition("[")[0]
            if name in sequences:
                self[name] = []
            elif sequence in sequences:
                self[sequence].append(array_of(tensor))
            else:
                self[name] = array_of(tensor)
            if tensor.lod:
                self.lods[name] = tensor.lod


class Parameters(MutableMapping[str, NDArray[Any]]):
    """Parameters and state variables by name. Reading and setting one copies it."""

    def __init__(self, model: _proa.Model) -> None:
        self._model = model

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self:
            raise KeyError(name)
        return array_of(self._model.parameter(name))

    def __setitem__(self, name: str, value: Any) -> None:
        info = {known.name: known for known in self._model.parameters}.get(name)
        self._model.set_parameter(name, tensor_of(value, info.dtype if info else None))

    def __delitem__(self, name: str) -> None:
        raise TypeError("parameters of a program cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return (info.name for info in self._model.parameters)

    def __len__(self) -> int:
        return len(self._model.parameters)

    def __contains__(self, name: object) -> bool:
        return any(info.name == name for info in self._model.parameters)

    @property
    def infos(self) -> Mapping[str, TensorInfo]:
        """Names, dtypes and dims."""
        return {info.name: info for info in self._model.parameters}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all values: to a ``.safetensors`` file by name, or to a ``.pdiparams`` file as Paddle does.

        The file is written completely or not at all.
        """
        self._model.save_parameters(os.fspath(path))


class Model:
    """An opened program with its weights and state.

    A call with the feeds as keywords, or :meth:`run` with a dictionary, runs it and returns the fetches by name. The
    first call compiles the program for the dims of the feeds. Several threads may use a model; they run it one after
    the other, without Python's lock.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | bytes,
        *,
        on_diagnostic: OnDiagnostic | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._on_diagnostic = on_diagnostic
        with file_of(path) as file:
            self._native = _proa.Model.open(file, dict(options), on_progress)
        self._report()

    @property
    def feeds(self) -> Sequence[TensorInfo]:
        """Names, dtypes and dims of the feeds."""
        return self._native.feeds

    @property
    def fetches(self) -> Sequence[FetchInfo]:
        """Names, dtypes and dims of the fetches."""
        infos = {info.name: info for info in self._native.fetch_infos}
        return [FetchInfo.of(name, infos.get(name)) for name in self._native.fetches]

    @property
    def parameters(self) -> Parameters:
        """Parameters and state variables."""
        return Parameters(self._native)

    @property
    def is_training(self) -> bool:
        """Whether a run changes state variables, as a training step does."""
        return self._native.is_training

    @property
    def threads(self) -> int:
        """Number of threads of a run."""
        return self._native.threads

    @property
    def rank(self) -> int:
        """The rank of this process on a mesh of processes; 0 without one."""
        return self._native.rank

    @property
    def rank_count(self) -> int:
        """The number of ranks; 1 without a mesh of processes."""
        return self._native.rank_count

    @property
    def times(self) -> Times:
        """Times of the last opening, compilation and run."""
        return self._native.times

    @property
    def arena_bytes(self) -> int:
        """Arena size of the last run, in bytes."""
        return self._native.arena_bytes

    def __call__(self, **feeds: Any) -> Outputs:
        """Runs the program with these feeds."""
        return self.run(feeds)

    def run(self, feeds: Mapping[str, Any]) -> Outputs:
        """Runs the program once and updates its state; returns the fetches.

        A feed is an array (NumPy, PyTorch, JAX and others with DLPack), :class:`Rows` if it has a LoD, a list of
        arrays if it is a sequence. Numbers and nested lists get the dtype of the feed.
        """
        fetched = self._run(feeds)
        return Outputs(fetched, {info.name for info in self._native.fetch_infos if info.is_sequence})

    def run_tensors(self, feeds: Mapping[str, Any]) -> dict[str, Tensor]:
        """As :meth:`run`, with tensors for other libraries: ``torch.from_dlpack(tensors["y"])``."""
        return dict(self._run(feeds))

    def prepare(self, feeds: Mapping[str, Any]) -> None:
        """Compiles for the dims of these feeds if needed; a run does so too."""
        self._native.prepare(self._tensors(feeds))
        self._report()

    def measure(self, feeds: Mapping[str, Any]) -> float:
        """Runs once without a change of state; returns the time of the run alone, in milliseconds."""
        return self._native.measure(self._tensors(feeds))

    def profile(self, **feeds: Any) -> Profile:
        """Runs twice without a change of state; returns the times of the steps of the second run."""
        tensors = self._tensors(feeds)
        self._native.measure(tensors)
        self._native.enable_profile(True)
        try:
            self._native.measure(tensors)
        finally:
            self._native.enable_profile(False)
        return Profile(self._native)

    def _run(self, feeds: Mapping[str, Any]) -> list[tuple[str, Tensor]]:
        fetched = self._native.run(self._tensors(feeds))
        self._report()
        return fetched

    def _tensors(self, feeds: Mapping[str, Any]) -> dict[str, Tensor]:
        dtypes = {info.name: info.dtype for info in self._native.feeds}
        sequences = {info.name for info in self._native.feeds if info.is_sequence}
        tensors = {}
        for name, value in feeds.items():
            if name in sequences:
                elements = [] if value is None else value
                for i, element in enumerate(elements):
                    tensors[f"{name}[{i}]"] = tensor_of(element, dtypes[name])
            else:
                tensors[name] = tensor_of(value, dtypes.get(name))
        return tensors

    def _report(self) -> None:
        report(self._native.take_diagnostics(), self._on_diagnostic)

    def __repr__(self) -> str:
        feeds = ", ".join(repr(info)[1:-1] for info in self.feeds)
        return f"<proa.Model ({feeds}) -> ({', '.join(map(str, self.fetches))})>"

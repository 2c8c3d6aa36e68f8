"""Models: programs with their weights and state."""
from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from numpy.typing import NDArray

from . import _proa
from ._arrays import array_of, tensor_of
from ._bytes import name_of
from ._errors import OnDiagnostic, report
from ._options import Options
from ._profile import Profile
from ._proa import Tensor, TensorInfo


#: Called during long work with the current activity and the fraction done in [0, 1].
OnProgress = Callable[[str, float], None]


@dataclass(frozen=True)
class FetchInfo:
    """Name, dtype and dims of a fetch. Programs that depend on values of their feeds may not tell the latter."""

    name: str
    #: Name of the element type; ``None``: not known.
    dtype: str | None
    #: The dims, -1 is a dynamic dim; ``None``: not known.
    dims: Sequence[int] | None
    #: Names of the dims, each may be empty; an empty list if no dim has one.
    dim_names: Sequence[str]
    #: Whether it is a list of tensors, or an optional tensor.
    is_sequence: bool

    @staticmethod
    def of(name: str, info: TensorInfo | None) -> FetchInfo:
        """The fetch with this name; ``info`` is what is known."""
        if info is None:
            return FetchInfo(name, None, None, [], False)
        return FetchInfo(name, info.dtype, info.dims, info.dim_names, info.is_sequence)

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
    """Parameters and state variables of a session by name. Reading and setting one copies it."""

    def __init__(self, session: _proa.Session, infos: Sequence[TensorInfo]) -> None:
        self._session = session
        self._infos = {info.name: info for info in infos}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._infos:
            raise KeyError(name)
        return array_of(self._session.parameter(name))

    def __setitem__(self, name: str, value: Any) -> None:
        info = self._infos.get(name)
        self._session.set_parameter(name, tensor_of(value, info.dtype if info else None))

    def __delitem__(self, name: str) -> None:
        raise TypeError("parameters of a program cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    @property
    def infos(self) -> Mapping[str, TensorInfo]:
        """Names, dtypes and dims."""
        return self._infos

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all values: to a ``.safetensors`` file by name, or to a ``.pdiparams`` file as Paddle does.

        The file is written completely or not at all.
        """
        self._session.save_parameters(os.fspath(path))


@dataclass(frozen=True)
class Times:
    """Times in milliseconds."""

    #: Reading program and weights, and importing the program, when it was opened.
    read: float
    import_: float
    #: The last compilation (0 if compiled code was there), and loading code and packing weights.
    compile: float
    load: float
    #: The last run alone.
    last_run: float
    #: Whether the last compiled program came from the cache on disk.
    from_cache: bool


class Session:
    """One user of a model: values of states and parameters, memory, random numbers.

    A call with the feeds as keywords, or :meth:`run` with a dictionary, runs the program and returns the fetches by
    name. The first call compiles it for the dims of the feeds, for all sessions of the model. Threads that share a
    session run it one after the other, without Python's lock.
    """

    def __init__(self, model: _proa.Model, session: _proa.Session, on_diagnostic: OnDiagnostic | None) -> None:
        self._model = model
        self._session = session
        self._on_diagnostic = on_diagnostic
        self._dtypes = {info.name: info.dtype for info in model.feeds}
        self._sequences = {info.name for info in model.feeds if info.is_sequence}
        self._sequence_fetches = {info.name for info in model.fetch_infos if info.is_sequence}

    @property
    def feeds(self) -> Sequence[TensorInfo]:
        """Names, dtypes and dims of the feeds."""
        return self._model.feeds

    @property
    def fetches(self) -> Sequence[FetchInfo]:
        """Names, dtypes and dims of the fetches."""
        infos = {info.name: info for info in self._model.fetch_infos}
        return [FetchInfo.of(name, infos.get(name)) for name in self._model.fetches]

    @property
    def parameters(self) -> Parameters:
        """Parameters and state variables. They begin with the values of the program's weights."""
        return Parameters(self._session, self._model.parameters)

    def save_checkpoint(self, path: str | os.PathLike[str], step: int = 0, *, wait: bool = True) -> None:
        """Writes parameters, states and the state of random numbers as a checkpoint into a folder.

        It replaces the previous checkpoint there when it is complete. ``step`` is the number of completed steps, which
        :meth:`load_checkpoint` returns. With ``wait=False`` the files are written while the next steps run;
        :meth:`finish_checkpoint` or the next checkpoint waits for them and raises their errors.
        """
        self._session.save_checkpoint(os.fspath(path), step, wait)

    def finish_checkpoint(self) -> None:
        """Waits until a checkpoint with ``wait=False`` is complete."""
        self._session.finish_checkpoint()

    def load_checkpoint(self, path: str | os.PathLike[str]) -> int:
        """Sets all values from a checkpoint, which another mesh or strategy may have written.

        Returns the number of completed steps. After an error the values are undefined.
        """
        return self._session.load_checkpoint(os.fspath(path))

    def copy_values(self, other: Session) -> None:
        """Copies all values and the state of random numbers of another session, without files.

        The programs have the same variables; meshes and strategies may differ. After an error the values are undefined.
        """
        self._session.copy_values(other._session)

    @property
    def times(self) -> Times:
        """Times of opening, and of the last compilation and run."""
        opened, last = self._model.times, self._session.times
        return Times(opened.read, opened.importing, last.compile, last.load, last.last_run, last.from_cache)

    @property
    def threads(self) -> int:
        """Number of threads of a run."""
        return self._session.threads

    @property
    def arena_bytes(self) -> int:
        """Arena size of the last run, in bytes."""
        return self._session.arena_bytes

    def __call__(self, **feeds: Any) -> Outputs:
        """Runs the program with these feeds."""
        return self.run(feeds)

    def run(self, feeds: Mapping[str, Any]) -> Outputs:
        """Runs the program once and updates its state; returns the fetches.

        A feed is an array (NumPy, PyTorch, JAX and others with DLPack), :class:`Rows` if it has a LoD, a list of
        arrays if it is a sequence. Numbers and nested lists get the dtype of the feed. Ctrl-C ends a run in the main
        thread between two steps; states keep their values.
        """
        return Outputs(self._run(feeds), self._sequence_fetches)

    def run_tensors(self, feeds: Mapping[str, Any]) -> dict[str, Tensor]:
        """As :meth:`run`, with tensors for other libraries: ``torch.from_dlpack(tensors["y"])``."""
        return dict(self._run(feeds))

    def prepare(self, feeds: Mapping[str, Any]) -> None:
        """Compiles for the dims of these feeds if needed; a run does so too."""
        try:
            self._session.prepare(self._tensors(feeds))
        finally:
            self._report()

    def finish_compilation(self) -> None:
        """Waits until nothing is compiled in the background: specializations, and the optimization of code.
        Call it before runs are measured."""
        self._session.finish_compilation()

    def measure(self, feeds: Mapping[str, Any]) -> float:
        """Runs once without a change of state; returns the time of the run alone, in milliseconds."""
        return self._session.measure(self._tensors(feeds))

    def profile(self, **feeds: Any) -> Profile:
        """Runs twice without a change of state; returns the times of the steps of the second run."""
        tensors = self._tensors(feeds)
        self._session.measure(tensors)
        self._session.enable_profile(True)
        try:
            self._session.measure(tensors)
        finally:
            self._session.enable_profile(False)
        return Profile(self._session)

    def _run(self, feeds: Mapping[str, Any]) -> list[tuple[str, Tensor]]:
        try:
            return self._session.run(self._tensors(feeds))
        finally:
            self._report()

    def _tensors(self, feeds: Mapping[str, Any]) -> dict[str, Tensor]:
        if not isinstance(feeds, Mapping):
            raise TypeError(f"feeds: expected a dictionary of arrays by name, found {feeds!r}")
        tensors = {}
        for name, value in feeds.items():
            if not isinstance(name, str):
                raise TypeError(f"feeds: expected a name as key, found {name!r}")
            try:
                if name in self._sequences:
                    for i, element in enumerate([] if value is None else value):
                        tensors[f"{name}[{i}]"] = tensor_of(element, self._dtypes[name])
                else:
                    tensors[name] = tensor_of(value, self._dtypes.get(name))
            except (TypeError, ValueError) as error:
                raise type(error)(f"feed '{name}': {error}") from error
        return tensors

    def _report(self) -> None:
        report(self._model.take_diagnostics(), self._on_diagnostic)

    def __repr__(self) -> str:
        feeds = ", ".join(repr(info)[1:-1] for info in self.feeds)
        return f"<proa.{type(self).__name__} ({feeds}) -> ({', '.join(map(str, self.fetches))})>"


class Model(Session):
    """An opened program with its weights. It has a first session; :meth:`session` opens others for other threads."""

    def __init__(
        self,
        path: str | os.PathLike[str] | bytes,
        *,
        on_diagnostic: OnDiagnostic | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[Options],
    ) -> None:
        if isinstance(path, bytes):
            model = _proa.Model.open_bytes(name_of(path), path, dict(options), on_progress)
        else:
            model = _proa.Model.open(os.fspath(path), dict(options), on_progress)
        super().__init__(model, model.session(), on_diagnostic)
        self._report()

    def session(self, seed: int | None = None) -> Session:
        """A session with states of its own; it shares the model's weights and compiled code.

        ``seed`` starts random ops; ``None``: the model's.
        """
        return Session(self._model, self._model.session(seed), self._on_diagnostic)

    @property
    def is_training(self) -> bool:
        """Whether a run changes state variables, as a training step does."""
        return self._model.is_training

    @property
    def rank(self) -> int:
        """The rank of this process on a mesh of processes; 0 without one."""
        return self._model.rank

    @property
    def rank_count(self) -> int:
        """The number of ranks; 1 without a mesh of processes."""
        return self._model.rank_count

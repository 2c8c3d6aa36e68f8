"""The interface of ONNX Runtime on proa: a script changes ``import onnxruntime`` to ``import proa.onnxruntime``.

Options without an effect in proa warn when they are set; unknown ones are errors.
"""
from __future__ import annotations

import difflib
import enum
import os
import pathlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _model, version
from ._model import FetchInfo
from ._proa import TensorInfo

__all__ = [
    "ExecutionMode",
    "GraphOptimizationLevel",
    "InferenceSession",
    "NodeArg",
    "RunOptions",
    "SessionOptions",
    "get_available_providers",
    "get_device",
]
__version__ = version()

#: Targets of proa by execution provider.
_TARGETS = {"CPUExecutionProvider": "cpu", "CUDAExecutionProvider": "cuda"}

#: Names of element types in ONNX Runtime that differ from proa's.
_TYPES = {"float32": "float", "float64": "double"}


class GraphOptimizationLevel(enum.IntEnum):
    """Levels of optimization; ORT_DISABLE_ALL compiles kernels without LLVM's optimizations, the others with them."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """Modes of execution; without an effect."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


def get_available_providers() -> list[str]:
    """The providers that a session may ask for. A session on CUDA needs a device."""
    return list(_TARGETS)


def get_device() -> str:
    """The default device."""
    return "CPU"


class _Options:
    """Attributes with default values. Setting an unknown one is an error; of others only ``_used`` have an effect."""

    _defaults: Mapping[str, Any] = {}
    _used: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.__dict__.update(self._defaults)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            close = difflib.get_close_matches(name, self._defaults, 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise AttributeError(f"{type(self).__name__} has no option '{name}'{hint}")
        if name not in self._used and value != self._defaults[name]:
            warnings.warn(f"the option {name} has no effect in proa", stacklevel=2)
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no option '{name}'")


class SessionOptions(_Options):
    """Options of a session: the number of threads, optimization of kernels, profiling."""

    _defaults = {
        "enable_cpu_mem_arena": True,
        "enable_mem_pattern": True,
        "enable_mem_reuse": True,
        "enable_profiling": False,
        "execution_mode": ExecutionMode.ORT_SEQUENTIAL,
        "execution_order": 0,
        "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
        "inter_op_num_threads": 0,
        "intra_op_num_threads": 0,
        "log_severity_level": 2,
        "log_verbosity_level": 0,
        "logid": "",
        "optimized_model_filepath": "",
        "profile_file_prefix": "onnxruntime_profile_",
        "use_deterministic_compute": False,
    }
    _used = frozenset(
        # Results of proa do not depend on the number of threads.
        ["enable_profiling", "graph_optimization_level", "intra_op_num_threads", "profile_file_prefix",
         "use_deterministic_compute"]
    )

    def __init__(self) -> None:
        super().__init__()
        self.__dict__["_entries"] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keeps the entry, which has no effect in proa."""
        warnings.warn(f"the entry {key} of the configuration has no effect in proa", stacklevel=2)
        self.__dict__["_entries"][key] = value

    def get_session_config_entry(self, key: str) -> str:
        """The value of an entry. Error: there is none."""
        value: str = self.__dict__["_entries"][key]
        return value


class RunOptions(_Options):
    """Options of a run; without an effect."""

    _defaults = {"log_severity_level": 2, "log_verbosity_level": 0, "logid": "", "terminate": False,
                 "only_execute_path_to_fetches": False, "training_mode": False}


@dataclass(frozen=True)
class NodeArg:
    """Name, type and shape of an input or output. A dim is a number, a name, or ``None``."""

    name: str
    #: ``"tensor(float)"``, ``"tensor(int64)"``, ``"seq(tensor(float))"``, ...; empty: not known.
    type: str
    shape: list[int | str | None]


def _node_arg(info: TensorInfo | FetchInfo) -> NodeArg:
    kind = f"tensor({_TYPES.get(info.dtype or '', info.dtype)})" if info.dtype else ""
    dims = info.dims or []
    names = info.dim_names or [""] * len(dims)
    shape = [dim if dim >= 0 else name or None for dim, name in zip(dims, names, strict=True)]
    return NodeArg(info.name, f"seq({kind})" if info.is_sequence else kind, shape)


class InferenceSession:
    """A model of ONNX, or any other program of proa, with the interface of ONNX Runtime."""

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Sequence[str | tuple[str, Mapping[str, Any]]] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        self._options = sess_options or SessionOptions()
        self._providers, target = _chosen(providers, provider_options)
        self._model = _model.Model(
            path_or_bytes,
            target=target,
            threads=self._options.intra_op_num_threads,
            optimize=(
                "never"
                if self._options.graph_optimization_level == GraphOptimizationLevel.ORT_DISABLE_ALL
                else "background"
            ),
        )
        self._names = [info.name for info in self._model.fetches]
        self._trace = "[]"

    def get_inputs(self) -> list[NodeArg]:
        """The inputs."""
        return [_node_arg(info) for info in self._model.feeds]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs."""
        return [_node_arg(info) for info in self._model.fetches]

    def get_providers(self) -> list[str]:
        """The providers of the session, the first choice first."""
        return list(self._providers)

    def get_session_options(self) -> SessionOptions:
        """The options of the session."""
        return self._options

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: RunOptions | None = None
    ) -> list[Any]:
        """Runs the model; returns these outputs, or all of them if there are no names."""
        names = list(output_names) if output_names else self._names
        if unknown := [name for name in names if name not in self._names]:
            raise ValueError(f"unknown output '{unknown[0]}', expected: {', '.join(self._names)}")
        if self._options.enable_profiling:
            self._trace = self._model.profile(**input_feed).trace
        outputs = self._model.run(input_feed)
        return [outputs[name] for name in names]

    def end_profiling(self) -> str:
        """Writes the trace of the last run to a file; returns its name."""
        path = pathlib.Path(f"{self._options.profile_file_prefix}{os.getpid()}.json")
        path.write_text(self._trace)
        return os.fspath(path)


def _chosen(
    providers: Sequence[str | tuple[str, Mapping[str, Any]]] | None,
    provider_options: Sequence[Mapping[str, Any]] | None,
) -> tuple[list[str], str]:
    """Names of the providers that proa has, and the target for them."""
    given: list[tuple[str, Mapping[str, Any]]] = [
        (each, {}) if isinstance(each, str) else (each[0], each[1]) for each in providers or ["CPUExecutionProvider"]
    ]
    if provider_options is not None:
        given = [(name, options) for (name, _), options in zip(given, provider_options, strict=True)]
    names, targets = [], []
    for name, options in given:
        if name not in _TARGETS:
            warnings.warn(f"the provider {name} is not available, expected {' or '.join(_TARGETS)}", stacklevel=3)
            continue
        target = _TARGETS[name]
        for option, value in options.items():
            if (target, option) == ("cuda", "device_id"):
                target = f"cuda:{value}"
            else:
                warnings.warn(f"the option {option} of {name} has no effect in proa", stacklevel=3)
        names.append(name)
        targets.append(target)
    if not names:
        raise ValueError(f"no provider is available, expected one of {', '.join(_TARGETS)}")
    return names, ",".join(targets)

"""A backend of ONNX (``onnx.backend.base``): ``proa.onnx_backend.run_model(model, inputs)``."""
from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

import numpy
import onnx
import onnx.backend.base
import onnx.shape_inference

from . import _model
from ._errors import Error, OnDiagnostic
from ._proa import Diagnostic

#: A program that runs on any device.
_EMPTY = "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }"


def _ignore(_: Diagnostic) -> None:
    pass


class ProaBackendRep(onnx.backend.base.BackendRep):  # type: ignore[misc, unused-ignore]
    """A prepared model."""

    def __init__(self, model: _model.Model) -> None:
        self.model = model

    def run(self, inputs: Any, **options: Any) -> tuple[Any, ...]:
        """Runs with the inputs in order, or by name; returns the outputs in order."""
        if options:
            raise TypeError(f"unknown option of a run: {', '.join(options)}")
        if not isinstance(inputs, dict):
            names = [info.name for info in self.model.feeds]
            values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            if len(values) > len(names):
                raise ValueError(f"got {len(values)} inputs, expected at most {len(names)}")
            inputs = dict(zip(names, values))
        return tuple(self.model.run(inputs).values())


class ProaBackend(onnx.backend.base.Backend):  # type: ignore[misc, unused-ignore]
    """Runs models of ONNX with proa. Devices are "CPU" and, where there is one, "CUDA"."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether proa can import the model for the device."""
        try:
            cls.prepare(model, device, **kwargs)
        except Error:
            return False
        return True

    @classmethod
    def prepare(
        cls,
        model: onnx.ModelProto,
        device: str = "CPU",
        *,
        on_diagnostic: OnDiagnostic | None = None,
        **options: Any,
    ) -> ProaBackendRep:
        """Opens the model; the options are as for :func:`proa.open`."""
        return ProaBackendRep(
            _model.Model(model.SerializeToString(), target=_target(device), on_diagnostic=on_diagnostic, **options)
        )

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **options: Any) -> tuple[Any, ...]:
        """Runs the model once."""
        return cls.prepare(model, device, **options).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,
        **options: Any,
    ) -> tuple[Any, ...]:
        """Runs one node. Types of its outputs are inferred if ``outputs_info`` does not have them."""
        names = [name for name in node.input if name]
        arrays = dict(zip(names, map(numpy.asarray, inputs)))
        helper = onnx.helper
        feeds = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in arrays.items()
        ]
        results = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        if outputs_info is not None:
            results = [
                helper.make_tensor_value_info(result.name, helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)), shape)
                for result, (dtype, shape) in zip(results, outputs_info)
            ]
        graph = helper.make_graph([node], "node", feeds, results)
        model = onnx.shape_inference.infer_shapes(helper.make_model(graph))
        return cls.run_model(model, arrays, device, **options)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether this machine has the device."""
        try:
            target = _target(device)
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(_EMPTY)
                file.flush()
                _model.Model(file.name, target=target, on_diagnostic=_ignore)
        except (Error, ValueError):
            return False
        return True


def _target(device: str) -> str:
    kind, _, number = device.partition(":")
    if kind not in ("CPU", "CUDA") or (kind == "CPU" and number not in ("", "0")):
        raise ValueError(f"unknown device '{device}', expected CPU, CUDA or CUDA:N")
    return f"{kind.lower()}:{number}" if kind == "CUDA" and number else kind.lower()


is_compatible = ProaBackend.is_compatible
prepare = ProaBackend.prepare
run_model = ProaBackend.run_model
run_node = ProaBackend.run_node
supports_device = ProaBackend.supports_device

"""Conversions between arrays of Python and tensors."""
from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _proa
from ._proa import Tensor

#: Names of dtypes that NumPy has only with the package ml_dtypes, and of the integers with the same bits.
_BITS = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}


@dataclass(frozen=True)
class Rows:
    """An array whose rows form sequences: a value of a variable with a LoD (level of detail)."""

    #: The rows.
    array: Any
    #: Ascending offsets, one list for each level from the outermost one; ``[[0, 2, 5]]`` are two sequences.
    lod: Sequence[Sequence[int]]


def tensor_of(value: Any, dtype: str | None = None) -> Tensor:
    """The tensor of an array, without a copy if the array is contiguous and in host memory.

    An array is a NumPy array, or has ``__dlpack__``, the buffer protocol or ``__array__``. Numbers and lists get the
    given dtype.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Rows):
        tensor = tensor_of(value.array, dtype)
        return Tensor(tensor, tensor.dtype, [list(level) for level in value.lod])
    if not isinstance(value, (numpy.ndarray, numpy.generic)):
        if hasattr(value, "__dlpack__"):
            return Tensor(value)
        if hasattr(value, "__array__"):
            value = numpy.asarray(value)
        else:
            value = numpy.asarray(value, _numpy_dtype(dtype) if dtype else None)
    array = numpy.asarray(value, order="C")
    if array.dtype.kind in "OSUMm":
        raise TypeError(f"expected bools, integers, floats or complex numbers, found an array of {array.dtype}")
    if array.dtype.isbuiltin == 1:
        return Tensor(array)
    if array.dtype.name in _BITS:
        return Tensor(array.view(_BITS[array.dtype.name]), array.dtype.name)
    return Tensor(array.astype(array.dtype.newbyteorder("=")))


def array_of(tensor: Tensor) -> NDArray[Any]:
    """The NumPy array of a tensor's memory. bfloat16 and float8 need the package ml_dtypes."""
    array = tensor.numpy()
    return array.view(_numpy_dtype(tensor.dtype)) if tensor.dtype in _BITS else array


def _numpy_dtype(name: str) -> numpy.dtype[Any]:
    if name not in _BITS:
        return numpy.dtype(name)
    try:
        ml_dtypes = importlib.import_module("ml_dtypes")
    except ImportError as error:
        raise ImportError(f"NumPy has no {name}: expected the package ml_dtypes") from error
    dtype: numpy.dtype[Any] = numpy.dtype(getattr(ml_dtypes, name))
    return dtype


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arrays of a ``.safetensors`` file by name."""
    return {name: array_of(tensor) for name, tensor in _proa.read_safetensors(os.fspath(path)).items()}


def save(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Writes arrays to a ``.safetensors`` file, completely or not at all."""
    _proa.write_safetensors(os.fspath(path), {name: tensor_of(array) for name, array in arrays.items()})

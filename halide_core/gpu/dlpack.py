"""Arrays in a device's memory as DLPack exchanges them (dlpack.h, version 0.8): in and out of capsules."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.gpu.device_arrays import LEGACY_STREAM, DeviceArray

# DLDeviceType.
CPU, CUDA = 1, 2
# DLDataTypeCode, by NumPy's kinds.
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}
_NAME = b"dltensor"


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


@dataclass(slots=True)
class _Shown:
    """What a capsule refers to, for as long as somebody may use it."""

    managed: _Managed
    shape: Any
    strides: Any
    owner: Any


_SHOWN: dict[int, _Shown] = {}
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_P = ctypes.c_void_p


def _function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


# Of capsules that are about to go Python must count no references.
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, _P, ctypes.c_char_p)
_pointer_of_dying = _function("PyCapsule_GetPointer", _P, _P, ctypes.c_char_p)
_pointer = _function("PyCapsule_GetPointer", _P, ctypes.py_object, ctypes.c_char_p)
_new = _function("PyCapsule_New", ctypes.py_object, _P, ctypes.c_char_p, _P)
_set_name = _function("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)


def _forget(address: int) -> None:
    _SHOWN.pop(address, None)


def _unused(capsule: int) -> None:
    """Nobody has taken what the capsule refers to: who does gives it another name."""
    if _is_valid(capsule, _NAME):
        _SHOWN.pop(_pointer_of_dying(capsule, _NAME), None)


# Kept for ever, for capsules hold their addresses.
_FORGET, _UNUSED = _DELETER(_forget), ctypes.PYFUNCTYPE(None, _P)(_unused)


def capsule_of(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any], owner: Any) -> Any:
    """A capsule of an array on device 0; `strides` count bytes.  `owner` lives as long as somebody uses it."""
    n = len(shape)
    sizes = (ctypes.c_int64 * max(n, 1))(*shape)
    steps = (ctypes.c_int64 * max(n, 1))(*(s // dtype.itemsize for s in strides))
    bits = 8 * dtype.itemsize
    pointer = ctypes.POINTER(ctypes.c_int64)
    tensor = _Tensor(
        address, CUDA, 0, n, _CODES[dtype.kind], bits, 1, ctypes.cast(sizes, pointer), ctypes.cast(steps, pointer), 0
    )
    managed = _Managed(tensor, None, ctypes.cast(_FORGET, _P))
    place = ctypes.addressof(managed)
    _SHOWN[place] = _Shown(managed, sizes, steps, owner)
    return _new(place, _NAME, ctypes.cast(_UNUSED, _P))


@dataclass(slots=True)
class Taken:
    """An array of another library's on a device, which that library may free once this is gone."""

    array: DeviceArray
    _managed: _Managed

    def __del__(self) -> None:
        if self._managed.deleter:
            _DELETER(self._managed.deleter)(ctypes.addressof(self._managed))


def taken(array: Any) -> Taken:
    """What `array.__dlpack__` gives, in memory of device 0, once what was launched on its stream is done.

    Raises HalideError for other devices, for types that have no name here, and for axes that run backwards."""
    kind, number = array.__dlpack_device__()
    if (kind, number) != (CUDA, 0):
        raise HalideError(f"An array on device {number} of DLPack's kind {kind} cannot be a Buffer")
    capsule = array.__dlpack__(stream=LEGACY_STREAM)
    managed = _Managed.from_address(_pointer(capsule, _NAME))
    t = managed.tensor
    if t.code not in _KINDS or t.lanes != 1 or t.bits not in (8, 16, 32, 64):
        raise HalideError(f"An array of DLPack's type {t.code} of {t.bits} bits by {t.lanes} cannot be a Buffer")
    dtype = np.dtype(bool) if _KINDS[t.code] == "b" else np.dtype(f"{_KINDS[t.code]}{t.bits // 8}")
    shape = tuple(t.shape[k] for k in range(t.ndim))
    if t.strides:
        strides = tuple(t.strides[k] * dtype.itemsize for k in range(t.ndim))
    else:
        strides = tuple(int(np.prod(shape[k + 1 :], dtype=np.int64)) * dtype.itemsize for k in range(t.ndim))
    if any(s < 0 for s, n in zip(strides, shape, strict=True) if n > 1):
        raise HalideError(f"An array with strides of {strides} bytes cannot be a Buffer")
    # From here on it is ours to give back.
    _set_name(capsule, b"used_dltensor")
    return Taken(DeviceArray(shape, strides, dtype, (t.data or 0) + t.byte_offset), managed)

"""The C library's mathematical functions, elementwise over NumPy arrays: the results compiled code gets."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from typing import Any

import numpy as np

_EXACT = {"sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint, "rint": np.rint}


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


def split_name(name: str) -> tuple[str, int] | None:
    """The base name and width of a name such as "exp_f32", or None."""
    base, _, suffix = name.rpartition("_f")
    return (base, int(suffix)) if base and suffix in ("16", "32", "64") else None


def apply(name: str, args: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """The function `name` (as "exp_f32") of `args`; float16 goes by way of float32.  KeyError when unknown."""
    parts = split_name(name)
    if parts is None:
        raise KeyError(name)
    base, bits = parts
    dtype = {16: np.float16, 32: np.float32, 64: np.float64}[bits]
    if base in _EXACT:
        return np.asarray(_EXACT[base](args[0]), dtype=dtype)
    if base in ("is_nan", "is_inf", "is_finite"):
        test = {"is_nan": np.isnan, "is_inf": np.isinf, "is_finite": np.isfinite}[base]
        return np.asarray(test(args[0]))
    wide = ctypes.c_double if bits == 64 else ctypes.c_float
    try:
        function = getattr(_library(), base + ("" if bits == 64 else "f"))
    except AttributeError:
        raise KeyError(name) from None
    function.restype = wide
    function.argtypes = [wide] * len(args)
    if bits == 16:
        args = [a.astype(np.float32) for a in args]
    broadcast = np.broadcast_arrays(*args)
    flat = [function(*values) for values in zip(*(a.ravel().tolist() for a in broadcast), strict=True)]
    return np.array(flat, dtype=dtype).reshape(broadcast[0].shape)

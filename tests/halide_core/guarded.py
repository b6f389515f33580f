"""Memory that ends at an unmapped page, so that an access one element past it faults."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)


def at_end(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy of `values` whose last byte is the last mapped one."""
    size = max(values.nbytes, 1)
    pages = (size + _PAGE - 1) // _PAGE
    memory = mmap.mmap(-1, (pages + 1) * _PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    _libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert _libc.mprotect(base + pages * _PAGE, _PAGE, 0) == 0
    start = pages * _PAGE - values.nbytes
    out = np.frombuffer(memory, dtype=values.dtype, count=values.size, offset=start).reshape(values.shape)
    out[...] = values
    return out


def at_start(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy of `values` whose first byte follows an unmapped page."""
    pages = (values.nbytes + _PAGE - 1) // _PAGE
    memory = mmap.mmap(-1, (pages + 1) * _PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    _libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert _libc.mprotect(base, _PAGE, 0) == 0
    out = np.frombuffer(memory, dtype=values.dtype, count=values.size, offset=_PAGE).reshape(values.shape)
    out[...] = values
    return out

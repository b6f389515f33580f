"""Memory that ends at an unmapped page, so that an access one element past it faults."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def at_end(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy of `values` whose last byte is the last mapped one."""
    size = max(values.nbytes, 1)
    pages = (size + _PAGE - 1) // _PAGE
    memory = mmap.mmap(-1, (pages + 1) * _PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
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
    assert _libc.mprotect(base, _PAGE, 0) == 0
    out = np.frombuffer(memory, dtype=values.dtype, count=values.size, offset=_PAGE).reshape(values.shape)
    out[...] = values
    return out


class GuardedHeap:
    """An allocator for `custom_allocator`: each block ends at an unmapped page, as closely as its alignment lets it,
    and a pattern around what is used shows what was written outside.  `damage` names the blocks that were."""

    _PATTERN = 0xA5
    # At the end of a block, asked for to be read only.
    _READABLE = 64

    def __init__(self) -> None:
        self.damage: list[str] = []
        self._blocks: dict[int, tuple[mmap.mmap, int, int]] = {}

    def malloc(self, whole: int) -> int:
        size = whole - self._READABLE
        pages = (size + self._READABLE + 64 + _PAGE - 1) // _PAGE
        memory = mmap.mmap(-1, (pages + 1) * _PAGE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        assert _libc.mprotect(base + pages * _PAGE, _PAGE, 0) == 0
        ctypes.memset(base, self._PATTERN, pages * _PAGE)
        start = (pages * _PAGE - size - self._READABLE) // 64 * 64
        self._blocks[base + start] = (memory, start, size)
        return base + start

    def free(self, address: int) -> None:
        memory, start, size = self._blocks.pop(address)
        pages = len(memory) // _PAGE - 1
        around = memory[:start] + memory[start + size : pages * _PAGE]
        wrong = [k for k, byte in enumerate(around) if byte != self._PATTERN] if around.strip(b"\xa5") else []
        if wrong:
            first = wrong[0] - start
            self.damage.append(f"byte {first if first < 0 else size + first} of a block of {size} bytes was written")

"""Allocators of one's own for the storage of pipelines that run in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from halide_core.backend.llvm_module import JitModule
from halide_core.runtime.memory import FREE_ADDRESS, MALLOC_ADDRESS

_Malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
# The pointers to set in all code that allocates, by the names of its variables.
_SLOTS: dict[str, list[int]] = {MALLOC_ADDRESS: [], FREE_ADDRESS: []}
_PRESENT: dict[str, int | None] = {MALLOC_ADDRESS: None, FREE_ADDRESS: None}


def connect(module: JitModule) -> None:
    """Makes code compiled with PYTHON_MEMORY allocate by what is set here.  Code is never unloaded."""
    for name, slots in _SLOTS.items():
        slots.append(module.variable(name))
        _set(slots[-1:], _PRESENT[name])


def _set(slots: list[int], address: int | None) -> None:
    for slot in slots:
        ctypes.c_void_p.from_address(slot).value = address


@contextmanager
def custom_allocator(malloc: Callable[[int], int | None], free: Callable[[int], None]) -> Iterator[None]:
    """Within, storage comes from `malloc(bytes)`, an address at a multiple of 64, or None; it goes back to
    `free(address)`.  Both may be called from any thread.

    No pipeline may be running when this starts or ends."""
    functions = {
        MALLOC_ADDRESS: _Malloc(lambda _context, size: malloc(size)),
        FREE_ADDRESS: _Free(lambda _context, block: free(block)),
    }
    before = dict(_PRESENT)
    for name, function in functions.items():
        _PRESENT[name] = ctypes.cast(function, ctypes.c_void_p).value
        _set(_SLOTS[name], _PRESENT[name])
    try:
        yield
    finally:
        _PRESENT.update(before)
        for name, slots in _SLOTS.items():
            _set(slots, before[name])

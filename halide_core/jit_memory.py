"""Where pipelines that run in this process have their storage from: memory that is kept from run to run, or allocators
of one's own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from halide_core.backend.llvm_module import JitModule
from halide_core.jit_runtime import shared_module
from halide_core.runtime.memory import (
    FREE_ADDRESS,
    MALLOC_ADDRESS,
    POOL_FREE,
    POOL_MALLOC,
    POOL_RELEASE,
    PYTHON_POOL,
)

_Malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
# The pointers to set in all code that allocates, by the names of its variables.
_SLOTS: dict[str, list[int]] = {MALLOC_ADDRESS: [], FREE_ADDRESS: []}
# What they are set to where a program has functions of its own.
_OWN: dict[str, int | None] = {MALLOC_ADDRESS: None, FREE_ADDRESS: None}
_POOL = {MALLOC_ADDRESS: POOL_MALLOC, FREE_ADDRESS: POOL_FREE}


def connect(module: JitModule) -> None:
    """Makes code compiled with PYTHON_MEMORY allocate by what is set here.  Code is never unloaded."""
    for name, slots in _SLOTS.items():
        slots.append(module.variable(name))
        _set(name, slots[-1:])


def release_memory() -> None:
    """Gives the memory back to the system that is kept for the next run of a pipeline: 128 MiB at most."""
    if _pool.cache_info().currsize:
        _pool().function(POOL_RELEASE, None)()


def _set(name: str, slots: list[int]) -> None:
    own = _OWN[name]
    address = own if own is not None else _pool().address(_POOL[name])
    for slot in slots:
        ctypes.c_void_p.from_address(slot).value = address


@cache
def _pool() -> JitModule:
    return shared_module("memory pool", PYTHON_POOL)


@contextmanager
def custom_allocator(malloc: Callable[[int], int | None], free: Callable[[int], None]) -> Iterator[None]:
    """Within, storage comes from `malloc(bytes)`, an address at a multiple of 64, or None; it goes back to
    `free(address)`.  Both may be called from any thread.

    No pipeline may be running when this starts or ends."""
    functions = {
        MALLOC_ADDRESS: _Malloc(lambda _context, size: malloc(size)),
        FREE_ADDRESS: _Free(lambda _context, block: free(block)),
    }
    before = dict(_OWN)
    _OWN.update({name: ctypes.cast(f, ctypes.c_void_p).value for name, f in functions.items()})
    try:
        for name, slots in _SLOTS.items():
            _set(name, slots)
        yield
    finally:
        _OWN.update(before)
        for name, slots in _SLOTS.items():
            _set(name, slots)

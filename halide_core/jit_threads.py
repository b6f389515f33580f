"""The thread pool that all pipelines of this process share, compiled once."""

from __future__ import annotations

import ctypes
from functools import cache

from halide_core.backend.llvm_module import JitModule
from halide_core.jit_runtime import shared_module
from halide_core.runtime.threads import POOL_ADDRESS, POOL_ENTRY, process_pool
from halide_core.target import Target


def connect(module: JitModule) -> None:
    """Makes code whose parallel loops need a pool use that of this process."""
    ctypes.c_void_p.from_address(module.variable(POOL_ADDRESS)).value = _pool().address(POOL_ENTRY)


@cache
def _pool() -> JitModule:
    return shared_module("thread pool", process_pool(Target("host").arch))

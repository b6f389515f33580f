"""The thread pool that all pipelines of this process share, compiled once."""

from __future__ import annotations

import ctypes
from functools import cache

from halide_core import disk_cache
from halide_core.backend.llvm_module import CompiledModule, JitModule, load_object
from halide_core.runtime.threads import POOL_ADDRESS, POOL_ENTRY, process_pool
from halide_core.target import Target


def connect(module: JitModule) -> None:
    """Makes code whose parallel loops need a pool use that of this process."""
    ctypes.c_void_p.from_address(module.variable(POOL_ADDRESS)).value = _pool().address(POOL_ENTRY)


@cache
def _pool() -> JitModule:
    target = Target("host")
    name = f"thread pool {target.cpu} {target.llvm_features}"
    code = disk_cache.load(name)
    if code is None:
        code = CompiledModule(process_pool(target.arch), target, jit=True).object_bytes()
        disk_cache.store(name, code)
    return load_object(code, target)

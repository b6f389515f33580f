"""Parts of the run time that all pipelines of this process share: compiled once, and kept on disk."""

from __future__ import annotations

from halide_core import disk_cache
from halide_core.backend.llvm_module import CompiledModule, JitModule, load_object
from halide_core.target import Target


def shared_module(what: str, text: str) -> JitModule:
    """The functions of the LLVM IR `text`, compiled for this machine; `what` names it in the cache."""
    target = Target("host")
    name = f"{what} {target.cpu} {target.llvm_features}"
    code = disk_cache.load(name)
    if code is None:
        code = CompiledModule(text, target, jit=True).object_bytes()
        disk_cache.store(name, code)
    return load_object(code, target)

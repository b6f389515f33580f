"""Pipelines of the package `halide` whose kernels run under the emulator, launched by the package's own host code.

It is compiled without its run time, so that its calls of that, copies and launches, are ours to answer."""

from __future__ import annotations

import ctypes
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from halide_core.gpu import runtime
from halide_core.raw_buffer import RawBuffer, RawDimension
from tests.gpu.emulator.device import Emulator

TARGET = "x86-64-linux-sse41-cuda-cuda_capability_70-no_runtime"
_P, _I = ctypes.c_void_p, ctypes.c_int32
_KEPT: list[Any] = []
_HOST_DIRTY = 1


class PackageError(Exception):
    """The package's host code reported an error."""


def ptx_of(assembly: str) -> str:
    """The PTX in the package's LLVM assembly."""
    m = re.search(r'@cuda_gpu_source_kernels\.data = [^"]*c"((?:[^"\\]|\\.)*)"', assembly)
    assert m, "no kernels"
    return re.sub(r"\\([0-9A-Fa-f]{2})", lambda x: chr(int(x[1], 16)), m[1]).rstrip("\0")


def assembly_of(f: Any, arguments: Sequence[Any], target: str = TARGET) -> str:
    """The LLVM assembly of a Func of the package, function `fn`."""
    import halide as hl

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fn.ll"
        f.compile_to_llvm_assembly(str(path), list(arguments), "fn", hl.Target(target))
        return path.read_text()


def run(
    f: Any, inputs: Sequence[tuple[Any, np.ndarray]], output: np.ndarray, device: Emulator, target: str = TARGET,
    scalars: Sequence[tuple[Any, int]] = (),
) -> None:
    """Runs the package's Func on `device`, from (ImageParam, array) into an array, both in C's order of axes; `scalars`
    are Params of int32 and their values."""
    text = assembly_of(f, [p for p, _ in (*inputs, *scalars)], target)
    errors: list[str] = []
    _provide(text, errors)
    address = _loaded(text)
    arrays = [*(x for _, x in inputs), output]
    buffers = [_buffer(x) for x in arrays]
    for b in buffers[:-1]:
        b.flags = _HOST_DIRTY
    call = ctypes.CFUNCTYPE(_I, *[_P] * len(inputs), *[_I] * len(scalars), _P)(address)
    with runtime.device_runtime(device):
        *given, last = (ctypes.addressof(b) for b in buffers)
        status = call(*given, *(v for _, v in scalars), last)
        runtime.raise_failed()
        if status or errors:
            raise PackageError(f"status {status}: {errors}")
        runtime.to_host(buffers[-1])
        for b in buffers:
            runtime._release(b)


def _buffer(x: np.ndarray) -> RawBuffer:
    kinds = {"i": 0, "u": 1, "b": 1, "f": 2}
    dims = (RawDimension * x.ndim)()
    for d in range(x.ndim):
        axis = x.ndim - 1 - d
        dims[d].extent, dims[d].stride = x.shape[axis], x.strides[axis] // x.itemsize
    bits = 1 if x.dtype == bool else 8 * x.itemsize
    b = RawBuffer(0, None, x.ctypes.data, 0, kinds[x.dtype.kind], bits, 1, x.ndim, dims, None)
    _KEPT.append(dims)
    return b


def _loaded(text: str) -> int:
    from halide_core.backend.llvm_module import initialize

    initialize()
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)
    module = llvm.parse_assembly(text)
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, codemodel="jitdefault")
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    _KEPT.append(engine)
    return int(engine.get_function_address("fn"))


def _provide(text: str, errors: list[str]) -> None:
    """Answers for everything of the run time that the assembly calls."""
    known = runtime._functions()
    for m in re.finditer(r"^declare (.*?) ?@(halide_\w+)\(([^)]*)\)", text, re.M):
        name = m[2]
        count = len([p for p in m[3].split(",") if p.strip()])
        if name in known:
            function = known[name]
        elif name.startswith("halide_error"):
            kind = ctypes.CFUNCTYPE(_I, *[ctypes.c_int64] * count)
            function = kind(lambda *_, name=name: errors.append(name) or -1)
        elif name in _OTHERS:
            function = _OTHERS[name]
        else:
            raise AssertionError(f"the package calls {name}")
        _KEPT.append(function)
        llvm.add_symbol(name, ctypes.cast(function, _P).value)


_BLOCKS: dict[int, Any] = {}


def _malloc(_context: int, size: int) -> int:
    block = (ctypes.c_uint8 * (size + 128))()
    start = (ctypes.addressof(block) + 127) // 128 * 128
    _BLOCKS[start] = block
    return start


def _free(_context: int, start: int) -> None:
    if start:
        del _BLOCKS[start]


def _both(b: int) -> int:
    buffer = RawBuffer.from_address(b)
    size = runtime._chunks(buffer)[0]
    buffer.host = _malloc(0, max(size, 1))
    return runtime._guarded(lambda: runtime.allocate(buffer))


def _free_both(b: int) -> int:
    buffer = RawBuffer.from_address(b)
    runtime._release(buffer)
    if buffer.host:
        _free(0, int(buffer.host))
        buffer.host = None
    return 0


_OTHERS: dict[str, Any] = {
    "halide_device_host_nop_free": ctypes.CFUNCTYPE(None, _P, _P)(lambda *_: None),
    "halide_cuda_device_interface": ctypes.CFUNCTYPE(_P)(lambda: 8),
    "halide_cuda_finalize_kernels": ctypes.CFUNCTYPE(None, _P, _P)(lambda *_: None),
    "halide_malloc": ctypes.CFUNCTYPE(_P, _P, ctypes.c_int64)(_malloc),
    "halide_free": ctypes.CFUNCTYPE(None, _P, _P)(_free),
    "halide_device_free_as_destructor": ctypes.CFUNCTYPE(None, _P, _P)(
        lambda _c, b: runtime._release(RawBuffer.from_address(b))
    ),
    "halide_device_and_host_malloc": ctypes.CFUNCTYPE(_I, _P, _P, _P)(lambda _c, b, _i: _both(b)),
    "halide_device_and_host_free": ctypes.CFUNCTYPE(_I, _P, _P)(lambda _c, b: _free_both(b)),
    "halide_device_and_host_free_as_destructor": ctypes.CFUNCTYPE(None, _P, _P)(lambda _c, b: _free_both(b) and None),
}

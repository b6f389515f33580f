"""Pipelines as shared libraries made of their objects, called on halide_buffer_ts."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import halide_core as hc
from halide_core.raw_buffer import RawBuffer, RawDimension
from tests.gpu.driver_library import redirect
from tests.gpu.running import TARGET

HOST_DIRTY, DEVICE_DIRTY = 1, 2
_REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


def buffer_of(x: np.ndarray) -> RawBuffer:
    """A halide_buffer_t of an array in C's order of axes, whose strides are positive."""
    dims = (RawDimension * max(x.ndim, 1))()
    for d in range(x.ndim):
        axis = x.ndim - 1 - d
        dims[d].extent, dims[d].stride = x.shape[axis], x.strides[axis] // x.itemsize
    code = {"i": 0, "u": 1, "b": 1, "f": 2}[x.dtype.kind]
    bits = 1 if x.dtype == bool else 8 * x.itemsize
    b = RawBuffer(0, None, x.ctypes.data, 0, code, bits, 1, x.ndim, dims, None)
    b.kept = (dims, x)
    return b


class Library:
    """A function of Halide's signature in a library of its own, with the errors that it reports."""

    def __init__(
        self, folder: Path, f: Any, arguments: Sequence[Any], target: str = TARGET, name: str = "run", more: str = "",
        redirected: bool = True,
    ) -> None:
        """`more`: C code that is linked with it; `redirected`: it takes the stand-in for the driver."""
        path = folder / f"{name}.o"
        f.compile_to_object(str(path), list(arguments), name, hc.Target(target))
        if redirected:
            redirect(path)
        (folder / "errors.c").write_text(
            "void (*report)(void *, const char *);\n"
            f"void halide_error(void *c, const char *t) {{ report(c, t); }}\n{more}\n"
        )
        made = folder / f"lib{name}.so"
        command = ["cc", "-shared", "-fPIC", str(path), str(folder / "errors.c"), "-o", str(made)]
        subprocess.run([*command, "-Wl,-z,defs", "-ldl", "-lpthread", "-lm"], check=True)
        self.errors: list[str] = []
        self.loaded = ctypes.CDLL(str(made))
        self._report = _REPORT(lambda _, text: self.errors.append(text.decode()))
        ctypes.c_void_p.in_dll(self.loaded, "report").value = ctypes.cast(self._report, ctypes.c_void_p).value
        self.function = getattr(self.loaded, name)

    def __call__(self, *arguments: Any) -> int:
        """The status; arguments are RawBuffers and ctypes values."""
        return int(self.function(*(ctypes.byref(a) if isinstance(a, RawBuffer) else a for a in arguments)))

    def to_host(self, b: RawBuffer) -> int:
        return int(self.loaded.halide_copy_to_host(None, ctypes.byref(b)))

    def free(self, b: RawBuffer) -> int:
        return int(self.loaded.halide_device_free(None, ctypes.byref(b)))

    def release(self) -> None:
        """Gives the device back."""
        self.loaded.halide_device_release(None, None)

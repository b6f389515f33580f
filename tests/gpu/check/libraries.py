"""Pipelines as libraries with the run time of objects, run on a device: are their results those of the host.

Needs NumPy alone; `record` makes the libraries."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from halide_core.raw_buffer import RawBuffer, RawDimension

_REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
# What each library gets beside its object: errors go to a function of this process.
ERRORS = (
    "void (*report)(void *, const char *);\nvoid halide_error(void *c, const char *t) { report(c, t); }\n"
)


def buffer_of(x: np.ndarray[Any, Any]) -> RawBuffer:
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


class Loaded:
    """The function `run` of a library, with the errors that it reports."""

    def __init__(self, path: Path) -> None:
        self.errors: list[str] = []
        self.loaded = ctypes.CDLL(str(path))
        self._report = _REPORT(lambda _, text: self.errors.append(text.decode()))
        ctypes.c_void_p.in_dll(self.loaded, "report").value = ctypes.cast(self._report, ctypes.c_void_p).value

    def __call__(self, *arguments: Any) -> int:
        """The status; arguments are RawBuffers and ctypes values."""
        return int(self.loaded.run(*(ctypes.byref(a) if isinstance(a, RawBuffer) else a for a in arguments)))

    def to_host(self, b: RawBuffer) -> int:
        return int(self.loaded.halide_copy_to_host(None, ctypes.byref(b)))

    def free(self, b: RawBuffer) -> int:
        return int(self.loaded.halide_device_free(None, ctypes.byref(b)))

    def release(self) -> None:
        """Gives the device back."""
        self.loaded.halide_device_release(None, None)


def padded(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values with gaps between rows, which nothing may change."""
    around = np.full([n + 3 for n in x.shape], 77, x.dtype)
    inner = around[tuple(slice(1, n + 1) for n in x.shape)]
    inner[...] = x
    return inner


def gaps(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What lies between the rows of an array that `padded` has made; 77 everywhere at first."""
    around = x.base
    assert around is not None
    out = around.copy()
    out[tuple(slice(1, n + 1) for n in x.shape)] = 77
    return out


def check_libraries(folder: Path) -> list[dict[str, Any]]:
    """A row for each library `NAME.so` beside its `NAME.npz` of inputs, in order, and the result `wanted`: its name, by
    whom, and what is wrong."""
    rows = []
    for path in sorted(folder.glob("*.npz")):
        try:
            wrong = _wrong(path)
        except Exception as problem:
            wrong = f"{type(problem).__name__}: {problem}"
        rows.append({"name": path.stem, "by": "an object", "wrong": wrong, "kernels": {}, "ms": 0.0, "apart": 0.0})
    return rows


def _wrong(path: Path) -> str:
    found = np.load(path)
    given = [found[k] for k in sorted(found.files) if k != "wanted"]
    library = Loaded(path.with_suffix(".so"))
    for form in (np.ascontiguousarray, padded):
        result = form(np.zeros_like(found["wanted"]))
        inputs, out = [buffer_of(form(x)) for x in given], buffer_of(result)
        for _ in range(2):
            result[...] = 0
            if library(*inputs, out) or library.to_host(out):
                return "; ".join(library.errors)
            if not np.array_equal(result, found["wanted"]):
                return f"{int((result != found['wanted']).sum())} of {result.size} values differ"
        if form is padded and not np.all(gaps(result) == 77):
            return "what lies between rows has changed"
        if any(library.free(b) for b in (*inputs, out)):
            return "; ".join(library.errors)
    library.release()
    return ""

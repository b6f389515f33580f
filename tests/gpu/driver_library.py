"""A library that stands for libcuda.so.1 in this process: its functions are answered by an emulated device.

Compiled programs find it by `dlopen`, since a library of its name is loaded already.  That is another name than the
driver's, so that nothing else takes it for that; `redirect` writes it into their files."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import threading
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from halide_core.runtime.cuda.driver import FUNCTIONS, LIBRARY
from tests.gpu.emulator.device import Emulator
from tests.gpu.emulator.text import parse

STAND_IN = "libcuda.so.0"
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
_P, _I, _U, _Z = "void *", "int", "unsigned", "unsigned long"
# What each function takes; all return an int.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "cuInit": (_U,),
    "cuDeviceGet": (_P, _I),
    "cuDeviceGetAttribute": (_P, _I, _I),
    "cuDevicePrimaryCtxRetain": (_P, _I),
    "cuDevicePrimaryCtxRelease_v2": (_I,),
    "cuCtxPushCurrent_v2": (_P,),
    "cuCtxPopCurrent_v2": (_P,),
    "cuCtxSynchronize": (),
    "cuStreamSynchronize": (_P,),
    "cuMemAlloc_v2": (_P, _Z),
    "cuMemFree_v2": (_Z,),
    "cuMemcpyHtoD_v2": (_Z, _P, _Z),
    "cuMemcpyDtoH_v2": (_P, _Z, _Z),
    "cuMemcpy2D_v2": (_P,),
    "cuMemcpyHtoDAsync_v2": (_Z, _P, _Z, _P),
    "cuMemcpyDtoHAsync_v2": (_P, _Z, _Z, _P),
    "cuMemcpy2DAsync_v2": (_P, _P),
    "cuMemcpyDtoD_v2": (_Z, _Z, _Z),
    "cuMemcpyDtoDAsync_v2": (_Z, _Z, _Z, _P),
    "cuMemAllocHost_v2": (_P, _Z),
    "cuMemFreeHost": (_P,),
    "cuModuleLoadDataEx": (_P, _P, _U, _P, _P),
    "cuModuleUnload": (_P,),
    "cuModuleGetFunction": (_P, _P, _P),
    "cuFuncSetAttribute": (_P, _I, _I),
    "cuLaunchKernel": (_P, *[_U] * 7, _P, _P, _P),
    "cuGetErrorName": (_I, _P),
    "cuGetErrorString": (_I, _P),
}
_CTYPES: dict[str, Any] = {_P: ctypes.c_void_p, _I: ctypes.c_int, _U: ctypes.c_uint, _Z: ctypes.c_uint64}
_WORDS = {
    1: (b"CUDA_ERROR_INVALID_VALUE", b"invalid argument"),
    2: (b"CUDA_ERROR_OUT_OF_MEMORY", b"out of memory"),
    100: (b"CUDA_ERROR_NO_DEVICE", b"no CUDA-capable device is detected"),
    218: (b"CUDA_ERROR_INVALID_PTX", b"a PTX JIT compilation failed"),
    700: (b"CUDA_ERROR_ILLEGAL_ADDRESS", b"an illegal memory access was encountered"),
    719: (b"CUDA_ERROR_LAUNCH_FAILED", b"unspecified launch failure"),
}
_CONTEXT = 77
_HOST, _DEVICE = 1, 2


def source() -> str:
    """C code of the library: each function calls what `stand_in_set` has put in its place."""
    lines = [f"static void *table[{len(FUNCTIONS)}];", "void stand_in_set(int k, void *f) { table[k] = f; }"]
    for k, name in enumerate(FUNCTIONS):
        types = SIGNATURES[name]
        parameters = ", ".join(f"{t} a{i}" for i, t in enumerate(types)) or "void"
        kind = f"int (*)({', '.join(types) or 'void'})"
        given = ", ".join(f"a{i}" for i in range(len(types)))
        lines.append(f"int {name}({parameters}) {{ return (({kind})table[{k}])({given}); }}")
    return "\n".join(lines) + "\n"


def redirect(path: Path) -> None:
    """Has a compiled program look for the stand-in."""
    content = path.read_bytes()
    name = LIBRARY.encode() + b"\0"
    assert content.count(name) == 1
    path.write_bytes(content.replace(name, STAND_IN.encode() + b"\0"))


def build(folder: Path, text: str = "", name: str = STAND_IN) -> Path:
    """Compiles the library into `folder`."""
    path = folder / name
    (folder / "cuda.c").write_text(text or source())
    options = ["-shared", "-fPIC", f"-Wl,-soname,{name}"]
    subprocess.run(["cc", str(folder / "cuda.c"), *options, "-o", str(path)], check=True)
    return path


class Driver:
    """The driver's functions on an emulator; what they were asked, and how they are to fail."""

    def __init__(self) -> None:
        self.device = Emulator()
        # A function's status from its n-th call on, counted from 0.
        self.failing: dict[str, tuple[int, int]] = {}
        self.calls: Counter[str] = Counter()
        self.texts: list[str] = []
        self.functions: list[tuple[str, str]] = []
        self.attributes: list[tuple[int, int]] = []
        self.streams: list[int] = []
        self.pinned: dict[int, Any] = {}
        self.chosen = -1
        self.problems: list[BaseException] = []
        self.lock = threading.RLock()
        self.pushed = threading.local()
        self._text = [ctypes.create_string_buffer(w) for pair in _WORDS.values() for w in pair]

    def answer(self, name: str, *arguments: Any) -> int:
        """What the function of that name returns."""
        with self.lock:
            number = self.calls[name]
            self.calls[name] += 1
            status, first = self.failing.get(name, (0, 0))
            if status and number >= first and name != "cuModuleLoadDataEx":
                return status
            try:
                found = getattr(self, name)(*arguments)
            except BaseException as problem:
                self.problems.append(problem)
                return 719
            return found if isinstance(found, int) else 0

    def depth(self) -> int:
        """How many contexts this thread has pushed."""
        return getattr(self.pushed, "depth", 0)

    def cuInit(self, flags: int) -> None:
        assert flags == 0

    def cuDeviceGet(self, device: int, number: int) -> None:
        self.chosen = number
        ctypes.c_int.from_address(device).value = number

    def cuDeviceGetAttribute(self, value: int, attribute: int, device: int) -> None:
        ctypes.c_int.from_address(value).value = {75: 8, 76: 0}[attribute]

    def cuDevicePrimaryCtxRetain(self, context: int, device: int) -> None:
        ctypes.c_void_p.from_address(context).value = _CONTEXT

    def cuDevicePrimaryCtxRelease_v2(self, device: int) -> None:
        pass

    def cuCtxPushCurrent_v2(self, context: int) -> None:
        assert context == _CONTEXT
        self.pushed.depth = self.depth() + 1

    def cuCtxPopCurrent_v2(self, context: int) -> None:
        ctypes.c_void_p.from_address(context).value = _CONTEXT
        self.pushed.depth = self.depth() - 1
        assert self.depth() >= 0

    def cuCtxSynchronize(self) -> None:
        assert self.depth()

    def cuStreamSynchronize(self, stream: int | None) -> None:
        self.streams.append(stream or 0)

    def cuMemAlloc_v2(self, address: int, size: int) -> None:
        assert self.depth()
        ctypes.c_uint64.from_address(address).value = self.device.malloc(size)

    def cuMemFree_v2(self, address: int) -> None:
        assert self.depth()
        self.device.free(address)

    def cuMemcpyHtoD_v2(self, device: int, host: int, size: int) -> None:
        assert self.depth()
        self.device.copy_to_device(device, host, size)

    def cuMemcpyDtoH_v2(self, host: int, device: int, size: int) -> None:
        assert self.depth()
        self.device.copy_to_host(host, device, size)

    def cuMemcpy2D_v2(self, plan: int) -> None:
        words = (ctypes.c_uint64 * 16).from_address(plan)
        assert self.depth() and not any(words[k] for k in (0, 1, 5, 7, 8, 12))
        width, rows = words[14], words[15]
        pitches = words[6], words[13]
        assert min(pitches) >= width
        kinds = words[2] & 0xFFFFFFFF, words[9] & 0xFFFFFFFF
        source, target = (words[w + 1 + (kind == _DEVICE)] for w, kind in zip((2, 9), kinds, strict=True))
        assert source and target and not words[4 - (kinds[0] == _DEVICE)] and not words[11 - (kinds[1] == _DEVICE)]
        for k in range(rows):
            place = target + k * pitches[1], source + k * pitches[0], width
            match kinds:
                case (1, 2):
                    self.device.copy_to_device(*place)
                case (2, 1):
                    self.device.copy_to_host(*place)
                case _:
                    assert kinds == (_DEVICE, _DEVICE)
                    self.across(*place)

    def across(self, to: int, source: int, size: int) -> None:
        """Copies within the device's memory."""
        taken, start = self.device.memory.find(source, size)
        given, place = self.device.memory.find(to, size)
        given.data[place : place + size] = taken.data[start : start + size]

    def cuMemcpyDtoD_v2(self, to: int, source: int, size: int) -> None:
        assert self.depth()
        self.across(to, source, size)

    def cuMemcpyDtoDAsync_v2(self, to: int, source: int, size: int, stream: int) -> None:
        self.streams.append(stream)
        self.cuMemcpyDtoD_v2(to, source, size)

    def cuMemAllocHost_v2(self, place: int, size: int) -> None:
        assert self.depth()
        memory = ctypes.create_string_buffer(size)
        self.pinned[ctypes.addressof(memory)] = memory
        ctypes.c_void_p.from_address(place).value = ctypes.addressof(memory)

    def cuMemFreeHost(self, place: int) -> None:
        assert self.depth()
        del self.pinned[place]

    def cuMemcpyHtoDAsync_v2(self, device: int, host: int, size: int, stream: int) -> None:
        self.streams.append(stream)
        self.cuMemcpyHtoD_v2(device, host, size)

    def cuMemcpyDtoHAsync_v2(self, host: int, device: int, size: int, stream: int) -> None:
        self.streams.append(stream)
        self.cuMemcpyDtoH_v2(host, device, size)

    def cuMemcpy2DAsync_v2(self, plan: int, stream: int) -> None:
        self.streams.append(stream)
        self.cuMemcpy2D_v2(plan)

    def cuModuleLoadDataEx(self, module: int, text: int, count: int, options: int, values: int) -> int:
        assert self.depth() and count == 2
        assert list((ctypes.c_int * 2).from_address(options)) == [5, 6]
        log, size = (ctypes.c_uint64 * 2).from_address(values)
        status, _ = self.failing.get("cuModuleLoadDataEx", (0, 0))
        if status:
            words = b"line 7: a word\0"
            assert size >= len(words)
            ctypes.memmove(log, words, len(words))
            return status
        self.texts.append(ctypes.string_at(text).decode())
        ctypes.c_void_p.from_address(module).value = len(self.texts)
        return 0

    def cuModuleUnload(self, module: int) -> None:
        self.texts[module - 1] = ""

    def cuModuleGetFunction(self, function: int, module: int, name: int) -> None:
        found = (self.texts[module - 1], ctypes.string_at(name).decode())
        assert found[0], "a module that was unloaded"
        if found not in self.functions:
            self.functions.append(found)
        ctypes.c_void_p.from_address(function).value = self.functions.index(found) + 1

    def cuFuncSetAttribute(self, function: int, attribute: int, value: int) -> None:
        self.attributes.append((attribute, value))

    def cuLaunchKernel(self, function: int, *rest: Any) -> None:
        assert self.depth()
        text, name = self.functions[function - 1]
        bx, by, bz, tx, ty, tz, shared, stream, places, extra = rest
        assert extra is None
        self.streams.append(stream or 0)
        sizes = [n for _, n in parse(text).kernels[name].parameters]
        pointers = (ctypes.c_void_p * len(sizes)).from_address(places)
        arguments = [ctypes.string_at(pointers[k] or 0, n) for k, n in enumerate(sizes)]
        self.device.launch(text, name, (bx, by, bz), (tx, ty, tz), shared, arguments)

    def _word(self, status: int, text: int, which: int) -> int:
        if status not in _WORDS:
            return 1
        place = 2 * list(_WORDS).index(status) + which
        ctypes.c_void_p.from_address(text).value = ctypes.addressof(self._text[place])
        return 0

    def cuGetErrorName(self, status: int, text: int) -> int:
        return self._word(status, text, 0)

    def cuGetErrorString(self, status: int, text: int) -> int:
        return self._word(status, text, 1)


_CURRENT: list[Driver] = []


@cache
def _loaded(folder: Path) -> list[Any]:
    """The library and its functions, which stay for as long as the process."""
    library = ctypes.CDLL(str(build(folder)))
    kept: list[Any] = [library]
    for k, name in enumerate(FUNCTIONS):
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *(_CTYPES[t] for t in SIGNATURES[name]))

        def call(*arguments: Any, name: str = name) -> int:
            return _CURRENT[-1].answer(name, *arguments)

        function = kind(call)
        kept.append(function)
        library.stand_in_set(k, ctypes.cast(function, ctypes.c_void_p))
    return kept


_FOLDERS: list[Path] = []


def stand_in(folder: Path) -> Driver:
    """A driver that compiled programs find from now on; `folder` is where the library is made if there is none."""
    if not _FOLDERS:
        _FOLDERS.append(folder)
    _loaded(_FOLDERS[0])
    return use(Driver())


def use(driver: Driver) -> Driver:
    """Has compiled programs find this one from now on; what they hold of another one they must not use."""
    _CURRENT[:] = [driver]
    return driver

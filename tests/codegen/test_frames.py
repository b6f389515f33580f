"""Numbers and pointers in arrays of the caller's, read before the work: where they are not there, or not to be read,
or are written over."""

from __future__ import annotations

import ctypes
import mmap
import subprocess
from collections.abc import Callable

import numpy as np
import pytest

from corpus.manifest import ROOT
from lifter.api import lift_file

SOURCE = ROOT / "filter/frames_in_c.c"
NAMES = ("negative_planes", "packed_from_planes", "fade_extent", "sum_of_two", "add_to_block")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The original and the drop-in."""
    folder = tmp_path_factory.mktemp("frames")
    report = lift_file(str(SOURCE), out=str(folder), emit=("shared",), functions=NAMES)
    assert {f.status for f in report.functions if f.name in NAMES} == {"verified"}
    subprocess.run(["cc", "-O1", "-w", "-shared", "-fPIC", str(SOURCE), "-o", str(folder / "own.so")], check=True)
    return ctypes.CDLL(str(folder / "own.so")), ctypes.CDLL(str(folder / "libframes_in_c_lifted.so"))


def _pointers(*arrays: np.ndarray | None) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(None if a is None else a.ctypes.data for a in arrays))


def _both(libraries: tuple[ctypes.CDLL, ctypes.CDLL], call: Callable[[ctypes.CDLL, np.ndarray], object]) -> None:
    """The same of the same memory, which is given as 4,096 bytes."""
    left: list[tuple[object, bytes]] = []
    for library in libraries:
        memory = np.random.default_rng(7).integers(0, 256, 4096, np.uint8)
        result = call(library, memory)
        left.append((result, memory.tobytes()))
    assert left[0] == left[1]


@pytest.mark.parametrize("chroma", [0, 1])
@pytest.mark.parametrize("h", [0, 1, 7])
def test_planes(libraries: tuple[ctypes.CDLL, ctypes.CDLL], chroma: int, h: int) -> None:
    def call(library: ctypes.CDLL, m: np.ndarray) -> None:
        into, source = _pointers(m[:500], m[500:1000], None), _pointers(m[1000:1500], None, m[2000:])
        pitches = (ctypes.c_int * 3)(30, 40, 0), (ctypes.c_int * 3)(33, 0, 44)
        library.negative_planes(into, pitches[0], source, pitches[1], 21, h, chroma)

    _both(libraries, call)


def test_a_pitch_behind_the_last_one_is_not_read(libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    """The pitches end where memory ends; that of the second plane is read only if it is asked for."""
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    assert libc.mprotect(start + mmap.PAGESIZE, mmap.PAGESIZE, 0) == 0
    place = start + mmap.PAGESIZE - 4
    ctypes.cast(place, ctypes.POINTER(ctypes.c_int))[0] = 32

    def call(library: ctypes.CDLL, m: np.ndarray) -> None:
        pitch = ctypes.c_void_p(place)
        library.negative_planes(_pointers(m[:500]), pitch, _pointers(m[1000:]), pitch, 21, 7, 0)

    _both(libraries, call)


def test_pitches_that_the_work_writes_over(libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    """The original reads the pitch anew for each pixel, and is what runs."""

    def call(library: ctypes.CDLL, m: np.ndarray) -> None:
        pitch = m[100:112].view(np.int32)
        pitch[:] = 20
        own = ctypes.c_void_p(pitch.ctypes.data)
        library.negative_planes(_pointers(m[60:]), own, _pointers(m[2000:]), (ctypes.c_int * 3)(40, 40, 40), 8, 3, 0)

    _both(libraries, call)


def test_pointers_that_the_work_writes_over(libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    def call(library: ctypes.CDLL, m: np.ndarray) -> object:
        table = m[:16].view(np.uint64)
        table[:] = (m.ctypes.data + 1024, m.ctypes.data + 2048)
        pitches = (ctypes.c_int * 2)(10, 10)
        own, into = (ctypes.c_void_p(a.ctypes.data) for a in (table, m))
        library.packed_from_planes(own, pitches, into, 64, 8, 3)
        m[:16] = 0  # addresses are not the same in both runs
        return None

    _both(libraries, call)


@pytest.mark.parametrize("alpha", ["none", "first", "both"])
def test_arrays_of_pointers_that_are_not_there(libraries: tuple[ctypes.CDLL, ctypes.CDLL], alpha: str) -> None:
    def call(library: ctypes.CDLL, m: np.ndarray) -> None:
        words = m.view(np.int16)
        second = words[600:] if alpha == "both" else None
        table = None if alpha == "none" else _pointers(words[400:], second)
        library.sum_of_two(_pointers(words[:100], words[200:]), table, ctypes.c_void_p(m[3000:].ctypes.data), 90)

    _both(libraries, call)


def test_a_structure_that_is_not_there(libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    def call(library: ctypes.CDLL, m: np.ndarray) -> object:
        extent = (ctypes.c_int * 2)(31, 9)
        image = ctypes.c_void_p(m.ctypes.data)
        return library.fade_extent(None, image), library.fade_extent(extent, None), library.fade_extent(extent, image)

    _both(libraries, call)


@pytest.mark.parametrize("kind", range(6))
def test_blocks_of_all_sizes(libraries: tuple[ctypes.CDLL, ctypes.CDLL], kind: int) -> None:
    residue = np.random.default_rng(1).integers(-300, 300, 64 * 64).astype(np.int16)

    def call(library: ctypes.CDLL, m: np.ndarray) -> None:
        library.add_to_block(ctypes.c_void_p(m.ctypes.data), 64, ctypes.c_void_p(residue.ctypes.data), kind)

    _both(libraries, call)

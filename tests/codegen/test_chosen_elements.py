"""Drop-ins of functions that read elements of the caller's arrays at places that other fields say, and objects of other
classes than they are declared: beside the originals, also where those do not read them."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.beside import Libraries, both

SOURCE = Path(__file__).with_name("chosen_elements.c")
_W, _H = 19, 5


class _Frame(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p * 4), ("stride", ctypes.c_int * 4), ("plane", ctypes.c_int * 4), ("w", ctypes.c_int),
        ("h", ctypes.c_int),
    ]


class _Element(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("level", ctypes.c_int)]


class _Derived(ctypes.Structure):
    _fields_ = [("element", _Element), ("n", ctypes.c_int), ("table", ctypes.c_void_p)]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return both(SOURCE, tmp_path_factory.mktemp("chosen"))


def _planes(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (4, _H, 32), np.uint8)


def _frame(planes: np.ndarray, places: tuple[int, ...], stride: int = 32) -> _Frame:
    addresses = (ctypes.c_void_p * 4)(*(p.ctypes.data for p in planes))
    return _Frame(addresses, (ctypes.c_int * 4)(*[stride] * 4), (ctypes.c_int * 4)(*places), _W, _H)


@pytest.mark.parametrize("stride", [32, _W, 3])
@pytest.mark.parametrize("c", range(4))
@pytest.mark.parametrize("places", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 2, 2, 2)])
def test_a_component(libraries: Libraries, places: tuple[int, ...], c: int, stride: int) -> None:
    made = []
    for library in libraries:
        planes = _planes(c)
        library.invert(ctypes.byref(_frame(planes, places, stride)), c)
        made.append(planes)
    assert (made[0] == made[1]).all() and (made[0][places[c]] != _planes(c)[places[c]]).any()


@pytest.mark.parametrize("place", [0, 3, 4, -1, 1 << 30, -(1 << 31)])
def test_what_is_not_read_may_lie_anywhere(libraries: Libraries, place: int) -> None:
    for library in libraries:
        planes = _planes(1)
        library.invert_if(ctypes.byref(_frame(planes, (0, place, 0, 0))), 0)
        assert (planes == _planes(1)).all()


@pytest.mark.parametrize("k", range(4))
@pytest.mark.parametrize("places", [0, 1, 3])
def test_two_that_may_be_one(libraries: Libraries, k: int, places: int) -> None:
    made = []
    for library in libraries:
        planes = _planes(2)
        library.add_planes(ctypes.byref(_frame(planes, (0, 0, 0, 0))), k, places)
        made.append(planes)
    assert (made[0] == made[1]).all()


def test_an_object_that_is_none_of_the_class(libraries: Libraries) -> None:
    """What lies behind an object of the class that it is declared as is not read."""
    memory = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0)
    element = _Element.from_buffer(memory, mmap.PAGESIZE - ctypes.sizeof(_Element))
    element.kind, element.level = 7, 42
    pixels = np.zeros(8, np.uint8)
    for library in libraries:
        assert library.of_kind(ctypes.byref(element), ctypes.c_void_p(pixels.ctypes.data), 8) == 42


@pytest.mark.parametrize("n", [0, 1, 33])
def test_objects_of_the_class(libraries: Libraries, n: int) -> None:
    table = np.random.default_rng(3).permutation(256).astype(np.uint8)
    own = _Derived(_Element(1, 5), n, table.ctypes.data)
    made = []
    for library in libraries:
        pixels = np.arange(64, dtype=np.uint8)
        at = ctypes.c_void_p(pixels.ctypes.data)
        returned = library.of_kind(ctypes.byref(own), at, n), library.behind_void(ctypes.byref(own), at)
        made.append((*returned, pixels.tobytes()))
    assert made[0] == made[1] and made[0][:2] == (n, 1)

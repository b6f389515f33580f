"""Drop-ins of functions whose tables address memory, beside the originals: also where what they address overlaps."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.beside import Libraries, both

SOURCE = Path(__file__).with_name("measured.c")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return both(SOURCE, tmp_path_factory.mktemp("measured"))


def _at(memory: np.ndarray, element: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(memory.ctypes.data + element * memory.itemsize)


@pytest.mark.parametrize("apart", [0, 1, 5, 40, 300])
@pytest.mark.parametrize("n", [0, 1, 17, 64])
def test_what_places_span(libraries: Libraries, n: int, apart: int) -> None:
    """What is written may lie among what is read, just beside it, or far away."""
    rng = np.random.default_rng(n + apart)
    for low, high in ((0, 1), (0, 40), (-20, 20), (30, 90)):
        place = rng.integers(low, high, max(n, 1), np.int32)
        start = rng.integers(0, 256, 600, np.uint8)
        made = []
        for library in libraries:
            memory = start.copy()
            library.remap(_at(memory, 100 + apart), _at(memory, 100), _at(place), n)
            made.append(memory)
        assert (made[0] == made[1]).all()


@pytest.mark.parametrize(("w", "h"), [(0, 3), (3, 0), (1, 1), (19, 7)])
def test_places_of_two_coordinates(libraries: Libraries, w: int, h: int) -> None:
    rng = np.random.default_rng(w)
    src = rng.integers(0, 256, (50, 70), np.uint8)
    at = np.stack([rng.integers(0, 70, (h, w)), rng.integers(0, 50, (h, w))], -1).astype(np.int16)
    at = np.ascontiguousarray(at if at.size else np.zeros(2, np.int16))
    made = []
    for library in libraries:
        dst = np.zeros((10, 24), np.uint8)
        library.remap_rows(_at(dst), 24, _at(src), 70, _at(at), w, h)
        made.append(dst)
    assert (made[0] == made[1]).all()
    assert not at.size > 2 or (made[0][:h, :w] == src[at[..., 1], at[..., 0]]).all()


@pytest.mark.parametrize("lengths", ["alike", "different", "one long", "none", "negative"])
@pytest.mark.parametrize("h", [0, 1, 6])
def test_windows(libraries: Libraries, lengths: str, h: int) -> None:
    rng = np.random.default_rng(h)
    n = 40
    count = {
        "alike": np.full(n, 5), "different": rng.integers(0, 9, n), "one long": np.where(np.arange(n) == 3, 300, 2),
        "none": np.zeros(n), "negative": rng.integers(-4, 3, n),
    }[lengths]
    bounds = np.stack([rng.integers(0, 50, n), count], -1).astype(np.int32)
    src = rng.integers(0, 256, (6, 360), np.uint8)
    made = []
    for library in libraries:
        dst = np.zeros((6, n), np.uint8)
        library.windows(_at(dst), _at(src), _at(bounds), n, h, 360)
        made.append(dst)
    assert (made[0] == made[1]).all()
    assert lengths != "alike" or h == 0 or made[0][:h].any()


def test_places_beyond_coordinates(libraries: Libraries) -> None:
    """Places that 32 bits do not hold: the original runs, which finds its memory there."""
    place = np.array([3, 1, 1 << 33, 2], np.int64)
    made = []
    for library in libraries:
        dst, src = np.zeros(8, np.uint16), np.arange(5, 9, dtype=np.uint16)
        far = np.zeros(8, np.uint16)
        place[2] = (far.ctypes.data - dst.ctypes.data) // 2
        library.scatter(_at(dst), _at(src), _at(place), 4)
        made.append((dst, far))
    assert all((a == b).all() for a, b in zip(*made, strict=True)) and made[0][1][0] == 7


@pytest.mark.parametrize("n", [0, 1, 50])
def test_result_beside_votes(libraries: Libraries, n: int) -> None:
    labels = np.random.default_rng(n).integers(0, 30, max(n, 1), np.uint32)
    made = []
    for library in libraries:
        bins = np.arange(30, dtype=np.int32)
        made.append((library.votes(_at(bins), _at(labels), n), bins))
    assert made[0][0] == made[1][0] and (made[0][1] == made[1][1]).all()
    assert made[0][1].sum() == np.arange(30).sum() + n

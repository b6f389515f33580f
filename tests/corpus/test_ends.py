"""Functions that take the end of their memory as a pointer, called through their drop-ins."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from tests.corpus.beside import libraries

pytestmark = pytest.mark.few(4)

SOURCE = Path(__file__).with_name("ends.cpp").read_text()


@pytest.fixture(scope="module", params=["c", "cpp"])
def pair(request, tmp_path_factory) -> tuple[ctypes.CDLL, ctypes.CDLL, dict[str, str]]:
    return libraries(tmp_path_factory.mktemp("ends"), SOURCE, request.param)


def _call(library: ctypes.CDLL, symbol: str, *addresses: int | None) -> int:
    function = getattr(library, symbol)
    function.argtypes = [ctypes.c_void_p] * len(addresses)
    return function(*addresses)


@pytest.mark.parametrize("count", [0, 1, 7, 64, 1001])
def test_results(pair, count: int) -> None:
    original, lifted, symbols = pair
    rng = np.random.default_rng(count)
    words, floats = rng.integers(0, 1 << 16, (2, count + 4), np.uint16), rng.random((2, count + 4), np.float32)
    for name, data, arguments in (
        ("raise_all", words, lambda a: (a[0].ctypes.data, a[0].ctypes.data + 2 * count, a[1].ctypes.data)),
        ("subtracted", floats, lambda a: (a[0].ctypes.data, a[0].ctypes.data + 4 * count, a[1].ctypes.data)),
        # Not a whole number of elements apart: the original rounds, and runs itself.
        ("subtracted", floats, lambda a: (a[0].ctypes.data, a[0].ctypes.data + 4 * count + 2, a[1].ctypes.data)),
        ("backwards", words.view(np.uint8), lambda a: (a.ctypes.data, a.ctypes.data + count)),
        # The end before the start: nothing happens.
        ("backwards", words.view(np.uint8), lambda a: (a.ctypes.data + count + 1, a.ctypes.data)),
    ):
        wanted, found = data.copy(), data.copy()
        _call(original, symbols[name], *arguments(wanted))
        _call(lifted, symbols[name], *arguments(found))
        assert np.array_equal(wanted, found), name
        assert count < 7 or name == "backwards" or not np.array_equal(found, data)


def test_null(pair) -> None:
    original, lifted, symbols = pair
    for shift in (None, 0, 3):
        data = np.zeros(8, np.uint8)
        other = None if shift is None else data.ctypes.data + shift
        results = [_call(library, symbols["both"], data.ctypes.data, other) for library in (original, lifted)]
        assert results == [-1, -1] if shift is None else [1, 1]
        assert data.tolist() == [7] * (shift or 0) + [0] * (8 - (shift or 0))
    assert _call(lifted, symbols["both"], None, None) == -1

"""Drop-ins of functions that take arrays of pointers to rows: the original runs where the rows are no image."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from lifter.api import lift_file

SOURCE = Path(__file__).with_name("row_tables.c")
ORDERS = {
    "one behind the other": lambda n: list(range(n)), "apart": lambda n: [2 * k for k in range(n)],
    "in another order": lambda n: [*range(1, n), 0], "from below": lambda n: list(range(n))[::-1],
    "one row again and again": lambda n: [0] * n,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("rows")
    found = lift_file(str(SOURCE), out=str(folder), emit=("shared",)).functions
    assert [f.status for f in found] == ["verified"] * 4, [f.reason for f in found]
    return ctypes.CDLL(str(folder / "librow_tables_lifted.so"))


def _table(image: np.ndarray, order: list[int]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * max(len(order), 1))(*(image.ctypes.data + k * image.strides[0] for k in order))


@pytest.mark.parametrize("given", ORDERS)
@pytest.mark.parametrize("taken", ["one behind the other", "apart", "in another order", "from below"])
@pytest.mark.parametrize("high", [0, 1, 2, 7])
def test_rows_in_any_order(library: ctypes.CDLL, given: str, taken: str, high: int) -> None:
    rng = np.random.default_rng(high)
    s, d = rng.integers(0, 256, (16, 40), np.uint8), np.zeros((16, 40), np.uint8)
    of, to = ORDERS[given](high), ORDERS[taken](high)
    library.invert(_table(d, to), _table(s, of), 33, high)
    expected = np.zeros_like(d)
    for y in range(high):
        expected[to[y], :33] = 255 - s[of[y], :33]
    assert (d == expected).all()


@pytest.mark.parametrize("given", ORDERS)
@pytest.mark.parametrize("high", [0, 1, 2, 3, 9])
def test_rows_of_an_object(library: ctypes.CDLL, given: str, high: int) -> None:
    class Raster(ctypes.Structure):
        _fields_ = (("w", ctypes.c_int), ("h", ctypes.c_int), ("rows", ctypes.c_void_p))

    s, out = np.random.default_rng(1).integers(0, 256, (18, 24), np.uint8), np.zeros((9, 20), np.uint16)
    of = ORDERS[given](high)
    table = _table(s, of)
    # Rows that are not read may be anywhere.
    for y in range(high):
        if y % 2 or y == 0:
            table[y] = 1
    raster = Raster(20, high, ctypes.cast(table, ctypes.c_void_p))
    library.every_second(ctypes.byref(raster), out.ctypes.data_as(ctypes.c_void_p))
    expected = np.zeros_like(out)
    for y in range(2, high, 2):
        expected[y // 2 - 1] = s[of[y], :20] + np.uint16(1)
    assert (out == expected).all()


def test_no_table(library: ctypes.CDLL) -> None:
    s = np.random.default_rng(2).integers(0, 256, (4, 24), np.uint8)
    assert library.has(None, 3, 3) == -1
    assert library.has(_table(s, [0, 1, 2, 3]), 24, 4) == s.max()
    assert library.has(_table(s, [0, 2, 1, 3]), 24, 4) == s.max()
    assert library.has(_table(s, []), 24, 0) == 0


def test_rows_that_lie_in_the_table(library: ctypes.CDLL) -> None:
    """What is written changes the pointers that the original reads next."""
    s, other = np.full((2, 8), 7, np.uint8), np.zeros((1, 8), np.uint8)
    table = (ctypes.c_void_p * 2)()
    address = ctypes.addressof(table)
    table[0] = address + 8  # the first row is the pointer to the second one
    table[1] = s.ctypes.data
    wanted = 255 - np.frombuffer(other.ctypes.data.to_bytes(8, "little"), np.uint8)
    source = np.stack([wanted, np.arange(8, dtype=np.uint8)])
    library.invert(table, _table(source, [0, 1]), 8, 2)
    assert table[1] == other.ctypes.data
    assert (other[0] == 255 - np.arange(8)).all() and (s == 7).all()


def test_one_table_or_two(library: ctypes.CDLL) -> None:
    class Raster(ctypes.Structure):
        _fields_ = (("w", ctypes.c_int), ("h", ctypes.c_int), ("rows", ctypes.c_void_p))

    order = [0, 1, 2, 3]
    for same_object, same_table in ((False, False), (False, True), (True, True)):
        s, d = np.random.default_rng(3).integers(0, 99, (4, 24), np.uint8), np.zeros((4, 24), np.uint8)
        tables = [_table(s, order), _table(s if same_table else d, order)]
        held = [Raster(20, 4, ctypes.cast(t, ctypes.c_void_p)) for t in (tables[0], tables[0 if same_table else 1])]
        before = s.copy()
        result = library.brighten(ctypes.byref(held[0 if same_object else 1]), ctypes.byref(held[0]))
        assert result == (0 if same_object else 1 if same_table else 2)
        if same_table:
            assert (s[:, :20] == before[:, :20] + (0 if same_object else 2)).all()
        else:
            assert (d[:, :20] == before[:, :20] + 1).all() and (s == before).all()


FROM_PLACES = """
#include <stdint.h>
void marked(uint8_t **rows, int a, int b, int n) { for (int x = 0; x < n; x++) rows[a][x] = rows[a] == rows[b]; }
long last(uint8_t **rows, int h, int n) {
    long t = 0;
    for (int y = 0; y < h; y++) for (int x = 0; x < n; x++) t += rows[y][x];
    return t + (rows[h - 1] - rows[0] < 0);
}
int there(uint8_t **rows, uint8_t *d, int n) { for (int i = 0; i < n; i++) d[i] = 1; return d != 0; }
"""


def test_nothing_is_computed_from_where_rows_lie(tmp_path: Path) -> None:
    source = tmp_path / "places.c"
    source.write_text(FROM_PLACES)
    found = {f.name: f for f in lift_file(str(source), out=str(tmp_path), emit=()).functions}
    assert {f.status for f in found.values()} == {"not_found"}
    for name in ("marked", "last"):
        assert "nothing is computed from where the rows of rows lie" in found[name].reason
    assert "the return value is made of parameters and of addr.d" in found["there"].reason

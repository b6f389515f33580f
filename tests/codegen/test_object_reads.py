"""What adapters read of objects that pointers lead to: nothing that the original does not look at."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from lifter.api import lift_file

SOURCE = Path(__file__).with_name("pointers_behind_flags.c")
DANGLING = 0x10  # never mapped
BYTES = np.arange(40, dtype=np.uint8)


class Mask(ctypes.Structure):
    _fields_ = (("bias", ctypes.c_int), ("data", ctypes.c_void_p))


class Inner(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("other", ctypes.c_void_p))


class Context(ctypes.Structure):
    _fields_ = (
        ("has_mask", ctypes.c_int), ("w", ctypes.c_int), ("h", ctypes.c_int), ("mask", ctypes.c_void_p),
        ("rows", ctypes.c_void_p), ("inner", Inner),
    )  # fmt: skip


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("flags")
    report = lift_file(str(SOURCE), out=str(folder), emit=("shared",))
    assert {f.status for f in report.functions} == {"verified"}, [f.reason for f in report.functions]
    return ctypes.CDLL(str(folder / "libpointers_behind_flags_lifted.so"))


def _pointer(a: np.ndarray) -> ctypes.c_void_p:
    return a.ctypes.data_as(ctypes.c_void_p)


@pytest.mark.parametrize(
    "name, context, added",
    [
        ("masked", Context(0, 40, 1, DANGLING), 1),
        ("masked", Context(1, 0, 1, DANGLING), None),
        ("masked_early", Context(0, 40, 1, DANGLING, DANGLING, Inner(2, DANGLING)), 1),
        ("masked_early", Context(0, 0, 1, DANGLING, DANGLING, Inner(3, DANGLING)), None),
        ("bias", Context(0, 0, 1, DANGLING), None),
    ],
)
def test_pointers_that_lead_nowhere(lifted: ctypes.CDLL, name: str, context: Context, added: int | None) -> None:
    d = np.zeros(40, np.uint8)
    getattr(lifted, name)(ctypes.byref(context), _pointer(d), _pointer(BYTES))
    assert (d == (0 if added is None else BYTES + added)).all()


def test_flags_before_pointers(lifted: ctypes.CDLL) -> None:
    for n, has_mask, mask, bias in ((4, 1, DANGLING, 2), (9, 0, DANGLING, 2), (9, 1, 0, 2), (9, 1, None, 7)):
        d, own = np.zeros(40, np.uint8), Mask(7)
        context = Context(has_mask, 40, 1, ctypes.addressof(own) if mask is None else mask)
        lifted.tested(ctypes.byref(context), _pointer(d), _pointer(BYTES), n)
        assert (d[:n] == BYTES[:n] + bias).all() and not d[n:].any()


def test_pointers_that_are_followed(lifted: ctypes.CDLL) -> None:
    data = np.full(40, 0x3C, np.uint8)
    mask = Mask(5, data.ctypes.data)
    context = Context(1, 40, 1, ctypes.addressof(mask), DANGLING, Inner(3, ctypes.addressof(mask)))
    for name, expected in (("masked", BYTES & 0x3C), ("masked_early", BYTES + 5), ("bias", BYTES + 5)):
        d = np.zeros(40, np.uint8)
        getattr(lifted, name)(ctypes.byref(context), _pointer(d), _pointer(BYTES))
        assert (d == expected).all()


def test_as_many_pointers_as_are_read(lifted: ctypes.CDLL, tmp_path: Path) -> None:
    """The page behind the first pointer of the table is not there."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    pages = libc.mmap(None, 8192, 3, 0x22, -1, 0)
    assert libc.munmap(pages + 4096, 4096) == 0
    rows = ctypes.c_void_p.from_address(pages + 4096 - 8)
    rows.value = BYTES.ctypes.data
    d = np.zeros(80, np.uint8)
    lifted.two_rows(ctypes.c_void_p(pages + 4096 - 8), _pointer(d), 40, 0)
    assert (d[:40] == BYTES).all() and not d[40:].any()
    libc.munmap(pages, 4096)

"""Functions over registers of 512 bits are functions of elements, and masks are conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from halide_core.ir.expr import BOOL, LT, NE, Not, Select, Variable, const, intrinsic
from halide_core.ir.structural import same
from halide_core.ir.types import UInt
from lifter.algebra.fold import negate
from lifter.api import lift_file
from lifter.simd.masks import bit, bit_of, of_bits

FLAGS = ("-mavx512f", "-mavx512bw", "-mavx512dq")
EXPRESSIONS = {
    "above_becomes_seven": "select(terms[0] > terms[1], terms[2], terms[0])",
    "products": "(uint16(terms[0]) * uint16(terms[1])) >> terms[2]",
    "energy": "terms[0] + (int32(terms[1]) * int32(terms[1]))",
    "magnitudes": "int32(abs(terms[0]))",
}


def test_functions(tmp_path: Path) -> None:
    here = set(Path("/proc/cpuinfo").read_text().split()) >= {f.removeprefix("-m") for f in FLAGS}
    source = Path(__file__).with_name("wide_registers.c")
    report = lift_file(str(source), out=str(tmp_path), clang_args=FLAGS, run=here)
    assert {f.name: f.status for f in report.functions} == dict.fromkeys(EXPRESSIONS, "verified")
    assert {f.name: f.stages[-1].expression for f in report.functions} == EXPRESSIONS


A, B = (LT(BOOL, Variable(UInt(8), n), const(9, UInt(8))) for n in "ab")
MASK = of_bits([A, B, Not(BOOL, A), B, A, B, A, B])


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        (MASK, [A, B, Not(BOOL, A), B]),
        (intrinsic("bitwise_not", UInt(8), MASK), [negate(A), negate(B), A, negate(B)]),
        (intrinsic("shift_right", UInt(8), MASK, const(1, UInt(8))), [B, Not(BOOL, A), B, A]),
        (intrinsic("shift_left", UInt(8), MASK, const(1, UInt(8))), [None, A, B, Not(BOOL, A)]),
        (intrinsic("bitwise_and", UInt(8), MASK, const(5, UInt(8))), [A, None, Not(BOOL, A), None]),
    ],
)
def test_bits_of_masks_are_conditions(mask, expected) -> None:
    for i, e in enumerate(expected):
        found = bit_of(mask, i)
        assert found is not None
        assert same(found, const(0, BOOL) if e is None else e)


def test_bits_of_other_numbers_are_not_known() -> None:
    number = Variable(UInt(8), "k")
    assert bit_of(number, 3) is None
    assert isinstance(bit(number, 3), NE)
    assert bit_of(Select(UInt(8), A, number, const(0, UInt(8))), 0) is None

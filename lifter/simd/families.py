"""Families of intrinsics, by which the table of their meanings is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halide_core.ir.expr import Expr
from halide_core.ir.types import Float, Int, Type, UInt
from lifter.simd.declarations import signatures
from lifter.simd.lane_operations import converted


@dataclass(frozen=True, slots=True)
class Meaning:
    """`compute` takes the operands in order: a register as its lanes, an immediate as an int, what a pointer points to
    as lanes, other scalars as they are; it gives lanes (fewer than the result has: zeros above) or a scalar."""

    compute: Callable[..., Any]
    lanes: tuple[Type | None, ...] = (None,)
    """The type of the lanes of each operand, the last one for those after it; None: as they come."""
    any_sign: bool = False
    """Signed lanes are unsigned ones where all operands' are: the operation gives the same bits."""
    moves: int = 0
    """Lanes are only moved: in groups of so many bits; `compute` gives their numbers in all operands' groups one after
    the other, -1 for zeros, and takes the number of groups in an operand first."""
    halves: bool = False
    immediates: int = 0
    """How many of the last operands must be constants."""
    counts: bool = False
    """The last operand is a count of bits, and may be a variable below 256: from there on compilers differ."""
    reads: int = 0
    """Bytes read at the pointer operand."""
    writes: int = 0
    """Bytes of the result, written at the first operand, a pointer."""
    masked: Type | None = None
    """Lanes, of this type, that have no bit in the mask keep those of the first operand, which the mask follows, or are
    zeros, `zeroing`; the other operands are those that all the rest is about."""
    zeroing: bool = False


TABLE: dict[str, Meaning] = {}
"""What has been said so far, by the full name of each intrinsic."""


def add(names: str, meaning: Meaning) -> None:
    known = signatures()
    for name in names.split():
        own = [prefix + name for prefix in ("_mm_", "_mm256_", "_mm512_") if prefix + name in known]
        assert own and not TABLE.keys() & {*own}, name
        TABLE.update(dict.fromkeys(own, meaning))


def element_of(name: str) -> Type:
    """The element type that a name ends in."""
    found = re.search(r"_(ps|pd|ss|sd|ep[iu]\d+)x?$", name)
    assert found, name
    kind = found.group(1)
    if kind[0] in "ps":
        return Float(32 if kind[1] == "s" else 64)
    return (Int if kind[2] == "i" else UInt)(int(kind[3:]))


def each(
    names: str,
    f: Callable[..., Expr],
    to: Callable[[Type], Type] | None = None,
    immediates: int = 0,
    any_sign: bool = False,
    counts: bool = False,
) -> None:
    """Lane by lane; the lanes of the operands are seen as `to` of the element type."""

    def compute(*operands: Any) -> list[Expr]:
        fixed = operands[len(operands) - immediates :]
        vectors = operands[: len(operands) - immediates]
        return [f(*lane, *fixed) for lane in zip(*vectors, strict=True)]

    for name in names.split():
        t = element_of(name)
        add(name, Meaning(compute, (to(t) if to else t,), any_sign, immediates=immediates, counts=counts))


def lowest(names: str, f: Callable[..., Expr]) -> None:
    """Lane 0 from lane 0 of the operands, the others from the first operand."""
    for name in names.split():
        add(name, Meaning(lambda a, *rest: [f(a[0], *(b[0] for b in rest)), *a[1:]], (element_of(name),)))


def moves(bits: int, names: str, f: Callable[..., list[int]], immediates: int = 0, halves: bool = True) -> None:
    add(names, Meaning(f, moves=bits, halves=halves, immediates=immediates))


def across(names: str, t: Type, f: Callable[..., Any], immediates: int = 0, halves: bool = True) -> None:
    add(names, Meaning(f, (t,), halves=halves, immediates=immediates))


def widening(name: str, source: Type, target: Type) -> None:
    """The lowest lanes, as many as fit, at a wider type."""
    for prefix, total in (("_mm_", 128), ("_mm256_", 256), ("_mm512_", 512)):
        count = total // target.bits
        if prefix + name in signatures():
            TABLE[prefix + name] = Meaning(lambda a, n=count: [converted(target, e) for e in a[:n]], (source,))

"""Rows of the table of NEON intrinsics: a family of names, the types that it exists for, its operands, its meaning.

A name is a stem, in which `{q}` stands for the q of the 128-bit form, and the suffix of the lanes' type: `vadd{q}` at
u8 is vadd_u8 and vaddq_u8.  A signature is a letter for the result and one for each operand, of a family at lanes of
type t in registers of b bits:

    V  lanes t in b bits                  H, Q  lanes t in 64, 128 bits
    U, I  the same, unsigned, signed      B  lanes of twice t's bits in b bits
    W  lanes of twice t's bits in 128
    N, K  lanes of half t's bits in 64, 128 bits      M, L  the same, unsigned
    Y  unsigned bytes in b bits           Z  bytes of t's sign in b bits
    s, S  a scalar of t, of twice t's bits            n  a constant int
    l  an unsigned scalar of 64 bits
    p, P  a pointer to constant t, to t   v  nothing"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from halide_core.ir.types import Float, Int, Type, UInt
from lifter.simd.families import Meaning

BOTH = (64, 128)
_KINDS = {"s": Int, "u": UInt, "f": Float}
SIGNED, UNSIGNED = "s8 s16 s32", "u8 u16 u32"
SMALL = f"{SIGNED} {UNSIGNED}"
INTEGERS = f"{SMALL} s64 u64"
FLOATS = "f32 f64"
ALL = f"{INTEGERS} {FLOATS}"

TABLE: dict[str, Meaning] = {}
SIGNATURES: dict[str, tuple[str, tuple[str, ...]]] = {}
"""The C types of the result and of the operands of each intrinsic, those without a meaning included."""


@dataclass(frozen=True, slots=True)
class Form:
    """One member of a family: the type of its lanes, and how many bits its registers have."""

    type: Type
    bits: int

    @property
    def lanes(self) -> int:
        """How many lanes a register has."""
        return self.bits // self.type.bits

    @property
    def bytes(self) -> int:
        """The size of a register."""
        return self.bits // 8


Compute = Callable[[Form], Callable[..., Any]]


def type_of(suffix: str) -> Type:
    """The type that a suffix such as u8 names."""
    return _KINDS[suffix[0]](int(suffix[1:]))


def scalar_name(t: Type) -> str:
    """The C type of a scalar, as the header declares it."""
    return f"float{t.bits}_t" if t.is_float() else f"{'u' if t.is_uint() else ''}int{t.bits}_t"


def vector_name(t: Type, bits: int) -> str:
    """The C type of a register."""
    return f"{scalar_name(t)[:-2]}x{bits // t.bits}_t"


def resized(t: Type, bits: int) -> Type:
    """The type of the same kind with another number of bits."""
    return Float(bits) if t.is_float() else (UInt if t.is_uint() else Int)(bits)


def _register(letter: str, form: Form) -> tuple[Type, int] | None:
    """The lanes and the bits of an operand that is a register."""
    t, bits = form.type, form.bits
    return {
        "V": lambda: (t, bits),
        "H": lambda: (t, 64),
        "Q": lambda: (t, 128),
        "U": lambda: (UInt(t.bits), bits),
        "I": lambda: (Int(t.bits), bits),
        "W": lambda: (resized(t, 2 * t.bits), 128),
        "B": lambda: (resized(t, 2 * t.bits), bits),
        "N": lambda: (resized(t, t.bits // 2), 64),
        "K": lambda: (resized(t, t.bits // 2), 128),
        "M": lambda: (UInt(t.bits // 2), 64),
        "L": lambda: (UInt(t.bits // 2), 128),
        "Y": lambda: (UInt(8), bits),
        "Z": lambda: (resized(t, 8), bits),
    }.get(letter, lambda: None)()


def _spelled(letter: str, form: Form) -> str:
    found = _register(letter, form)
    if found is not None:
        return vector_name(*found)
    t = scalar_name(form.type)
    return {
        "s": t, "n": "int", "l": "uint64_t", "p": f"{t} const*", "P": f"{t}*", "v": "void",
        "S": scalar_name(resized(form.type, 2 * form.type.bits)) if letter == "S" else "",
    }[letter]  # fmt: skip


def declared(
    stem: str,
    signature: str,
    types: str,
    widths: Sequence[int] = BOTH,
    result: Callable[[Form], tuple[Type, int]] | None = None,
) -> list[tuple[str, Form]]:
    """The names of a family, which are declared, each with its form.  result: lanes and bits of a register that no
    letter says."""
    out = []
    for suffix in types.split():
        for bits in widths:
            form = Form(type_of(suffix), bits)
            name = f"{stem.format(q='q' if bits == 128 else '')}_{suffix}"
            given = _spelled(signature[0], form) if result is None else vector_name(*result(form))
            assert name not in SIGNATURES, name
            SIGNATURES[name] = given, tuple(_spelled(c, form) for c in signature[1:])
            out.append((name, form))
    return out


def row(
    stem: str,
    signature: str,
    types: str,
    compute: Compute,
    widths: Sequence[int] = BOTH,
    reads: Callable[[Form], int] | None = None,
    writes: Callable[[Form], int] | None = None,
    moves: bool = False,
    result: Callable[[Form], tuple[Type, int]] | None = None,
) -> None:
    """Says what a family computes.  moves: `compute` gives the numbers of the operands' lanes (`Meaning.moves`)."""
    for name, form in declared(stem, signature, types, widths, result):
        given = ((form.type, 0) if c == "p" else _register(c, form) for c in signature[1:])
        kinds = [found[0] for found in given if found is not None]
        TABLE[name] = Meaning(
            compute(form),
            tuple(kinds) or (None,),
            moves=form.type.bits if moves else 0,
            immediates=signature[1:].count("n"),
            reads=reads(form) if reads else 0,
            writes=writes(form) if writes else 0,
        )

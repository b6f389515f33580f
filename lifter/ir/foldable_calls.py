"""Calls of the C library whose argument a compiler may know.

A compiler computes a call of a constant exactly and rounds it once; the library is off by a unit in the last place in
about one case of a thousand (glibc's `expf`, `powf` and `log` too).  And a compiler finds constants where the source
has none: in one arm of a choice, under `k == 6`, in an unrolled loop, behind a clamp.  So a call is taken only where
its argument depends, whatever is chosen, on an image's element or a parameter that no condition around it holds to a
few values.  Source: GCC's passes vrp, dom (jump threading), pre and cunroll."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from halide_core.interp.expr import Array, dtype_of, evaluate
from halide_core.ir.expr import (
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    And,
    Call,
    CallType,
    Cast,
    Expr,
    Load,
    Max,
    Min,
    Not,
    Or,
    Select,
    Variable,
    children,
    const_value,
)
from halide_core.ir.structural import key, nodes, post_order
from halide_core.ir.types import Type
from lifter.ir.c_library import EXACT, base_name
from lifter.ir.names import array_of, is_read

_FEW = 16
"""Values of which a compiler might make a case each."""
_SAMPLES = 96
_FLIPPED: dict[type[Expr], type[Expr]] = {LT: GE, GE: LT, GT: LE, LE: GT, EQ: NE, NE: EQ}
_MIRRORED: dict[type[Expr], type[Expr]] = {LT: GT, GT: LT, LE: GE, GE: LE, EQ: EQ, NE: NE}
Made = tuple[int, tuple[int, ...]]
"""An expression and the conditions around it, by their keys."""
Leaf = tuple[str, int]
"""A parameter, or an element of an array, by the key of its index."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a compiler cannot know: the parameters, and the elements of the caller's arrays."""

    parameters: AbstractSet[str]
    arrays: AbstractSet[str]

    def leaf(self, e: Expr) -> Leaf | None:
        """The parameter or element that an expression is."""
        if isinstance(e, Variable) and e.name in self.parameters:
            return e.name, -1
        if isinstance(e, Load):
            array = array_of(e) if is_read(e) else e.name
            return (array, key(e.index)) if array in self.arrays else None
        return None


def knowable(values: Iterable[Expr], conditions: Sequence[Expr], sources: Sources) -> Call | None:
    """A call in `values`, which are computed where `conditions` hold, whose argument a compiler may know."""
    for value in values:
        for call, around in _calls(value, tuple(conditions), set()):
            if call.call_type is not CallType.PURE_EXTERN or base_name(call) in EXACT:
                continue
            if not any(_is_unknown(a, around, sources) for a in call.args):
                return call
    return None


def _calls(e: Expr, around: tuple[Expr, ...], seen: set[Made]) -> Iterator[tuple[Call, tuple[Expr, ...]]]:
    """The calls in an expression, each with the conditions under which it is made."""
    if not nodes(e, Call):  # what is chosen again and again, by sorts, has many ways to it
        return
    mark = key(e), tuple(map(key, around))
    if mark in seen:
        return
    seen.add(mark)
    if isinstance(e, Call):
        yield e, around
    if isinstance(e, Select):
        yield from _calls(e.condition, around, seen)
        yield from _calls(e.true_value, (*around, e.condition), seen)
        yield from _calls(e.false_value, (*around, Not(e.condition.type, e.condition)), seen)
        return
    if isinstance(e, And | Or):
        first = e.a if isinstance(e, And) else Not(e.a.type, e.a)
        yield from _calls(e.a, around, seen)
        yield from _calls(e.b, (*around, first), seen)
        return
    for c in children(e):
        yield from _calls(c, around, seen)


def _is_unknown(argument: Expr, around: Sequence[Expr], sources: Sources) -> bool:
    leaves = _always(argument, sources, {})
    return any(not _is_pinned(leaf, t, around, sources) for leaf, t in leaves.items()) and _varies(argument)


def _always(e: Expr, sources: Sources, known: dict[int, dict[Leaf, Type]]) -> dict[Leaf, Type]:
    """The leaves that a value depends on whatever is chosen in it."""
    number = key(e)
    if number not in known:
        known[number] = _found_always(e, sources, known)
    return known[number]


def _found_always(e: Expr, sources: Sources, known: dict[int, dict[Leaf, Type]]) -> dict[Leaf, Type]:
    own = sources.leaf(e)
    if own is not None:
        return {own: e.type}
    if e.type.is_bool() or isinstance(e, Load | Variable):
        return {}
    if isinstance(e, Select | Min | Max):
        a, b = (e.true_value, e.false_value) if isinstance(e, Select) else (e.a, e.b)
        first, second = _always(a, sources, known), _always(b, sources, known)
        return {k: t for k, t in first.items() if k in second}
    if isinstance(e, Call) and e.call_type is CallType.INTRINSIC and e.name.startswith("saturating"):
        return {}  # one of its arms is the end of the type
    return _of_all(children(e), sources, known)


def _of_all(parts: Iterable[Expr], sources: Sources, known: dict[int, dict[Leaf, Type]]) -> dict[Leaf, Type]:
    return {leaf: t for part in parts for leaf, t in _always(part, sources, known).items()}


def _is_pinned(leaf: Leaf, type_: Type, around: Sequence[Expr], sources: Sources) -> bool:
    """Whether conditions may hold a leaf to a few values.

    No compiler solves comparisons of floats for what they are reckoned from; of integers it follows ranges."""
    low, high = (-math.inf, math.inf) if type_.is_float() else _range(type_)
    without = 0
    for condition in around:
        for kind, other, direct in _comparisons(condition, False, True, leaf, sources):
            number = const_value(other) if other is not None else None
            if kind is NE and (direct or type_.is_float()):
                without += 1
            elif kind is None or kind is EQ:
                return True
            elif not direct or number is None:
                if not type_.is_float():
                    return True
            elif kind in (LT, LE):
                high = min(high, float(number))
            else:
                low = max(low, float(number))
    return not low < high if type_.is_float() else high - low - without < _FEW


def _range(t: Type) -> tuple[float, float]:
    return (0, 2.0**t.bits - 1) if t.is_uint() else (-(2.0 ** (t.bits - 1)), 2.0 ** (t.bits - 1) - 1)


def _comparisons(
    condition: Expr, negated: bool, alone: bool, leaf: Leaf, sources: Sources
) -> Iterator[tuple[type[Expr] | None, Expr | None, bool]]:
    """What a condition says of a leaf: comparisons with something, and whether it is the leaf itself that is compared
    (through conversions that keep its value), by a comparison that holds `alone`, not as one of several; None for what
    is not understood."""
    if isinstance(condition, Not):
        yield from _comparisons(condition.a, not negated, alone, leaf, sources)
        return
    if isinstance(condition, And | Or):
        alone = alone and isinstance(condition, Or if negated else And)
        yield from _comparisons(condition.a, negated, alone, leaf, sources)
        yield from _comparisons(condition.b, negated, alone, leaf, sources)
        return
    if not any(sources.leaf(n) == leaf for n in post_order(condition)):
        return
    kind = type(condition)
    if kind not in _FLIPPED:
        yield None, None, False
        return
    assert isinstance(condition, LT | LE | GT | GE | EQ | NE)
    kind = _FLIPPED[kind] if negated else kind
    for own, other, found in ((condition.a, condition.b, kind), (condition.b, condition.a, _MIRRORED[kind])):
        if any(sources.leaf(n) == leaf for n in post_order(own)):
            yield found, other, alone and sources.leaf(_kept(own)) == leaf


def _kept(e: Expr) -> Expr:
    """A value without conversions that keep it."""
    while isinstance(e, Cast) and e.type.can_represent(e.value.type):
        e = e.value
    return e


def _varies(argument: Expr) -> bool:
    """Whether a value really takes many values, as random samples show it: not `x & 7`, `x >> 6`, `x - x`."""
    rng = np.random.default_rng(1)

    def sample(t: Type) -> Array:
        if t.is_float():
            return (rng.random(_SAMPLES) * 8 - 4).astype(dtype_of(t))
        return rng.integers(0, 1 << min(t.bits, 62), _SAMPLES, np.uint64).astype(dtype_of(t))

    elements: dict[tuple[str, bytes], Array] = {}

    def load(name: str, index: Array, t: Type) -> Array:
        return elements.setdefault((name, index.tobytes()), sample(t))

    def call(node: Call, arguments: list[Array]) -> Array:
        return sum(arguments, np.zeros(_SAMPLES)).astype(dtype_of(node.type))  # any that differs with them will do

    names = {n.name: n.type for n in post_order(argument) if isinstance(n, Variable)}
    found = evaluate(argument, {n: sample(t) for n, t in names.items()}, load, call)
    return len(np.unique(np.broadcast_to(found, (_SAMPLES,)))) > _FEW

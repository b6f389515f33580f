"""Stage three from nothing: bottom-up, memoised enumeration of expressions over the terminals (paper, 4.3 and A.1).

Expressions are built by number of operations from the grammar of figure 4c.  Each is valued on samples; of those with
equal values only the first is kept (observational equivalence, which subsumes the paper's symmetry breaking), in one
list in which later expressions refer to earlier ones (the paper's memoisation).  Operands of commutative operators are
taken in list order.  A candidate whose values are the goal's is shown to the verifier, the smallest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir import expr as E
from halide_core.ir.expr import BOOL, I32, Call, CallType, Expr, Select, Variable, const_value
from halide_core.ir.structural import key, post_order, transform
from halide_core.ir.types import Type, UInt
from synth.expression.grammar import Grammar

Values = NDArray[np.int64] | NDArray[np.float64]
SAMPLES = 40
STORE_LIMIT = 250_000
CHUNK = 1 << 22


@dataclass(slots=True)
class SearchStatistics:
    """How much was searched."""

    built: int = 0
    kept: int = 0
    shown: int = 0


@dataclass(slots=True)
class _Level:
    """Expressions of one size as rows of values, with how each was made: (operator, operand, operand)."""

    rows: list[NDArray[np.int64]] = field(default_factory=list)
    makers: list[tuple[int, int, int]] = field(default_factory=list)

    def matrix(self) -> NDArray[np.int64]:
        return np.array(self.rows, dtype=np.int64).reshape(len(self.rows), -1)


_ARITHMETIC: list[tuple[type, bool]] = [
    (E.Add, True),
    (E.Sub, False),
    (E.Mul, True),
    (E.Min, True),
    (E.Max, True),
]
_SYMBOLS = ("+", "-", "*", "min", "max")
_COMPARE: list[type] = [E.LT, E.LE, E.EQ, E.NE]


class Enumerator:
    """The search for one definition.  Integers are C's `int`: terminals are promoted, the result converted."""

    def __init__(
        self,
        goal: Expr,
        terminals: Sequence[Expr],
        statistics: SearchStatistics,
        check: Callable[[], None],
        grammar: Grammar,
    ) -> None:
        self.goal = goal
        self.check = check
        self.statistics = statistics
        self.terminals = [t for t in terminals if _usable(t)]
        self.environment = sample_terminals(self.terminals)
        self.target = self.value_of(goal).astype(np.int64)
        self.grammar = grammar
        self.terminals = self.terminals[: grammar.terminals]
        extra = [E.const(c, I32) for c in grammar.constants]
        known = {const_value(t) for t in self.terminals}
        self.terminals += [c for c in extra if const_value(c) not in known]
        self.constants = [int(v) for t in self.terminals if isinstance(v := const_value(t), int)]
        self.list: list[tuple[Expr | None, tuple[int, int, int]]] = []
        self.values: list[NDArray[np.int64]] = []
        self.seen: dict[bytes, int] = {}
        self.levels: list[list[int]] = []
        self.bools: list[tuple[Expr, NDArray[np.bool_]]] = []

    def value_of(self, e: Expr) -> NDArray[np.int64]:
        """Values of an expression on the samples."""
        names = {key(t): f"t{i}" for i, t in enumerate(self.terminals)}

        def rewrite(n: Expr) -> Expr:
            return Variable(n.type, names[key(n)]) if key(n) in names and const_value(n) is None else n

        named = _over_variables(e, names)
        result = evaluate(transform(named, rewrite), self.environment)
        return np.broadcast_to(np.asarray(result), (SAMPLES,))

    def candidates(self, most: int) -> Iterator[Expr]:
        """Expressions of up to `most` operations that agree with the goal on all samples, the smallest first."""
        self.start()
        yield from self.matches(self.levels[0])
        for size in range(1, most + 1):
            self.check()
            self.levels.append(self.level(size))
            yield from self.matches(self.levels[-1])
            yield from self.selects(size)
        yield from self.last(most)

    def start(self) -> None:
        first: list[int] = []
        for t in self.terminals:
            promoted = (
                t
                if t.type == I32
                else E.const(const_value(t) or 0, I32)
                if const_value(t) is not None
                else E.Cast(I32, t)
            )
            index = self.keep(promoted, (-1, 0, 0), self.value_of(promoted).astype(np.int64))
            if index is not None:
                first.append(index)
        self.levels.append(first)

    def keep(self, e: Expr | None, maker: tuple[int, int, int], values: NDArray[np.int64]) -> int | None:
        """Adds an expression unless an earlier one has the same values."""
        self.statistics.built += 1
        identity = values.tobytes()
        if identity in self.seen:
            return None
        self.seen[identity] = len(self.list)
        self.list.append((e, maker))
        self.values.append(values)
        self.statistics.kept += 1
        return len(self.list) - 1

    def expression(self, index: int) -> Expr:
        """The expression at a place in the list."""
        e, (operator, a, b) = self.list[index]
        if e is None:
            e = self.build(operator, self.expression(a), self.expression(b) if b >= 0 else None, b)
            self.list[index] = (e, (operator, a, b))
        return e

    def build(self, operator: int, a: Expr, b: Expr | None, constant: int) -> Expr:
        if operator < len(_ARITHMETIC):
            assert b is not None
            result: Expr = _ARITHMETIC[operator][0](I32, a, b)
            return result
        value = E.const(-constant - 1, I32)
        if operator == 100:
            return E.intrinsic("div_round_to_zero", I32, a, value)
        if operator == 101:
            return E.intrinsic("shift_right", I32, a, value)
        if operator == 102:
            return E.intrinsic("bitwise_and", I32, a, value)
        return E.Cast(I32, E.intrinsic("abs", UInt(32), a))

    def level(self, size: int) -> list[int]:
        """All new expressions of `size` operations."""
        out: list[int] = []
        for left in range(size):
            right = size - 1 - left
            if left > right:
                break
            for number, (_, commutes) in enumerate(_ARITHMETIC):
                if _SYMBOLS[number] not in self.grammar.operators:
                    continue
                self.combine(number, commutes, self.levels[left], self.levels[right], out)
                if not commutes and left != right:
                    self.combine(number, commutes, self.levels[right], self.levels[left], out)
                if len(out) > STORE_LIMIT:
                    return out
        self.unary(self.levels[size - 1], out)
        return out

    def combine(self, number: int, commutes: bool, left: list[int], right: list[int], out: list[int]) -> None:
        if not left or not right:
            return
        b = np.array([self.values[j] for j in right])
        for i in left:
            rows = _apply(number, self.values[i], b)
            for j, row in zip(right, rows, strict=True):
                if commutes and j < i and left is right:
                    continue
                kept = self.keep(None, (number, i, j), row)
                if kept is not None:
                    out.append(kept)
            self.check()

    def unary(self, operands: list[int], out: list[int]) -> None:
        for i in operands:
            v = self.values[i]
            for operator, constant, row in self.unary_rows(v):
                kept = self.keep(None, (operator, i, -constant - 1), row)
                if kept is not None:
                    out.append(kept)

    def unary_rows(self, v: NDArray[np.int64]) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
        allowed = self.grammar.operators
        for c in self.constants:
            if c > 1 and "/" in allowed:
                yield 100, c, _truncate(v, c)
            if 0 < c < 32 and ">>" in allowed:
                yield 101, c, v >> c
            if c > 0 and "&" in allowed:
                yield 102, c, v & c
        if "abs" in allowed:
            yield 103, 0, np.abs(v)

    def matches(self, indices: list[int]) -> Iterator[Expr]:
        if not indices:
            return
        for i in indices:
            if np.array_equal(_wrap(self.values[i], self.goal.type), self.target):
                self.statistics.shown += 1
                yield _convert(self.expression(i), self.goal.type)

    def selects(self, size: int) -> Iterator[Expr]:
        """condition ? a : b for conditions between expressions of up to size - 1 operations."""
        if size > 2 or "select" not in self.grammar.operators:
            return
        pool = [i for level in self.levels[:2] for i in level][:400]
        arms = [i for level in self.levels[: size + 1] for i in level][:600]
        wrapped = {i: _wrap(self.values[i], self.goal.type) for i in arms}
        useful = [i for i in arms if (wrapped[i] == self.target).any()]
        few = len(self.levels[0])
        rounds = [(k, pool[:few], pool[:few]) for k in _COMPARE] + [(k, pool, pool) for k in _COMPARE]
        for kind, lefts, rights in rounds:
            for a in lefts:
                self.check()
                for b in rights:
                    if a == b or (kind in (E.EQ, E.NE) and b < a):
                        continue
                    test = _compare(kind, self.values[a], self.values[b])
                    if test.all() or not test.any():
                        continue
                    self.statistics.built += 1
                    yes = [i for i in useful if (wrapped[i] == self.target)[test].all()]
                    if not yes:
                        continue
                    no = [i for i in useful if (wrapped[i] == self.target)[~test].all()]
                    for i in yes[:2]:
                        for j in no[:2]:
                            self.statistics.shown += 1
                            condition = kind(BOOL, self.expression(a), self.expression(b))
                            yield _convert(
                                Select(I32, condition, self.expression(i), self.expression(j)), self.goal.type
                            )

    def last(self, most: int) -> Iterator[Expr]:
        """Sums and differences of two stored expressions, alone or divided: checked without being stored."""
        few = np.arange(0, SAMPLES, max(1, SAMPLES // 8))[:8]
        everything = [i for level in self.levels for i in level]
        matrix = np.array([self.values[i] for i in everything])
        quick = matrix[:, few]
        goal = self.target[few]
        for position, i in enumerate(everything[:6000]):
            if position % 16 == 0:
                self.check()
            for number in (n for n in (0, 1) if _SYMBOLS[n] in self.grammar.operators):
                rows = quick[position] + quick if number == 0 else quick[position] - quick
                for operator, constant in self.outer():
                    values = _outer(operator, constant, rows)
                    hits = np.nonzero((_wrap(values, self.goal.type) == goal).all(axis=1))[0]
                    self.statistics.built += len(quick)
                    for h in hits[:4]:
                        inner = _ARITHMETIC[number][0](I32, self.expression(i), self.expression(everything[h]))
                        e = inner if operator < 0 else self.build(operator, inner, None, -constant - 1)
                        found = _convert(e, self.goal.type)
                        if np.array_equal(self.value_of(found).astype(np.int64), self.target):
                            self.statistics.shown += 1
                            yield found

    def outer(self) -> list[tuple[int, int]]:
        """Operations tried on top of the last sum, the identity first."""
        return (
            [(-1, 0)] + [(100, c) for c in self.constants if c > 1] + [(101, c) for c in self.constants if 0 < c < 32]
        )


def _usable(t: Expr) -> bool:
    return t.type.is_int_or_uint() and t.type.bits <= 32


def _over_variables(e: Expr, names: dict[int, str]) -> Expr:
    """`e` with terminals as variables, cut at the terminals so that coordinates inside them stay."""
    number = names.get(key(e))
    if number is not None and const_value(e) is None:
        return Variable(e.type, number)
    return E.with_children(e, tuple(_over_variables(c, names) for c in E.children(e)))


def sample_terminals(terminals: Sequence[Expr], seed: int = 7) -> dict[str, NDArray[Any]]:
    """Values for the terminals: corners of their types and random ones."""
    rng = np.random.default_rng(seed)
    out: dict[str, NDArray[Any]] = {}
    for i, t in enumerate(terminals):
        if const_value(t) is not None:
            continue
        wide = t.type.bits >= 32
        low, high = (-300, 600) if wide and t.type.is_int() else (0, 600) if wide else (t.type.min(), t.type.max())
        corners = [low, high, 0, 1, (low + high) // 2, (low + high) // 2 + 1]
        values = rng.integers(low, high + 1, SAMPLES)
        where = rng.random(SAMPLES) < 0.35
        values[where] = rng.choice(corners, int(where.sum()))
        out[f"t{i}"] = values.astype(dtype_of(t.type))
    return out


def _apply(number: int, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    if number == 0:
        return _int32(a + b)
    if number == 1:
        return _int32(a - b)
    if number == 2:
        return _int32(a * b)
    return np.minimum(a, b) if number == 3 else np.maximum(a, b)


def _int32(v: NDArray[np.int64]) -> NDArray[np.int64]:
    narrow: NDArray[np.int64] = v.astype(np.int32).astype(np.int64)
    return narrow


def _truncate(v: NDArray[np.int64], c: int) -> NDArray[np.int64]:
    q: NDArray[np.int64] = np.abs(v) // c
    signed: NDArray[np.int64] = np.where(v < 0, -q, q)
    return signed


def _outer(operator: int, constant: int, v: NDArray[np.int64]) -> NDArray[np.int64]:
    return v if operator < 0 else _truncate(v, constant) if operator == 100 else v >> constant


def _wrap(v: NDArray[np.int64], t: Type) -> NDArray[np.int64]:
    if t.is_bool():
        truth: NDArray[np.int64] = (v != 0).astype(np.int64)
        return truth
    narrow: NDArray[np.int64] = v.astype(dtype_of(t)).astype(np.int64)
    return narrow


def _compare(kind: type, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = (
        a < b if kind is E.LT else a <= b if kind is E.LE else a == b if kind is E.EQ else a != b
    )
    return result


def _convert(e: Expr, t: Type) -> Expr:
    return e if e.type == t else E.Cast(t, e)


def has_reads(e: Expr) -> bool:
    """Whether an expression reads images or Funcs."""
    return any(isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE) for n in post_order(e))

"""Expressions tried on small runs: what they give where images hold numbers that tell every element from the others."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from halide_core.errors import HalideError
from halide_core.interp.expr import Array, dtype_of, evaluate
from halide_core.ir.expr import Call, Expr, Load, Variable, children
from halide_core.ir.structural import nodes
from halide_core.ir.types import Type
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import PureFunction
from synth.sampling.samples import Env

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Trial:
    """Points of coordinates and parameters at which expressions are tried."""

    def __init__(self, points: Sequence[Env]) -> None:
        self.count = len(points)
        names = set.intersection(*(set(p) for p in points)) if points else set()
        self.values: dict[str, Array] = {n: np.array([p[n] for p in points], dtype=np.int64) for n in names}
        self._done: dict[int, tuple[Expr, Array]] = {}
        """What has been evaluated: expressions that are tried share most of what they are made of."""

    def outcome(self, e: Expr) -> bytes | None:
        """The values of an expression at the points; None where it cannot be evaluated, or there are none."""
        if not self.count:
            return None
        for n in self._new(e):
            if isinstance(n, Variable) and n.name not in self.values:
                self.values[n.name] = _element(np.array([_number(n.name)], dtype=np.uint64), n.type)
        try:
            found = evaluate(e, self.values, _read, _call, done=self._done)
        except HalideError:
            return None
        return np.ascontiguousarray(np.broadcast_to(found, (self.count,))).tobytes()

    def _new(self, e: Expr) -> Iterator[Expr]:
        """The nodes that were not evaluated yet."""
        stack, seen = [e], set[int]()
        while stack:
            n = stack.pop()
            if id(n) not in seen and id(n) not in self._done:
                seen.add(id(n))
                yield n
                stack += children(n)


def differ(a: Expr, b: Expr, samples: Sequence[Env], functions: Mapping[str, PureFunction]) -> bool:
    """Whether two integers made of reads (`array#`) are seen to be different somewhere, where the parameters have
    values of the `samples`."""
    tables = any(not n.name.endswith("#") for e in (a, b) for n in nodes(e, Load))  # what they hold counts
    if tables or not a.type.is_int_or_uint():
        return False
    trial = Trial(samples)
    first, second = (trial.outcome(inline_all(e, functions)) for e in (a, b))
    return first is not None and second is not None and first != second


def _read(name: str, index: Array, t: Type) -> Array:
    """An element of an array, as `_call`."""
    place = (np.full(index.shape, _number(name), np.uint64) ^ index.astype(np.int64).astype(np.uint64)) * _FACTOR
    return _element(place ^ (place >> np.uint64(29)), t)


def _call(node: Call, args: list[Array]) -> Array:
    """An element of an image or of a Func: a number of its own for every place."""
    place = np.full(np.broadcast_shapes(*(a.shape for a in args)) if args else (1,), _number(node.name), np.uint64)
    with np.errstate(over="ignore"):
        for a in args:
            place = (place ^ a.astype(np.int64).astype(np.uint64)) * _FACTOR
            place ^= place >> np.uint64(29)
    return _element(place, node.type)


def _element(number: Array, t: Type) -> Array:
    if t.is_float():
        return np.asarray((number >> np.uint64(40)).astype(np.float64) / 1024 - 4096, dtype=dtype_of(t))
    if t.is_bool():
        return np.asarray((number >> np.uint64(33)) % np.uint64(2) == 1)
    return np.asarray(number >> np.uint64(64 - t.bits), dtype=np.uint64).astype(dtype_of(t))


def _number(name: str) -> int:
    return (zlib.crc32(name.encode()) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF

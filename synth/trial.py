"""Expressions tried on small runs: what they give where images hold numbers that tell every element from the others."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.interp.expr import Array, dtype_of, evaluate
from halide_core.ir.expr import Call, Expr, Variable
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type
from synth.samples import Env

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def may_be_equal(a: Expr, b: Expr, places: Iterable[list[Env]]) -> bool:
    """Whether two expressions over coordinates and parameters have the same values wherever they are tried.  `places`:
    lists of points, those of one list with the same variables.  What cannot be evaluated counts as equal."""
    for points in places:
        if not points:
            continue
        env: dict[str, Any] = {n: np.array([p[n] for p in points], dtype=np.int64) for n in points[0]}
        for n in (n for e in (a, b) for n in post_order(e)):
            if isinstance(n, Variable) and n.name not in env:
                env[n.name] = _element(np.array([_number(n.name)], dtype=np.uint64), n.type)
        try:
            one, other = (_values(e, env, len(points)) for e in (a, b))
        except HalideError:
            return True
        if one.tobytes() != other.tobytes():
            return False
    return True


def _values(e: Expr, env: Mapping[str, Any], count: int) -> Array:
    return np.ascontiguousarray(np.broadcast_to(evaluate(e, env, None, _call), (count,)))


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

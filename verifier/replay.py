"""Counterexamples, evaluated by the reference interpreter: a refutation that does not hold up is not one."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np

from halide_core.errors import HalideError
from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir.expr import Expr, Load, Variable
from halide_core.ir.structural import key, post_order, transform
from halide_core.ir.types import Type


def differs(a: Expr, b: Expr, model: Mapping[str, int]) -> bool:
    """Whether two expressions have different values, bit for bit, under a model's bit patterns."""
    named = [transform(e, _name) for e in (a, b)]
    environment = {}
    for e in named:
        for n in post_order(e):
            if isinstance(n, Variable):
                environment[n.name] = _value(model.get(n.name, 0), n.type)
    try:
        one, other = (np.asarray(evaluate(e, environment)) for e in named)
    except HalideError:
        return False
    return one.tobytes() != other.tobytes()


def _name(n: Expr) -> Expr:
    return Variable(n.type, f"read!{key(n)}") if isinstance(n, Load) else n


def _value(bits: int, t: Type) -> np.ndarray[tuple[()], np.dtype[np.generic]]:
    if t.is_float():
        code = {16: "<e", 32: "<f", 64: "<d"}[t.bits]
        return np.array(struct.unpack(code, bits.to_bytes(t.bits // 8, "little"))[0], dtype=dtype_of(t))
    return np.array(bool(bits) if t.is_bool() else t.wrap(bits), dtype=dtype_of(t))

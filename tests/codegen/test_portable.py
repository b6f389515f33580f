"""Each rule of `codegen/portable.py`: what it leaves is equal to what it was given, on the edges of all types, in the
language, and printed under the package `halide` too, one by one and in vectors."""

from __future__ import annotations

import itertools
import math
import os

import numpy as np
import pytest

from codegen.math_names import extern_name
from codegen.portable import Portable
from codegen.printer import PythonPrinter
from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir import expr as E
from halide_core.ir.expr import BOOL, Call, CallType, Cast, Variable, const, intrinsic
from halide_core.ir.structural import post_order, transform
from halide_core.ir.types import Float, Int, UInt

pytestmark = pytest.mark.long

hl = pytest.importorskip("halide")
ALL = bool(os.environ.get("ALL_ADVERSARIAL"))
FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, math.nan, math.inf, -math.inf, 1e-45, 1e-38, 3.4e38, 255.5, 256.0, -1.5,
    65535.5, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.223372e18, 9.3e18,
    1.8446742e19, 1.9e19, -9.3e18, 1.0000001, 3.3333333, 2.0**-149, 2.0**24 + 1, 1.0 + 2.0**-23,
)
INTEGERS = [f(b) for f in (Int, UInt) for b in (8, 16, 32, 64)]
SINGLE, DOUBLE = Float(32), Float(64)


def _cases():
    """(expression, its variables' types)"""
    v = [lambda t, i=i: Variable(t, f"v{i}") for i in range(3)]
    for t in INTEGERS:
        a, b = v[0](t), v[1](t)
        for op in (E.Add, E.Sub, E.Mul, E.Div, E.Mod):
            yield op(t, a, b)
        for name, other in itertools.product(("shift_left", "shift_right"), (Int(t.bits), UInt(t.bits))):
            c = v[1](other)
            amounts = [c, intrinsic("bitwise_and", other, c, const(t.bits - 1, other))]
            amounts.append(E.Min(other, c, const(0, other)))
            low = intrinsic("bitwise_and", other, c, const(15, other))
            amounts.append(E.Sub(other, low, const(7, other)))
            constants = (0, 1, t.bits - 1, t.bits, t.bits + 3, -1, -t.bits, -t.bits - 1)
            yield from (intrinsic(name, t, const(1, t), amount) for amount in amounts)
            amounts += [const(k, other) for k in constants if other.is_int() or k >= 0]
            yield from (intrinsic(name, t, a, amount) for amount in amounts)
        for name in ("div_round_to_zero", "mod_round_to_zero"):
            yield intrinsic(name, t, a, b)
            yield from (intrinsic(name, t, a, const(k, t)) for k in (0, 1, 3, -1, -3) if t.is_int() or k >= 0)
        yield E.NE(BOOL, Cast(BOOL, a), E.LT(BOOL, const(3, t), b))
        yield E.Min(t, const(100, t), a)
        yield E.Select(t, E.LE(BOOL, a, const(7, t)), const(t.max(), t), E.Max(t, a, const(t.min(), t)))
        yield from (Cast(t, v[0](f)) for f in (SINGLE, DOUBLE))
        yield from (Cast(t, Cast(other, v[0](SINGLE))) for other in INTEGERS)
        yield E.Add(t, Cast(t, v[0](SINGLE)), b)
        yield Cast(t, E.Max(SINGLE, E.Min(SINGLE, v[0](SINGLE), const(100.0, SINGLE)), const(0.0, SINGLE)))
    yield from _of_floats(v)


def _of_floats(v):
    for f, suffix in ((SINGLE, "f"), (DOUBLE, "")):
        a, b = v[0](f), v[1](f)
        for compare in (E.LT, E.LE, E.GT, E.GE, E.EQ, E.NE):
            yield E.Not(BOOL, compare(BOOL, a, b))
            yield E.Select(f, compare(BOOL, a, b), a, b)
        yield Cast(BOOL, a)
        yield E.NE(BOOL, a, a)
        yield intrinsic("abs", f, a)
        yield E.Add(f, a, const(-0.0, f))
        yield E.Select(f, E.GT(BOOL, a, const(0.0, f)), a, const(-0.0, f))
        yield E.Select(f, E.GT(BOOL, a, b), const(math.inf, f), const(math.nan, f))
        yield E.Sub(f, E.Mul(f, a, b), E.Div(f, a, const(3.0, f)))
        for op in (E.Min, E.Max):
            yield op(f, a, b)
        for name in ("fmin", "fmax", "copysign"):
            yield Call(f, name + suffix, (a, b), CallType.PURE_EXTERN)
        for name in ("sqrt", "floor", "ceil", "trunc", "rint"):
            yield Call(f, name + suffix, (a,), CallType.PURE_EXTERN)
    yield Call(SINGLE, "fmaf", tuple(make(SINGLE) for make in v), CallType.PURE_EXTERN)


CASES = list(_cases())


def _values(t):
    if t.is_float():
        with np.errstate(over="ignore"):
            return np.array(FLOATS, dtype_of(t))
    low, high = int(t.min()), int(t.max())
    some = {low, low + 1, low // 2, *range(-2, 4), 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, high // 2, high - 1, high}
    some |= {-v for v in (7, 8, 31, 32, 33, 63, 64, 65)}
    return np.array(sorted(v for v in some if low <= v <= high), dtype_of(t))


def _grid(e):
    types = {n.name: n.type for n in post_order(e) if isinstance(n, Variable)}
    axes = np.meshgrid(*[_values(t) for t in types.values()], indexing="ij")
    return types, {n: np.ascontiguousarray(a.ravel()) for n, a in zip(types, axes, strict=True)}


def _named(e):
    """With the C library's functions under the names that the interpreter knows."""

    def visit(n):
        of_c = isinstance(n, Call) and n.call_type is CallType.PURE_EXTERN and "_f" not in n.name
        return Call(n.type, extern_name(n), n.args, n.call_type) if of_c else n

    return transform(e, visit)


def _wanted(e, env):
    with np.errstate(all="ignore"):
        return np.broadcast_to(evaluate(_named(e), env), next(iter(env.values())).shape)


def _check(e, got, wanted, env):
    same = got == wanted
    if wanted.dtype.kind == "f":
        bits = f"u{wanted.itemsize}"
        same = (np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(wanted).view(bits))
        same |= np.isnan(got) & np.isnan(wanted)
    at = np.nonzero(~same)[0][:3]
    assert not len(at), (str(e), [{n: v[i] for n, v in env.items()} for i in at], got[at], wanted[at])


def test_equal_in_the_language() -> None:
    for e in CASES:
        _, env = _grid(e)
        _check(e, _wanted(Portable().value(e), env), _wanted(e, env), env)


@pytest.mark.parametrize("part", range(20 if ALL else 1))
def test_equal_in_the_package(part) -> None:
    for e in CASES[part :: 20 if ALL else 12]:
        types, env = _grid(e)
        wanted = _wanted(e, env)
        x = hl.Var("x")
        images = {n: hl.ImageParam(eval(PythonPrinter().type_text(t), {"hl": hl}), 1) for n, t in types.items()}
        kept = {n: _array(values) for n, values in env.items()}  # Halide keeps no array alive
        for n, image in images.items():
            image.set(hl.Buffer(kept[n]))
        text = PythonPrinter().operand(Portable().value(e), None)
        value = eval(text, {"hl": hl, "float": float, **{n: image[x] for n, image in images.items()}})
        value = hl.strict_float(value) if any(n.type.is_float() for n in post_order(e)) else value
        for vector in (0, 8):
            f = hl.Func()
            f[x] = hl.cast(hl.UInt(8), value) if e.type.is_bool() else value
            if vector:
                f.vectorize(x, vector, hl.TailStrategy.GuardWithIf)
            out = _array(np.zeros(wanted.shape, np.uint8 if e.type.is_bool() else wanted.dtype))
            f.realize(hl.Buffer(out))
            _check(e, out.astype(wanted.dtype) if e.type.is_bool() else out, wanted, env)


def _array(values):
    # Of two equal types the package takes this one.
    return values.astype(np.ulonglong) if values.dtype == np.uint64 else values.copy()

"""Floating point: conversions, NaN, transcendental functions, half precision."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np

from tests.conformance.cases import add, case
from tests.conformance.integer_cases import realized

INF, NAN = float("inf"), float("nan")
VALUES = [0.0, -0.0, 0.25, 0.5, -0.5, 0.75, 1.0, -1.0, 1.5, 2.5, -2.5, 3.7, -3.7, 100.3, 1e-3, 1e-30, 1e30, -1e30]
FINITE = np.array([*VALUES, 127.9, 128.0, 255.5, -128.7, 32767.5, 65535.9, 8388608.5, 16777217.0])
SPECIAL = np.array([*VALUES, INF, -INF, NAN, 1e-45, 5e-324])


def data(hl: Any, values: np.ndarray[Any, Any], dtype: str, name: str = "a") -> Any:
    with np.errstate(over="ignore"):
        return hl.Buffer(values.astype(dtype), name)


def _conversions(dtype: str) -> Any:
    def script(hl: Any) -> Any:
        x = hl.Var("x")
        a = data(hl, FINITE[np.abs(FINITE) < 100], dtype)[x]
        b = data(hl, np.abs(FINITE[np.abs(FINITE) < 1e9]), dtype, "b")[x]
        small = [hl.cast(t, a) for t in (hl.Int(8), hl.Int(16), hl.Int(32), hl.Int(64))]
        small += [hl.f32(a), hl.f64(a), hl.i8_sat(a), hl.u8_sat(a), hl.i16_sat(a), hl.u16_sat(a)]
        large = [hl.cast(t, b) for t in (hl.Int(32), hl.UInt(32), hl.Int(64), hl.UInt(64))]
        large += [hl.u8_sat(b), hl.i8_sat(b), hl.u16_sat(b)]
        count = int((np.abs(FINITE) < 100).sum())
        return [realized(hl, small, [x], [count]), realized(hl, large, [x], [int((np.abs(FINITE) < 1e9).sum())])]

    return script


def _arithmetic(dtype: str) -> Any:
    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        values = SPECIAL if dtype != "f2" else np.array(VALUES)
        a, b = data(hl, values, dtype), data(hl, values, dtype, "b")
        p, q = a[x], b[y]
        exprs = [p + q, p - q, p * q, p / q, hl.u8(p < q), hl.u8(p == q), hl.u8(p != q)]
        exprs += [hl.floor(p), hl.ceil(p), hl.trunc(p), hl.round(p), hl.sqrt(p), hl.select(p > q, p, q)]
        exprs += [hl.u8(hl.is_nan(p)), hl.u8(hl.is_inf(p)), hl.u8(hl.is_finite(p))]
        return realized(hl, [hl.strict_float(e) for e in exprs], [x, y], [len(values), len(values)])

    return script


def _ordered(dtype: str) -> Any:
    """Minima and the like of what is neither NaN nor zero; of those the package gives one or the other."""

    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        values = np.array([v for v in VALUES if 1e-4 < abs(v) < 1e4])
        a, b = data(hl, values, dtype), data(hl, values, dtype, "b")
        exprs = [hl.min(a[x], b[y]), hl.max(a[x], b[y]), hl.clamp(a[x], -1.0, 2.0), hl.absd(a[x], b[y])]
        exprs += [-a[x], hl.abs(a[x])]
        return realized(hl, exprs, [x, y], [len(values), len(values)])

    return script


for dtype in ("f4", "f8"):
    add(f"float_cases.conversions_{dtype}", _conversions(dtype))
    add(f"float_cases.arithmetic_{dtype}", _arithmetic(dtype))
for dtype in ("f2", "f4", "f8"):
    add(f"float_cases.ordered_{dtype}", _ordered(dtype))


@case
def remainders(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    values = np.array([0.5, -0.5, 0.75, 1.0, -1.0, 1.5, 2.5, -2.5, 3.5, -3.75, 100.25])
    a, b = data(hl, values, "f4"), data(hl, values, "f4", "b")
    return realized(hl, [hl.strict_float(a[x] % b[y]), hl.fract(a[x])], [x, y], [len(values)] * 2)


@case
def integers_become_floats(hl: Any) -> Any:
    x = hl.Var("x")
    values = np.array([0, 1, -1, 2**24 + 1, 2**31 - 1, -(2**31), 33554435, 16777219], np.int64)
    a = hl.Buffer(values, "a")[x]
    exprs = [hl.f32(a), hl.f64(a), hl.f32(hl.i32(a)), hl.f32(hl.u32(a)), hl.f64(hl.u32(a)), hl.f32(hl.u64(a))]
    exprs += [hl.f64(hl.u64(a)), hl.i32(a) * hl.f32(0.5), hl.u8(a) + hl.f64(0.25), hl.f32(a > 0)]
    return realized(hl, exprs, [x], [len(values)])


@case
def literals(hl: Any) -> Any:
    x = hl.Var("x")
    exprs = [hl.f64(x) * 0.1, hl.f32(x) * 0.1, hl.f64(0.1), hl.cast(hl.Float(64), 0.1), hl.f64(x) + hl.f64(0.1)]
    exprs += [x * 0.5, hl.f32(x) + 3, hl.f64(x) - 7, 1 / hl.f32(x + 1), hl.cast(hl.Int(32), 2.9), hl.u8(200.7)]
    return realized(hl, exprs, [x], [9])


@case
def reinterpreted(hl: Any) -> Any:
    x = hl.Var("x")
    a = hl.Buffer(np.array([0, 1, -1, 0x3F800000, 0x7F800000], np.int32), "a")
    b = hl.Buffer(np.array([1.5, -0.0, 1e300]), "b")
    exprs = [hl.reinterpret(hl.Float(32), hl.min(a[x], 0x3F800000) & 0x3F800000), hl.reinterpret(hl.UInt(32), a[x])]
    return [realized(hl, exprs, [x], [5]), realized(hl, [hl.reinterpret(hl.Int(64), b[x])], [x], [3])]


@case
def half_precision(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    values = np.array([0.0, 1.0, -1.0, 0.1, 3.14159, 1000.5, -2047.3, 65504.0, 6e-8, 1e-5])
    a, b = data(hl, values, "f2"), data(hl, values, "f2", "b")
    p, q = a[x], b[y]
    exprs = [p + q, p - q, p * q, hl.abs(p), hl.f32(p), hl.f64(p), hl.cast(hl.Float(16), hl.f32(p) * hl.f32(q))]
    exprs += [hl.select(p > q, p, q), hl.i32(p), hl.u8(p < q), hl.cast(hl.Float(16), x * 37 + y)]
    found = realized(hl, exprs, [x, y], [10, 10])
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.cast(hl.Float(16), hl.f32(x) / 8 + hl.f32(0.1))
    f.compute_root()
    g[x] = hl.f32(f[x]) + hl.f32(f[x + 1])
    return [found, g.realize([20])]


@case
def half_parameters(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.Param(hl.Float(32), "p", 0.1)
    f = hl.Func("f")
    f[x] = hl.cast(hl.Float(16), p) * hl.cast(hl.Float(16), x)
    return f.realize([10])


@case
def brain_floats(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    b16 = hl.BFloat(16)
    values = np.array([0.0, 1.0, -1.0, 0.1, 3.14159, 1000.5, 1.00390625, 1.01171875, 3e38, 1e-40, 65535.0])
    a, b = data(hl, values, "f4"), data(hl, values, "f4", "b")
    p, q = hl.cast(b16, a[x]), hl.cast(b16, b[y])
    exprs = [hl.f32(p), hl.f32(p + q), hl.f32(p - q), hl.u8(p < q), hl.f32(hl.select(p > q, p, q))]
    exprs += [hl.reinterpret(hl.UInt(16), p), hl.f32(hl.cast(b16, x * 300 + 1))]
    found = realized(hl, exprs, [x, y], [len(values)] * 2)
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.cast(b16, hl.f32(x) / 7)
    f.compute_root()
    g[x] = hl.f32(f[x]) + hl.f32(f[x + 3])
    return [found, g.realize([30])]


# In the package some of these are polynomials of its own and not the C library's functions.
FUNCTIONS: dict[str, tuple[float, float]] = {
    "sqrt": (0, 1e6),
    "sin": (-10, 10),
    "cos": (-10, 10),
    "tan": (-1.5, 1.5),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "atan": (-20, 20),
    "sinh": (-5, 5),
    "cosh": (-5, 5),
    "tanh": (-5, 5),
    "asinh": (-20, 20),
    "acosh": (1, 20),
    "atanh": (-0.99, 0.99),
    "exp": (-20, 20),
    "log": (1e-3, 1e6),
}


def _function(name: str, dtype: str) -> Any:
    low, high = FUNCTIONS[name]

    def script(hl: Any) -> Any:
        x = hl.Var("x")
        a = data(hl, np.linspace(low, high, 203), dtype)
        f = hl.Func("f")
        f[x] = getattr(hl, name)(a[x])
        return f.realize([203])

    return script


for name in FUNCTIONS:
    add(f"float_cases.{name}_f4", _function(name, "f4"), ulp=2)
    add(f"float_cases.{name}_f8", _function(name, "f8"), ulp=2)


@case(ulp=2)
def functions_of_two(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    a = data(hl, np.linspace(-3, 3, 13), "f4")
    b = data(hl, np.linspace(0.5, 3, 11), "f8", "b")
    exprs = [hl.atan2(a[x], a[y]), hl.hypot(a[x], a[y]), hl.pow(b[x], 2.5), hl.pow(hl.f64(a[x] + 4), hl.f64(a[y]))]
    return realized(hl, exprs, [x, y], [11, 11])


@case(ulp=2)
def powers_of_constants(hl: Any) -> Any:
    x = hl.Var("x")
    a = data(hl, np.linspace(-3.1, 3, 13), "f4")[x]
    exprs = [hl.strict_float(e) for e in (a**2, a**3, hl.pow(a, 7), hl.pow(a, -3), hl.pow(a, 0), hl.fast_pow(a, 5))]
    return realized(hl, [*exprs, hl.pow(x, 5)], [x], [13])


@case(ulp=64)
def error_function(hl: Any) -> Any:
    """The package's is a polynomial for float32 of few bits."""
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = hl.round(hl.erf(data(hl, np.linspace(-3, 3, 61), "f4")[x]) * 10000)
    return f.realize([61])


@case(ulp=16)
def fast_functions(hl: Any) -> Any:
    """The package contracts multiplications and additions, in fast_pow also before an exponential."""
    x = hl.Var("x")
    a, b = data(hl, np.linspace(0.1, 90, 200), "f4"), data(hl, np.linspace(-7, 7, 200), "f4", "b")
    exprs = [hl.fast_log(a[x]), hl.fast_exp(b[x]), hl.fast_pow(a[x], hl.f32(0.7))]
    return realized(hl, exprs, [x], [200], 8)


@case
def fast_sines(hl: Any) -> Any:
    """Near zeros of the functions a last bit of the reduced angle is many of the result, so digits are compared."""
    x = hl.Var("x")
    b = data(hl, np.linspace(-7, 7, 200), "f4", "b")
    exprs = [hl.round(f(b[x]) * 3000) for f in (hl.fast_sin, hl.fast_cos)]
    return realized(hl, exprs, [x], [200], 8)


@case(ulp=6146)
def fast_inverses(hl: Any) -> Any:
    """The package's are the machine's approximations, wrong by up to 1.5 in 2**12, which is 6144 units."""
    x = hl.Var("x")
    a = data(hl, np.linspace(1.3, 90, 50), "f4")
    return realized(hl, [hl.fast_inverse(a[x]), hl.fast_inverse_sqrt(a[x])], [x], [50])


RANDOM = """
import importlib, json
hl = importlib.import_module({module!r})
import numpy as np
x, y = hl.Var("x"), hl.Var("y")
f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
f[x, y] = (hl.random_float(), hl.random_int(), hl.f64(hl.random_uint()))
g[x] = hl.random_int(7) + hl.random_int(7)
r = hl.RDom([(0, 3)])
h[x] = 0
h[x] += hl.random_int(x) % 100 + r
parts = [*f.realize([4, 3]), g.realize([5]), h.realize([5])]
print("numbers", json.dumps([np.array(p).tolist() for p in parts]))
"""


@case
def random_numbers(hl: Any) -> Any:
    """The numbers depend on how many Funcs a process has made, so that each module gets a process of its own."""
    script = RANDOM.format(module=hl.__name__)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    line = next(t for t in run.stdout.splitlines() if t.startswith("numbers "))
    return [np.array(p) for p in json.loads(line.removeprefix("numbers "))]

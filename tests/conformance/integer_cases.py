"""Integer arithmetic on the edges of every type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add, case

DTYPES = [np.dtype(n) for n in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")]
_VALUES = [-7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 31, 33, 63, 64, 65, 100, 127, 128, 254, 255, 1000, 40000]

Binary = Callable[[Any, Any, Any], Any]


def edges(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    i = np.iinfo(dtype)
    near = [i.min, i.min + 1, i.min // 2, i.max // 2, i.max // 2 + 1, i.max - 1, i.max]
    return np.array(sorted({v for v in near + _VALUES if i.min <= v <= i.max}), dtype)


def reader(hl: Any, data: np.ndarray[Any, Any], name: str) -> Callable[[Any], Any]:
    """Elements of `data`; the package has no buffers of uint64."""
    if data.dtype == np.dtype("u8"):
        buffer = hl.Buffer(data.view("i8"), name)
        return lambda x: hl.reinterpret(hl.UInt(64), buffer[x])
    buffer = hl.Buffer(data, name)
    return lambda x: buffer[x]


def storable(hl: Any, e: Any) -> Any:
    return hl.reinterpret(hl.Int(64), e) if str(e.type()) == "uint64" else e


def realized(hl: Any, exprs: list[Any], variables: list[Any], sizes: list[int], vector: int = 0) -> Any:
    """The values of expressions, as the elements of one Tuple."""
    f = hl.Func("f")
    f[tuple(variables)] = tuple(storable(hl, e) for e in exprs)
    if vector:
        f.vectorize(variables[0], vector)
    return f.realize(sizes)


def outer(operations: list[Binary], left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> Any:
    """operation(left[x], right[y]) for all pairs."""

    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        a, b = reader(hl, left, "a")(x), reader(hl, right, "b")(y)
        return realized(hl, [o(hl, a, b) for o in operations], [x, y], [len(left), len(right)])

    return script


def named(name: str) -> Binary:
    return lambda hl, a, b: getattr(hl, name)(a, b)


def family(
    name: str, operations: list[Binary], right: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]], widest: int = 8
) -> None:
    """A case for each type: every operation on all pairs of edges."""
    for dtype in DTYPES:
        if dtype.itemsize <= widest:
            values = edges(dtype)
            add(f"integer_cases.{name}_{dtype.name}", outer(operations, values, right(values)))


def everything(v: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return v


def divisors(v: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """C's division by 0 and of the minimum by -1 is undefined in the package, where it is the machine's."""
    return v[(v != 0) & (v != -1)] if v.dtype.kind == "i" else v[v != 0]


def amounts(v: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Shifts by the width or more are undefined in Halide."""
    bits = 8 * v.dtype.itemsize
    return np.array([n for n in range(-bits + 1, bits) if v.dtype.kind == "i" or n >= 0], v.dtype)


DIVISIONS: list[Binary] = [lambda hl, a, b: a / b, lambda hl, a, b: a // b, lambda hl, a, b: a % b]
SHIFTS: list[Binary] = [lambda hl, a, b: a << b, lambda hl, a, b: a >> b]
RING: list[Binary] = [
    lambda hl, a, b: (a + b) * a - b,
    lambda hl, a, b: hl.select(a < b, a, b) + hl.cast(a.type(), a == b),
    lambda hl, a, b: (a & b) ^ (a | ~b),
]
FIXED_POINT = ["saturating_add", "saturating_sub", "halving_add", "halving_sub", "rounding_halving_add", "absd"]
PRODUCTS: list[Binary] = [
    lambda hl, a, b: hl.mul_shift_right(a, b, 5),
    lambda hl, a, b: hl.rounding_mul_shift_right(a, b, 7),
]

family("division", DIVISIONS, everything)
family("division_to_zero", [named("div_round_to_zero"), named("mod_round_to_zero")], divisors)
family("shifts", [*SHIFTS, named("rounding_shift_right"), named("rounding_shift_left")], amounts)
family("fixed_point", [named(n) for n in FIXED_POINT], everything)
family("widening", [named("widening_add"), named("widening_sub"), named("widening_mul")], everything, 4)
family("widening_shifts", [named("widening_shift_left"), named("widening_shift_right")], amounts, 4)
family("mul_shift", PRODUCTS, everything, 4)
family("ring", RING, everything)


def _mixed(left: np.dtype[Any], right: np.dtype[Any]) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        a, b = reader(hl, edges(left), "a")(x), reader(hl, edges(right), "b")(y)
        exprs = [a + b, a * b, a / b, a % b, hl.min(a, b), hl.max(a, b), hl.cast(hl.UInt(8), a < b), hl.absd(a, b)]
        return realized(hl, exprs, [x, y], [len(edges(left)), len(edges(right))])

    return script


for left, right in [("i1", "u1"), ("u1", "i4"), ("u4", "i4"), ("i2", "u8"), ("u2", "u4"), ("i8", "u4")]:
    add(f"integer_cases.mixed_{left}_{right}", _mixed(np.dtype(left), np.dtype(right)))


def _widen_right(wide: np.dtype[Any], thin: np.dtype[Any]) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        a, b = reader(hl, edges(wide), "a")(x), reader(hl, edges(thin), "b")(y)
        exprs = [getattr(hl, n)(a, b) for n in ("widen_right_add", "widen_right_sub", "widen_right_mul")]
        return realized(hl, exprs, [x, y], [len(edges(wide)), len(edges(thin))])

    return script


for wide, thin in [("i2", "i1"), ("u2", "u1"), ("i4", "i2"), ("u4", "u2"), ("i8", "i4"), ("u8", "u4")]:
    add(f"integer_cases.widen_right_{wide}", _widen_right(np.dtype(wide), np.dtype(thin)))


def _by_constants(dtype: np.dtype[Any]) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        values = edges(dtype)
        x = hl.Var("x")
        a = reader(hl, values, "a")(x)
        exprs: list[Any] = []
        for c in [c for c in (-128, -7, -3, -2, -1, 1, 2, 3, 7, 10, 16, 100, 127) if np.iinfo(dtype).min <= c]:
            exprs += [a / c, a % c, c / a, c % a]
        return realized(hl, exprs, [x], [len(values)], 8)

    return script


for dtype in DTYPES[:6]:
    add(f"integer_cases.constants_{dtype.name}", _by_constants(dtype))


def _shifts_by_constants(dtype: np.dtype[Any]) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        values = edges(dtype)
        x = hl.Var("x")
        a = reader(hl, values, "a")(x)
        bits = 8 * dtype.itemsize
        exprs: list[Any] = []
        for c in (-bits + 1, -3, -1, 0, 1, 4, bits - 1):
            exprs += [a << c, a >> c, hl.rounding_shift_left(a, c), hl.rounding_shift_right(a, c)]
        return realized(hl, exprs, [x], [len(values)])

    return script


for dtype in DTYPES[:6]:
    add(f"integer_cases.shifts_by_constants_{dtype.name}", _shifts_by_constants(dtype))


def _unary(dtype: np.dtype[Any]) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        values = edges(dtype)
        x = hl.Var("x")
        a = reader(hl, values, "a")(x)
        exprs = [hl.abs(a), -a, ~a, hl.popcount(a), hl.count_leading_zeros(a), hl.count_trailing_zeros(a)]
        for n in ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"):
            exprs += [getattr(hl, n)(a), getattr(hl, n + "_sat")(a)]
        exprs += [hl.cast(hl.Float(32), a), hl.cast(hl.Float(64), a), hl.u8(hl.cast(hl.Bool(), a))]
        exprs += [hl.pow(a, n) for n in (0, 1, 2, 3, 7)]
        return realized(hl, exprs, [x], [len(values)])

    return script


for dtype in DTYPES:
    add(f"integer_cases.of_one_{dtype.name}", _unary(dtype))


@case
def concat_bits(hl: Any) -> Any:
    x = hl.Var("x")
    a = hl.Buffer(edges(np.dtype("u1")), "a")
    s = hl.Buffer(edges(np.dtype("i2")), "s")
    exprs = [
        hl.concat_bits([a[x], a[x + 1]]),
        hl.concat_bits([a[x], a[x + 1], a[x + 2], a[x + 2]]),
        hl.i64(hl.concat_bits([a[k + x] for k in range(8)])),
        hl.concat_bits([s[x], s[x + 1]]),
    ]
    return realized(hl, exprs, [x], [10])


@case
def extract_bits(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    a = hl.Buffer(edges(np.dtype("i4")), "a")
    exprs = [hl.extract_bits(t, a[x], 8 * y) for t in (hl.UInt(8), hl.Int(8), hl.UInt(16), hl.Int(16))]
    return realized(hl, exprs, [x, y], [len(edges(np.dtype("i4"))), 3])


@case
def bools(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    a = hl.Buffer(np.array([False, True]), "a")
    p, q = a[x], a[y]
    exprs = [p & q, p | q, p ^ q, ~p, p == q, p != q, p < q, p + q, p * q, p - q, hl.min(p, q), hl.max(p, q)]
    exprs += [hl.select(p, q, ~q), hl.logical_not(p)]
    return realized(hl, [*exprs, *(hl.u8(e) for e in exprs)], [x, y], [2, 2])


@case
def lerps_of_bytes(hl: Any) -> Any:
    x, y, w = hl.Var("x"), hl.Var("y"), hl.Var("w")
    f = hl.Func("f")
    f[x, y, w] = hl.lerp(hl.u8(x * 5), hl.u8(y * 17), hl.u8(w * 3))
    f.vectorize(x, 16)
    return f.realize([52, 16, 86])


def _lerp(value: str, weight: str) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        from tests.conformance.type_cases import type_of

        x, y = hl.Var("x"), hl.Var("y")
        values = edges(np.dtype(value))
        a = hl.Buffer(values, "a")
        fractions = hl.Buffer((np.arange(21) / 20).astype("f4" if weight == "f32" else "f8"), "fractions")
        w = hl.cast(type_of(hl, weight), y * 37) if weight[0] == "u" else fractions[y]
        f = hl.Func("f")
        f[x, y] = hl.lerp(a[x], a[len(values) - 1 - x], w)
        return f.realize([len(values), 21])

    return script


for value in ("i1", "u2", "i4"):
    for weight in ("u8", "u16", "f32", "f64"):
        add(f"integer_cases.lerp_{value}_{weight}", _lerp(value, weight))

"""Functions of floats, which are arithmetic: against wider types, the interpreter, and the C library's special
values."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import halide_core as hl
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.types import Float
from halide_core.mathematics import FUNCTIONS
from tests.halide_core import math_points
from tests.halide_core.math_errors import EXACT, MOST, Numbers, computed, errors

pytestmark = pytest.mark.few(3)

SPECIAL = np.array(
    [
        *(0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38),
        *(88.7, 88.8, 89, -87.3, -87.4, -103, -103.9, -103.99999, -104, -104.00001, -104.5, -1e30),
        *(0.70710677, 0.7071068, 1.4142135, 1.4142137),
        *(12867, 12868, -12868, 12865.60546875, 6432.9, 6433.1, 87, -87, 0.625, 4, 5, 1 - 2**-24, 1 + 2**-23),
    ],
    np.float32,
)
NAMES = [(bits, name) for bits in FUNCTIONS for name in sorted(FUNCTIONS[bits])]


def arguments(bits: int, name: str, count: int) -> list[Numbers]:
    """Special ones, all bits at random, those in the middle, and neighbours of multiples of pi/2."""
    r = np.random.default_rng(7)
    if bits == 64:
        return math_points.of_double(name, r, 2 * count + 5000)
    bit_patterns = r.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    around = (r.integers(-9000, 9000, count // 8) * (np.pi / 2)).astype(np.float32)
    usual = [r.uniform(-s, s, count // 2).astype(np.float32) for s in (1.0, 5.0, 100.0)]
    one = np.concatenate([SPECIAL, bit_patterns, around, *usual])
    if FUNCTIONS[32][name].arity == 1:
        return [one]
    pairs = [np.repeat(SPECIAL, len(SPECIAL)), np.tile(SPECIAL, len(SPECIAL))]
    base = np.concatenate([r.uniform(0.6, 1.6, count), np.exp(r.uniform(-30, 30, count))]).astype(np.float32)
    with np.errstate(all="ignore"):
        power = (r.uniform(-88, 88, 2 * count) / np.log(base.astype(np.float64))).astype(np.float32)
    return [np.concatenate([a, b, c]) for a, b, c in zip(pairs, (one, r.permutation(one)), (base, power), strict=True)]


@pytest.mark.parametrize(("bits", "name"), NAMES)
def test_is_near_the_true_value(bits: int, name: str) -> None:
    args = arguments(bits, name, 50_000)
    found = computed(name, *args)
    assert errors(name, found, *args).max() <= MOST.get((bits, name), 1.0)
    with np.errstate(all="ignore"):
        expected = EXACT[name](*(a.astype(math_points.MATCHING[bits // 8]) for a in args))
    number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("lanes", [1, 3, 16])
@pytest.mark.parametrize("target", ["host", "x86-64-linux", "x86-64-linux-sse41"])
def test_is_the_same_in_vectors(target: str, lanes: int) -> None:
    for bits, name in NAMES:
        args = arguments(bits, name, 500)
        found = computed(name, *args, lanes=lanes, target=target)
        expected = interpreted(name, *args, fuses=hl.Target(target).fuses)
        assert np.array_equal(found, expected, True), (bits, name)


def _assembly(e: hl.Expr, image: hl.ImageParam, target: str) -> str:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = e
    f.vectorize(x, 4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.s")
        f.compile_to_assembly(str(path), [image], "f", hl.Target(target))
        return path.read_text()


FUSED = re.compile(r"\b(vfn?m(add|sub)\w+|fn?m(add|sub|la|ls)) ")


@pytest.mark.parametrize(
    ("target", "fuses"),
    [
        *(("x86-64-linux-avx512_skylake", True), ("x86-64-linux-sse41-avx-f16c-fma-avx2", True)),
        *(("arm-64-linux", True), ("x86-64-linux-avx2", False), ("x86-64-linux-sse41", False)),
    ],
)
def test_multiplies_and_adds_in_one_step_where_the_target_does(target: str, fuses: bool) -> None:
    """Functions do; what is written as a product and a sum is one."""
    x, image = hl.Var("x"), hl.ImageParam(hl.Float(32), 1)
    assert bool(FUSED.search(_assembly(hl.exp(image[x]), image, target).replace("\t", " "))) == fuses
    apart = _assembly(image[x] * image[x + 1] + image[x + 2], image, target).replace("\t", " ")
    assert re.search(r"\b(v?mulps|fmul) ", apart)
    assert not FUSED.search(apart)


@pytest.mark.parametrize(("count", "stands"), [(1, True), (100, False)])
def test_a_function_stands_in_place_of_its_calls_where_these_are_few(count: int, stands: bool) -> None:
    x, image = hl.Var("x"), hl.ImageParam(hl.Float(32), 1)
    text = _assembly(sum((hl.exp(image[x + k]) for k in range(1, count)), hl.exp(image[x])), image, "x86-64-linux-avx2")
    assert "hl.exp.f32.4.rare" in text
    assert bool(re.search(r"call\w*\s+\"?hl\.exp\.f32\.4\b(?!\.rare)", text)) != stands


def interpreted(name: str, *args: Numbers, fuses: bool) -> Numbers:
    t = Float(8 * args[0].itemsize)
    parameters = [ir.Variable(t, n) for n in ("x", "y")[: len(args)]]
    call = ir.intrinsic(name, t, *parameters)
    return evaluate(call, dict(zip(("x", "y"), args, strict=False)), fuses=fuses)


@pytest.mark.parametrize("special", [SPECIAL, math_points.SPECIAL], ids=["float32", "float64"])
def test_pow_of_what_is_no_ordinary_number(special: Numbers) -> None:
    x, y = np.repeat(special, len(special)), np.tile(special, len(special))
    wide = math_points.MATCHING[special.itemsize]
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(wide), y.astype(wide)).astype(special.dtype)
    found = computed("pow", x, y)
    extreme = ~np.isfinite(expected) | (expected == 0)
    assert np.array_equal(found[extreme], expected[extreme], equal_nan=True)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_large_arguments_are_reduced_by_all_their_bits(name: str) -> None:
    """Of all sizes that float64 has, and of those that are nearest to multiples of pi/2; as mpmath has them."""
    r = np.random.default_rng(5)
    numbers = r.uniform(1, 2, 1000) * 2.0 ** np.linspace(18, 1023, 1000).astype(int)
    numbers = np.concatenate([numbers, math_points.SPECIAL[np.abs(math_points.SPECIAL) > 1e6]])
    numbers = numbers[np.isfinite(numbers)]
    found = computed(name, numbers)
    with mpmath.workprec(1300):
        true = [getattr(mpmath, name)(mpmath.mpf(float(n))) for n in numbers]
        units = [abs(t - float(f)) / float(np.spacing(abs(float(t)))) for t, f in zip(true, found, strict=True)]
    assert max(units) <= 1


@pytest.mark.parametrize("t", [hl.Float(32), hl.Float(64)], ids=str)
def test_the_c_library_is_apart(t: Any) -> None:
    x = hl.Var("x")
    f = hl.Func()
    f[x] = hl.libm("exp", hl.cast(t, x) * hl.cast(t, hl.f32(0.01)))
    a = np.arange(20000).astype(np.float32 if t.bits() == 32 else np.float64)
    a = a * a.dtype.type(np.float32(0.01))
    library = np.asarray(f.realize([len(a)]))
    with np.errstate(all="ignore"):
        usual = np.isfinite(library)
    assert errors("exp", library, a)[usual].max() < 1
    assert not np.array_equal(library, computed("exp", a))


def test_erf_is_of_float32_alone() -> None:
    with pytest.raises(hl.HalideError, match="erf only works for float32"):
        hl.erf(hl.f64(hl.Var("x")))

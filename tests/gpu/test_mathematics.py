"""The functions of floats on a device: the host's bits."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.runtime import device_runtime
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET
from tests.halide_core.math_points import of_double

CIRCULAR = ("sin", "cos", "tan", "asin", "acos", "atan")
ONE = ("exp", "log", *CIRCULAR, "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf")
OTHERS = ("sqrt", "floor", "ceil", "round", "trunc", "fast_exp", "fast_log", "fast_inverse", "abs")
OF_FLOAT32 = ("erf", "fast_exp", "fast_log", "fast_inverse")


TYPES = (np.float32, np.float64)


def _numbers(t: type[np.floating], count: int) -> np.ndarray:
    random = np.random.default_rng(11)
    if t is np.float64:
        return of_double("exp", random, count)[0]
    bits = random.integers(0, 1 << 32, count, np.uint32).view(np.float32)
    usual = (random.standard_normal(count) * 10.0 ** random.integers(-3, 4, count)).astype(np.float32)
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-42, -1e-42, 88.7, 1e5, 3.4e38], np.float32)
    return np.concatenate([bits[: count // 2], usual[: count - count // 2 - len(special)], special])


def _equal(e: object, sources: dict[object, np.ndarray], x: hc.Var) -> None:
    """The device's bits are the host's, but for those of NaN."""
    values = next(iter(sources.values()))
    results = []
    for device in (False, True):
        f, xi = hc.Func("f"), hc.Var("xi")
        f[x] = e
        for p, given in sources.items():
            p.set(hc.Buffer(given))  # type: ignore[attr-defined]
        if not device:
            results.append(np.asarray(f.realize([len(values)])))
            continue
        f.gpu_tile(x, xi, 64, hc.TailStrategy.GuardWithIf)
        with device_runtime(Emulator()):
            results.append(np.asarray(f.realize([len(values)], hc.Target(TARGET))))
    on_host, on_device = results
    nan = np.isnan(on_host)
    assert np.array_equal(nan, np.isnan(on_device))
    assert on_host[~nan].tobytes() == on_device[~nan].tobytes()


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("name", [*ONE, *OTHERS])
def test_one_argument(name: str, t: type[np.floating]) -> None:
    if t is np.float64 and name in OF_FLOAT32:
        pytest.skip("a function of float32 alone")
    x, source = hc.Var("x"), hc.ImageParam(hc.Float(8 * np.dtype(t).itemsize), 1, "source")
    _equal(getattr(hc, name)(source[x]), {source: _numbers(t, 700)}, x)


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("name", ["pow", "atan2"])
def test_two_arguments(name: str, t: type[np.floating]) -> None:
    x = hc.Var("x")
    p, q = (hc.ImageParam(hc.Float(8 * np.dtype(t).itemsize), 1, n) for n in ("p", "q"))
    numbers = _numbers(t, 700)
    other = np.random.default_rng(5).permutation(numbers)
    _equal(getattr(hc, name)(p[x], q[x]), {p: numbers, q: other}, x)


_EDGES = [np.nan, np.inf, -np.inf, 0.5, -0.5, 4e9, -4e9, *(s * 2.0**k + d for k in (31, 32, 63, 64) for s in (1, -1)
          for d in (0, -0.5, 0.5, -1, 1))]  # fmt: skip


@pytest.mark.parametrize("bits", [32, 64])
def test_floats_as_integers(bits: int) -> None:
    """What no integer of the type is comes out as on the host."""
    random = np.random.default_rng(3)
    usual = random.standard_normal(300) * 10.0 ** random.integers(-3, 22, 300)
    values = np.concatenate([usual, _EDGES]).astype(np.float32 if bits == 32 else np.float64)
    x = hc.Var("x")
    for to in (hc.Int(32), hc.Int(64), hc.UInt(32), hc.UInt(64), hc.Int(16), hc.UInt(8)):
        source = hc.ImageParam(hc.Float(bits), 1, "source")
        _equal(hc.cast(to, source[x]), {source: values}, x)

"""The functions of float32 on a device: the host's bits."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.runtime import device_runtime
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET

CIRCULAR = ("sin", "cos", "tan", "asin", "acos", "atan")
ONE = ("exp", "log", *CIRCULAR, "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf")
OTHERS = ("sqrt", "floor", "ceil", "round", "trunc", "fast_exp", "fast_log", "fast_inverse", "abs")


def _numbers(count: int) -> np.ndarray:
    random = np.random.default_rng(11)
    bits = random.integers(0, 1 << 32, count, np.uint32).view(np.float32)
    usual = (random.standard_normal(count) * 10.0 ** random.integers(-3, 4, count)).astype(np.float32)
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-42, -1e-42, 88.7, 1e5, 3.4e38], np.float32)
    return np.concatenate([bits[: count // 2], usual[: count - count // 2 - len(special)], special])


def _both(e: object, sources: dict[object, np.ndarray], x: hc.Var) -> tuple[np.ndarray, np.ndarray]:
    size = len(next(iter(sources.values())))
    results = []
    for device in (False, True):
        f, xi = hc.Func("f"), hc.Var("xi")
        f[x] = e
        for p, values in sources.items():
            p.set(hc.Buffer(values))  # type: ignore[attr-defined]
        if not device:
            results.append(np.asarray(f.realize([size])))
            continue
        f.gpu_tile(x, xi, 64, hc.TailStrategy.GuardWithIf)
        with device_runtime(Emulator()):
            results.append(np.asarray(f.realize([size], hc.Target(TARGET))))
    return results[0], results[1]


@pytest.mark.parametrize("name", [*ONE, *OTHERS])
def test_one_argument(name: str) -> None:
    x, source = hc.Var("x"), hc.ImageParam(hc.Float(32), 1, "source")
    on_host, on_device = _both(getattr(hc, name)(source[x]), {source: _numbers(700)}, x)
    nan = np.isnan(on_host)
    assert np.array_equal(nan, np.isnan(on_device))
    assert np.array_equal(on_host[~nan].view(np.uint32), on_device[~nan].view(np.uint32))


@pytest.mark.parametrize("name", ["pow", "atan2"])
def test_two_arguments(name: str) -> None:
    x = hc.Var("x")
    p, q = (hc.ImageParam(hc.Float(32), 1, n) for n in ("p", "q"))
    numbers = _numbers(700)
    other = np.random.default_rng(5).permutation(numbers)
    on_host, on_device = _both(getattr(hc, name)(p[x], q[x]), {p: numbers, q: other}, x)
    nan = np.isnan(on_host)
    assert np.array_equal(nan, np.isnan(on_device))
    assert np.array_equal(on_host[~nan].view(np.uint32), on_device[~nan].view(np.uint32))


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
        on_host, on_device = _both(hc.cast(to, source[x]), {source: values}, x)
        assert np.array_equal(on_host, on_device), to

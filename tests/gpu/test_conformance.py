"""Directives for a device mean what they mean to the package: it and we refuse the same schedules, and what we take
gives on the emulated device what the package computes on the host without a schedule."""

from __future__ import annotations

import faulthandler
import functools
import os
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.runtime import device_runtime
from tests.gpu import package
from tests.gpu.conformance_cases import SCRIPTS, Script
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET, left

# Schedules that one of the two refuses, and why.
_THREADS = "more than 1024 threads: the package leaves it to the driver to refuse the launch"
_PROOF = "the package does not prove that the operation is associative"
_NARROW = "the package has no atomic updates of 8 and 16 bits"
OURS_ALONE = {
    "tiles of one 11": _THREADS,
    "tiles of two 5": _THREADS,
    "tiles of three 5": _THREADS,
    "large 1": _THREADS,
    "counts 8": "the size of what one thread stores is not constant",
}
_LANES = "the package does not find the constant that the number of lanes is at most"
_OWN = "the package has no shared memory for what lanes do not store each for itself"
_WIDE = "the package exchanges no values of 64 bits"
THEIRS_ALONE = {
    "exchanged by neighbours 1": _LANES,
    "exchanged in two turns 3": _OWN,
    "exchanged values 2": _WIDE,
    "exchanged values 6": _WIDE,
    "exchanged from anywhere 4": _LANES,
    "exchanged from anywhere 10": _LANES,
    "exchanged from anywhere 19": _LANES,
    "exchanged from anywhere 25": _LANES,
    "exchanged in part 1": _LANES,
    "exchanged along a chain 0": _LANES,
    "exchanged along a chain 1": _LANES,
    "exchanged after updates 2": _OWN,
    "added up by lanes 1": _OWN,
    "computed in blocks 10": "the package's compiler ends in an assertion of LLVM",
    "stored in 15": "the package keeps no Func of variable size in registers, on the host either",
    "in one step 0": _PROOF,
    "in one step 4": _PROOF,
    "in one step 5": _PROOF,
    "in one step 6": _PROOF,
    "in one step 9": _NARROW,
    "in one step 10": _NARROW,
    "in one step 15": _PROOF,
    "in one step 18": _NARROW,
    "in one step 19": _NARROW,
}

_NAMES = "x y z xi yi zi xo yo bx by bz t u v"


def _data() -> np.ndarray:
    return np.random.default_rng(5).integers(-1000, 1000, (48, 64), np.int32)


def _made(module: Any, s: Script, scheduled: bool) -> tuple[Any, Any]:
    """(the Func, its image) of a script under a module."""
    scope: dict[str, Any] = {"hl": module}
    scope |= {n: module.Var(n) for n in _NAMES.split()}
    scope |= {n: module.Func(n) for n in "fghp"}
    scope["src"] = module.ImageParam(module.Int(32), 2, "src")
    scope["r"] = module.RDom([(0, 10), (0, 5)], "r")
    for text in (s.definition, s.schedule if scheduled else ""):
        for line in text.split("; "):
            exec(line, scope)
    return scope["f"], scope["src"]


def _by_package(s: Script) -> str:
    """What the package refuses the schedule with, else nothing; in a process of its own, for some end it."""
    pytest.importorskip("halide")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        # Of what ends it there is a page, and another by pytest.
        faulthandler.disable()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(writing, _refusal_of_package(s).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        said = answers.read().decode()
    _, status = os.waitpid(child, 0)
    return said if status == 0 else f"the process ended with status {status}"


def _refusal_of_package(s: Script) -> str:
    import halide as hl

    try:
        f, image = _made(hl, s, True)
        package.assembly_of(f, [image])
    except (hl.HalideError, TypeError, RuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _on_device(s: Script) -> np.ndarray | str:
    """Our result, or what we refuse the schedule with."""
    data = _data()
    device = Emulator()
    try:
        f, image = _made(hc, s, True)
        image.set(hc.Buffer(data))
        with device_runtime(device):
            out = np.array(f.realize(list(s.size), hc.Target(TARGET)))
    except (hc.HalideError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    image.reset()
    assert left(device) == 0
    return out


@functools.cache
def _on_host(definition: str, size: tuple[int, ...]) -> np.ndarray:
    """What the package computes without a schedule, once for all schedules of a definition."""
    hl = pytest.importorskip("halide")
    data = _data()
    f, image = _made(hl, Script(definition, "", size), False)
    buffer = hl.Buffer(data)
    image.set(buffer)
    return np.array(f.realize(list(size)))


@pytest.mark.few(12)
@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", SCRIPTS)
def test_as_the_package(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_CHECK_IR", "1")
    s = SCRIPTS[name]
    ours, theirs = _on_device(s), _by_package(s)
    refused = isinstance(ours, str)
    if name in OURS_ALONE:
        assert refused and not theirs
    elif name in THEIRS_ALONE:
        assert theirs and not refused
    else:
        assert refused == bool(theirs), f"ours: {ours if refused else 'taken'}\ntheirs: {theirs or 'taken'}"
    if not isinstance(ours, str):
        assert np.array_equal(ours, _on_host(s.definition, s.size))


def test_there_are_as_many_as_there_were() -> None:
    assert len(SCRIPTS) >= 150

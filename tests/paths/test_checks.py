"""The checks between transforms: what they run, what they refuse, and that a wrong transform does not pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as File

import pytest

from halide_core.ir.expr import I32, Load, const
from halide_core.ir.structural import transform
from lifter.algebra.polynomial import Poly
from lifter.frontend import Function, parse_file
from lifter.ir.effect_edits import Edit
from lifter.ir.effect_interpreter import EffectInterpreter, IllFormed, Undefined, difference, run_source
from lifter.ir.effect_verifier import RAW, IllegalPath, verify
from lifter.ir.effects import Effect, LoopInfo, Path
from lifter.ir.names import array_of
from lifter.symexec import execute
from lifter.transforms import pipeline
from lifter.transforms.path_log import PathLog, WrongTransform
from synth.lift import decided, follows
from synth.sampling.samples import sample_environments

SOURCE = File(__file__).parent / "blur.c"
VALUES = {"width": 5, "height": 3, "stride": 7, "n": 6}


def _function(name: str) -> Function:
    (found,) = (f for f in parse_file(str(SOURCE)).functions if isinstance(f, Function) and f.name == name)
    return found


def _path(name: str) -> Path:
    (path,) = execute(_function(name), decided, follows)
    return path


@pytest.mark.parametrize("name", ["blur", "swap_rows"])
def test_a_path_does_what_its_function_does(name: str) -> None:
    function = _function(name)
    for seed in range(3):
        a, b = run_source(function, VALUES, seed), EffectInterpreter(function).run(_path(name), VALUES, seed)
        assert a.written and difference(function, a, b, seed) is None


def test_a_read_sees_its_own_time() -> None:
    """Of two stores the second one reads what stood there before the first."""
    path = _path("swap_rows")
    first, second = path.effects
    assert {first.array, second.array} == {"a", "b"}
    later = replace(second, value=transform(second.value, lambda n: _at(n, second.order)))
    outcome = EffectInterpreter(_function("swap_rows")).run(replace(path, effects=(first, later)), VALUES)
    wanted = EffectInterpreter(_function("swap_rows")).run(path, VALUES)
    assert outcome.written[first.array] == wanted.written[first.array]
    assert outcome.written[second.array] != wanted.written[second.array]


def _at(n: object, time: int) -> object:
    return replace(n, name=f"{array_of(n)}@{time}") if isinstance(n, Load) else n


def test_effects_of_one_loop_stand_together() -> None:
    path = _path("swap_rows")
    between = replace(path.effects[0], loops=(), index=Poly(), value=const(0, path.effects[0].value.type), order=50)
    first, second = (replace(e, order=k) for e, k in zip(path.effects, (0, 99), strict=True))
    with pytest.raises(IllFormed, match=r"do not stand together \(order 99\)"):
        EffectInterpreter(_function("swap_rows")).run(replace(path, effects=(first, between, second)), VALUES)


def _twice(e: Effect) -> tuple[Effect, ...]:
    return e, e


def _elsewhere(e: Effect) -> tuple[Effect, ...]:
    return (replace(e, array="nothing"),)


def _other_loop(e: Effect) -> tuple[Effect, ...]:
    return (replace(e, loops=(LoopInfo("k.99", Poly.constant(3), 1),)),)


def _other_trip(e: Effect) -> tuple[Effect, ...]:
    return (replace(e, loops=(replace(e.loops[0], trip=e.loops[0].trip + Poly.constant(1)), *e.loops[1:])),)


def _wider(e: Effect) -> tuple[Effect, ...]:
    return (replace(e, value=const(1, I32)),)


def _unknown(e: Effect) -> tuple[Effect, ...]:
    return (replace(e, index=e.index + Poly.variable("k.77", I32)),)


def _early(e: Effect) -> tuple[Effect, ...]:
    return (replace(e, value=transform(e.value, lambda n: _at(n, e.order + 5))),)


@pytest.mark.parametrize(
    "change,message",
    [
        (_twice, "are not distinct and ascending"),
        (_elsewhere, "stores to nothing, which is no array"),
        (_other_loop, "has no entry in trips"),
        (_other_trip, "times in trips"),
        (_wider, "stores int32 to "),
        (_unknown, "mentions k.77, which is no parameter"),
        (_early, "which is later"),
    ],
)
def test_what_breaks_a_rule_is_refused(change: Callable[[Effect], tuple[Effect, ...]], message: str) -> None:
    function, path = _function("swap_rows"), _path("swap_rows")
    verify(function, path, RAW)
    with pytest.raises(IllegalPath, match=message):
        verify(function, replace(path, effects=(path.effects[0], *change(path.effects[1]))), RAW)


def _shifted(path: Path) -> Path:
    """What a wrong expansion would be: each element one further."""
    moved = [replace(e, index=e.index + Poly.constant(1)) if e.array == "dst" else e for e in path.effects]
    return replace(path, effects=tuple(moved))


def _one_less(path: Path) -> Path:
    """A trip that is one too short, in effects and in the list of trips."""

    def less(x: LoopInfo) -> LoopInfo:
        return replace(x, trip=x.trip - Poly.constant(1))

    effects = tuple(replace(e, loops=tuple(map(less, e.loops))) for e in path.effects)
    return replace(path, effects=effects, trips=tuple((less(x), tuple(map(less, o)), g) for x, o, g in path.trips))


@pytest.mark.parametrize("wrong", [_shifted, _one_less])
def test_a_wrong_transform_is_found(wrong: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIFT_CHECK_PATHS", "1")
    once = iter([wrong])
    monkeypatch.setattr(
        pipeline, "widen_starts", lambda p: next((replace(Edit.on(p), path=change(p)) for change in once), None)
    )
    function = _function("blur")
    with pytest.raises(WrongTransform, match=r"widen_starts changes what blur does: dst\[\d+\] is"):
        execute(function, decided, follows, log=PathLog(function, sample_environments))


def test_the_rewritings_of_a_function_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIFT_CHECK_PATHS", "1")
    function = _function("blur")
    log = PathLog(function, sample_environments)
    (path,) = execute(function, decided, follows, log=log)
    assert (log.rewritings.made, log.rewritings.checked, log.rewritings.unseen) == (1, 1, 0)
    assert log.start(path, RAW) is path and log.after("nothing", path, path, RAW) is path
    assert log.rewritings.made == 1


def test_a_store_outside_of_its_array_is_found(tmp_path: File) -> None:
    source = tmp_path / "f.c"
    source.write_text(
        "void f(int *d, int n) { int t[n + 1]; for (int i = 0; i < n; i++) t[i + 1] = i;"
        "for (int i = 0; i < n; i++) d[i] = t[n - i]; }\n"
    )
    (function,) = parse_file(str(source)).functions
    assert isinstance(function, Function)
    (path,) = execute(function, decided, follows)
    assert EffectInterpreter(function).run(path, VALUES).written["d"] == {i: 5 - i for i in range(6)}
    shorter = {n: replace(a, size=a.size - Poly.constant(1)) for n, a in path.arrays.items() if a.size is not None}
    with pytest.raises(Undefined, match=r"t\[6\] is stored to, of 6 elements"):
        EffectInterpreter(function).run(replace(path, arrays=shorter), VALUES)


def test_what_the_obligations_leave_out_is_no_difference() -> None:
    """Unsigned arithmetic that wraps is for the original's own code, as the path's obligations say."""
    file = File(__file__).parents[1] / "soundness" / "language_edges.cpp"
    (function,) = (f for f in parse_file(str(file)).functions if f.name == "unsigned_planes")
    assert isinstance(function, Function)
    (path,) = (p for p in execute(function, decided, follows) if p.effects)
    log = PathLog(function, sample_environments, checks=True)
    assert log.start(path, RAW) is path
    with pytest.raises(WrongTransform, match="execute changes what unsigned_planes does"):
        log.start(replace(path, obligations=()), RAW)

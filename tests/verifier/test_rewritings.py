"""Proofs of rewritings: which of the golden texts' are proved, and that nothing wrong is."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest

from halide_core.ir.expr import I32, Add, Expr, Load, const
from halide_core.ir.structural import transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.frontend import Function, parse_file
from lifter.ir.effect_edits import Edit, Site, at, with_values
from lifter.ir.effect_edits.sites import Change
from lifter.ir.effect_verifier import RAW, IllegalPath, verify
from lifter.ir.effects import Effect, LoopInfo, Path
from lifter.ir.names import is_read
from lifter.symexec import execute
from lifter.transforms.path_log import PathLog, WrongTransform
from synth.lift import decided, follows
from synth.sampling.samples import sample_environments
from tests.paths.golden_cases import CASES, FOLDER
from verifier.rewritings import NotProved, is_proved, prove_rewriting

BY_SAMPLES = {
    "forward_stores/distance_transform": "one store as the choice between two",
    "forward_stores/sums_of_columns": "one store as the choice between two",
    "rename_rewritten_arrays/quarters_of_an_output": "storage of the caller's that becomes local",
    "reroll_reduction_lanes/sum_of_bytes": "sums in another order",
    "reroll_reduction_lanes/sum_of_words": "sums in another order",
    "undo_blocked_reductions/sum_of_a_row": "sums in another order",
    "undo_blocked_reductions/sums_of_rows": "sums in another order",
}
"""Cases of which a rewriting is only run on samples, and what it would take."""
MUTANTS = 16


class _Kept(PathLog):
    """A log that keeps the edits."""

    __slots__ = ("edits",)

    def after(self, name: str, before: Path, path: Path, level: object, edits: object = ()) -> Path:
        self.edits: dict[str, list[Edit]]
        self.edits.setdefault(name, []).extend(edits)  # type: ignore[call-overload]
        return path


@cache
def made_of(case: str) -> tuple[Function, list[Edit]]:
    """The function of a case, and the edits of its transform."""
    (function,) = parse_file(str(FOLDER / f"{case}.cpp")).functions
    assert isinstance(function, Function)
    log = _Kept(function)
    log.edits = {}
    execute(function, decided, follows, log=log)
    return function, log.edits.get(case.partition("/")[0], [])


@pytest.mark.parametrize("case", CASES)
def test_a_rewriting_is_proved(case: str) -> None:
    _, edits = made_of(case)
    assert edits
    assert all(map(is_proved, edits)) == (case not in BY_SAMPLES)


def _further(e: Effect) -> Effect:
    return replace(e, index=e.index + Poly.constant(1))


def _more(e: Effect) -> Effect:
    return replace(e, value=Add(e.value.type, e.value, const(1, e.value.type)))


def _always(e: Effect) -> Effect:
    return replace(e, guard=None)


def _read_further(e: Effect) -> Effect:
    def read(n: Expr) -> Expr:
        return replace(n, index=from_poly(to_poly(n.index) + Poly.constant(1))) if isinstance(n, Load) else n

    return replace(e, value=transform(e.value, read))


def _early(e: Effect) -> Effect:
    def read(n: Expr) -> Expr:
        return replace(n, name=f"{n.name.partition('@')[0]}@0") if is_read(n) else n

    return replace(e, value=transform(e.value, read))


def _late(e: Effect) -> Effect:
    def read(n: Expr) -> Expr:
        return replace(n, name=f"{n.name.partition('@')[0]}@{e.order}") if is_read(n) else n

    return replace(e, value=transform(e.value, read))


def _longer(by: int) -> Callable[[Path, LoopInfo], Path]:
    def change(path: Path, loop: LoopInfo) -> Path:
        def longer(x: LoopInfo) -> LoopInfo:
            return replace(x, trip=x.trip + Poly.constant(by)) if x.counter == loop.counter else x

        effects = tuple(replace(e, loops=tuple(map(longer, e.loops))) for e in path.effects)
        trips = tuple((longer(x), tuple(map(longer, around)), g) for x, around, g in path.trips)
        return replace(path, effects=effects, trips=trips)

    return change


def _mutants(path: Path) -> Iterator[Path]:
    """Paths that mostly do something else."""
    for n, e in enumerate(path.effects):
        for change in (_further, _more, _always, _read_further, _early, _late):
            yield replace(path, effects=(*path.effects[:n], change(e), *path.effects[n + 1 :]))
        yield replace(path, effects=(*path.effects[:n], *path.effects[n + 1 :]))
        if n:
            first, second = (replace(e, order=path.effects[n - 1].order), replace(path.effects[n - 1], order=e.order))
            yield replace(path, effects=(*path.effects[: n - 1], first, second, *path.effects[n + 1 :]))
    for loop in dict.fromkeys(x for e in path.effects for x in e.loops):
        for by in (-1, 1):
            yield _longer(by)(path, loop)
    yield replace(path, apart=frozenset())


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", [c for c in CASES if c not in BY_SAMPLES])
def test_what_is_wrong_is_not_proved(case: str) -> None:
    """What is proved of mutants does the same on samples."""
    function, edits = made_of(case)
    proved = tried = 0
    for edit in edits:
        mutants = list(_mutants(edit.path))
        for mutant in random.Random(case).sample(mutants, min(MUTANTS, len(mutants))):
            origins = {e.order: edit.origins.get(e.order, ()) for e in mutant.effects}
            tried += 1
            if is_proved(replace(edit, path=mutant, origins=origins), 2.0):
                proved += 1
                _hold(function, case, edit.before, mutant)
    assert proved < tried


def _hold(function: Function, case: str, before: Path, mutant: Path) -> None:
    with contextlib.suppress(IllegalPath):
        verify(function, mutant, RAW)
        log = PathLog(function, sample_environments, checks=True, samples=4)
        try:
            log.after(case, before, mutant, RAW)
        except WrongTransform as problem:
            raise AssertionError(f"proved, and wrong: {problem}") from problem


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith(("rotations_to_modulo", "propagate_positions"))])
def test_values_that_are_not_what_is_read(case: str) -> None:
    """Values one further than what is read, and those of the other iterations of a loop."""
    _, edits = made_of(case)
    for edit in edits:
        assert edit.filled is not None
        arrays, value = edit.filled.arrays, edit.filled.value

        def further(n: Load, site: Site, value: Change = value) -> Expr:
            found = value(n, site)
            return Add(found.type, found, const(1, found.type))

        def late(n: Load, site: Site, value: Change = value) -> Expr:
            found = value(n, site)
            return at(found, {c: Poly.variable(c, I32) + Poly.constant(1) for c in site.counters})

        prove_rewriting(with_values(edit.before, arrays, value))
        for wrong in (further, late):
            assert not is_proved(with_values(edit.before, arrays, wrong))


def test_memory_that_may_be_the_same_counts() -> None:
    """A running sum that is stored where it is read later, if both are the same memory."""
    _, edits = made_of("expand_scalars/running_sum")
    (edit,) = edits
    prove_rewriting(edit)
    moved = {"d": Poly.constant(1)}
    before = tuple(replace(e, index=e.index + moved.get(e.array, Poly())) for e in edit.before.effects)
    after = tuple(replace(e, index=e.index + moved.get(e.array, Poly())) for e in edit.path.effects)
    shifted = replace(edit, before=replace(edit.before, effects=before), path=replace(edit.path, effects=after))
    with pytest.raises(NotProved, match="order of"):
        prove_rewriting(shifted)
    arrays = frozenset(frozenset((a, b)) for a in ("d", "s") for b in ("d", "s") if a != b)
    prove_rewriting(replace(shifted, path=replace(shifted.path, apart=arrays)))

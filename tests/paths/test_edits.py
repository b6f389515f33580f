"""The four edits of paths: what they rewrite, and which iterations they say that new effects come from."""

from __future__ import annotations

from halide_core.ir.expr import I32, Add, Load, Variable
from lifter.algebra.anti_unify import INSIDE, AntiUnifier
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_edits import (
    Domain,
    Edit,
    Origin,
    at,
    reindex,
    remap,
    rename,
    renamed,
    restate,
    retime,
    spaced,
    widen,
    with_values,
)
from lifter.ir.effects import ArrayInfo, Effect, LoopInfo, Path, loads
from lifter.ir.names import time_of, timed, unused

K, J = Poly.variable("k.1", I32), Poly.variable("k.2", I32)
ONE = Poly.constant(1)
LOOP, OTHER = LoopInfo("k.1", Poly.constant(8), 1), LoopInfo("k.2", Poly.constant(8), 2)


def read(array: str, index: Poly, time: int) -> Load:
    return Load(I32, timed(array, time), from_poly(index))


def store(array: str, index: Poly, value: Load | Add | Variable, order: int, *around: LoopInfo) -> Effect:
    return Effect(array, index, value, None, around or (LOOP,), order, 1)


def path_of(*effects: Effect, arrays: tuple[str, ...] = ()) -> Path:
    infos = {a: ArrayInfo(a, Poly.constant(8), (), 1) for a in arrays}
    trips = dict.fromkeys((x, e.loops[:n], None) for e in effects for n, x in enumerate(e.loops))
    return Path((), effects, infos, (), (), tuple(trips))


def test_an_expression_in_another_iteration() -> None:
    """Counters are replaced at once, also inside of addresses that are read."""
    inner = read("t", K, 0)
    outer = read("s", to_poly(inner) + K + J, 0)
    moved = at(Add(I32, outer, Variable(I32, "k.1")), {"k.1": K + ONE, "k.2": K})
    wanted = read("s", to_poly(read("t", K + ONE, 0)) + K + ONE + K, 0)
    assert to_poly(moved) == to_poly(wanted) + K + ONE
    assert at(outer, {"k.9": K}) is outer


def test_loops_of_their_own() -> None:
    path = path_of(store("d", K, read("s", K, 0), 0))
    edit = reindex(path, {0: renamed(path.effects[0], {"k.1": "k.1r"})})
    (e,) = edit.path.effects
    assert e.counters == ("k.1r",) and e.index == Poly.variable("k.1r", I32)
    assert [x.counter for x, _, _ in edit.path.trips] == ["k.1", "k.1r"]
    again = reindex(edit, {0: Domain((OTHER,), {"k.1r": J - ONE}, {"k.2": Poly.variable("k.1r", I32) + ONE})})
    (origin,) = again.origins[0]
    assert origin.back["k.1"] == J - ONE and origin.here["k.2"] == K + ONE
    assert again.before is path and again.kinds == ("reindex", "reindex")


def test_storage_of_stores_and_reads() -> None:
    path = path_of(store("t", K, read("s", K, 0), 0), store("d", K, read("t", K, 1), 1), arrays=("t",))
    edit = remap(path, {"t"}, lambda array, index, site, time: (array, index + ONE if time is None else index))
    first, second = edit.path.effects
    assert first.index == K + ONE and second.index == K and loads(second.value)[0].name == "t@1"
    named = rename(path, {"t": "u"}).path
    assert [e.array for e in named.effects] == ["u", "d"] and list(named.arrays) == ["u"]
    assert loads(named.effects[1].value)[0].name == "u@1"


def test_order_and_times() -> None:
    a, b, c = (store(to, K, read(of, K, n), n) for n, (to, of) in enumerate(("as", "ba", "cb")))
    path = path_of(a, b, c)
    edit = retime(path, (c, a, b), lambda n, site, e: e.order < time_of(n) and site.effect is not c)
    assert [(e.array, e.order) for e in edit.path.effects] == [("c", 0), ("a", 1), ("b", 2)]
    assert [loads(e.value)[0].name for e in edit.path.effects] == ["b@0", "s@0", "a@2"]
    assert edit.origins == {0: (Origin(2),), 1: (Origin(0),), 2: (Origin(1),)}
    wide = spaced(path, 3).path
    assert [(e.order, time_of(loads(e.value)[0])) for e in wide.effects] == [(0, 0), (3, 3), (6, 6)]


def test_values() -> None:
    path = path_of(store("t", K, read("s", K, 0), 0), store("d", K, read("t", K, 1), 1), arrays=("t",))
    edit = with_values(path, {"t"}, lambda n, site: read("s", to_poly(n.index), 0))
    (e,) = edit.path.effects
    assert loads(e.value)[0].name == "s@0" and not edit.path.arrays
    assert edit.filled is not None and edit.filled.arrays == {"t"}
    left = restate(path, {0: None}, [store("d", K, read("d", K, 2), 2)])
    assert [e.order for e in left.path.effects] == [1, 2] and left.origins == {1: (Origin(1),), 2: ()}
    wide = widen(path, path.effects[0], OTHER)
    assert wide.path.effects[0].index == K + J and wide.origins[0] == (Origin(0, {}, {"k.2": Poly()}),)
    assert Edit.on(wide) is wide


def test_names_that_are_not_in_use() -> None:
    assert unused("k.1r", {"k.1r", "k.1rr"}) == "k.1rrr"
    assert unused("t", {"t"}, "_") == "t_" and unused("t", ()) == "t"


def test_one_expression_for_several() -> None:
    values = [Add(I32, read("s", K + Poly.constant(n), 0), Variable(I32, "w")) for n in range(3)]
    asked: list[int] = []

    def differing(column):  # type: ignore[no-untyped-def]
        asked.append(len(column))
        return read("s", K + J, 0) if isinstance(column[0], Load) else INSIDE

    found = AntiUnifier(differing).one(values)
    assert found is not None and to_poly(found) == to_poly(read("s", K + J, 0)) + Poly.variable("w", I32)
    assert asked == [3, 3]
    assert AntiUnifier(lambda column: None).one(values) is None
    assert AntiUnifier(lambda column: INSIDE).one([values[0], read("s", K, 0)]) is None

"""What may change places, held to runs of small loops in both orders."""

from __future__ import annotations

import random

from halide_core.ir.expr import I32, Add, Load
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.dependence import Turn, blocks_apart, differ, may_come_first, may_wait, memory_apart, undisturbed
from lifter.ir.effects import Effect, LoopInfo, Path
from lifter.ir.names import timed

ITERATIONS = 8
LOOP = LoopInfo("k.1", Poly.constant(ITERATIONS), 1)
K = Poly.variable("k.1", I32)


def read(array: str, index: Poly, time: int) -> Load:
    return Load(I32, timed(array, time), from_poly(index))


def store(array: str, index: Poly, order: int, *reads: Load, loops: tuple[LoopInfo, ...] = (LOOP,)) -> Effect:
    value = from_poly(Poly.constant(order), I32)
    for r in reads:
        value = Add(I32, value, r)
    return Effect(array, index, value, None, loops, order, 1)


def test_what_is_read_first_is_what_the_loop_reads() -> None:
    """A loop that reads a[step * k + r] and stores to a[step * k + s], in either order, by which store is read."""
    told = 0
    rng = random.Random(0)
    for _ in range(400):
        step, r, s = rng.choice((-2, -1, 1, 2, 3)), rng.randrange(-4, 5), rng.randrange(-4, 5)
        time, order = rng.sample((1, 2), 2)
        time += time < order  # a read at time 1 comes before the store of order 1
        steps = K.scale(step)
        written: dict[int, int] = {}
        seen = []
        for k in range(ITERATIONS):
            if order < time:
                written[step * k + s] = k
            seen.append(written.get(step * k + r))
            written[step * k + s] = k
        allowed = may_come_first(
            read("a", steps + Poly.constant(r), time), store("a", steps + Poly.constant(s), order), "k.1"
        )
        told += allowed
        assert not allowed or seen == [None] * ITERATIONS
    assert told > 100


def test_what_cannot_be_told_may_not_come_first() -> None:
    unknown = Poly.variable("n", I32)
    assert may_come_first(read("b", K, 1), store("a", K, 2), "k.1")
    assert not may_come_first(read("a", K + unknown, 1), store("a", K, 2), "k.1")
    assert not may_come_first(read("a", K.scale(2), 1), store("a", K, 2), "k.1")
    assert not may_come_first(read("a", unknown, 1), store("a", unknown, 2), "k.1")
    through_memory = Poly.atom(read("b", K, 1)) + K
    assert not may_come_first(read("a", through_memory, 1), store("a", through_memory + Poly.constant(1), 2), "k.1")


def test_blocks_that_are_apart_may_be_stored_in_turn() -> None:
    """Stores of four blocks of six elements of a row, block by block and each for the whole row."""
    length, blocks = 6, 4
    rng = random.Random(1)
    told = 0
    for _ in range(2000):
        turns = [
            Turn(Poly.constant(rng.randrange(0, 7)), rng.choice((-4, -2, 1, 2, 2, 2, 4)), rng.choice((1, 1, 2)))
            for _ in range(rng.choice((2, 2, 3)))
        ]

        def elements(number: int, block: int, turns: list[Turn] = turns) -> list[int]:
            t = turns[number]
            first = block * length // t.taken
            start = int(t.start.constant_value() or 0)
            return [start + t.step * i for i in range(first, first + length // t.taken)]

        by_block = {x: n for b in range(blocks) for n in range(len(turns)) for x in elements(n, b)}
        by_turn = {x: n for n in range(len(turns)) for b in range(blocks) for x in elements(n, b)}
        allowed = blocks_apart(turns)
        told += allowed
        assert not allowed or by_block == by_turn
    assert told > 50


def _run(effects: list[tuple[Effect, list[tuple[str, int]]]]) -> tuple[dict[str, int], dict[int, list[int]]]:
    """What arrays of one element hold at the end, and what each effect has read: numbers of stores."""
    held: list[dict[str, int]] = [{}]
    seen: dict[int, list[int]] = {}
    for e, reads in effects:
        held.append({**held[-1], e.array: e.order})
        seen[e.order] = [held[min(time, len(held) - 1)].get(a, -1) for a, time in reads]
    return held[-1], seen


def test_stores_that_nothing_disturbs_may_stand_at_one_time() -> None:
    rng = random.Random(2)
    told = 0
    for _ in range(2000):
        count = rng.choice((3, 4, 5))
        effects = []
        for order in range(count):
            reads = [(rng.choice("bcd"), rng.randint(0, order)) for _ in range(rng.choice((0, 1)))]
            if rng.random() < 0.3:
                reads.append(("a", rng.randint(0, order)))
            effects.append((rng.choice("aabcd"), reads))
        group = [n for n, (array, _) in enumerate(effects) if array == "a"]
        if len(group) < 2 or any("a" in dict(effects[n][1]) for n in group):
            continue
        made = [store(a, Poly(), n, *(read(x, Poly(), t) for x, t in r), loops=()) for n, (a, r) in enumerate(effects)]
        others = [e for e in made if e.array != "a"]
        if not undisturbed([made[n] for n in group], others, []):
            continue
        told += 1
        plain = _run([(e, effects[e.order][1]) for e in made])
        alike = len({frozenset(a for a, _ in effects[n][1]) for n in group}) == 1
        for place in (group[0], group[-1]) if alike else (group[-1],):
            # One store after the other at `place`, what they read at the earliest or the latest of their times.
            for pick in (min, max):
                order = [n for n in range(count) if n not in group and n < place]
                order += group + [n for n in range(count) if n not in group and n > place]
                position = {n: i for i, n in enumerate(order)}

                def moved(array: str, time: int, position: dict[int, int] = position, effects=effects) -> int:  # type: ignore[no-untyped-def]
                    before = [position[n] for n in range(time) if effects[n][0] == array]
                    return max(before, default=-1) + 1

                times = {a: pick(t for n in group for x, t in effects[n][1] if x == a)
                         for n in group for a, _ in effects[n][1]}
                run = []
                for n in order:
                    reads = [(a, moved(a, times[a] if n in group else t)) for a, t in effects[n][1]]
                    run.append((made[n], reads))
                assert _run(run) == plain
    assert told > 100


def _path(*effects: Effect) -> Path:
    return Path((), effects, {}, (), (), ())


def test_a_store_waits_only_where_nothing_looks() -> None:
    other = LoopInfo("k.2", Poly.constant(ITERATIONS), 2)
    first = store("d", K, 0, read("s", K, 0))
    second = store("d", Poly.variable("k.2", I32), 2, loops=(other,))
    assert may_wait(_path(first, second), first, second)
    # Something reads the array in between, stores to it, or changes what the first one reads, in its loop.
    between = store("t", Poly(), 1, read("d", Poly(), 1), loops=())
    assert not may_wait(_path(first, between, second), first, second)
    assert may_wait(_path(first, store("t", Poly(), 1, read("d", Poly(), 0), loops=()), second), first, second)
    assert not may_wait(_path(first, store("d", Poly(), 1, loops=()), second), first, second)
    assert not may_wait(_path(first, store("s", K, 1), second), first, second)
    assert may_wait(_path(first, store("t", K, 1), second), first, second)
    # A loop runs as often as the array says.
    counted = LoopInfo("k.3", Poly.atom(read("d", Poly(), 1)), 3)
    assert not may_wait(_path(first, store("t", Poly(), 1, loops=(counted,)), second), first, second)


def test_memory_apart() -> None:
    assert memory_apart({"a"}, {"a", "b"}) is None
    assert memory_apart({"a", "l"}, {"b", "m"}, {"l", "m"}) == {frozenset("ab")}
    assert differ(K, K + Poly.constant(1)) and not differ(K, K) and not differ(K, Poly.variable("n", I32))

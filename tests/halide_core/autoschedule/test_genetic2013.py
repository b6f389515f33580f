"""Genetic2013: individuals, mutation rules, trials in a child process, searches that can be taken up again."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.machine import this_machine
from halide_core.autoschedule.directives import GUARD, Directive, FuncName, Loop, Schedule
from halide_core.autoschedule.genetic2013 import trial
from halide_core.autoschedule.genetic2013.genes import MOST, Genes
from halide_core.autoschedule.genetic2013.mutation import RULES, crossover, mutated
from halide_core.autoschedule.genetic2013.plot import plot
from halide_core.autoschedule.genetic2013.repair import repaired
from halide_core.autoschedule.genetic2013.scheduler import of_other_machines
from halide_core.autoschedule.genetic2013.search import Search
from halide_core.autoschedule.genetic2013.state import Member, State, fingerprint, load, save
from halide_core.autoschedule.genetic2013.trial import Judge, Outcome, Trials
from halide_core.errors import HalideError
from tests.halide_core.autoschedule.blurs import blur

pytestmark = pytest.mark.long

TARGET = hl.Target("host-strict_float")
MACHINE = {"parallelism": "2", "l1_size": "32768", "l2_size": "1048576", "last_level_cache_size": "33554432"}
SHORT = {"seconds": "2", "population": "6", "candidate_seconds": "20", "seeds": "0"}


def genes_of(*outputs: Any) -> Genes:
    d = Description([f._function for f in outputs])
    return Genes(d, Costs(d, TARGET), this_machine(TARGET, MACHINE))


def searched(pipeline: Any, **options: str) -> str:
    params = hl.AutoschedulerParams("Genetic2013", {**MACHINE, **SHORT, **options})
    return str(pipeline.apply_autoscheduler(TARGET, params).python_schedule_source)


def _processor_time() -> float:
    """Of this process and of those that it has waited for: a busy machine does not change it."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def test_reasonable_seeds() -> None:
    """Footprints of one are inlined; others are tiled or parallel, computed whole."""
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    scaled, rows, out = hl.Func("scaled"), hl.Func("rows"), hl.Func("out")
    scaled[x, y] = image[x, y] * 3
    rows[x, y] = scaled[x, y] + 1
    out[x, y] = rows[x, y] + rows[x, y + 1]
    image.set_estimates([(0, 64), (0, 65)])
    out.set_estimates([(0, 64), (0, 64)])
    genes = genes_of(out)
    assert genes.funcs == ("out", "rows", "scaled")
    seen = set()
    for seed in range(30):
        made = genes.reasonable(random.Random(seed))
        assert made.of("scaled") == () and made.of("rows")[0].method == "compute_root"
        seen |= {d.method for d in made.of("rows")}
        assert any(d.method == "parallel" for d in made.of("out"))
    assert seen == {"compute_root", "split", "reorder", "vectorize", "parallel"}


def test_what_is_found_for_other_machines() -> None:
    """What the caller says of the machine stays; all compute the same."""
    _, f = blur(96)
    genes = genes_of(f)
    judge = Judge([f._function], TARGET, genes.breadth_first().schedule(), 0)
    found = dict(of_other_machines([f._function], TARGET, MACHINE, genes.machine))
    assert len(found) > 5 and not any(k in name for name in found for k in MACHINE)
    for schedule in found.values():
        again = genes.from_schedule(schedule).schedule()
        assert judge.check(again, again).kind == "right"


def test_a_search_starts_from_what_differs_among_them() -> None:
    """Each once, and none that was tried before; as many at a time as there are workers, for a share of the time."""
    _, f = blur(96)
    genes = genes_of(f)
    made = [genes.reasonable(random.Random(seed)) for seed in range(3)]
    assert len(set(made)) == 3
    trials = Tried()
    search = Search(genes, trials, random.Random(0), State(), 3, lambda *_: None)
    schedules = [made[k].schedule() for k in (0, 1, 1, 0, 2)]
    seeds, others = [("first", schedules[0]), ("same", schedules[3])], (("other", s) for s in schedules[1:])
    search.run(seeds, others, time.perf_counter() + 600, 0, lambda: None)
    plain = genes.breadth_first().schedule()
    assert trials.batches == [[s.directives for s in batch] for batch in (
        [schedules[0]], [plain], [schedules[1], schedules[4]]
    )]
    assert [m.individual for m in search.state.population].count(made[1]) == 1
    late = Tried()
    Search(genes, late, random.Random(0), State(), 3, lambda *_: None).run(
        seeds, iter([("other", s) for s in schedules]), time.perf_counter(), 0, lambda: None
    )
    assert len(late.batches) == 2


class Tried:
    """Trials that note what they are given, and find all of it alike."""

    workers = 2

    def __init__(self, once_more: float = 1.0) -> None:
        self.batches: list[list[Any]] = []
        self.once_more = once_more

    def reference(self, plain: list[Schedule]) -> Schedule:
        return plain[0]

    def again(self, *_: Schedule) -> Outcome:
        return Outcome("timed", "", self.once_more, self.once_more)

    def of_all(self, candidates: list[Schedule], *_: Any) -> list[Outcome]:
        self.batches.append([s.directives for s in candidates])
        return [Outcome("timed", "", 1.0, 1.0) for _ in candidates]


@pytest.mark.parametrize(("once_more", "back"), [(0.9, True), (1.0, False), (1.1, False)])
def test_a_search_goes_back_to_what_was_faster_after_all(once_more, back) -> None:
    _, f = blur(96)
    genes = genes_of(f)
    first, lucky = genes.breadth_first(), genes.reasonable(random.Random(1))
    state = State(1.0, 1, [Member(lucky, 2.0), Member(first, 3.0)], [(1.0, 2.0, "mutation")], {}, Member(first, 3.0))
    Search(genes, Tried(once_more), random.Random(0), state, 4, lambda *_: None).run(
        [], iter(()), time.perf_counter() + 600, 0, lambda: None
    )
    assert state.best == (Member(first, once_more * 2.0) if back else Member(lucky, 2.0))
    assert len(state.population) == 2 and len(state.history) == 1 + back


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_changes_schedules_and_most_are_valid(rule) -> None:
    _, f = blur(96)
    genes = genes_of(f)
    rng = random.Random(1)
    bench = Judge([f._function], TARGET, genes.breadth_first().schedule(), 0)
    changed = valid = 0
    for _ in range(6):
        start = genes.reasonable(rng)
        made = repaired(mutated(start, genes, rng, rule), genes)
        assert [n for n, _ in made.genes] == ["blurred", "rows"]
        assert all(len(g) <= MOST + 2 for _, g in made.genes)
        changed += made != start
        try:
            bench.compiled(made.schedule())
            valid += 1
        except HalideError:
            pass
    assert changed >= 2 and valid >= 5


def test_sizes_change_together() -> None:
    """Those of one dimension, of vectors as of splits; of other dimensions they stay."""
    _, f = blur(96)
    genes = genes_of(f)
    schedule = Schedule()
    schedule.add("rows", 0, "compute_root")
    schedule.add("rows", 0, "split", Loop("x"), Loop("x_b"), Loop("x_v"), 16, GUARD)
    schedule.add("rows", 0, "vectorize", Loop("x_v"))
    schedule.add("rows", 0, "unroll", Loop("y"), 16, GUARD)
    schedule.add("blurred", 0, "vectorize", Loop("x"), 16, GUARD)
    whole = genes.from_schedule(schedule)

    def sizes(individual):
        return tuple(a for func in ("rows", "blurred") for d in individual.of(func) for a in d.args if type(a) is int)

    found = {sizes(mutated(whole, genes, random.Random(s), "together")) for s in range(20)}
    assert found == {(32, 16, 32), (8, 16, 8), (16, 32, 16), (16, 8, 16)}


def test_crossover_takes_whole_genes_of_neighbours() -> None:
    _, f = blur(96)
    genes = genes_of(f)
    a, b = genes.breadth_first(), genes.reasonable(random.Random(0))
    found = {crossover(a, b, random.Random(s)) for s in range(20)}
    for child in found:
        assert all(child.of(n) in (a.of(n), b.of(n)) for n in genes.funcs)
    assert len(found) > 2


def test_levels_that_are_not_there_are_repaired() -> None:
    _, f = blur(96)
    genes = genes_of(f)
    schedule = Schedule()
    schedule.add("rows", 0, "store_at", FuncName("blurred"), Loop("y_o"))
    schedule.add("rows", 0, "compute_at", FuncName("blurred"), Loop("y_i"))
    schedule.add("rows", 0, "vectorize", Loop("x"), 8, GUARD)
    schedule.add("rows", 0, "unroll", Loop("y_o"), 2, GUARD)
    whole = genes.from_schedule(schedule)
    # Neither loop of `blurred` is there, nor one of `rows`: the next best level, and nothing of the third.
    assert [(d.method, *d.args) for d in repaired(whole, genes).of("rows")] == [
        ("compute_at", FuncName("blurred"), Loop("y")), ("vectorize", Loop("x"), 8, GUARD),
    ]
    tiled = whole.changed({"blurred": genes.tiled("blurred", random.Random(0))})
    kept = repaired(tiled, genes)
    assert kept.of("rows") == whole.of("rows")[:3] and repaired(kept, genes) == kept
    # Stored further in than computed: not at all then.
    inner = replace(whole.of("rows")[0], args=(FuncName("blurred"), Loop("x_i")))
    made = repaired(tiled.changed({"rows": (inner, *whole.of("rows")[1:3])}), genes)
    assert [d.method for d in made.of("rows")] == ["compute_at", "vectorize"]


def test_levels_go_around_all_users_and_through_what_is_inlined() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 3)])
    image = hl.ImageParam(hl.Int(32), 2, "image")
    base, left, right, total, out = (hl.Func(n) for n in ("base", "left", "right", "total", "out"))
    base[x, y] = image[x, y] * 3
    left[x, y] = base[x, y] + 1
    right[x, y] = base[x + 1, y] * 2
    total[x, y] = 0
    total[x, y] += left[x + r.x, y] + right[x, y]
    out[x, y] = total[x, y] + right[x, y + 1]
    image.set_estimates([(0, 80), (0, 80)])
    out.set_estimates([(0, 64), (0, 64)])
    genes = genes_of(out)

    def at(func: str, user: str, loop: Loop) -> Directive:
        return Directive(func, 0, "compute_at", (FuncName(user), loop))

    (own,) = (x for x in genes.loops("total", (), 1) if x.reduction is not None)
    whole = genes.breadth_first().changed({
        "total": (at("total", "out", Loop("x")),), "left": (at("left", "total", own),), "right": (),
        "base": (at("base", "total", own),),
    })
    made = repaired(whole, genes)
    # `left` is read by one step of the sum alone; `base` by `out` as well, through `right`.
    assert made.of("left") == whole.of("left") and made.of("base") == (at("base", "out", Loop("y")),)
    assert "left.compute_at(total, total_" in made.schedule().python()
    bench = Judge([out._function], TARGET, genes.breadth_first().schedule(), 0)
    assert bench.check(made.schedule(), made.schedule()).kind == "right"


def test_trials_tell_the_refused_from_the_wrong() -> None:
    _, f = blur(96)
    genes = genes_of(f)
    plain = genes.breadth_first().schedule()
    bench = Judge([f._function], TARGET, plain, 0)
    inlined = genes.from_schedule(Schedule()).schedule()
    assert bench.check(inlined, plain).kind == "right"
    found = bench.time(inlined, plain)
    assert found.kind == "timed" and found.ratio > 0 < found.seconds
    bench.wanted[1][0] = bench.wanted[1][0] + 1
    assert bench.check(plain, plain).reason == "other results on image 1"
    bad = Schedule()
    bad.add("rows", 0, "compute_at", FuncName("blurred"), Loop("nowhere"))
    with Trials([f._function], TARGET, 20.0) as trials:
        trials.reference([plain])
        refused = trials.of(bad, plain)
        assert refused.kind == "invalid" and "nowhere" in refused.reason
        assert trials.of(plain, plain).kind == "timed"
    with Trials([f._function], TARGET, 20.0, workers=2) as trials:
        trials.reference([plain])
        assert [o.kind for o in trials.of_all([bad, inlined], plain, doubtful=100.0)] == ["invalid", "timed"]
    assert f._function.compute is None and not f._function.pure.schedule.splits


def test_other_results_are_found_out(tmp_path) -> None:
    """Of each image; by who computed what they are held to, and by who read it."""
    _, f = blur(96)
    genes = genes_of(f)
    plain, inlined = genes.breadth_first().schedule(), genes.from_schedule(Schedule()).schedule()
    judges = [Judge([f._function], TARGET, plain, 0, tmp_path) for _ in range(2)]
    for judge in judges:
        (first,), (second,) = judge.wanted
        assert not np.array_equal(first, second)
        assert judge.check(inlined, plain).kind == "right"
        proper = judge.run

        def bad(code, given, judge=judge, proper=proper):
            results = proper(code, given)
            if given is judge.inputs[1]:
                np.asarray(results[0])[5, 3] += 1
            return results

        judge.run = bad
        assert judge.check(inlined, plain).reason == "other results on image 1"


def test_what_is_to_be_computed_is_computed_once(monkeypatch) -> None:
    """By the first of the plain schedules that is done in time; further processes read it."""
    _, f = blur(96)
    genes = genes_of(f)
    slow, fast = genes.breadth_first().schedule(), genes.breadth_first_parallel().schedule()
    proper = Judge.compiled

    def compiled(self, schedule):
        if schedule == slow:
            time.sleep(60)
        return proper(self, schedule)

    monkeypatch.setattr(Judge, "compiled", compiled)
    inlined = genes.from_schedule(Schedule()).schedule()
    with Trials([f._function], TARGET, 4.0, workers=2) as trials:
        assert trials.reference([slow, fast]) == fast
        monkeypatch.setattr(trials, "limit", 20.0)
        # Any other process would wait for a minute now, if it computed anew.
        for child in trials._children:
            child.stop()
            child.plain = slow
        assert [o.kind for o in trials.of_all([inlined, fast], fast)] == ["timed", "timed"]
        assert trials.again(inlined, fast).kind == "timed"
        with pytest.raises(HalideError, match="the plain schedule of the pipeline is late"):
            trials.limit = 0.1
            trials.reference([slow])


def test_a_crash_and_a_hang_lose_nothing(monkeypatch) -> None:
    _, f = blur(96)
    genes = genes_of(f)
    plain = genes.breadth_first().schedule()
    crash, hang = Schedule(), Schedule()
    crash.add("blurred", 0, "parallel", Loop("y"))
    hang.add("blurred", 0, "parallel", Loop("x"))
    proper = Judge.check

    def tried(self, candidate, incumbent):
        if candidate == crash:
            os.kill(os.getpid(), signal.SIGKILL)
        if candidate == hang:
            time.sleep(60)
        return proper(self, candidate, incumbent)

    monkeypatch.setattr(Judge, "check", tried)
    monkeypatch.setattr(trial, "_FEWEST", 0.5)
    with Trials([f._function], TARGET, 20.0) as trials:
        trials.reference([plain])
        crashed = trials.of(crash, plain)
        assert crashed.kind == "crashed" and str(-signal.SIGKILL) in crashed.reason
        assert trials.of(plain, plain).kind == "timed"
        trials.limit = 1.0
        assert trials.of(hang, plain).kind == "late"
        trials.limit = 20.0
        assert trials.of(plain, plain).kind == "timed"


def test_a_search_keeps_the_results_and_is_taken_up_again(tmp_path) -> None:
    state, picture = tmp_path / "state.json", tmp_path / "plot.svg"
    image, f = blur(96)
    text = searched(hl.Pipeline([f]), state_file=str(state), plot=str(picture), seed="3", seconds="60", generations="1")
    first = json.loads(state.read_text())
    assert first["counts"]["timed"] > 3 and not first["counts"].get("wrong") and not first["counts"].get("crashed")
    times = [t for _, t, _ in first["history"]]
    assert times == sorted(times, reverse=True)
    assert picture.read_text().startswith("<svg") and first["history"][0][2] in picture.read_text()
    data = np.random.default_rng(0).integers(-100, 100, (69, 103)).astype(np.int32)
    image.set(hl.Buffer(data))
    rows = (data[:, :-2] + data[:, 1:-1] + data[:, 2:]) // 3
    assert np.array_equal(np.array(f.realize([101, 67])), (rows[:-2] + rows[1:-1] + rows[2:]) // 3)
    # No time left: the best of the first search, at once.
    _, again = blur(96)
    start = _processor_time()
    assert searched(hl.Pipeline([again]), state_file=str(state), seconds="0") == text
    assert _processor_time() - start < 5
    _, other = blur(200)
    with pytest.raises(HalideError, match="of another pipeline or of other sizes"):
        searched(hl.Pipeline([other]), state_file=str(state))
    state.write_text("{}")
    with pytest.raises(HalideError, match="no state of a search"):
        searched(hl.Pipeline([blur(96)[1]]), state_file=str(state))


def test_states_are_read_back_whole(tmp_path) -> None:
    _, f = blur(96)
    genes = genes_of(f)
    rng = random.Random(5)
    population = [Member(genes.arbitrary(rng), 1.5), Member(genes.reasonable(rng), 2.5)]
    state = State(12.0, 3, population, [(1.0, 1.5, "random")], {"timed": 2}, population[1])
    name = fingerprint(genes.d)
    save(tmp_path / "s.json", state, rng, name)
    wanted = rng.random()
    other = random.Random(0)
    functions = {n: node.function for n, node in genes.d.nodes.items()}
    assert load(tmp_path / "s.json", other, name, functions) == state
    assert other.random() == wanted
    assert load(tmp_path / "none.json", other, name, functions) is None
    assert "1.500e+03 ms" not in plot(state) and "1500.000 ms after 1.0 s: random" in plot(state)


def product(size: int) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    a = hl.ImageParam(hl.Float(32), 2, "a")
    k = hl.RDom([(0, size)], "steps")
    total, out = hl.Func("total"), hl.Func("out")
    total[x, y] = 0.0
    total[x, y] += a[k.x, y] * a[x, k.x]
    out[x, y] = total[x, y]
    a.set_estimates([(0, size), (0, size)])
    out.set_estimates([(0, size), (0, size)])
    return out


def test_states_know_reductions_under_other_names(tmp_path) -> None:
    """Names of reductions count up in a process: built again, the pipeline has other ones."""
    first, second, other = genes_of(product(32)), genes_of(product(32)), genes_of(product(40))
    (a,), (b,) = ([x for x in g.loops("total", (), 1) if x.reduction is not None] for g in (first, second))
    assert a.name != b.name and fingerprint(first.d) == fingerprint(second.d) != fingerprint(other.d)
    split = Directive("total", 1, "split", (a, Loop("o", (0, -1)), Loop("i", (0, -1)), 8, GUARD))
    whole = first.breadth_first().changed({"total": (*first.breadth_first().of("total"), split)})
    rng, path = random.Random(0), tmp_path / "s.json"
    save(path, State(1.0, 1, [Member(whole, 1.0)]), rng, fingerprint(first.d))
    found = load(path, rng, fingerprint(second.d), {n: node.function for n, node in second.d.nodes.items()})
    assert found is not None and found.best.individual.of("total")[-1].args[0] == b
    bench = Judge([second.d.nodes["out"].function], TARGET, second.breadth_first().schedule(), 0)
    # Applied as it was written, too, a directive finds the variable by its place.
    for schedule in (found.best.individual.schedule(), whole.schedule()):
        assert bench.check(schedule, schedule).kind == "right"


def test_reductions_params_and_several_outputs() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image, gain = hl.ImageParam(hl.Float(32), 2, "image"), hl.Param(hl.Float(32), "gain")
    sums, low, high = hl.Func("sums"), hl.Func("low"), hl.Func("high")
    r = hl.RDom([(0, 4)])
    sums[x, y] = 0.0
    sums[x, y] += image[x + r.x, y]
    low[x, y] = sums[x, y] * gain
    high[x, y] = image[x, y] - sums[x, y + 1]
    image.set_estimates([(0, 99), (0, 61)])
    gain.set_estimate(0.25)
    for f in (low, high):
        f.set_estimates([(0, 96), (0, 60)])
    pipeline = hl.Pipeline([low, high])
    searched(pipeline, seed="2")
    data = np.random.default_rng(0).random((38, 50)).astype(np.float32)
    image.set(hl.Buffer(data))
    gain.set(0.5)
    outs = [hl.Buffer(hl.Float(32), [47, 37]) for _ in range(2)]
    pipeline.realize(outs, TARGET)
    total = np.zeros((38, 47), np.float32)
    for k in range(4):
        total = total + data[:, k : k + 47]
    assert np.array_equal(np.array(outs[0]), total[:37] * np.float32(0.5))
    assert np.array_equal(np.array(outs[1]), data[:37, :47] - total[1:])


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"population": "none"}, "population must be a number"), ({"population": "0"}, "too small"),
     ({"seconds": "-1"}, "too small")],
)
def test_options_that_make_no_sense(options, reason) -> None:
    with pytest.raises(HalideError, match=reason):
        searched(hl.Pipeline([blur(96)[1]]), **options)

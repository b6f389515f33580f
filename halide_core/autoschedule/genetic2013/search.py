"""The genetic search: generations of individuals by elitism, crossover, mutation and chance."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.genetic2013.genes import Genes, Individual
from halide_core.autoschedule.genetic2013.mutation import crossover, mutated
from halide_core.autoschedule.genetic2013.repair import repaired
from halide_core.autoschedule.genetic2013.state import Member, State
from halide_core.autoschedule.genetic2013.trial import Outcome, Trials

# Shares of a generation; the rest is random.
_ELITE, _CROSSED, _MUTATED = 0.15, 0.25, 0.52
_TOURNAMENT = 3
# A candidate replaces the incumbent where it is so much faster, each time that it is timed.
_GAIN = 0.98
# The share of the time that the first schedules may take.
_SEEDING = 0.4
# Candidates sampled in vain before a place in a generation stays empty.
_VAIN = 50


@dataclass(slots=True)
class Search:
    """One search, from a state on.

    `report` is called after every trial with the state and the outcome."""

    genes: Genes
    trials: Trials
    rng: random.Random
    state: State
    size: int
    report: Callable[[State, Outcome], None]
    start: float = 0.0
    deadline: float = 0.0
    tried: set[Individual] = field(default_factory=set)

    def run(
        self, seeds: list[tuple[str, Schedule]], others: Iterator[tuple[str, Schedule]], deadline: float,
        generations: int, save: Callable[[], None],
    ) -> None:
        """Searches until `deadline`, of time.perf_counter, or for `generations` more generations: from `seeds`, and
        from `others` as far as these take no more than a share of the time."""
        self.start = time.perf_counter() - self.state.elapsed
        self.deadline = deadline
        self.tried = {m.individual for m in self.state.population}
        plain = [self.genes.breadth_first(), self.genes.breadth_first_parallel()]
        schedules = [i.schedule() for i in plain]
        ready = plain[schedules.index(self.trials.reference(schedules))]
        if not self.state.population:
            # One at a time: each is the measure of the next; the plain one, of which little is expected, last.
            for seed in self._fresh(seeds):
                self._try([seed], patient=True)
            if ready not in self.tried:
                self._try([("breadth-first", ready)])
            if self.state.population:
                self.state.start = self.state.best
            until = self.start + _SEEDING * (deadline - self.start)
            fresh = self._fresh(others)
            while time.perf_counter() < until and (batch := list(itertools.islice(fresh, self.trials.workers))):
                self._try(batch)
            self._fill([])
            save()
        for _ in range(generations):
            if self._late():
                break
            self._generation()
            self.state.generation += 1
            save()
        if self.state.population:
            self._settle()
            self.state.elapsed = time.perf_counter() - self.start
            save()

    def _settle(self) -> None:
        """Times what was found against what the search started from once more: hundreds of small steps, each within
        the noise, may lead astray."""
        state = self.state
        if state.start is None or state.best.individual == state.start.individual:
            return
        best, start = state.best.individual.schedule(), state.start.individual
        found = self.trials.again(start.schedule(), best)
        if found.kind == "timed" and found.ratio < 1:
            seconds = found.ratio * state.best.seconds
            state.history.append((time.perf_counter() - self.start, seconds, "what it started from, after all"))
            rest = [m for m in state.population if m.individual != start]
            state.population = [Member(start, seconds), *rest][: self.size]
            state.start = state.best

    def _fresh(self, found: Iterable[tuple[str, Schedule]]) -> Iterator[tuple[str, Individual]]:
        """The individuals of schedules that have not been tried, each once."""
        seen = set[Individual]()
        for name, schedule in found:
            individual = self.genes.from_schedule(schedule)
            if individual not in self.tried and individual not in seen:
                seen.add(individual)
                yield name, individual

    def _late(self) -> bool:
        self.state.elapsed = time.perf_counter() - self.start
        return time.perf_counter() > self.deadline

    def _generation(self) -> None:
        old = self.state.population
        self._fill(old[: max(1, round(_ELITE * self.size))])

    def _fill(self, kept: list[Member]) -> None:
        """A new generation around `kept`; who does not fit any more is forgotten."""
        old = list(self.state.population)
        found: list[Member] = list(kept or old)
        children = self._children(old, self.size - len(found))
        while batch := list(itertools.islice(children, self.trials.workers)):
            if self._late():
                # Half a generation is no reason to forget the old one.
                found = [*found, *(m for m in old if m not in found)]
                break
            found += self._try(batch)
        self.state.population = sorted(found, key=lambda m: m.seconds)[: self.size]

    def _children(self, old: list[Member], count: int) -> Iterator[tuple[str, Individual]]:
        made = set[Individual]()
        for k in range(count):
            for _ in range(_VAIN):
                share = k / max(count, 1)
                how, child = self._child(old, share)
                child = repaired(child, self.genes)
                if child not in self.tried and child not in made:
                    made.add(child)
                    yield how, child
                    break

    def _child(self, old: list[Member], share: float) -> tuple[str, Individual]:
        rng = self.rng
        if len(old) >= 2 and share < _CROSSED / (1 - _ELITE):
            return "crossover", crossover(self._parent(old), self._parent(old), rng)
        if old and share < (_CROSSED + _MUTATED) / (1 - _ELITE):
            child = mutated(self._parent(old), self.genes, rng)
            # Small steps are cheap to make and often lead nowhere alone.
            while rng.random() < 0.3:
                child = mutated(child, self.genes, rng)
            return "mutation", child
        if rng.random() < 0.5:
            return "reasonable", self.genes.reasonable(rng)
        return "random", self.genes.arbitrary(rng)

    def _parent(self, old: list[Member]) -> Individual:
        """The fastest of a few."""
        return min(self.rng.choices(old, k=_TOURNAMENT), key=lambda m: m.seconds).individual

    def _try(self, batch: list[tuple[str, Individual]], patient: bool = False) -> list[Member]:
        """Times individuals (with what made each) against the incumbent; those that are valid.  `patient`: they get
        several times as long as others."""
        state = self.state
        incumbent = state.best if state.population else None
        against = incumbent.individual if incumbent is not None else batch[0][1]
        self.tried |= {individual for _, individual in batch}
        members: list[Member] = []
        doubtful = _GAIN if incumbent is not None else 0.0
        outcomes = self.trials.of_all([i.schedule() for _, i in batch], against.schedule(), doubtful, patient)
        for (how, individual), found in zip(batch, outcomes, strict=True):
            state.counts[found.kind] = state.counts.get(found.kind, 0) + 1
            if found.kind == "timed":
                # Times are those of the incumbent's measure, so that quiet and noisy minutes compare.
                seconds = found.seconds if incumbent is None else found.ratio * incumbent.seconds
                members.append(Member(individual, seconds))
                self._enter(members[-1], how)
            self.report(state, found)
        return members

    def _enter(self, member: Member, how: str) -> None:
        """Takes a timed individual into the population."""
        state = self.state
        best = state.best if state.population else None
        if best is None or member.seconds < _GAIN * best.seconds:
            state.history.append((time.perf_counter() - self.start, member.seconds, how))
            state.population = [member, *state.population]
            return
        state.population = sorted([*state.population, member], key=lambda m: m.seconds)
        if state.population[0] is member:
            # Within the noise: who came first stays the measure.
            state.population[:2] = [best, member]

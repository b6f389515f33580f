"""Random schedules as an expert would write them: tiles and strips in vectors and threads, producers computed where
they are used, kept from row to row, stored whole or inlined."""

from __future__ import annotations

import random
from dataclasses import dataclass

from corpus.unseen.definitions import SOURCE
from corpus.unseen.loops import Loop, WholeFunc, part_of_tile
from corpus.unseen.pipeline import OUTPUT, Pipeline
from corpus.unseen.stage import Access, Read, Stage
from corpus.unseen.updates import schedule_update

# Elements of what is not worth threads.
_SMALL = 20_000
# How often one point may compute an inlined Func.
_MOST_TIMES = 12
# Axes along which no loop around a Func may go that is needed along all of them.
_WHOLE = {"point": "", "stencil": "", "scaled": "", "row": "x", "column": "y", "whole": "xy"}
_OVER = {"window": "", "sums": "xy", "scan x": "x", "scan y": "y", "histogram": "xy", "table": "xy"}


@dataclass(slots=True)
class _User:
    """Where a Func is read, once what is inlined is out of the way: in which loops, how, and how often a point."""

    chain: list[tuple[str, Loop]]
    access: Access
    times: int


def random_schedule(p: Pipeline, seed: int) -> list[str]:
    """Directives for a pipeline, one a line."""
    return _Schedule(random.Random(f"schedule {p.seed} {seed}"), p).lines


class _Schedule:
    def __init__(self, rng: random.Random, p: Pipeline) -> None:
        self.rng, self.p = rng, p
        self.lines: list[str] = []
        self.users: dict[str, list[_User]] = {s.name: [] for s in p.stages}
        # How much arithmetic is worth computing again.
        self.cheap = rng.choice((0, 6, 12, 24))
        # Some stages are computed with their users, in others everything is stored whole.
        self.fusing = rng.choice((0.2, 0.6, 0.8, 0.9))
        for s in reversed(p.stages):
            self._stage(s)

    def _stage(self, s: Stage) -> None:
        users = self.users[s.name]
        if s.name == OUTPUT:
            self._whole(s, True)
        elif not s.updates and self._inlined(s, users):
            for name, read in s.callees().items():
                for u in users:
                    self._used(name, _User(u.chain, _wider(u.access, read.access), u.times * read.count))
        elif (place := self._place(s, users)) is None:
            self.lines.append(f"{s.name}.compute_root()")
            self._whole(s, False)
        else:
            self._in_a_loop(s, users, place)

    def _used(self, name: str, user: _User) -> None:
        if name != SOURCE:
            self.users[name].append(user)

    def _inlined(self, s: Stage, users: list[_User]) -> bool:
        times = sum(u.times for u in users)
        if s.name.startswith("kernel") or "i" in s.dims:
            return False
        return times <= _MOST_TIMES and s.cost * times <= self.cheap and self.rng.random() < 0.8

    # -- where

    def _place(self, s: Stage, users: list[_User]) -> int | None:
        """How many loops, of those around all users, are around the Func too; None for the root."""
        rng = self.rng
        common = users[0].chain
        for u in users[1:]:
            same = 0
            while same < min(len(common), len(u.chain)) and common[same] == u.chain[same]:
                same += 1
            common = common[:same]
        # Scans and sums would go over all of their axis again in each iteration of a loop along it.
        along = "".join([_WHOLE[u.access] for u in users] + [_OVER[u.kind] for u in s.updates])
        while common and any(set(along) & set(loop.axis) for _, loop in common):
            common = common[:-1]
        # In a loop over channels only, everything would be computed for each.
        places = [n for n in range(1, len(common) + 1) if common[n - 1][1].axis != "c"]
        if not places or rng.random() > self.fusing:
            return None
        return rng.choice(places)

    def _in_a_loop(self, s: Stage, users: list[_User], place: int) -> None:
        rng = self.rng
        chain = users[0].chain[:place]
        handle, loop = chain[-1]
        self.lines.append(f"{s.name}.compute_at({handle}, {loop.var})")
        # Storage further out keeps rows of the iterations before, across serial loops only.
        out = place
        while out > 1 and users[0].chain[out - 1][1].serial:
            out -= 1
        near = any(u.access != "point" for u in users)
        if out < place and loop.axis == "y" and not s.updates and (near or rng.random() < 0.3):
            keeps = [n for n in range(out, place) if users[0].chain[n - 1][1].axis != "c"]
            if keeps:
                handle, loop = users[0].chain[keeps[-1] - 1]
                self.lines.append(f"{s.name}.store_at({handle}, {loop.var})")
        if s.dims[0] not in ("x",):
            self._definitions(s, chain, [], False)
            return
        lines, loops = part_of_tile(rng, s.name, s.dims, s.types, rng.random() < 0.5 and not s.updates)
        self.lines += lines
        self._definitions(s, chain, loops, False)

    # -- how

    def _whole(self, s: Stage, output: bool) -> None:
        rng = self.rng
        elements = 1
        for n in s.size:
            elements *= n
        if s.dims[0] != "x" or len(s.dims) < 2 or elements < _SMALL:
            extent = s.size[0]
            if extent >= 16:
                self.lines.append(f"{s.name}.vectorize({s.dims[0]}, 8)")
            self._definitions(s, [], [], elements >= _SMALL or s.dims in (["x"], ["y"]))
            return
        unrolled = self.p.output.interleaved if output else rng.random() < 0.4
        unrolled = unrolled or (output and rng.random() < 0.3)
        whole = WholeFunc(
            rng, s.name, s.dims, s.types, s.size, output, unrolled and not s.updates, bool(s.updates)
        )
        self.lines += whole.lines
        self._definitions(s, [], whole.loops, True)

    def _definitions(self, s: Stage, around: list[tuple[str, Loop]], loops: list[Loop], at_root: bool) -> None:
        """Schedules the updates, and says of everything that `s` reads where it is read."""
        own = [*around, *((s.name, loop) for loop in loops)]
        if not s.updates:
            for name, read in s.reads.items():
                self._used(name, _User(own, read.access, read.count))
            return
        scheduled = [schedule_update(self.rng, s, n, at_root and not around) for n in range(len(s.updates))]
        for made in scheduled:
            self.lines += made.lines
        # What several definitions read is computed outside of them, in loops that all of them have.
        readers = [name for reads in [s.reads, *(u.reads for u in s.updates)] for name in reads]
        alone = len(s.updates) == 1
        for name, read in s.reads.items():
            self._used(name, _User(around, read.access, read.count))
        for u, made in zip(s.updates, scheduled, strict=True):
            for name, read in u.reads.items():
                inside = alone and readers.count(name) == 1
                chain = [*around, *((made.handle, loop) for loop in made.loops)] if inside else around
                access = read.access
                # In a loop over rows of a histogram only that row is read.
                if inside and u.kind == "histogram":
                    access = "row"
                    chain = [(h, Loop(v.var, "y", v.serial)) for h, v in chain]
                self._used(name, _User(chain, access, read.count))


def _wider(a: Access, b: Access) -> Access:
    read = Read(a)
    read.and_also(b)
    return read.access

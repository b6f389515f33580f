"""Random directives for a random pipeline, each legal where it is given."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.halide_core.fuzz.random_pipeline import Definitions, Update

TAILS = [
    "GuardWithIf", "Predicate", "RoundUp", "ShiftInwards", "PredicateLoads", "PredicateStores",
    "ShiftInwardsAndBlend", "RoundUpAndBlend",
]  # fmt: skip
# What never computes outside the loop, for outputs whose memory ends there.
WITHIN = ["GuardWithIf", "Predicate"]
# What may be given to an update, whose iterations must not run twice.
ONCE = [t for t in TAILS if "ShiftInwards" not in t]


@dataclass(slots=True)
class Loop:
    """A loop of a scheduled stage."""

    name: str
    kind: str = "serial"


@dataclass(slots=True)
class Placed:
    """Where a Func is computed and what loops others may be computed in, innermost first."""

    name: str
    loops: list[Loop] = field(default_factory=list)
    # The loop that it is computed in: (Func, loop), or None for the root.
    at: tuple[str, str] | None = None


class Schedule:
    """The directives of one random schedule; `guarded` when the result has no room beyond its edges."""

    def __init__(self, rng: random.Random, p: Definitions, guarded: bool, width: int) -> None:
        self.rng, self.p, self.guarded, self.width = rng, p, guarded, width
        self.lines: list[str] = []
        self.placed: dict[str, Placed] = {}
        last = len(p.stages) - 1
        # The Funcs that read each stage once what is inlined is out of the way, by name.
        self.users: dict[int, set[str]] = {k: set() for k in range(last + 1)}
        for k in range(last, -1, -1):
            self._stage(k, k == last)
        if rng.random() < 0.25:
            self._together()

    def say(self, line: str) -> None:
        self.lines.append(line)

    def _stage(self, k: int, last: bool) -> None:
        rng, info = self.rng, self.p.stages[k]
        name = info.name
        users = self.users[k]
        if not last and not users:
            return
        if not last and not info.updates and rng.random() < 0.25:
            for j in info.callees:
                self.users[j] |= users
            return
        if not last and rng.random() < 0.06:
            # A copy that all users read instead.
            self.say(f"w{k} = {name}.in_()")
            self._place(f"w{k}", users)
            self.placed[f"w{k}"].loops = self._loops(f"w{k}", info.dims, False)
            users = {f"w{k}"}
        if last:
            self.placed[name] = Placed(name)
        else:
            self._place(name, users)
        for j in info.callees:
            self.users[j].add(name)
        loops = self._loops(name, info.dims, last)
        for u, update in enumerate(info.updates):
            self._update(k, u, update)
        # Loops that every stage of the Func has, in one order.
        if info.updates:
            shared = all("y" in u.pure for u in info.updates) and not any(u.scan for u in info.updates)
            loops = [v for v in loops if v.name == "y"] if shared else []
        self.placed[name].loops = loops
        if rng.random() < 0.08:
            self.say(f"{name}.specialize(source.width() > {rng.randint(4, 12)})")

    # -- where

    def _around(self, name: str) -> list[tuple[str, str]]:
        """The loops in which a Func is computed, innermost first."""
        out: list[tuple[str, str]] = []
        at = self.placed[name].at
        while at is not None:
            loops = [v.name for v in self.placed[at[0]].loops]
            out += [(at[0], v) for v in loops[loops.index(at[1]) :]]
            at = self.placed[at[0]].at
        return out

    def _place(self, name: str, users: set[str]) -> None:
        rng = self.rng
        chains = [[(u, v.name) for v in self.placed[u].loops] + self._around(u) for u in sorted(users)]
        common = [place for place in chains[0] if all(place in c for c in chains[1:])]
        placed = self.placed[name] = Placed(name)
        if not common or rng.random() < 0.3:
            self.say(f"{name}.compute_root()")
            return
        n = rng.randrange(len(common))
        placed.at = common[n]
        self.say(f"{name}.compute_at({placed.at[0]}, hl.Var({placed.at[1]!r}))")
        if rng.random() < 0.4:
            self._store(name, common, n)
        elif rng.random() < 0.1:
            self.say(f"{name}.hoist_storage_root()")

    def _store(self, name: str, places: list[tuple[str, str]], n: int) -> None:
        """Storage further out than the computation, across serial loops only."""
        ends = n
        while ends + 1 <= len(places) and self._kind(places[ends]) == "serial":
            ends += 1
        levels = places[n + 1 : ends + 1]
        if levels and self.rng.random() < 0.6:
            func, var = self.rng.choice(levels)
            self.say(f"{name}.store_at({func}, hl.Var({var!r}))")
        elif ends == len(places):
            self.say(f"{name}.store_root()")

    def _kind(self, place: tuple[str, str]) -> str:
        return next(v.kind for v in self.placed[place[0]].loops if v.name == place[1])

    # -- loops

    def _loops(self, name: str, dims: list[str], last: bool) -> list[Loop]:
        rng = self.rng
        loops = [Loop(d) for d in dims]
        within = last and self.guarded
        # Dimensions of which no loop may be parallel, for a tail keeps what another block stores.
        blended: set[str] = set()
        for n in range(rng.choice([0, 1, 1, 1, 2])):
            loop = rng.choice(loops)
            if loop.kind != "serial":
                continue
            factor = rng.choice([1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 16])
            tails = WITHIN + ["ShiftInwards"] * (factor <= self.width and loop.name == "x") if within else TAILS
            # A tail inside a split loop acts on the outer split's tail: only what cuts off is sure to be legal.
            tail = rng.choice(tails if loop.name in dims else WITHIN)
            o, i = Loop(f"{loop.name}o{n}"), Loop(f"{loop.name}i{n}")
            self.say(
                f"{name}.split(hl.Var({loop.name!r}), hl.Var({o.name!r}), hl.Var({i.name!r}), {factor}, "
                f"hl.TailStrategy.{tail})"
            )
            blended |= {loop.name[0]} if tail.endswith("Blend") else set()
            at = loops.index(loop)
            loops[at : at + 1] = [i, o]
            mark = rng.random()
            if mark < 0.45:
                i.kind = "vectorize"
            elif mark < 0.6:
                i.kind = "unroll"
            if i.kind != "serial":
                self.say(f"{name}.{i.kind}(hl.Var({i.name!r}))")
        if rng.random() < 0.3:
            rng.shuffle(loops)
            self.say(f"{name}.reorder({', '.join(f'hl.Var({v.name!r})' for v in loops)})")
        if rng.random() < 0.1:
            self._fuse(name, loops)
        if rng.random() < 0.25:
            outer = loops[-1]
            if outer.kind == "serial" and outer.name[0] not in (blended | {"t"} if blended else blended):
                outer.kind = "parallel"
                self.say(f"{name}.parallel(hl.Var({outer.name!r}))")
        if rng.random() < 0.15 and len(dims) > 1:
            self.say(f"{name}.reorder_storage({', '.join(['y', 'x', *dims[2:]] if 'y' in dims else dims)})")
        if not last and rng.random() < 0.08:
            self.say(f"{name}.align_storage(x, {rng.choice([4, 16])})")
        if not last and rng.random() < 0.06:
            self.say(f"{name}.align_bounds(x, {rng.choice([2, 3, 4])})")
        if rng.random() < 0.06:
            serial = [v for v in loops if v.kind in ("serial", "parallel")]
            if serial:
                var = rng.choice(serial).name
                self.say(f"{name}.{rng.choice(['never', 'always'])}_partition([hl.Var({var!r})])")
        return loops

    def _fuse(self, name: str, loops: list[Loop]) -> None:
        pairs = [k for k in range(len(loops) - 1) if loops[k].kind == loops[k + 1].kind == "serial"]
        if pairs:
            k = self.rng.choice(pairs)
            fused = Loop("t")
            self.say(f"{name}.fuse(hl.Var({loops[k].name!r}), hl.Var({loops[k + 1].name!r}), hl.Var('t'))")
            loops[k : k + 2] = [fused]

    def _update(self, k: int, u: int, update: Update) -> None:
        rng = self.rng
        stage = f"f{k}.update({u})"
        domain = [name for name, _ in update.domain]
        if update.associative and len(domain) > 1 and rng.random() < 0.15:
            self._rfactor(k, u, domain)
            return
        if domain and "x" in update.pure and rng.random() < 0.3:
            order = ["x", *domain] if update.scan or rng.random() < 0.5 else [domain[0], "x", *domain[1:]]
            self.say(f"{stage}.reorder({', '.join(order)})")
        if "x" in update.pure and rng.random() < 0.5:
            self.say(f"{stage}.vectorize(x, {rng.choice([2, 4, 5, 8, 16])}, hl.TailStrategy.{rng.choice(ONCE)})")
        elif update.associative and len(domain) > 1 and rng.random() < 0.2:
            mark = rng.choice(["vectorize", "parallel", "unroll"])
            self.say(f"{stage}.atomic().{mark}({rng.choice(domain)})")
        if "y" in update.pure and rng.random() < 0.3:
            self.say(f"{stage}.parallel(y)")
        elif domain and rng.random() < 0.1:
            self.say(f"{stage}.unroll({domain[0]})")

    def _rfactor(self, k: int, u: int, domain: list[str]) -> None:
        rng = self.rng
        kept = rng.choice(domain)
        self.say(f"p{k}_{u} = f{k}.update({u}).rfactor({kept}, hl.Var('u'))")
        self.say(f"p{k}_{u}.compute_root()")
        if rng.random() < 0.5:
            self.say(f"p{k}_{u}.{rng.choice(['vectorize', 'unroll'])}(hl.Var('u'), {rng.choice([2, 4])})")
        if rng.random() < 0.3:
            self.say(f"p{k}_{u}.update(0).parallel(hl.Var('u'))")

    # -- stages in common loops

    def _together(self) -> None:
        """Two stages computed at the root, neither of which needs the other, in one loop over y."""
        plain = [
            k
            for k, info in enumerate(self.p.stages)
            if f"f{k}.compute_root()" in self.lines
            and not info.updates
            and sum(line.startswith(f"f{k}.") for line in self.lines) == 1
            and "y" in info.dims
        ]
        needs: dict[int, set[int]] = {}
        for k, info in enumerate(self.p.stages):
            needs[k] = set(info.callees).union(*(needs[j] for j in info.callees))
        pairs = [
            (i, j)
            for i in plain
            for j in plain
            if i < j and i not in needs[j] and self.p.stages[i].dims == self.p.stages[j].dims
        ]
        if pairs:
            i, j = self.rng.choice(pairs)
            self.say(f"f{j}.compute_with(f{i}, y)")

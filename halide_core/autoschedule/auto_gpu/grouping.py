"""Which Funcs are computed in the kernels of others: a group grows from its output, one Func at a time, while what
the kernels cost together falls.

As the paper's pass, it merges what brings most at tiles of powers of two; a second pass takes finer steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from halide_core.autoschedule.auto_gpu.cost import by_listing, by_time
from halide_core.autoschedule.auto_gpu.devices import Device
from halide_core.autoschedule.auto_gpu.estimate import estimated
from halide_core.autoschedule.auto_gpu.group import BLOCK, INLINE, ROOT, THREAD, Group, block_boxes, thread_box
from halide_core.autoschedule.auto_gpu.occupancy import WARP
from halide_core.autoschedule.auto_gpu.options import Options
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles, finer_tiles, power_of_two_tiles, product_of
from halide_core.autoschedule.auto_gpu.time_model import KernelWork, kernel_seconds
from halide_core.autoschedule.auto_gpu.view import View
from halide_core.autoschedule.device.loops import LEAST_THREADS, Loops
from halide_core.ir.expr import Variable

_SWEEPS, _MANY, _VERY_MANY = 3, 40, 80
"""Times that each Func is looked at; of pipelines of many Funcs that is done from one start, of more once less."""
_UNEVEN = 1.02
"""What tiles cost more that do not divide what they are tiles of."""
_MANY_THREADS, _FEW_REGISTERS = 960, 1.05
"""Threads of a block that leave each 64 registers at the most, of which ptxas may take fewer and spill, and what that
costs."""
_WORTH = 0.99
"""What the cost must fall to for a step to be taken."""


Key = tuple[str, int, tuple[tuple[str, str], ...], frozenset[str], bool]
"""A group, with the inlined Funcs that it computes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The tile of a kernel: threads and outputs of each along its first loops, whether what else is in a block has a
    thread for each point, the cost, and the work that was priced."""

    threads: tuple[int, ...]
    each: tuple[int, ...]
    whole: bool
    cost: float
    work: KernelWork


@dataclass(slots=True)
class Refused:
    """What is known from schedules that the compiler refused.

    `plainer`: by Func how often it was at fault; `spread`: kernels in whose blocks threads go over boxes, none of them
    having one for each point; `placed`: where Funcs were computed last, which the next search starts from; `costs`: the
    best tiles of groups."""

    plainer: dict[str, int] = field(default_factory=dict)
    spread: set[str] = field(default_factory=set)
    placed: dict[str, str] = field(default_factory=dict)
    costs: dict[Key, Choice | None] = field(default_factory=dict)


class Grouping:
    """Decides where each Func is computed: `placed` by name."""

    def __init__(
        self, view: View, device: Device, options: Options, on_device: Callable[[str], bool],
        can_inline: Callable[[str], bool], trivial: Callable[[str], bool],
        refused: Refused | None = None,
    ) -> None:
        self.view, self.device, self.options = view, device, options
        self.on_device, self.can_inline, self.trivial = on_device, can_inline, trivial
        self.refused = refused if refused is not None else Refused()
        self.placed: dict[str, str] = {}
        self._floors: dict[str, float] = {}
        self._settled = False

    # What may be where.

    def inlined(self, placed: Mapping[str, str]) -> frozenset[str]:
        return frozenset(n for n, kind in placed.items() if kind == INLINE)

    def kernel_of(self, name: str, placed: Mapping[str, str], inlined: frozenset[str]) -> str | None:
        """The kernel in which a Func that is not inlined is computed; None where its users are in several."""
        if placed[name] == ROOT:
            return name
        found = {self.kernel_of(u, placed, inlined) for u in self.view.users(name, inlined)}
        return found.pop() if len(found) == 1 else None

    def _tiled(self, name: str) -> bool:
        """Whether a Func is a kernel that others may be computed in."""
        loops = self.view.loops[name]
        if self.refused.plainer.get(self.view.wrapped.get(name, name), 0) > 1:
            return False
        return self.on_device(name) and len(loops) == 1 and loops[0].is_wide and bool(loops[0].wide)

    def _threaded(self, name: str) -> bool:
        """Whether each point of a Func may have a thread, in a block that has a box of it, or where data choose the
        places of an update each column along which they do."""
        stages = self.view.loops[name]
        return not self.refused.plainer.get(name) and all(_has_points(x) or _has_columns(x, stages[0]) for x in stages)

    def kinds(self, name: str, placed: Mapping[str, str]) -> list[str]:
        """Where a Func may be computed, whole apart."""
        node, inlined = self.view.description.nodes[name], self.inlined(placed) - {name}
        if node.is_output or not node.consumers:
            return []
        found = [INLINE] if self.can_inline(name) else []
        if self.refused.plainer.get(self.view.wrapped.get(name, "")):
            return found
        users = self.view.users(name, inlined)
        if self.options.fusion == "none" or not self.on_device(name) or not self._threaded(name):
            return found
        kernels = {self.kernel_of(u, placed, inlined) for u in users}
        (kernel, *more) = kernels
        if more or kernel is None or not self._tiled(kernel) or kernel == name:
            return found
        if len(self.view.loops[name][0].wide) >= 1:
            found.append(BLOCK)
        (user, *others) = users
        points = all(map(_has_points, self.view.loops[name]))
        pure = points and not others and len(self.view.loops[user]) == 1 and placed[user] in (ROOT, BLOCK)
        if pure and self.options.fusion in ("nested", "forced"):
            found.append(THREAD)
        return found

    # Costs.

    def group(self, kernel: str, placed: Mapping[str, str], stage: int = 0) -> Group:
        """The group of a kernel, which definition `stage` of a Func is, consumers first."""
        inlined = self.inlined(placed)
        members = {
            n: placed[n] for n in reversed(list(placed))
            if placed[n] in (BLOCK, THREAD) and self.kernel_of(n, placed, inlined) == kernel
        }
        return Group(kernel, members, inlined, stage)

    def total(self, kernels: set[str], placed: Mapping[str, str]) -> float:
        """What kernels cost together."""
        return sum(self.cost(k, placed) for k in kernels)

    def cost(self, kernel: str, placed: Mapping[str, str]) -> float:
        """What a kernel costs, under its best tile of powers of two."""
        if not self.on_device(kernel):
            return 0.0
        total = 0.0
        for stage in range(len(self.view.loops[kernel])):
            found = self.choice(self.group(kernel, placed, stage))
            total += np.inf if found is None else found.cost
        return total

    def _below(self, limit: float, kernels: set[str], placed: Mapping[str, str]) -> float | None:
        """What kernels cost together; None, most often before all of them are priced, where that is no less than
        `limit`."""
        groups = [
            self.group(k, placed, stage)
            for k in kernels if self.on_device(k) for stage in range(len(self.view.loops[k]))
        ]
        new = [g for g in groups if self._key(g) not in self.refused.costs]
        total, rest = 0.0, sum(self._least(g.kernel) for g in new)
        # What is known comes first.
        for g in [*(g for g in groups if g not in new), *new]:
            if g in new:
                rest -= self._least(g.kernel)
            found = self.choice(g)
            total += np.inf if found is None else found.cost
            if not total + rest < limit:
                return None
        return total

    def _least(self, kernel: str) -> float:
        """What a kernel takes under any tile: it is launched, and stores its points."""
        if kernel not in self._floors:
            node = self.view.description.nodes[kernel]
            points = math.prod(max(int(high - low + 1), 1) for low, high in node.region)
            stored = KernelWork(self.device.sms, WARP, 1, 0, 0, memory_bytes=points * node.bytes)
            # Listing 1 has no unit.
            timed = self.options.model != "paper"
            self._floors[kernel] = float(kernel_seconds(self.device, stored)) if timed else 0.0
        return self._floors[kernel]

    def choice(self, group: Group) -> Choice | None:
        """The best tile of powers of two; None where none is valid."""
        key = self._key(group)
        if key not in self.refused.costs:
            self.refused.costs[key] = self._best(replace(group, inlined=key[3]))
        return self.refused.costs[key]

    def _key(self, group: Group) -> Key:
        """What the costs of a group depend on."""
        nodes = self.view.description.nodes
        near = frozenset(
            n for m in group.names for s in nodes[m].stages for n in self.view.costs.near(s, group.inlined)
        )
        return group.kernel, group.stage, tuple(group.members.items()), near, group.kernel in self.refused.spread

    def _best(self, group: Group) -> Choice | None:
        sizes = self._sizes(group)
        tiles = power_of_two_tiles(tuple(sizes), self.options.register_tiles, self.options.model == "paper")
        return self._priced(group, tiles, last=False)

    def _sizes(self, group: Group) -> list[int]:
        """The extents of the loops that a kernel's blocks are made of; as many points as threads had better go over
        where its points are no threads."""
        names = group.tiled(self.view)
        return [self.view.loop_extent(group.kernel, group.stage, n) for n in names] or [WARP]

    def finer(self, kernel: str, stage: int) -> Choice | None:
        """The best tile of the second pass; None where the loops are none that blocks are made of."""
        group = self.group(kernel, self.placed, stage)
        if not group.tiled(self.view):
            return None
        first = self.choice(group)
        if first is None:
            return None
        tiles = finer_tiles(first.threads, first.each, first.whole, self._sizes(group))
        found = self._priced(group, tiles, last=True) if len(tiles) else None
        if found is None:
            return first
        if self.options.model == "paper":
            return found
        return found if found.cost < _WORTH * first.cost else first

    def _priced(self, group: Group, tiles: Tiles, last: bool) -> Choice | None:
        if BLOCK not in group.members.values():
            # There is no box whose points threads could have.
            tiles = tiles.chosen(tiles.whole) if tiles.whole.any() else tiles
        elif group.kernel in self.refused.spread:
            tiles = tiles.chosen(~tiles.whole)
        if not len(tiles):
            return None
        found = estimated(self.view, self.device, group, tiles)
        if found is None:
            return None
        tiles, work, valid = found
        even = self._divides(group, tiles)
        if self.options.dividing:
            # Where a thread has one point, that is in or out.
            alone = product_of(len(tiles), tiles.each) == 1
            valid = valid & (even | (alone & (BLOCK not in group.members.values())))
        if self.options.model == "paper":
            costs = by_listing(self.device, work, valid, last)
        else:
            # Threads beyond the end stand aside.
            costs = by_time(self.device, work, valid) * np.where(even, 1.0, _UNEVEN)
            costs = costs * np.where(work.threads > _MANY_THREADS, _FEW_REGISTERS, 1.0)
        best = int(np.argmin(costs))
        if not np.isfinite(costs[best]):
            return None
        one = {f: np.broadcast_to(np.asarray(getattr(work, f), float), len(tiles))[best].item()
               for f in KernelWork.__slots__}
        return Choice(
            tuple(int(t[best]) for t in tiles.threads), tuple(int(e[best]) for e in tiles.each),
            bool(tiles.whole[best]), float(costs[best]), KernelWork(**one),
        )

    def boxes(self, group: Group, choice: Choice) -> dict[str, tuple[int, ...]]:
        """The extents of each member, in a block or in a thread, under a tile."""
        one = tuple(np.array([t]) for t in choice.threads), tuple(np.array([e]) for e in choice.each)
        tiles = Tiles(*one, np.array([choice.whole]))
        blocks = block_boxes(self.view, group, tiles)
        out: dict[str, tuple[int, ...]] = {}
        for name, kind in group.members.items():
            found = blocks.inside[name]
            if kind == THREAD:
                (user,) = self.view.users(name, group.inlined)
                needed = thread_box(self.view, group, tiles, name, user)
                found = needed.extents if needed is not None else found
            out[name] = tuple(int(np.ravel(e)[0]) for e in found)
        return out

    def _divides(self, group: Group, tiles: Tiles) -> np.ndarray:
        """Which tiles divide what they are tiles of."""
        even = np.ones(len(tiles), bool)
        if group.tiled(self.view):
            for extent, t, e in zip(self._sizes(group), tiles.threads, tiles.each, strict=False):
                even &= extent % (t * e) == 0
        return even

    # The search.

    def run(self) -> None:
        """Fills `placed`, from all Funcs whole and from all of them in blocks, whichever comes out cheaper; large
        pipelines from the former alone; what was refused from where it was."""
        order = list(self.view.description.nodes)
        found: list[tuple[float, dict[str, str]]] = []
        for start in self._starts(order):
            self.placed = start
            self._sweep(order)
            kernels = {n for n, kind in self.placed.items() if kind == ROOT}
            found.append((self.total(kernels, self.placed), self.placed))
        self.placed = min(found, key=lambda x: x[0])[1]
        # What threads keep keeps others out of blocks: more of it is tried last.
        self._settled = True
        self._sweep(order)
        self._force()

    def _sweep(self, order: list[str]) -> None:
        """Goes over all Funcs, a few times, while any is moved."""
        for _ in range(_SWEEPS if self.view.size <= _VERY_MANY else _SWEEPS - 1):
            # A list, for all are to be tried.
            if not any([self._step(name) for name in reversed(order)]):
                break

    def _starts(self, order: list[str]) -> Iterator[dict[str, str]]:
        """Where the search begins."""
        plain = dict.fromkeys(order, ROOT)
        if self.refused.placed:
            for name in reversed(order):
                kind = self.refused.placed[name]
                if kind in self.kinds(name, plain):
                    plain[name] = kind
            yield plain
            return
        for name in reversed(order):
            if name in self.view.wrapped or (self.trivial(name) and INLINE in self.kinds(name, plain)):
                plain[name] = INLINE
        yield dict(plain)
        if self.view.size <= _MANY:
            self.placed = plain
            self._together(order)
            yield self.placed

    def _together(self, order: list[str]) -> None:
        """Computes in blocks whatever can be."""
        for name in reversed(order):
            if self.placed[name] == ROOT and BLOCK in self.kinds(name, self.placed):
                tried = {**self.placed, name: BLOCK}
                kernel = self.kernel_of(name, tried, self.inlined(tried))
                if kernel is not None and self._consistent(tried) and np.isfinite(self.cost(kernel, tried)):
                    self.placed = tried

    def _step(self, name: str) -> bool:
        """Computes a Func where that is cheapest; whether that is elsewhere than before."""
        best, least = self.placed, None
        kinds = dict.fromkeys([self.placed[name], ROOT, *self.kinds(name, self.placed)])
        tries = [{**self.placed, name: kind} for kind in kinds]
        together = [self._with_producers(name, BLOCK), self._inlined_whole(name)]
        if name in self.view.wrapped or self._settled:
            together.append(self._with_producers(name, THREAD))
        tries += [t for t in together if t is not None]
        tries += self._further_on(name)
        tries = [t for t in tries if self._consistent(t)]
        # All kernels that change in any of them, so that costs compare.
        moved = {n for t in tries for n in t if t[n] != self.placed[n]} | {name}
        kernels = set().union(*(self._around(n, t) for t in (self.placed, *tries) for n in moved))
        for tried in tries:
            own = {k for k in kernels if tried[k] == ROOT}
            cost = self.total(own, tried) if least is None else self._below(_WORTH * least, own, tried)
            if cost is not None:
                best, least = tried, cost
        changed = best != self.placed
        self.placed = best
        return changed

    def _with_producers(self, name: str, kind: str) -> dict[str, str] | None:
        """Where `name` is a kernel that has in its blocks or threads, by `kind`, what it alone uses of other kernels':
        neither may pay by itself.  None where there is nothing of the kind."""
        tried = {**self.placed, name: ROOT}
        moved = False
        for n in self.view.description.nodes:
            alone = tried[n] == ROOT and self.view.users(n, self.inlined(tried)) == {name}
            if alone and kind in self.kinds(n, tried):
                tried[n], moved = kind, True
        return tried if moved else None

    def _inlined_whole(self, name: str) -> dict[str, str] | None:
        """Where a kernel is computed at its uses together with what its blocks computed and nothing else can: neither
        may be moved by itself.  None where there is nothing of the kind."""
        if self.placed[name] != ROOT or INLINE not in self.kinds(name, self.placed):
            return None
        members = self.group(name, self.placed).members
        tried = {**self.placed, name: INLINE}
        for n in members:
            kernel = self.kernel_of(n, tried, self.inlined(tried))
            if kernel is None or not self._tiled(kernel):
                tried[n] = INLINE if self.can_inline(n) else ROOT
        return tried if members else None

    def _further_on(self, name: str) -> list[dict[str, str]]:
        """Where a kernel's Func is computed at its uses and one that is inlined there becomes a kernel in its place:
        what is stored lies a step further on."""
        if self.placed[name] != ROOT or INLINE not in self.kinds(name, self.placed):
            return []
        users = self.view.description.nodes[name].consumers
        return [{**self.placed, name: INLINE, u: ROOT} for u in users if self.placed[u] == INLINE]

    def _around(self, name: str, placed: Mapping[str, str]) -> set[str]:
        """The kernels that change with the place of a Func: its own and its users'."""
        inlined = self.inlined(placed)
        found = {name} | self.view.users(name, inlined) | self.view.users(name, frozenset())
        out = {name}
        for n in found:
            if placed[n] != INLINE:
                kernel = self.kernel_of(n, placed, inlined)
                if kernel is not None:
                    out.add(kernel)
        return out

    def _consistent(self, placed: Mapping[str, str]) -> bool:
        """Whether all Funcs in blocks and threads have one kernel, and users that they may have."""
        inlined = self.inlined(placed)
        for n, kind in placed.items():
            if kind not in (BLOCK, THREAD):
                continue
            kernel = self.kernel_of(n, placed, inlined)
            if kernel is None or not self._tiled(kernel):
                return False
            users = self.view.users(n, inlined)
            if kind == THREAD and (len(users) != 1 or placed[next(iter(users))] not in (ROOT, BLOCK)):
                return False
        return True

    def _force(self) -> None:
        """Listing 2 for every group: a Func of which a thread needs nothing that others need goes into the thread."""
        if self.options.fusion != "forced":
            return
        for name in reversed(list(self.placed)):
            if self.placed[name] != BLOCK or THREAD not in self.kinds(name, self.placed):
                continue
            tried = {**self.placed, name: THREAD}
            (user,) = self.view.users(name, self.inlined(tried))
            overlaps = any(
                f != 1 for f in _overlap(self.view, name, user, self.inlined(tried))
            )
            if not overlaps and self._consistent(tried) and np.isfinite(self.cost(
                str(self.kernel_of(name, tried, self.inlined(tried))), tried
            )):
                self.placed = tried


def _has_points(loops: Loops) -> bool:
    """Whether each point of a stage may have a thread."""
    return set(loops.free) == set(loops.function.args) and not loops.scatters and bool(loops.wide)


def _has_columns(loops: Loops, first: Loops) -> bool:
    """Whether a thread that has a point of the `first` stage along the loops of threads has all that an update stores
    there."""
    names, args = first.wide[:2], loops.function.args
    own = all(isinstance(loops.definition.args[args.index(n)], Variable) for n in names)
    return bool(loops.stage and names) and loops.wide[:2] == names and own


def _overlap(view: View, name: str, user: str, inlined: frozenset[str]) -> list[int]:
    """How many points of a Func a point of its user needs along each of the loops of threads."""
    one = np.ones(1, np.int64)
    loops: Loops = view.loops[user][0]
    dims = len(loops.wide[:3])
    tiles = Tiles(tuple(one for _ in range(dims)), tuple(one for _ in range(dims)), np.ones(1, bool))
    found = thread_box(view, Group(user, {}, inlined), tiles, name, user)
    args = view.description.nodes[name].function.args
    wide = view.loops[name][0].wide[:2]
    return [int(found.extents[args.index(n)][0]) for n in wide] if found is not None else [LEAST_THREADS]

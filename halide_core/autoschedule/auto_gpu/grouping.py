"""Which Funcs are computed in the kernels of others: a group grows from its output, one Func at a time, while what
the kernels cost together falls.

As the paper's pass, it merges what brings most at tiles of powers of two; a second pass takes finer steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from halide_core.autoschedule.auto_gpu.devices import Device
from halide_core.autoschedule.auto_gpu.group import BLOCK, INLINE, ROOT, THREAD, Group, thread_box
from halide_core.autoschedule.auto_gpu.options import Options
from halide_core.autoschedule.auto_gpu.pricing import Pricing, Refused
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles
from halide_core.autoschedule.auto_gpu.view import View
from halide_core.autoschedule.device.loops import LEAST_THREADS, Loops
from halide_core.ir.expr import Variable

_SWEEPS, _MANY, _VERY_MANY = 3, 40, 80
"""Times that each Func is looked at; of pipelines of many Funcs that is done from one start, of more once less."""
_WORTH = 0.99
"""What the cost must fall to for a step to be taken."""
_WORTH_STORING = 0.7
"""The same for a wrapper that is stored: sums that a block has in shared memory, which it takes the place of, may be
kept in registers after all."""


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
        self.pricing = Pricing(view, device, options, self.refused)

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
            found = self.pricing.choice(self.group(kernel, placed, stage))
            total += np.inf if found is None else found.cost
        return total

    def _below(self, limit: float, kernels: set[str], placed: Mapping[str, str]) -> float | None:
        """What kernels cost together; None, most often before all of them are priced, where that is no less than
        `limit`."""
        groups = [
            self.group(k, placed, stage)
            for k in kernels if self.on_device(k) for stage in range(len(self.view.loops[k]))
        ]
        new = [g for g in groups if not self.pricing.is_known(g)]
        total, rest = 0.0, sum(self.pricing.least(g.kernel) for g in new)
        # What is known comes first.
        for g in [*(g for g in groups if g not in new), *new]:
            if g in new:
                rest -= self.pricing.least(g.kernel)
            found = self.pricing.choice(g)
            total += np.inf if found is None else found.cost
            if not total + rest < limit:
                return None
        return total

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
        if any([self._take(name, [self.placed, self._with_producers(name, THREAD)]) for name in reversed(order)]):
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
        kinds = dict.fromkeys([self.placed[name], ROOT, *self.kinds(name, self.placed)])
        tries: list[dict[str, str] | None] = [{**self.placed, name: kind} for kind in kinds]
        tries += [self._with_producers(name, BLOCK), self._inlined_whole(name), *self._further_on(name)]
        if name in self.view.wrapped:
            tries.append(self._with_producers(name, THREAD))
        return self._take(name, tries)

    def _take(self, name: str, places: Sequence[dict[str, str] | None]) -> bool:
        """Takes the cheapest of `places` that are and can be, which differ around a Func; whether they are others than
        before."""
        best, least = self.placed, None
        tries = [t for t in places if t is not None and self._consistent(t)]
        # All kernels that change in any of them, so that costs compare.
        moved = {n for t in tries for n in t if t[n] != self.placed[n]} | {name}
        kernels = set().union(*(self._around(n, t) for t in (self.placed, *tries) for n in moved))
        for tried in tries:
            own = {k for k in kernels if tried[k] == ROOT}
            stored = any(tried[n] != INLINE == self.placed[n] for n in self.view.wrapped)
            worth = _WORTH_STORING if stored else _WORTH
            cost = self.total(own, tried) if least is None else self._below(worth * least, own, tried)
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

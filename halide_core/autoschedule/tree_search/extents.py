"""Over which boxes the Funcs of a tree are computed and kept, and how often each loop runs.

The page takes extents from Z3 models of what callers ask of callees; here the footprints of the common description give
the same boxes for the same arithmetic (tests/halide_core/autoschedule/test_tree_search.py holds the two together)."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.footprints import NumericBox, joined
from halide_core.autoschedule.tree_search.tree import Level, Loop, Nest

Box = tuple[tuple[int, int], ...]
# By how much a box is moved to see what moves with it: whole blocks of all strides.
_SHIFT = 64


@dataclass(slots=True)
class Placed:
    """A Func of a nest: the box of one computation as loops run over it, the box that is kept, how often it is computed
    and how often memory is taken for it, and the trips of its own loops."""

    nest: Nest
    computed: Box
    kept: Box
    times: float
    allocations: float
    trips: tuple[int, ...]


class Extents:
    """Boxes for the trees of one pipeline; what one Func reads over one box is found once."""

    def __init__(self, description: Description) -> None:
        self.d = description
        self._order = {n: k for k, n in enumerate(description.nodes)}
        self._reads: dict[tuple[str, tuple[str, ...], Box], dict[str, Box]] = {}

    def reads(self, func: str, inlined: tuple[str, ...], box: Box) -> dict[str, Box]:
        """What the body of `func`, computed over `box`, reads of Funcs that are not inlined and of images."""
        entry = func, inlined, box
        known = self._reads.get(entry)
        if known is not None:
            return known
        nodes = self.d.nodes
        wanted: dict[str, NumericBox] = {func: self.d.stored(nodes[func], box)}
        found: dict[str, NumericBox] = {}
        # Callers before callees: realization order backwards.
        for name in [func, *sorted(inlined, key=self._order.__getitem__, reverse=True)]:
            if name not in wanted:
                continue
            for stage in nodes[name].stages:
                for read, b in self.d.required(stage, wanted[name]).items():
                    into = wanted if read in inlined else found
                    into[read] = joined(into.get(read), b)
        made = {n: plain(b) for n, b in found.items()}
        self._reads[entry] = made
        return made

    def place(self, found: dict[str, Nest]) -> dict[str, Placed]:
        """Every Func of `found`, consumers first."""
        out: dict[str, Placed] = {}
        trips: dict[Level, int] = {}
        for name in reversed(list(found)):
            nest = found[name]
            node = self.d.nodes[name]
            if not nest.around:
                computed = kept = plain(node.region)
            else:
                computed = self._needed(found, out, name, nest.around)
                kept = self._needed(found, out, name, nest.around[: nest.stored_inside])
                if nest.stored_inside < len(nest.around):
                    computed = _new_part(computed, kept, [trips[n.level] for n in nest.around[nest.stored_inside :]])
            own = self._trips(nest.own, dict(zip(node.function.args, computed, strict=True)))
            trips |= {n.level: t for n, t in zip(nest.own, own, strict=True)}
            times = _product([trips[n.level] for n in nest.around])
            allocations = _product([trips[n.level] for n in nest.around[: nest.stored_inside]])
            out[name] = Placed(nest, computed, kept, times, allocations, own)
        return out

    def moving(self, name: str, placed: dict[str, Placed], known: dict[str, frozenset[str]]) -> frozenset[str]:
        """The dimensions of which each iteration of the loops around `name` needs another part.

        `known` has those of its users."""
        around, out = placed[name].nest.around, set[str]()
        args = self.d.nodes[name].function.args
        for user, moved in known.items():
            nest = placed[user].nest
            if not around or not self._calls(user, nest.inlined, name):
                continue
            own = {n.dim for n in around if n.func == user} | moved
            box = self.within(placed[user], around)
            shifted = tuple(
                (low + _SHIFT, high + _SHIFT) if a in own else (low, high)
                for a, (low, high) in zip(self.d.nodes[user].function.args, box, strict=True)
            )
            before, after = (self.reads(user, nest.inlined, b)[name] for b in (box, shifted))
            out |= {a for a, x, y in zip(args, before, after, strict=True) if x != y}
        return frozenset(out)

    def _needed(
        self, found: dict[str, Nest], known: dict[str, Placed], name: str, around: tuple[Loop, ...]
    ) -> Box:
        """The box of `name` that one iteration of the loops `around` needs; its whole region where there are none."""
        if not around:
            return plain(self.d.nodes[name].region)
        box: NumericBox | None = None
        for user, placed in known.items():
            nest = found[user]
            if not self._calls(user, nest.inlined, name):
                continue
            over = self.within(placed, around)
            box = joined(box, self.reads(user, nest.inlined, over)[name])
        assert box is not None
        return plain(self.d.stored(self.d.nodes[name], box))

    def _calls(self, user: str, inlined: tuple[str, ...], name: str) -> bool:
        return any(name in s.reads for f in (user, *inlined) for s in self.d.nodes[f].stages)

    def within(self, placed: Placed, around: tuple[Loop, ...]) -> Box:
        """The part of the box of a Func that one iteration of those of its loops that are in `around` computes."""
        steps: dict[str, int] = {}
        for n in around:
            if n.func == placed.nest.func:
                steps[n.dim] = n.step
        args = self.d.nodes[placed.nest.func].function.args
        return tuple(
            _middle(low, high, steps[a]) if a in steps else (low, high)
            for a, (low, high) in zip(args, placed.computed, strict=True)
        )

    def _trips(self, own: tuple[Loop, ...], box: dict[str, tuple[int, int]]) -> tuple[int, ...]:
        left = {a: high - low + 1 for a, (low, high) in box.items()}
        out: list[int] = []
        for n in own:
            out.append(max(1, -(-left[n.dim] // n.step)))
            left[n.dim] = min(left[n.dim], n.step)
        return tuple(out)


def _middle(low: int, high: int, step: int) -> tuple[int, int]:
    """A whole block of `step` coordinates in the middle, where strides of two and four start anew."""
    extent = high - low + 1
    if step >= extent:
        return low, high
    start = low + (extent - step) // 2 // max(step, 8) * max(step, 8)
    return start, start + step - 1


def _new_part(computed: Box, kept: Box, trips: list[int]) -> Box:
    """What an iteration computes where the iterations before have left the rest: windows slide."""
    count = int(_product(trips))
    out: list[tuple[int, int]] = []
    for (low, high), (first, last) in zip(computed, kept, strict=True):
        more = (last - first) - (high - low)
        if more > 0 and count > 1:
            # Of several loops around, each moves one dimension: the one whose trips fit best.
            moved = min((t for t in trips if t > 1), key=lambda t: abs(t - 1 - more))
            low = high - max(1, min(high - low + 1, -(-more // max(moved - 1, 1)))) + 1
        out.append((low, high))
    return tuple(out)


def _product(numbers: list[int]) -> float:
    total = 1.0
    for n in numbers:
        total *= n
    return total


def plain(box: NumericBox) -> Box:
    """A box of Python's ints."""
    return tuple((int(low), int(high)) for low, high in box)


def size(box: Box) -> int:
    """How many points a box has."""
    total = 1
    for low, high in box:
        total *= max(high - low + 1, 0)
    return total

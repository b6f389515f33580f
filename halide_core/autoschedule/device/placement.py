"""Where Funcs are computed: at each use, by the thread that uses them, in the shared memory of a block, or whole.

A producer is shared by a block where its consumers are all in the kernel of one Func, a tile of which needs a box of
it of constant size that is not much more than what the tiles around need of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from halide_core.autoschedule.analysis.footprints import Footprint, NumericBox, extents, high_name, joined, low_name
from halide_core.autoschedule.device.loops import Loops
from halide_core.autoschedule.rules.default import is_table, operations
from halide_core.function import Function
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Variable
from halide_core.ir.structural import key, post_order
from halide_core.passes.realization_order import definition_expressions

_SHARED_BYTES = 40 << 10
"""Of a block, of the 48 KiB that every device has."""
_MOST_THREADS = 1024
_MOST_AGAIN = 2.0
"""How many times as much the blocks together may compute as is needed."""
_CHEAP = 4
"""Operations that are rather done again than kept."""
_READS = 9
"""Uses at which something cheap is done again."""

Uses = list[tuple[Function, int, ir.Call]]
"""(consumer, stage, call) for each use of a Func."""


@dataclass(slots=True)
class Place:
    """Of a Func: "root", "inline", "block" of the kernel of `kernel`, or "thread" of the loops of `consumer` in it.
    `box`: its extents in a block."""

    kind: str = "root"
    kernel: Function | None = None
    box: tuple[int, ...] = ()
    consumer: Function | None = None


@dataclass(slots=True)
class Kernel:
    """A Func that runs in blocks, and what these hold: `tile` has the extents of a block by loop; `sized` are the
    parameters that say how large images are."""

    function: Function
    tile: dict[str, int]
    sized: Collection[str] = ()
    bytes: int = 0
    boxes: dict[str, list[tuple[NumericBox, NumericBox]]] = field(default_factory=dict)
    """Of each Func in the kernel, the boxes that neighbouring blocks need, along each loop."""


class _Numbers(Mapping[str, int]):
    """Numbers for loops and sizes, and for all else something."""

    def __init__(self, known: Mapping[str, int], sized: Collection[str], other: int) -> None:
        self.known, self.sized, self.other = known, sized, other

    def __getitem__(self, name: str) -> int:
        if name in self.known:
            return self.known[name]
        if ".min." in name:
            return 0
        return 1 << 14 if ".extent." in name or name in self.sized else self.other

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


def uses_in(order: list[Function]) -> dict[str, Uses]:
    """(consumer, stage, call) by Func, for each different call of it by a stage of another."""
    out: dict[str, Uses] = {f.name: [] for f in order}
    own = {id(f) for f in order}
    for c in order:
        for stage, d in enumerate(c.definitions()):
            seen: set[int] = set()
            for n in (n for e in definition_expressions(d) for n in post_order(e)):
                if not isinstance(n, ir.Call) or n.call_type is not CallType.HALIDE or id(n.target) not in own:
                    continue
                if n.target is not c and key(n) not in seen:
                    seen.add(key(n))
                    out[n.target.name].append((c, stage, n))
    return out


def is_inlined(f: Function, uses: Uses, order: list[Function]) -> bool:
    """Whether the values of `f` are computed where they are used: each once, or at little cost."""
    assert f.pure is not None
    if f.updates or f.extern is not None or not f.args or not uses:
        return False
    if is_table(f, [(c, n) for c, _, n in uses]):
        return False
    points = {(c.name, stage, tuple(map(key, n.args))) for c, stage, n in uses}
    if len(points) == 1:
        (c, stage, n) = uses[0]
        loops = [x.var for x in c.definitions()[stage].schedule.dims]
        used = {m.name for a in n.args for m in post_order(a) if isinstance(m, Variable)}
        return set(loops) <= used or operations(f.pure) <= _CHEAP
    return operations(f.pure) <= _CHEAP and len(points) <= _READS


def of_one_thread(f: Function, uses: Uses, consumer: Loops, own: Loops) -> bool:
    """Whether each point of `consumer`, the only Func that uses `f`, uses one point of it along the loops that threads
    are made of, which no other uses, and few along others."""
    places: dict[int, str] = {}
    for c, stage, n in uses:
        if c is not consumer.function or stage:
            return False
        for k, a in enumerate(n.args):
            used = {m.name for m in post_order(a) if isinstance(m, Variable)} & set(consumer.wide)
            if used and (not isinstance(a, Variable) or places.setdefault(k, a.name) != a.name):
                return False
            if not used and (k in places or f.args[k] not in own.channels):
                return False
    return sorted(places.values()) == sorted(consumer.wide) and bool(consumer.wide)


def boxes_in(kernel: Kernel, f: Function, uses: Uses) -> list[tuple[NumericBox, NumericBox]]:
    """The boxes of `f` that neighbouring blocks of a kernel need."""
    found: list[tuple[NumericBox, NumericBox]] = []
    whole = tuple((0, 1 << 40) for _ in f.args)
    for k, ends in enumerate(_neighbours(kernel)):
        pair: list[NumericBox] = []
        for side in (0, 1):
            box: NumericBox | None = None
            for c, _, n in uses:
                outer = ends[side] if c is kernel.function else kernel.boxes[c.name][k][side]
                values = {name: end for a, (low, high) in zip(c.args, outer, strict=True)
                          for name, end in ((low_name(a), low), (high_name(a), high))}
                numbers = _Numbers(values, kernel.sized, 4 if k % 2 else 7)
                box = joined(box, Footprint([n.args], list(c.args), {}).box(numbers, whole))
            assert box is not None
            pair.append(box)
        found.append((pair[0], pair[1]))
    return found


def shared_box(kernel: Kernel, f: Function, found: list[tuple[NumericBox, NumericBox]]) -> tuple[int, ...] | None:
    """The extents of the box of `f` that a block has; None where they are no constants, too large, or the blocks would
    compute much of it again."""
    sizes = {tuple(int(e) for e in extents(b)) for pair in found for b in pair}
    if len(sizes) != 1:
        return None
    (size,) = sizes
    points, shift = 1, 1
    for d, e in enumerate(size):
        points *= e
        shift *= max(*(int(abs(b[d][0] - a[d][0])) for a, b in found), 1)
    bytes_ = points * sum(t.bytes() for t in f.types)
    if kernel.bytes + bytes_ > _SHARED_BYTES or points > _MOST_AGAIN * shift:
        return None
    kernel.bytes += bytes_
    return size


def _neighbours(kernel: Kernel) -> list[tuple[NumericBox, NumericBox]]:
    """The boxes of two neighbouring blocks of a kernel's own Func, along each of its loops, at two places each."""
    out: list[tuple[NumericBox, NumericBox]] = []
    args = kernel.function.args
    for at in (5, 11):
        first = tuple((at * kernel.tile[a], (at + 1) * kernel.tile[a] - 1) for a in args)
        for d, a in enumerate(args):
            step = kernel.tile[a]
            next_ = tuple((low + step, high + step) if k == d else (low, high) for k, (low, high) in enumerate(first))
            out.append((first, next_))
    return out


def threads_of(box: tuple[int, ...], loops: Loops) -> int:
    """The threads that a stage of that box asks for, a thread a point of the two first wide loops."""
    total = 1
    for n in loops.wide[:2]:
        total *= box[loops.function.args.index(n)]
    return total


def fits_block(box: tuple[int, ...], loops: Loops) -> bool:
    """Whether a block has a thread for each point."""
    return threads_of(box, loops) <= _MOST_THREADS // 2

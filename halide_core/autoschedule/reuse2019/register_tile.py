"""Register tiles: a reduction whose partial sums, a few vectors wide and a few points high, stay in registers.

Beyond the paper, whose tiles are for caches alone: a reduction that one point of the output reads is computed for a
block of them, unrolled within its reduction loops, so that what the loops read is used for a whole row or column of the
block."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from halide_core.autoschedule.analysis.arithmetic import Site
from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.footprints import Number, NumericBox, extents, joined, points
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.ir import expr as ir
from halide_core.ir.structural import contains, variables
from halide_core.passes.races import is_pure_loop

# Iterations of a reduction that are worth it.
_LONG = 8
# Cycles of a vector load, of a broadcast, of a multiplication or sum; of starting a tile;
# of a place that depends on data.
_LOAD, _BROADCAST, _STEP, _START, _PLACE = 0.6, 0.5, 0.6, 60.0, 1.2
# How much of what comes from L2 for each step is not hidden behind its arithmetic.
_SEEN = 0.5
# How much worse blocks are that do not divide the output.
_RAGGED = 1.02


@dataclass(frozen=True, slots=True)
class RegisterTile:
    """Blocks of `wide` vectors of `lanes` elements by `high` points along `across`, within tiles of `tile` (elements
    along the vectors, points along `across`); `cost` in cycles of one thread."""

    reduction: str
    across: str
    lanes: int
    wide: int
    high: int
    tile: tuple[int, int]
    cost: float


def reduction_of(description: Description, costs: Costs, node: Node, name: str) -> Stage | None:
    """The update of `name` that a register tile of `node` would hold, or None."""
    producer = description.nodes[name]
    if not node.is_pure or len(producer.stages) != 2 or producer.consumers != [node.name]:
        return None
    update = producer.stages[1]
    domain = update.definition.domain
    if domain is None or domain.predicates or len(producer.function.types) != 1:
        return None
    plain = all(
        isinstance(a, ir.Variable) and a.name == n
        for a, n in zip(update.definition.args, producer.function.args, strict=True)
    )
    # Sums that read each other keep their order.
    plain = plain and all(is_pure_loop(producer.function, update.definition, a) for a in producer.function.args)
    size = description.iterations(update, tuple((low, low) for low, _ in producer.region))
    if not plain or size < _LONG or len(producer.function.args) != len(node.function.args):
        return None
    # One point of the output reads one point of the reduction, at the same place.
    for s in node.stages[0].cost.sites:
        same = all(isinstance(a, ir.Variable) and a.name == n for a, n in zip(s.args, node.function.args, strict=False))
        if s.name == name and not same:
            return None
    ways = [costs.ways[name, k] for k in (0, 1)] + [costs.ways[node.name, 0]]
    first = node.function.args.index(ways[2].vector) if ways[2].vector is not None else -1
    mine = producer.function.args.index(ways[1].vector) if ways[1].vector is not None else -2
    return update if first == mine and ways[0].vector == ways[1].vector else None


Inside = Callable[[str, Number, Number], tuple[Number, Number]]
"""From the dimension along which blocks are high and the sizes of tiles to (cycles of what else is computed for one,
its bytes)."""


def best_register_tile(
    description: Description, costs: Costs, machine: Machine, node: Node, name: str, inlined: frozenset[str],
    inside: Inside | None = None, members: frozenset[str] = frozenset(),
) -> RegisterTile | None:
    """The cheapest register tile for the reduction `name` in the pure Func `node`, or None where none fits.

    `inside`: what the Funcs `members`, computed for each tile, cost."""
    update = reduction_of(description, costs, node, name)
    if update is None:
        return None
    best: RegisterTile | None = None
    vector = costs.ways[node.name, 0].vector
    for across in node.function.args:
        if across != vector:
            found = _along(description, costs, machine, node, update, across, inlined, inside, members)
            if found is not None and (best is None or found.cost < best.cost):
                best = found
    return best


def _along(
    description: Description, costs: Costs, machine: Machine, node: Node, update: Stage, across: str,
    inlined: frozenset[str], inside: Inside | None, members: frozenset[str],
) -> RegisterTile | None:
    producer = description.nodes[update.func]
    args = node.function.args
    v, s = args.index(costs.ways[node.name, 0].vector or args[0]), args.index(across)
    lanes = costs.ways[update.func, 1].lanes
    size = [int(max(high - low + 1, 1)) for low, high in node.region]
    registers = 32 if machine.vector_bytes == 64 else 16
    x, y = producer.function.args[v], producer.function.args[s]
    sites = [c for c in (costs.work(update, inlined) or update.cost).sites if c.name != update.func]
    # Where each point of a block reads a place of its own, what is read takes as many registers as the sums.
    sums = registers // 2 if any(_varies(c, x) and _varies(c, y) for c in sites) else registers
    looked_up = [c for c in sites if _varies(c, y) and any(contains(a, ir.Call) for a in c.args)]
    high_blocks = (1, 2, 4, 8, 16, 32, 64) if inside is None else (1, 4, 16, 64, 1 << 20)
    choices = _choices(size[v], size[s], lanes, sums, registers, high_blocks)
    if not choices:
        return None
    table = np.array(sorted(choices), dtype=np.int64)
    wide, high, width, height = (table[:, k] for k in range(4))

    def box(along: Number, up: Number) -> NumericBox:
        return tuple(
            (low, low + along - 1) if k == v else (low, low + up - 1) if k == s else (low, low)
            for k, (low, _) in enumerate(producer.region)
        )

    block, tile = box(wide * lanes, high), box(width, height)
    steps = description.iterations(update, tuple((low, low) for low, _ in producer.region))
    loads: Number = 0.0
    for site in update.cost.sites:
        loads = loads + _site_cycles(site, update.func, x, y, wide, high, inlined, description)
    # Found anew for each row.
    loads = loads + len(looked_up) * high * _PLACE
    # Sums wait for each other unless there are several.
    step = np.maximum(wide * high * _work(description, machine, update) + loads, 4.0)
    blocks = np.ceil(size[v] / (wide * lanes)) * np.ceil(size[s] / high)
    tiles = np.ceil(size[v] / width) * np.ceil(size[s] / height)
    rest = math.prod((float(extent) for k, extent in enumerate(size) if k not in (v, s)), start=1.0)
    computed, held = inside(across, width, height) if inside is not None else (0.0, 0.0)
    needed, part = (
        _read(description, update, over, inlined) if inside is not None else description.required(update, over)
        for over in (tile, block)
    )
    counts = _counts(sites, x, y, wide * lanes, high)
    moved = {c.name for c in update.cost.sites if any(x in variables(a) for a in c.args)}
    traffic, brought = _memory(description, machine, needed, part, steps, counts, moved, held, members)
    tasks = (tiles if inside is not None else np.ceil(size[s] / height)) * rest
    share = np.ceil(tasks / machine.parallelism) / tasks
    total = (blocks * (steps * step + traffic + _START) + tiles * (brought + computed)) * rest * share
    # Blocks that the output does not consist of are guarded, and the last of them is not full.
    total = total * np.where((size[v] % (wide * lanes) == 0) & (size[s] % high == 0), 1.0, _RAGGED)
    least = int(np.argmin(total))
    return RegisterTile(
        update.func, across, lanes, int(wide[least]), int(high[least]),
        (int(width[least]), int(height[least])), float(total[least]),
    )


def _counts(sites: list[Site], x: str, y: str, along: Number, up: Number) -> dict[str, Number]:
    """Places that a block of `along` by `up` points reads of each image and Func in one step."""
    out: dict[str, Number] = {}
    for c in sites:
        places = (along if _varies(c, x) else 1) * (up if _varies(c, y) else 1)
        out[c.name] = out.get(c.name, 0) + places
    return out


def _work(description: Description, machine: Machine, update: Stage) -> float:
    """Cycles of the arithmetic of one vector of sums."""
    work = update.cost.cycles(machine.vector_bytes) * machine.vector_bytes / _width(description, update)
    return max(work, _STEP)


def _choices(
    along: int, up: int, lanes: int, sums: int, registers: int, high_blocks: tuple[int, ...]
) -> set[tuple[int, int, int, int]]:
    """Blocks that fit the registers, as vectors and rows, each with the sizes of tiles of whole blocks."""
    choices: set[tuple[int, int, int, int]] = set()
    for m, n in itertools.product((1, 2, 3, 4), (1, 2, 3, 4, 5, 6, 8)):
        if m * n > sums or m * n + m + 2 > registers or n > up or (m - 1) * lanes >= along:
            continue
        for a, b in itertools.product((1, 2, 4, 8, 16, 1 << 20), high_blocks):
            across_tile = min(m * lanes * a, -(-along // (m * lanes)) * m * lanes)
            choices.add((m, n, across_tile, min(n * b, -(-up // n) * n)))
    return choices


def _memory(
    description: Description, machine: Machine, needed: dict[str, NumericBox], part: dict[str, NumericBox],
    steps: Number, counts: Mapping[str, Number], moved: set[str], held: Number, members: frozenset[str],
) -> tuple[Number, Number]:
    """Cycles for what a block reads again and again, and for what a tile brings from further away.

    `needed`, `part`: what a tile and a block read; `counts`: places that a block reads of each in a step; `moved`: what
    is read elsewhere along a vector; `held`: bytes that a tile holds besides; `members`: what it computes itself."""
    traffic: Number = 0.0
    brought: Number = 0.0
    for read, over in needed.items():
        if read in members:
            continue
        held = held + points(over) * description.bytes(read)
    for read, over in part.items():
        whole = points(description.whole(read)) * description.bytes(read)
        mine: Number = points(over) * description.bytes(read)
        if read in counts:
            # The box may have more than is read of it.
            mine = np.minimum(mine, steps * counts[read] * description.bytes(read))
        again = read in moved or read in members
        traffic = traffic + np.where(again, mine * _rate(machine, held, _SEEN), 0.0)
        if read in members:
            continue
        in_tile = points(needed[read]) * description.bytes(read)
        lengths = extents(needed[read])
        lines = in_tile / np.maximum(lengths[0] * description.bytes(read), 1)
        brought = brought + in_tile * _rate(machine, np.asarray(whole)) + lines * machine.load_cost / 4
    return traffic, brought


def _read(
    description: Description, stage: Stage, box: NumericBox, inlined: frozenset[str]
) -> dict[str, NumericBox]:
    """What `stage` reads over `box`, through what is inlined."""
    wanted = dict(description.required(stage, box))
    for name in reversed(list(description.nodes)):
        if name in wanted and name in inlined:
            over = wanted.pop(name)
            for s in description.nodes[name].stages:
                for read, b in description.required(s, over).items():
                    wanted[read] = joined(wanted.get(read), b)
    return wanted


def _site_cycles(
    site: Site, name: str, x: str, y: str, wide: Number, high: Number, inlined: frozenset[str], d: Description
) -> Number:
    """Cycles of the loads of `site` for one block and one step of the reduction."""
    if site.name == name:
        return 0.0
    along = any(x in variables(a) for a in site.args)
    up = any(y in variables(a) for a in site.args)
    count = (wide if along else 1) * (high if up else 1)
    cost = count * (_LOAD if along else _BROADCAST)
    if site.name in inlined:
        # Its arithmetic is done as often as it is read.
        cost = cost + count * d.nodes[site.name].stages[0].cost.cycles(64) * 16
    return cost


def _varies(site: Site, loop: str) -> bool:
    return any(loop in variables(a) for a in site.args)


def _width(d: Description, update: Stage) -> int:
    return max(1, sum(t.bytes() for t in d.nodes[update.func].function.types))


def _rate(machine: Machine, size: Number, seen: float = 1.0) -> Number:
    """Cycles a byte of what is reused after `size` bytes; `seen` of those that it takes to come from L2."""
    far = np.where(size > machine.last_level_cache_size / 2, machine.memory_cycles, machine.last_level_cycles)
    near = np.where(size > machine.l1_size / 2, machine.l2_cycles * seen, 0.0)
    return np.where(size > machine.l2_size * 0.75, far, near)

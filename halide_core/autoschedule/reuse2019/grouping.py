"""Which Funcs are inlined, which are computed in the loops of another, and which are stored whole (algorithms 2, 4, 5).

The paper fuses all stages and splits where that does not fit the cache, and every stage with several consumers ends a
segment.  Here segments grow from each output towards its producers, one Func at a time, as long as the modelled cost
falls; a Func with several consumers joins where all of them are in one segment."""

from __future__ import annotations

from dataclasses import dataclass, field

from halide_core.autoschedule.analysis.description import Description, Node
from halide_core.autoschedule.reuse2019.options import Options
from halide_core.autoschedule.reuse2019.plan import Plan
from halide_core.autoschedule.reuse2019.segment import Segments

_SWEEPS = 3


@dataclass(slots=True)
class Grouping:
    """`segment`: by Func that is not inlined, the output of its segment."""

    inlined: set[str] = field(default_factory=set)
    segment: dict[str, str] = field(default_factory=dict)

    def members(self, output: str) -> frozenset[str]:
        """The Funcs computed in the loops of `output`."""
        return frozenset(n for n, s in self.segment.items() if s == output and n != output)


def group(description: Description, segments: Segments, options: Options) -> tuple[Grouping, list[Plan]]:
    """The grouping of least modelled cost that steps of one Func at a time lead to, and each segment's plan."""
    state = Grouping()
    for name in description.nodes:
        state.segment[name] = name
    _inline_trivial(description, state)
    for _ in range(_SWEEPS):
        changed = False
        for name in reversed(list(description.nodes)):
            node = description.nodes[name]
            if not node.is_output and node.consumers:
                changed |= _decide(description, segments, state, node, options)
        if not changed:
            break
    inlined = frozenset(state.inlined)
    outputs = [n for n in description.nodes if state.segment.get(n) == n]
    return state, [segments.plan(n, state.members(n), inlined) for n in outputs]


def _inline_trivial(description: Description, state: Grouping) -> None:
    """Copies, and what costs no more than the read that it takes: computed wherever they are used."""
    for name, node in description.nodes.items():
        if node.is_output or not node.is_pure:
            continue
        cost = node.stages[0].cost
        if cost.lane_cycles == 0 and cost.vector_bytes <= 1.3 * node.bytes and len(cost.sites) <= 1:
            state.inlined.add(name)
            del state.segment[name]


def _users(description: Description, state: Grouping, name: str) -> set[str]:
    """The segments that use `name`, through inlined Funcs too."""
    found: set[str] = set()
    work = list(description.nodes[name].consumers)
    while work:
        consumer = work.pop()
        if consumer in state.inlined:
            work += description.nodes[consumer].consumers
        else:
            found.add(state.segment[consumer])
    return found


def _decide(
    description: Description, segments: Segments, state: Grouping, node: Node, options: Options
) -> bool:
    """Chooses for one Func between the three; returns whether that is a change."""
    name = node.name
    before = state.segment.get(name)
    users = _users(description, state, name)
    held = state.members(name) if before == name else frozenset()
    choices: list[tuple[str | None, frozenset[str]]] = [(name, frozenset())]
    if node.is_pure:
        choices.append((None, frozenset()))
    if options.fusion:
        users_without = {u for u in users if u != name}
        if len(users_without) == 1 and (before != name or not held or _joinable(description, node)):
            choices += [(u, frozenset()) for u in users_without]
        # Two steps in one, where each by itself costs more: stored whole, with scans and sums that it alone reads in
        # its loops, which they cannot join as long as it is inlined.
        alone = _producers(description, state, node) if before is None else frozenset()
        if alone:
            choices.append((name, alone))
    found = [_cost(description, segments, state, node, c, users, held, pulled) for c, pulled in choices]
    best = min(range(len(choices)), key=lambda k: found[k][0])
    # What stands costs 0 here; a gain of less than a thousand cycles is none.
    if choices[best] == (before, frozenset()) or found[best][0] > -1000.0:
        return False
    state.inlined, state.segment = found[best][1].inlined, found[best][1].segment
    return True


def _producers(description: Description, state: Grouping, node: Node) -> frozenset[str]:
    """Funcs with updates that are stored whole and that `node` alone would read if it were stored; through inlined
    Funcs too."""
    inlined = state.inlined - {node.name}
    found: set[str] = set()
    work = [r for s in node.stages for r in s.reads]
    while work:
        name = work.pop()
        if name in inlined:
            work += [r for s in description.nodes[name].stages for r in s.reads]
            continue
        producer = description.nodes.get(name)
        if producer is None or producer.is_pure or producer.is_output or state.segment.get(name) != name:
            continue
        if _readers(description, inlined, name) == {node.name}:
            found.add(name)
    return frozenset(found)


def _readers(description: Description, inlined: set[str], name: str) -> set[str]:
    """The Funcs that read `name`, through the inlined ones too."""
    found: set[str] = set()
    work = list(description.nodes[name].consumers)
    while work:
        consumer = work.pop()
        if consumer in inlined:
            work += description.nodes[consumer].consumers
        else:
            found.add(consumer)
    return found


def _joinable(description: Description, node: Node) -> bool:
    return node.is_pure


def _apply(description: Description, state: Grouping, name: str, choice: str | None, held: frozenset[str]) -> set[str]:
    """Puts `name` into segment `choice` (None: inlined), with what was computed in its loops; returns what moved."""
    state.inlined.discard(name)
    old = state.segment.pop(name, None)
    if choice is None:
        state.inlined.add(name)
    else:
        state.segment[name] = choice
    moved = {name, *held}
    near = {old, *_users(description, state, name)}
    for n in held:
        state.segment[n] = choice if choice is not None else n
    # What is computed in a segment must be used in it alone: the rest follows its users, or is stored whole.
    for n in reversed(list(description.nodes)):
        current = state.segment.get(n)
        if current is None or current == n or (current not in near and n not in held):
            continue
        users = _users(description, state, n)
        if users != {current}:
            state.segment[n] = users.pop() if len(users) == 1 else n
            moved.add(n)
    return moved


def _cost(
    description: Description, segments: Segments, state: Grouping, node: Node, choice: str | None,
    users: set[str], held: frozenset[str], pulled: frozenset[str],
) -> tuple[float, Grouping]:
    """How much the modelled cost changes by `choice`, `pulled` joining its segment, and the grouping it leads to."""
    trial = Grouping(set(state.inlined), dict(state.segment))
    moved = _apply(description, trial, node.name, choice, held)
    for name in pulled:
        moved |= _apply(description, trial, name, choice, trial.members(name))
    affected = users | moved
    for n in moved:
        affected |= {s.segment[n] for s in (state, trial) if n in s.segment}

    def total(s: Grouping) -> float:
        inlined = frozenset(s.inlined)
        return sum(segments.plan(n, s.members(n), inlined).cost for n in affected if s.segment.get(n) == n)

    return total(trial) - total(state), trial

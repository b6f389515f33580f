"""Faults of the transforms of paths: a piece of a module's text that stands there once, and what it becomes."""

from __future__ import annotations

from tests.planted.mutate import ROOT, Fault

DEPENDENCE, STEP, ORDER, TRIP = "dependence test left out", "wrong step", "order exchanged", "off by one"
_T = "lifter/transforms/"
_STRIPS, _ARMS = _T + "domains/undo_strip_mining.py", _T + "stores/fuse_complementary_stores.py"
_COVERED, _BLOCKS = _T + "stores/eliminate_overwritten_stores.py", _T + "domains/undo_blocked_reductions.py"
_ROTATIONS, _PLANES = _T + "storage/rotations_to_modulo.py", _T + "domains/delinearize.py"
_READS, _ROWS = _T + "storage/expand_rings/row_reads.py", _T + "storage/expand_rings/expansion.py"
_LAYOUT, _MERGED = _T + "storage/expand_rings/row_layout.py", _T + "storage/merge_row_stores.py"
_APART, _COPIES = _T + "storage/distribute_loops.py", _T + "storage/propagate_row_copies.py"
_SCANS, _PARTS = _T + "storage/expand_scalars.py", _T + "storage/split_arrays.py"
_LANES, _SUMS = _T + "reroll/reroll_lanes.py", _T + "reroll/reroll_reduction_lanes.py"
_ORDER = "lifter/ir/dependence.py"
_ADDED, _REPEATED = _T + "reroll/reroll_accumulations.py", _T + "stores/forward_stores.py"
_POSITIONS, _AGAIN = _T + "storage/propagate_positions.py", _T + "storage/rename_rewritten_arrays.py"
_FAULTS: tuple[tuple[str, str, str, str], ...] = (
    (STEP, _POSITIONS, "to_poly(n.index) - p.first}), n.type)", "to_poly(n.index)}), n.type)"),
    (DEPENDENCE, _POSITIONS, "if any(time_of(n) <= p.store.order for n in read):", "if any(False for n in read):"),
    (STEP, _POSITIONS, "exact(p.value.substitute(", "exact(p.value.scale(2).substitute("),
    (DEPENDENCE, _STRIPS, "apart = memory_apart(written, read)", "apart = memory_apart(written, read - written)"),
    (
        DEPENDENCE, _STRIPS,
        " or not all(_may_take_turns([e for e in inside if e.array == a], each) for a in written)", "",
    ),
    (DEPENDENCE, _STRIPS, "        return False\n    turns: ", "        pass\n    turns: "),
    (STEP, _STRIPS, "I32).scale(section) - Poly", "I32).scale(section + 1) - Poly"),
    (STEP, _STRIPS, "old.counter: x - number.scale(length)}", "old.counter: x - number}"),
    (
        TRIP, _STRIPS,
        "floor_div(strip.row, each[e.order]), loop.line",
        "floor_div(strip.row, each[e.order]) - Poly.constant(1), loop.line",
    ),
    (DEPENDENCE, _ARMS, "return may_wait(path, first, second)", "return True"),
    (DEPENDENCE, _ORDER, "if any(e.array == first.array and first.order < e.order < second.order", "if any(False"),
    (DEPENDENCE, _ARMS, "if trips != [loop.trip for loop in second.loops] or ", "if "),
    (
        ORDER, _ARMS, "choice, at(first.value, back), second.value)",
        "choice, second.value, at(first.value, back))",
    ),
    (STEP, _COVERED, "around[-1].counter, I32) + _ONE}", "around[-1].counter, I32) - _ONE}"),
    (TRIP, _COVERED, "last = loop.trip - _ONE", "last = loop.trip"),
    (TRIP, _COVERED, "**found}) - value - _ONE)", "**found}) - value)"),
    (DEPENDENCE, _COVERED, "if e.array in read or e.array in path.arrays or", "if e.array in path.arrays or"),
    (DEPENDENCE, _COVERED, "and all(x.loops == e.loops and differ(x.index, e.index) for x in later)", ""),
    (TRIP, _COVERED, 'e.loops[depth].trip - _ONE})', 'e.loops[depth].trip})'),
    (DEPENDENCE, _BLOCKS, "memory_apart(stored, read, path.arrays)", "memory_apart(stored - read, read, path.arrays)"),
    (DEPENDENCE, _BLOCKS, "if const_value(first.value) != 0 or ", "if "),
    (DEPENDENCE, _BLOCKS, "return low * step, high * step", "return low, high"),
    (DEPENDENCE, _BLOCKS, "            and follows(full, plain - Poly.constant(step))\n", ""),
    (
        STEP, _BLOCKS,
        "inner.counter: Poly.variable(counter, I32)}",
        "inner.counter: Poly.variable(counter, I32).scale(2)}",
    ),
    (
        TRIP, _BLOCKS,
        "whole = LoopInfo(name, row, outer.line)",
        "whole = LoopInfo(name, row - Poly.constant(1), outer.line)",
    ),
    (ORDER, _ROTATIONS, "if inside and time > orders[cell]:", "if inside and time <= orders[cell]:"),
    (STEP, _ROTATIONS, "number = done + Poly.constant(places[cell])", "number = done - Poly.constant(places[cell])"),
    (STEP, _ROTATIONS, "step * (number - whole.scale(count))", "step * (number - whole.scale(count - 1))"),
    (
        STEP, _PLANES,
        "place = Poly.variable(outer.counter, I32) * length",
        "place = Poly.variable(outer.counter, I32) * rows",
    ),
    (
        DEPENDENCE, _PLANES, "if own is not None and index not in own and (step or any(",
        "if own is not None and False and (step or any(",
    ),
    (TRIP, _PLANES, 'y", rows, info.line)', 'y", rows - Poly.constant(1), info.line)'),
    (DEPENDENCE, _READS, "return offset if seen else offset - self.round", "return offset"),
    (ORDER, _READS, "in_turn = (store.order < time) == before", "in_turn = (store.order < time) != before"),
    (STEP, _READS, "offset -= (self.newest - self.number(place.row)) % self.round",
     "offset -= (self.newest - self.number(place.row) + 1) % self.round"),
    (DEPENDENCE, _READS, "self.whole &= self.stored(place.element, counter",
     "self.whole |= self.stored(place.element, counter"),
    (
        DEPENDENCE, _READS,
        "if offset == newest and site.array != self.name and self.stored_again(site, time, place):",
        "if False:",
    ),
    (
        DEPENDENCE, _READS, "return any(self.may_meet(b, a, a.order, self.places[a.order].element, True) for a, b in",
        "return any(a is b for a, b in",
    ),
    (TRIP, _ROWS, "rows = self.loop.trip + Poly.constant(self.newest + self.shift)",
     "rows = self.loop.trip + Poly.constant(self.newest + self.shift - 1)"),
    (TRIP, _ROWS, "self.loop.trip + Poly.constant(1), e.line)", "self.loop.trip, e.line)"),
    (STEP, _ROWS, "return array, self.width * (row + Poly.constant(self.shift)) + place.element",
     "return array, self.width * (row + Poly.constant(self.shift + 1)) + place.element"),
    (
        DEPENDENCE, _MERGED,
        "or any(read_elsewhere(s, others, depth) for s in stores):\n        return None\n    start",
        ":\n        return None\n    start",
    ),
    (ORDER, _APART, "return (late and id(e) in first)", "return (not late and id(e) in first)"),
    (DEPENDENCE, _APART, "if not staying or shared(path, name, loop):", "if not staying:"),
    (DEPENDENCE, _APART, "        if array not in path.arrays:\n            return None\n", ""),
    (
        DEPENDENCE, _COPIES,
        "if e.guard is not None or not all(follows(given, p) for p in inside):",
        "if e.guard is not None:",
    ),
    (STEP, _COPIES, "index=own.index + behind", "index=own.index - behind"),
    (TRIP, _SCANS, 'total + Poly.constant(1), first.line)', 'total, first.line)'),
    (ORDER, _SCANS, "if time is None else time > update.order", "if time is None else time <= update.order"),
    (DEPENDENCE, _ORDER, "if meeting.ahead == 0 else meeting.ahead > 0", "if meeting.ahead == 0 else True"),
    (DEPENDENCE, _ORDER, "return store.order >= time if meeting", "return True if meeting"),
    (STEP, _SCANS, "number * x.trip + Poly.variable", "number + Poly.variable"),
    (TRIP, _SCANS, "size=total + Poly.constant(1))", "size=total)"),
    (TRIP, _SCANS, "last.trip + Poly.constant(1), e.line)", "last.trip - Poly.constant(1), e.line)"),
    (DEPENDENCE, _LANES, "if any(reads_of_others(e) for e in lanes):", "if False:"),
    (
        DEPENDENCE, _LANES,
        "if any(min(orders) < t <= max(orders) for t in self.tags.get(first.array, ())):",
        "if False:",
    ),
    (DEPENDENCE, _LANES, "if any(e.index.distance_from(first.index) != k for k, e in enumerate(lanes)):", "if False:"),
    (STEP, _LANES, "lane = Poly.variable(counter, I32).scale(len(found))", "lane = Poly.variable(counter, I32)"),
    (TRIP, _LANES, "Poly.constant(len(inner) // len(found))", "Poly.constant(len(inner) // len(found) - 1)"),
    (ORDER, _LANES, "return replace(e, value=_given(e.value, when, True), guard=guard)",
     "return replace(e, value=_given(e.value, when, False), guard=guard)"),
    (DEPENDENCE, _SUMS, "return len(seen) == 1 and ordered", "return True"),
    (DEPENDENCE, _SUMS, "            if any(b is None for b in bounds):\n                return None\n", ""),
    (
        DEPENDENCE, _SUMS, "memory_apart(stored, read, self.path.arrays)",
        "memory_apart(stored - read, read, self.path.arrays)",
    ),
    (
        STEP, _SUMS,
        "parts = [a for e in column for a in e.addends]",
        "parts = [a for e in column for a in e.addends][1:]",
    ),
    (DEPENDENCE, _ADDED, "if not _apart_from_others(path, bodies, last):", "if False:"),
    (
        TRIP, _ADDED,
        "count * many.trip + rest.trip, last.line)",
        "count * many.trip + rest.trip - Poly.constant(1), last.line)",
    ),
    (STEP, _ADDED, "c - count * many.trip}", "c - many.trip}"),
    (DEPENDENCE, _REPEATED, "if not undisturbed((first, second), others, list(values_of(path))):", "if False:"),
    (
        DEPENDENCE, _REPEATED,
        "        if nonzero is None:\n            return None\n        asked += nonzero",
        "        asked += nonzero or []",
    ),
    (
        ORDER, _REPEATED,
        "value = Select(value.type, guard, value, made)",
        "value = Select(value.type, guard, made, value)",
    ),
    (STEP, _PARTS, "return own, index - start", "return own, index - start if time is None else index - start - start"),
    (DEPENDENCE, _PARTS, "for p in (a.least - start, start + length - Poly.constant(1) - a.most):",
     "for p in (a.least - start,):"),
    (TRIP, _PARTS, "part.length, fill.line)", "part.length - Poly.constant(1), fill.line)"),
    (DEPENDENCE, _AGAIN, "may_come_first(n, s, loop.counter) or _too_far", "True or _too_far"),
    (TRIP, _AGAIN, "abs(distance) >= abs(by) * trip", "abs(distance) >= abs(by) * trip // 2"),
    (DEPENDENCE, _AGAIN, " and _covers(depth, group, earlier):", ":"),
    (DEPENDENCE, _AGAIN, "any(r is None or not r <= given for r in read)", "any(r is None for r in read)"),
    (DEPENDENCE, _AGAIN, " or any(t <= last for t in times):", ":"),
    (ORDER, _AGAIN, "lambda site, time: time > last and ", "lambda site, time: time <= last and "),
)


def transform_faults() -> list[Fault]:
    """All of them.  A piece of text that is not there any more, or not once, is a mistake of this list."""
    found = []
    for kind, file, old, new in _FAULTS:
        text = (ROOT / file).read_bytes()
        assert text.count(old.encode()) == 1, f"{file}: {old!r} stands there {text.count(old.encode())} times"
        start = text.index(old.encode())
        found.append(Fault("transforms", file, text[:start].count(b"\n") + 1, start, old, new, kind))
    return found

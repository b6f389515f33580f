"""Directives of updates: vectors along pure variables, threads, unrolled reductions, partial results by rfactor."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from corpus.unseen.loops import Loop, update_tail, width
from corpus.unseen.stage import Stage, Update


@dataclass(slots=True)
class Scheduled:
    """Directives of an update, and what its own reads are computed for: the Func's handle and its loops."""

    lines: list[str]
    handle: str
    loops: list[Loop] = field(default_factory=list)


def schedule_update(rng: random.Random, s: Stage, n: int, at_root: bool) -> Scheduled:
    """Schedules the update `n` of a Func that is computed `at_root`, or in a loop of another."""
    u = s.updates[n]
    stage = f"{s.name}.update({n})"
    lanes = width(rng, s.types)
    match u.kind:
        case "window":
            return _window(rng, s, u, stage, lanes, at_root)
        case "scan y":
            return Scheduled(_down(rng, u, stage, lanes, at_root), s.name)
        case "scan x":
            return _across(rng, s, u, stage, at_root)
        case "sums":
            if u.pure == ["x"]:
                return Scheduled(_down(rng, u, stage, lanes, at_root), s.name)
            return _row_sums(rng, s, u, stage, at_root)
        case "histogram":
            return _histogram(rng, s, u, stage, n)
    return Scheduled([], s.name)


def _window(rng: random.Random, s: Stage, u: Update, stage: str, lanes: int, at_root: bool) -> Scheduled:
    domain = [name for name, _ in u.domain]
    lines = []
    match rng.choice(("plain", "inside", "registers", "registers")):
        case "plain":
            lines.append(f"{stage}.vectorize(x, {lanes}{update_tail(rng)})")
        case "inside":
            lines.append(f"{stage}.reorder({', '.join(['x', *domain, *u.pure[1:]])})")
            lines.append(f"{stage}.vectorize(x, {lanes}{update_tail(rng)})")
        case _:
            count = rng.choice((2, 4))
            lines.append(f"{stage}.split(x, xo, xi, {lanes * count}{update_tail(rng)})")
            lines.append(f"{stage}.reorder({', '.join(['xi', *domain, 'xo', *u.pure[1:]])})")
            lines.append(f"{stage}.vectorize(xi, {lanes}).unroll(xi)")
    if u.domain[0][1] <= 7 and rng.random() < 0.5:
        lines.append(f"{stage}.unroll({domain[0]})")
    if at_root:
        lines.append(f"{stage}.parallel(y)")
    channels = [Loop("c", "c")] if "c" in u.pure else []
    return Scheduled(lines, s.name, [*channels, Loop("y", "y", not at_root)])


def _down(rng: random.Random, u: Update, stage: str, lanes: int, at_root: bool) -> list[str]:
    """Along columns: vectors across them, in strips for the threads."""
    (r, _), others = u.domain[0], u.pure[1:]
    if not at_root or rng.random() < 0.25:
        return [f"{stage}.reorder({', '.join(['x', r, *others])})", f"{stage}.vectorize(x, {lanes}{update_tail(rng)})"]
    n = lanes * rng.choice((1, 4, 8))
    return [
        f"{stage}.split(x, xo, xi, {n}{update_tail(rng)})",
        f"{stage}.reorder({', '.join(['xi', r, 'xo', *others])})",
        f"{stage}.vectorize(xi, {lanes})" if n > lanes else f"{stage}.vectorize(xi)",
        f"{stage}.parallel(xo)",
    ]


def _across(rng: random.Random, s: Stage, u: Update, stage: str, at_root: bool) -> Scheduled:
    """A scan along rows: row by row, or a vector of rows."""
    (r, _), others = u.domain[0], u.pure[1:]
    if not at_root:
        return Scheduled([], s.name, [Loop("y", "y")])
    if rng.random() < 0.6:
        return Scheduled([f"{stage}.parallel(y)"], s.name, [Loop("y", "y", False)])
    lines = [
        f"{stage}.split(y, yo, yi, 8{update_tail(rng)})", f"{stage}.reorder({', '.join(['yi', r, 'yo', *others])})",
        f"{stage}.vectorize(yi).parallel(yo)",
    ]
    return Scheduled(lines, s.name)


def _row_sums(rng: random.Random, s: Stage, u: Update, stage: str, at_root: bool) -> Scheduled:
    (r, _) = u.domain[0]
    lines = []
    form = rng.choice(("atomic", "rfactor", "plain")) if u.associative else "plain"
    if form == "rfactor":
        part = f"{s.name}_parts"
        lines = [
            f"{part} = {stage}.split({r}, ro, ri, 8).rfactor(ri, u)",
            f"{part}.compute_at({s.name}, y).vectorize(u)", f"{part}.update(0).reorder(u, ro, y).vectorize(u)",
            f"{s.name}.update(0).parallel(y)",
        ]
        return Scheduled(lines, part)
    if form == "atomic":
        lines.append(f"{stage}.atomic().vectorize({r}, 8)")
    if at_root:
        lines.append(f"{stage}.parallel(y)")
    return Scheduled(lines, s.name, [Loop("y", "y", not at_root)] if form == "plain" else [])


def _histogram(rng: random.Random, s: Stage, u: Update, stage: str, n: int) -> Scheduled:
    _, (ry, height) = u.domain
    if rng.random() < 0.3:
        return Scheduled([], s.name, [Loop(ry, "y")])
    rows = rng.choice((16, 32, 64))
    part = f"{s.name}_parts"
    lines = [
        f"{part} = {stage}.split({ry}, ro, ri, {rows}).rfactor(ro, u)",
        f"{part}.compute_root().vectorize(i, 8)", f"{part}.update(0).parallel(u)",
        f"{s.name}.update({n}).vectorize(i, 8)",
    ]
    assert height > rows
    return Scheduled(lines, part, [Loop("u", "y", False), Loop("ri", "y")])

"""Repair: children of crossover and mutation made consistent again, before the compiler refuses them.

The paper rejects what is invalid; half of all children were, since a Func whose loops change takes along the levels of
all that is computed in them."""

from __future__ import annotations

from halide_core.autoschedule.directives import Directive, FuncName, Loop
from halide_core.autoschedule.genetic2013.genes import PLACES, Gene, Genes, Individual

# Directives whose operands but the first, or the first two, are loops that they make.
_MAKES_LOOPS = {"split": 1, "partial_results": 1, "fuse": 2}
Level = tuple[str, int, Loop]
"""A loop: its Func and stage, and itself."""


def repaired(whole: Individual, genes: Genes) -> Individual:
    """`whole` without directives of loops that are not there, and with each Func at a level around all its users: its
    own one, if that is such, else the innermost."""
    new: dict[str, Gene] = {}
    around: dict[str, list[Level]] = {}
    for func in genes.funcs:
        gene = _known(func, whole.of(func), genes)
        place = {d.method: d for d in gene if d.method in PLACES}
        own = tuple(d for d in gene if d.method not in PLACES)
        if genes.d.nodes[func].is_output:
            new[func], around[func] = own, []
            continue
        if not place and genes.may_inline(func):
            new[func] = ()
            continue
        levels, best = _levels(func, new, around, genes)
        at = _index(place.get("compute_at"), levels)
        if at is None and "compute_at" in place and best >= 0:
            at = best
        if at is None:
            new[func], around[func] = (Directive(func, 0, "compute_root"), *own), []
            continue
        out = [_at(func, "compute_at", levels[at])]
        kept = _index(place.get("store_at"), levels)
        if kept is not None and kept < at:
            out.insert(0, _at(func, "store_at", levels[kept]))
        elif "store_root" in place:
            out.insert(0, place["store_root"])
        new[func], around[func] = (*out, *own), levels[: at + 1]
    return Individual(tuple((f, new[f]) for f in genes.funcs))


def _known(func: str, gene: Gene, genes: Genes) -> Gene:
    """The directives whose loops are there where they stand."""
    out: Gene = ()
    for d in gene:
        if d.method not in PLACES and d.method != "bound":
            used = {a.name for a in d.args[: _MAKES_LOOPS.get(d.method)] if isinstance(a, Loop)}
            if not used <= {x.name for x in genes.loops(func, out, d.stage)}:
                continue
        out = (*out, d)
    return out


def _levels(func: str, new: dict[str, Gene], around: dict[str, list[Level]], genes: Genes) -> tuple[list[Level], int]:
    """The loops around all users of `func`, outermost first, of a single user its own too; and which of them is the
    innermost but a user's innermost (-1: none)."""
    paths: list[list[Level]] = []
    lanes: set[Level] = set()
    seen: set[str] = set()
    work = [func]
    while work:
        read = work.pop()
        for user in genes.d.nodes[read].consumers:
            if user not in around:
                # Inlined: its users read what it reads.
                work += [user] if user not in seen else []
                seen.add(user)
                continue
            for stage in genes.d.nodes[user].stages:
                if read in stage.reads:
                    own = [(user, stage.index, x) for x in reversed(genes.loops(user, new[user], stage.index))]
                    lanes.update(own[-1:])
                    paths.append([*around[user], *own])
    common = paths[0] if paths else []
    for path in paths[1:]:
        length = next((k for k, (a, b) in enumerate(zip(common, path, strict=False)) if a != b), None)
        common = common[: min(len(common), len(path)) if length is None else length]
    last = len(common) - 1
    return common, last - 1 if common and common[last] in lanes else last


def _index(d: Directive | None, levels: list[Level]) -> int | None:
    if d is None or len(d.args) != 2:
        return None
    user, loop = d.args
    assert isinstance(user, FuncName) and isinstance(loop, Loop)
    return next((k for k, (f, _, x) in enumerate(levels) if (f, x.name) == (user.name, loop.name)), None)


def _at(func: str, method: str, level: Level) -> Directive:
    return Directive(func, 0, method, (FuncName(level[0]), level[2]))

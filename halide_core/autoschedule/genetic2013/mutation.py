"""The eight mutation rules, and crossover (section 5)."""

from __future__ import annotations

import random
from dataclasses import replace

from halide_core.autoschedule.directives import Directive, FuncName, Loop
from halide_core.autoschedule.genetic2013.genes import PLACES, Gene, Genes, Individual

# Six generic rules, and the two that know of images, which are taken more often.
RULES = ("constants", "new", "copy", "add", "remove", "replace", "fusion", "template")
_WEIGHTS = (1, 1, 1, 1, 1, 1, 3, 3)


def crossover(a: Individual, b: Individual, rng: random.Random) -> Individual:
    """Two-point crossover between Funcs."""
    first, last = sorted(rng.sample(range(len(a.genes) + 1), 2))
    return Individual((*a.genes[:first], *b.genes[first:last], *a.genes[last:]))


def mutated(whole: Individual, genes: Genes, rng: random.Random, rule: str | None = None) -> Individual:
    """`whole` with the schedule of a random Func changed by a random rule, or by `rule`."""
    func = rng.choice(genes.funcs)
    old = whole.of(func)
    if rule is None:
        rule = rng.choices(RULES, _WEIGHTS)[0]
    match rule:
        case "constants":
            return whole.changed({func: _constants(old, rng)})
        case "new":
            return whole.changed({func: genes.random_gene(whole, func, rng)})
        case "copy":
            return whole.changed({func: _copied(whole, func, genes, rng)})
        case "add":
            more = genes.transformation(func, old, rng)
            return whole if more is None else whole.changed({func: (*old, more)})
        case "remove" | "replace":
            own = [k for k, d in enumerate(old) if d.method not in PLACES]
            if not own:
                return whole
            k = rng.choice(own)
            rest = (*old[:k], *old[k + 1 :])
            more = genes.transformation(func, rest, rng) if rule == "replace" else None
            return whole.changed({func: (*rest, more) if more is not None else rest})
        case "fusion":
            return _fused(whole, func, genes, rng)
    return whole.changed({func: _template(whole, func, genes, rng)})


def _constants(gene: Gene, rng: random.Random) -> Gene:
    """Other factors, small powers of two."""
    def change(d: Directive) -> Directive:
        if d.method == "bound":
            return d  # what the pipeline is, not how it runs
        args = tuple(
            1 << rng.randint(1, 8) if isinstance(a, int) and rng.random() < 0.5 else a for a in d.args
        )
        return replace(d, args=args)

    return tuple(change(d) for d in gene)


def _copied(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene:
    """The transformations of another Func, for the dimensions in the same places; the place stays."""
    other = rng.choice(genes.funcs)
    place = tuple(d for d in whole.of(func) if d.method in PLACES)
    if other == func or len(genes.d.nodes[other].function.args) != len(genes.d.nodes[func].function.args):
        return whole.of(func)
    rename = dict(zip(genes.d.nodes[other].function.args, genes.d.nodes[func].function.args, strict=True))
    own = [d for d in whole.of(other) if d.method not in PLACES and not d.stage and d.method != "bound"]
    made = []
    for d in own:
        args = tuple(Loop(rename.get(a.name, a.name)) if isinstance(a, Loop) else a for a in d.args)
        made.append(replace(d, func=func, args=args))
    if not place and not genes.d.nodes[func].is_output:
        return tuple(made) if not made else (Directive(func, 0, "compute_root"), *made)
    return (*place, *made)


def _fused(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Individual:
    """`func` tiled and parallel; what it reads computed in its tiles, and what that reads, until a coin fails."""
    gene = genes.tiled(func, rng)
    new: dict[str, Gene] = {func: gene}
    loops = genes.loops(func, gene)
    # The tile's inner x: what is computed at the loop outside of the vectors.
    inside = [n for n in loops if n.endswith(("_i", "_o"))]
    if not inside:
        return whole.changed(new)
    level = rng.choice(inside[1:] or inside)
    work = [func]
    while work:
        user = work.pop()
        for stage in genes.d.nodes[user].stages:
            for name in stage.reads:
                if name not in genes.d.nodes or name in new or genes.d.nodes[name].is_output:
                    continue
                new[name] = genes.under(name, func, level)
                if rng.random() < 0.5:
                    work.append(name)
    return whole.changed(new)


def _template(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene:
    """One of the three common patterns: under x of a consumer and in vectors; tiled and parallel; parallel over y."""
    match rng.randrange(3):
        case 0:
            user = None if genes.d.nodes[func].is_output else genes.consumer(whole, func, rng)
            loops = genes.loops(user, whole.of(user)) if user is not None else []
            if user is not None and loops:
                return genes.under(func, user, rng.choice(loops[:2]))
            return genes.parallel(func)
        case 1:
            return genes.tiled(func, rng)
    return genes.parallel(func)


def names_known(whole: Individual, genes: Genes) -> bool:
    """Whether every loop at which something is computed or kept is one that its Func has: what is cheap to see of an
    individual that the compiler would refuse."""
    by_func = dict(whole.genes)
    for gene in by_func.values():
        for d in gene:
            if d.method in ("compute_at", "store_at"):
                at, loop = d.args
                assert isinstance(at, FuncName)
                if at.name not in by_func or getattr(loop, "name", "") not in genes.loops(at.name, by_func[at.name]):
                    return False
    return True

"""The eight mutation rules, crossover (section 5), and two rules for what is good already: one small step, and the same
one in all Funcs together."""

from __future__ import annotations

import random
from dataclasses import replace

from halide_core.autoschedule.directives import Directive, FuncName, Loop
from halide_core.autoschedule.genetic2013.genes import PLACES, Gene, Genes, Individual

# Six generic rules, the two that know of images, which are taken more often, and steps, without which a schedule of
# another method has next to no children that are better.
RULES = ("constants", "new", "copy", "add", "remove", "replace", "fusion", "template", "step", "together")
_WEIGHTS = (1, 1, 1, 1, 1, 1, 3, 3, 10, 4)
_SIZED = ("split", "unroll", "vectorize")


def crossover(a: Individual, b: Individual, rng: random.Random) -> Individual:
    """Two-point crossover between Funcs."""
    first, last = sorted(rng.sample(range(len(a.genes) + 1), 2))
    return Individual((*a.genes[:first], *b.genes[first:last], *a.genes[last:]))


def mutated(whole: Individual, genes: Genes, rng: random.Random, rule: str | None = None) -> Individual:
    """`whole` with the schedule of a random Func changed by a random rule, or by `rule`."""
    if rule is None:
        rule = rng.choices(RULES, _WEIGHTS)[0]
    # What is inlined has nothing to change.
    scheduled = [f for f, gene in whole.genes if gene]
    some = rule in ("constants", "remove", "replace") or (rule == "step" and rng.random() < 0.8)
    func = rng.choice(scheduled if some and scheduled else genes.funcs)
    old = whole.of(func)
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
        case "step":
            return whole.changed({func: _stepped(whole, func, genes, rng)})
        case "together":
            return _together(whole, genes, rng)
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


def _stepped(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene:
    """One small step: a factor somewhat greater or less, two neighbouring loops exchanged, a level one loop further in
    or out, storage further out or not, inlined or stored."""
    old = whole.of(func)
    steps = [_factor, _exchanged, _moved, _kept, _turned_inline]
    rng.shuffle(steps)
    for step in steps:
        made = step(whole, func, genes, rng)
        if made is not None and made != old:
            return made
    return old


def _with(gene: Gene, k: int, d: Directive) -> Gene:
    return (*gene[:k], d, *gene[k + 1 :])


def _factor(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene | None:
    gene = whole.of(func)
    places = [
        (k, n) for k, d in enumerate(gene) if d.method in (*_SIZED, "partial_results")
        for n, a in enumerate(d.args) if isinstance(a, int)
    ]
    if not places:
        return None
    k, n = rng.choice(places)
    size = gene[k].args[n]
    assert isinstance(size, int)
    lanes = genes.lanes(func)
    sizes = [2 * size, size // 2]
    if gene[k].method == "split" and not _is_vector(gene, gene[k]):
        sizes += [size + lanes, size - lanes, size * 3 // 2, size * 3 // 4, size * 2 // 3, size + 1, size - 1]
    sizes = [s for s in sizes if s >= 2]
    if not sizes:
        return None
    args = list(gene[k].args)
    args[n] = rng.choice(sizes)
    return _with(gene, k, replace(gene[k], args=tuple(args)))


def _together(whole: Individual, genes: Genes, rng: random.Random) -> Individual:
    """A size that several Funcs have along one dimension, vectors or blocks of rows, changed in all of them: where they
    share tiles, one alone is no gain."""
    def group(func: str, d: Directive) -> tuple[int, int] | None:
        size = next((a for a in d.args if isinstance(a, int)), None) if d.method in _SIZED else None
        if size is None:
            return None
        first = d.args[0]
        assert isinstance(first, Loop)
        args = genes.d.nodes[func].function.args
        # Loops have the names of the dimensions that they are made of before their own.
        place = next((n for n, a in enumerate(args) if first.name == a or first.name.startswith(f"{a}_")), -1)
        return place, size

    found = sorted({g for func, gene in whole.genes for d in gene if (g := group(func, d)) is not None})
    if not found:
        return whole
    chosen = rng.choice(found)
    size = rng.choice([s for s in (2 * chosen[1], chosen[1] // 2) if s >= 2])

    def changed(d: Directive) -> Directive:
        return replace(d, args=tuple(size if isinstance(a, int) else a for a in d.args))

    return whole.changed({
        func: tuple(changed(d) if group(func, d) == chosen else d for d in gene) for func, gene in whole.genes
    })


def _is_vector(gene: Gene, split: Directive) -> bool:
    """Whether a split makes the loop that is a vector."""
    return any(d.method == "vectorize" and d.stage == split.stage and d.args[0] == split.args[2] for d in gene)


def _exchanged(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene | None:
    gene = whole.of(func)
    found = [k for k, d in enumerate(gene) if d.method == "reorder" and len(d.args) > 1]
    if not found:
        return None
    k = rng.choice(found)
    args = list(gene[k].args)
    n = rng.randrange(len(args) - 1)
    args[n : n + 2] = [args[n + 1], args[n]]
    return _with(gene, k, replace(gene[k], args=tuple(args)))


def _moved(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene | None:
    gene = whole.of(func)
    found = [k for k, d in enumerate(gene) if d.method in ("compute_at", "store_at")]
    if not found:
        return None
    k = rng.choice(found)
    user, level = gene[k].args
    assert isinstance(user, FuncName) and isinstance(level, Loop)
    for stage in genes.d.nodes[user.name].stages:
        loops = genes.loops(user.name, whole.of(user.name), stage.index)
        names = [x.name for x in loops]
        if level.name in names:
            at = names.index(level.name) + rng.choice((-1, 1))
            if 0 <= at < len(loops):
                return _with(gene, k, replace(gene[k], args=(user, loops[at])))
    return None


def _kept(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene | None:
    gene = whole.of(func)
    if any(d.method == "store_at" for d in gene):
        return tuple(d for d in gene if d.method != "store_at")
    for k, d in enumerate(gene):
        if d.method == "compute_at":
            user, level = d.args
            assert isinstance(user, FuncName) and isinstance(level, Loop)
            loops = genes.loops(user.name, whole.of(user.name))
            names = [x.name for x in loops]
            if level.name in names and names.index(level.name) + 1 < len(loops):
                out = rng.choice(loops[names.index(level.name) + 1 :])
                return (*gene[:k], Directive(func, 0, "store_at", (user, out)), *gene[k:])
    return None


def _turned_inline(whole: Individual, func: str, genes: Genes, rng: random.Random) -> Gene | None:
    if not genes.may_inline(func):
        return None
    return () if whole.of(func) else _template(whole, func, genes, rng)


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
    inside = [x for x in loops if x.name.endswith(("_i", "_o"))]
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

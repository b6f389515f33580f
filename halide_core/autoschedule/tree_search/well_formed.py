"""Which schedule trees mean something: the two rules of the page, and what this compiler asks of loops beside."""

from __future__ import annotations

import itertools

from halide_core.autoschedule.tree_search.tree import Graph, Loop, Nest, Path, Root, Storage, nests, paths
from halide_core.ir.stmt import ForKind


def fault(root: Root, graph: Graph) -> str | None:
    """Why a tree is not well-formed, or None.

    The path from a Func's body to the root has all its loops and, unless it is an output, its storage; what a body
    reads is computed before it, where the body can see it.  Parallel loops are outermost, storage is not shared between
    their iterations; vectors and unrolled loops have constant extents and nothing but the body inside."""
    found, where = nests(root), paths(root)
    for name, nest in found.items():
        why = _loops(nest, graph) or _storage(where[name], nest, graph) or _kinds(nest)
        if why is not None:
            return why
    return _calls(where, found, graph)


def _loops(nest: Nest, graph: Graph) -> str | None:
    steps: dict[str, list[int]] = {}
    for loop in nest.own:
        steps.setdefault(loop.dim, []).append(loop.step)
    for a in graph.args[nest.func]:
        of = steps.pop(a, [])
        if not of or of[-1] != 1:
            return f"{nest.func} has no loop over {a} that advances by 1"
        if any(p <= q or p % q for p, q in itertools.pairwise(of)):
            return f"the loops of {nest.func} over {a} have the steps {of}"
    if steps:
        return f"{nest.func} has loops over {', '.join(steps)}, which are none of its dimensions"
    return None


def _storage(path: Path, nest: Nest, graph: Graph) -> str | None:
    mine = [n for n in path if isinstance(n, Storage) and n.func == nest.func]
    if len(mine) != (nest.func not in graph.outputs):
        return f"{nest.func} has {len(mine)} storage nodes above it"
    if mine and any(isinstance(n, Loop) and n.func == nest.func for n in path[: path.index(mine[0])]):
        return f"the storage of {nest.func} is inside its own loops"
    if any(n.kind is not ForKind.SERIAL for n in nest.around[nest.stored_inside :]):
        return f"{nest.func} is stored outside of a loop that is not serial, and computed inside"
    return None


def _kinds(nest: Nest) -> str | None:
    serial = False
    for loop in (*nest.around, *nest.own):
        if loop.kind is ForKind.PARALLEL and serial:
            return f"the parallel loop {loop.func}.{loop.dim} is inside a serial one"
        serial |= loop.kind is not ForKind.PARALLEL
    if any(n.kind in (ForKind.VECTORIZED, ForKind.UNROLLED) for n in nest.around):
        return f"{nest.func} is computed in a vector or an unrolled loop"
    vectors = [k for k, n in enumerate(nest.own) if n.kind is ForKind.VECTORIZED]
    if len(vectors) > 1:
        return f"{nest.func} has several vectorized loops"
    if vectors and any(n.kind is not ForKind.UNROLLED for n in nest.own[vectors[0] + 1 :]):
        return f"the vectors of {nest.func} are not innermost"
    for k in vectors:
        loop = nest.own[k]
        if loop.step != 1 or not any(n.dim == loop.dim for n in nest.own[:k]):
            return f"the vectorized loop over {loop.dim} of {nest.func} has no constant extent"
    return None


def _calls(where: dict[str, Path], found: dict[str, Nest], graph: Graph) -> str | None:
    order = {n: k for k, n in enumerate(where)}
    for user, nest in found.items():
        if graph.opaque & set(nest.inlined):
            return f"a Func with updates is inlined into {user}"
        if nest.around and nest.around[-1].func in graph.opaque:
            return f"{user} is computed in the loops of {nest.around[-1].func}, which are given by rule"
        for name in {c for f in (user, *nest.inlined) for c in graph.calls[f]}:
            if name not in found:
                if name not in nest.inlined:
                    return f"{user} reads {name}, which is neither computed nor inlined"
                continue
            if order[name] > order[user]:
                return f"{user} is computed before {name}, which it reads"
            level = found[name].level
            loops = {n.level for n in where[user] if isinstance(n, Loop)}
            if level is not None and level not in loops:
                return f"{name} is computed in a loop that {user} is not inside of"
            if not any(isinstance(n, Storage) and n.func == name for n in where[user]):
                return f"{user} is outside of the storage of {name}"
    return None

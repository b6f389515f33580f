"""The six transformers of schedule trees, each with its inverse.

Each returns a new tree, or None where there is nothing to do.  A result may break a rule: see `well_formed.fault`."""

from __future__ import annotations

from dataclasses import replace

from halide_core.autoschedule.tree_search.tree import (
    Compute,
    Graph,
    Items,
    Level,
    Loop,
    Node,
    Places,
    Root,
    body,
    computes,
    default_nest,
    edited,
    nests,
    places,
    relabelled,
    users,
    with_children,
)
from halide_core.ir.stmt import ForKind


def split(root: Root, level: Level, factor: int) -> Root | None:
    """Two loops in place of one: the outer one advances by `factor` times as much."""
    func, dim, step = level

    def visit(node: Node) -> Node:
        if isinstance(node, Compute):
            return node
        children = tuple(visit(c) for c in node.children)
        if isinstance(node, Loop) and node.level == level:
            return Loop(func, dim, step * factor, ForKind.SERIAL, (with_children(node, children),))
        return with_children(node, children)

    return Root(tuple(visit(c) for c in root.children)) if factor > 1 else None


def resize(root: Root, level: Level, step: int) -> Root | None:
    """A loop that split made, with another step: undone, and split again."""
    if level[2] == step or level[2] == 1:
        return None
    return relabelled(root, lambda n: replace(n, step=step) if n.level == level else n)


def change_kind(root: Root, level: Level, kind: ForKind) -> Root | None:
    """A loop run in another way."""
    return relabelled(root, lambda n: replace(n, kind=kind) if n.level == level else n)


def reorder(root: Root, level: Level) -> Root | None:
    """A loop and the next one inside it, of the same Func, change places."""
    own = nests(root)[level[0]].own
    at = next((k for k, n in enumerate(own) if n.level == level), len(own))
    if at + 1 >= len(own) or own[at].dim == own[at + 1].dim:
        return None
    first, second = own[at], own[at + 1]
    swap = {first.level: second, second.level: first}

    def change(n: Loop) -> Loop:
        other = swap.get(n.level)
        return n if other is None else replace(n, dim=other.dim, step=other.step, kind=other.kind)

    return relabelled(root, change)


def hoist_compute(root: Root, func: str) -> Root | None:
    """Computes a Func one loop further out; storage that was in that loop goes along."""
    nest = nests(root)[func]
    if not nest.around:
        return None
    inside, outside = nest.level, nest.around[-2].level if len(nest.around) > 1 else None
    found, moved, stored = _taken(root, inside, func)
    return edited(found, outside, lambda p: _inserted(p, moved, stored, func, nest.around[-1]))


def lower_compute(root: Root, graph: Graph, func: str) -> Root | None:
    """Computes a Func in the loop beside it that all its users are in; its storage stays where it is."""
    nest = nests(root)[func]
    target = _beside(root, graph, func, nest.level)
    if target is None:
        return None
    found, moved, _ = _taken(root, nest.level, func, storage=False)
    needed = set(users(graph, {c.func: c for c in computes(root)}, func))
    return edited(found, target.level, lambda p: (p[0], _before(p[1], moved, needed)))


def hoist_storage(root: Root, func: str) -> Root | None:
    """Keeps a Func one loop further out."""
    nest = nests(root)[func]
    if nest.stored_inside == 0:
        return None
    k = nest.stored_inside
    return _stored_at(root, func, nest.around[k - 1].level, nest.around[k - 2].level if k > 1 else None)


def lower_storage(root: Root, func: str) -> Root | None:
    """Keeps a Func one loop further in, at most in the loop that it is computed in."""
    nest = nests(root)[func]
    k = nest.stored_inside
    if k >= len(nest.around):
        return None
    return _stored_at(root, func, nest.around[k - 1].level if k else None, nest.around[k].level)


def inline(root: Root, graph: Graph, func: str) -> Root | None:
    """Computes a Func anew wherever it is read; what was computed in its loops is computed where they were."""
    if func in graph.opaque or func in graph.outputs:
        return None
    found = nests(root)
    nest = found[func]
    # Who is computed in its own loops moves out first.
    for name, other in found.items():
        while any(n.func == func for n in other.around):
            moved = hoist_compute(root, name)
            assert moved is not None
            root = moved
            other = nests(root)[name]
    root, _, _ = _taken(root, nest.level, func)
    where = nest.around[nest.stored_inside - 1].level if nest.stored_inside else None
    root = edited(root, where, lambda p: (tuple(s for s in p[0] if s != func), p[1]))
    return _bodies(root, graph)


def deinline(root: Root, graph: Graph, func: str) -> Root | None:
    """Computes an inlined Func whole, before everything that reads it."""
    stored = frozenset(c.func for c in computes(root)) | {func}
    needed = set(users(graph, {c.func: c for c in computes(root)}, func))
    if not needed:
        return None
    made = (default_nest(graph, func, stored),)
    root = edited(root, None, lambda p: ((*p[0], func), _before(p[1], made, needed)))
    return _bodies(root, graph)


def _bodies(root: Root, graph: Graph) -> Root:
    stored = frozenset(c.func for c in computes(root))

    def visit(node: Node) -> Node:
        if isinstance(node, Compute):
            return body(graph, node.func, stored)
        return with_children(node, tuple(visit(c) for c in node.children))

    return Root(tuple(visit(c) for c in root.children))


def _is_nest(item: Loop | Compute, func: str) -> bool:
    return item.func == func


def _taken(root: Root, level: Level | None, func: str, storage: bool = True) -> tuple[Root, Items, bool]:
    """(`root` without the nest of `func` at `level`, that nest, whether its storage was there and is taken too)."""
    taken: list[Items] = [()]
    stored = [False]

    def change(p: Places) -> Places:
        taken[0] = tuple(i for i in p[1] if _is_nest(i, func))
        stored[0] = func in p[0] and storage
        names = tuple(s for s in p[0] if s != func) if storage else p[0]
        return names, tuple(i for i in p[1] if not _is_nest(i, func))

    return edited(root, level, change), taken[0], stored[0]


def _inserted(p: Places, moved: Items, stored: bool, func: str, before: Loop) -> Places:
    at = next(k for k, i in enumerate(p[1]) if isinstance(i, Loop) and i.level == before.level)
    return ((*p[0], func) if stored else p[0]), (*p[1][:at], *moved, *p[1][at:])


def _before(items: Items, moved: Items, needed: set[str]) -> Items:
    """`items` with `moved` before the first one that has one of the bodies `needed` in it."""
    at = next((k for k, i in enumerate(items) if any(c.func in needed for c in computes(i))), len(items))
    return (*items[:at], *moved, *items[at:])


def _beside(root: Root, graph: Graph, func: str, level: Level | None) -> Loop | None:
    """The loop at `level` that has all users of `func` in it."""
    here: Root | Loop | None = root if level is None else _loop(root, level)
    if here is None:
        return None
    needed = set(users(graph, {c.func: c for c in computes(root)}, func))
    for item in places(here)[1]:
        inside = {c.func for c in computes(item)}
        if isinstance(item, Loop) and item.func != func and needed and needed <= inside:
            return item
    return None


def _loop(root: Root, level: Level) -> Loop | None:
    work: list[Root | Node] = [root]
    while work:
        node = work.pop()
        if isinstance(node, Loop) and node.level == level:
            return node
        if not isinstance(node, Compute):
            work.extend(node.children)
    return None


def _stored_at(root: Root, func: str, old: Level | None, new: Level | None) -> Root:
    root = edited(root, old, lambda p: (tuple(s for s in p[0] if s != func), p[1]))
    return edited(root, new, lambda p: ((*p[0], func), p[1]))

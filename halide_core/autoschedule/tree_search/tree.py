"""Schedule trees: which loops are around which computation, and where its results are kept.

    root
      loop f.y/32 parallel            of f, over blocks of 32 rows
        storage g
          loop f.y serial
            loop g.x ... compute g    g is computed for each row of f
            loop f.x ... compute f

A loop is told by its Func, its dimension and its step: what it advances by, in coordinates of the dimension.  The loops
of one dimension have steps that divide each other and end with 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from halide_core.autoschedule.analysis.description import Description
from halide_core.ir.stmt import ForKind

Level = tuple[str, str, int]
"""(Func, dimension, step) of a loop; None stands for the root."""


@dataclass(frozen=True, slots=True)
class Compute:
    """The body of a Func, with all Funcs that are computed in it anew (inlined), callers first."""

    func: str
    inlined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop; its children run in each iteration, in order."""

    func: str
    dim: str
    step: int
    kind: ForKind
    children: tuple[Node, ...]

    @property
    def level(self) -> Level:
        return self.func, self.dim, self.step


@dataclass(frozen=True, slots=True)
class Storage:
    """Memory for what is computed of a Func among the children."""

    func: str
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Root:
    """The whole schedule."""

    children: tuple[Node, ...]


Node = Compute | Loop | Storage
Items = tuple[Loop | Compute, ...]
Places = tuple[tuple[str, ...], Items]
"""What is stored at a level, and the nests of loops and the body that stand there."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What trees must know of a pipeline.

    `args`, `calls`: of each Func its dimensions and the Funcs it reads, in the order in which they are computed;
    `unrolled`: dimensions that are written out for each coordinate; `opaque`: Funcs with updates, whose loops are given
    by rule and stay whole."""

    args: dict[str, tuple[str, ...]]
    calls: dict[str, tuple[str, ...]]
    outputs: tuple[str, ...]
    unrolled: dict[str, frozenset[str]]
    opaque: frozenset[str]


def graph_of(description: Description, unrolled: dict[str, frozenset[str]]) -> Graph:
    """The graph of a described pipeline."""
    nodes = description.nodes
    calls = {n: tuple(dict.fromkeys(r for s in d.stages for r in s.reads if r in nodes)) for n, d in nodes.items()}
    return Graph(
        {n: tuple(d.function.args) for n, d in nodes.items()}, calls, tuple(description.outputs), unrolled,
        frozenset(n for n, d in nodes.items() if not d.is_pure),
    )


def places(node: Root | Loop) -> Places:
    """What is stored at `node` and what stands there; all storage of one level is around all that stands there."""
    stored: list[str] = []
    children = node.children
    while len(children) == 1 and isinstance(children[0], Storage):
        stored.append(children[0].func)
        children = children[0].children
    return tuple(stored), tuple(c for c in children if not isinstance(c, Storage))


def placed(stored: tuple[str, ...], items: Items) -> tuple[Node, ...]:
    """The children that `places` takes apart."""
    children: tuple[Node, ...] = items
    for name in reversed(sorted(set(stored))):
        children = (Storage(name, children),)
    return children


def with_children(node: Loop | Storage, children: tuple[Node, ...]) -> Loop | Storage:
    """`node` around other children."""
    if isinstance(node, Storage):
        return Storage(node.func, children)
    return Loop(node.func, node.dim, node.step, node.kind, children)


def edited(root: Root, level: Level | None, change: Callable[[Places], Places]) -> Root:
    """`root` with what stands at `level` changed."""

    def visit(node: Node) -> Node:
        if isinstance(node, Compute):
            return node
        if isinstance(node, Loop) and node.level == level:
            return with_children(node, placed(*change(places(node))))
        return with_children(node, tuple(visit(c) for c in node.children))

    if level is None:
        return Root(placed(*change(places(root))))
    return Root(tuple(visit(c) for c in root.children))


def relabelled(root: Root, change: Callable[[Loop], Loop]) -> Root:
    """`root` with every loop changed, children apart."""

    def visit(node: Node) -> Node:
        if isinstance(node, Compute):
            return node
        made = change(node) if isinstance(node, Loop) else node
        return with_children(made, tuple(visit(c) for c in node.children))

    return Root(tuple(visit(c) for c in root.children))


def computes(node: Root | Node) -> Iterator[Compute]:
    """The bodies of Funcs that are stored or outputs, in the order of a depth-first traversal."""
    if isinstance(node, Compute):
        yield node
    else:
        for c in node.children:
            yield from computes(c)


Path = tuple[Root | Node, ...]


def paths(root: Root) -> dict[str, Path]:
    """By Func that is not inlined, the nodes from the root to its body."""
    found: dict[str, Path] = {}

    def visit(node: Root | Node, above: Path) -> None:
        here = (*above, node)
        if isinstance(node, Compute):
            found[node.func] = here
        else:
            for c in node.children:
                visit(c, here)

    visit(root, ())
    return found


@dataclass(frozen=True, slots=True)
class Nest:
    """One Func on its path: the loops of others around it, its own, and how many of the former its storage is inside
    of; `level` is the innermost loop around it."""

    func: str
    around: tuple[Loop, ...]
    own: tuple[Loop, ...]
    stored_inside: int
    inlined: tuple[str, ...]

    @property
    def level(self) -> Level | None:
        return self.around[-1].level if self.around else None


def nests(root: Root) -> dict[str, Nest]:
    """The Nest of every Func that is not inlined, in the order in which they are computed."""
    out: dict[str, Nest] = {}
    for name, path in paths(root).items():
        loops = [n for n in path if isinstance(n, Loop)]
        own = tuple(n for n in loops if n.func == name)
        before = 0
        for n in path:
            if isinstance(n, Storage) and n.func == name:
                break
            before += isinstance(n, Loop)
        body = path[-1]
        assert isinstance(body, Compute)
        around = tuple(n for n in loops if n.func != name)
        out[name] = Nest(name, around, own, min(before, len(around)), body.inlined)
    return out


def body(graph: Graph, name: str, stored: frozenset[str]) -> Compute:
    """The body of `name` where all but `stored` are inlined."""
    found: dict[str, None] = {}
    work = list(graph.calls[name])
    while work:
        callee = work.pop(0)
        if callee not in stored and callee not in found:
            found[callee] = None
            work += graph.calls[callee]
    return Compute(name, tuple(found))


def users(graph: Graph, bodies: dict[str, Compute], name: str) -> list[str]:
    """The Funcs, not inlined, whose bodies read `name`."""
    return [u for u, b in bodies.items() if any(name in graph.calls[f] for f in (u, *b.inlined))]


def default_nest(graph: Graph, name: str, stored: frozenset[str]) -> Loop | Compute:
    """The loops of a Func in row-major order, whole; what is unrolled is innermost."""
    made: Loop | Compute = body(graph, name, stored)
    few = graph.unrolled.get(name, frozenset())
    inner = [a for a in graph.args[name] if a in few]
    for a in (*inner, *(a for a in graph.args[name] if a not in few)):
        made = Loop(name, a, 1, ForKind.UNROLLED if a in few else ForKind.SERIAL, (made,))
    return made


def default_tree(graph: Graph, stored: frozenset[str]) -> Root:
    """Outputs in row-major order, everything else inlined, apart from `stored`, kept whole."""
    kept = stored | set(graph.outputs)
    items = tuple(default_nest(graph, n, kept) for n in graph.calls if n in kept)
    return Root(placed(tuple(n for n in kept if n not in graph.outputs), items))


def text(node: Root | Node, indent: int = 0) -> str:
    """The tree, a node a line."""
    match node:
        case Root():
            line = "root"
        case Loop():
            step = f"/{node.step}" if node.step != 1 else ""
            line = f"loop {node.func}.{node.dim}{step} {'serial' if node.kind is ForKind.SERIAL else node.kind.value}"
        case Storage():
            line = f"storage {node.func}"
        case Compute():
            line = f"compute {node.func}" + (f" ({', '.join(node.inlined)} inlined)" if node.inlined else "")
    lines = [" " * indent + line + "\n"]
    if not isinstance(node, Compute):
        lines += [text(c, indent + 2) for c in node.children]
    return "".join(lines)

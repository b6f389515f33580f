"""Kernels split off, and the host code around them.

    gpu_block f.x: ...                 on device f, g:
    for y: h[y] = f[y]          ->       launch kernel_f(f!, g)
                                         host loads f
                                         for y: h[y] = f[y]

Values are copied when one side needs what the other has stored last; which that is is kept while the program runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.gpu.barriers import place_barriers
from halide_core.gpu.capability import MOST_THREADS
from halide_core.gpu.captured import Captured
from halide_core.gpu.guards import shorten_guards
from halide_core.gpu.idle_lanes import release_idle_lanes
from halide_core.gpu.indices import narrow_indices
from halide_core.gpu.kernel import BLOCK, INDEX_NAMES, Kernel, Leaf, Triple
from halide_core.gpu.peeling import peel_first
from halide_core.gpu.scopes import inside, loaded, stored
from halide_core.gpu.shared import lay_out_shared
from halide_core.gpu.tables import Tables
from halide_core.gpu.threads import most, thread_code
from halide_core.gpu.wide_accesses import widen_accesses
from halide_core.interface import Array, output_arrays
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Interval
from halide_core.ir.expr import BOOL, I32, I64, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.stmt import ForKind
from halide_core.ir.structural import contains, key, nodes, rewriting, substitution, variables
from halide_core.ir.types import Type

# Limits of every device (CUDA C++ Programming Guide, compute capabilities 7.0 to 9.0).
_MOST_OF_AXIS = (1024, 1024, 64)


def offload(
    s: st.Stmt,
    arguments: Iterable[Array],
    functions: list[Function],
    outputs: list[Function],
    most_shared: int,
    contents: Mapping[str, bytes] | None = None,
) -> tuple[st.Stmt, tuple[Kernel, ...]]:
    """`s`, the code of `functions`, with a Launch in place of each nest of loops over blocks, and the kernels.

    A block may share `most_shared` bytes; `contents` has the bytes of arrays that never change.  Raises HalideError for
    what a device cannot do."""
    arrays = {a.name: a for a in arguments}
    pure = _names_of(f for f in functions if not f.updates)
    splitter = _Splitter(most_shared, pure, frozenset(arrays), Tables(contents or {}))
    s = splitter.visit(s, {n: a.type for n, a in arrays.items()})
    used = {n for k in splitter.kernels for n, _ in k.arrays}
    s = _Host(used).around(s)
    written, kept = _names_of(outputs), _names_of(filter(is_partly_defined, outputs))
    for name in sorted(used & arrays.keys()):
        a = arrays[name]
        dims = tuple(
            (Variable(I32, f"{a.owner}.extent.{d}"), Variable(I64, f"{a.name}.stride.{d}")) for d in range(a.dimensions)
        )
        s = st.OnDevice(name, a.type, dims, s, name not in written or name in kept, name in written)
    return s, tuple(splitter.kernels)


def _names_of(functions: Iterable[Function]) -> frozenset[str]:
    return frozenset(a.name for f in functions for a in output_arrays(f))


def is_partly_defined(f: Function) -> bool:
    """Whether elements of an output may stay as they were."""
    return any(n.name == "undef" for v in f.definitions()[0].values for n in nodes(v, ir.Call))


def has_blocks(s: st.Stmt) -> bool:
    """Whether a loop over blocks stands in `s`."""
    return any(isinstance(x, st.For) and x.kind is ForKind.GPU_BLOCK for x in st.walk(s))


class _Splitter:
    """Takes kernels out of a statement."""

    def __init__(self, most_shared: int, pure: frozenset[str], given: frozenset[str], tables: Tables) -> None:
        self.most_shared, self.pure, self.given, self.tables = most_shared, pure, given, tables
        self.kernels: list[Kernel] = []

    def visit(self, s: st.Stmt, arrays: dict[str, Type]) -> st.Stmt:
        if isinstance(s, st.For) and s.kind is ForKind.GPU_BLOCK:
            return self.launch(s, arrays)
        if isinstance(s, st.For) and s.kind is ForKind.PARALLEL and has_blocks(s.body):
            # The device does the work, one kernel after the other.
            s = replace(s, kind=ForKind.SERIAL)
        if isinstance(s, st.Allocate):
            arrays = {**arrays, s.name: s.type}
        return st.rebuild(s, lambda x: self.visit(x, arrays), lambda e: e)

    def launch(self, s: st.For, arrays: dict[str, Type]) -> st.Stmt:
        blocks, scope, body = _blocks(s)
        code = thread_code(body, scope, blocks)
        body, threads, heap = code.body, code.threads, code.heap
        arrays = {**arrays, **{a.name: a.type for a in heap}}
        body, layout = lay_out_shared(peel_first(body))
        shared = {a.name for a in layout.arrays}
        stores = _arrays(body, stores=True)
        # What is accessed where can be compared then.
        body = narrow_indices(body, INDEX_NAMES)
        pure = self.pure | {n for n, old in layout.origins.items() if old in self.pure}
        body = place_barriers(body, threads, layout.common, shared | (stores & arrays.keys()), pure)
        captured = Captured(INDEX_NAMES)
        body = captured.statement(shorten_guards(release_idle_lanes(body, threads), threads))
        arrays_in_shared = tuple(replace(a, offset=captured.expression(a.offset)) for a in layout.arrays)
        name = _kernel_name(s.name, len(self.kernels))
        self.check(name, threads, layout.size)
        used = tuple((n, arrays[n]) for n in sorted(_arrays(body) & arrays.keys() - shared))
        written = frozenset(stores - shared) & {n for n, _ in used}
        tables = self.tables.of_kernel(body, dict(used), written)
        used = tuple((n, t) for n, t in used if n not in {t.name for t in tables})
        scalars, values = zip(*captured.given.values(), strict=True) if captured.given else ((), ())
        given = self.given & {n for n, _ in used}
        body = widen_accesses(body, dict(used), written, given, scalars)
        kernel = Kernel(
            name, blocks, threads, body, scalars, used, written, given, arrays_in_shared, layout.size, tables
        )
        self.kernels.append(kernel)
        names = tuple(n for n, _ in used)
        out: st.Stmt = st.Launch(name, blocks, code.needed, layout.size, values, names, written, self.most_shared)
        for a in heap:
            if a.name in names:
                out = replace(a, body=out)
        return out

    def check(self, name: str, threads: Triple, shared: Expr) -> None:
        sizes = [const_value(t) for t in threads]
        total = 1
        for axis, size, limit in zip("xyz", sizes, _MOST_OF_AXIS, strict=True):
            if size is not None and size > limit:
                raise HalideError(f"{name}: a block has {size} threads in dimension {axis}; a device allows {limit}")
            total *= int(size or 1)
        if total > MOST_THREADS:
            raise HalideError(f"{name}: a block has {total} threads; a device allows {MOST_THREADS}")
        bytes_ = const_value(shared)
        if bytes_ is not None and bytes_ > self.most_shared:
            raise HalideError(
                f"{name}: a block shares {bytes_} bytes of memory; the target allows {self.most_shared}. Make the "
                "tiles smaller, or compute less of them at a time"
            )


def _blocks(s: st.For) -> tuple[Triple, dict[str, Interval], st.Stmt]:
    """(extents of the grid, ranges of the variables bound in the kernel, what each block does)."""
    count = _depth(s)
    extents: list[Expr] = [const(1, I32)] * 3
    scope: dict[str, Interval] = {}
    wraps: list[tuple[str, Expr] | Expr] = []
    node: st.Stmt = s
    d = count
    while d > 0:
        match node:
            case st.For(kind=ForKind.GPU_BLOCK):
                d -= 1
                extents[d] = most(node.extent, scope, f"The extent of the loop over blocks {node.name}")
                if key(extents[d]) != key(node.extent):
                    wraps.append(simplify(ir.LT(BOOL, BLOCK[d], node.extent)))
                scope = inside(scope, node)
                scope[BLOCK[d].name] = (const(0, I32), simplify_index(extents[d] - 1))
                value = simplify_index(ir.Add(I32, node.min, BLOCK[d]))
                wraps.append((node.name, value))
                node = node.body
            case st.LetStmt():
                scope = inside(scope, node)
                wraps.append((node.name, node.value))
                node = node.body
            case st.IfThenElse(else_case=None):
                wraps.append(node.condition)
                node = node.then_case
            case st.Produce():
                node = node.body
            case _:
                raise HalideError(
                    f"{s.name}: {type(node).__name__} stands between loops over blocks, which must be one inside the "
                    "other, with nothing between them"
                )
    return (extents[0], extents[1], extents[2]), scope, _wrapped(node, wraps)


def _wrapped(s: st.Stmt, wraps: list[tuple[str, Expr] | Expr]) -> st.Stmt:
    """`s` under conditions and lets, outermost first.  Values take the place of Variables, all of them at once; a value
    that is loaded keeps its let."""
    values: dict[str, Expr] = {}
    kept: list[tuple[str, Expr] | Expr] = []
    for w in wraps:
        if isinstance(w, Expr):
            kept.append(_with_values(values)(w))
            continue
        name, value = w[0], _with_values(values)(w[1])
        values = {n: v for n, v in values.items() if n != name}
        if contains(value, ir.Load):
            kept.append((name, value))
        else:
            values[name] = value
    expression = _with_values(values)

    def statement(x: st.Stmt) -> st.Stmt:
        out = st.rebuild(x, statement, expression)
        match out:
            case st.Store():
                return replace(out, index=simplify_index(out.index))
            case st.For():
                return replace(out, min=simplify_index(out.min), extent=simplify_index(out.extent))
            case st.Allocate():
                return replace(out, size=simplify_index(out.size))
        return out

    s = statement(s) if values else s
    for k in reversed(kept):
        s = st.IfThenElse(k, s) if isinstance(k, Expr) else st.LetStmt(*k, s)
    return s


def _with_values(values: Mapping[str, Expr]) -> Callable[[Expr], Expr]:
    """Puts values in the place of Variables; what is computed with them stays as it is written, but for indices."""
    put = substitution(values)

    def one(n: Expr) -> Expr:
        return replace(n, index=simplify_index(n.index)) if isinstance(n, ir.Load) else n

    simplified = rewriting(one, ir.Load)
    return lambda e: e if variables(e).isdisjoint(values) else simplified(put(e))


def _depth(s: st.Stmt) -> int:
    """How many loops over blocks are nested in `s`."""
    inner = max((_depth(x) for x in st.bodies(s)), default=0)
    return inner + (isinstance(s, st.For) and s.kind is ForKind.GPU_BLOCK)


def _kernel_name(loop: str, number: int) -> str:
    clean = re.sub(r"[^A-Za-z0-9]", "_", ".".join(loop.split(".")[:2]))
    return f"kernel_{clean}_{number}"


def _arrays(s: st.Stmt, stores: bool = False) -> set[str]:
    """The arrays that `s` accesses, or stores to."""
    out: set[str] = set()
    for x in st.walk(s):
        if isinstance(x, Leaf):
            out |= _arrays(x.body, stores)
            if not stores:
                out = out.union(*map(loaded, x.masks))
        if isinstance(x, st.Store):
            out.add(x.name)
        if not stores:
            out = out.union(*map(loaded, st.expressions(x)))
    return out


class _Host:
    """Puts accesses of the host to arrays that are on the device, too, where they are seen to."""

    def __init__(self, used: set[str]) -> None:
        self.used = used

    def around(self, s: st.Stmt) -> st.Stmt:
        if not _launches(s):
            return self.accesses(s)
        match s:
            case st.Block():
                parts: list[st.Stmt] = []
                run: list[st.Stmt] = []
                for x in s.stmts:
                    if _launches(x):
                        parts += [*([self.accesses(st.block(*run))] if run else []), self.around(x)]
                        run = []
                    else:
                        run.append(x)
                return st.block(*parts, *([self.accesses(st.block(*run))] if run else []))
            case st.Allocate():
                return self.allocate(s)
        out = st.rebuild(s, self.around, lambda e: e)
        needed = sorted(set().union(*map(loaded, st.expressions(s))) & self.used)
        return st.block(*(st.HostAccess(n, False) for n in needed), out)

    def accesses(self, s: st.Stmt) -> st.Stmt:
        stores = stored(s)
        names = set(stores)
        for x in st.walk(s):
            inner = set().union(*map(loaded, st.expressions(x)))
            names |= inner
            if isinstance(x, st.ExternCall):
                stores |= inner | {x.name}
        found = sorted(names & self.used)
        return st.block(*(st.HostAccess(n, n in stores) for n in found), s) if found else s

    def allocate(self, s: st.Allocate) -> st.Stmt:
        if s.name not in self.used:
            return replace(s, body=self.around(s.body))
        body = self.around(s.body)
        on_host = any(isinstance(x, st.HostAccess) and x.name == s.name for x in st.walk(body))
        dims = ((ir.Cast(I32, s.size), const(1, I64)),)
        size = s.size if on_host else const(0, I64)
        return st.Allocate(s.name, s.type, size, st.OnDevice(s.name, s.type, dims, body, False, False, on_host))


def _launches(s: st.Stmt) -> bool:
    return any(isinstance(x, st.Launch) for x in st.walk(s))

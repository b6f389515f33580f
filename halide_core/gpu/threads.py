"""Loops over the threads of a block as code of one thread.

    gpu_block f.x:                                   thread.x < 10:
      gpu_thread g.x in [0, +10): produce g            produce g at thread.x
      gpu_thread f.x in [0, +8): consume g      ->   thread.x < 8:
                                                       consume g at thread.x

A block has, in each dimension, as many threads as the greatest of its loops asks for; the others stand aside (`Leaf`).
The innermost loop of a nest over threads is dimension x.  What stands in no loop over some dimension is done by thread
0 of it.  Storage that lies outside a loop over threads is shared, with a part of its own for each thread of the loops
around it; all else belongs to one thread.  What is stored on the heap lies in the device's memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from halide_core.errors import HalideError
from halide_core.gpu.exchange import exchanged_elements
from halide_core.gpu.kernel import AXES, BLOCK, THREAD, Leaf, Triple
from halide_core.gpu.owned import own_elements
from halide_core.gpu.scopes import inside, loaded, renamed, stored
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Interval
from halide_core.ir.common_terms import common_terms_out
from halide_core.ir.expr import BOOL, I32, I64, Expr, Variable, const, const_value
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.stmt import THREAD_KINDS, MemoryType
from halide_core.ir.structural import contains, key, substitution, transform, variables
from halide_core.passes.bounds import bounds_of

_LOCAL = (MemoryType.Auto, MemoryType.Stack, MemoryType.Register)
# Bytes that one thread may have as storage of its own.
_MOST_LOCAL = 1 << 16
_WARP = 32


def has_threads(s: st.Stmt) -> bool:
    """Whether a loop over threads stands in `s`."""
    return any(isinstance(x, st.For) and x.kind in THREAD_KINDS for x in st.walk(s))


@dataclass(frozen=True, slots=True)
class ThreadCode:
    """What one thread does, with Leaves where threads differ; the extents of a block, constants where these have one as
    a bound; how many of these threads there is anything to do for; and the arrays in the device's memory that hold what
    blocks have on the heap."""

    body: st.Stmt
    threads: Triple
    needed: Triple
    heap: tuple[st.Allocate, ...]


def thread_code(s: st.Stmt, scope: dict[str, Interval], blocks: Triple) -> ThreadCode:
    """The body `s` of the loops over `blocks` as code of one thread.

    `scope` has the ranges of the variables bound around `s` in the kernel; extents and the sizes of shared storage are
    in terms of what is bound outside of that.  Raises HalideError where one is not known before the kernel starts."""
    threads, needed = block_extents(s, scope)
    work = _Threads(threads, blocks)
    body = work.visit(s, _Place((), frozenset(), (), scope, frozenset()))
    return ThreadCode(body, work.threads, needed, tuple(work.heap))


def block_extents(s: st.Stmt, scope: dict[str, Interval]) -> tuple[Triple, Triple]:
    """(the extents of a block that runs `s`, how many of these threads there is anything to do for), as the host can
    tell them when a kernel starts.  `scope` and failures are those of `thread_code`."""
    found: list[list[tuple[Expr, Expr]]] = [[], [], []]
    _collect(s, scope, found)
    threads, needed = ([_greatest([pair[k] for pair in f]) for f in found] for k in (0, 1))
    return (threads[0], threads[1], threads[2]), (needed[0], needed[1], needed[2])


def _greatest(found: list[Expr]) -> Expr:
    out: Expr = const(1, I32)
    for e in found:
        if key(e) != key(out):
            out = simplify_index(ir.Max(I32, out, e))
    return out


def _height(s: st.Stmt) -> int:
    """How many loops over threads are nested in `s`."""
    inner = max((_height(x) for x in st.bodies(s)), default=0)
    return inner + (isinstance(s, st.For) and s.kind in THREAD_KINDS)


def most(e: Expr, scope: dict[str, Interval], what: str) -> Expr:
    """The greatest value of `e` in terms of what is bound outside of `scope`."""
    if not variables(e) & scope.keys() and not contains(e, ir.Load):
        return simplify_index(e)
    constant = upper_bound(e, {})
    high = bounds_of(common_terms_out(e, scope), scope)[1] if constant is None else const(constant, e.type)
    if high is None or variables(high) & scope.keys() or contains(high, ir.Load):
        raise HalideError(f"{what} must be known before its kernel starts, and {e} is not; split by a constant factor")
    return simplify_index(high)


def _needed(extent: Expr, scope: dict[str, Interval], limit: Expr) -> Expr:
    """The greatest value of `extent`, from 1 to `limit`, as the host can tell it when the kernel starts: what is not in
    a loop over threads wants one, too."""
    if const_value(limit) is None or const_value(extent) is not None:
        return limit
    high = bounds_of(common_terms_out(extent, scope), scope)[1]
    if high is None or variables(high) & scope.keys() or contains(high, ir.Load):
        return limit
    return simplify_index(ir.Max(I32, ir.Min(I32, high, limit), const(1, I32)))


def _collect(s: st.Stmt, scope: dict[str, Interval], found: list[list[tuple[Expr, Expr]]]) -> None:
    """Enters (the greatest extent, what it comes to in the blocks that there are) of the loops over threads by their
    dimension."""
    if isinstance(s, st.For) and s.kind in THREAD_KINDS:
        extent = most(s.extent, scope, f"The extent of the loop over threads {s.name}")
        count = upper_bound(extent, {})
        if s.kind is st.ForKind.GPU_LANE and (count is None or count > _WARP):
            raise HalideError(f"CUDA gpu lanes loop must have constant extent of at most 32: {extent} ({s.name})")
        if s.kind is st.ForKind.GPU_LANE:
            # As many as a part of a warp has that exchanges values on its own.
            part = const(1 << (int(count or 1) - 1).bit_length(), I32)
            found[_height(s) - 1].append((part, part))
        else:
            found[_height(s) - 1].append((extent, _needed(s.extent, scope, extent)))
    if isinstance(s, st.For | st.LetStmt):
        scope = inside(scope, s)
    for x in st.bodies(s):
        _collect(x, scope, found)


class _Place:
    """Where a statement stands: under which masks, in loops over which dimensions, with which lets of loads to be made
    by who uses them, and which names differ between threads."""

    def __init__(
        self,
        masks: tuple[Expr, ...],
        dims: frozenset[int],
        lets: tuple[tuple[str, Expr], ...],
        scope: dict[str, Interval],
        varying: frozenset[str],
    ) -> None:
        self.masks, self.dims, self.lets, self.scope, self.varying = masks, dims, lets, scope, varying

    def masked(self, condition: Expr) -> _Place:
        return _Place((*self.masks, condition), self.dims, self.lets, self.scope, self.varying)

    def later(self, name: str, value: Expr, scope: dict[str, Interval]) -> _Place:
        """With a let that is made by who uses it."""
        return _Place(self.masks, self.dims, (*self.lets, (name, value)), scope, self.varying | {name})

    def differs(self, e: Expr) -> bool:
        """Whether threads of one block may have different values of `e`."""
        return bool(variables(e) & (self.varying | {v.name for v in THREAD}))


class _Threads:
    def __init__(self, threads: Triple, blocks: Triple) -> None:
        self.threads, self.blocks = threads, blocks
        self.heap: list[st.Allocate] = []
        self.owned = 0

    def visit(self, s: st.Stmt, at: _Place) -> st.Stmt:
        if not has_threads(s):
            return self.leaf(s, at)
        match s:
            case st.Block():
                return st.block(*(self.visit(x, at) for x in s.stmts))
            case st.Produce():
                return self.visit(s.body, at)
            case st.LetStmt():
                return self.let(s, at)
            case st.For() if s.kind in THREAD_KINDS:
                return self.threads_of(s, at)
            case st.For():
                return self.loop(s, at)
            case st.IfThenElse():
                return self.choice(s, at)
            case st.Allocate():
                return self.shared(s, at)
        raise HalideError(f"{type(s).__name__} cannot stand around a loop over threads")

    def let(self, s: st.LetStmt, at: _Place) -> st.Stmt:
        scope = inside(at.scope, s)
        if at.masks and contains(s.value, ir.Load):
            # Threads that stand aside would load from anywhere.
            if stored(s.body) & loaded(s.value):
                raise HalideError(f"The value {s.name} around a loop over threads changes while that runs")
            return self.visit(s.body, at.later(s.name, s.value, scope))
        varying = at.varying | {s.name} if at.differs(s.value) else at.varying
        lets = tuple(x for x in at.lets if x[0] in variables(s.value))
        if lets:
            return self.visit(s.body, at.later(s.name, s.value, scope))
        return st.LetStmt(s.name, s.value, self.visit(s.body, _Place(at.masks, at.dims, at.lets, scope, varying)))

    def threads_of(self, s: st.For, at: _Place) -> st.Stmt:
        d = _height(s) - 1
        if d in at.dims:
            raise HalideError(f"The loop over threads {s.name} stands in another one of dimension {AXES[d]}")
        thread = THREAD[d]
        last = simplify_index(self.threads[d] - 1)
        scope = {**inside(at.scope, s), thread.name: (const(0, I32), last)}
        at = _Place(at.masks, at.dims | {d}, at.lets, scope, at.varying)
        if key(s.extent) != key(self.threads[d]):
            at = at.masked(simplify(ir.LT(BOOL, thread, s.extent)))
        value = simplify_index(ir.Add(I32, s.min, thread))
        if contains(s.min, ir.Load):
            return self.let(st.LetStmt(s.name, value, s.body), at)
        body = st.map_expressions(s.body, substitution({s.name: value}))
        return self.visit(body, at)

    def loop(self, s: st.For, at: _Place) -> st.Stmt:
        if at.differs(s.extent) or {n for n, _ in at.lets} & variables(s.extent):
            raise HalideError(
                f"The loop {s.name} around a loop over threads runs a different number of times in each thread; "
                "reorder it inside"
            )
        if at.masks and (contains(s.extent, ir.Load) or contains(s.min, ir.Load)):
            raise HalideError(f"The bounds of loop {s.name} around a loop over threads are loaded; reorder it inside")
        if at.differs(s.min):
            # As often in all threads, but from another place on.
            count = Variable(I32, f"{s.name}$count")
            first = st.LetStmt(s.name, simplify_index(s.min + count), s.body)
            s = replace(s, name=count.name, min=const(0, I32), body=first)
        body = self.visit(s.body, _Place(at.masks, at.dims, at.lets, inside(at.scope, s), at.varying))
        return replace(s, body=body)

    def choice(self, s: st.IfThenElse, at: _Place) -> st.Stmt:
        data = contains(s.condition, ir.Load)
        named = bool({n for n, _ in at.lets} & variables(s.condition))
        if not at.differs(s.condition) and not named and not (data and at.masks):
            return st.rebuild(s, lambda x: self.visit(x, at), lambda e: e)
        if data and (stored(s) & loaded(s.condition)):
            raise HalideError(f"The condition {s.condition} around a loop over threads changes while that runs")
        parts = [self.visit(s.then_case, at.masked(s.condition))]
        if s.else_case is not None:
            parts.append(self.visit(s.else_case, at.masked(simplify(ir.Not(BOOL, s.condition)))))
        return st.block(*parts)

    def shared(self, s: st.Allocate, at: _Place) -> st.Stmt:
        """Storage that several threads use: one array for each value of the dimensions around it."""
        by_lanes = all(x.kind not in THREAD_KINDS or x.kind is st.ForKind.GPU_LANE for x in _loops(s.body))
        if by_lanes and s.memory in _LOCAL:
            own = self.of_lanes(s, at)
            if own is not None:
                return own
        elif s.memory not in (MemoryType.Auto, MemoryType.GPUShared, MemoryType.Heap):
            raise HalideError(
                f"{s.name} is stored in {s.memory.name}, but a loop over threads stands within, so that several "
                "threads use it; store it inside that loop, or in GPUShared"
            )
        size = most(s.size, at.scope, f"The size of {s.name}")
        body, size = self.apart(s.body, s.name, size, at)
        if s.memory is MemoryType.Heap:
            return self.visit(self.on_heap(s, body, size), at)
        return st.Allocate(s.name, s.type, size, self.visit(body, at), MemoryType.GPUShared)

    def of_lanes(self, s: st.Allocate, at: _Place) -> st.Stmt | None:
        """Storage of which each lane stores elements of its own; None where that does not show."""
        size, lanes = const_value(most(s.size, at.scope, f"The size of {s.name}")), const_value(self.threads[0])
        if size is None or lanes is None or int(size) * s.type.bytes() > int(lanes) * _MOST_LOCAL:
            return None
        heap = list(self.heap)
        body = self.visit(s.body, at)
        found = own_elements(body, s.name, int(size), THREAD[0], int(lanes)) or exchanged_elements(
            body, s, int(size), THREAD[0], int(lanes), at.scope, at.varying
        )
        if found is None:
            self.heap = heap
            return None
        # Another copy of the code may have it elsewhere.
        self.owned += 1
        name = f"{s.name}.own{self.owned}"
        return st.Allocate(name, s.type, const(found[1], I64), renamed(found[0], s.name, name), MemoryType.Register)

    def apart(self, body: st.Stmt, name: str, size: Expr, at: _Place) -> tuple[st.Stmt, Expr]:
        """`body` with `size` elements of array `name` for each thread of the dimensions around it, and how many these
        are together."""
        if not at.dims:
            return body, size
        number: Expr = const(0, I32)
        for d in sorted(at.dims, reverse=True):
            number = number * self.threads[d] + THREAD[d]
        body = _moved(body, name, simplify_index(ir.Cast(I64, simplify_index(number)) * size))
        for d in at.dims:
            size = size * ir.Cast(I64, self.threads[d])
        return body, simplify_index(size)

    def on_heap(self, s: st.Allocate, body: st.Stmt, size: Expr) -> st.Stmt:
        """`body` with a part for each block of an array in the device's memory."""
        number: Expr = const(0, I32)
        whole = size
        for block, extent in reversed(list(zip(BLOCK, self.blocks, strict=True))):
            number = number * extent + block
            whole = whole * ir.Cast(I64, extent)
        self.heap.append(st.Allocate(s.name, s.type, simplify_index(whole), st.Block(())))
        return _moved(body, s.name, simplify_index(ir.Cast(I64, simplify_index(number)) * size))

    def leaf(self, s: st.Stmt, at: _Place) -> st.Stmt:
        masks = at.masks
        for d in range(3):
            if d not in at.dims and const_value(self.threads[d]) != 1:
                masks = (*masks, ir.EQ(BOOL, THREAD[d], const(0, I32)))
        body, outside = self.own(s, at)
        used = _names(body).union(*(variables(m) for m in masks))
        for name, value in reversed(at.lets):
            if name in used:
                # A mask that is a let itself would need it too.
                if any(name in variables(m) for m in masks):
                    raise HalideError(f"A condition on {name} around a loop over threads is loaded; reorder it inside")
                body = st.LetStmt(name, value, body)
                used = used | variables(value)
        out: st.Stmt = Leaf(body, masks)
        for a in reversed(outside):
            out = st.Allocate(a.name, a.type, a.size, out, MemoryType.GPUShared)
        return out

    def own(self, s: st.Stmt, at: _Place) -> tuple[st.Stmt, list[st.Allocate]]:
        """`s` with storage of one thread of constant size, and what of it is to lie in shared memory."""
        outside: list[st.Allocate] = []

        def visit(x: st.Stmt, scope: dict[str, Interval]) -> st.Stmt:
            if isinstance(x, st.For | st.LetStmt):
                within = inside(scope, x)
                return st.rebuild(x, lambda y: visit(y, within), lambda e: e)
            if isinstance(x, st.Produce):
                return visit(x.body, scope)
            if not isinstance(x, st.Allocate):
                return st.rebuild(x, lambda y: visit(y, scope), lambda e: e)
            if x.memory not in (MemoryType.GPUShared, MemoryType.Heap):
                if x.memory not in _LOCAL:
                    raise HalideError(f"{x.name} is stored in {x.memory.name}, which one thread of a device has not")
                high = bounds_of(x.size, scope)[1]
                constant = None if high is None else const_value(high)
                if constant is not None and constant * x.type.bytes() <= _MOST_LOCAL:
                    return replace(x, size=const(constant, I64), body=visit(x.body, scope))
                if at.dims:
                    raise HalideError(
                        f"The storage of {x.name} within one thread has size {x.size}, which is not a constant of at "
                        f"most {_MOST_LOCAL} bytes; bound it, or compute it outside of the loops over threads"
                    )
            size = most(x.size, scope, f"The size of {x.name}")
            body, size = self.apart(x.body, x.name, size, at)
            if x.memory is MemoryType.Heap:
                return visit(self.on_heap(x, body, size), scope)
            outside.append(st.Allocate(x.name, x.type, size, st.Block(())))
            return visit(body, scope)

        return visit(s, at.scope), outside


def _moved(s: st.Stmt, name: str, by: Expr) -> st.Stmt:
    """`s` with the accesses of array `name` moved by so many elements."""

    def further(index: Expr) -> Expr:
        moved = by if index.type.is_scalar() else ir.Broadcast(index.type, by, index.type.lanes)
        if isinstance(index, ir.Ramp):
            return ir.Ramp(index.type, simplify_index(index.base + by), index.stride, index.lanes)
        return simplify_index(ir.Add(index.type, index, moved))

    def expression(e: Expr) -> Expr:
        def one(n: Expr) -> Expr:
            return replace(n, index=further(n.index)) if isinstance(n, ir.Load) and n.name == name else n

        return transform(e, one)

    def statement(x: st.Stmt) -> st.Stmt:
        out = st.rebuild(x, statement, expression)
        return replace(out, index=further(out.index)) if isinstance(out, st.Store) and out.name == name else out

    return statement(s)


def _loops(s: st.Stmt) -> list[st.For]:
    return [x for x in st.walk(s) if isinstance(x, st.For)]


def _names(s: st.Stmt) -> frozenset[str]:
    return frozenset().union(*(variables(e) for x in st.walk(s) for e in st.expressions(x)))

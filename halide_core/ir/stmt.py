"""Statement nodes: what schedules turn definitions into, and what the back end compiles."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from halide_core.ir.expr import Call, Expr
from halide_core.ir.named_calls import buffer_dimensions, is_buffer
from halide_core.ir.types import Type


class ForKind(enum.Enum):
    """How the iterations of a loop are run."""

    SERIAL = "for"
    PARALLEL = "parallel"
    VECTORIZED = "vectorized"
    UNROLLED = "unrolled"
    GPU_BLOCK = "gpu_block"
    GPU_THREAD = "gpu_thread"
    GPU_LANE = "gpu_lane"


GPU_KINDS = frozenset((ForKind.GPU_BLOCK, ForKind.GPU_THREAD, ForKind.GPU_LANE))
"""The loops that run on a device; their iterations, like those of parallel loops, in any order."""
THREAD_KINDS = frozenset((ForKind.GPU_THREAD, ForKind.GPU_LANE))
"""The loops whose iterations are threads of one block."""
UNORDERED_KINDS = GPU_KINDS | {ForKind.PARALLEL}


class MemoryType(enum.Enum):
    """Where a Func is stored.  On the host small constant sizes go on the stack and all else on the heap; on a device
    what several threads use is shared, and what one thread owns is in registers or local memory."""

    Auto = "auto"
    Heap = "heap"
    Stack = "stack"
    Register = "register"
    GPUShared = "gpu_shared"
    GPUTexture = "gpu_texture"
    LockedCache = "locked_cache"
    VTCM = "vtcm"


@dataclass(frozen=True, slots=True, eq=False)
class Stmt:
    """Base of all statements."""

    def __str__(self) -> str:
        from halide_core.ir.stmt_printer import to_text

        return to_text(self)

    __repr__ = __str__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block(Stmt):
    """The statements in order."""

    stmts: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LetStmt(Stmt):
    """`body` with `name` standing for `value`."""

    name: str
    value: Expr
    body: Stmt


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class For(Stmt):
    """`body` for `name` = min, ..., min + extent - 1 (int32); nothing when extent <= 0.

    `at_edges`: runs for few parts of the whole, so that it is not worth code of its own for each case in it."""

    name: str
    min: Expr
    extent: Expr
    kind: ForKind
    body: Stmt
    at_edges: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IfThenElse(Stmt):
    """`then_case` where the scalar bool `condition` holds, else `else_case`."""

    condition: Expr
    then_case: Stmt
    else_case: Stmt | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Provide(Stmt):
    """Values of the Func `name` at the coordinates `args`; every value is computed before any is stored."""

    name: str
    values: tuple[Expr, ...]
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Store(Stmt):
    """`value` to element `index` (int64) of the flat array `name`, where `predicate` (None: always) holds.

    `streaming`: past the cache, to an address that is a multiple of 64."""

    name: str
    value: Expr
    index: Expr
    predicate: Expr | None = None
    streaming: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stores(Stmt):
    """Several stores; every value and index is computed before any is stored."""

    stores: tuple[Store, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Realize(Stmt):
    """Storage for the Func `name` over the box `bounds` of (min, extent) while `body` runs."""

    name: str
    types: tuple[Type, ...]
    bounds: tuple[tuple[Expr, Expr], ...]
    body: Stmt
    order: tuple[int, ...] = ()
    memory: MemoryType = MemoryType.Auto


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Allocate(Stmt):
    """`size` (int64) elements of `type` called `name` while `body` runs; on the stack when small and constant."""

    name: str
    type: Type
    size: Expr
    body: Stmt
    memory: MemoryType = MemoryType.Auto


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Produce(Stmt):
    """A mark: `body` computes the Func `name`."""

    name: str
    body: Stmt


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExternCall(Stmt):
    """Calls the C function `symbol`, the external stage of the Func `name`, with scalars and buffers (`is_buffer`);
    an error unless it returns 0.

    With a `body` the call is a bounds query, which may change the bounds of its buffers: in the body those of argument
    k are `prefix`.k.min.d and `prefix`.k.max.d.  Without one it computes the Func, by what the query `prefix` found."""

    name: str
    symbol: str
    args: tuple[Expr, ...]
    prefix: str
    body: Stmt | None = None

    def bound(self) -> list[str]:
        """The names that are bound in the body."""
        if self.body is None:
            return []
        return [
            f"{self.prefix}.{k}.{end}.{d}"
            for k, a in enumerate(self.args)
            if isinstance(a, Call) and is_buffer(a)
            for d in range(buffer_dimensions(a))
            for end in ("min", "max")
        ]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OnDevice(Stmt):
    """While `body` runs, the array `name` may have its values in memory of the device, on the host, or in both.

    `dims` are the extents (int32) and strides (int64) of what is copied, from the array's first element on.  `dirty`:
    the host has values at first; `back`: it needs them in the end; `on_host`: it has memory for them."""

    name: str
    type: Type
    dims: tuple[tuple[Expr, Expr], ...]
    body: Stmt
    dirty: bool
    back: bool
    on_host: bool = True


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HostAccess(Stmt):
    """Sees to it that the host has the values of the array `name`; `stores`: which it is about to change."""

    name: str
    stores: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Launch(Stmt):
    """Runs `kernel` on a grid of `blocks` blocks of `threads` threads (int32), each block with `shared` bytes (int64),
    of which `most_shared` are allowed.

    It is given `scalars` and what the device has of `arrays`, of which it stores to those in `written`."""

    kernel: str
    blocks: tuple[Expr, Expr, Expr]
    threads: tuple[Expr, Expr, Expr]
    shared: Expr
    scalars: tuple[Expr, ...]
    arrays: tuple[str, ...]
    written: frozenset[str]
    most_shared: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluate(Stmt):
    """Computes `value` for its effect, and drops it."""

    value: Expr


def block(*stmts: Stmt) -> Stmt:
    """The statements in order, nested blocks flattened."""
    flat: list[Stmt] = []
    for s in stmts:
        flat.extend(s.stmts if isinstance(s, Block) else (s,))
    return flat[0] if len(flat) == 1 else Block(tuple(flat))


def bodies(s: Stmt) -> tuple[Stmt, ...]:
    """The direct sub-statements of `s`."""
    match s:
        case Block():
            return s.stmts
        case Stores():
            return s.stores
        case IfThenElse():
            return (s.then_case,) if s.else_case is None else (s.then_case, s.else_case)
        case LetStmt() | For() | Realize() | Allocate() | Produce() | OnDevice():
            return (s.body,)
        case ExternCall() if s.body is not None:
            return (s.body,)
    return ()


def expressions(s: Stmt) -> tuple[Expr, ...]:
    """The expressions that stand directly in `s`."""
    match s:
        case LetStmt() | Evaluate():
            return (s.value,)
        case For():
            return (s.min, s.extent)
        case IfThenElse():
            return (s.condition,)
        case Provide():
            return (*s.values, *s.args)
        case Store():
            return (s.value, s.index) if s.predicate is None else (s.value, s.index, s.predicate)
        case Realize():
            return tuple(e for pair in s.bounds for e in pair)
        case Allocate():
            return (s.size,)
        case ExternCall():
            return s.args
        case OnDevice():
            return tuple(e for pair in s.dims for e in pair)
        case Launch():
            return (*s.blocks, *s.threads, s.shared, *s.scalars)
    return ()


def device_arrays(s: Stmt) -> tuple[str, ...]:
    """The arrays that `s` itself names for the device."""
    match s:
        case OnDevice() | HostAccess():
            return (s.name,)
        case Launch():
            return s.arrays
    return ()


def walk(s: Stmt) -> Iterator[Stmt]:
    """Every statement under `s`, itself first, in order."""
    stack = [s]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(bodies(node)))


def rebuild(s: Stmt, on_stmt: Callable[[Stmt], Stmt], on_expr: Callable[[Expr], Expr]) -> Stmt:
    """`s` with its direct sub-statements and expressions mapped."""
    match s:
        case Block():
            return block(*(on_stmt(x) for x in s.stmts)) if s.stmts else s
        case Stores():
            new = tuple(on_stmt(x) for x in s.stores)
            return Stores(tuple(x for x in new if isinstance(x, Store)))
        case LetStmt():
            return LetStmt(s.name, on_expr(s.value), on_stmt(s.body))
        case For():
            return For(s.name, on_expr(s.min), on_expr(s.extent), s.kind, on_stmt(s.body), s.at_edges)
        case IfThenElse():
            other = None if s.else_case is None else on_stmt(s.else_case)
            return IfThenElse(on_expr(s.condition), on_stmt(s.then_case), other)
        case Provide():
            return Provide(s.name, tuple(map(on_expr, s.values)), tuple(map(on_expr, s.args)))
        case Store():
            predicate = None if s.predicate is None else on_expr(s.predicate)
            return Store(s.name, on_expr(s.value), on_expr(s.index), predicate, s.streaming)
        case Realize():
            bounds = tuple((on_expr(a), on_expr(b)) for a, b in s.bounds)
            return replace(s, bounds=bounds, body=on_stmt(s.body))
        case Allocate():
            return replace(s, size=on_expr(s.size), body=on_stmt(s.body))
        case Produce():
            return Produce(s.name, on_stmt(s.body))
        case Evaluate():
            return Evaluate(on_expr(s.value))
        case ExternCall():
            body = None if s.body is None else on_stmt(s.body)
            return replace(s, args=tuple(map(on_expr, s.args)), body=body)
        case OnDevice():
            return replace(s, dims=tuple((on_expr(a), on_expr(b)) for a, b in s.dims), body=on_stmt(s.body))
        case Launch():
            (bx, by, bz), (tx, ty, tz) = s.blocks, s.threads
            return replace(
                s,
                blocks=(on_expr(bx), on_expr(by), on_expr(bz)),
                threads=(on_expr(tx), on_expr(ty), on_expr(tz)),
                shared=on_expr(s.shared),
                scalars=tuple(map(on_expr, s.scalars)),
            )
    return s


def map_expressions(s: Stmt, on_expr: Callable[[Expr], Expr]) -> Stmt:
    """`s` with every expression in it mapped."""
    return rebuild(s, lambda x: map_expressions(x, on_expr), on_expr)

"""What a kernel is: code that all threads of all blocks run, and what is given to it.

In a kernel's body loops over blocks and threads are gone: `BLOCK` and `THREAD` are Variables for the numbers of the
block and of the thread along x, y and z."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, Expr, Variable
from halide_core.ir.types import Type

AXES = "xyz"
BLOCK = tuple(Variable(I32, f"gpu.block.{a}") for a in AXES)
THREAD = tuple(Variable(I32, f"gpu.thread.{a}") for a in AXES)
THREAD_NAMES = frozenset(v.name for v in THREAD)
INDEX_NAMES = THREAD_NAMES | {v.name for v in BLOCK}
# The name of the Call that is a barrier: no thread goes on before all have come here.
BARRIER = "gpu_barrier"

# The name of the Call that keeps a version of some code from what another one has in common with it.
APART = "gpu_apart"

# Bytes that the addresses of arrays, of shared memory too, are multiples of, but for the caller's: as many are loaded
# at a time.
ALIGNMENT = 16

Triple = tuple[Expr, Expr, Expr]


@dataclass(frozen=True, slots=True)
class Shared:
    """An array in the memory that the threads of a block share: `size` elements from byte `offset` on (both int64)."""

    name: str
    type: Type
    size: Expr
    offset: Expr


@dataclass(frozen=True, slots=True)
class Table:
    """An array of the module's own with these bytes, in constant memory or in global memory."""

    name: str
    type: Type
    data: bytes
    constant: bool


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """`body` for every thread of a grid of `blocks` blocks of `threads` threads.

    `scalars` and `arrays` are what is captured: Variables and arrays in memory of the device, of which `written` are
    stored to, and `given` are the caller's, whose addresses are multiples of an element's size.  The arrays
    in `shared` lie in `shared_bytes` bytes (int64) of each block's memory, `tables` in the module."""

    name: str
    blocks: Triple
    threads: Triple
    body: st.Stmt
    scalars: tuple[Variable, ...]
    arrays: tuple[tuple[str, Type], ...]
    written: frozenset[str]
    given: frozenset[str]
    shared: tuple[Shared, ...]
    shared_bytes: Expr
    tables: tuple[Table, ...] = ()

    def names(self) -> dict[str, Type]:
        """The types of the Variables that are bound around the body."""
        return {v.name: v.type for v in (*self.scalars, *BLOCK, *THREAD)}

    def storage(self) -> dict[str, tuple[Type, ...]]:
        """The types of the arrays around the body."""
        held = [*self.arrays, *((a.name, a.type) for a in self.shared), *((a.name, a.type) for a in self.tables)]
        return {name: (t,) for name, t in held}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Leaf(st.Stmt):
    """`body`, which holds no loop over threads, by the threads for which all of `masks` hold."""

    body: st.Stmt
    masks: tuple[Expr, ...]


def barrier() -> st.Stmt:
    """A barrier of all threads of a block."""
    return st.Evaluate(ir.Call(I32, BARRIER, (), ir.CallType.EXTERN))


def apart() -> st.Stmt:
    """Nothing; but LLVM must not have loads done before that are done behind it."""
    return st.Evaluate(ir.Call(I32, APART, (), ir.CallType.EXTERN))


def is_apart(s: st.Stmt) -> bool:
    """Whether `s` is nothing of this kind."""
    return isinstance(s, st.Evaluate) and isinstance(s.value, ir.Call) and s.value.name == APART


def is_barrier(s: st.Stmt) -> bool:
    """Whether `s` is a barrier."""
    return isinstance(s, st.Evaluate) and isinstance(s.value, ir.Call) and s.value.name == BARRIER

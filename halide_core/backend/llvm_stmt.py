"""Statements as LLVM control flow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from halide_core.backend.early_frees import EarlyFrees
from halide_core.backend.llvm_builder import PLAIN, TIGHT, UNROLLED, VECTORIZED, FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_expr import ExprEmitter
from halide_core.backend.llvm_memory import lane_count
from halide_core.backend.llvm_types import memory_type
from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, Expr, Variable, const_value
from halide_core.ir.ranges import upper_bound
from halide_core.ir.structural import key, nodes
from halide_core.ir.sums import difference, linear_terms
from halide_core.ir.types import Type

_STACK_BYTES = 16 * 1024
# Loops of at most so many iterations LLVM may unroll; longer ones unrolled beside the schedule cost a matrix product a
# tenth.
_UNROLLED = 32
# Loops of at most so many iterations, or fewer, are what is left of rows of vectors: as vectors of LLVM's own they only
# take time to compile.
_TAIL = 16


@dataclass(slots=True)
class Names:
    """What a function can refer to: operands and types of Variables, pointers of arrays.

    `groups` maps each array to a number; arrays of different numbers do not overlap."""

    operands: dict[str, str]
    variable_types: dict[str, Type]
    arrays: dict[str, str]
    array_types: dict[str, Type]
    groups: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """Elements of arrays where that is a constant."""
    device: dict[str, str] = field(default_factory=dict)
    """The halide_buffer_t of arrays that may have memory on a device."""
    given: dict[str, str] = field(default_factory=dict)
    """Of arguments: a halide_buffer_t whose memory on a device lasts, or null."""

    def copy(self) -> Names:
        return Names(
            dict(self.operands), dict(self.variable_types), dict(self.arrays), dict(self.array_types),
            dict(self.groups), dict(self.sizes), dict(self.device), dict(self.given),
        )


class _Env(Mapping[str, str]):
    """Variables and arrays under one roof; an array shadows a Variable of its name."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __getitem__(self, name: str) -> str:
        return self.names.arrays[name] if name in self.names.arrays else self.names.operands[name]

    def __contains__(self, name: object) -> bool:
        return name in self.names.arrays or name in self.names.operands

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter({**self.names.operands, **self.names.arrays})

    def __len__(self) -> int:
        return len(self.names.operands) + len(self.names.arrays)


@dataclass(slots=True)
class Results:
    """Arrays whose values come back from a device together: their halide_buffer_ts.  `beside`: the host's memory is
    left as it is until all have come."""

    beside: bool
    buffers: list[str] = field(default_factory=list)


# What a function answers that could not have its storage: before anything of the caller's was stored to, and later
# (halide_error_code_out_of_memory).
NO_MEMORY_YET, NO_MEMORY = -1011, -11


class StmtEmitter:
    """Emits statements into the function `b`; parallel loops become functions of their own."""

    def __init__(self, module: ModuleBuilder, b: FunctionBuilder, names: Names, symbol: str) -> None:
        self.module = module
        self.b = b
        self.names = names
        self.symbol = symbol
        # The Func that is being computed, as the profiler numbers them.
        self.slot = 0
        self.frees = EarlyFrees()
        # Where storage that cannot be had is told to the caller: the caller's arrays, and whether one may have been
        # stored to by now.
        self.outside: frozenset[str] | None = None
        self.written = False
        self.results: Results | None = None
        self.expr = ExprEmitter(b, _Env(names), names.array_types, names.sizes)

    def emit(self, s: st.Stmt) -> None:
        """Appends the code of `s`; control continues in the current block."""
        match s:
            case st.Block():
                for x in self.frees.in_sequence(s.stmts):
                    self.emit(x)
                    for pointer in self.frees.unused():
                        self.free(pointer)
            case st.Produce():
                self._produce(s)
            case st.LetStmt():
                self._let(s)
            case st.For():
                # An iteration runs after what the one before it has stored.
                self.written = self.written or any(self._stores_outside(x) for x in st.walk(s.body))
                with self.frees.apart():
                    if s.kind is st.ForKind.PARALLEL:
                        self._parallel(s)
                    else:
                        self._loop(s)
            case st.IfThenElse():
                with self.frees.apart():
                    self._if(s)
            case st.Store():
                self._store((s,))
            case st.Stores():
                self._store(s.stores)
            case st.Allocate():
                self._allocate(s)
            case st.ExternCall():
                with self.frees.apart():
                    self._extern(s)
            case st.OnDevice() | st.HostAccess() | st.Launch():
                self._device(s)
            case st.Evaluate():
                self.value(s.value)
                self.expr.reset()
            case _:
                raise HalideError(f"The back end has no code for the statement {type(s).__name__}")

    def _stores_outside(self, s: st.Stmt) -> bool:
        stores = s.stores if isinstance(s, st.Stores) else (s,)
        return self.outside is not None and any(isinstance(x, st.Store) and x.name in self.outside for x in stores)

    def value(self, e: Expr) -> str:
        """The operand of a scalar expression, emitted afresh."""
        self.expr.reset()
        return self.expr.emit(e)

    def _produce(self, s: st.Produce) -> None:
        profiler = self.module.profiler
        if profiler is None or self.b.clock is None:
            self.emit(s.body)
            return
        around, self.slot = self.slot, profiler.slot(s.name)
        profiler.produce(self.b, around, self.slot, lambda: self.emit(s.body))
        self.slot = around

    def _let(self, s: st.LetStmt) -> None:
        operand = self.value(s.value)
        old = self.names.operands.get(s.name)
        self.names.operands[s.name] = operand
        self.names.variable_types[s.name] = s.value.type
        with self.expr.within(shadows=old is not None):
            self.emit(s.body)
        self._restore(s.name, old)

    def _loop(self, s: st.For) -> None:
        low, extent = self.value(s.min), self.value(s.extent)
        count = const_value(s.extent)
        if s.at_edges:
            advice = PLAIN
        elif count is not None and count <= _UNROLLED:
            advice = UNROLLED
        else:
            most = upper_bound(s.extent, {})
            advice = PLAIN if most is not None and most <= _TAIL else VECTORIZED
        self.loop(low, extent, s.name, lambda: self.emit(s.body), advice)

    def loop(
        self, low: str, extent: str, name: str, body: Callable[[], None], advice: str = VECTORIZED
    ) -> None:
        """Runs `body` for `name` from `low`, `extent` times; `advice`: what LLVM may make of it (`llvm_builder`)."""
        b = self.b
        head, after = b.label("loop"), b.label("after")
        counter = f"%{b.label('i')}"
        end = b.emit(f"add nsw i32 {low}, {extent}")
        nonempty = b.emit(f"icmp slt i32 {low}, {end}")
        pre = b.label("pre")
        b.branch_if(nonempty, pre, after)
        b.start(pre)
        latch = b.label("latch")
        b.branch(head)
        b.start(head)
        step = f"%{b.label('n')}"
        b.do(f"{counter} = phi i32 [ {low}, %{pre} ], [ {step}, %{latch} ]")
        old = self.names.operands.get(name)
        self.names.operands[name] = counter
        self.names.variable_types[name] = I32
        before = b.loops
        with self.expr.within(shadows=old is not None):
            body()
        if advice == VECTORIZED and b.loops == before:
            advice = TIGHT
        b.loops += advice != UNROLLED
        b.branch(latch)
        b.start(latch)
        b.do(f"{step} = add nsw i32 {counter}, 1")
        again = b.emit(f"icmp slt i32 {step}, {end}")
        b.loop_back(again, head, after, advice)
        b.start(after)
        self._restore(name, old)

    def _restore(self, name: str, old: str | None) -> None:
        """Ends the scope of `name`: what follows must not refer to an operand that does not reach it."""
        if old is not None:
            self.names.operands[name] = old
        else:
            del self.names.operands[name]

    def _if(self, s: st.IfThenElse) -> None:
        constant = const_value(s.condition)
        if constant is not None:
            if constant:
                self.emit(s.then_case)
            elif s.else_case is not None:
                self.emit(s.else_case)
            return
        b = self.b
        condition = self.value(s.condition)
        yes, no, after = b.label("then"), b.label("else"), b.label("endif")
        b.branch_if(condition, yes, no if s.else_case is not None else after)
        b.start(yes)
        with self.expr.within():
            self.emit(s.then_case)
        b.branch(after)
        if s.else_case is not None:
            b.start(no)
            with self.expr.within():
                self.emit(s.else_case)
            b.branch(after)
        b.start(after)

    def _store(self, stores: tuple[st.Store, ...]) -> None:
        self.written = self.written or any(map(self._stores_outside, stores))
        if len(stores) == 1 and stores[0].predicate is not None and stores[0].predicate.type.is_scalar():
            s = stores[0]
            assert s.predicate is not None
            self._if(st.IfThenElse(s.predicate, st.Store(s.name, s.value, s.index)))
            return
        self.expr.reset()
        loads = [n for s in stores for n in nodes(s.value, ir.Load)]
        self.expr.memory.announce(loads)
        values = [self.expr.emit(s.value) for s in stores]
        values = [
            self.expr.memory.unfolded(s.value.type, v) if _keeps_lanes(s) else v
            for s, v in zip(stores, values, strict=True)
        ]
        predicates = [None if s.predicate is None else self.expr.emit(s.predicate) for s in stores]
        first = stores[0]
        if interleaves(stores):
            assert isinstance(first.index, ir.Ramp)
            least = min(stores, key=lambda s: _offset(s))
            assert isinstance(least.index, ir.Ramp)
            t = first.value.type
            places: list[str | None] = [None] * int(const_value(least.index.stride) or 0)
            for s, value in zip(stores, values, strict=True):
                places[_offset(s) - _offset(least)] = value
            base = least.index.base
            self.expr.memory.interleaved_store(first.name, t, places, base, first.predicate, first.streaming)
        else:
            # Indices are computed before anything is stored: an index may load what a store changes.
            for s in stores:
                self.expr.emit(s.index if not isinstance(s.index, ir.Ramp) else s.index.base)
            for s, value, predicate in zip(stores, values, predicates, strict=True):
                self.expr.memory.store(s.name, s.value.type, value, s.index, predicate, s.streaming)
        self.expr.reset()

    def _allocate(self, s: st.Allocate) -> None:
        b = self.b
        size = const_value(s.size)
        element = memory_type(s.type)
        heap = size is None or size * s.type.bytes() > _STACK_BYTES
        if heap:
            count = self.value(s.size)
            pointer = self.allocated(b.emit(f"mul i64 {count}, {s.type.bytes()}"), s.name)
        else:
            assert size is not None
            pointer = b.alloca(f"[{max(int(size), 1)} x {element}]")
        if heap:
            self.frees.held[pointer] = s.name
        self.within(s, pointer)
        if self.frees.held.pop(pointer, None) is not None:
            self.free(pointer)

    def within(self, s: st.Allocate, pointer: str) -> None:
        """Emits the body of `s`, whose array lies at `pointer`."""
        size = const_value(s.size)
        old, old_type = self.names.arrays.get(s.name), self.names.array_types.get(s.name)
        self.names.arrays[s.name] = pointer
        self.names.array_types[s.name] = s.type
        self.names.sizes.pop(s.name, None)
        if size is not None:
            self.names.sizes[s.name] = int(size)
        self.names.groups[s.name] = max(self.names.groups.values(), default=0) + 1
        self.emit(s.body)
        if old is not None and old_type is not None:
            self.names.arrays[s.name], self.names.array_types[s.name] = old, old_type
        else:
            del self.names.arrays[s.name]

    def allocated(self, byte_count: str, name: str, otherwise: str | None = None) -> str:
        """Heap storage of so many bytes, for the array `name`; control goes to the label `otherwise` where there is
        none."""
        b = self.b
        # Vectors may be read beyond the end, by less than one.
        padded = b.emit(f"add i64 {byte_count}, 64")
        pointer = b.emit(f"call noalias align 64 ptr @halide_malloc(ptr null, i64 {padded})")
        bad = b.emit(f"icmp eq ptr {pointer}, null")
        failed, fine = b.label("nomem"), b.label("mem")
        b.branch_if(bad, failed, fine)
        b.start(failed)
        if otherwise is not None:
            for held in reversed(b.owned):
                b.do(f"call void @halide_free(ptr null, ptr {held})")
            b.branch(otherwise)
        elif self.outside is not None:
            b.fail(str(NO_MEMORY if self.written else NO_MEMORY_YET))
        else:
            self.out_of_memory(name)
        b.start(fine)
        b.owned.append(pointer)
        return pointer

    def out_of_memory(self, name: str) -> None:
        """Says that there is no storage for the array `name`, and ends the program."""
        message = self.module.string(f"{self.symbol}: out of memory for {name}")
        self.b.do(f"call void @hl.out_of_memory(ptr {message})")
        self.b.do("unreachable")

    def free(self, pointer: str) -> None:
        """Gives heap storage back."""
        self.b.owned.remove(pointer)
        self.b.do(f"call void @halide_free(ptr null, ptr {pointer})")

    def _extern(self, s: st.ExternCall) -> None:
        from halide_core.backend.llvm_extern import emit_extern

        emit_extern(self, s)

    def _device(self, s: st.OnDevice | st.HostAccess | st.Launch) -> None:
        from halide_core.backend import llvm_device

        match s:
            case st.OnDevice():
                llvm_device.emit_on_device(self, s)
            case st.HostAccess():
                llvm_device.emit_host_access(self, s)
            case st.Launch():
                # What is given back early must not be in use there.
                with self.frees.apart():
                    llvm_device.emit_launch(self, s)

    def _parallel(self, s: st.For) -> None:
        from halide_core.backend.llvm_parallel import emit_parallel

        emit_parallel(self, s)


def _offset(s: st.Store) -> int:
    assert isinstance(s.index, ir.Ramp)
    return linear_terms(s.index.base)[1]


def _keeps_lanes(s: st.Store) -> bool:
    """Whether some lanes are stored as they were."""
    if not isinstance(s.value, ir.Select) or s.predicate is not None or s.value.type.is_scalar():
        return False
    arms = (s.value.true_value, s.value.false_value)
    return any(isinstance(a, ir.Load) and a.name == s.name and key(a.index) == key(s.index) for a in arms)


def interleaves(stores: tuple[st.Store, ...]) -> bool:
    """Whether the stores fill, between them, a dense range, or the same few of each two to four elements."""
    first = stores[0]
    if not isinstance(first.index, ir.Ramp) or first.value.type.is_bool():
        return False
    stride = const_value(first.index.stride)
    if stride is None or not 2 <= len(stores) <= stride <= 4:
        return False
    for s in stores:
        if not isinstance(s.index, ir.Ramp) or s.name != first.name:
            return False
        if const_value(s.index.stride) != stride or s.value.type != first.value.type:
            return False
        if s.predicate is None or first.predicate is None:
            if s.predicate is not first.predicate:
                return False
        elif lane_count(s.predicate) is None or key(s.predicate) != key(first.predicate):
            return False
    assert isinstance(first.index, ir.Ramp)
    offsets = [difference(s.index.base, first.index.base) for s in stores if isinstance(s.index, ir.Ramp)]
    known = sorted(o for o in offsets if o is not None)
    return len(set(known)) == len(stores) and known[-1] - known[0] < stride


def free_names(s: st.Stmt) -> tuple[dict[str, Type], set[str]]:
    """The Variables (with types) and arrays that `s` refers to, those that it binds itself included."""
    variables: dict[str, Type] = {}
    arrays: set[str] = set()
    for x in st.walk(s):
        if isinstance(x, st.Store):
            arrays.add(x.name)
        arrays.update(st.device_arrays(x))
        for e in st.expressions(x):
            variables |= {n.name: n.type for n in nodes(e, Variable)}
            arrays |= {n.name for n in nodes(e, ir.Load)}
    return variables, arrays

"""The state of lowering one function: statements emitted so far, names, values still to be used.

C++ expressions with side effects become statements.  An expression computed earlier and used later is
*held*: when a statement is emitted that changes something it reads, its value is first saved in a
temporary.  Post-increments are *pending* until the next sequence point or the next use of the variable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, const_value
from halide_core.ir.structural import key, variables
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang.libclang import line
from lifter.frontend.clang.unit import Unit
from lifter.frontend.state import joined_arrays
from lifter.frontend.state import operators as op
from lifter.frontend.state.found import Again, Found, Site
from lifter.frontend.state.frames import Frame, Held, Jumps, Pending, Snapshot, Targets
from lifter.frontend.state.values import (
    ADDRESS,
    NULL,
    Binding,
    BitsPlace,
    Pointer,
    PointerPlace,
    RecordPlace,
    RecordPointer,
    Rows,
    VariablePlace,
    Vector,
)
from lifter.ir.effects import loads
from lifter.ir.loop_ir import (
    NULL_RESULT,
    Argument,
    Assign,
    ConstArray,
    Declare,
    If,
    Param,
    Part,
    PureFunction,
    Stmt,
    Store,
    Unsupported,
)
from lifter.simd.lanes import Lanes
from lifter.support import deadline

if TYPE_CHECKING:
    from lifter.frontend.state.descent import Table

Element = tuple[int | float, int]
"""An index, and the width of the elements that it counts."""


_MOST_FORKS = 3


class Forked(Again):
    """A statement is to be lowered once for each answer to a condition, with what follows it."""

    def __init__(self, statement: int, condition: int) -> None:
        super().__init__(statement, condition)
        self.statement, self.condition = statement, condition


class ChangedField(Again):
    """A field of the caller's object is assigned: the function is to have a copy of it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class NullMarked(Again):
    """It is asked whether a pointer variable is null that is so on some paths: its offset is to say so."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(eq=False, repr=False)
class Context:
    """Lowering of one function; see the module."""

    unit: Unit
    cursor: Cursor
    """The function's definition."""
    table: Table
    """What lowers each kind of the tree's nodes."""
    found: Found = field(default_factory=Found)

    # The function's variables and arrays, as in `loop_ir.Function` where nothing else is said.
    locals: dict[str, Type] = field(default_factory=dict)
    parameters: dict[str, Type] = field(default_factory=dict)
    pointer_parameters: set[str] = field(default_factory=set)
    structures: dict[str, int] = field(default_factory=dict)
    """Bytes of the structures that pointer parameters point to, where these are memory."""
    arrays: dict[str, Type] = field(default_factory=dict)
    tables: dict[str, ConstArray] = field(default_factory=dict)
    functions: dict[str, PureFunction] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    objects_of: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    sizes: dict[str, tuple[str | int, ...]] = field(default_factory=dict)
    part_of: dict[str, tuple[str, Part]] = field(default_factory=dict)
    """Of parameters that arguments are taken apart into, the argument's name and the part; "" of a number that is an
    argument itself."""
    asserted_inside: int = 0
    """How many of the first asserts say that such places are within their arrays."""
    followable: set[str] = field(default_factory=set)
    """Pointers in the caller's objects to structures of numbers, which are memory if nothing follows them."""
    chosen_pointers: dict[str, tuple[str, Expr, int]] = field(default_factory=dict)
    """Of pointers that are told by what is fixed at the call, the array, the place in it, and how many it has."""
    rows: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    uses_registers: bool = False

    # More of parameters.
    const_arrays: set[str] = field(default_factory=set)
    """Parameters' arrays that may not be written."""
    fixed: dict[str, str] = field(default_factory=dict)
    changeable: set[str] = field(default_factory=set)
    """Of these, fields of which the function may have a copy to change (`objects/changed_fields.py`)."""
    left: dict[str, str] = field(default_factory=dict)
    """Such copies, and the memory of the fields."""
    moved: dict[str, str] = field(default_factory=dict)
    """Pointers among them, and the memory for how far they are moved."""
    moved_in: dict[str, str] = field(default_factory=dict)
    """The objects that these are in, by that memory."""
    """Fields of the caller's objects, and variables of static storage, which may not be assigned: what they are."""
    whole: set[str] = field(default_factory=set)
    """Arrays inside the caller's objects that are more than a row of scalars."""
    statics: dict[str, tuple[Argument, list[Param]]] = field(default_factory=dict)
    """Variables of static storage that are read, as parameters that C++ does not have; by their mangled names."""
    statement: int = 0
    """Hash of the statement of the function's own, outside of loops, that is being lowered."""
    choices: dict[frozenset[str], tuple[int, int]] = field(default_factory=dict)
    """Of arrays into one of which a pointer points, the hashes of the statement and of the condition that say which."""
    answers: dict[int, bool] = field(default_factory=dict)
    """Conditions, by hash, of which the answer is known where code is lowered once for each."""
    asked: dict[str, Expr] = field(default_factory=dict)
    """What is asked of parameters, by their names: distances in bytes are whole elements, functions are known."""
    alignments: dict[str, int] = field(default_factory=dict)
    """What the addresses of the caller's arrays are asked to be multiples of."""
    row_tables: dict[str, str] = field(default_factory=dict)
    compared: list[tuple[str, str]] = field(default_factory=list)
    """Pointer parameters that were held against each other."""
    subtracted: Unsupported | None = None
    """What is wrong where neither of two that were subtracted is the end of the other's memory."""

    # The container that is returned.
    result_variable: int = 0
    """Hash of the local container that every return returns: the caller's result itself."""
    result_wanted: bool = False
    """Whether the next new container is the function's result."""
    result_array: str = ""
    result_extents: list[str] = field(default_factory=list)
    """Locals of `Define` that hold the sizes of the result."""

    # A pointer or a structure that is returned.
    returned_base: str = ""
    """The parameter into whose memory returned pointers point."""
    result_place: RecordPlace | None = None
    """The caller's memory for a structure."""
    returned_arrays: set[str] = field(default_factory=set)
    """Local arrays in structures that are returned."""
    containers: dict[str, str] = field(default_factory=dict)
    """Of parameters that references to containers are, the arguments by their arrays."""
    referred: dict[str, str] = field(default_factory=dict)
    """Of parameters that references of the caller's refer to, those that hold the addresses."""

    # More of arrays.
    array_hint: str = ""
    """What to call the next allocated array."""
    sites_of: dict[str, Site] = field(default_factory=dict)
    """Where the arrays of allocated memory come from."""
    joints: dict[str, joined_arrays.Joint] = field(init=False)
    """Local arrays that are known to be parts of one."""
    declared: set[str] = field(default_factory=set)
    """Local arrays that do not grow."""
    declared_bytes: dict[str, int] = field(default_factory=dict)
    """Bytes of the elements that local arrays are declared with."""
    used_as: dict[str, set[Type]] = field(default_factory=dict)
    """The types that elements of arrays are read and written as."""
    untyped: set[str] = field(default_factory=set)
    """Allocated arrays, and those behind `void *`, that nothing has given a type yet."""
    heap: set[str] = field(default_factory=set)
    """Arrays of memory that the function allocates."""
    aligned: set[str] = field(default_factory=set)
    """Those whose elements are reached from an address that is rounded up, as another array."""
    register_memory: set[str] = field(default_factory=set)
    """Arrays of the caller's that hold registers, whose lanes are those of the first value that is stored there."""
    register_arrays: dict[str, str] = field(default_factory=dict)
    """Local arrays of registers, with their keys in `Found.lane_types` where the lanes are not known yet, else ""."""
    stored: dict[str, dict[int | None, list[Expr]]] = field(default_factory=dict)
    """What has been stored in each of these arrays, by place; None for places that are not constant."""
    taken_as: dict[tuple[str, int], Expr] = field(default_factory=dict)
    """The constants that their elements were taken for."""

    # Names.
    used: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    """For each hint the number of the last name made of it."""
    stable: set[str] = field(default_factory=set)
    """Locals and parameters that keep their first value as long as they live."""
    changed: Counter[int] = field(default_factory=Counter)
    """Hashes of the variables that are not only read, and in how many places they are not."""
    assumed: set[str] = field(default_factory=set)
    """Parameters of which something is asked (`asked`) wherever they are."""
    given_registers: set[str] = field(default_factory=set)
    """Arrays that are registers of the caller's."""
    given_once: dict[str, Lanes] = field(default_factory=dict)
    """Registers that are given a value in one place, by their first lanes, and what that is where it is constant."""
    _bindings: dict[int, list[tuple[Cursor, Binding]]] = field(default_factory=dict)

    # Statements and values on the way.
    block: list[Stmt] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    saves: dict[int, Stmt] = field(default_factory=dict)
    """The statements that saved a held value, by id."""
    line: int = field(init=False)

    # Pointers.
    targets: Targets = field(default_factory=dict)
    ever: dict[str, set[str]] = field(default_factory=dict)
    """All that each pointer variable points to at some time."""
    frees: bool = False
    """Whether a destructor that is looked at frees memory."""
    freed: set[str] = field(default_factory=set)
    """Pointer variables whose memory destructors free."""
    copied_references: int = 0
    """How many references have become copies of what they refer to."""
    kept: list[frozenset[str]] = field(default_factory=list)
    """Locals and arrays that may not change now, for such a copy would not."""
    undecided: bool = False
    """Whether what pointers and memory are at present says nothing about what they will be when the code runs."""

    # Control flow.
    alive: bool = True
    loops: list[Jumps] = field(default_factory=list)
    frames: list[Frame] = field(init=False)
    labels: int = 0
    gotos: dict[int, tuple[int, list[Targets]]] = field(default_factory=dict)
    """By hash, the labels that come later in an open block: the mark of jumps there, and what is known there."""

    def __post_init__(self) -> None:
        self.joints = joined_arrays.joints(self.found.groups)
        self.frames = [Frame(self.cursor)]
        self.line = line(self.cursor)

    # Errors

    def fail(self, construct: str, at: Cursor | None = None, advice: str = "") -> NoReturn:
        """Raise Unsupported for the construct at a cursor (or the current line)."""
        raise self.unsupported(construct, at, advice)

    def unsupported(self, construct: str, at: Cursor | None = None, advice: str = "") -> Unsupported:
        """What `fail` raises."""
        own = at is not None and self.unit.in_main_file(at) and line(at)
        return Unsupported(construct, own or self.line, advice)

    def at(self, c: Cursor) -> None:
        """Make a cursor's line current; code outside the main file counts as its caller's line."""
        if self.unit.in_main_file(c):
            self.line = line(c) or self.line

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # Names

    def bind(self, declaration: Cursor, binding: Binding) -> None:
        entries = self._bindings.setdefault(declaration.hash, [])
        entries[:] = [e for e in entries if e[0] != declaration]
        entries.append((declaration, binding))

    def binding(self, declaration: Cursor) -> Binding | None:
        for other, binding in self._bindings.get(declaration.hash, ()):
            if other == declaration:
                return binding
        return None

    def is_stable(self, e: Expr) -> bool:
        """Whether an expression may stand for a constant variable initialised with it."""
        return const_value(e) is not None or (isinstance(e, Variable) and e.name in self.stable)

    def unique(self, hint: str) -> str:
        """A name not used before in the function, `hint` if possible."""
        name, n = hint, self.numbers.get(hint, 0)
        while name in self.used:
            n += 1
            name = f"{hint}_{n}"
        self.used.add(name)
        self.numbers[hint] = n
        return name

    def new_local(self, hint: str, type_: Type) -> str:
        name = self.unique(hint or "t")
        self.locals[name] = type_
        return name

    def new_label(self) -> int:
        self.labels += 1
        return self.labels

    def new_array(self, hint: str, type_: Type) -> str:
        """An array name; an array may have the name of a local that is nothing but a pointer to it."""
        name, n = hint or "array", 0
        while name in self.arrays or (name in self.used and n):
            n += 1
            name = f"{hint}_{n}"
        self.used.add(name)
        narrow = self.found.unit_bytes.get(name)
        self.arrays[name] = type_ if narrow is None or narrow >= type_.bytes() else UInt(8 * narrow)
        self.declared_bytes[name] = type_.bytes()
        return name

    def site(self) -> Site:
        """Where memory that is allocated now comes from; the same in each instance of a template."""
        places = [f.cursor.location for f in self.frames]
        return (*((str(p.file), int(p.offset)) for p in places), ("", self.line))

    def only_wider(self) -> dict[str, Type]:
        """Parameters' arrays that are used only as a type wider than they are declared with."""
        found = {}
        for name in self.pointer_parameters - self.found.mixed:
            used = self.used_as.get(name, set())
            own = self.arrays.get(name)
            if len(used) == 1 and own is not None and name not in self.found.unit_bytes:
                (type_,) = used
                if type_.bytes() > own.bytes():
                    found[name] = type_
        return found

    # Statements

    @contextmanager
    def collecting(self) -> Iterator[list[Stmt]]:
        """Statements emitted inside go to a list of their own."""
        outer, self.block = self.block, []
        try:
            yield self.block
        finally:
            self.block = outer

    def emit(self, statement: Stmt) -> None:
        """Add a statement after saving the held values it changes."""
        deadline.check()
        if not self.alive:
            return
        name = statement.name if isinstance(statement, Assign) else ""
        name = statement.array if isinstance(statement, Store) else name
        if any(name in names for names in self.kept):
            self.fail(f"reference to a value that may be '{name}', which changes", None, "keep the value in a variable")
        if isinstance(statement, Assign):
            if any(p.name == statement.name for p in self.pending):
                statement = replace(statement, value=self.settled(statement.value))
            self._save_readers(statement.name, None)
        elif isinstance(statement, Store | Declare):
            if isinstance(statement, Store) and statement.value.type.bits != self.arrays[statement.array].bits:
                self.fail(f"array '{statement.array}' initialised, and used at another width")
            where = const_value(statement.index) if isinstance(statement, Store) else None
            if isinstance(statement, Store) and statement.array in self.register_arrays:
                places = self.stored.setdefault(statement.array, {})
                places.setdefault(None if where is None else int(where), []).append(statement.value)
            bits = self.arrays[statement.array].bits
            self._save_readers(None, statement.array, None if where is None else (where, bits))
        self.block.append(statement)

    def assign(self, name: str, value: Expr) -> None:
        self._refuse_fixed(name)
        assert (self.locals.get(name) or self.parameters.get(name)) == value.type, (name, value.type)
        self.emit(Assign(self.line, name, value))

    def _refuse_fixed(self, name: str) -> None:
        if name in self.changeable:
            raise ChangedField(name)
        if name in self.fixed:
            self.fail(f"assignment to {self.fixed[name]}")

    def temporary(self, value: Expr, hint: str = "t") -> Expr:
        """A fresh local holding a value."""
        name = self.new_local(hint, value.type)
        self.assign(name, value)
        return Variable(value.type, name)

    def _refuse_unsequenced(self, local: str | None, array: str | None, place: Element | None = None) -> None:
        for held in self.held:
            if held.unsequenced and local not in held.own and reads(held.value, local, array, place):
                self._fail_order(local or array)

    def _fail_order(self, name: str | None) -> NoReturn:
        self.fail(f"expression whose value depends on the order in which '{name}' is read and changed")

    def _save_readers(self, local: str | None, array: str | None, place: Element | None = None) -> None:
        reading = [held for held in self.held if reads(held.value, local, array, place)]
        if any(held.unsequenced and local not in held.own for held in reading):
            self._fail_order(local or array)
        for held in reading:
            name = self.new_local("t", held.value.type)
            save = Assign(self.line, name, held.value)
            self.saves[id(save)] = save
            held.block.append(save)
            held.value = Variable(held.value.type, name)

    def hold(self, value: Expr, unsequenced: bool = False) -> Held:
        held = Held(value, self.block, unsequenced, frozenset(p.name for p in self.pending))
        self.held.append(held)
        return held

    def release(self, held: Held) -> Expr:
        assert self.held.pop() is held
        return held.value

    def hold_all(self, values: Sequence[Expr], unsequenced: bool = False) -> list[Held]:
        return [self.hold(e, unsequenced) for e in values]

    def release_all(self, held: Sequence[Held]) -> tuple[Expr, ...]:
        return tuple(self.release(h) for h in reversed(held))[::-1]

    def hold_pointer(self, p: Pointer, unsequenced: bool = False) -> Held:
        return self.hold(p.offset, unsequenced)

    def release_pointer(self, p: Pointer, held: Held) -> Pointer:
        return replace(p, offset=self.release(held))

    # Pending post-increments

    def postpone(self, name: str, value: Expr) -> None:
        self._refuse_fixed(name)
        self.before_write(name)
        self._refuse_unsequenced(name, None)
        self.pending.append(Pending(name, value, self.line))

    def before_read(self, name: str) -> None:
        if self.pending and any(p.name == name for p in self.pending):
            if any(held.unsequenced and name in held.own for held in self.held):
                self._fail_order(name)
            self.flush()

    before_write = before_read

    def flush(self) -> None:
        """A sequence point: pending side effects happen."""
        todo, self.pending = self.pending, []
        for p in todo:
            self.emit(Assign(p.line, p.name, p.value))

    def settled(self, value: Expr) -> Expr:
        """`value` across a sequence point."""
        if not self.pending:
            return value
        held = self.hold(value)
        self.flush()
        return self.release(held)

    # Control flow

    def branch(self, condition: Expr, then: list[Stmt], otherwise: list[Stmt]) -> None:
        if then or otherwise:
            self.emit(If(self.line, condition, tuple(then), tuple(otherwise)))

    def merge(self, states: list[Targets]) -> Targets:
        """The targets where several paths meet; a pointer unset on one path has the others' targets."""
        out: Targets = {}
        for state in states:
            for name, targets in state.items():
                out[name] = out.get(name, frozenset()) | targets
        return out

    def snapshot(self) -> Snapshot:
        stored = {array: {k: list(v) for k, v in places.items()} for array, places in self.stored.items()}
        return Snapshot(
            dict(self.locals), dict(self.arrays), set(self.used), set(self.stable), list(self.notes), stored
        )

    def restore(self, s: Snapshot) -> None:
        # Tables stay: the names bound to them do.
        self.locals, self.arrays = dict(s.locals), dict(s.arrays)
        self.arrays.update({name: table.type for name, table in self.tables.items()})
        self.used, self.notes, self.numbers = set(s.used) | set(self.tables), list(s.notes), {}
        self.stable = set(s.stable)
        self.stored = {array: {k: list(v) for k, v in places.items()} for array, places in s.stored.items()}
        for frame in self.frames:
            if frame.result not in self.locals:
                frame.result = ""
            if frame.lanes is not None and frame.lanes.names[0] not in self.locals:
                frame.lanes = None
            if frame.record is not None and not self.exists(frame.record):
                frame.record = None
            if isinstance(frame.returned, Vector | Rows) and frame.returned.array not in self.arrays:
                frame.returned = None
            if isinstance(frame.returned, RecordPointer) and not self.exists(frame.returned.place):
                frame.returned = None

    def exists(self, place: RecordPlace) -> bool:
        """Whether the locals of an object have not been given up by lowering a loop again."""
        names = {**self.locals, **self.parameters}
        for b in place.fields.values():
            if isinstance(b, RecordPlace) and not self.exists(b):
                return False
            if isinstance(b, VariablePlace | PointerPlace | BitsPlace) and b.name not in names:
                return False
        return True

    # Pointers

    def declare_array(self, array: str, size: Expr, zeroed: bool, grows: bool = False) -> None:
        """A local array comes into being; pointers to an earlier one of the name dangle."""
        for name, targets in self.targets.items():
            if array in targets:
                self.targets[name] = (targets - {array}) | {f"!{array}"}
        each = self.declared_bytes[array] // self.arrays[array].bytes()
        if each > 1:
            size = op.offset_scaled(size, each)
        if not grows:
            self.declared.add(array)
        joint = self.joints.get(array)
        if joint is not None:
            joined_arrays.declare(self, joint, array, size, zeroed)
            return
        self.emit(Declare(self.line, array, size, zeroed, grows))

    def start(self, array: str, pointee: ClangType) -> Pointer:
        """A pointer to a local array that has been declared."""
        holder, offset = joined_arrays.start(self, array)
        return Pointer(frozenset({holder}), offset, pointee)

    def array_of(self, p: Pointer, at: Cursor | None = None) -> str:
        """The one array a pointer points into; raises Unsupported when that is not known."""
        targets = p.targets - {NULL}
        name = p.name or "expression"
        if not targets:
            what = "is null" if p.targets else "is not initialised"
            self.fail(f"pointer {name} {what} here", at)
        if len(targets) > 1:
            joined_arrays.check(self, frozenset(targets))
            self.fork(frozenset(targets))
            shown = " or ".join(sorted(t.lstrip("!&") for t in targets))
            self.fail(f"pointer {name} may point to more than one array ({shown})", at)
        (array,) = targets
        if array == ADDRESS:
            self.fail(f"pointer {name} made from a number", at)
        if array.startswith("!"):
            self.fail(f"pointer {name} may point to an array {array[1:]} of an earlier iteration", at)
        return array

    def choose(self, condition: Cursor, one: frozenset[str], other: frozenset[str]) -> None:
        """A condition says which arrays a pointer points into."""
        if one != other and self.statement and not self.loops and len(self.frames) == 1:
            for arrays in (one | other, (one | other) - {NULL}):
                if len(arrays) > 1:
                    self.choices[arrays] = (self.statement, condition.hash)

    def fork(self, targets: frozenset[str]) -> None:
        """Asks for what chose between arrays to be lowered once for each, where that is known."""
        forked = [c for conditions in self.found.forked.values() for c in conditions]
        for arrays, (statement, condition) in self.choices.items():
            if arrays <= targets and condition not in forked and len(forked) < _MOST_FORKS:
                raise Forked(statement, condition)

    def point(self, name: str, targets: frozenset[str]) -> None:
        """A pointer variable points to something else from here on."""
        if name in self.moved and targets != {name}:
            self.fail("pointer in an object of the caller's that is set to other memory than it points to")
        self.targets[name] = targets
        self.ever.setdefault(name, set()).update(targets)

    def with_null(self, p: Pointer) -> Expr | None:
        """The offset of a pointer, `NULL_RESULT` where it is null, which no offset of another one is; None where it is
        null on some paths and nothing says on which."""
        if NULL not in p.targets:
            return p.offset
        if p.targets == {NULL}:
            return const(NULL_RESULT, I64)
        if not isinstance(p.offset, Variable) or p.offset.name not in self.ever:
            return None
        if p.offset.name not in self.found.null_marked:
            raise NullMarked(p.offset.name)
        return p.offset

    def assign_pointer(self, name: str, p: Pointer, at: Cursor | None = None) -> None:
        """A pointer variable takes a value; what it points to is said by `point`."""
        offset = self.with_null(p) if name in self.found.null_marked else p.offset
        if offset is None:
            self.fail(f"pointer {p.name or 'expression'} that is null on some paths only", at)
        self.assign(name, offset)

    def null_pointer(self, pointee: ClangType) -> Pointer:
        return Pointer(frozenset({NULL}), const(0, I64), pointee)

    def address(self, p: Pointer, at: Cursor) -> Expr:
        """The address of a pointer into a parameter's array or allocated memory, in bytes (uint64)."""
        if p.targets == {NULL}:
            return const(0, UInt(64))
        if p.targets == {ADDRESS}:
            return op.cast(p.offset, UInt(64))
        array = self.array_of(p, at)
        if array not in self.pointer_parameters | self.heap or NULL in p.targets:
            self.fail(f"address of {array.lstrip('&')} as a number", at)
        if array in self.row_tables:  # whose rows are not read but where they are used
            self.fail(f"address of a row of '{array}', an array of pointers", at)
        base = Variable(UInt(64), f"addr.{array}")
        scaled = op.binary("*", op.cast(p.offset, UInt(64)), const(self.arrays[array].bytes(), UInt(64)))
        return op.offset_sum(base, scaled)


def reads(e: Expr, local: str | None, array: str | None, place: Element | None = None) -> bool:
    """Whether an expression reads a local or an element of an array: the one at `place`, if that is given."""
    if local is not None and local in variables(e):
        return True
    if array is None:
        return False
    number = key(e)
    elements = _ELEMENTS.get(number)
    if elements is None:
        elements = _ELEMENTS[number] = {}
        for load in loads(e):
            elements.setdefault(load.name, set()).add((const_value(load.index), load.type.bits))
    read = elements.get(array)
    if read is None:
        return False
    return place is None or any(i is None or bits != place[1] or i == place[0] for i, bits in read)


_ELEMENTS: dict[int, dict[str, set[tuple[int | float | None, int]]]] = {}
"""Of expressions, by number, the elements that they read of each array: index, None where it varies, and width."""

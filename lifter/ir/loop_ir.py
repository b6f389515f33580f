"""The typed loop language: what the front end makes of one C or C++ function.

Promotions and conversions are explicit, side effects are statements, calls with array writes are
inlined, and a pointer is an array and an element offset: the pointer variable `p` is a local of type
int64 named `p` that counts elements from the start of the array it points into; which array that is,
is known statically at each use.  Values are `halide_core.ir` expressions over
  Variable(type, name)   a scalar parameter or local, in C++'s type for it,
  Load(type, array, i)   element `i` (an int64 expression) of an array,
  Call(..., FUNCTION)    a pure scalar function of `Function.functions`.
The operators mean what the IR says; the front end chooses the ones that mean what C++ says
(`div_round_to_zero` for int division, shifts of promoted operands, and so on).
The right operand of And and Or and the arms of Select are only evaluated in C++ when they are needed:
a Load there is a guarded read.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from lifter.support import deadline


@dataclass(frozen=True, slots=True)
class Stmt:
    """A statement; `line` is its line in the user's source."""

    line: int


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    """Scalar local `name` (or pointer offset) takes `value`, of the local's declared type."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Store(Stmt):
    """array[index] = value; `index` counts elements, int64."""

    array: str
    index: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class If(Stmt):
    """if (condition) then else otherwise."""

    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop(Stmt):
    """`prelude` then `condition` are evaluated before each iteration; then `body`; then `step`.

    Continue jumps to `step`.  `prelude` holds the side effects of the condition (`while (n--)`), mostly none.
    A do-while has test_first=False: the first iteration skips prelude and condition."""

    condition: Expr
    body: tuple[Stmt, ...]
    step: tuple[Stmt, ...] = ()
    prelude: tuple[Stmt, ...] = ()
    test_first: bool = True


@dataclass(frozen=True, slots=True)
class Continue(Stmt):
    """Next iteration of the innermost loop."""


@dataclass(frozen=True, slots=True)
class Break(Stmt):
    """Leave the innermost loop."""


@dataclass(frozen=True, slots=True)
class Return(Stmt):
    """Leave the function; `value` has the function's return type."""

    value: Expr | None = None
    base: str = ""
    """The pointer parameter that a returned pointer lies `value` bytes behind (`ReturnedPointer`)."""


@dataclass(frozen=True, slots=True)
class Assert(Stmt):
    """The source's own assert: becomes an item of the contract.  On line 0 what the source does not say."""

    condition: Expr
    refused: str = ""
    """What stands here that is not lifted: calls that come here are left to the original.  `advice` is about it."""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Declare(Stmt):
    """A local array comes into being here, uninitialised unless `zeroed`; `size` in elements, int64, of
    which more are made as they are written where it `grows`.

    Executed again (in a loop) it is a new array.  Arrays with constant initialisers are followed by Stores."""

    array: str
    size: Expr
    zeroed: bool = False
    grows: bool = False


@dataclass(frozen=True, slots=True)
class Define(Stmt):
    """The int64 local `name` is `value` throughout the call: a number that is not known before it is met, such as how
    long the rows of a vector of vectors are.  Reached more than once, it must be the same each time."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of the function.  For a pointer, `type` is the element type and the array is called `name`;
    the local offset variable of the same name starts at 0."""

    name: str
    type: Type
    pointer: bool = False
    const: bool = False
    """Elements may not be written through it."""
    restrict: bool = False
    c_type: str = ""
    """The type as the source spells it, for headers."""


@dataclass(frozen=True, slots=True)
class Part:
    """A parameter that an argument of class type is taken apart into.

    `expression` gives it in C++, `@` standing for the argument's object.  kind: value, bits (of a bit-field), pointer,
    array (inside the object), left (the memory of a field that is assigned, after its value), moved (memory for how
    many bytes a pointer that is assigned, the part before it, is moved) or address (of the object); of a container
    data and size; of a vector of vectors rows (copied one after the other), count and length (of each row); distance,
    of a pointer after the pointer parameter `expression`, in units of `bytes_each`; of an array of pointers to rows
    rows_first, rows_pitch (elements from row to row) and rows_address."""

    param: str
    expression: str
    kind: str = "value"
    bytes_each: int = 1
    choices: tuple[tuple[int, str], ...] = ()
    """Of a pointer to a function, kind "function", the numbers of those that it may point to, and their names."""
    through: tuple[str, ...] = ()
    """The pointers inside of the argument, outermost first, that lead to what it is a part of; where one of them is
    null, a part is zero."""
    shared: bool = False
    """Whether its memory may be other parts', too, as in a union."""
    behind: int = 0
    """How many other parts, one behind the other, say where it lies: an element at an index that is a part."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of the C++ function.  passing: plain (a scalar or pointer), end (a pointer to where another one's
    memory ends), value, reference or pointer; or what is no parameter in C++: static, a variable of static storage that
    the function reads, or measured, the least and the greatest value behind the pointer that the parts' expressions
    name."""

    name: str
    type: str
    bare: str
    """The class itself."""
    passing: str
    parts: tuple[Part, ...]
    container: bool = False
    """Whether the argument itself is a container."""
    viewed: bool = False
    """Whether `bare` is another class than what the parameter is declared to point to."""
    constant: bool = False
    """Whether a variable of static storage is a constant that its file defines: a compiler may know its value."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container that the function returns: its elements are in the memory of the pointer parameter `param`.

    `extents` are locals of `Define`: how many elements, or how many rows and how long they are."""

    param: str
    element: str
    extents: tuple[str, ...]


NULL_RESULT = -(1 << 63)
"""What a function of the loop language returns for a null pointer."""


@dataclass(frozen=True, slots=True)
class ReturnedPointer:
    """A pointer that the C++ function returns, or with `reference` the reference to what is there.

    The function of the loop language returns how many bytes it lies behind the pointer parameter `base`, or
    `NULL_RESULT`; where `base` is null, null may be said either way.  A function that returns null only has no base."""

    base: str
    reference: bool = False
    container: str = ""
    """Of a reference to a container, the argument that it is, whose elements are in the memory of `base`."""


@dataclass(frozen=True, slots=True)
class Interface:
    """How the C++ function is called, where its parameters are not those of `Function.params`."""

    arguments: tuple[Argument, ...]
    result: str
    """The type it returns."""
    container: Container | None = None
    """What holds the elements of a container that it returns."""
    pointer: ReturnedPointer | None = None
    """What is known of a pointer that it returns."""
    record: tuple[Part, ...] = ()
    """Of a structure that it returns, the pointer parameters whose memory takes its fields; `@` is the structure."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Values behind the pointer parameter `array` that lie between the parameters `least` and `most`: those of the
    elements at `first`, `first + step` and so on, to both sides.

    role: begin or end where they say where loops begin or end, which then run from the least to the greatest."""

    array: str
    least: str
    most: str
    step: int = 1
    first: int = 0
    role: str = ""


@dataclass(frozen=True, slots=True)
class PureFunction:
    """A pure scalar function kept by name: `body` is an expression over Variables named by `params`."""

    name: str
    params: tuple[tuple[str, Type], ...]
    type: Type
    body: Expr
    line: int = 0
    from_model: bool = False


@dataclass(frozen=True, slots=True)
class ConstArray:
    """A constant table: `values` are fully known."""

    name: str
    type: Type
    values: tuple[int | float, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Function:
    """A function in the loop language.

    `locals` gives the type of every scalar local and of every pointer offset variable (int64);
    `arrays` the element type of every array: pointer parameters, local arrays and constant tables."""

    name: str
    symbol: str
    """The mangled linker name."""
    params: tuple[Param, ...]
    return_type: Type | None
    body: tuple[Stmt, ...]
    locals: dict[str, Type]
    arrays: dict[str, Type]
    tables: dict[str, ConstArray]
    functions: dict[str, PureFunction]
    file: str
    line: int
    end_line: int = 0
    extern_c: bool = False
    c_return_type: str = "void"
    internal: bool = False
    """Not visible outside its file: static, inline or in an anonymous namespace."""
    column: int = 0
    """Where its definition begins in its line."""
    qualified: str = ""
    """What the end of its file calls it; "" for what cannot be named there."""
    c_type: str = ""
    """Its type in C++."""
    of_object: bool = False
    """Whether it is called on an object."""
    is_virtual: bool = False
    uses_registers: bool = False
    """Whether the source has SIMD intrinsics, whose lanes' idioms are to be simplified."""
    interface: Interface | None = None
    objects: dict[str, int] = field(default_factory=dict)
    """Bytes of the caller's objects that parameters were taken from, by the parameter that holds their address."""
    objects_of: dict[str, str] = field(default_factory=dict)
    """The object that an array lies in."""
    moved: dict[str, str] = field(default_factory=dict)
    """The objects whose pointers are moved when all else is done, by the parameters that take how far."""
    fresh: frozenset[str] = frozenset()
    """Pointer parameters whose memory nothing else can reach: a copy of the caller's."""
    sizes: dict[str, tuple[str | int, ...]] = field(default_factory=dict)
    """Elements of the pointers' memory where that is known: the product of parameters, of locals that `Define` gives
    (in `defined` after symbolic execution) and numbers."""
    inside: tuple[Expr, ...] = ()
    """Conditions on parameters without which the function reads beyond arrays of the caller's."""
    rows: frozenset[str] = frozenset()
    """Pointer parameters that are copies of rows: of the two `sizes`, the second is the length of a row."""
    row_tables: dict[str, str] = field(default_factory=dict)
    """Pointer parameters that are the first row of an array of pointers to rows, with the parameter that says how many
    elements the next row lies further, as all of them do."""
    measured: tuple[Measured, ...] = ()
    """What an adapter measures at each call."""
    defined: dict[str, Expr] = field(default_factory=dict)
    """What the locals of `Define` are, over the parameters."""
    notes: tuple[str, ...] = field(default=())
    """What the front end assumed, in words for the report."""

    @property
    def measured_ends(self) -> frozenset[str]:
        """The parameters that an adapter measures."""
        return frozenset(name for m in self.measured for name in (m.least, m.most))

    @property
    def reads_constants(self) -> bool:
        """Whether there are constants of the file among these, which nobody can set."""
        return self.interface is not None and any(a.constant for a in self.interface.arguments)

    @property
    def reads_statics(self) -> bool:
        """Whether variables of static storage are among what the function is a function of."""
        return self.interface is not None and any(a.passing == "static" for a in self.interface.arguments)


@dataclass(unsafe_hash=True)
class Unsupported(Exception):
    """A construct outside the language."""

    construct: str
    line: int
    advice: str = ""

    def __str__(self) -> str:
        text = f"line {self.line}: {self.construct}"
        return f"{text}; {self.advice}" if self.advice else text


@dataclass(unsafe_hash=True)
class UnknownTrip(Unsupported):
    """What `arrays` hold says how often a loop runs."""

    arrays: frozenset[str] = frozenset()


def left_fields(function: Function) -> dict[str, str]:
    """Fields of the caller's objects that a function assigns, and the parameters that are their memory."""
    parts = [p for a in function.interface.arguments for p in a.parts] if function.interface is not None else []
    return {p.param: q.param for p, q in itertools.pairwise(parts) if q.kind == "left"}


def moved_fields(function: Function) -> dict[str, str]:
    """Pointers in the caller's objects that a function moves, and the parameters that take how far."""
    parts = [p for a in function.interface.arguments for p in a.parts] if function.interface is not None else []
    return {p.param: q.param for p, q in itertools.pairwise(parts) if q.kind == "moved"}


def walk(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """Every statement, those inside others too, in the order of the text."""
    deadline.check()
    stack = list(body)[::-1]
    while stack:
        s = stack.pop()
        yield s
        for block in blocks(s)[::-1]:
            stack += block[::-1]


def blocks(s: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    """The statements inside of a statement, block by block."""
    match s:
        case If():
            return s.then, s.otherwise
        case Loop():
            return s.prelude, s.body, s.step
    return ()


def expressions(s: Stmt) -> tuple[Expr, ...]:
    """The expressions of a statement itself, not of those inside it."""
    match s:
        case Assign(value=value) | Define(value=value):
            return (value,)
        case Return(value=value):
            return () if value is None else (value,)
        case Store(index=index, value=value):
            return (index, value)
        case If(condition=condition) | Loop(condition=condition) | Assert(condition=condition):
            return (condition,)
        case Declare(size=size):
            return (size,)
    return ()

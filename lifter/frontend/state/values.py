"""What C++ expressions and names stand for while a function is lowered."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, const
from halide_core.ir.types import Type
from lifter.frontend.state.found import Choice
from lifter.simd.lanes import Lanes

NULL = ""
"""The target of a null pointer."""


ADDRESS = "#"
"""The target of a pointer made from a number, its offset the number: it may be compared, and nothing else."""


def function_target(number: int | str) -> str:
    """The target of a pointer to a function, its offset the number that the function has in its file."""
    return f"(){number}"


_START = const(0, I64)


@dataclass(frozen=True)
class Pointer:
    """A pointer: `targets` are the arrays it may point into (NULL among them), `offset` counts scalars (int64).

    A target "&x" is the scalar local x; "!a" is an array a that no longer exists."""

    targets: frozenset[str]
    offset: Expr
    pointee: ClangType
    name: str = ""
    """The variable it was read from, for messages."""


@dataclass(frozen=True)
class PartPointer:
    """A pointer to part of an element, an integer: `inside` bytes (int64) behind the start of what `whole` points to,
    whose type is the part's."""

    whole: Pointer
    inside: Expr


@dataclass(frozen=True)
class Allocation:
    """The result of malloc or calloc before it is cast to a pointer to elements: a size in bytes (uint64)."""

    bytes: Expr
    zeroed: bool


@dataclass(frozen=True)
class Vector:
    """A std::vector or the like: an array and its length in elements (int64)."""

    array: str
    length: Expr
    element: ClangType
    size: str = ""
    """The local that holds the length, where it can change."""
    offset: Expr = _START
    """Where it starts in its array: not at 0 for a row of a vector of vectors."""
    row: str = ""
    """For a row, the local that says how long all of them are; "!" where that is given."""


@dataclass(frozen=True)
class Rows:
    """A vector of vectors: `count` rows of `pitch` elements each (int64), one after the other."""

    array: str
    count: Expr
    pitch: Expr
    element: ClangType
    size: str = ""
    """The local that holds the count, where it can change."""
    pitch_name: str = ""
    """The local that `loop_ir.Define` gives, where the length of the rows is not the caller's."""


@dataclass(frozen=True)
class Lambda:
    """A lambda; its captures by reference are the enclosing function's own names."""

    cursor: Cursor
    this: Place | None = None
    """The object whose members it uses."""
    captured: tuple[tuple[Cursor, Binding], ...] = ()
    """What the names of enclosing functions in it stand for where it is made: another call may give them others."""


@dataclass(frozen=True)
class Nothing:
    """The value of a void expression."""


@dataclass(frozen=True)
class VariablePlace:
    """A scalar local or parameter as an object."""

    name: str
    type: Type


@dataclass(frozen=True)
class ElementPlace:
    """What a pointer points to: a scalar, or an array that decays."""

    pointer: Pointer


@dataclass(frozen=True)
class PartPlace:
    """Part of an element as an object."""

    pointer: PartPointer


@dataclass(frozen=True)
class PointerPlace:
    """A pointer variable as an object; its offset is the int64 local `name`."""

    name: str
    pointee: ClangType
    spelling: str = ""
    """What the source calls it."""


@dataclass(frozen=True)
class Pointers:
    """A local array of pointers, such as the rows under a stencil: a pointer variable for each element."""

    places: tuple[PointerPlace, ...]
    name: str = ""
    local: str = ""
    """Of a local array, what tells it from others."""
    given: str = ""
    """Of a caller's array, what the parameters that it is taken apart into begin with."""
    address: str = ""
    """The parameter that says where it lies, where that may be nowhere."""
    chosen: tuple[tuple[Choice, PointerPlace], ...] = ()
    """Of a caller's array, those that are told by what is fixed at the call."""


@dataclass(frozen=True)
class PointerArray:
    """A local array of pointers that are told apart by what varies: an array of their offsets (int64)."""

    array: str
    pointee: ClangType
    name: str


@dataclass(frozen=True)
class PointerElement:
    """A pointer of such an array as an object."""

    array: str
    index: Expr
    pointee: ClangType
    name: str


@dataclass(frozen=True)
class RowTable:
    """A caller's array of pointers to rows, from row `first` on (int64), which lie `pitch` elements apart."""

    array: str
    pitch: str
    pointee: ClangType
    """What a row's elements are."""
    address: str
    """The parameter that says whether there is a table."""
    first: Expr = _START


@dataclass(frozen=True)
class LanesPlace:
    """A SIMD register as an object: a scalar local for each lane.

    `guessed`: the variable's key (`Found.lane_types`) where nothing said yet which lanes it is used with."""

    names: tuple[str, ...]
    type: Type
    guessed: str = ""
    key: str = ""
    """What identifies its declaration, if it has one."""
    once: bool = False
    """Whether it is given a value in one place of the text, and has none before."""


@dataclass(frozen=True)
class BitsPlace:
    """A member of a union whose members have one size: the bits of the local `name`, of type `whole`."""

    name: str
    whole: Type
    type: Type


@dataclass(frozen=True)
class RecordPlace:
    """A structure as an object: an object for each field, by name, those of its base classes included.

    References and pointers to other structures are there once they are initialised."""

    fields: dict[str, Binding]
    type: ClangType
    prefix: str = ""
    """Of an object of the caller's, what the names of the parameters that it is taken apart into begin with."""
    address: str = ""
    """The parameter that holds its address, if one does."""
    given: bool = False
    """Whether a pointer of the caller's leads to it."""
    whole: RecordPlace | None = None
    """The object that it is the start of, where it was seen as such."""


@dataclass(frozen=True)
class Record:
    """The value of a structure; an array inside it is a pointer to the array."""

    fields: dict[str, Value]
    type: ClangType


@dataclass(frozen=True)
class RecordPointer:
    """The address of a structure that is not in memory; `address` is the parameter that holds it, if one does."""

    place: RecordPlace
    address: str = ""


@dataclass(frozen=True)
class PointerAddress:
    """The address of a pointer variable."""

    place: PointerPlace


Container = Vector | Rows
Value = (
    Expr | Pointer | PartPointer | Pointers | PointerAddress | Allocation | Vector | Rows | Lambda | Nothing | Lanes
    | Record | RecordPointer | RowTable | PointerArray
)


@dataclass(frozen=True)
class Alias:
    """A name that always has one value: a constant, or a pointer that is never reassigned."""

    value: Value


Place = VariablePlace | ElementPlace | PartPlace | PointerPlace | PointerElement | LanesPlace | RecordPlace | BitsPlace
Binding = Place | Alias


def expressions_of(v: Value) -> tuple[Expr, ...]:
    """The expressions in a value."""
    if isinstance(v, Expr):
        return (v,)
    if isinstance(v, Lanes):
        return v.parts
    if isinstance(v, Record):
        return tuple(e for x in v.fields.values() for e in expressions_of(x))
    if isinstance(v, PartPointer):
        return v.whole.offset, v.inside
    return (v.offset,) if isinstance(v, Pointer | Vector) else ()


def with_expressions(v: Value, new: tuple[Expr, ...]) -> Value:
    """The value with its expressions replaced."""
    if isinstance(v, Expr):
        return new[0]
    if isinstance(v, Lanes):
        return Lanes(new)
    if isinstance(v, Record):
        fields: dict[str, Value] = {}
        rest = new
        for n, x in v.fields.items():
            count = len(expressions_of(x))
            fields[n], rest = with_expressions(x, rest[:count]) if count else x, rest[count:]
        return Record(fields, v.type)
    if isinstance(v, PartPointer):
        return PartPointer(replace(v.whole, offset=new[0]), new[1])
    return replace(v, offset=new[0]) if isinstance(v, Pointer | Vector) else v

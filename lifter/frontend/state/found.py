"""What one lowering of a function finds out that the next one of it goes by.

Some of what an array or a variable is shows only after it has been used: then the function is lowered again."""

from __future__ import annotations

from dataclasses import dataclass, field

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from lifter.ir.loop_ir import Unsupported

Site = tuple[tuple[str, int], ...]
"""Where memory is allocated: the functions that are being inlined, and the line."""


class Again(Exception):
    """A function is to be lowered again, by what has been found out of it."""


@dataclass(frozen=True)
class Choice:
    """A place in an array of the caller's that is fixed at the call: the index, what that is in C++, the pointers that
    lead to it, what it is called in names, and how many parts of arguments, one behind the other, say it."""

    index: Expr
    text: str
    through: tuple[str, ...]
    label: str
    behind: int


@dataclass
class Sites:
    """What is known of memory by where it is allocated: in one instance of a template what it was in another."""

    types: dict[Site, Type] = field(default_factory=dict)
    bytes_each: dict[Site, int] = field(default_factory=dict)
    used: bool = False
    """Whether an array was taken for what another one of its site is."""
    by_site: bool = True
    """Whether anything is learned of sites."""

    def learn_type(self, site: Site | None, type_: Type) -> None:
        if site is not None and self.by_site:
            self.types[site] = type_

    def learn_bytes(self, site: Site | None, bytes_each: int) -> None:
        if site is not None and self.by_site:
            self.bytes_each[site] = bytes_each


@dataclass
class Found:
    """What earlier lowerings of a function have found."""

    unit_bytes: dict[str, int] = field(default_factory=dict)
    """Widest unit, in bytes, that an array may have, where that is less than its declared elements'."""
    lane_types: dict[str, Type] = field(default_factory=dict)
    """The lanes of SIMD variables and arrays, by where they are declared."""
    allocated: dict[str, Type] = field(default_factory=dict)
    """Elements of memory that is allocated, or taken, as bytes or words."""
    ends: dict[str, str] = field(default_factory=dict)
    """Pointer parameters that are ends of others' memory."""
    mixed: set[str] = field(default_factory=set)
    """Parameters' arrays that have elements of several types."""
    varied: set[str] = field(default_factory=set)
    """Arrays of registers whose elements change."""
    addressed: set[str] = field(default_factory=set)
    """SIMD variables whose address is taken, by where they are declared."""
    groups: list[frozenset[str]] = field(default_factory=list)
    """Local arrays that one pointer points into at different times."""
    sites: Sites = field(default_factory=Sites)
    refused: dict[int, Unsupported] = field(default_factory=dict)
    """Arms of conditionals, by hash, that hold what is not lifted: calls that come there are left to the original."""
    forked: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Statements by which a pointer points into one array or another: with what follows they are lowered once for each
    answer to conditions, by the hashes of both."""
    reached: set[str] = field(default_factory=set)
    """Pointers in the caller's objects to other objects, by the names that parameters would have, that are followed."""
    single: set[str] = field(default_factory=set)
    """Parameters that point to one structure, and to no array of them."""
    elements: dict[str, int] = field(default_factory=dict)
    """How many pointers of an array are told apart by constants."""
    tabled: set[str] = field(default_factory=set)
    """Arrays of pointers that are indexed by what varies: pointers to rows of one image."""
    chosen: dict[str, tuple[Choice, ...]] = field(default_factory=dict)
    """Of arrays of pointers in the caller's objects, those that are told by what is fixed at the call."""
    viewed: dict[str, ClangType] = field(default_factory=dict)
    """Classes that objects of the caller's are seen as, by what the names of their fields begin with."""
    changed_fields: set[str] = field(default_factory=set)
    """Fields of the caller's objects that are assigned, by the names of their parameters."""
    null_marked: set[str] = field(default_factory=set)
    """Pointer variables whose offset says where they are null (`Context.with_null`)."""
    statics: dict[str, Cursor] = field(default_factory=dict)
    """Declarations of variables of static storage that are read, by what the end of the file calls them."""

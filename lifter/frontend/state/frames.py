"""The parts of a `Context` that come and go: values still to be used, open loops, functions being inlined."""

from __future__ import annotations

from dataclasses import dataclass, field

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from lifter.frontend.state.values import LanesPlace, Place, RecordPlace, Value
from lifter.ir.loop_ir import Stmt

Targets = dict[str, frozenset[str]]
"""The arrays that each pointer variable may point into."""


@dataclass
class Held:
    """A value to be used later; `block` is where a temporary for it would be assigned.

    `unsequenced`: C++ does not say whether what is evaluated meanwhile comes before it; `own` are the
    variables whose increment, still pending, belongs to the value."""

    value: Expr
    block: list[Stmt]
    unsequenced: bool = False
    own: frozenset[str] = frozenset()


@dataclass
class Pending:
    """A post-increment not yet done."""

    name: str
    value: Expr
    line: int


@dataclass
class Jumps:
    """Where break and continue of the innermost loop lead: the pointer targets there."""

    breaks: list[Targets] = field(default_factory=list)
    continues: list[Targets] = field(default_factory=list)
    switch: int = 0
    """The label of the end, for a switch."""


@dataclass
class Frame:
    """A function being inlined (or the outermost one)."""

    cursor: Cursor
    inlined: bool = False
    result: str = ""
    """The local that takes the returned value."""
    returns: list[Targets] = field(default_factory=list)
    pointee: ClangType | None = None
    """What the returned pointer or reference refers to."""
    label: int = 0
    lanes: LanesPlace | None = None
    """The locals that take a returned register."""
    by_reference: bool = False
    """Whether a returned reference is wanted as such, and not only the value it refers to."""
    this: Place | None = None
    """The object whose member function it is."""
    record: RecordPlace | None = None
    """The object that takes a returned structure."""
    returned: Value | None = None
    """A returned value that is the same at every return: the address of a structure, a lambda."""


@dataclass
class Snapshot:
    """What must be restored to lower a loop again."""

    locals: dict[str, Type]
    arrays: dict[str, Type]
    used: set[str]
    stable: set[str]
    notes: list[str]
    stored: dict[str, dict[int | None, list[Expr]]]

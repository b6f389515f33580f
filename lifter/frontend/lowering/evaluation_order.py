"""Operands that C++ evaluates in no particular order: refused when the order matters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import Expr, Load, Variable, children, const_value
from lifter.frontend.clang.libclang import changes, operands, preorder
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Assign, Declare, Define, Stmt, Store, expressions, walk


@dataclass
class Effects:
    """The locals and arrays that statements and expressions read and write; arrays have names ending in []."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)

    def add_expression(self, *values: Expr) -> None:
        stack = list(values)
        while stack:
            node = stack.pop()
            if isinstance(node, Variable):
                self.reads.add(node.name)
            elif isinstance(node, Load):
                self.reads.add(_element(node.name, node.index))
            stack.extend(children(node))

    def add(self, statements: Iterable[Stmt]) -> None:
        for s in walk(statements):
            self.add_expression(*expressions(s))
            match s:
                case Assign() | Define():
                    self.writes.add(s.name)
                case Store():
                    self.writes.add(_element(s.array, s.index))
                case Declare():
                    self.writes.add(f"{s.array}[]")
                case _:
                    pass


def _element(array: str, offset: Expr) -> str:
    """An element at a constant place, or the whole array."""
    k = const_value(offset)
    return f"{array}[]" if k is None else f"{array}[{k}]"


def _meeting(a: set[str], b: set[str]) -> set[str]:
    """What both sets have; an array meets each of its elements."""
    both = a & b
    for some, others in ((a, b), (b, a)):
        whole = {n.removesuffix("[]") for n in some if n.endswith("[]")}
        both |= {n.partition("[")[0] for n in others if "[" in n} & whole
    return both


class Operands:
    """The operands of one expression, told of one after the other as they are evaluated."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.block = ctx.block
        self.start = len(ctx.block)
        self.parts: list[tuple[list[Stmt], tuple[Expr, ...]]] = []
        self.pending: set[str] = set()

    def done(self, *values: Expr) -> None:
        """The next operand has been evaluated, with this value (or these)."""
        # A value saved meanwhile is another operand's.
        emitted = [s for s in self.block[self.start :] if id(s) not in self.ctx.saves]
        self.parts.append((emitted, values))
        self.start = len(self.block)
        # Their increments are emitted with a later operand but belong to this one; `Context` watches them.
        self.pending |= {p.name for p in self.ctx.pending}

    def check(self) -> None:
        """Raise Unsupported if one operand changes what another reads or changes.

        What an operand reads that emitted no statements is watched by `Context.hold`."""
        for i, (emitted, values) in enumerate(self.parts):
            if emitted:
                self._compare(emitted, values, self.parts[i + 1 :])

    def _compare(
        self, emitted: Sequence[Stmt], values: Sequence[Expr], later: Sequence[tuple[list[Stmt], Sequence[Expr]]]
    ) -> None:
        first = Effects()
        first.add(emitted)
        first.add_expression(*values)
        for other, other_values in later:
            second = Effects()
            second.add(other)
            second.add_expression(*other_values)
            second.writes -= self.pending
            shared = _meeting(first.writes, second.reads | second.writes) | _meeting(second.writes, first.reads)
            if shared:
                name = min(shared).partition("[")[0]
                self.ctx.fail(f"operands that read and change '{name}' in an order C++ leaves open")


def depends(arguments: Sequence[Cursor]) -> bool:
    """Whether one argument assigns or increments what another one names."""
    for k, a in enumerate(arguments):
        changed = {n.hash for c in preorder(a) if changes(c) for n in _names(operands(c)[0])}
        others = (n.hash for other in (*arguments[:k], *arguments[k + 1 :]) for n in _names(other))
        if changed & set(others):
            return True
    return False


def _names(c: Cursor) -> list[Cursor]:
    found = (k.referenced for k in preorder(c) if k.kind is CursorKind.DECL_REF_EXPR)
    return [n for n in found if n is not None]

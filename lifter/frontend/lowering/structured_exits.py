"""Structured code out of jumps that leave a block early: returns of inlined functions, breaks of switches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import BOOL, Variable, make_bool
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Assign, Break, If, Loop, Stmt
from lifter.support import deadline


@dataclass(frozen=True, slots=True)
class Leave(Stmt):
    """Jump to the end of the block with this label; never left in a finished function."""

    label: int


def eliminate(ctx: Context, statements: Sequence[Stmt], label: int) -> list[Stmt]:
    """`statements` without jumps to the end of them: what follows a jump is nested into the other branch, and
    where that cannot be done, guarded by a flag."""
    work = _Eliminator(ctx, label)
    out = work.block(list(statements))
    if work.flag:
        first = out[0].line if out else ctx.line
        out.insert(0, Assign(first, work.flag, make_bool(False)))
    return out


def has_leave(statements: Sequence[Stmt], label: int) -> bool:
    """Whether a jump with this label is among the statements."""
    for s in statements:
        if isinstance(s, Leave) and s.label == label:
            return True
        if isinstance(s, If) and (has_leave(s.then, label) or has_leave(s.otherwise, label)):
            return True
        if isinstance(s, Loop) and (has_leave(s.body, label) or has_leave(s.step, label)):
            return True
    return False


def _tidy(s: If) -> list[Stmt]:
    if s.then:
        return [s]
    return [If(s.line, op.negate(s.condition), s.otherwise)] if s.otherwise else []


class _Eliminator:
    def __init__(self, ctx: Context, label: int) -> None:
        self.ctx = ctx
        self.label = label
        self.flag = ""

    def block(self, statements: list[Stmt]) -> list[Stmt]:
        out: list[Stmt] = []
        deadline.check()
        for position, s in enumerate(statements):
            if isinstance(s, Leave) and s.label == self.label:
                return out
            if isinstance(s, If) and has_leave((s,), self.label):
                return out + self._if(s, statements[position + 1 :])
            if isinstance(s, Loop) and has_leave((s,), self.label):
                out.append(self._loop(s))
                return out + self._guarded(s, self.block(statements[position + 1 :]))
            out.append(s)
        return out

    def _if(self, s: If, rest: list[Stmt]) -> list[Stmt]:
        if self._always(s.then):
            then, otherwise = tuple(self.block(list(s.then))), self._joined(s.otherwise, rest)
            return _tidy(replace(s, then=then, otherwise=otherwise))
        if self._always(s.otherwise):
            then, otherwise = self._joined(s.then, rest), tuple(self.block(list(s.otherwise)))
            return _tidy(replace(s, then=then, otherwise=otherwise))
        then, otherwise = self._flagged(s.then, False), self._flagged(s.otherwise, False)
        return [replace(s, then=then, otherwise=otherwise), *self._guarded(s, self.block(rest))]

    def _joined(self, first: Sequence[Stmt], rest: list[Stmt]) -> tuple[Stmt, ...]:
        return tuple(self.block([*first, *rest]))

    def _always(self, statements: Sequence[Stmt]) -> bool:
        if not statements:
            return False
        last = statements[-1]
        if isinstance(last, Leave) and last.label == self.label:
            return True
        return isinstance(last, If) and self._always(last.then) and self._always(last.otherwise)

    def _name(self) -> str:
        if not self.flag:
            self.flag = self.ctx.new_local("done", BOOL)
        return self.flag

    def _guarded(self, s: Stmt, rest: list[Stmt]) -> list[Stmt]:
        if not rest:
            return []
        return [If(rest[0].line, op.negate(Variable(BOOL, self._name())), tuple(rest))]

    def _loop(self, s: Loop) -> Loop:
        return replace(s, body=self._flagged(s.body, True))

    def _flagged(self, statements: Sequence[Stmt], in_loop: bool) -> tuple[Stmt, ...]:
        out: list[Stmt] = []
        for position, s in enumerate(statements):
            if isinstance(s, Leave) and s.label == self.label:
                out.append(Assign(s.line, self._name(), make_bool(True)))
                if in_loop:
                    out.append(Break(s.line))
                return tuple(out)
            if not has_leave((s,), self.label):
                out.append(s)
                continue
            rest = statements[position + 1 :]
            if isinstance(s, Loop):
                out.append(self._loop(s))
                if in_loop:
                    out.append(If(s.line, Variable(BOOL, self._name()), (Break(s.line),)))
                    continue
                return (*out, *self._guarded(s, list(self._flagged(rest, in_loop))))
            assert isinstance(s, If)
            then, otherwise = self._flagged(s.then, in_loop), self._flagged(s.otherwise, in_loop)
            out.append(replace(s, then=then, otherwise=otherwise))
            if not in_loop:
                return (*out, *self._guarded(s, list(self._flagged(rest, in_loop))))
        return tuple(out)

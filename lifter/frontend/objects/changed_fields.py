"""Fields of the caller's objects that a function assigns: it works on a copy of the field, and gives it back where it
ends, if it has assigned it by then.

    void rows(Info *info) {           void rows(..., int info_h, int *info_h_left) {
        while (info->h--) ...             while (info_h--, set = true, info_h != -1) ...
    }                                     if (set) *info_h_left = info_h; }

So the field is a number to what runs in between, of which the loops' trips can be made.  A pointer stays one into the
same memory: how many bytes it has been moved is given in memory of its own, by each return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from halide_core.ir.expr import BOOL, I64, Variable, const, make_bool
from halide_core.ir.structural import variables
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Assign, Break, Continue, If, Loop, Return, Stmt, Store, walk


def given_back(ctx: Context, block: list[Stmt]) -> list[Stmt]:
    """The statements of a function with what gives the assigned fields back, `Context.left`."""
    if ctx.moved and ctx.row_tables:  # the table may hold what is moved
        ctx.fail("pointer in an object of the caller's that is moved, beside an array of pointers to rows")
    moved = tuple(_distance(ctx, name, memory) for name, memory in ctx.moved.items())
    if not ctx.left and not moved:
        return block
    flags = {name: ctx.new_local(f"{name}_set", BOOL) for name in ctx.left}
    stores: tuple[Stmt, ...] = tuple(
        If(0, Variable(BOOL, flag), (Store(0, ctx.left[name], const(0, I64), Variable(ctx.parameters[name], name)),))
        for name, flag in flags.items()
    )
    stores += moved
    start: list[Stmt] = [Assign(0, flag, make_bool(False)) for flag in flags.values()]
    marked = _Marking(flags, stores)
    body = marked.block(block)
    return [*start, *body, *([] if body and isinstance(body[-1], Return) else stores)]


def _distance(ctx: Context, name: str, memory: str) -> Stmt:
    offset = op.offset_scaled(Variable(I64, name), ctx.arrays[name].bytes())
    return Store(0, memory, const(0, I64), offset)


class _Marking:
    """Statements with flags of what they have assigned; `sure` is what they have in any case."""

    def __init__(self, flags: Mapping[str, str], stores: tuple[Stmt, ...]) -> None:
        self.flags, self.stores = flags, stores
        self.sure: frozenset[str] = frozenset()

    def block(self, statements: Iterable[Stmt]) -> list[Stmt]:
        out: list[Stmt] = []
        for s in statements:
            match s:
                case If():
                    out += self._told_by(s)
                    s = self._choice(s)
                case Loop():
                    s = self._loop(s)
                case Return():
                    out += self.stores
            out.append(s)
            if isinstance(s, Assign) and s.name in self.flags and s.name not in self.sure:
                out.append(Assign(s.line, self.flags[s.name], make_bool(True)))
                self.sure |= {s.name}
        return out

    def _told_by(self, s: If) -> list[Stmt]:
        """Fields whose values decide whether they are assigned, `if (v > info->most) info->most = v`, may be given back
        as they were: they are read in any case."""
        assigned = {x.name for x in walk((*s.then, *s.otherwise)) if isinstance(x, Assign)}
        found = [n for n in self.flags if n in assigned and n in variables(s.condition) and n not in self.sure]
        self.sure |= {*found}
        return [Assign(s.line, self.flags[n], make_bool(True)) for n in found]

    def _choice(self, s: If) -> If:
        before = self.sure
        then, after = self.block(s.then), self.sure
        self.sure = before
        otherwise = self.block(s.otherwise)
        self.sure &= after
        return replace(s, then=tuple(then), otherwise=tuple(otherwise))

    def _loop(self, s: Loop) -> Loop:
        """What comes before the test happens at least once, where nothing leaves it."""
        leaves = any(isinstance(x, Break | Continue | Return) for x in walk(s.body))
        before = self.sure
        if s.test_first:
            prelude = self.block(s.prelude)
            before = once = self.sure
            body = self.block(s.body)
        else:
            body = self.block(s.body)
            once = before if leaves else self.sure
        if leaves:  # what comes behind the body is come to from within it
            self.sure = before
        step = self.block(s.step)
        if not s.test_first:
            prelude = self.block(s.prelude)
        self.sure = once
        return replace(s, prelude=tuple(prelude), body=tuple(body), step=tuple(step))

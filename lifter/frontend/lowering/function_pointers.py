"""Pointers to functions: a pointer whose targets are functions of the file, each with a number that is its offset.

A call through one becomes a choice between the calls that its targets allow, most often a single one."""

from __future__ import annotations

from collections.abc import Callable

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import I64, Expr, Variable, const, const_value
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import initializer, operands
from lifter.frontend.lowering import branches, evaluated
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import NULL, Nothing, Pointer, Value, function_target

K = CursorKind
_PREFIX = function_target("")


def pointer(ctx: Context, function: Cursor) -> Pointer:
    """The value of a function's name."""
    number = ctx.unit.number_of(function)
    return Pointer(frozenset({function_target(number)}), const(number, I64), function.type, function.spelling)


def is_table(declaration: Cursor) -> bool:
    """Whether a variable is an array of pointers to functions that never changes."""
    inner = types.innermost(declaration.type)
    return types.is_array(declaration.type) and types.is_function_pointer(inner) and types.is_const(declaration.type)


def element(ctx: Context, c: Cursor) -> Pointer:
    """table[index] of a constant table of functions."""
    base, index = operands(c)
    named = queries.unwrap(base)
    declaration = named.referenced if named.kind is K.DECL_REF_EXPR else None
    if declaration is None or declaration.kind is not K.VAR_DECL or not is_table(declaration):
        ctx.fail("table of function pointers that is not a constant array", c)
    init = initializer(declaration.get_definition() or declaration)
    if init is None:
        ctx.fail(f"table of functions '{declaration.spelling}' whose values are not known here", c)
    values = [descent.value(ctx, item) for item in operands(queries.unwrap(init))]
    chosen = op.cast(evaluated.scalar(ctx, index), I64)
    result: Pointer | None = None
    for k, v in reversed(list(enumerate(values))):
        if not isinstance(v, Pointer):
            ctx.fail(f"value in the table of functions '{declaration.spelling}'", c)
        if result is None:
            result = v
            continue
        offset = op.select(op.binary("==", chosen, const(k, I64)), v.offset, result.offset)
        result = Pointer(v.targets | result.targets, offset, v.pointee, declaration.spelling)
    number = const_value(chosen)
    if number is not None and 0 <= number < len(values):
        found = values[int(number)]
        assert isinstance(found, Pointer)
        return found
    if result is None:
        ctx.fail(f"empty table of functions '{declaration.spelling}'", c)
    return result


Direct = Callable[[Cursor], Value]


def call(ctx: Context, c: Cursor, callee: Cursor, want: bool, direct: Direct) -> Value:
    """A call through the pointer `callee`; `direct` makes the call of one function by its declaration."""
    p = descent.value(ctx, callee)
    if not isinstance(p, Pointer):
        ctx.fail("call through a function pointer", c)
    numbers = sorted(int(t.removeprefix(_PREFIX)) for t in p.targets if t.startswith(_PREFIX))
    if not numbers or any(not t.startswith(_PREFIX) and t != NULL for t in p.targets):
        ctx.fail(f"call through the function pointer '{p.name}', whose function is not known", c)
    functions = {number: f for number, f in ctx.unit.taken.values()}
    known = const_value(p.offset)
    if known is not None or len(numbers) == 1:
        return direct(functions[int(known) if known is not None else numbers[0]])
    offset = ctx.settled(p.offset)
    result = _Result(ctx, c, want)
    _choose(ctx, c, offset, numbers, lambda number: result.keep(direct(functions[number])))
    return result.value()


class _Result:
    """The value of a call, assigned in each of several branches."""

    def __init__(self, ctx: Context, c: Cursor, want: bool) -> None:
        self.ctx, self.at = ctx, c
        self.name = ""
        if want and not types.is_void(c.type):
            self.type = queries.scalar_type(ctx, c.type, c)
            self.name = ctx.new_local("call_result", self.type)

    def keep(self, v: Value) -> None:
        if self.name:
            if not isinstance(v, Expr):
                self.ctx.fail("value of a call through a function pointer", self.at)
            self.ctx.assign(self.name, op.cast(v, self.type))

    def value(self) -> Value:
        return Variable(self.type, self.name) if self.name else Nothing()


def _choose(ctx: Context, c: Cursor, offset: Expr, numbers: list[int], run: Callable[[int], None]) -> None:

    first, *rest = numbers
    if not rest:
        run(first)
        return
    line = ctx.line
    condition = op.binary("==", offset, const(first, I64))
    then, after_then = branches.path(ctx, lambda: run(first))
    otherwise, after_otherwise = branches.path(ctx, lambda: _choose(ctx, c, offset, rest, run))
    ctx.line = line
    ctx.branch(condition, then, otherwise)
    branches.join(ctx, [after_then, after_otherwise])



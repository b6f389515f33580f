"""What a function's flags, attributes and pragmas forbid to take it as it is written."""

from __future__ import annotations

from collections.abc import Sequence

from clang.cindex import Cursor

from halide_core.ir.expr import Add, Expr, Mul, Sub
from halide_core.ir.structural import post_order
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Stmt, walk
from lifter.ir.loop_ir import expressions as expressions_of


def check(ctx: Context, definition: Cursor, at: Cursor) -> None:
    """Refuses a function of which an attribute or a pragma says what is not modelled."""
    for caution in ctx.unit.cautions(definition):
        ctx.fail(f"{caution.what} (line {caution.line})", at)


def check_floats(ctx: Context, c: Cursor, body: Sequence[Stmt]) -> None:
    """Refuses floats that the program's compiler may compute in another way than they are written."""
    values = [e for s in walk(body) for e in expressions_of(s)]
    values += [f.body for f in ctx.functions.values()]
    nodes = [n for e in values for n in post_order(e) if n.type.is_float()]
    if not nodes:
        return
    parsed = ctx.unit.parsed
    for caution in ctx.unit.float_cautions():
        ctx.fail(f"floats in a file with {caution.what} (line {caution.line})", c)
    rules = parsed.command.float_rules()
    if rules.loose:
        ctx.fail(
            f"floats under {rules.loose}: the compiler may compute something else than the source says", c,
            "compile this file without it",
        )
    fuses = rules.fuses or parsed.cautions.fuses
    if rules.contracts and fuses and _multiplies_and_adds(nodes):
        text = "floats multiplied and added: the compiler may round both at once (-ffp-contract=fast is its default)"
        ctx.fail(text, c, "compile this file with -ffp-contract=off")


def _multiplies_and_adds(nodes: Sequence[Expr]) -> bool:
    return any(isinstance(n, Mul) for n in nodes) and any(isinstance(n, Add | Sub) for n in nodes)

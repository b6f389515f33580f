"""What is known of entries of constant tables that address memory.

`crop[(taps[m * 6] * a(x) - taps[m * 6 + 1] * b(x) + 64) >> 7]` reads as far as every sixth entry of `taps` lets it. No
more than the verifier knows of them: a box that is narrower than what it can prove is of no use."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir.expr import Call, CallType, Expr, Variable
from halide_core.ir.structural import key, transform
from lifter.algebra.polynomial import Poly, to_poly
from lifter.algebra.symbolic_intervals import Interval
from lifter.algebra.table_entries import ends_of
from lifter.ir.loop_ir import ConstArray


def over_known(
    e: Expr, env: Mapping[str, Interval], tables: Mapping[str, ConstArray]
) -> tuple[Expr, dict[str, Interval]]:
    """An integer expression over variables in place of reads of `tables`, by the images' names, and what these and
    those of `env` run over."""
    known = dict(env)

    def rewrite(n: Expr) -> Expr:
        table = tables.get(n.name) if isinstance(n, Call) and n.call_type is CallType.IMAGE else None
        if table is None or not isinstance(n, Call) or len(n.args) != 1 or not table.type.is_int_or_uint():
            return n
        found = ends_of(table.values, to_poly(n.args[0]))
        if found is None:
            return n
        name = f"value {key(n)}"
        known[name] = Poly.constant(found[0]), Poly.constant(found[1])
        return Variable(n.type, name)

    return transform(e, rewrite), known

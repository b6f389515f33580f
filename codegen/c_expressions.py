"""Integer expressions over parameters as C++."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.errors import EmitError
from halide_core.aot.compile import c_type
from halide_core.ir import expr as E
from halide_core.ir.expr import Call, Expr, Variable, const_value

_SYMBOLS: dict[type, str] = {
    E.Add: "+", E.Sub: "-", E.Mul: "*", E.EQ: "==", E.NE: "!=", E.LT: "<", E.LE: "<=", E.GT: ">", E.GE: ">=",
    E.And: "&&", E.Or: "||",
}
_INTRINSICS = {
    "div_round_to_zero": "/", "mod_round_to_zero": "%", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
    "shift_left": "<<", "shift_right": ">>",
}


HELPERS = """static inline int64_t lift_div(int64_t a, int64_t b) {
    return b == 0 ? 0 : a % b < 0 ? a / b - (b > 0 ? 1 : -1) : a / b;
}
static inline int64_t lift_mod(int64_t a, int64_t b) { return b == 0 ? 0 : a - lift_div(a, b) * b; }
"""
"""What the expressions call: Halide's division and remainder, which is never negative, and zero by zero."""


def c_expression(e: Expr, names: Mapping[str, str]) -> str:
    """The expression, each operation at its own type.  Raises EmitError for what has no C++ operator."""
    value = const_value(e)
    if value is not None:
        return f"({c_type(e.type)}){value}"
    if isinstance(e, Variable) and e.name in names:
        return f"({c_type(e.type)}){names[e.name]}"
    parts = [c_expression(c, names) for c in E.children(e)]
    if isinstance(e, E.Cast):
        text = parts[0]
    elif isinstance(e, E.Select):
        text = f"({parts[0]} ? {parts[1]} : {parts[2]})"
    elif isinstance(e, E.Min | E.Max):
        text = f"({parts[0]} {'<' if isinstance(e, E.Min) else '>'} {parts[1]} ? {parts[0]} : {parts[1]})"
    elif isinstance(e, E.Div | E.Mod) and e.type.is_int():
        text = f"lift_{'div' if isinstance(e, E.Div) else 'mod'}({parts[0]}, {parts[1]})"
    elif isinstance(e, E.Not):
        text = f"(!{parts[0]})"
    elif isinstance(e, Call) and e.name in _INTRINSICS and len(parts) == 2:
        text = f"({parts[0]} {_INTRINSICS[e.name]} {parts[1]})"
    elif type(e) in _SYMBOLS:
        text = f"({parts[0]} {_SYMBOLS[type(e)]} {parts[1]})"
    else:
        raise EmitError(f"the size of the result, {e}, cannot be written in C++")
    return f"({c_type(e.type)}){text}"

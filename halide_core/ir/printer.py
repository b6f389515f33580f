"""Expressions as text, in Halide's notation."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr

_INFIX = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Div": "/",
    "Mod": "%",
    "EQ": "==",
    "NE": "!=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "And": "&&",
    "Or": "||",
}
_INFIX_INTRINSICS = {
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "shift_left": "<<",
    "shift_right": ">>",
}


def to_text(e: Expr) -> str:
    """`e` in infix notation; types of constants are written unless int32, float32 or bool.

    Works without recursion, so that long chains print; a shared sub-expression is printed at each use."""
    from halide_core.ir.structural import post_order

    done: dict[int, str] = {}
    for node in post_order(e):
        done[id(node)] = _one(node, done)
    text = done[id(e)]
    return text[1:-1] if _is_wrapped(e) else text


def _is_wrapped(e: Expr) -> bool:
    if isinstance(e, ir.Call):
        return e.call_type is ir.CallType.INTRINSIC and e.name in _INFIX_INTRINSICS
    return type(e).__name__ in _INFIX


def _one(e: Expr, done: dict[int, str]) -> str:
    parts = [done[id(c)] for c in ir.children(e)]
    match e:
        case ir.IntImm() | ir.UIntImm():
            return _integer(e)
        case ir.FloatImm():
            return f"{e.value!r}f" if e.type.bits == 32 else f"({e.type}){e.value!r}"
        case ir.StringImm():
            return '"' + e.value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case ir.Variable():
            return e.name
        case ir.Cast():
            return f"{e.type}({_bare(e.value, parts[0])})"
        case ir.Reinterpret():
            return f"reinterpret<{e.type}>({_bare(e.value, parts[0])})"
        case ir.Min() | ir.Max():
            return f"{type(e).__name__.lower()}({_bare(e.a, parts[0])}, {_bare(e.b, parts[1])})"
        case ir.Not():
            return f"!{parts[0]}"
        case ir.Select():
            return f"select({_list(e, parts)})"
        case ir.Load():
            suffix = f" if {parts[1]}" if e.predicate is not None else ""
            return f"{e.name}[{_bare(e.index, parts[0])}{suffix}]"
        case ir.Ramp():
            return f"ramp({_list(e, parts)}, {e.lanes})"
        case ir.Broadcast():
            return f"x{e.lanes}({_bare(e.value, parts[0])})"
        case ir.Shuffle():
            return f"shuffle({_list(e, parts)}, {list(e.indices)})"
        case ir.VectorReduce():
            return f"vector_reduce_{e.op}<{e.type}>({_bare(e.value, parts[0])})"
        case ir.Let():
            return f"(let {e.name} = {_bare(e.value, parts[0])} in {_bare(e.body, parts[1])})"
        case ir.Call():
            return _call(e, parts)
    return f"({parts[0]} {_INFIX[type(e).__name__]} {parts[1]})"


def _bare(e: Expr, text: str) -> str:
    return text[1:-1] if _is_wrapped(e) else text


def _list(e: Expr, parts: list[str]) -> str:
    return ", ".join(_bare(c, p) for c, p in zip(ir.children(e), parts, strict=True))


def _integer(e: ir.IntImm | ir.UIntImm) -> str:
    if e.type.is_bool():
        return "true" if e.value else "false"
    return str(e.value) if e.type == ir.I32 else f"({e.type}){e.value}"


def _call(e: ir.Call, parts: list[str]) -> str:
    if e.call_type is ir.CallType.INTRINSIC:
        if e.name in _INFIX_INTRINSICS:
            return f"({parts[0]} {_INFIX_INTRINSICS[e.name]} {parts[1]})"
        if e.name == "bitwise_not":
            return f"~{parts[0]}"
        if e.name == "saturating_cast":
            return f"saturating_cast<{e.type}>({_list(e, parts)})"
        if e.name == "undef":
            return f"undef<{e.type}>()"
    suffix = f"[{e.value_index}]" if e.value_index else ""
    return f"{e.name}({_list(e, parts)}){suffix}"


ir._TO_TEXT.append(to_text)

"""Index expressions as people write them."""

from __future__ import annotations

from halide_core.ir.expr import (
    Add,
    Call,
    Cast,
    Div,
    Expr,
    Load,
    Max,
    Min,
    Mod,
    Mul,
    Sub,
    Variable,
    children,
    const_value,
)


def index_text(e: Expr) -> str:
    """An index expression without casts, as people write it."""
    text, _ = _text(e)
    return text


def _bare(e: Expr) -> Expr:
    while isinstance(e, Cast):
        e = e.value
    return e


_SYMBOLS: dict[type, tuple[str, int]] = {Add: ("+", 1), Sub: ("-", 1), Mul: ("*", 2), Div: ("/", 2), Mod: ("%", 2)}


_SHIFTS = {"shift_left": "<<", "shift_right": ">>"}


def _is_power_of_two(e: Expr) -> bool:
    e = _bare(e)
    return isinstance(e, Call) and e.name == "shift_left" and const_value(e.args[0]) == 1


def _operand(e: Expr) -> str:
    text, level = _text(e)
    return text if level >= 3 else f"({text})"


def _text(e: Expr) -> tuple[str, int]:
    value = const_value(e)
    if value is not None:
        return (str(value), 3) if value >= 0 else (f"({value})", 3)
    if isinstance(e, Variable):
        return e.name, 3
    if isinstance(e, Cast):
        return _text(e.value)
    if isinstance(e, Min | Max):
        return f"{type(e).__name__.lower()}({index_text(e.a)}, {index_text(e.b)})", 3
    if isinstance(e, Div) and _is_power_of_two(e.b):
        return f"({_operand(e.a)} >> {_operand(children(_bare(e.b))[1])})", 3
    for kind, (symbol, level) in _SYMBOLS.items():
        if isinstance(e, kind):
            (a, la), (b, lb) = _text(e.a), _text(e.b)  # type: ignore[attr-defined]
            a = a if la >= level else f"({a})"
            plain = lb > level or (lb == level and symbol in "+*" and not isinstance(_bare(children(e)[1]), Div | Mod))
            b = b if plain else f"({b})"
            gap = " " if level == 1 else ""
            return f"{a}{gap}{symbol}{gap}{b}", level
    if isinstance(e, Load):
        return f"{e.name}[{index_text(e.index)}]", 3
    if isinstance(e, Call) and e.name in _SHIFTS:
        return f"({_operand(e.args[0])} {_SHIFTS[e.name]} {_operand(e.args[1])})", 3
    if isinstance(e, Call):
        return f"{e.name}({', '.join(index_text(a) for a in e.args)})", 3
    return str(e), 0

"""What an expression costs in SIMD code: the price by which the expression search ranks equivalents."""

from __future__ import annotations

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Expr, const_value
from halide_core.ir.structural import key, post_order

_CHEAP = {
    "saturating_add",
    "saturating_sub",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_not",
    "rounding_halving_add",
    "abs",
}
_MIDDLE = {"absd": 2.0, "halving_add": 2.0, "saturating_cast": 1.0, "shift_left": 1.0, "shift_right": 1.0}


def cost(e: Expr) -> float:
    """Sum over distinct operations of (bytes per lane) times (instructions per vector)."""
    seen: dict[int, float] = {}
    for n in post_order(e):
        number = key(n)
        if number not in seen:
            seen[number] = node_cost(n)
    return sum(seen.values())


def node_cost(n: Expr) -> float:
    """One operation."""
    if isinstance(n, E.IntImm | E.UIntImm | E.FloatImm | E.Variable):
        return 0.0
    width = _width(n)
    if isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE):
        return 0.5 * n.type.bytes()
    if isinstance(n, E.Cast):
        # widening unpacks, narrowing packs; a change of sign is free
        return 0.0 if n.type.bits == n.value.type.bits else 0.7 * max(n.type.bytes(), n.value.type.bytes())
    if isinstance(n, E.Mul):
        return width * {1: 4.0, 2: 1.0, 4: 2.0, 8: 4.0}[int(width)] if n.type.is_int_or_uint() else width
    if isinstance(n, E.Div | E.Mod) or (isinstance(n, Call) and n.name.endswith("round_to_zero")):
        return _division(n, width)
    if isinstance(n, Call):
        if n.name in _CHEAP:
            return width
        if n.name in _MIDDLE:
            # there are no shifts of bytes
            return width * _MIDDLE[n.name] * (2.0 if width == 1 and n.name.startswith("shift") else 1.0)
        return width * 3.0
    return width


def _division(n: Expr, width: float) -> float:
    divisor = const_value(E.children(n)[1])
    if n.type.is_float():
        return 6.0 * width
    if divisor is None or divisor == 0:
        return 40.0 * width
    signed = 1.5 if n.type.is_int() else 1.0
    if int(divisor) & (int(divisor) - 1) == 0:
        return width * (signed if isinstance(n, E.Div) else 2.0 * signed)
    return width * signed * {1: 6.0, 2: 2.0, 4: 6.0, 8: 20.0}[int(width)]


def _width(n: Expr) -> float:
    """Bytes per lane at which the operation runs: a comparison runs at its operands' width."""
    widths = [c.type.bytes() for c in E.children(n) if not c.type.is_bool()]
    return float(max([*widths, n.type.bytes() if not n.type.is_bool() else 1]))

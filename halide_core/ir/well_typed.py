"""Whether the type of a node and the types of its operands agree."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, I64, CallType, Expr
from halide_core.ir.named_calls import BUFFER
from halide_core.ir.types import Bool

# The intrinsic that asks whether an element's address is a multiple of a cache line.
ALIGNED = "hl.aligned"


def ill_typed(e: Expr) -> str:
    """What is wrong with the types of a node and its operands."""
    t = e.type
    match e:
        case ir.IntImm() | ir.UIntImm():
            kind = t.is_int() if isinstance(e, ir.IntImm) else t.is_uint()
            return (
                ""
                if kind and t.is_scalar() and t.wrap(e.value) == e.value
                else f"the constant {e.value} is none of {t}"
            )
        case ir.FloatImm():
            return "" if t.is_float() and t.is_scalar() else f"a float constant of type {t}"
        case ir.Cast():
            return "" if e.value.type.lanes == t.lanes else f"a cast of {e.value.type} to {t}"
        case ir.Reinterpret():
            same = e.value.type.bits * e.value.type.lanes == t.bits * t.lanes
            return "" if same else f"{e.value.type} reinterpreted as {t}"
        case ir.EQ() | ir.NE() | ir.LT() | ir.LE() | ir.GT() | ir.GE():
            return _unequal(e.a, e.b) or ("" if t == Bool(e.a.type.lanes) else f"a comparison of type {t}")
        case ir._Binary():
            if isinstance(e, ir.And | ir.Or) and not t.is_bool():
                return f"a logical operation of type {t}"
            return _unequal(e.a, e.b) or ("" if e.a.type == t else f"operands of {e.a.type} for a result of {t}")
        case ir.Not():
            return "" if e.a.type == t and t.is_bool() else f"not of {e.a.type} as {t}"
        case ir.Select():
            if not e.condition.type.is_bool() or e.condition.type.lanes not in (1, t.lanes):
                return f"a condition of {e.condition.type} for values of {t}"
            return _unequal(e.true_value, e.false_value) or ("" if e.true_value.type == t else f"{t} from other types")
        case ir.Load():
            if e.index.type != I64.with_lanes(t.lanes):
                return f"a load of {t} at an index of {e.index.type}"
            fits = e.predicate is None or e.predicate.type == Bool(t.lanes)
            return "" if fits else f"a load of {t} under another number of lanes"
        case ir.Ramp():
            fits = e.base.type == e.stride.type == t.element_of() and t.lanes == e.lanes > 1
            return "" if fits else f"a ramp of {e.base.type} by {e.stride.type} as {t}"
        case ir.Broadcast():
            fits = e.value.type == t.element_of() and t.lanes == e.lanes > 1
            return "" if fits else f"{e.value.type} broadcast to {t}"
        case ir.Shuffle():
            return _bad_shuffle(e)
        case ir.VectorReduce():
            fits = e.value.type.element_of() == t.element_of() and e.value.type.lanes % t.lanes == 0
            return "" if fits else f"{e.value.type} reduced to {t}"
        case ir.Let():
            return "" if e.body.type == t else f"a let of {t} around {e.body.type}"
        case ir.Call():
            return _bad_call(e)
    return ""


def _unequal(a: Expr, b: Expr) -> str:
    return "" if a.type == b.type else f"operands of types {a.type} and {b.type}"


def _bad_shuffle(e: ir.Shuffle) -> str:
    total = sum(v.type.lanes for v in e.vectors)
    if any(v.type.element_of() != e.type.element_of() for v in e.vectors) or len(e.indices) != e.type.lanes:
        return f"a shuffle of other elements or lanes than {e.type}"
    return "" if all(0 <= k < total for k in e.indices) else "a shuffle of lanes that do not exist"


# Intrinsics whose first operands, this many, have the type of the result.
_LIKE_RESULT = {
    "bitwise_and": 2,
    "bitwise_or": 2,
    "bitwise_xor": 2,
    "bitwise_not": 1,
    "shift_left": 1,
    "shift_right": 1,
    "div_round_to_zero": 2,
    "mod_round_to_zero": 2,
    "saturating_add": 2,
    "saturating_sub": 2,
    "halving_add": 2,
    "halving_sub": 2,
    "rounding_halving_add": 2,
    "rounding_shift_right": 1,
    "likely": 1,
    "strict_float": 1,
    "multiply_add": 3,
    **dict.fromkeys(ir.MATHEMATICS, 2),
}


def _bad_call(e: ir.Call) -> str:
    if e.call_type in (CallType.HALIDE, CallType.IMAGE):
        wrong = next((a.type for a in e.args if a.type != I32), None)
        return "" if wrong is None else f"a coordinate of type {wrong}"
    if e.call_type is not CallType.INTRINSIC or e.name in (ALIGNED, BUFFER):
        return ""
    if e.name not in ir.INTRINSICS:
        return f"there is no intrinsic {e.name}"
    if any(a.type != e.type for a in e.args[: _LIKE_RESULT.get(e.name, 0)]):
        return f"{e.name} of {', '.join(str(a.type) for a in e.args)} as {e.type}"
    return "" if all(a.type.lanes == e.type.lanes for a in e.args) else f"{e.name} of operands with different lanes"

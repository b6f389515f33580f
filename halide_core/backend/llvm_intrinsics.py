"""The project's intrinsics as LLVM instructions, in the forms that LLVM matches to single x86 and ARM instructions."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.backend import llvm_integer as ops
from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import literal, llvm_type
from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import const_value
from halide_core.ir.types import Type

Rule = Callable[[FunctionBuilder, ir.Call, list[str]], str]


def _constant(e: ir.Expr) -> int | None:
    value = const_value(e)
    return None if value is None else int(value)


def _typed(e: ir.Call, args: list[str], k: int) -> str:
    return f"{llvm_type(e.args[k].type)} {args[k]}"


def _extend(b: FunctionBuilder, e: ir.Call, args: list[str], k: int, target: Type) -> str:
    source = e.args[k].type
    if source.is_float():
        return b.emit(f"fpext {llvm_type(source)} {args[k]} to {llvm_type(target)}")
    return ops.resize(b, source, target, args[k])


def _widening(op: str) -> Rule:
    def rule(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
        x, y = _extend(b, e, args, 0, e.type), _extend(b, e, args, 1, e.type)
        return ops.binary(b, f"f{op}" if e.type.is_float() else op, e.type, x, y)

    return rule


def _saturating(op: str) -> Rule:
    def rule(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
        if e.type.is_float():
            return ops.binary(b, f"f{op}", e.type, args[0], args[1])
        sign = "s" if e.type.is_int() else "u"
        return b.intrinsic(f"{sign}{op}.sat", e.type, [_typed(e, args, 0), _typed(e, args, 1)])

    return rule


def _saturating_cast(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    source, target = e.args[0].type, e.type
    if not source.is_int_or_uint() or not target.is_int_or_uint():
        raise HalideError(f"saturating_cast from {source} to {target}: integers only")
    clamped = ops.clamp(b, source, args[0], max(source.min(), target.min()), min(source.max(), target.max()))
    return ops.resize(b, source, target, clamped)


def _abs(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    t = e.args[0].type
    if t.is_float():
        return b.intrinsic("fabs", t, [_typed(e, args, 0)])
    return args[0] if t.is_uint() else b.intrinsic("abs", t, [_typed(e, args, 0), "i1 false"])


def _absd(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    t = e.args[0].type
    if t.is_float():
        difference = ops.binary(b, "fsub", t, args[0], args[1])
        return b.intrinsic("fabs", t, [f"{llvm_type(t)} {difference}"])
    sign, both = ("s" if t.is_int() else "u"), [_typed(e, args, 0), _typed(e, args, 1)]
    return ops.binary(b, "sub", t, b.intrinsic(f"{sign}max", t, both), b.intrinsic(f"{sign}min", t, both))


def _halving_add(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    t = e.type
    common, differ = ops.binary(b, "and", t, *args), ops.binary(b, "xor", t, *args)
    half = ops.binary(b, "ashr" if t.is_int() else "lshr", t, differ, literal(1, t))
    return ops.binary(b, "add", t, common, half)


def _rounding_halving_add(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    t = e.type
    either, differ = ops.binary(b, "or", t, *args), ops.binary(b, "xor", t, *args)
    half = ops.binary(b, "ashr" if t.is_int() else "lshr", t, differ, literal(1, t))
    return ops.binary(b, "sub", t, either, half)


def _halving_sub(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    t, right = e.type, "ashr" if e.type.is_int() else "lshr"
    x, y = (ops.binary(b, right, t, a, literal(1, t)) for a in args)
    inverted = ops.binary(b, "xor", t, args[0], literal(-1, t))
    borrow = ops.binary(b, "and", t, ops.binary(b, "and", t, inverted, args[1]), literal(1, t))
    return ops.binary(b, "sub", t, ops.binary(b, "sub", t, x, y), borrow)


def _shift(left: bool) -> Rule:
    return lambda b, e, args: ops.shift(b, e.type, args[0], args[1], e.args[1].type, _constant(e.args[1]), left)


def _rounding_shift_right(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    t, amount, n = e.type, e.args[1].type, _constant(e.args[1])
    if n is not None and n <= 0:
        return ops.shift(b, t, args[0], args[1], amount, n, False)
    whole = ops.shift(b, t, args[0], args[1], amount, n, False)
    less = ops.binary(b, "sub", amount, args[1], literal(1, amount))
    below = ops.shift(b, t, args[0], less, amount.with_code(amount.code.UINT), None if n is None else n - 1, False)
    rounded = ops.binary(b, "add", t, whole, ops.binary(b, "and", t, below, literal(1, t)))
    if n is not None:
        return rounded
    positive = ops.compare(b, "sgt" if amount.is_int() else "ugt", amount, args[1], literal(0, amount))
    return ops.select(b, t, positive, rounded, whole)


def _mul_shift_right(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    t, c = e.type, _constant(e.args[2])
    if c is None or c < 0:
        raise HalideError("mul_shift_right needs a constant shift")
    wide = t.with_bits(2 * t.bits)
    product = ops.binary(b, "mul", wide, ops.resize(b, t, wide, args[0]), ops.resize(b, t, wide, args[1]))
    shifted = ops.shift(b, wide, product, "", wide, c, False)
    if c < t.bits:
        shifted = ops.clamp(b, wide, shifted, t.min(), t.max())
    return ops.resize(b, wide, t, shifted)


def _bits(op: str) -> Rule:
    return lambda b, e, args: ops.binary(b, op, e.type, args[0], args[1])


def _count(name: str, *extra: str) -> Rule:
    return lambda b, e, args: b.intrinsic(name, e.args[0].type, [_typed(e, args, 0), *extra])


def _divide_to_zero(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    if e.type.is_vector() and e.type.bits == 32 and all(fits_16_bits(a) for a in e.args):
        return ops.divide_small(b, e.type, args[0], args[1])
    return ops.divide_to_zero(b, e.type, args[0], args[1], _constant(e.args[1]))


def fits_16_bits(e: ir.Expr) -> bool:
    """Whether `e` is an integer widened from 16 bits or fewer."""
    inner = e.value if isinstance(e, ir.Broadcast) else e
    return isinstance(inner, ir.Cast) and inner.value.type.is_int_or_uint() and inner.value.type.bits <= 16



def _multiply_add(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    if b.module.fuses:
        return b.intrinsic("fma", e.type, [_typed(e, args, k) for k in range(3)])
    return ops.binary(b, "fadd", e.type, ops.binary(b, "fmul", e.type, args[0], args[1]), args[2])


RULES: dict[str, Rule] = {
    "bitwise_and": _bits("and"),
    "bitwise_or": _bits("or"),
    "bitwise_xor": _bits("xor"),
    "bitwise_not": lambda b, e, args: ops.binary(b, "xor", e.type, args[0], literal(-1, e.type)),
    "shift_left": _shift(True),
    "shift_right": _shift(False),
    "abs": _abs,
    "absd": _absd,
    "div_round_to_zero": lambda b, e, args: _divide_to_zero(b, e, args),
    "mod_round_to_zero": lambda b, e, args: ops.modulo_to_zero(b, e.type, args[0], args[1], _constant(e.args[1])),
    "widening_add": _widening("add"),
    "widening_sub": _widening("sub"),
    "widening_mul": _widening("mul"),
    "saturating_add": _saturating("add"),
    "saturating_sub": _saturating("sub"),
    "saturating_cast": _saturating_cast,
    "halving_add": _halving_add,
    "halving_sub": _halving_sub,
    "rounding_halving_add": _rounding_halving_add,
    "rounding_shift_right": _rounding_shift_right,
    "mul_shift_right": _mul_shift_right,
    "popcount": _count("ctpop"),
    "count_leading_zeros": _count("ctlz", "i1 false"),
    "likely": lambda b, e, args: args[0],
    "strict_float": lambda b, e, args: args[0],
    "multiply_add": _multiply_add,
    "undef": lambda b, e, args: "zeroinitializer" if e.type.is_vector() else literal(0, e.type),
}

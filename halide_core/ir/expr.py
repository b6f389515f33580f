"""Expression nodes: the only typed expression IR of the project.

The front end's symbolic values, the search's candidates, the verifier's formulas and the compiler's
input are all built of these nodes.  Each class states its meaning; the NumPy interpreter
(`halide_core.interp`), the Z3 encoding (`verifier.smt`) and the LLVM back end give the same meaning.

Integers wrap modulo 2**bits.  Floats are strict IEEE: no contraction, no reassociation.  `==` on
expressions builds an EQ node; use `same_as` for identity and `structural.same` for structure.
Building a node directly requires operands of matching types; the operators of `Expr` match types
as Halide's do (see `operators`).
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, dataclass_transform

from halide_core.errors import not_a_condition
from halide_core.ir.node_methods import Remembered, write_methods
from halide_core.ir.types import Bool, Int, Type, UInt


class CallType(enum.Enum):
    """What the name of a Call refers to."""

    HALIDE = "halide"  # value of the Func `name` at the coordinates `args`
    IMAGE = "image"  # value of the image parameter or buffer `name` at the coordinates `args`
    INTRINSIC = "intrinsic"  # one of `INTRINSICS`
    FUNCTION = "function"  # a named pure scalar function with a definition kept beside the pipeline
    PURE_EXTERN = "pure_extern"  # a libm-like function without side effects
    EXTERN = "extern"  # an external function with side effects


MATHEMATICS = (
    *("exp", "log", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf"),
)
"""Functions of float32, and all but erf of float64, whose arithmetic `halide_core.mathematics` says."""

# name -> meaning.  a, b have the same type unless stated; results have the type of the Call.
INTRINSICS: dict[str, str] = {
    "bitwise_and": "a & b",
    "bitwise_or": "a | b",
    "bitwise_xor": "a ^ b",
    "bitwise_not": "~a",
    "shift_left": "a * 2**b; b < 0 shifts right by -b; a shift by >= bits gives 0",
    "shift_right": "floor(a / 2**b), arithmetic when a is signed; b < 0 shifts left by -b; >= bits gives 0 or -1",
    "abs": "absolute value; the result of a signed integer is unsigned, so abs(INT_MIN) is exact",
    "absd": "|a - b| computed without overflow; the result of integers is unsigned",
    "div_round_to_zero": "C's integer division; x / 0 == 0; INT_MIN / -1 == INT_MIN",
    "mod_round_to_zero": "C's remainder, sign of the dividend; x % 0 == 0; INT_MIN % -1 == 0",
    "widening_add": "a + b at twice the bits (unsigned stays unsigned)",
    "widening_sub": "a - b at twice the bits, signed",
    "widening_mul": "a * b at twice the bits",
    "saturating_add": "a + b clamped to the range of the type",
    "saturating_sub": "a - b clamped to the range of the type",
    "saturating_cast": "a clamped to the range of the result type, then cast; integers only",
    "halving_add": "floor((a + b) / 2) without overflow",
    "halving_sub": "floor((a - b) / 2) without overflow, wrapped to the type",
    "rounding_halving_add": "floor((a + b + 1) / 2) without overflow",
    "rounding_shift_right": "floor((a + 2**(b-1)) / 2**b) without overflow, for b > 0; a for b == 0",
    "mul_shift_right": "floor(a * b / 2**c) without overflow, saturated; c is an unsigned constant",
    "popcount": "number of one bits",
    "count_leading_zeros": "number of leading zero bits; bits for 0",
    "likely": "a, and the condition it stands in is usually true",
    "undef": "any value; what depends on it is not stored",
    "strict_float": "a",
    "multiply_add": "a * b + c of floats, rounded once on targets that do both in one step, else twice",
    **{name: "of floats, within one unit in the last place, pow of float32 within three" for name in MATHEMATICS},
}


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Expr(Remembered):
    """Base of all expressions; `type` is the type of the value."""

    type: Type

    child_fields: ClassVar[tuple[str, ...]] = ()

    def same_as(self, other: object) -> bool:
        return self is other

    def __bool__(self) -> bool:
        raise not_a_condition(self)

    # Halide's operators; implemented in `operators`, which fills this in to keep nodes and typing rules apart.
    def __add__(self, other: Any) -> Expr:
        return _OPERATORS["add"](self, other)

    def __radd__(self, other: Any) -> Expr:
        return _OPERATORS["add"](other, self)

    def __sub__(self, other: Any) -> Expr:
        return _OPERATORS["sub"](self, other)

    def __rsub__(self, other: Any) -> Expr:
        return _OPERATORS["sub"](other, self)

    def __mul__(self, other: Any) -> Expr:
        return _OPERATORS["mul"](self, other)

    def __rmul__(self, other: Any) -> Expr:
        return _OPERATORS["mul"](other, self)

    def __truediv__(self, other: Any) -> Expr:
        return _OPERATORS["div"](self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return _OPERATORS["div"](other, self)

    def __floordiv__(self, other: Any) -> Expr:
        return _OPERATORS["floordiv"](self, other)

    def __rfloordiv__(self, other: Any) -> Expr:
        return _OPERATORS["floordiv"](other, self)

    def __mod__(self, other: Any) -> Expr:
        return _OPERATORS["mod"](self, other)

    def __rmod__(self, other: Any) -> Expr:
        return _OPERATORS["mod"](other, self)

    def __and__(self, other: Any) -> Expr:
        return _OPERATORS["and"](self, other)

    def __rand__(self, other: Any) -> Expr:
        return _OPERATORS["and"](other, self)

    def __or__(self, other: Any) -> Expr:
        return _OPERATORS["or"](self, other)

    def __ror__(self, other: Any) -> Expr:
        return _OPERATORS["or"](other, self)

    def __xor__(self, other: Any) -> Expr:
        return _OPERATORS["xor"](self, other)

    def __rxor__(self, other: Any) -> Expr:
        return _OPERATORS["xor"](other, self)

    def __lshift__(self, other: Any) -> Expr:
        return _OPERATORS["shl"](self, other)

    def __rlshift__(self, other: Any) -> Expr:
        return _OPERATORS["shl"](other, self)

    def __rshift__(self, other: Any) -> Expr:
        return _OPERATORS["shr"](self, other)

    def __rrshift__(self, other: Any) -> Expr:
        return _OPERATORS["shr"](other, self)

    def __pow__(self, other: Any) -> Expr:
        return _OPERATORS["pow"](self, other)

    def __rpow__(self, other: Any) -> Expr:
        return _OPERATORS["pow"](other, self)

    def logical_not(self) -> Expr:
        return _OPERATORS["logical_not"](self)

    def defined(self) -> bool:
        return True

    def __neg__(self) -> Expr:
        return _OPERATORS["neg"](self)

    def __invert__(self) -> Expr:
        return _OPERATORS["invert"](self)

    def __eq__(self, other: Any) -> Expr:  # type: ignore[override]
        return _OPERATORS["eq"](self, other)

    def __ne__(self, other: Any) -> Expr:  # type: ignore[override]
        return _OPERATORS["ne"](self, other)

    def __lt__(self, other: Any) -> Expr:
        return _OPERATORS["lt"](self, other)

    def __le__(self, other: Any) -> Expr:
        return _OPERATORS["le"](self, other)

    def __gt__(self, other: Any) -> Expr:
        return _OPERATORS["gt"](self, other)

    def __ge__(self, other: Any) -> Expr:
        return _OPERATORS["ge"](self, other)

    def __hash__(self) -> int:
        return id(self) >> 4

    def __str__(self) -> str:
        return _TO_TEXT[0](self) if _TO_TEXT else object.__repr__(self)

    __repr__ = __str__


# Filled by halide_core.ir.printer on import of halide_core.ir.
_TO_TEXT: list[Callable[[Expr], str]] = []
# Filled by halide_core.ir.operators on import of halide_core.ir.
_OPERATORS: dict[str, Callable[..., Expr]] = {}


_T = TypeVar("_T")


@dataclass_transform(eq_default=False, frozen_default=True)
def _node(cls: type[_T]) -> type[_T]:
    made = dataclass(frozen=True, slots=True, eq=False, repr=False)(cls)
    write_methods(made)
    return made


@_node
class IntImm(Expr):
    """Signed integer constant; `value` lies in the range of the type."""

    value: int


@_node
class UIntImm(Expr):
    """Unsigned integer or bool constant; `value` lies in the range of the type."""

    value: int


@_node
class FloatImm(Expr):
    """Floating-point constant; `value` is exactly representable in the type."""

    value: float


@_node
class StringImm(Expr):
    """String constant (for messages and extern calls)."""

    value: str


@_node
class Variable(Expr):
    """A named scalar: loop variable, let, parameter or symbol."""

    name: str


@_node
class ParamVariable(Variable):
    """The value of a Param: no Var, even where one has its name."""


@_node
class Cast(Expr):
    """Conversion.  int to int wraps; bool to int gives 0 or 1; x to bool is x != 0; float to float rounds
    to nearest even; int to float likewise.  float to int truncates toward zero; out of range it does what
    x86-64 compilers do: to 32 bits signed and to all 8- and 16-bit types by way of int32, to uint32 by way
    of int64 and to int64 directly, where NaN and every value out of range gives the minimum of that
    intermediate type, whose low bits are then kept; to uint64, values below 2**63 by way of int64, others
    as int64(x - 2**63) + 2**63."""

    value: Expr
    child_fields = ("value",)


@_node
class Reinterpret(Expr):
    """The same bits as another type of the same total size."""

    value: Expr
    child_fields = ("value",)


@_node
class _Binary(Expr):
    a: Expr
    b: Expr
    child_fields = ("a", "b")


@_node
class Add(_Binary):
    """a + b; wraps."""


@_node
class Sub(_Binary):
    """a - b; wraps."""


@_node
class Mul(_Binary):
    """a * b; wraps."""


@_node
class Div(_Binary):
    """a / b.  Integers: Euclidean, unlike C: the remainder a - b*q lies in [0, |b|); x / 0 == 0;
    INT_MIN / -1 == INT_MIN.  Floats: IEEE."""


@_node
class Mod(_Binary):
    """a - b * (a / b) with Div's division: integers in [0, |b|), x % 0 == 0.  Floats: a - b*floor(a/b)."""


@_node
class Min(_Binary):
    """a < b ? a : b (so b where either is NaN, as minps)."""


@_node
class Max(_Binary):
    """a > b ? a : b (so b where either is NaN, as maxps)."""


@_node
class EQ(_Binary):
    """a == b, a bool; floats compare ordered."""


@_node
class NE(_Binary):
    """!(a == b): true for NaN."""


@_node
class LT(_Binary):
    """a < b, false for NaN."""


@_node
class LE(_Binary):
    """a <= b, false for NaN."""


@_node
class GT(_Binary):
    """a > b, false for NaN."""


@_node
class GE(_Binary):
    """a >= b, false for NaN."""


@_node
class And(_Binary):
    """Logical and of bools."""


@_node
class Or(_Binary):
    """Logical or of bools."""


@_node
class Not(Expr):
    """Logical not of a bool."""

    a: Expr
    child_fields = ("a",)


@_node
class Select(Expr):
    """condition ? true_value : false_value; both sides may be evaluated and neither traps."""

    condition: Expr
    true_value: Expr
    false_value: Expr
    child_fields = ("condition", "true_value", "false_value")


@_node
class Load(Expr):
    """Element `index` of the flat array `name`; a false predicate gives any value without touching memory."""

    name: str
    index: Expr
    predicate: Expr | None = None
    child_fields = ("index", "predicate")


@_node
class Ramp(Expr):
    """Vector base, base + stride, ..., `lanes` of them."""

    base: Expr
    stride: Expr
    lanes: int
    child_fields = ("base", "stride")


@_node
class Broadcast(Expr):
    """Vector of `lanes` copies of a scalar."""

    value: Expr
    lanes: int
    child_fields = ("value",)


@_node
class Shuffle(Expr):
    """Vector of the chosen elements of the concatenation of `vectors`."""

    vectors: tuple[Expr, ...]
    indices: tuple[int, ...]
    child_fields = ("vectors",)


@_node
class VectorReduce(Expr):
    """Groups of adjacent lanes of `value` combined by `op`: add, mul, min, max, and, or; integers exact."""

    op: str
    value: Expr
    child_fields = ("value",)


@_node
class Let(Expr):
    """`body` with `name` standing for `value`."""

    name: str
    value: Expr
    body: Expr
    child_fields = ("value", "body")


@_node
class Call(Expr):
    """A call; `call_type` says what `name` is; `value_index` picks an element of a Tuple-valued Func.

    `target` is the Func's or image's definition where the call was made through the DSL, else None."""

    name: str
    args: tuple[Expr, ...]
    call_type: CallType
    value_index: int = field(default=0)
    target: Any = field(default=None)
    child_fields = ("args",)


def children(e: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions of `e`, in order."""
    return e._children


def with_children(e: Expr, new: tuple[Expr, ...]) -> Expr:
    """`e` with its direct sub-expressions replaced, in the order of `children`; `e` itself if none differ.

    The type is kept, so the replacements must have the types of what they replace."""
    old = children(e)
    assert len(old) == len(new)
    if all(map(operator.is_, old, new)):
        return e
    found: Expr = e._rebuilt(new)
    return found


def const(value: int | float | bool, type_: Type) -> Expr:
    """The constant `value` of `type_`; integers wrap, floats round; vectors broadcast."""
    if type(value) is int and (type_ is I32 or type_ is I64) and -(1 << 31) <= value < 1 << 31:
        return IntImm(type_, value)
    if type_.is_vector():
        return Broadcast(type_, const(value, type_.element_of()), type_.lanes)
    if type_.is_bfloat():
        return FloatImm(type_, round_bfloat(float(value)))
    if type_.is_float():
        return FloatImm(type_, round_float(float(value), type_.bits))
    if type_.is_bool():
        return UIntImm(type_, int(bool(value)))
    wrapped = type_.wrap(int(value))
    return IntImm(type_, wrapped) if type_.is_int() else UIntImm(type_, wrapped)


def round_float(value: float, bits: int) -> float:
    """`value` rounded to the nearest float of `bits` bits."""
    import numpy as np

    if bits == 64:
        return value
    with np.errstate(over="ignore"):
        return float(np.float16(value) if bits == 16 else np.float32(value))


def round_bfloat(value: float) -> float:
    """`value`, first rounded to a float32, rounded to the nearest bfloat16, ties to even."""
    import numpy as np

    with np.errstate(over="ignore"):
        bits = int(np.float32(value).view(np.uint32))
    if value != value:
        return value
    upper = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return float(np.uint32(upper).view(np.float32))


def const_value(e: Expr) -> int | float | None:
    """The value of a scalar or broadcast constant, or None."""
    while isinstance(e, Broadcast):
        e = e.value
    if isinstance(e, IntImm | UIntImm | FloatImm):
        return e.value
    return None


def intrinsic(name: str, type_: Type, *args: Expr) -> Call:
    """Call of the intrinsic `name`."""
    assert name in INTRINSICS, name
    return Call(type_, name, args, CallType.INTRINSIC)


def is_mathematics(e: Expr) -> bool:
    """Whether `e` is a call of one of `MATHEMATICS`."""
    return isinstance(e, Call) and e.call_type is CallType.INTRINSIC and e.name in MATHEMATICS


def make_bool(value: bool) -> UIntImm:
    """Scalar boolean constant."""
    return UIntImm(UInt(1), int(value))


BOOL = Bool()
I32 = Int(32)
I64 = Int(64)

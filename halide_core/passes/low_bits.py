"""Integer arithmetic in a type that has the bits which are kept of it.

    uint8((int32(a) - int32(b)) * w >> 8)   with a, b of uint8 and w of int32

keeps bits 8 to 15 of a product, which the product of the factors' lower 16 bits has too."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr, const, const_value, intrinsic
from halide_core.ir.operators import cast_to
from halide_core.ir.structural import cached
from halide_core.ir.types import Type, UInt

_LOGICAL = ("bitwise_and", "bitwise_or", "bitwise_xor")


class LowBits:
    """Makes such expressions of the unsigned type `t`.  `exact`: a part's own value in a type no wider than `t`, if it
    has one."""

    def __init__(self, t: Type, exact: Callable[[Expr], Expr | None]) -> None:
        self.type = t
        self.exact = exact
        # The nodes are kept, so that their ids stay theirs.
        self._built: dict[tuple[int, int], tuple[Expr, Expr | None]] = {}

    def of(self, e: Expr, count: int) -> Expr | None:
        """An expression with the same lowest `count` bits as `e`; None where that has to compute anything with data in
        a wider type."""
        number = (id(e), count)
        if number not in self._built:
            self._built[number] = (e, self._of(e, count))
        return self._built[number][1]

    def _of(self, e: Expr, count: int) -> Expr | None:
        t = self.type
        if count > t.bits:
            return None
        value = const_value(e)
        if value is not None:
            return const(int(value) & t.max(), t)
        if not has_data(e):
            return cast_to(t, e)
        found = self.exact(e)
        if found is not None:
            return cast_to(t, found)
        if isinstance(e, ir.Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
            if e.type.bits < count:
                return None
            return cast_to(t, e.value) if e.value.type.bits <= t.bits else self.of(e.value, count)
        return self._operation(e, count)

    def _operation(self, e: Expr, count: int) -> Expr | None:
        t = self.type
        if isinstance(e, ir.Add | ir.Sub | ir.Mul):
            a, b = self.of(e.a, count), self.of(e.b, count)
            return None if a is None or b is None else type(e)(t, a, b)
        if isinstance(e, ir.Select):
            yes, no = self.of(e.true_value, count), self.of(e.false_value, count)
            return None if yes is None or no is None else ir.Select(t, e.condition, yes, no)
        if not isinstance(e, Call) or e.call_type is not CallType.INTRINSIC or len(e.args) != 2:
            return None
        if e.name in _LOGICAL:
            a, b = (self.of(x, count) for x in e.args)
            return None if a is None or b is None else intrinsic(e.name, t, a, b)
        amount = const_value(e.args[1])
        if e.name not in ("shift_left", "shift_right") or amount is None or not 0 <= amount < t.bits:
            return None
        a = self.of(e.args[0], count + int(amount) if e.name == "shift_right" else count)
        return None if a is None else intrinsic(e.name, t, a, const(int(amount), UInt(t.bits)))


def has_data(e: Expr) -> bool:
    """Whether an expression is made of more than parameters and coordinates."""
    return cached(_WITH_DATA, e, _own_data)


_WITH_DATA: dict[int, bool] = {}


def _own_data(e: Expr, inner: list[bool]) -> bool:
    return isinstance(e, ir.Load) or (isinstance(e, Call) and e.call_type is not CallType.INTRINSIC) or any(inner)

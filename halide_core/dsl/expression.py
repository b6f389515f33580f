"""Expr as users see it: a constructor of expressions; and their evaluation."""

from __future__ import annotations

from typing import Any

from halide_core.dsl.definitions import Tuple
from halide_core.dsl.func import Func
from halide_core.ir import expr as ir
from halide_core.ir.operators import as_expr


class _ExprType(type):
    """Every node of the compiler's expressions is an instance."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, ir.Expr)

    def __call__(cls, value: Any = None) -> Any:
        """The expression of a number, a text or an object of the language."""
        if value is None:
            return UndefinedExpr()
        return as_expr(value)


class Expr(metaclass=_ExprType):
    """Expr(value): `value` as an expression.  Instances are the nodes of `halide_core.ir.expr`."""

    # What they have beside Python's operators.
    attributes = ("defined", "logical_not", "type")


class UndefinedExpr:
    """Expr(): no expression."""

    is_undefined = True

    def defined(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "<undefined halide.Expr>"


def evaluate(expr: Any) -> Any:
    """The value of an expression without free variables as a Python number, or a tuple of them for a Tuple."""
    f = Func("evaluate_func")
    f[()] = Tuple(expr) if isinstance(expr, tuple | list) else expr
    found = f.realize([])
    return tuple(b[()] for b in found) if isinstance(found, tuple) else found[()]


evaluate_may_gpu = evaluate

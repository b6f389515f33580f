"""Each operator has each of its meanings: in the interpreter, in compiled code, in the solver, in emitted text, and as
text for people."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hl
from codegen.printer import CppPrinter, PythonPrinter
from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, Expr, Variable, const, intrinsic
from halide_core.ir.structural import transform
from halide_core.ir.types import Float, Int, Type, UInt
from verifier.smt import Proved, Query, ValueEncoder, prove

F32 = Float(32)
NARROW = (Int(8), UInt(8), Int(16))
_WIDE = {"widening_add", "widening_sub", "widening_mul"}
_UNSIGNED = {"abs", "absd"}
_UNARY = {"bitwise_not", "abs", "popcount", "count_leading_zeros"}
_NO_VALUE = {"undef"}
"""Of which there is nothing to compare."""
_FLOATS = {*ir.MATHEMATICS, "strict_float", "likely", "multiply_add"}
_ARITHMETIC = (ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max)
_COMPARISONS = (ir.EQ, ir.NE, ir.LT, ir.LE, ir.GT, ir.GE)
_LOGIC = (ir.And, ir.Or)
_APART = {
    # Leaves, and what has a test of its own wherever it may stand.
    *("Variable", "ParamVariable", "IntImm", "UIntImm", "FloatImm", "StringImm", "Load", "Let", "Reinterpret"),
    *("Ramp", "Broadcast", "Shuffle", "VectorReduce"),
}


def _float_types(name: str) -> tuple[Type, ...]:
    return (F32,) if name == "erf" else (F32, Float(64))


def _result(name: str, t: Type) -> Type:
    if name in _WIDE:
        return Int(2 * t.bits) if name == "widening_sub" else type_of_bits(t, 2 * t.bits)
    return UInt(t.bits) if name in _UNSIGNED else t


def type_of_bits(t: Type, bits: int) -> Type:
    return Int(bits) if t.is_int() else UInt(bits)


def _of_intrinsic(name: str, t: Type) -> Expr:
    a, b = Variable(t, "a"), Variable(t, "b")
    if name == "pow" or name == "atan2":
        return intrinsic(name, t, a, b)
    if name == "multiply_add":
        return intrinsic(name, t, a, b, const(0.1, t))
    if t.is_float() or name in _UNARY or name == "likely":
        return intrinsic(name, _result(name, t), a)
    if name == "saturating_cast":
        return intrinsic(name, UInt(8) if t.is_int() else Int(8), a)
    if name == "mul_shift_right":
        return intrinsic(name, t, a, b, const(3, type_of_bits(UInt(8), t.bits)))
    return intrinsic(name, _result(name, t), a, b)


def _all() -> list[Expr]:
    found = [
        _of_intrinsic(name, t)
        for name in ir.INTRINSICS if name not in _NO_VALUE
        for t in (_float_types(name) if name in _FLOATS else NARROW)
    ]
    for t in NARROW:
        a, b = Variable(t, "a"), Variable(t, "b")
        found += [op(t, a, b) for op in _ARITHMETIC] + [op(BOOL, a, b) for op in _COMPARISONS]
        low, high = ir.LT(BOOL, a, b), ir.EQ(BOOL, a, const(3, t))
        found += [op(BOOL, low, high) for op in _LOGIC]
        found += [ir.Not(BOOL, low), ir.Select(t, low, a, b), ir.Cast(Int(32), a), ir.Cast(UInt(8), a)]
    return found


EXPRESSIONS = _all()


def _values(t: Type) -> np.ndarray:
    if t.is_float():
        return np.array([0.0, 0.5, 0.75, 1.0, -0.5, 2.5, 10.0], dtype_of(t))
    numbers = [t.min(), t.min() + 1, 0, 1, 2, 3, 7, t.bits - 1, t.bits, 100, t.max() - 1, t.max()]
    return np.array(sorted({v for v in numbers if t.min() <= v <= t.max()}), dtype_of(t))


def _pairs(t: Type) -> dict[str, np.ndarray]:
    a, b = np.meshgrid(_values(t), _values(t))
    return {"a": a.ravel(), "b": b.ravel()}


def _operand_type(e: Expr) -> Type:
    return next(n.type for n in _variables(e) if n.name == "a")


def _variables(e: Expr) -> list[Variable]:
    seen: list[Variable] = []
    transform(e, lambda n: seen.append(n) or n if isinstance(n, Variable) else n)
    return seen


def _computed(e: Expr) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(evaluate(e, _pairs(_operand_type(e)))).astype(dtype_of(e.type))


def test_all_nodes_are_here() -> None:
    nodes = [*ir.Expr.__subclasses__(), *(d for c in ir.Expr.__subclasses__() for d in c.__subclasses__())]
    names = {c.__name__ for c in nodes if not c.__name__.startswith("_")}
    assert names - {type(e).__name__ for e in EXPRESSIONS} - _APART == set()
    assert {e.name for e in EXPRESSIONS if isinstance(e, ir.Call)} == set(ir.INTRINSICS) - _NO_VALUE


@pytest.mark.few(8)
@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
def test_compiled_code_is_the_interpreter(e: Expr) -> None:
    values = _pairs(_operand_type(e))
    x = hl.Var("x")
    buffers = {n: hl.Buffer(v) for n, v in values.items()}
    f = hl.Func("f")
    f[x] = transform(e, lambda n: buffers[n.name][x] if isinstance(n, Variable) and n.name in buffers else n)
    found = np.array(f.realize([len(values["a"])]))
    expected = _computed(e)
    assert found.astype(expected.dtype).tobytes() == expected.tobytes()


@pytest.mark.parametrize("e", [e for e in EXPRESSIONS if not _operand_type(e).is_float()], ids=str)
def test_the_solver_knows_it(e: Expr) -> None:
    values, expected = _pairs(_operand_type(e)), _computed(e)
    for k in range(0, len(expected), 13):
        encoder = ValueEncoder()
        facts = [encoder.equal(v, const(values[v.name][k].item(), v.type)) for v in _variables(e)]
        goal = encoder.equal(e, const(expected[k].item(), e.type))
        assert isinstance(prove(Query(tuple(facts), goal), 10.0), Proved), (values["a"][k], values["b"][k])


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
def test_it_is_printed(e: Expr) -> None:
    assert str(e)
    for printer in (PythonPrinter(), CppPrinter()):
        assert "a" in printer.text(e)

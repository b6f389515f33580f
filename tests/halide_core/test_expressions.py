"""The interpreter, the simplifier and compiled code agree on random expressions."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from expressions import FLOATS, INTEGERS, edge_values, expressions, variables
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halide_core.backend.llvm_builder import FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_module import CompiledModule
from halide_core.backend.llvm_stmt import Names, StmtEmitter
from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir import expr as ir
from halide_core.ir import stmt
from halide_core.ir.expr import I32, I64, Expr, Variable, const
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import substitute
from halide_core.ir.types import Bool, Int, Type, UInt
from halide_core.passes.narrow import narrow
from halide_core.passes.vectorize import vectorize
from halide_core.target import Target

LANES = 16
TYPES = [*INTEGERS, *FLOATS, Bool()]


def inputs(seed: int) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return {v.name: rng.choice(edge_values(t), size=LANES * 2) for t in TYPES for v in variables(t)}


def compile_expressions(exprs: list[Expr], vector: bool) -> Any:
    """A function of (inputs..., outputs...) that stores each expression, in vectors or one by one."""
    i = Variable(I32, "i")
    index = ir.Cast(I64, i)
    loads = {v.name: ir.Load(t, v.name, index) for t in TYPES for v in variables(t)}
    body = stmt.block(*(stmt.Store(f"out{k}", substitute(e, loads), index) for k, e in enumerate(exprs)))
    kind = stmt.ForKind.VECTORIZED if vector else stmt.ForKind.SERIAL
    loop: stmt.Stmt = stmt.For("i", const(0, I32), const(LANES * 2, I32), kind, body)
    module = ModuleBuilder()
    arrays: dict[str, Type] = {v.name: t for t in TYPES for v in variables(t)}
    arrays |= {f"out{k}": e.type for k, e in enumerate(exprs)}
    names = Names({}, {}, {n: f"%p{k}" for k, n in enumerate(arrays)}, arrays, {n: k for k, n in enumerate(arrays)})
    b = FunctionBuilder(module)
    StmtEmitter(module, b, names, "test").emit(vectorize(loop, Target("host").has_masks))
    b.do("ret void")
    b.finish(f"define void @test({', '.join(f'ptr %p{k}' for k in range(len(arrays)))}) nounwind #0")
    return CompiledModule(module.text(), Target("host")).jit().function("test", None, *[ctypes.c_void_p] * len(arrays))


def same_bits(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Equal bits, any NaN equal to any other."""
    if a.dtype.kind == "f":
        bits = f"u{a.dtype.itemsize}"
        return (a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))
    return a == b


def check(exprs: list[Expr], seed: int, vector: bool) -> None:
    env = inputs(seed)
    outs = [np.zeros(LANES * 2, dtype=dtype_of(e.type)) for e in exprs]
    arrays = [env[v.name] for t in TYPES for v in variables(t)] + outs
    compile_expressions(exprs, vector)(*(a.ctypes.data for a in arrays))
    for e, out in zip(exprs, outs, strict=True):
        wanted = np.broadcast_to(evaluate(e, env), out.shape)
        wrong = np.flatnonzero(~same_bits(wanted.copy(), out))
        at = {n: a[wrong[0]] for n, a in env.items()} if wrong.size else {}
        assert not wrong.size, f"{e}: compiled {out[wrong[0]]}, interpreted {wanted[wrong[0]]} at {at}"


@st.composite
def batches(draw: Any) -> list[Expr]:
    return [draw(expressions(draw(st.sampled_from(TYPES)), 3)) for _ in range(12)]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(batches(), st.integers(0, 1000), st.booleans())
def test_compiled_code_agrees_with_the_interpreter(exprs: list[Expr], seed: int, vector: bool) -> None:
    check(exprs, seed, vector)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(batches(), st.integers(0, 1000))
def test_simplification_keeps_the_value(exprs: list[Expr], seed: int) -> None:
    env = inputs(seed)
    for e in exprs:
        s = simplify(e)
        assert s.type == e.type
        before, after = (np.broadcast_to(evaluate(x, env), LANES * 2).copy() for x in (e, s))
        assert same_bits(before, after).all(), f"{e} simplified to {s}"


@st.composite
def promoted(draw: Any) -> Expr:
    """Arithmetic of bytes and shorts in C's int, as lifted code has it."""

    def tree(depth: int) -> Expr:
        if depth == 0 or draw(st.integers(0, 7)) == 0:
            t = draw(st.sampled_from([Int(8), UInt(8), UInt(8), Int(16), UInt(16)]))
            constant = const(draw(st.integers(-20, 260)), I32)
            if draw(st.integers(0, 3)) == 0:
                return constant
            if draw(st.integers(0, 4)) == 0:
                return draw(st.sampled_from(variables(I32)))
            # Now and then arithmetic that wraps in the narrow type.
            narrow_value = draw(expressions(t, 1)) if draw(st.booleans()) else draw(st.sampled_from(variables(t)))
            return ir.Cast(I32, narrow_value)
        a, kind = tree(depth - 1), draw(st.integers(0, 8))
        if kind <= 4:
            node = draw(st.sampled_from([ir.Add, ir.Sub, ir.Mul, ir.Min, ir.Max]))
            return node(I32, a, tree(depth - 1))
        if kind == 5:
            return draw(st.sampled_from([ir.Div, ir.Mod]))(
                I32, a, const(draw(st.sampled_from([2, 3, 9, 255, 256])), I32)
            )
        if kind == 6:
            name = draw(
                st.sampled_from(
                    ["shift_right", "shift_right", "shift_left", "bitwise_and", "bitwise_xor", "div_round_to_zero"]
                )
            )
            return ir.intrinsic(name, I32, a, const(draw(st.integers(1, 12)), I32))
        if kind == 7:
            name = draw(st.sampled_from(["abs", "absd"]))
            args = (a,) if name == "abs" else (a, tree(depth - 1))
            return ir.Cast(I32, ir.intrinsic(name, UInt(32), *args))
        condition = draw(st.sampled_from([ir.LT, ir.EQ, ir.GE]))(Bool(), a, tree(depth - 1))
        return ir.Select(I32, condition, tree(depth - 1), a)

    e = tree(4)
    t = draw(st.sampled_from([UInt(8), Int(16), I32, UInt(16)]))
    return ir.intrinsic("saturating_cast", t, e) if draw(st.booleans()) else ir.Cast(t, e) if t != I32 else e


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(promoted(), st.integers(0, 1000))
def test_narrowing_keeps_the_value(e: Expr, seed: int) -> None:
    env = inputs(seed)
    # Those of 32 bits are parameters, of which the lower bits may be taken.
    loads = {v.name: ir.Load(t, v.name, const(0, I64)) for t in TYPES if t != I32 for v in variables(t)}
    narrowed = narrow(substitute(e, loads))
    assert narrowed.type == e.type
    got = np.broadcast_to(evaluate(narrowed, env, lambda name, index, t: env[name]), LANES * 2)
    wanted = np.broadcast_to(evaluate(e, env), got.shape)
    assert np.array_equal(got, wanted), f"{e} became {narrowed}"

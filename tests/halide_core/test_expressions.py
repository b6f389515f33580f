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
from halide_core.ir.types import Bool, Type
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


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
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

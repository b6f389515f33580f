"""Sums of coordinates are emitted once where control has passed them for certain, and again where it may not have."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from halide_core.backend.llvm_builder import FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_module import CompiledModule
from halide_core.backend.llvm_stmt import Names, StmtEmitter
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, I64, Expr, Variable, const
from halide_core.ir.named_calls import buffer_of
from halide_core.target import Target

N, K, ROW = Variable(I32, "n"), Variable(I32, "k"), Variable(I32, "row")
PRODUCT = N * 37


def store(index: int | Expr, value: Expr) -> st.Stmt:
    at = const(index, I64) if isinstance(index, int) else ir.Cast(I64, index)
    return st.Store("out", value, at)


def loop(name: str, extent: int, *body: st.Stmt) -> st.Stmt:
    return st.For(name, const(0, I32), const(extent, I32), st.ForKind.SERIAL, st.block(*body))


def emitted(s: st.Stmt) -> str:
    """LLVM's text before it is optimised."""
    module = ModuleBuilder()
    b = FunctionBuilder(module)
    names = Names({"n": "%n"}, {"n": I32}, {"out": "%out"}, {"out": I32}, {"out": 0})
    StmtEmitter(module, b, names, "test").emit(st.LetStmt("around", N + 1, s))
    b.do("ret void")
    b.finish("define void @test(ptr %out, i32 %n) nounwind #0")
    return module.text()


def compiled(s: st.Stmt) -> tuple[str, np.ndarray]:
    """That, and what is stored for n = 5."""
    out = np.zeros(16, dtype=np.int32)
    text = emitted(s)
    run = CompiledModule(text, Target("host")).jit().function("test", None, ctypes.c_void_p, ctypes.c_int32)
    run(out.ctypes.data, 5)
    return text, out


CASES = {
    "in one block after another": (st.block(store(0, PRODUCT), store(1, PRODUCT + 1)), 1, [185, 186]),
    "before a loop and in it": (
        st.block(store(0, PRODUCT), loop("row", 2, store(ROW + 1, PRODUCT + ROW))),
        1,
        [185, 185, 186],
    ),
    # A loop may run no iteration.
    "in a loop and after it": (
        st.block(loop("row", 2, store(ROW, PRODUCT)), store(2, PRODUCT + 2)),
        2,
        [185, 185, 187],
    ),
    "in both cases": (
        st.block(
            st.IfThenElse(ir.LT(BOOL, N, const(3, I32)), store(0, PRODUCT), store(1, PRODUCT + 1)),
            store(2, PRODUCT),
        ),
        3,
        [0, 186, 185],
    ),
    "in a value that names it": (st.LetStmt("k", PRODUCT, st.block(store(0, K + 1), store(1, PRODUCT))), 1, [186, 185]),
    # The inner k is another.
    "of a name that is used again": (
        st.LetStmt("k", N, st.block(store(0, K * 37), st.LetStmt("k", N + 1, store(1, K * 37)), store(2, K * 37))),
        2,
        [185, 222, 185],
    ),
    "of a loop of the same name": (
        st.LetStmt("row", N, st.block(store(0, ROW * 37), loop("row", 2, store(ROW + 1, ROW * 37)))),
        2,
        [185, 0, 37],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_products(case: str) -> None:
    s, count, wanted = CASES[case]
    text, out = compiled(s)
    assert text.count("mul i32") == count
    assert out[: len(wanted)].tolist() == wanted


def test_answers_of_a_query_that_is_asked_again() -> None:
    """Each query has answers of its own, though their names are the same."""
    nothing = ir.Call(I32, "undef", (), ir.CallType.INTRINSIC)
    buffer = buffer_of(nothing, (const(0, I32), const(4, I32), const(1, I32)))
    answer = Variable(I32, "query.0.max.0")
    asked = [st.ExternCall("f", "stage", (buffer,), "query", store(k, answer * 37)) for k in (0, 1)]
    assert emitted(st.block(*asked)).count(", 37") == 2

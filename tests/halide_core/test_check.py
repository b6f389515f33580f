"""Each rule of the IR checker, with a statement that breaks it and nothing else; what is printed between passes."""

from __future__ import annotations

import pytest

import halide_core as hl
from halide_core import lower as lowering
from halide_core.function import Function
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.check import (
    ACCUMULATED,
    ANSWERED,
    FLAT,
    SCHEDULED,
    UNROLLED,
    VECTORIZED,
    IllegalIR,
    check,
    streamed,
)
from halide_core.ir.expr import BOOL, I32, I64, CallType, Expr, StringImm, Variable, const, intrinsic
from halide_core.ir.named_calls import SCATTER_GATHER
from halide_core.ir.stmt import ForKind
from halide_core.ir.types import Bool, Float, Handle, Int, UInt
from halide_core.ir.well_typed import ALIGNED

U8, F32 = UInt(8), Float(32)
ZERO, ONE = const(0, I64), const(1, I64)
X, N = Variable(I32, "x"), Variable(I32, "n")
I = Variable(I64, "i")  # noqa: E741
ARRAYS = {"a": (U8,), "b": (F32,)}
FUNCS = {"f": (U8,), "t": (U8, F32)}
NAMES = {"x": I32, "n": I32, "i": I64, "p": BOOL}
FOUR = I64.with_lanes(4)
RAMP = ir.Ramp(FOUR, I, ONE, 4)


def store(value: Expr, index: Expr = I, name: str = "a", **more: object) -> st.Store:
    return st.Store(name, value, index, **more)  # type: ignore[arg-type]


def byte(value: int = 1) -> Expr:
    return const(value, U8)


def stored(e: Expr) -> st.Stmt:
    """`e` in a place where anything of its type may stand."""
    return st.LetStmt("v", e, st.Block(()))


def loop(kind: ForKind, body: st.Stmt, name: str = "k") -> st.Stmt:
    return st.For(name, const(0, I32), N, kind, body)


def call(
    name: str, type_: ir.Type = U8, kind: CallType = CallType.HALIDE, args: tuple[Expr, ...] = (X,), k: int = 0
) -> Expr:
    return ir.Call(type_, name, args, kind, k)


def query() -> Expr:
    return ir.Call(BOOL, "target_has_feature", (StringImm(Handle(), "avx2"),), CallType.EXTERN)


LOAD = ir.Load(U8, "a", I)
LEGAL = {
    "a store": (FLAT, store(LOAD)),
    "a store in an allocation": (FLAT, st.Allocate("c", U8, ONE, store(LOAD, name="c"))),
    "a tuple's stores": (FLAT, st.Stores((store(LOAD), store(const(1.0, F32), name="b")))),
    "a loop's variable": (UNROLLED, loop(ForKind.VECTORIZED, store(LOAD, ir.Cast(I64, Variable(I32, "k"))))),
    "one name in two loops": (
        VECTORIZED,
        st.Block((loop(ForKind.SERIAL, store(LOAD)), loop(ForKind.SERIAL, store(LOAD)))),
    ),
    "a let": (FLAT, st.LetStmt("v", LOAD, store(Variable(U8, "v")))),
    "a Let": (FLAT, store(ir.Let(U8, "v", LOAD, Variable(U8, "v")))),
    "a Provide": (SCHEDULED, st.Provide("t", (byte(), const(1.0, F32)), (X,))),
    "a Realize": (ANSWERED, st.Realize("g", (U8,), ((X, N),), st.Provide("g", (byte(),), (X,)))),
    "a question": (SCHEDULED, stored(query())),
    "vectors": (ACCUMULATED, store(ir.Load(U8.with_lanes(4), "a", RAMP), RAMP)),
    "masks": (VECTORIZED, store(const(1, U8.with_lanes(4)), RAMP, predicate=const(True, Bool(4)))),
    "a streaming store": (streamed(VECTORIZED), store(const(1, U8.with_lanes(4)), RAMP, streaming=True)),
}
ILLEGAL = {
    # names
    "unbound": (FLAT, store(Variable(U8, "v")), "Variable v is not bound"),
    "bound otherwise": (FLAT, store(Variable(U8, "x")), "Variable x of uint8 is bound as int32"),
    "Let bound otherwise": (FLAT, store(ir.Let(U8, "v", X, Variable(U8, "v"))), "Variable v is bound as int32"),
    "outside its let": (FLAT, st.Block((stored(X), store(ir.Cast(U8, Variable(I32, "v"))))), "Variable v is not bound"),
    "outside its Let": (
        FLAT,
        store(ir.Add(U8, ir.Let(U8, "v", LOAD, Variable(U8, "v")), Variable(U8, "v"))),
        "Variable v is not bound",
    ),
    "bound twice": (FLAT, loop(ForKind.SERIAL, loop(ForKind.SERIAL, store(LOAD))), "k is bound already"),
    "a let over a parameter": (FLAT, st.LetStmt("n", X, store(LOAD)), "n is bound already"),
    # storage
    "a store to nothing": (FLAT, store(byte(), name="c"), "a store to c, which is neither allocated here nor"),
    "a load of nothing": (FLAT, store(ir.Load(U8, "c", I)), "a Load of c, which is neither allocated here nor"),
    "a load outside": (
        FLAT,
        st.Block((st.Allocate("c", U8, ONE, store(LOAD)), store(ir.Load(U8, "c", I)))),
        "a Load of c, which is neither",
    ),
    "a store of another type": (FLAT, store(X), "a store of int32 to an array of uint8"),
    "a load of another type": (
        FLAT,
        store(ir.Cast(U8, ir.Load(I32, "a", I))),
        "a Load of int32 from an array of uint8",
    ),
    "a narrow index": (FLAT, store(byte(), X), "a store of uint8 at an index of type int32"),
    "a load at a narrow index": (FLAT, store(ir.Load(U8, "a", X)), "a load of uint8 at an index of int32"),
    "allocated twice": (FLAT, st.Allocate("a", U8, ONE, store(LOAD)), "a has storage already"),
    "a narrow size": (FLAT, st.Allocate("c", U8, N, store(LOAD)), "a size that is not int64"),
    "one store together": (FLAT, st.Stores((store(LOAD),)), "1 stores together"),
    # levels
    "a Store too early": (SCHEDULED, store(byte()), "Store before storage becomes flat"),
    "a Load too early": (SCHEDULED, stored(LOAD), "a Load of a before storage becomes flat"),
    "an Allocate too early": (
        ANSWERED,
        st.Allocate("c", U8, ONE, st.Block(())),
        "Allocate before storage becomes flat",
    ),
    "a Provide too late": (FLAT, st.Provide("f", (byte(),), (X,)), "Provide after storage became flat"),
    "a Realize too late": (FLAT, st.Realize("g", (U8,), ((X, N),), st.Block(())), "Realize after storage became flat"),
    "a call too late": (FLAT, store(call("f")), "a call of f after storage became flat"),
    "an image too late": (FLAT, store(call("f", kind=CallType.IMAGE)), "a call of f after storage became flat"),
    "scatter too late": (
        FLAT,
        store(ir.Call(U8, SCATTER_GATHER, (byte(), byte()), CallType.EXTERN)),
        "scatter or gather after storage became flat",
    ),
    "a question too late": (ANSWERED, stored(query()), "target_has_feature after questions about the target were"),
    "unrolled too late": (UNROLLED, loop(ForKind.UNROLLED, store(LOAD)), "a loop of kind unrolled after such loops"),
    "vectorized too late": (VECTORIZED, loop(ForKind.VECTORIZED, store(LOAD)), "a loop of kind vectorized after such"),
    "vectors too early": (
        UNROLLED,
        store(const(1, U8.with_lanes(4)), RAMP),
        "a value of several lanes before loops are",
    ),
    "streaming too early": (VECTORIZED, store(byte(), streaming=True), "a streaming store before stores may be"),
    "streaming under a mask": (
        streamed(VECTORIZED),
        store(byte(), streaming=True, predicate=Variable(BOOL, "p")),
        "a streaming store under a predicate",
    ),
    "alignment too early": (
        VECTORIZED,
        stored(ir.Call(BOOL, ALIGNED, (LOAD,), CallType.INTRINSIC)),
        "a question about an address before stores may be streaming",
    ),
    # Funcs
    "a Provide of nothing": (SCHEDULED, st.Provide("g", (byte(),), (X,)), "a Provide of g, which is neither realized"),
    "a Provide of too little": (
        SCHEDULED,
        st.Provide("t", (byte(),), (X,)),
        "types uint8 where t holds uint8, float32",
    ),
    "a wide coordinate": (SCHEDULED, st.Provide("f", (byte(),), (I,)), "a coordinate i of type int64"),
    "a call at a wide coordinate": (SCHEDULED, stored(call("f", args=(I,))), "a coordinate of type int64"),
    "a call of nothing": (SCHEDULED, stored(call("g")), "a call of value 0 of g with type uint8, which is not stored"),
    "a call of another type": (SCHEDULED, stored(call("t", k=1)), "a call of value 1 of t with type uint8"),
    "wide bounds": (SCHEDULED, st.Realize("g", (U8,), ((I, N),), st.Block(())), "bounds that are not int32"),
    "an order of storage": (
        SCHEDULED,
        st.Realize("g", (U8,), ((X, N),), st.Block(()), (1,)),
        "an order of storage (1,) that is no permutation",
    ),
    # types of statements
    "a wide loop": (FLAT, st.For("k", I, N, ForKind.SERIAL, store(LOAD)), "a loop whose min and extent are not int32"),
    "an integer condition": (FLAT, st.IfThenElse(X, store(LOAD)), "a condition of type int32"),
    "a mask of other lanes": (
        VECTORIZED,
        store(const(1, U8.with_lanes(4)), RAMP, predicate=const(True, Bool(8))),
        "a store of uint8x4 under a predicate of type boolx8",
    ),
    "a vector at one index": (
        VECTORIZED,
        store(const(1, U8.with_lanes(4))),
        "a store of uint8x4 at an index of type int64",
    ),
    # types of expressions
    "operands": (FLAT, stored(ir.Add(I32, X, I)), "operands of types int32 and int64"),
    "a result": (FLAT, stored(ir.Add(I64, X, X)), "operands of int32 for a result of int64"),
    "a comparison": (FLAT, stored(ir.LT(I32, X, N)), "a comparison of type int32"),
    "compared types": (FLAT, stored(ir.LT(BOOL, X, I)), "operands of types int32 and int64"),
    "an and": (FLAT, stored(ir.And(I32, X, N)), "a logical operation of type int32"),
    "a not": (FLAT, stored(ir.Not(I32, X)), "not of int32 as int32"),
    "a select's condition": (FLAT, stored(ir.Select(I32, X, X, N)), "a condition of int32 for values of int32"),
    "a select's values": (FLAT, stored(ir.Select(I32, Variable(BOOL, "p"), X, I)), "operands of types int32 and int64"),
    "a let's body": (FLAT, stored(ir.Let(I64, "v", X, Variable(I32, "v"))), "a let of int64 around int32"),
    "a constant's range": (FLAT, store(ir.UIntImm(U8, 256)), "the constant 256 is none of uint8"),
    "a constant's sign": (FLAT, store(ir.IntImm(U8, 1)), "the constant 1 is none of uint8"),
    "a float constant": (FLAT, stored(ir.FloatImm(I32, 1.0)), "a float constant of type int32"),
    "a cast's lanes": (VECTORIZED, stored(ir.Cast(I32, RAMP)), "a cast of int64x4 to int32"),
    "reinterpret": (FLAT, stored(ir.Reinterpret(I64, X)), "int32 reinterpreted as int64"),
    "a ramp's stride": (VECTORIZED, stored(ir.Ramp(FOUR, I, X, 4)), "a ramp of int64 by int32 as int64x4"),
    "a ramp's lanes": (VECTORIZED, stored(ir.Ramp(FOUR, I, ONE, 8)), "a ramp of int64 by int64 as int64x4"),
    "a broadcast": (VECTORIZED, stored(ir.Broadcast(FOUR, X, 4)), "int32 broadcast to int64x4"),
    "mixed lanes": (VECTORIZED, stored(ir.Add(FOUR, RAMP, I)), "operands of types int64x4 and int64"),
    "a load's mask": (
        VECTORIZED,
        stored(ir.Load(U8.with_lanes(4), "a", RAMP, Variable(BOOL, "p"))),
        "a load of uint8x4 under another number of lanes",
    ),
    "a shuffle's lanes": (
        VECTORIZED,
        stored(ir.Shuffle(FOUR, (RAMP,), (0, 1))),
        "a shuffle of other elements or lanes",
    ),
    "a shuffle beyond": (VECTORIZED, stored(ir.Shuffle(FOUR, (RAMP,), (0, 1, 2, 4))), "lanes that do not exist"),
    "a reduction's type": (VECTORIZED, stored(ir.VectorReduce(I32, "add", RAMP)), "int64x4 reduced to int32"),
    "a reduction's lanes": (VECTORIZED, stored(ir.VectorReduce(Int(64, 3), "add", RAMP)), "int64x4 reduced to int64x3"),
    "an intrinsic": (FLAT, stored(ir.Call(I32, "no_such", (X,), CallType.INTRINSIC)), "there is no intrinsic no_such"),
    "an intrinsic's operands": (
        FLAT,
        stored(intrinsic("bitwise_and", I32, X, I)),
        "bitwise_and of int32, int64 as int32",
    ),
    "an intrinsic's lanes": (
        VECTORIZED,
        stored(intrinsic("absd", UInt(64, 4), RAMP, I)),
        "operands with different lanes",
    ),
}


@pytest.mark.parametrize("case", LEGAL)
def test_legal(case: str) -> None:
    level, s = LEGAL[case]
    check(s, level, FUNCS if level.multi_dimensional else ARRAYS, NAMES)


@pytest.mark.parametrize("case", ILLEGAL)
def test_illegal(case: str) -> None:
    level, s, message = ILLEGAL[case]
    with pytest.raises(IllegalIR) as found:
        check(s, level, FUNCS if level.multi_dimensional else ARRAYS, NAMES)
    assert message in str(found.value)


def test_message_names_the_place() -> None:
    s = st.Produce("f", loop(ForKind.SERIAL, store(byte(), name="c")))
    with pytest.raises(IllegalIR) as found:
        check(s, FLAT, ARRAYS, NAMES)
    assert str(found.value).startswith("produce f / for k / store c / a store to c")


def _blur() -> Function:
    x = hl.Var("x")
    f = hl.Func("shown")
    f[x] = hl.u8(x) + hl.u8(1)
    f.vectorize(x, 8)
    return f._function


def test_a_wrong_pass_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_CHECK_IR", "1")
    monkeypatch.setattr(lowering, "unroll", lambda s: st.LetStmt("v", Variable(I32, "w"), s))
    with pytest.raises(IllegalIR, match="After unroll: let v / Variable w is not bound"):
        lowering.lower([_blur()], hl.Target("host"))
    monkeypatch.setenv("HL_CHECK_IR", "0")
    lowering.lower([_blur()], hl.Target("host"))


def test_the_tests_run_checked() -> None:
    import os

    assert os.environ["HL_CHECK_IR"] == "1"


def test_passes_are_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("HL_DEBUG_CODEGEN", "1")
    s = lowering.lower([_blur()], hl.Target("host")).stmt
    out, err = capsys.readouterr()
    assert out == ""
    parts = [p.partition(":") for p in err.split("After ")[1:]]
    names = [name for name, _, _ in parts]
    assert names == [
        "schedule_functions", "answer_target_queries", "whole_blocks", "bound_extents", "flatten", "substitute_lets",
        "narrow", "regroup_sums", "unroll", "accumulate", "vectorize", "scalar_loops", "hoist_conditions",
        "whole_tiles", "partition", "unroll_transposes", "group_stores", "loop_invariants", "common_subexpressions",
        "share_gathers",
    ]  # fmt: skip
    texts = {name: text for name, _, text in parts}
    assert texts["answer_target_queries"].strip() == "unchanged"
    assert "vectorized shown.s0.x$v in" in texts["schedule_functions"] and "shown(" in texts["schedule_functions"]
    assert "shown[" in texts["flatten"]
    assert texts["unroll"].strip() == "unchanged"
    assert "ramp(" in texts["vectorize"]
    last = [t for t in texts.values() if t.strip() != "unchanged"][-1]
    assert last.strip() == str(s)
    monkeypatch.setenv("HL_DEBUG_CODEGEN", "0")
    lowering.lower([_blur()], hl.Target("host"))
    assert capsys.readouterr().err == ""

"""Functions of floats as functions of the module, one for each type and number of lanes.

    sin of 8 lanes:  define internal <8 x float> @hl.sin.f32.8(<8 x float> %x)

Arguments for which the usual arithmetic is wrong are looked for in all lanes; a vector that has some takes a branch."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import llvm_type
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, Variable
from halide_core.ir.types import Bool, Type
from halide_core.mathematics import MathFunction, function_of

Emit = Callable[[Expr], str]
Emitters = Callable[[FunctionBuilder, dict[str, str]], Emit]
"""From a function and the operands of its parameters to what emits expressions of these into it."""
_PARAMETERS = ("x", "y")


def call(b: FunctionBuilder, e: ir.Call, args: list[str], emitters: Emitters) -> str:
    """The value of `e`, a call of one of the functions of `halide_core.mathematics`."""
    text = llvm_type(e.type)
    symbol = f"hl.{e.name}.f{e.type.bits}.{e.type.lanes}"
    if b.module.begin(symbol):
        _define(b, symbol, function_of(e.name, e.type, b.module.fuses), e.type, emitters)
    return b.emit(f"call {text} @{symbol}({', '.join(f'{text} {a}' for a in args)})")


def _define(b: FunctionBuilder, symbol: str, function: MathFunction, t: Type, emitters: Emitters) -> None:
    text = llvm_type(t)
    names = _PARAMETERS[: function.arity]
    variables = [Variable(t, n) for n in names]
    given = ", ".join(f"{text} %{n}" for n in names)
    f = FunctionBuilder(b.module)
    emit = emitters(f, {n: f"%{n}" for n in names})
    result = emit(function.usual(*variables))
    if function.rare is not None and function.is_rare is not None:
        lanes = emit(function.is_rare(*variables))
        kinds = llvm_type(Bool(t.lanes))
        some = lanes if t.is_scalar() else f.intrinsic("vector.reduce.or", Bool(t.lanes), [f"{kinds} {lanes}"], Bool())
        none = f.emit(f"xor i1 {some}, true")
        usual, rare, done = f.block if f.block != "entry" else "body", f.label("rare"), f.label("done")
        f.branch_if(none, done, rare, likely=True)
        f.start(rare)
        other = f.emit(f"call {text} @{symbol}.rare({given})")
        mixed = f.emit(f"select {kinds} {lanes}, {text} {other}, {text} {result}")
        f.branch(done)
        f.start(done)
        result = f.emit(f"phi {text} [ {result}, %{usual} ], [ {mixed}, %{rare} ]")
        g = FunctionBuilder(b.module)
        g.do(f"ret {text} {emitters(g, {n: f'%{n}' for n in names})(function.rare(*variables))}")
        where = "cold noinline" if b.module.outlines else "alwaysinline"
        g.finish(f"define internal {text} @{symbol}.rare({given}) {where} nounwind memory(none) #0")
    f.do(f"ret {text} {result}")
    inline = "" if b.module.outlines else "alwaysinline "
    header = f"define internal {text} @{symbol}({given}) {inline}nounwind memory(none) #0"
    if b.module.outlines:
        b.module.short[f"@{symbol}"] = header, f.size()
    f.finish(header)

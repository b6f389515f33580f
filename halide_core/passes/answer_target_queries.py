"""Questions about the target become constants.

    f[x] = select(target_has_feature("avx2"), a, b)

becomes, for a target with AVX2, f[x] = select(true, a, b)."""

from __future__ import annotations

from halide_core.ir import stmt as st
from halide_core.ir.expr import Call, Expr, StringImm, const
from halide_core.ir.named_calls import is_target_query
from halide_core.ir.structural import nodes, transform
from halide_core.ir.types import UInt
from halide_core.target import Target


def answer_target_queries(s: st.Stmt, target: Target) -> st.Stmt:
    """`s` without calls that ask about `target`; the same object back when there are none."""
    if not any(is_target_query(n) for x in st.walk(s) for e in st.expressions(x) for n in nodes(e, Call)):
        return s
    return st.map_expressions(s, lambda e: transform(e, lambda n: _answer(n, target)))


def _answer(e: Expr, target: Target) -> Expr:
    if not is_target_query(e):
        return e
    assert isinstance(e, Call) and isinstance(e.args[0], StringImm)
    text = e.args[0].value
    match e.name:
        case "target_arch_is":
            value = int(target.arch.value == text)
        case "target_os_is":
            value = int(target.os.value == text)
        case "target_has_feature":
            value = int(target.has_feature(text))
        case "target_bits":
            value = target.bits
        case _:
            value = target.natural_vector_size(UInt(8 * int(text)))
    return const(value, e.type)

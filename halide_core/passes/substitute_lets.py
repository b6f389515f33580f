"""Let statements substituted into their bodies, and the index arithmetic simplified."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, const_value
from halide_core.ir.simplify import simplify_index, simplify_with_indices
from halide_core.ir.structural import key, substitute, variables
from halide_core.ir.sums import is_coordinate, linear_terms

_FEW = 6
# Values of lets around a statement, by key: (name of the let, variables of the value).
_Known = dict[int, tuple[str, frozenset[str]]]


def substitute_lets(s: st.Stmt, keep: frozenset[str] = frozenset()) -> st.Stmt:
    """`s` with every LetStmt substituted but those that hold something costly or named in `keep`.

    So are the variables of loops that run once.  Of several lets that hold the same, the outermost is left."""
    return _visit(s, {}, {}, keep, frozenset())


def _is_cheap(e: Expr) -> bool:
    return isinstance(e, ir.Variable | ir.IntImm | ir.UIntImm)


def _is_place(name: str) -> bool:
    return ".min." in name or name.endswith(".offset")


def _is_simple_place(e: Expr, lanes: frozenset[str]) -> bool:
    """Whether `e` says in few variables where something starts: as such it cancels in indices.  What depends on the
    variables `lanes` of vectorized loops should in any case: a coordinate may be clamped in few vectors only."""
    if not lanes.isdisjoint(variables(e)) and is_coordinate(e):
        return True
    terms, _ = linear_terms(e)
    return len(terms) <= _FEW and all(
        isinstance(t.value if isinstance(t, ir.Cast) else t, ir.Variable) for t, _ in terms.values()
    )


def _visit(s: st.Stmt, env: dict[str, Expr], known: _Known, keep: frozenset[str], lanes: frozenset[str]) -> st.Stmt:
    """`lanes`: the variables of vectorized loops around."""
    if isinstance(s, st.LetStmt):
        value = simplify_index(substitute(s.value, env))
        if s.name not in keep:
            simple = _is_place(s.name) and _is_simple_place(value, lanes)
            if s.name.endswith("$") or _is_cheap(value) or simple:
                return _visit(s.body, {**env, s.name: value}, known, keep, lanes)
            same = known.get(key(value)) if is_coordinate(value) else None
            if same is not None and same[0] != s.name:
                return _visit(s.body, {**env, s.name: ir.Variable(value.type, same[0])}, known, keep, lanes)
        inner = {k: v for k, v in env.items() if k != s.name}
        known = {**_without(known, s.name), key(value): (s.name, variables(value))}
        return st.LetStmt(s.name, value, _visit(s.body, inner, known, keep, lanes))

    def expression(e: Expr) -> Expr:
        names = variables(e)
        used = {k: v for k, v in env.items() if k in names}
        return simplify_with_indices(substitute(e, used))

    match s:
        case st.For():
            low, extent = simplify_index(expression(s.min)), simplify_index(expression(s.extent))
            # A loop on a device stays one, whatever its extent: it says what runs there.
            once = const_value(extent) == 1 and s.kind is not st.ForKind.VECTORIZED and s.kind not in st.GPU_KINDS
            if once and s.name not in keep and (_is_cheap(low) or _is_simple_place(low, lanes)):
                return _visit(s.body, {**env, s.name: low}, known, keep, lanes)
            inner = {k: v for k, v in env.items() if k != s.name}
            vectors = frozenset({s.name} if s.kind is st.ForKind.VECTORIZED else ())
            body = _visit(s.body, inner, _without(known, s.name), keep, lanes | vectors)
            return st.For(s.name, low, extent, s.kind, body)
        case st.Store():
            predicate = None if s.predicate is None else expression(s.predicate)
            return st.Store(s.name, expression(s.value), simplify_index(expression(s.index)), predicate)
    return st.rebuild(s, lambda x: _visit(x, env, known, keep, lanes), expression)


def _without(known: _Known, name: str) -> _Known:
    """`known` where `name` stands for something new."""
    return {k: v for k, v in known.items() if v[0] != name and name not in v[1]}

"""Statements as text, one construct a line."""

from __future__ import annotations

from halide_core.ir import stmt as st


def to_text(s: st.Stmt) -> str:
    """`s` indented by two spaces a level."""
    lines: list[str] = []
    _write(s, "", lines)
    return "\n".join(lines)


def _write(s: st.Stmt, indent: str, lines: list[str]) -> None:
    inner = indent + "  "
    match s:
        case st.Block():
            for x in s.stmts:
                _write(x, indent, lines)
        case st.LetStmt():
            lines.append(f"{indent}let {s.name} = {s.value}")
            _write(s.body, indent, lines)
        case st.For():
            where = " at edges" if s.at_edges else ""
            lines.append(f"{indent}{s.kind.value} {s.name} in [{s.min}, +{s.extent}){where}:")
            _write(s.body, inner, lines)
        case st.IfThenElse():
            lines.append(f"{indent}if {s.condition}:")
            _write(s.then_case, inner, lines)
            if s.else_case is not None:
                lines.append(f"{indent}else:")
                _write(s.else_case, inner, lines)
        case st.Provide():
            values = ", ".join(map(str, s.values))
            lines.append(f"{indent}{s.name}({', '.join(map(str, s.args))}) = {values}")
        case st.Store():
            condition = "" if s.predicate is None else f" if {s.predicate}"
            how = "stream " if s.streaming else ""
            lines.append(f"{indent}{how}{s.name}[{s.index}] = {s.value}{condition}")
        case st.Stores():
            lines.append(f"{indent}together:")
            for x in s.stores:
                _write(x, inner, lines)
        case st.Realize():
            box = ", ".join(f"[{a}, +{b})" for a, b in s.bounds)
            lines.append(f"{indent}realize {s.name}({box}):")
            _write(s.body, inner, lines)
        case st.Allocate():
            lines.append(f"{indent}allocate {s.name}[{s.type} * {s.size}]")
            _write(s.body, indent, lines)
        case st.ExternCall():
            what = "extern" if s.body is None else f"query {s.prefix} ="
            lines.append(f"{indent}{what} {s.symbol}({', '.join(map(str, s.args))})")
            if s.body is not None:
                _write(s.body, indent, lines)
        case st.Evaluate():
            lines.append(f"{indent}{s.value}")
        case st.Produce():
            lines.append(f"{indent}produce {s.name}:")
            _write(s.body, inner, lines)

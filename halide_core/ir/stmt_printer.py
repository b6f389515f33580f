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
            where = "" if s.memory is st.MemoryType.Auto else f" in {s.memory.value}"
            lines.append(f"{indent}allocate {s.name}[{s.type} * {s.size}]{where}")
            _write(s.body, indent, lines)
        case st.ExternCall():
            what = "extern" if s.body is None else f"query {s.prefix} ="
            lines.append(f"{indent}{what} {s.symbol}({', '.join(map(str, s.args))})")
            if s.body is not None:
                _write(s.body, indent, lines)
        case st.OnDevice():
            dims = ", ".join(f"{a} by {b}" for a, b in s.dims)
            notes = [n for n, on in (("dirty", s.dirty), ("back", s.back), ("on host", s.on_host)) if on]
            lines.append(f"{indent}on device {s.name}[{dims}] {', '.join(notes)}".rstrip())
            _write(s.body, indent, lines)
        case st.HostAccess():
            lines.append(f"{indent}host {'stores to' if s.stores else 'loads'} {s.name}")
        case st.Launch():
            sizes = ["*".join(map(str, t)) for t in (s.blocks, s.threads)]
            given = ", ".join([*(f"{n}{'!' * (n in s.written)}" for n in s.arrays), *map(str, s.scalars)])
            lines.append(f"{indent}launch {s.kernel}<{sizes[0]}, {sizes[1]}, {s.shared}>({given})")
        case st.Evaluate():
            lines.append(f"{indent}{s.value}")
        case st.Produce():
            lines.append(f"{indent}produce {s.name}:")
            _write(s.body, inner, lines)

"""Functions with parameters of class type: the C++ that takes the arguments apart and calls the lifted function.

An adapter has the original's own parameters, and its symbol once the object file's symbols are renamed.  It lies in the
original's translation unit, where the classes are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from codegen import internal, measured, object_reads, returned_objects, row_tables
from codegen.flat_arguments import (
    adapter_symbol,
    declarable,
    extents,
    flat,
    flat_result,
    flat_symbol,
    given_by_callers,
    include,
    interface,
    missed_symbol,
    nameable,
    without_macros,
)
from codegen.original import is_c
from lifter.ir.loop_ir import Argument, Container, Function, Interface, Param
from lifter.ir.summary import Summary


def adapters(source: str, summaries: Sequence[Summary]) -> str:
    """The original's translation unit with an adapter for each function."""
    c = is_c(source)
    parts = [include(source), *without_macros([s.function for s in summaries]), *measured.helpers(summaries)]
    parts += [_Adapter(s, interface(s.function), number, c).text() for number, s in enumerate(summaries)]
    return "\n".join(parts) if c else nameable("\n".join(parts))


def _original_symbol(function: Function) -> str:
    """The original, before the object file's symbols are renamed: of one that only its file sees, after the text's."""
    return function.symbol + internal.FALLBACK_SUFFIX if internal.is_replaced(function) else function.symbol


@dataclass
class _Adapter:
    summary: Summary
    call: Interface
    number: int
    c: bool
    after: list[str] = field(default_factory=list)
    """Statements behind the call of the lifted function."""

    def __post_init__(self) -> None:
        function = self.summary.function
        self.params = {p.name: p for p in function.params}
        self.given = {p.name: f"p{k}" for k, p in enumerate(function.params)}
        self.flat_returns = flat_result(self.call)
        # As C has them, functions are visible whatever namespace the types of their parameters are in.
        self.linkage = "" if self.c else 'extern "C" '
        self.result = declarable(self.call.result, self.c)
        self.reads = object_reads.Reads(function, self.call, self.given, self.number)

    def text(self) -> str:
        head = f"lift_adapter_{self.number}"
        types = ", ".join(a.type for a in given_by_callers(self.call))
        declared = ", ".join(f"{declarable(a.type, self.c)} lift_{a.name}" for a in given_by_callers(self.call))
        lines = [
            *self.reads.of_statics(),
            *self.called(types),
            f'{self.linkage}{self.result} {head}({types}) __asm__("{adapter_symbol(self.summary.function)}");',
            f"{self.linkage}{self.result} {head}({declared}) {{",
            "    bool missed = false;",
            *self.taken(),
            *self.calls(),
            "}",
            "",
        ]
        return "\n".join(lines)

    def called(self, types: str) -> list[str]:
        """The original, the lifted function, and what this calls where its contract does not hold."""
        function, returns, number = self.summary.function, self.flat_returns, self.number
        given = flat(function)
        unnamed = ", ".join([*(f"{t} p{k}" for k, t in enumerate(given)), "bool *missed"])  # C wants names
        return [
            f'{self.linkage}{self.result} lift_original_{number}({types}) __asm__("{_original_symbol(function)}");',
            f'{self.linkage}{returns} lift_flat_{number}({", ".join([*given, "bool *"])}) '
            f'__asm__("{flat_symbol(function)}");',
            f'{self.linkage}{returns} lift_missed_{number}({", ".join([*given, "bool *missed"])}) '
            f'__asm__("{missed_symbol(function)}");',
            f"{self.linkage}{returns} lift_missed_{number}({unnamed}) {{",
            "    *missed = true;",
            f"    return ({returns})0;" if returns != "void" else "    return;",
            "}",
        ]

    def taken(self) -> list[str]:
        """The flat parameters, read from the arguments."""
        lines = []
        for a in self.call.arguments:
            if a.container:
                lines += _container(a, self.params, self.given, self.after)
        lines += self.reads.of_arguments()
        self.after += self.reads.of_moved()
        lines += _apart(self.call)
        for a, part in self.reads.parts():
            if part.kind == row_tables.FIRST:
                table = self.reads.where_reached(a, part, "(void *)0")
                lines += row_tables.gather(self.summary, part.param, table, self.given)
        return [*lines, *measured.measure(self.summary, self.given)]

    def calls(self) -> list[str]:
        """The call of the lifted function, and of the original where that says that it is not for it."""
        call, returns = self.call, self.result
        flat_call = f"lift_flat_{self.number}({', '.join([*self.given.values(), '&missed'])})"
        original = f"lift_original_{self.number}({', '.join(_passed(a, self.c) for a in given_by_callers(call))})"
        checking = ("size", "distance", *row_tables.KINDS)
        checked = any(p.kind in checking for a in call.arguments for p in a.parts)
        checked = checked or bool(self.summary.function.measured)
        made = call.container is not None or call.pointer is not None or bool(call.record)
        if not (self.after or made or checked):
            if returns == "void":
                return [f"    {flat_call};", f"    if (missed) {original};"]
            return [f"    {returns} result = {flat_call};", f"    return missed ? {original} : result;"]
        again = f"{original}; return;" if returns == "void" else f"return {original};"
        lines = [f"    if (missed) {{ {again} }}"]
        if call.container is not None:
            lines += _result(self.summary.function, call.container, returns, self.given, again)
        lines += returned_objects.memory(call, self.given, self.c)
        valued, name = self.flat_returns != "void", "distance" if call.pointer is not None else "result"
        lines.append(f"    {self.flat_returns} {name} = {flat_call};" if valued else f"    {flat_call};")
        lines += [f"    if (missed) {{ {again} }}", *self.after]
        lines += _returned(call.container, returns) if call.container is not None else []
        lines += returned_objects.put_together(call, self.given, self.c)
        return [*lines, "    return result;"] if returns != "void" else lines


def _container(a: Argument, params: dict[str, Param], given: dict[str, str], after: list[str]) -> list[str]:
    """A container's memory and sizes; a vector of vectors is copied, and `after` copies it back."""
    whole = f"lift_{a.name}"
    data = a.parts[0]
    if data.kind == "data":
        lines = [f"    void *{given[data.param]} = (void *){whole}.data();"]
        for part in a.parts[1:]:
            lines += [f"    int32_t {given[part.param]} = (int32_t){whole}.size();"]
            lines += [f"    missed |= {whole}.size() > INT32_MAX;"]
        return lines
    _, count, length = a.parts
    store = f"rows_{a.name}"
    rows, columns = given[count.param], given[length.param]
    lines = [
        f"    missed |= {whole}.size() > INT32_MAX || (!{whole}.empty() && {whole}[0].size() > INT32_MAX);",
        f"    int32_t {rows} = (int32_t){whole}.size(), {columns} = {whole}.empty() ? 0 : (int32_t){whole}[0].size();",
        f"    for (const auto &row : {whole}) missed |= row.size() != (size_t){columns};",
        f"    std::vector<std::remove_cv_t<{data.expression}>> {store};",
        f"    if (!missed) {store}.reserve((size_t){rows} * {columns});",
        f"    if (!missed) for (const auto &row : {whole}) {store}.insert({store}.end(), row.begin(), row.end());",
        f"    void *{given[data.param]} = (void *){store}.data();",
    ]
    if a.passing == "reference" and not params[data.param].const:
        after.append(f"    for (size_t y = 0; y < {whole}.size(); y++)")
        after.append(f"        std::copy_n({store}.begin() + y * {columns}, {columns}, {whole}[y].begin());")
    return lines


def _apart(call: Interface) -> list[str]:
    """Two references to one vector of vectors, of which one may be written, are not two copies."""
    rows = [a for a in call.arguments if a.passing == "reference" and any(p.kind == "rows" for p in a.parts)]
    out = []
    for k, a in enumerate(rows):
        for b in rows[k + 1 :]:
            if a.bare == b.bare and not (a.type.startswith("const ") and b.type.startswith("const ")):
                out.append(f"    missed |= &lift_{a.name} == &lift_{b.name};")
    return out


def _result(function: Function, container: Container, returns: str, given: dict[str, str], again: str) -> list[str]:
    """Memory for the elements of the result."""
    sizes = extents(function, container, given)
    lines = [f"    const int64_t size_{k} = {text};" for k, text in enumerate(sizes)]
    whole = " || ".join(f"size_{k} < 0 || size_{k} > INT32_MAX" for k in range(len(sizes)))
    lines.append(f"    if ({whole}) {{ {again} }}")
    memory = given[container.param]
    if len(sizes) == 1:
        return [*lines, f"    {returns} result(size_0);", f"    void *{memory} = (void *)result.data();"]
    store = f"std::vector<{container.element}> store(size_0 * size_1);"
    return [*lines, f"    {store}", f"    void *{memory} = (void *)store.data();"]


def _returned(container: Container, returns: str) -> list[str]:
    if len(container.extents) == 1:
        return []
    rows = "result.emplace_back(store.begin() + y * size_1, store.begin() + (y + 1) * size_1);"
    return [
        f"    {returns} result;",
        "    result.reserve(size_0);",
        f"    for (int64_t y = 0; y < size_0; y++) {rows}",
    ]


def _passed(a: Argument, c: bool) -> str:
    moved = not c and (a.passing == "value" or a.type.endswith("&&"))
    return f"static_cast<{declarable(a.type, c)} &&>(lift_{a.name})" if moved else f"lift_{a.name}"

"""Functions with parameters of class type: the C++ that takes the arguments apart and calls the lifted function.

An adapter has the original's own parameters, and its symbol once the object file's symbols are renamed.  It lies in the
original's translation unit, where the classes are known.  A packer is its opposite, for tests and timing: it makes
objects from scalars and pointers and calls a function of the original's type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from codegen import internal, row_tables
from codegen.c_expressions import HELPERS, c_expression
from codegen.errors import EmitError
from codegen.original import is_c
from halide_core.aot.compile import c_type
from lifter.ir.loop_ir import Argument, Container, Function, Interface, Param, Part
from lifter.ir.summary import Summary
from lifter.support.shown import shown

_HEADERS = ("algorithm", "cstdint", "cstdlib", "cstring", "type_traits", "vector")
FLAGS = ("-fno-access-control",)
_SOME = 16
"""Objects behind a pointer, for tests: it may be an array of pointers."""
MISSED = "lift.missed"
"""The pointer through which the lifted function says that its contract does not hold."""


def flat_symbol(function: Function) -> str:
    """The lifted function over scalars and pointers."""
    return f"{function.symbol}.flat"


def missed_symbol(function: Function) -> str:
    """What the lifted function calls where its contract does not hold."""
    return f"{function.symbol}.missed"


def adapter_symbol(function: Function) -> str:
    """The adapter, until it takes the original's name."""
    return f"{function.symbol}.adapter"


def packer_symbol(function: Function) -> str:
    """The packer, which takes a function's address and then its flat parameters."""
    return f"{function.symbol}.packed"


def adapters(source: str, summaries: Sequence[Summary]) -> str:
    """The original's translation unit with an adapter for each function."""
    parts = [_include(source), *_plain([s.function for s in summaries])]
    c = is_c(source)
    parts += [_adapter(s, _interface(s.function), number, c) for number, s in enumerate(summaries)]
    return "\n".join(parts)


def _original_symbol(function: Function) -> str:
    """The original, before the object file's symbols are renamed: of one that only its file sees, after the text's."""
    return function.symbol + internal.FALLBACK_SUFFIX if internal.is_replaced(function) else function.symbol


def shown_symbol(function: Function) -> str:
    """What gives the address of a function that is not visible outside its file."""
    return f"{function.symbol}.shown"


def _shown(function: Function, number: int, c: bool) -> str:
    name, linkage = f"lift_shown_{number}", "" if c else 'extern "C" '
    address = function.qualified if c else f"static_cast<lift_same<{function.c_type}> *>(&{function.qualified})"
    return "\n".join([
        f'{linkage}void *{name}(void) __asm__("{shown_symbol(function)}");',
        f"{linkage}void *{name}(void) {{ return (void *){address}; }}",
    ])


def packers(source: str, functions: Sequence[Function]) -> str:
    """The original's translation unit with a packer for each function that needs one, and the addresses of those that
    are not visible outside of it."""
    c = is_c(source)
    parts = [_include(source), *(["#include <string.h>\n"] if c else []), *_plain(functions)]
    parts += [_shown(f, number, c) for number, f in enumerate(functions) if f.internal]
    parts += [_packer(f, f.interface, number, c) for number, f in enumerate(functions) if f.interface is not None]
    return "\n".join(parts)


def _interface(function: Function) -> Interface:
    assert function.interface is not None
    return function.interface


def _include(source: str) -> str:
    path = str(Path(source).resolve())
    if not path.isprintable() or '"' in path or "\\" in path:
        raise EmitError(f"no #include can name the file {shown(path)}; rename it")
    if is_c(source):
        return f'#include "{path}"\n#include <stdbool.h>\n#include <stdint.h>\n{HELPERS}'
    headers = "".join(f"#include <{n}>\n" for n in _HEADERS)
    return f'#include "{path}"\n{headers}{HELPERS}template <class T> using lift_same = T;\n'


def _plain(functions: Sequence[Function]) -> list[str]:
    """The names that adapters take from the source mean what they meant there, and not a macro that came later."""
    texts = [f.qualified for f in functions]
    for a in (a for f in functions if f.interface is not None for a in f.interface.arguments):
        texts += [a.type, a.bare]
        for part in a.parts:
            texts += [part.expression, *part.through, *(name for _, name in part.choices)]
    names = {n for t in texts for n in re.findall(r"[A-Za-z_]\w*", t)} - {"bool"}  # which C has as a macro
    return [f"#undef {n}" for n in sorted(names)]


def _flat_type(p: Param) -> str:
    return "void *" if p.pointer else c_type(p.type)


def _flat(function: Function) -> list[str]:
    return [_flat_type(p) for p in function.params]


def _object(a: Argument) -> str:
    return f"(*lift_{a.name})" if a.passing == "pointer" else f"lift_{a.name}"


def _adapter(summary: Summary, call: Interface, number: int, c: bool) -> str:
    function = summary.function
    linkage = "" if c else 'extern "C" '
    returns = call.result
    flat_returns = returns if call.container is None else "void"
    given_by_callers = _given(call)
    types = ", ".join(a.type for a in given_by_callers)
    declared = ", ".join(f"{_declarable(a.type, c)} lift_{a.name}" for a in given_by_callers)
    flat = [*_flat(function), "bool *"]
    names = [f"p{k}" for k in range(len(function.params))]
    given = dict(zip((p.name for p in function.params), names, strict=True))
    by_name = {p.name: p for p in function.params}
    lines = [
        *_readers(call, by_name, number),
        f'{returns} lift_original_{number}({types}) __asm__("{_original_symbol(function)}");',
        f'{linkage}{flat_returns} lift_flat_{number}({", ".join(flat)}) __asm__("{flat_symbol(function)}");',
        f'{linkage}{flat_returns} lift_missed_{number}({", ".join([*_flat(function), "bool *missed"])}) '
        f'__asm__("{missed_symbol(function)}");',
        f"{linkage}{flat_returns} lift_missed_{number}({_unnamed(function)}) {{",
        "    *missed = true;",
        f"    return ({flat_returns})0;" if flat_returns != "void" else "    return;",
        "}",
        f'{returns} lift_adapter_{number}({types}) __asm__("{adapter_symbol(function)}");',
        f"{returns} lift_adapter_{number}({declared}) {{",
        "    bool missed = false;",
    ]
    after: list[str] = []
    for a in call.arguments:
        if a.passing == "static":
            kinds = [_flat_type(by_name[p.param]) for p in a.parts]
            read = [f"lift_read_{number}_{given[p.param]}()" for p in a.parts]
            named = zip(kinds, a.parts, read, strict=True)
            lines += [f"    {kind} {given[part.param]} = {text};" for kind, part, text in named]
            continue
        if a.container:
            lines += _container(a, by_name, given, after)
            continue
        for part in a.parts:
            if part.kind == "distance":
                lines.append(f"    missed |= {_distance(a)} % {part.bytes_each} != 0;")
                # The lifted function asks only one of them whether it is null.
                lines.append(f"    missed |= !lift_{a.name} != !lift_{part.expression};")
            if part.kind == "size":
                whole = part.expression.replace("@", _object(a))
                reached = _reached(a, part)
                there = f"{reached} && " if reached else ""
                lines.append(f"    missed |= {there}{whole} > INT32_MAX;")
            kind = _flat_type(by_name[part.param])
            late = part.kind in (row_tables.FIRST, row_tables.PITCH)  # what the others say comes first
            value = "0" if late else _taken(a, part.param, by_name)
            lines.append(f"    {kind} {given[part.param]} = {value};")
    lines += _apart(call)
    for a in call.arguments:
        for part in (p for p in a.parts if p.kind == row_tables.FIRST):
            table = _led_through(a, part, "(void *)0")
            lines += row_tables.gather(summary, part.param, table, given)
    arguments = ", ".join([*names, "&missed"])
    original = f"lift_original_{number}({', '.join(_passed(a, c) for a in given_by_callers)})"
    checking = ("size", "distance", *row_tables.KINDS)
    checked = any(p.kind in checking for a in call.arguments for p in a.parts)
    if after or call.container is not None or checked:
        again = f"{original}; return;" if returns == "void" else f"return {original};"
        lines.append(f"    if (missed) {{ {again} }}")
        if call.container is not None:
            lines += _result(function, call.container, returns, given, again)
        if returns == "void" or call.container is not None:
            lines.append(f"    lift_flat_{number}({arguments});")
        else:
            lines.append(f"    {returns} result = lift_flat_{number}({arguments});")
        lines += [f"    if (missed) {{ {again} }}", *after]
        lines += _returned(call.container, returns) if call.container is not None else []
        lines += ["    return result;"] if returns != "void" else []
    elif returns == "void":
        lines += [f"    lift_flat_{number}({arguments});", f"    if (missed) {original};"]
    else:
        lines += [f"    {returns} result = lift_flat_{number}({arguments});"]
        lines += [f"    return missed ? {original} : result;"]
    return "\n".join([*lines, "}", ""])


def _given(call: Interface) -> list[Argument]:
    """The arguments that callers give."""
    return [a for a in call.arguments if a.passing != "static"]


def _readers(call: Interface, params: dict[str, Param], number: int) -> list[str]:
    """Functions that read variables of static storage: in others their names may mean something else."""
    position = {name: f"p{k}" for k, name in enumerate(params)}
    out = []
    for a in (a for a in call.arguments if a.passing == "static"):
        for part in a.parts:
            kind, text = _flat_type(params[part.param]), part.expression
            value = f"(void *)&{text}" if part.kind == "address" else f"({kind})({_valued(part, text)})"
            value = f"{' && '.join(part.through)} ? {value} : ({kind})0" if part.through else value
            out.append(f"static {kind} lift_read_{number}_{position[part.param]}(void) {{ return {value}; }}")
    return out


def _writers(function: Function, call: Interface, number: int, c: bool) -> list[str]:
    """Functions that give variables of static storage what the flat parameters say, and arrays back what is there."""
    out = []
    for a in (a for a in call.arguments if a.passing == "static"):
        for part in (p for p in a.parts if p.kind != "address"):
            name = f"{number}_p{[p.name for p in function.params].index(part.param)}"
            param = next(p for p in function.params if p.name == part.param)
            kind, text = _flat_type(param), part.expression
            if part.kind == "array":
                own = f'void *own = (void *){text}; __asm__("" : "+r"(own));'  # a compiler knows that constants stay
                for verb, to, of in (("write", "own", "lift_given"), ("fetch", "lift_given", "own")):
                    body = f"{own} __builtin_memcpy({to}, {of}, sizeof({text}));"
                    out.append(f"static void lift_{verb}_{name}(void *lift_given) {{ {body} }}")
                continue
            if part.kind == "function":
                moved = f"__builtin_memcpy((void *)&{text}, &own, sizeof own);"
                body = f"void *own = {_pointed(part, 'lift_given')}; {moved}"
                out.append(f"static void lift_write_{name}({kind} lift_given) {{ {body} }}")
                continue
            own = f"__typeof__({text})" if c else f"std::remove_cv_t<std::remove_reference_t<decltype({text})>>"
            body = f"{text} = ({own})lift_given;" if part.kind == "bits" else f"*({own} *)&{text} = ({own})lift_given;"
            out.append(f"static void lift_write_{name}({kind} lift_given) {{ {body} }}")
    return out


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


def _extents(function: Function, container: Container, names: dict[str, str]) -> list[str]:
    """How many elements the result has in each dimension, in C++."""
    return [c_expression(function.defined[n], names) for n in container.extents]


def _result(function: Function, container: Container, returns: str, given: dict[str, str], again: str) -> list[str]:
    """Memory for the elements of the result."""
    sizes = _extents(function, container, given)
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


def _taken(a: Argument, name: str, params: dict[str, Param]) -> str:
    part = next(p for p in a.parts if p.param == name)
    kind = _flat_type(params[name])
    text = part.expression.replace("@", _object(a))
    if part.kind == "distance":
        return f"{_distance(a)} / {part.bytes_each}"
    if part.kind == "address" and not part.through:
        return f"(void *)lift_{a.name}" if a.passing == "pointer" else f"(void *)__builtin_addressof({text})"
    value = f"(void *)&{text}" if part.kind == "address" else f"({kind})({_valued(part, text)})"
    return _led_through(a, part, f"({kind})0", value)


def _valued(part: Part, text: str) -> str:
    """A part's number: of a pointer to a function, that of the function."""
    choices = "".join(f"(const void *)({text}) == (const void *){name} ? {number} : " for number, name in part.choices)
    return f"{choices}-1" if part.kind == "function" else text


def _pointed(part: Part, number: str) -> str:
    """The function of a number."""
    return "".join(f"{number} == {k} ? (void *){name} : " for k, name in part.choices) + "(void *)0"


def _led_through(a: Argument, part: Part, otherwise: str, value: str = "") -> str:
    """A part's value where the pointers on the way to it are not null."""
    value, reached = value or part.expression.replace("@", _object(a)), _reached(a, part)
    return f"({reached} ? {value} : {otherwise})" if reached else value


def _reached(a: Argument, part: Part) -> str:
    """The condition that an argument's object, and what its pointers lead to, is there; "" where it must be."""
    pointers = [f"lift_{a.name}"] if a.passing == "pointer" else []
    pointers += [p.replace("@", _object(a)) for p in part.through]
    return " && ".join(pointers)


def _distance(a: Argument) -> str:
    """How many bytes a pointer lies after another one."""
    return f"((const char *)lift_{a.name} - (const char *)lift_{a.parts[0].expression})"


def _unnamed(function: Function) -> str:
    """The flat parameters of a function that uses only the last one (C wants names)."""
    return ", ".join([*(f"{t} p{k}" for k, t in enumerate(_flat(function))), "bool *missed"])


def _passed(a: Argument, c: bool) -> str:
    moved = not c and (a.passing == "value" or a.type.endswith("&&"))
    return f"static_cast<{_declarable(a.type, c)} &&>(lift_{a.name})" if moved else f"lift_{a.name}"


def _declarable(type_: str, c: bool) -> str:
    """A type as it may stand before a name, whatever it is: `int (*)[3]` may not."""
    if type_.endswith((")", "]")):
        return f"__typeof__({type_})" if c else f"lift_same<{type_}>"
    return type_ if c or not type_.endswith("&&") else f"lift_same<{type_}>"


def _packer(function: Function, call: Interface, number: int, c: bool) -> str:
    linkage, copy = ("", "memcpy") if c else ('extern "C" ', "std::memcpy")
    returns = call.result
    flat_returns = returns if call.container is None else "void"
    names = {p.name: f"p{k}" for k, p in enumerate(function.params)}
    by_name = {p.name: p for p in function.params}
    declared = ", ".join(["void *target", *(f"{_flat_type(p)} {names[p.name]}" for p in function.params)])
    lines = [
        *_writers(function, call, number, c),
        f'{linkage}{flat_returns} lift_packer_{number}({declared}) __asm__("{packer_symbol(function)}");',
        f"{linkage}{flat_returns} lift_packer_{number}({declared}) {{",
    ]
    after: list[str] = []
    passed = []
    for a in call.arguments:
        if a.passing == "static":
            for part in (p for p in a.parts if p.kind != "address"):
                name = names[part.param]
                lines.append(f"    lift_write_{number}_{name}({name});")
                if part.kind == "array" and not by_name[part.param].const:
                    after.append(f"    lift_fetch_{number}_{name}({name});")
            continue
        if a.passing == "plain":
            (part,) = a.parts
            passed.append(f"({a.type}){names[part.param]}" if "&" not in a.type else _referred(a, names[part.param]))
            continue
        if a.passing == "end":
            place = "".join(f"((char *){names[p.expression]} + {names[p.param]} * {p.bytes_each})" for p in a.parts)
            passed.append(f"({a.type}){place or '0'}")
            continue
        if a.container:
            lines += _packed(a, names, after)
            whole = f"object_{a.name}"
            passed.append(f"static_cast<{a.bare} &&>({whole})" if a.type.endswith("&&") else whole)
            continue
        whole = f"store_{a.name}.object" if c else f"object_{a.name}"
        lines += _storage(a, c)
        null = next((names[p.param] for p in a.parts if p.kind == "address" and not p.through), "")
        lines += _led_to(a, whole, names, c)
        for part in a.parts:
            field = part.expression.replace("@", whole)
            name = names[part.param]
            if part.through and part.kind != "address":
                lines.append(f"    if ({' && '.join(p.replace('@', whole) for p in part.through)})")
            if part.kind in ("address", row_tables.PITCH, row_tables.ADDRESS):
                continue
            if part.kind == row_tables.FIRST:
                lines += _tabled(a, part, field, function, names)
            elif part.kind == "array":
                lines.append(f"    {copy}((void *){field}, {name}, sizeof({field}));")
                if not by_name[part.param].const:
                    after.append(f"    {copy}({name}, (void *){field}, sizeof({field}));")
            elif part.kind == "data":
                lines.append(_made_vector(a, part, names))
                if not by_name[part.param].const:
                    size = f"{field.removesuffix('.data()')}.size() * sizeof(*{field})"
                    after.append(f"    std::memcpy({name}, (void *){field}, {size});")
            elif part.kind == "size":
                continue
            elif part.kind == "function":
                moved = f"{copy}((void *)&{field}, &own, sizeof own);"
                lines.append(f"    {{ void *own = {_pointed(part, name)}; {moved} }}")
            elif part.kind == "bits":
                lines.append(f"    {field} = {name};")
            elif c:
                lines.append(f"    {{ __typeof__({field}) value = (__typeof__({field})){name};")
                lines.append(f"      memcpy((void *)&{field}, &value, sizeof value); }}")
            else:
                field_type = f"std::remove_cv_t<std::remove_reference_t<decltype({field})>>"
                store = f"const_cast<{field_type} &>({field})"
                lines.append(f"    {store} = ({field_type}){name};")
        if a.passing == "pointer":
            passed.append(f"{null} ? &{whole} : 0" if null else f"&{whole}")
        else:
            passed.append(f"static_cast<{a.bare} &&>({whole})" if a.type.endswith("&&") else whole)
    types = ", ".join(a.type for a in _given(call))
    called = f"(({returns} (*)({types}))target)({', '.join(passed)})"
    if returns == "void":
        lines.append(f"    {called};")
    else:
        lines.append(f"    {returns} result = {called};")
        after += ["    return result;"] if call.container is None else _unpacked(function, call.container, names)
    return "\n".join([*lines, *after, "}", ""])


def _storage(a: Argument, c: bool) -> list[str]:
    """Memory for an object, all zeros, that no constructor has made."""
    if c:
        union = f"union {{ {a.bare} object; unsigned char bytes[sizeof({a.bare})]; }}"
        return [f"    {union} store_{a.name};", f"    memset(&store_{a.name}, 0, sizeof store_{a.name});"]
    storage = f"alignas({a.bare}) unsigned char bytes[sizeof({a.bare})];"
    return [
        f"    struct {{ {storage} }} store_{a.name} = {{}};",
        f"    {a.bare} &object_{a.name} = *({a.bare} *)store_{a.name}.bytes;",
    ]


def _tabled(a: Argument, part: Part, field: str, function: Function, names: dict[str, str]) -> list[str]:
    """Pointers to rows for a test, behind a pointer that may be null."""
    rows = f"rows_{a.name}_{names[part.param]}"
    lines = row_tables.scatter(part.param, field, rows, function, names)
    own = next((p for p in a.parts if p.kind == row_tables.ADDRESS and p.expression == part.expression), None)
    if own is not None:
        null = f"void *no = 0; __builtin_memcpy((void *)&{field}, &no, sizeof no);"
        lines.append(f"    if (!{names[own.param]}) {{ {null} }}")
    return ["    {", *lines, "    }"]


def _led_to(a: Argument, whole: str, names: dict[str, str], c: bool) -> list[str]:
    """Memory for the objects that pointers inside an object lead to, and these pointers."""
    addresses = {p.through[-1]: names[p.param] for p in a.parts if p.kind == "address" and p.through}
    lines = []
    for number, path in enumerate(dict.fromkeys(p for part in a.parts for p in part.through)):
        pointer, store = path.replace("@", whole), f"reached_{a.name}_{number}"
        within = [p.replace("@", whole) for part in a.parts if path in part.through for p in part.through]
        outer = within[: within.index(pointer)]
        there = " && ".join([*outer, *([addresses[path]] if path in addresses else [])]) or "1"
        lines.append(f"    __attribute__((aligned(16))) unsigned char {store}[{_SOME} * sizeof(*{pointer})];")
        lines.append(f"    __builtin_memset({store}, 0, sizeof {store});")
        led = f"void *led = {store}; __builtin_memcpy((void *)&{pointer}, &led, sizeof led);"
        lines.append(f"    if ({there}) {{ {led} }}")
    return lines


def _made_vector(a: Argument, part: Part, names: dict[str, str]) -> str:
    """A vector inside an object gets its elements; nothing but zeros was there, which is an empty vector."""
    field = part.expression.removesuffix(".data()").replace("@", f"object_{a.name}")
    own = f"const_cast<std::remove_cv_t<std::remove_reference_t<decltype({field})>> &>({field})"
    size = names[a.parts[a.parts.index(part) + 1].param]
    data = f"(decltype({own}.data())){names[part.param]}"
    return f"    {own}.assign({data}, {data} + std::max({size}, 0));"


def _packed(a: Argument, names: dict[str, str], after: list[str]) -> list[str]:
    """An argument that is a container, with what lies behind a pointer; what the function makes of it goes back."""
    whole, data = f"object_{a.name}", a.parts[0]
    pointer = names[data.param]
    back = a.passing == "reference" and not a.type.startswith("const ")
    if data.kind == "data" and len(a.parts) == 1:
        if back:
            after.append(f"    std::memcpy({pointer}, {whole}.data(), sizeof({whole}));")
        return [f"    {a.bare} {whole};", f"    std::memcpy({whole}.data(), {pointer}, sizeof({whole}));"]
    if data.kind == "data":
        size = names[a.parts[1].param]
        if back:
            after.append(f"    std::memcpy({pointer}, (void *){whole}.data(), {whole}.size() * sizeof({whole}[0]));")
        each = f"const {a.bare}::value_type *"
        return [f"    {a.bare} {whole}(({each}){pointer}, ({each}){pointer} + std::max({size}, 0));"]
    rows, columns = (names[p.param] for p in a.parts[1:])
    element = f"std::remove_cv_t<{data.expression}>"
    if back:
        after.append(f"    for (int y = 0; y < {rows}; y++)")
        place = f"({element} *){pointer} + (long)y * {columns}"
        after.append(f"        std::copy({whole}[y].begin(), {whole}[y].end(), {place});")
    return [
        f"    {a.bare} {whole};",
        f"    for (int y = 0; y < {rows}; y++)",
        f"        {whole}.emplace_back(({element} *){pointer} + (long)y * {columns}, "
        f"({element} *){pointer} + (y + 1l) * {columns});",
    ]


def _unpacked(function: Function, container: Container, names: dict[str, str]) -> list[str]:
    """The elements of the result behind its pointer.  Ends the process where its size is not what the summary says."""
    sizes = _extents(function, container, names)
    pointer = f"({container.element} *){names[container.param]}"
    lines = [f"    if ((int64_t)result.size() != {sizes[0]}) std::abort();"]
    if len(sizes) == 1:
        return [*lines, f"    std::copy(result.begin(), result.end(), {pointer});"]
    return [
        *lines,
        "    for (size_t y = 0; y < result.size(); y++) {",
        f"        if ((int64_t)result[y].size() != {sizes[1]}) std::abort();",
        f"        std::copy(result[y].begin(), result[y].end(), {pointer} + y * ({sizes[1]}));",
        "    }",
    ]


def _referred(a: Argument, name: str) -> str:
    return f"({a.type})*(std::remove_reference_t<{a.type}> *){name}"

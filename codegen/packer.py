"""Functions with parameters of class type, for tests and timing: C++ that makes objects of scalars and pointers and
calls a function of the original's type, the opposite of an adapter."""

from __future__ import annotations

from collections.abc import Sequence

from codegen import row_tables
from codegen.flat_arguments import (
    extents,
    flat_type,
    given_by_callers,
    include,
    numbered_function,
    packer_symbol,
    shown_symbol,
    without_macros,
)
from codegen.original import is_c
from lifter.ir.loop_ir import Argument, Container, Function, Interface, Part

_SOME = 16
"""Objects behind a pointer, for tests: it may be an array of pointers."""


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
    parts = [include(source), *(["#include <string.h>\n"] if c else []), *without_macros(functions)]
    parts += [_shown(f, number, c) for number, f in enumerate(functions) if f.internal]
    parts += [_packer(f, f.interface, number, c) for number, f in enumerate(functions) if f.interface is not None]
    return "\n".join(parts)


def _writers(function: Function, call: Interface, number: int, c: bool) -> list[str]:
    """Functions that give variables of static storage what the flat parameters say, and arrays back what is there."""
    out = []
    for a in (a for a in call.arguments if a.passing == "static"):
        for part in (p for p in a.parts if p.kind != "address"):
            name = f"{number}_p{[p.name for p in function.params].index(part.param)}"
            param = next(p for p in function.params if p.name == part.param)
            kind, text = flat_type(param), part.expression
            if part.kind == "array":
                own = f'void *own = (void *){text}; __asm__("" : "+r"(own));'  # a compiler knows that constants stay
                for verb, to, of in (("write", "own", "lift_given"), ("fetch", "lift_given", "own")):
                    body = f"{own} __builtin_memcpy({to}, {of}, sizeof({text}));"
                    out.append(f"static void lift_{verb}_{name}(void *lift_given) {{ {body} }}")
                continue
            if part.kind == "function":
                moved = f"__builtin_memcpy((void *)&{text}, &own, sizeof own);"
                body = f"void *own = {numbered_function(part, 'lift_given')}; {moved}"
                out.append(f"static void lift_write_{name}({kind} lift_given) {{ {body} }}")
                continue
            own = f"__typeof__({text})" if c else f"std::remove_cv_t<std::remove_reference_t<decltype({text})>>"
            body = f"{text} = ({own})lift_given;" if part.kind == "bits" else f"*({own} *)&{text} = ({own})lift_given;"
            out.append(f"static void lift_write_{name}({kind} lift_given) {{ {body} }}")
    return out


def _packer(function: Function, call: Interface, number: int, c: bool) -> str:
    linkage, copy = ("", "memcpy") if c else ('extern "C" ', "std::memcpy")
    returns = call.result
    flat_returns = returns if call.container is None else "void"
    names = {p.name: f"p{k}" for k, p in enumerate(function.params)}
    by_name = {p.name: p for p in function.params}
    declared = ", ".join(["void *target", *(f"{flat_type(p)} {names[p.name]}" for p in function.params)])
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
            if part.kind == "left":
                there = f"if ({' && '.join(p.replace('@', whole) for p in part.through)}) " if part.through else ""
                after.append(f"    {there}{copy}({name}, (void *){field}, sizeof(*{field}));")
                continue
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
                lines.append(f"    {{ void *own = {numbered_function(part, name)}; {moved} }}")
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
    types = ", ".join(a.type for a in given_by_callers(call))
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
    sizes = extents(function, container, names)
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

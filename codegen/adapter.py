"""Functions with parameters of class type: the C++ that takes the arguments apart and calls the lifted function.

An adapter has the original's own parameters, and its symbol once the object file's symbols are renamed.  It lies in the
original's translation unit, where the classes are known.  A packer is its opposite, for tests and timing: it makes
objects from scalars and pointers and calls a function of the original's type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from halide_core.aot import c_type
from lifter.loops import Argument, Function, Interface, Param
from lifter.summary import Summary

FLAGS = ["-fno-access-control"]
MISSED = "lift.missed"
"""The pointer through which the lifted function says that its contract does not hold."""


def flat_symbol(function: Function) -> str:
    """The lifted function over scalars and pointers."""
    return f"{function.symbol}__flat"


def missed_symbol(function: Function) -> str:
    """What the lifted function calls where its contract does not hold."""
    return f"{function.symbol}__missed"


def adapter_symbol(function: Function) -> str:
    """The adapter, until it takes the original's name."""
    return f"{function.symbol}__adapter"


def packer_symbol(function: Function) -> str:
    """The packer, which takes a function's address and then its flat parameters."""
    return f"{function.symbol}__packed"


def adapters(source: str, summaries: Sequence[Summary]) -> str:
    """The original's translation unit with an adapter for each function."""
    parts = [_include(source)]
    parts += [_adapter(s.function, _interface(s.function), number) for number, s in enumerate(summaries)]
    return "\n".join(parts)


def packers(source: str, functions: Sequence[Function]) -> str:
    """The original's translation unit with a packer for each function."""
    parts = [_include(source)]
    parts += [_packer(f, _interface(f), number) for number, f in enumerate(functions)]
    return "\n".join(parts)


def _interface(function: Function) -> Interface:
    assert function.interface is not None
    return function.interface


def _include(source: str) -> str:
    path = str(Path(source).resolve()).replace("\\", "\\\\").replace('"', '\\"')
    return f'#include "{path}"\n#include <cstdint>\n#include <cstring>\n'


def _flat_type(p: Param) -> str:
    return "void *" if p.pointer else c_type(p.type)


def _flat(function: Function) -> list[str]:
    return [_flat_type(p) for p in function.params]


def _object(a: Argument) -> str:
    return f"(*lift_{a.name})" if a.passing == "pointer" else f"lift_{a.name}"


def _adapter(function: Function, call: Interface, number: int) -> str:
    returns = call.result
    types = ", ".join(a.type for a in call.arguments)
    declared = ", ".join(f"{a.type} lift_{a.name}" for a in call.arguments)
    flat = [*_flat(function), "bool *"]
    names = [f"p{k}" for k in range(len(function.params))]
    given = dict(zip((p.name for p in function.params), names, strict=True))
    lines = [
        f'{returns} lift_original_{number}({types}) __asm__("{function.symbol}");',
        f'extern "C" {returns} lift_flat_{number}({", ".join(flat)}) __asm__("{flat_symbol(function)}");',
        f'extern "C" {returns} lift_missed_{number}({", ".join([*_flat(function), "bool *missed"])}) '
        f'__asm__("{missed_symbol(function)}");',
        f'extern "C" {returns} lift_missed_{number}({", ".join([*_flat(function), "bool *missed"])}) {{',
        "    *missed = true;",
        "    return 0;" if returns != "void" else "    return;",
        "}",
        f'{returns} lift_adapter_{number}({types}) __asm__("{adapter_symbol(function)}");',
        f"{returns} lift_adapter_{number}({declared}) {{",
        "    bool missed = false;",
    ]
    by_name = {p.name: p for p in function.params}
    for a in call.arguments:
        for part in a.parts:
            kind = _flat_type(by_name[part.param])
            lines.append(f"    {kind} {given[part.param]} = {_taken(a, part.param, by_name)};")
    arguments = ", ".join([*names, "&missed"])
    original = f"lift_original_{number}({', '.join(_passed(a) for a in call.arguments)})"
    if returns == "void":
        lines += [f"    lift_flat_{number}({arguments});", f"    if (missed) {original};"]
    else:
        lines += [f"    {returns} result = lift_flat_{number}({arguments});"]
        lines += [f"    return missed ? {original} : result;"]
    return "\n".join([*lines, "}", ""])


def _taken(a: Argument, name: str, params: dict[str, Param]) -> str:
    part = next(p for p in a.parts if p.param == name)
    kind = _flat_type(params[name])
    text = part.expression.replace("@", _object(a))
    if part.kind == "address":
        return f"(void *)lift_{a.name}" if a.passing == "pointer" else f"(void *)__builtin_addressof({text})"
    value = f"({kind})({text})"
    return f"lift_{a.name} ? {value} : ({kind})0" if a.passing == "pointer" else value


def _passed(a: Argument) -> str:
    moved = a.passing == "value"
    return f"static_cast<{a.type} &&>(lift_{a.name})" if moved else f"lift_{a.name}"


def _packer(function: Function, call: Interface, number: int) -> str:
    returns = call.result
    names = {p.name: f"p{k}" for k, p in enumerate(function.params)}
    by_name = {p.name: p for p in function.params}
    declared = ", ".join(["void *target", *(f"{_flat_type(p)} {names[p.name]}" for p in function.params)])
    lines = [
        f'extern "C" {returns} lift_packer_{number}({declared}) __asm__("{packer_symbol(function)}");',
        f'extern "C" {returns} lift_packer_{number}({declared}) {{',
    ]
    after: list[str] = []
    passed = []
    for a in call.arguments:
        if a.passing == "plain":
            (part,) = a.parts
            passed.append(f"({a.type}){names[part.param]}" if "&" not in a.type else _referred(a, names[part.param]))
            continue
        storage = f"alignas({a.bare}) unsigned char bytes[sizeof({a.bare})];"
        lines.append(f"    struct {{ {storage} }} store_{a.name} = {{}};")
        lines.append(f"    {a.bare} &object_{a.name} = *({a.bare} *)store_{a.name}.bytes;")
        null = ""
        for part in a.parts:
            field = part.expression.replace("@", f"object_{a.name}")
            name = names[part.param]
            if part.kind == "address":
                null = name
            elif part.kind == "array":
                lines.append(f"    std::memcpy((void *){field}, {name}, sizeof({field}));")
                if not by_name[part.param].const:
                    after.append(f"    std::memcpy({name}, (void *){field}, sizeof({field}));")
            elif part.kind == "bits":
                lines.append(f"    {field} = {name};")
            else:
                field_type = f"std::remove_cv_t<decltype({field})>"
                store = f"const_cast<{field_type} &>({field})"
                lines.append(f"    {store} = ({field_type}){name};")
        if a.passing == "pointer":
            passed.append(f"{null} ? &object_{a.name} : nullptr" if null else f"&object_{a.name}")
        else:
            passed.append(f"object_{a.name}")
    types = ", ".join(a.type for a in call.arguments)
    called = f"(({returns} (*)({types}))target)({', '.join(passed)})"
    if returns == "void":
        lines.append(f"    {called};")
    else:
        lines.append(f"    {returns} result = {called};")
        after.append("    return result;")
    return "#include <type_traits>\n" + "\n".join([*lines, *after, "}", ""])


def _referred(a: Argument, name: str) -> str:
    return f"({a.type})*(std::remove_reference_t<{a.type}> *){name}"

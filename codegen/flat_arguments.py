"""What adapters and packers have in common: the flat parameters of a function whose arguments are objects, and the text
around both."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from codegen.c_expressions import HELPERS, c_expression
from codegen.errors import EmitError
from codegen.original import is_c
from halide_core.aot.compile import c_type
from lifter.ir.loop_ir import Argument, Container, Function, Interface, Param, Part
from lifter.support.shown import shown

_HEADERS = ("algorithm", "cstdint", "cstdlib", "cstring", "type_traits", "vector")
FLAGS = ("-fno-access-control",)
MISSED = "lift.missed"
"""The pointer through which the lifted function says that its contract does not hold."""


_OF_CPP = """template <class T> using lift_same = T;
template <class C, class F> using lift_member = F C::*;
template <class S, class C, class R, class... A> void *lift_through(R (C::*)(A...)) {
    return (void *)static_cast<R (*)(C *, A...)>(&S::template call<C, R, A...>);
}
template <class S, class C, class R, class... A> void *lift_through(R (C::*)(A...) const) {
    return (void *)static_cast<R (*)(const C *, A...)>(&S::template call<const C, R, A...>);
}
"""
"""What C++ needs to name types and members; `lift_through`: the address of a function that calls a virtual one of the
class itself, by its name, whatever the object is."""


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


def shown_symbol(function: Function) -> str:
    """What gives the address of a function that is not visible outside its file."""
    return f"{function.symbol}.shown"


def interface(function: Function) -> Interface:
    assert function.interface is not None
    return function.interface


def include(source: str) -> str:
    path = str(Path(source).resolve())
    if not path.isprintable() or '"' in path or "\\" in path:
        raise EmitError(f"no #include can name the file {shown(path)}; rename it")
    if is_c(source):
        return f'#include "{path}"\n#include <stdbool.h>\n#include <stdint.h>\n{HELPERS}'
    headers = "".join(f"#include <{n}>\n" for n in _HEADERS)
    return f'#include "{path}"\n{headers}{HELPERS}{_OF_CPP}'


def nameable(text: str) -> str:
    """What lies in unnamed namespaces, by the names that the end of the file has for it."""
    return text.replace("(anonymous namespace)::", "")


def without_macros(functions: Sequence[Function]) -> list[str]:
    """The names that adapters take from the source mean what they meant there, and not a macro that came later."""
    texts = [f.qualified for f in functions]
    for call in (f.interface for f in functions if f.interface is not None):
        texts += [call.result, *(part.expression for part in call.record)]
    for a in (a for f in functions if f.interface is not None for a in f.interface.arguments):
        texts += [a.type, a.bare]
        for part in a.parts:
            texts += [part.expression, *part.through, *(name for _, name in part.choices)]
    names = {n for t in texts for n in re.findall(r"[A-Za-z_]\w*", t)} - {"bool"}  # which C has as a macro
    return [f"#undef {n}" for n in sorted(names)]


def part_text(expression: str, whole: str, number: Callable[[str], str]) -> str:
    """A part's expression in an object, `whole`; `number`: what an argument that is a number is called."""
    return re.sub(r"\{(\w+)\}", lambda found: number(found[1]), expression.replace("@", whole))


def flat_type(p: Param) -> str:
    return "void *" if p.pointer else c_type(p.type)


def flat(function: Function) -> list[str]:
    return [flat_type(p) for p in function.params]


def given_by_callers(call: Interface) -> list[Argument]:
    """The arguments that callers give."""
    return [a for a in call.arguments if a.passing not in ("static", "measured")]


def flat_result(call: Interface) -> str:
    """What the lifted function over scalars and pointers returns: nothing for what it leaves in memory."""
    if call.pointer is not None:
        return "int64_t"
    return "void" if call.container is not None or call.record else call.result


def function_number(part: Part, text: str) -> str:
    """A part's number: of a pointer to a function, that of the function."""
    choices = "".join(f"(const void *)({text}) == (const void *){name} ? {number} : " for number, name in part.choices)
    return f"{choices}-1" if part.kind == "function" else text


def numbered_function(part: Part, number: str) -> str:
    """The function of a number."""
    return "".join(f"{number} == {k} ? (void *){name} : " for k, name in part.choices) + "(void *)0"


def declarable(type_: str, c: bool) -> str:
    """A type as it may stand before a name, whatever it is: `int (*)[3]` may not."""
    if type_.endswith((")", "]")):
        return f"__typeof__({type_})" if c else f"lift_same<{type_}>"
    return type_ if c or not type_.endswith("&&") else f"lift_same<{type_}>"


def extents(function: Function, container: Container, names: dict[str, str]) -> list[str]:
    """How many elements the result has in each dimension, in C++."""
    return [c_expression(function.defined[n], names) for n in container.extents]

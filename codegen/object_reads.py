"""What adapters read: the flat parameters, taken from the caller's objects and from variables of static storage.

What lies behind pointers inside of objects is read where no pointer on the way is null and the original reads it too,
as far as other parameters decide that: a pointer that a flag says is not set may lead anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codegen import row_tables
from codegen.c_expressions import c_expression
from codegen.errors import EmitError
from codegen.flat_arguments import flat_type, function_number, part_text
from halide_core.ir.structural import variables
from lifter.ir.loop_ir import Argument, Function, Interface, Part, moved_fields
from lifter.ir.names import address_name
from lifter.ir.reading_conditions import Way, reading_conditions, shortest

_ALWAYS = ""
_FIELDS = ("value", "bits", "pointer", "function")
"""Kinds of parts that are read of an object."""


class Reads:
    """The statements that declare the flat parameters of one function; `given`: what they are called."""

    def __init__(self, function: Function, call: Interface, given: Mapping[str, str], number: int) -> None:
        self.function = function
        self.call = call
        self.given = given
        self.number = number
        self.params = {p.name: p for p in function.params}
        self.ways = _ways(function, call)
        self.conditions: dict[str, str] = {}
        """Of what may be read under conditions only, these in C++."""

    def parts(self) -> Iterator[tuple[Argument, Part]]:
        """The parts of all arguments but containers."""
        return ((a, part) for a in self.call.arguments if not a.container for part in a.parts)

    def of_statics(self) -> list[str]:
        """Functions that read variables of static storage: in others their names may mean something else."""
        out = []
        for a, part in self.parts():
            if a.passing == "static":
                kind, text = flat_type(self.params[part.param]), part.expression
                value = f"(void *)&{text}" if part.kind == "address" else f"({kind})({function_number(part, text)})"
                value = f"{' && '.join(('there', *part.through))} ? {value} : ({kind})0" if part.through else value
                asked = "bool there" if part.through else "void"
                out.append(f"static {kind} {self.reader(part)}({asked}) {{ return {value}; }}")
        return out

    def reader(self, part: Part) -> str:
        return f"lift_read_{self.number}_{self.given[part.param]}"

    def of_arguments(self) -> list[str]:
        """The declarations, each behind those that its condition asks for."""
        lines: list[str] = []
        known = dict.fromkeys(p.param for a in self.call.arguments if a.container for p in a.parts)
        waiting = list(self.parts())
        while waiting:
            ready = [(a, p) for a, p in waiting if self.asked(p) <= known.keys()]
            a, part = (ready or waiting)[0]
            waiting.remove((a, part))
            self.conditions[part.param] = self.condition(part, {n: self.given[n] for n in known})
            lines += self.declared(a, part)
            if part.kind not in row_tables.KINDS:
                known[part.param] = None
        return lines

    def asked(self, part: Part) -> frozenset[str]:
        """The parameters that a part's conditions are over."""
        over = {n for way in self.ways.get(part.param, ()) for c in way for n in variables(c)}
        return frozenset(p for p in self.params if p in over or address_name(p) in over)

    def condition(self, part: Part, known: Mapping[str, str]) -> str:
        """When a part is read, in C++: each way as far as it can be said."""
        if part.param not in self.ways:
            return _ALWAYS
        names = dict(known)
        names |= {address_name(p): f"(uintptr_t){text}" for p, text in known.items() if self.params[p].pointer}
        ways = []
        for way in self.ways[part.param]:
            said: list[str] = []
            for c in way:
                try:
                    said.append(c_expression(c, names))
                except EmitError:  # the rest of the way is not asked
                    break
            if not said:
                return _ALWAYS
            ways.append(" && ".join(said))
        return " || ".join(f"({w})" for w in ways) or "0"

    def declared(self, a: Argument, part: Part) -> list[str]:
        """The statements that give a flat parameter its value."""
        lines = []
        own, kind = self.given[part.param], flat_type(self.params[part.param])
        if a.passing == "measured":  # what the others say comes first
            return [f"    {kind} {own} = 0;"]
        if a.passing == "static":
            there = (self.conditions[part.param] or "1") if part.through else ""
            return [f"    {kind} {own} = {self.reader(part)}({there});"]
        if part.kind == "moved":
            return [f"    int64_t moved_{own} = 0;", f"    void *{own} = &moved_{own};"]
        if part.kind == "distance":
            lines.append(f"    missed |= {_distance(a)} % {part.bytes_each} != 0;")
            # The lifted function asks only one of them whether it is null.
            lines.append(f"    missed |= !lift_{a.name} != !lift_{part.expression};")
        if part.kind == "size":
            reached = self.reached(a, part)
            whole = _text(a, part)
            lines.append(f"    missed |= {f'{reached} && ' if reached else ''}{whole} > INT32_MAX;")
        late = part.kind in (row_tables.FIRST, row_tables.PITCH)  # what the others say comes first
        return [*lines, f"    {kind} {own} = {'0' if late else self.value(a, part)};"]

    def of_moved(self) -> list[str]:
        """The statements that move pointers of the caller's objects, where that is to be done."""
        pointers = {memory: pointer for pointer, memory in moved_fields(self.function).items()}
        lines = []
        for a, part in self.parts():
            if part.kind == "moved":
                field, own = _text(a, part), self.given[part.param]
                own_value = f"void *own = (char *){self.given[pointers[part.param]]} + moved_{own};"
                set_ = f"__builtin_memcpy((void *)&{field}, &own, sizeof own);"
                lines.append(f"    if (moved_{own}) {{ {own_value} {set_} }}")
        return lines

    def value(self, a: Argument, part: Part) -> str:
        kind = flat_type(self.params[part.param])
        text = _text(a, part)
        if part.kind == "distance":
            return f"{_distance(a)} / {part.bytes_each}"
        if part.kind == "address" and not part.through:
            return f"(void *)lift_{a.name}" if a.passing == "pointer" else f"(void *)__builtin_addressof({text})"
        value = f"(void *)&{text}" if part.kind == "address" else f"({kind})({function_number(part, text)})"
        return self.where_reached(a, part, f"({kind})0", value)

    def where_reached(self, a: Argument, part: Part, otherwise: str, value: str = "") -> str:
        """A part's value where the pointers on the way to it lead there."""
        value, reached = value or _text(a, part), self.reached(a, part)
        return f"({reached} ? {value} : {otherwise})" if reached else value

    def reached(self, a: Argument, part: Part) -> str:
        """The condition that an argument's object, and what its pointers lead to, is there and is read; "" where it
        must be."""
        condition = self.conditions.get(part.param, _ALWAYS)
        asked = [f"({condition})"] if condition else []
        asked += [f"lift_{a.name}"] if a.passing == "pointer" else []
        return " && ".join([*asked, *(p.replace("@", _object(a)) for p in part.through)])


def asked_of_shared(function: Function, call: Interface, names: Mapping[str, str]) -> dict[str, str]:
    """When parts are read whose memory may be other parts', too, in C++, of flat parameters that are called `names`."""
    reads = Reads(function, call, names, 0)
    shared = [p for _, p in reads.parts() if p.shared]
    return {p.param: c for p in shared if (c := reads.condition(p, names))}


def _ways(function: Function, call: Interface) -> dict[str, tuple[Way, ...]]:
    """When the parts behind pointers are read; those that say one thing together (a vector's elements and how many) are
    read together, and an object's address where any part of it is."""
    fields = [p for a in call.arguments if a.passing == "pointer" for p in a.parts if p.kind in _FIELDS]
    parts = [*(p for a in call.arguments for p in a.parts if p.through), *(p for p in fields if not p.through)]
    found = reading_conditions(function, [p.param for p in parts])
    out = {}
    for part in parts:
        if part.kind == "address":
            among = [p for p in parts if part.through == p.through[: len(part.through)]]
        else:
            among = [p for p in parts if _whole(p) == _whole(part)]
        out[part.param] = shortest(way for p in among for way in found[p.param])
    return out


def _whole(part: Part) -> tuple[tuple[str, ...], str]:
    return part.through, part.expression.removesuffix(".data()").removesuffix(".size()")


def _text(a: Argument, part: Part) -> str:
    return part_text(part.expression, _object(a), lambda name: f"lift_{name}")


def _object(a: Argument) -> str:
    if a.viewed:
        return f"(*({a.bare} *)lift_{a.name})"
    return f"(*lift_{a.name})" if a.passing == "pointer" else f"lift_{a.name}"


def _distance(a: Argument) -> str:
    """How many bytes a pointer lies after another one."""
    return f"((const char *)lift_{a.name} - (const char *)lift_{a.parts[0].expression})"

"""A schedule as data: directives that are applied to Funcs, or printed as Python and as C++ that a person can edit."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from halide_core.dsl.placement import Placement
from halide_core.dsl.schedule import Stage
from halide_core.errors import HalideError
from halide_core.function import Function, TailStrategy
from halide_core.ir.expr import Call, Expr
from halide_core.ir.stmt import MemoryType
from halide_core.ir.structural import transform

GUARD = TailStrategy.GuardWithIf
# Directives of a whole Func, in which stage 0 stands for all stages.
_OF_FUNCS = {
    "compute_root", "compute_at", "compute_inline", "store_at", "store_root", "bound", "reorder_storage",
    "align_storage", "store_in", "in_",
}


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop or a dimension, by name; `reduction`: (update, place) of a variable of the domain as it was written, and
    (update, -1) of a loop made of such."""

    name: str
    reduction: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class FuncName:
    """A Func, by name."""

    name: str


Operand = Loop | FuncName | TailStrategy | MemoryType | int


@dataclass(frozen=True, slots=True)
class Directive:
    """`method` of stage `stage` of the Func `func`.  `result`: the name of the Func that it returns, if any.

    One method is none of Halide's, but several of its directives: `partial_results` (see `written_out`)."""

    func: str
    stage: int
    method: str
    args: tuple[Operand, ...] = ()
    result: str | None = None


@dataclass(slots=True)
class Schedule:
    """Directives in order."""

    directives: list[Directive] = field(default_factory=list)

    def add(self, func: str, stage: int, method: str, *args: Operand, result: str | None = None) -> None:
        """Appends a directive."""
        self.directives.append(Directive(func, stage, method, args, result))

    def written_out(self) -> list[Directive]:
        """The directives as those of Halide."""
        out: list[Directive] = []
        for d in self.directives:
            out += _partial_results(d) if d.method == "partial_results" else [d]
        return out

    def apply(self, functions: Mapping[str, Function]) -> None:
        """Schedules `functions`, by name.  Raises HalideError for one that is missing and for what is refused."""
        known = dict(functions)
        for d in self.written_out():
            for name in (d.func, *(a.name for a in d.args if isinstance(a, FuncName))):
                if name not in known:
                    raise HalideError(f"The schedule names Func {name}, which the pipeline does not have")
            args = [_func(known[a.name]) if isinstance(a, FuncName) else _plain(a, known[_owner(d)]) for a in d.args]
            stage: Any = _func(known[d.func]) if d.method in _OF_FUNCS else Stage(known[d.func], d.stage)
            if d.method == "rfactor":
                stage._function, made = known[d.func], stage.rfactor(list(zip(args[::2], args[1::2], strict=True)))
                _rename(made._function, str(d.result), known[d.func])
                known[str(d.result)] = made._function
            elif d.method == "in_":
                made = stage.in_()
                made._function.name = d.result
                known[str(d.result)] = made._function
            elif d.method == "reorder_storage":
                stage.reorder_storage(*args)
            else:
                getattr(stage, d.method)(*args)

    def python(self) -> str:
        """Python for `halide_core` or the package `halide`, as `hl`; every Func in a variable of its name."""
        return _Text(self, "hl.").text()

    def lines(self, python: bool, spelled: Callable[[str], str], declared: Collection[str]) -> list[str]:
        """The lines of `python` or `cpp` in a text in which Funcs, and the loops that are `declared`, have variables
        that are `spelled` in some way."""
        return _Text(self, "hl." if python else "", spelled, declared).lines()

    def cpp(self) -> str:
        """C++; every Func in a variable of its name."""
        return _Text(self, "").text()


def _rename(made: Function, name: str, factored: Function) -> None:
    """Gives the Func that `rfactor` made of an update a name, by which both call it: it may be factored again."""
    made.name = name

    def called(n: Expr) -> Expr:
        own = isinstance(n, Call) and n.target is made
        return Call(n.type, name, n.args, n.call_type, n.value_index, made) if own and isinstance(n, Call) else n

    for f in (made, factored):
        f.updates = [replace(d, values=tuple(transform(v, called) for v in d.values)) for d in f.updates]


class Names:
    """Names for loops that a Func does not have yet."""

    def __init__(self, taken: tuple[str, ...]) -> None:
        self.taken = set(taken)

    def new(self, base: str, suffix: str) -> str:
        """`base` and `suffix`, with a number where that is taken."""
        name, count = f"{base}_{suffix}", 1
        while name in self.taken:
            count += 1
            name = f"{base}_{suffix}{count}"
        self.taken.add(name)
        return name


def _partial_results(d: Directive) -> list[Directive]:
    """`partial_results`(r, size, lanes, unrolled[, x]): the update is summed up for strips of `size` of its reduction's
    loop `r`, in parallel, and these are put together.  A strip goes `unrolled` points at a time, or, with 0, in vectors
    of as many `lanes`; its first values are in vectors along `x`."""
    r, size, lanes, unrolled, *along = d.args
    assert isinstance(r, Loop)
    update = d.stage - 1
    strip, rest = (Loop(f"{r.name}_{n}", (update, -1)) for n in ("strip", "rest"))
    u, first = Loop(identifier(f"{d.func}_u")), Loop("first", (0, 0))
    made = f"{d.func}_strips" if update == 0 else f"{d.func}_strips{update}"
    out = [
        Directive(d.func, d.stage, "split", (r, strip, rest, size, GUARD)),
        Directive(d.func, d.stage, "rfactor", (strip, u), made),
        Directive(made, 0, "compute_root"),
        *(Directive(made, 0, "vectorize", (x, lanes, GUARD)) for x in along),
    ]
    if unrolled:
        out.append(Directive(made, 1, "unroll", (first, unrolled, GUARD)))
    else:
        out += [Directive(made, 1, "atomic"), Directive(made, 1, "vectorize", (first, lanes, GUARD))]
    return [*out, Directive(made, 1, "parallel", (u,))]


def _func(function: Function) -> Placement:
    out = Placement.__new__(Placement)
    out._function, out._stage = function, 0
    return out


def _plain(a: Operand, owner: Function) -> Any:
    if not isinstance(a, Loop):
        return a
    return a.name if a.reduction is None else reduction_name(owner, a.reduction) or a.name


def reduction_name(function: Function, place: tuple[int, int]) -> str | None:
    """What the variable of a reduction is called that stands at a place, as in Loop; names count up in a process."""
    update, k = place
    domain = function.definitions()[update + 1].domain
    return domain.variables[k][0] if domain is not None and k >= 0 else None


def _owner(d: Directive) -> str:
    """The Func whose loops a directive names."""
    return d.args[0].name if d.args and isinstance(d.args[0], FuncName) else d.func


def identifier(name: str) -> str:
    """`name` as an identifier of Python and C++."""
    text = re.sub(r"\W+", "_", name)
    return text if text and not text[0].isdigit() else f"v{text}"


class _Text:
    """Prints a schedule.  `space`: the name space of Halide; `python` where that is not empty.  `spelled`: the variable
    of a Func or of a loop that is `declared`."""

    def __init__(
        self, schedule: Schedule, space: str, spelled: Callable[[str], str] = identifier,
        declared: Collection[str] = (),
    ) -> None:
        self.directives = schedule.written_out()
        self.space, self.spelled, self.declared = space, spelled, declared
        self.is_python = bool(space)

    def lines(self) -> list[str]:
        made = {d.result for d in self.directives if d.result is not None}
        first = {d.func for d in self.directives} - made
        lines = [*self.variables(), *self.reductions(first, 0)]
        lines += [""] if lines else []
        last: tuple[str, int] | None = None
        calls: list[str] = []
        for k, d in enumerate(self.directives):
            here = d.func, 0 if d.method in _OF_FUNCS else d.stage
            if d.result is not None:
                lines += self.chain(last, calls)
                last, calls = None, []
                name = self.spelled(d.result)
                start = f"{name} = " if self.is_python else f"Func {name} = "
                lines.append(f"{start}{self.stage(*here)}{self.call(d)}{self.end()}")
                lines += self.reductions({d.func, d.result}, k + 1)
                continue
            if here != last:
                lines += self.chain(last, calls)
                last, calls = here, []
            calls.append(self.call(d))
        return [*lines, *self.chain(last, calls)]

    def text(self) -> str:
        return "\n".join(self.lines()) + "\n"

    def end(self) -> str:
        return "" if self.is_python else ";"

    def chain(self, stage: tuple[str, int] | None, calls: list[str]) -> list[str]:
        if stage is None:
            return []
        start = self.stage(*stage)
        if self.is_python:
            # A line each: a person can take one out.
            return [f"{start}{c}" for c in calls]
        return [start, *(f"    {c}" for c in calls[:-1]), f"    {calls[-1]};"]

    def stage(self, func: str, stage: int) -> str:
        return self.spelled(func) + (f".update({stage - 1})" if stage else "")

    def call(self, d: Directive) -> str:
        words = [self.operand(d, a) for a in d.args]
        args = ", ".join(words)
        if d.method == "rfactor":
            pairs = zip(words[::2], words[1::2], strict=True)
            args = ", ".join(f"({r}, {v})" if self.is_python else f"{{{r}, {v}}}" for r, v in pairs)
            args = f"[{args}]" if self.is_python else f"{{{args}}}"
        method = d.method if self.is_python else d.method.rstrip("_")
        return f".{method}({args})"

    def operand(self, d: Directive, a: Operand) -> str:
        match a:
            case TailStrategy():
                return f"hl.TailStrategy.{a.name}" if self.is_python else f"TailStrategy::{a.name}"
            case MemoryType():
                return f"hl.MemoryType.{a.name}" if self.is_python else f"MemoryType::{a.name}"
            case Loop():
                return self.loop(_owner(d), a)
            case FuncName():
                return self.spelled(a.name)
        return str(a)

    def loop(self, func: str, a: Loop) -> str:
        if a.reduction is None:
            return self.spelled(a.name) if a.name in self.declared else identifier(a.name)
        return identifier(f"{func}_{a.name}")

    def variables(self) -> list[str]:
        """Declarations of the pure variables that the directives use."""
        pure: dict[str, str] = {}
        for d in self.directives:
            loops = [a for a in d.args if isinstance(a, Loop) and a.reduction is None and a.name not in self.declared]
            pure |= {identifier(a.name): a.name for a in loops}
        return [f"{v} = {self.space}Var(\"{n}\")" if self.is_python else f"Var {v}(\"{n}\");" for v, n in pure.items()]

    def reductions(self, funcs: set[str], start: int) -> list[str]:
        """Declarations of the variables of the reductions of `funcs` that directives use from number `start` on: until
        the next one that makes other reductions of them."""
        found: dict[str, str] = {}
        done: set[str] = set()
        for d in self.directives[start:]:
            for a in d.args:
                if not isinstance(a, Loop) or a.reduction is None or _owner(d) not in funcs - done:
                    continue
                update, place = a.reduction
                made = f"{self.space}RVar(\"{a.name}\")"
                own = f"{self.spelled(_owner(d))}.rvars({update})[{place}]"
                found[self.loop(_owner(d), a)] = made if place < 0 else own
            if d.result is not None:
                done.add(d.func)
        return [f"{'' if self.is_python else 'RVar '}{v} = {e}{self.end()}" for v, e in found.items()]

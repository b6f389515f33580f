"""One call of a lifted function inside a pipeline: its Funcs, reading what other calls have computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import halide_core as hl
from codegen.composed_memory import Box, ComposeError, Layer, Memory
from codegen.pipeline import PathBuilder
from codegen.plan import plan_path
from codegen.variants import path_condition
from halide_core.errors import HalideError
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import Call, CallType, Expr, const_value
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.names import address_name
from lifter.ir.summary import FuncSummary, Layout, Summary, var


def call(summary: Summary, scalars: Mapping[str, Expr], memories: Mapping[str, Memory | None]) -> dict[str, Memory]:
    """What the pointers' memories hold after a call; each pointer has memory of its own.

    Sizes and strides must be numbers.  Raises ComposeError where the call does not meet the contract, where a size is
    not known, and where memory is read that nobody has given values."""
    values = {n: v for n, e in scalars.items() if (v := const_value(e)) is not None}
    number = _path(summary, values, memories)
    built = _Call(summary, number, scalars, memories, values)
    return built.make()


def _path(summary: Summary, values: Mapping[str, Any], memories: Mapping[str, Memory | None]) -> int:
    name = summary.function.name
    # Memories far apart; nobody lies at zero.
    addresses = {address_name(p): 0 if m is None else (k + 1) << 36 for k, (p, m) in enumerate(memories.items())}
    env = {**values, **addresses}
    for number, path in enumerate(summary.paths):
        if all(_holds(c, env, name) for c in path.conditions):
            if _holds(path_condition(summary, number), env, name):
                return number
            broken = [i.text for i in path.contract if i.condition is not None and not _holds(i.condition, env, name)]
            raise ComposeError(f"the call of {name} does not meet: {'; '.join(broken) or 'what it says of its memory'}")
    raise ComposeError(f"nothing is known of {name} for these arguments")


def _holds(condition: Expr, env: Mapping[str, Any], name: str) -> bool:
    try:
        return bool(evaluate(condition, env).item())
    except HalideError as problem:
        raise ComposeError(f"what {name} does depends on a parameter that is not a number: {problem}") from None


class _Call(PathBuilder):
    def __init__(
        self,
        summary: Summary,
        number: int,
        scalars: Mapping[str, Expr],
        memories: Mapping[str, Memory | None],
        values: Mapping[str, Any],
    ) -> None:
        super().__init__(summary, plan_path(summary, number))
        self.memories = memories
        self.values = values
        self.rename = dict(scalars)
        self.reads: dict[str, Any] = {}

    def make(self) -> dict[str, Memory]:
        if self.plan.path.result is not None and not self.plan.outputs:
            raise ComposeError(f"{self.summary.function.name} returns a number; only images can be composed")
        for i in self.plan.path.inputs:
            if i.layout.array in self.summary.function.tables:
                self.images[i.name] = self.declared(i)
            else:
                self.reads[i.name] = self.memory(i.layout.array).reader(self.box(i.layout))
        for f in self.plan.path.funcs:
            self.funcs[f.name] = hl.Func(f.name)
            self.define(f, self.funcs[f.name])
        out = {n: m for n, m in self.memories.items() if m is not None}
        for f in self.plan.outputs:
            array, box = f.layout.array, self.box(f.layout)
            before = out.get(array)
            layers = () if before is None else before.layers
            out[array] = Memory(f.type, (*layers, Layer(box, self.value(f))), array)
        return out

    def value(self, f: FuncSummary) -> Any:
        func = self.funcs[f.name]

        def at(coords: tuple[Expr, ...]) -> Expr:
            return Call(f.type, func.name(), coords, CallType.HALIDE, 0, func._function)

        return at

    def memory(self, array: str) -> Memory:
        found = self.memories.get(array)
        if found is None:
            raise ComposeError(f"{self.summary.function.name} reads '{array}', which was not given")
        return found

    def number(self, p: Poly) -> int:
        try:
            return int(evaluate(from_poly(p), self.values).item())
        except HalideError as problem:
            name = self.summary.function.name
            raise ComposeError(f"a size of {name} depends on a parameter that is not a number: {problem}") from None

    def box(self, layout: Layout) -> Box:
        dims = []
        for d in layout.dims:
            assert d.stride is not None
            dims.append((self.number(d.min), self.number(d.extent), self.number(d.stride)))
        return Box(self.number(layout.offset), tuple(dims))

    def image(self, n: Call) -> Expr:
        found = self.reads.get(n.name)
        return super().image(n) if found is None else found(n.args)

    def untouched(self, f: FuncSummary) -> Expr:
        coords = tuple(var(d.name) for d in f.layout.dims)
        return self.memory(f.layout.array).reader(self.box(f.layout))(coords)

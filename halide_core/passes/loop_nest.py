"""The loops of one definition, from its splits, fusions and order."""

from __future__ import annotations

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Fuse, ReductionDomain, Split, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, Expr, Variable, const
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import substitute, variables


def stage_variable(function: Function, stage: int, var: str) -> str:
    """The loop's name in the lowered program."""
    return f"{function.name}.s{stage}.{var}"


def build_loop_nest(
    function: Function,
    stage: int,
    definition: Definition,
    box: list[tuple[Expr, Expr]],
    promises: dict[str, tuple[Expr, Expr]],
) -> st.Stmt:
    """Loops over `box` (min, extent by dimension) and the reduction domain, around a Provide.

    A split's last block is cut short: by a shorter inner loop where the outer loop lies outside it, else by a
    condition.  ShiftInwards moves the last block back instead where the extent allows.  Enters the range of every
    original variable into `promises`."""
    builder = _Nest(function, stage, definition)
    return builder.build(box, promises)


class _Nest:
    def __init__(self, function: Function, stage: int, definition: Definition) -> None:
        self.function = function
        self.stage = stage
        self.definition = definition
        self.order = [d.var for d in definition.schedule.dims]  # innermost first
        self.extent: dict[str, Expr] = {}
        self.low: dict[str, Expr] = {}
        self.value: dict[str, Expr] = {}
        self.guards: list[Expr] = []
        self.how: dict[int, tuple[str, Expr, Expr]] = {}
        self.fused: dict[int, tuple[Expr, Expr, Expr]] = {}

    def loop(self, var: str) -> Expr:
        return Variable(I32, stage_variable(self.function, self.stage, var))

    def build(self, box: list[tuple[Expr, Expr]], promises: dict[str, tuple[Expr, Expr]]) -> st.Stmt:
        domain = self.definition.domain
        ranges: dict[str, tuple[Expr, Expr]] = {}
        live = {v for v in self._roots()}
        for name, (low, extent) in zip(self.function.args, box, strict=True):
            if name in live:
                ranges[name] = (low, extent)
        if domain is not None:
            # A compiler-made domain may depend on a pure variable that is a loop as it stands.
            loops = {n: self.loop(n) for n in self.function.args if n in self.order}
            ranges |= {n: (substitute(low, loops), substitute(extent, loops)) for n, low, extent in domain.variables}
        for name, (low, extent) in ranges.items():
            self.low[name], self.extent[name] = low, extent
        for number, s in enumerate(self.definition.schedule.splits):
            if isinstance(s, Split):
                self._split(s, number)
            else:
                self._fuse(s, number)
        for name in self.order:
            self.value[name] = self.loop(name)
        for number, s in reversed(list(enumerate(self.definition.schedule.splits))):
            if isinstance(s, Split):
                self._value_of_split(s, number)
            else:
                self._value_of_fuse(s, number)
        return self._assemble(ranges, domain, promises)

    def _roots(self) -> set[str]:
        made = set(self.order)
        for s in reversed(self.definition.schedule.splits):
            if isinstance(s, Split):
                made = made - {s.outer, s.inner} | {s.old}
            else:
                made = made - {s.fused} | {s.inner, s.outer}
        return made

    def _leaves(self, var: str, after: int) -> set[str]:
        """The loops that `var`, as it stands after split number `after`, ends up in."""
        made = {var}
        for s in self.definition.schedule.splits[after + 1 :]:
            if isinstance(s, Split) and s.old in made:
                made = made - {s.old} | {s.outer, s.inner}
            elif isinstance(s, Fuse) and (s.inner in made or s.outer in made):
                made = made - {s.inner, s.outer} | {s.fused}
        return made

    def _split(self, s: Split, number: int) -> None:
        low, extent = self.low[s.old], self.extent[s.old]
        factor = const(s.factor, I32)
        blocks = simplify_index(ir.Div(I32, extent + (s.factor - 1), factor))
        self.low[s.outer], self.extent[s.outer] = const(0, I32), blocks
        self.low[s.inner], self.extent[s.inner] = const(0, I32), factor
        whole = ir.const_value(extent)
        if whole is not None and int(whole) % s.factor == 0:
            self.how[number] = ("exact", low, extent)
        elif s.tail is TailStrategy.ShiftInwards and self.stage == 0:
            # Moves back only where one whole block exists; a smaller extent is a shorter inner loop.
            self.how[number] = ("shift", low, extent)
            self.extent[s.inner] = simplify_index(ir.Min(I32, extent, factor))
        elif self._encloses(s, number):
            self.how[number] = ("cut", low, extent)
            self.extent[s.inner] = ir.Min(I32, simplify_index(extent - self.loop(s.outer) * s.factor), factor)
        else:
            self.how[number] = ("guard", low, extent)

    def _encloses(self, s: Split, number: int) -> bool:
        """Whether the outer loop of `s` is a loop as it is, outside all that its inner loop becomes."""
        if self._leaves(s.outer, number) != {s.outer} or s.outer not in self.order:
            return False
        place = self.order.index(s.outer)
        return all(self.order.index(v) < place for v in self._leaves(s.inner, number))

    def _fuse(self, s: Fuse, number: int) -> None:
        self.fused[number] = (self.low[s.inner], self.extent[s.inner], self.low[s.outer])
        loops = {stage_variable(self.function, self.stage, v) for v in self.order}
        if variables(self.extent[s.inner]) & loops or variables(self.extent[s.outer]) & loops:
            raise HalideError(
                f"fuse: loops {s.inner} and {s.outer} of Func {self.function.name} have extents that depend on other "
                "loops; split with a factor that divides the extent first"
            )
        extent = simplify_index(self.extent[s.inner] * self.extent[s.outer])
        self.low[s.fused], self.extent[s.fused] = const(0, I32), extent

    def _value_of_split(self, s: Split, number: int) -> None:
        how, low, extent = self.how[number]
        outer, inner = self.value[s.outer], self.value[s.inner]
        start = outer * s.factor
        if how == "shift":
            start = ir.Max(I32, ir.Min(I32, start, extent - s.factor), const(0, I32))
        elif how == "guard":
            self.guards.append(start + inner < extent)
        self.value[s.old] = simplify_index(low + start + inner)

    def _value_of_fuse(self, s: Fuse, number: int) -> None:
        low_i, extent_i, low_o = self.fused[number]
        fused = self.value[s.fused]
        self.value[s.inner] = simplify_index(low_i + ir.Mod(I32, fused, extent_i))
        self.value[s.outer] = simplify_index(low_o + ir.Div(I32, fused, extent_i))

    def _assemble(
        self,
        ranges: dict[str, tuple[Expr, Expr]],
        domain: ReductionDomain | None,
        promises: dict[str, tuple[Expr, Expr]],
    ) -> st.Stmt:
        names = {n: stage_variable(self.function, self.stage, f"{n}$") for n in ranges}
        for n, (low, extent) in ranges.items():
            promises[names[n]] = (low, simplify_index(low + extent - 1))
            if domain is not None and n in domain.promised:
                promises[names[n]] = domain.promised[n]
        inner = {n: Variable(I32, names[n]) for n in ranges}
        values = tuple(substitute(v, inner) for v in self.definition.values)
        args = tuple(substitute(a, inner) for a in self.definition.args)
        body: st.Stmt = st.Provide(self.function.name, values, args)
        for p in reversed(domain.predicates if domain is not None else []):
            body = st.IfThenElse(substitute(p, inner), body)
        for n in ranges:
            if n not in self.value:
                raise HalideError(f"Func {self.function.name}: dimension {n} has no loop")
            body = st.LetStmt(names[n], self.value[n], body)
        for g in self.guards:
            body = st.IfThenElse(simplify_index(g), body)
        for dim in self.definition.schedule.dims:
            loop = stage_variable(self.function, self.stage, dim.var)
            body = st.For(loop, self.low[dim.var], simplify_index(self.extent[dim.var]), dim.kind, body)
        return body

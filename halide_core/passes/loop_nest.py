"""The loops of one definition, from its splits, fusions and order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Fuse, Once, ReductionDomain, Rename, Split, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, CallType, Expr, Variable, const
from halide_core.ir.named_calls import ATOMIC
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import same, substitute, variables
from halide_core.passes.bounds import never_true
from halide_core.passes.boxes import Asked, AskedRanges
from halide_core.passes.races import atomic_operand, is_pure_loop, roots_of, runs_in_order


def stage_variable(function: Function, stage: int, var: str) -> str:
    """The loop's name in the lowered program."""
    return f"{function.name}.s{stage}.{var}"


def build_loop_nest(
    function: Function,
    stage: int,
    definition: Definition,
    box: list[tuple[Expr, Expr]],
    promises: dict[str, tuple[Expr, Expr]],
    asked: AskedRanges,
    wanted: Mapping[int, Asked] | None = None,
) -> st.Stmt:
    """Loops over `box` (min, extent by dimension) and the reduction domain, around a Provide.

    What a split does with its last block is its tail strategy's:

        GuardWithIf, Predicate*   cut short: by a shorter inner loop where the outer loop lies outside it, else by a
                                  condition
        RoundUp, PredicateLoads   run in full, beyond the range
        ShiftInwards              moved back to end where the range ends; below its start if it is shorter than a block
        ...AndBlend               as RoundUp and ShiftInwards, but points outside the block keep their values

    Enters the range that every original variable really takes into `promises`, and that of which loops run beyond it
    into `asked`; of a stage inside of such loops `wanted` has by dimension what is asked of it outside of them."""
    builder = _Nest(function, stage, definition, asked, wanted or {})
    return builder.build(box, promises)


def _never_runs(domain: ReductionDomain) -> bool:
    """Whether no point of `domain` meets its conditions."""
    scope = {n: (low, simplify_index(low + extent - 1)) for n, low, extent in domain.variables}
    return any(never_true(p, scope) for p in domain.predicates)


class _Nest:
    def __init__(
        self,
        function: Function,
        stage: int,
        definition: Definition,
        asked: AskedRanges,
        wanted: Mapping[int, Asked],
    ) -> None:
        self.asked = asked
        self.wanted = {function.args[k]: a for k, a in wanted.items()}
        self.function = function
        self.stage = stage
        self.definition = definition
        self.order = [d.var for d in definition.schedule.dims]  # innermost first
        self.extent: dict[str, Expr] = {}
        self.low: dict[str, Expr] = {}
        self.value: dict[str, Expr] = {}
        self.guards: list[Expr] = []
        # Conditions inside the definitions of the original variables: what they exclude still counts as touched.
        self.blends: list[Expr] = []
        # By the number of a split: how it is done, the min and the extent of what is split, and how many blocks it has.
        # A loop that is split later may give its name to one of the parts.
        self.how: dict[int, tuple[str, Expr, Expr, Expr]] = {}
        self.fused: dict[int, tuple[Expr, Expr, Expr]] = {}
        # What elements are updated by where loops over blocks and threads meet in them: (operation, operand).
        self.atomic = self._meets()
        # Where the values of a variable differ from its declared range: (min, max).
        self.reach: dict[str, tuple[Expr, Expr]] = {}

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
            match s:
                case Split():
                    self._split(s, number)
                case Fuse():
                    self._fuse(s, number)
                case Rename():
                    self.low[s.new], self.extent[s.new] = self.low[s.old], self.extent[s.old]
                case Once():
                    self.low[s.var], self.extent[s.var] = const(0, I32), const(1, I32)
        for name in self.order:
            self.value[name] = self.loop(name)
            loop = stage_variable(self.function, self.stage, name)
            self.asked.within[loop] = frozenset((loop,))
        for number, s in reversed(list(enumerate(self.definition.schedule.splits))):
            match s:
                case Split():
                    self._value_of_split(s, number)
                case Fuse():
                    self._value_of_fuse(s, number)
                case Rename():
                    self.value[s.old] = self.value[s.new]
                    if s.new in self.reach:
                        self.reach[s.old] = self.reach.pop(s.new)
        return self._assemble(ranges, domain, promises)

    def _roots(self) -> set[str]:
        made = set(self.order)
        for s in reversed(self.definition.schedule.splits):
            match s:
                case Split():
                    made = made - {s.outer, s.inner} | {s.old}
                case Fuse():
                    made = made - {s.fused} | {s.inner, s.outer}
                case Rename():
                    made = made - {s.new} | {s.old}
        return made

    def _leaves(self, var: str, after: int) -> set[str]:
        """The loops that `var`, as it stands after split number `after`, ends up in."""
        made = {var}
        for s in self.definition.schedule.splits[after + 1 :]:
            match s:
                case Split() if s.old in made:
                    made = made - {s.old} | {s.outer, s.inner}
                case Fuse() if s.inner in made or s.outer in made:
                    made = made - {s.inner, s.outer} | {s.fused}
                case Rename() if s.old in made:
                    made = made - {s.old} | {s.new}
        return made

    def _is_fused(self, var: str, after: int) -> bool:
        """Whether `var`, or a loop that it becomes after split number `after`, is fused with another."""
        made = {var}
        for s in self.definition.schedule.splits[after + 1 :]:
            match s:
                case Split() if s.old in made:
                    made |= {s.outer, s.inner}
                case Rename() if s.old in made:
                    made |= {s.new}
                case Fuse() if s.inner in made or s.outer in made:
                    return True
        return False

    def _split(self, s: Split, number: int) -> None:
        low, extent = self.low[s.old], self.extent[s.old]
        factor = const(s.factor, I32)
        blocks = simplify_index(ir.Div(I32, extent + (s.factor - 1), factor))
        self.low[s.outer], self.extent[s.outer] = const(0, I32), blocks
        self.low[s.inner], self.extent[s.inner] = const(0, I32), factor
        whole = ir.const_value(extent)
        if whole is not None and int(whole) % s.factor == 0:
            self.how[number] = ("exact", low, extent, blocks)
            return
        block = ir.const_value(extent.b) if isinstance(extent, ir.Min) else None
        match s.tail:
            case _ if block is not None and int(block) % s.factor == 0:
                # A whole block divides evenly, and a cut one is cut again.
                how = "cut" if self._encloses(s, number) else "guard"
            case TailStrategy.ShiftInwards:
                how = "shift"
            case TailStrategy.RoundUp | TailStrategy.PredicateLoads:
                how = "round"
            case TailStrategy.RoundUpAndBlend:
                how = "round and blend"
            case TailStrategy.ShiftInwardsAndBlend:
                how = "shift and blend"
            case _:
                how = "cut" if self._encloses(s, number) else "guard"
        self.how[number] = (how, low, extent, blocks)
        if how == "cut":
            self.extent[s.inner] = ir.Min(I32, simplify_index(extent - self.loop(s.outer) * s.factor), factor)

    def _encloses(self, s: Split, number: int) -> bool:
        """Whether the outer loop of `s` is a loop as it is, outside all that its inner loop becomes, neither of them
        part of a fused loop, which may have the name of either: that has one extent for all blocks."""
        if self._leaves(s.outer, number) != {s.outer} or s.outer not in self.order:
            return False
        if self._is_fused(s.outer, number) or self._is_fused(s.inner, number):
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
        how, low, extent, blocks = self.how[number]
        outer, inner = self.value[s.outer], self.value[s.inner]
        parts = (self.reach.pop(s.outer, None), self.reach.pop(s.inner, None))
        start = outer * s.factor
        if how.startswith("shift"):
            start = ir.Min(I32, start, extent - s.factor)
        value = simplify_index(low + start + inner)
        if how == "shift and blend":
            self.blends.append(start + inner >= outer * s.factor)
        elif how == "round and blend":
            self.blends.append(start + inner < extent)
        elif how == "guard" or (how == "cut" and parts[1] is not None):
            # The inner loops may run past a block that was cut.
            self.guards.append(start + inner < extent)
        self.value[s.old] = value
        if how in ("guard", "exact", "cut") and parts == (None, None):
            return
        outer_low, outer_high = parts[0] or (const(0, I32), simplify_index(blocks - 1))
        inner_low, inner_high = parts[1] or (const(0, I32), const(s.factor - 1, I32))
        first, last = outer_low * s.factor, outer_high * s.factor
        if how.startswith("shift"):
            first, last = ir.Min(I32, first, extent - s.factor), ir.Min(I32, last, extent - s.factor)
            if parts[0] is None:
                last = extent - s.factor
        high = low + last + inner_high
        if how in ("guard", "cut"):
            high = low + extent - 1
        self.reach[s.old] = (simplify_index(low + first + inner_low), simplify_index(high))

    def _value_of_fuse(self, s: Fuse, number: int) -> None:
        low_i, extent_i, low_o = self.fused[number]
        fused = self.value[s.fused]
        self.value[s.inner] = simplify_index(low_i + ir.Mod(I32, fused, extent_i))
        self.value[s.outer] = simplify_index(low_o + ir.Div(I32, fused, extent_i))
        if s.fused in self.reach:
            low, high = (simplify_index(ir.Div(I32, e, extent_i)) for e in self.reach.pop(s.fused))
            self.reach[s.outer] = (simplify_index(low_o + low), simplify_index(low_o + high))

    def _assemble(
        self,
        ranges: dict[str, tuple[Expr, Expr]],
        domain: ReductionDomain | None,
        promises: dict[str, tuple[Expr, Expr]],
    ) -> st.Stmt:
        names: dict[str, str] = {}
        for n, (low, extent) in ranges.items():
            promise = self.reach.get(n) or (low, simplify_index(low + extent - 1))
            if domain is not None and n in domain.promised:
                promise = domain.promised[n]
            elif self._spans(n):
                # Its loops reach just the range, so that there is nothing to add to what they say.
                names[n] = self._even(n, low, extent)
                continue
            names[n] = self._promised(n, promise, promises)
            self._ask(n, names[n], low, extent)
        inner = {n: Variable(I32, names[n]) for n in ranges}
        values = tuple(substitute(v, inner) for v in self.definition.values)
        if self.atomic is not None:
            name, operand = self.atomic
            operand = substitute(operand, inner)
            values = (ir.Call(operand.type, ATOMIC + name, (operand,), CallType.EXTERN),)
        args = tuple(substitute(a, inner) for a in self.definition.args)
        body: st.Stmt = st.Provide(self.function.name, values, args)
        if domain is not None and _never_runs(domain):
            # Nothing is read or written; the loops stay, for what other stages do in them.
            body = st.Block(())
        for b in self.blends:
            body = st.IfThenElse(simplify_index(b), body)
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
            extent = simplify_index(self.extent[dim.var])
            body = st.For(loop, self.low[dim.var], extent, self._kind(dim.var, dim.kind), body)
        return body

    def _even(self, var: str, low: Expr, extent: Expr) -> str:
        """A name for the values of a variable that its loops say all of."""
        number, name = 0, stage_variable(self.function, self.stage, f"{var}.even$")
        while not self._ask(var, name, low, extent):
            number += 1
            name = stage_variable(self.function, self.stage, f"{var}.even.{number}$")
        return name

    def _ask(self, var: str, name: str, low: Expr, extent: Expr) -> bool:
        """Notes what is asked of a variable outside of its loops, if they run beyond; False if the name has another
        range already."""
        loops = frozenset(stage_variable(self.function, self.stage, v) for v in self._leaves(var, -1))
        rounds = self._runs_beyond(var)
        if rounds:
            self.asked.loops |= loops
        found = self.wanted.get(var)
        if found is not None:
            found = replace(found, loops=found.loops | loops)
        elif rounds:
            found = Asked(low, simplify_index(low + extent - 1), loops)
        before = self.asked.of.get(name)
        if before is not None and (found is None or not _equal(before, found)):
            return False
        if found is not None:
            self.asked.of[name] = found
        return True

    def _runs_beyond(self, var: str) -> bool:
        """Whether a split of `var`, or of what it becomes, runs beyond its range."""
        rounded = (self.definition.schedule.splits[k] for k, (how, *_) in self.how.items() if how == "round")
        return any(isinstance(s, Split) and var in roots_of(self.definition, s.old) for s in rounded)

    def _spans(self, var: str) -> bool:
        """Whether `var` is split, and all blocks are whole: known to be, or by going beyond the range."""
        made = {var}
        for number, s in enumerate(self.definition.schedule.splits):
            match s:
                case Split() if s.old in made:
                    if self.how[number][0] != "exact" and (self.how[number][0] != "round" or s.old != var):
                        return False
                    made |= {s.outer, s.inner}
                case Fuse() if s.inner in made or s.outer in made:
                    return False
                case Rename() if s.old in made:
                    made.add(s.new)
        return len(made) > 1

    def _promised(self, var: str, promise: tuple[Expr, Expr], promises: dict[str, tuple[Expr, Expr]]) -> str:
        """A name for the values of `var` that `promises` holds this range for; a stage that is computed in several
        places has several."""
        name = stage_variable(self.function, self.stage, f"{var}$")
        number = 0
        while (name in promises and not all(map(same, promises[name], promise))) or name in self.asked.of:
            number += 1
            name = stage_variable(self.function, self.stage, f"{var}.{number}$")
        promises[name] = promise
        return name

    def _meets(self) -> tuple[str, Expr] | None:
        """How elements are updated in one step, where iterations of loops of a device may meet in them, and atomic says
        that they may."""
        dims = self.definition.schedule.dims
        if not self.stage or not self.definition.schedule.atomic or any(d.kind is st.ForKind.VECTORIZED for d in dims):
            return None
        loops = [d.var for d in dims if d.kind in st.GPU_KINDS]
        if all(is_pure_loop(self.function, self.definition, v, in_order=True) for v in loops):
            return None
        return atomic_operand(self.function, self.definition)

    def _kind(self, var: str, kind: st.ForKind) -> st.ForKind:
        """How loop `var` is run: where atomic or allow_race_conditions let iterations meet, serially, unless a device
        updates elements in one step."""
        if kind in st.GPU_KINDS and self.atomic is not None:
            return kind
        parallel = kind in st.UNORDERED_KINDS and self.stage
        if parallel and not is_pure_loop(self.function, self.definition, var, in_order=True):
            if kind is st.ForKind.GPU_BLOCK:
                raise HalideError(
                    f"Func {self.function.name}.update({self.stage - 1}): blocks of loop {var} meet in one element, "
                    "for which a device would have to update it atomically; use rfactor, or another loop for the blocks"
                )
            return st.ForKind.SERIAL
        if kind is st.ForKind.VECTORIZED and runs_in_order(self.function, self.stage, self.definition, var):
            return st.ForKind.SERIAL
        return kind


def _equal(a: Asked, b: Asked) -> bool:
    return same(a.low, b.low) and same(a.high, b.high) and a.loops == b.loops

"""Scheduling of one definition of a Func: loops split, fused, reordered and marked."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Self

from halide_core.dsl.devices import DeviceDirectives
from halide_core.dsl.loop_level import LoopLevel, variable_name
from halide_core.dsl.overloads import overloaded
from halide_core.dsl.variables import DOMAINS, RDom, RVar
from halide_core.errors import HalideError
from halide_core.function import (
    OUTERMOST,
    Definition,
    Dim,
    Function,
    Fuse,
    FusedWith,
    LoopAlignStrategy,
    Once,
    Partition,
    PrefetchBoundStrategy,
    Rename,
    Specialization,
    Split,
    StageSchedule,
    TailStrategy,
)
from halide_core.function import LoopLevel as Place
from halide_core.ir.expr import Expr, ParamVariable, Variable
from halide_core.ir.operators import as_expr
from halide_core.ir.stmt import UNORDERED_KINDS, ForKind
from halide_core.ir.structural import post_order
from halide_core.passes.races import check_atomic, check_blends, check_reorder, check_unordered

# Tail strategies that run no point outside a loop's range or twice.
_EXACT_TAILS = (TailStrategy.GuardWithIf, TailStrategy.Predicate)


class Stage(DeviceDirectives):
    """The schedule of one definition; stage 0 is the pure definition, stage i + 1 update i.

    `own` is the definition where it is a specialized one."""

    _function: Function
    _stage: int
    _own: Definition | None = None

    def __init__(self, function: Any, stage: int = 0, own: Definition | None = None) -> None:
        self._function = function if isinstance(function, Function) else function._function
        self._stage = stage
        self._own = own

    def _definition(self, stage: int) -> Definition:
        if self._own is not None and stage == self._stage:
            return self._own
        return self._function.definitions()[stage]

    def _schedule(self) -> StageSchedule:
        return self._definition(self._stage).schedule

    def _touched(self) -> StageSchedule:
        """The schedule, to which a directive is given."""
        schedule = self._schedule()
        schedule.touched = True
        return schedule

    def name(self) -> str:
        return f"{self._function.name}.update({self._stage - 1})" if self._stage else self._function.name

    def _label(self) -> str:
        return f"Func {self._function.name}" + (f".update({self._stage - 1})" if self._stage else "")

    def _dims(self) -> list[Dim]:
        return self._schedule().dims

    def _find(self, var: Any, what: str) -> int:
        name = variable_name(var)
        for i, d in enumerate(self._dims()):
            if d.var == name:
                return i
        loops = ", ".join(d.var for d in reversed(self._dims()))
        raise HalideError(f"{what}: {self._label()} has no loop {name}; its loops, outermost first, are: {loops}")

    def _is_reduction(self, var: str) -> bool:
        """Whether loop `var` is made of reduction variables."""
        definition = self._definition(self._stage)
        made = {n for n, _, _ in definition.domain.variables} if definition.domain is not None else set()
        for s in definition.schedule.splits:
            match s:
                case Split() if s.old in made:
                    made |= {s.outer, s.inner}
                case Fuse() if s.inner in made or s.outer in made:
                    made.add(s.fused)
                case Rename() if s.old in made:
                    made.add(s.new)
        return var in made

    def _is_part(self, var: str) -> bool:
        """Whether loop `var` runs within one block of a split, so that beyond its end the next block begins."""
        parts: set[str] = set()
        for s in self._schedule().splits:
            match s:
                case Split():
                    parts = parts - {s.old, s.outer} | ({s.inner, s.outer} if s.old in parts else {s.inner})
                case Fuse():
                    parts = parts - {s.inner, s.outer, s.fused} | ({s.fused} if parts & {s.inner, s.outer} else set())
                case Rename():
                    parts = parts - {s.old, s.new} | ({s.new} if s.old in parts else set())
        return var in parts

    def _taken(self) -> set[str]:
        """Names that loops of this stage have or had."""
        names = {d.var for d in self._dims()}
        for s in self._schedule().splits:
            match s:
                case Split():
                    names |= {s.old, s.outer, s.inner}
                case Fuse():
                    names |= {s.inner, s.outer, s.fused}
                case Rename():
                    names |= {s.old, s.new}
                case Once():
                    names.add(s.var)
        return names

    def _check_new(self, var: Any, new: Any, what: str, reusable: set[str]) -> str:
        old, name = variable_name(var), variable_name(new)
        if name in self._taken() - reusable:
            raise HalideError(
                f"{what}: {self._label()} already has a loop {name}, or had one earlier in its schedule"
            )
        reduction = isinstance(new, RVar | RDom)
        if isinstance(new, _Named) or isinstance(var, _Named | str) or reduction == isinstance(var, RVar | RDom):
            return name
        kinds = ("RVar", "Var") if not reduction else ("Var", "RVar")
        raise HalideError(f"{what}: {kinds[0]} {old} of {self._label()} cannot become {kinds[1]} {name}")

    def split(self, old: Any, outer: Any, inner: Any, factor: int, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Replaces loop `old` by `outer` over blocks of `factor` and `inner` within one."""
        place, name = self._find(old, "split"), variable_name(old)
        if isinstance(factor, bool) or not isinstance(factor, int) or factor < 1:
            raise HalideError(f"split: the factor of loop {name} of {self._label()} must be a positive constant")
        outer_name = self._check_new(old, outer, "split", {name})
        inner_name = self._check_new(old, inner, "split", {name})
        if outer_name == inner_name:
            raise HalideError(f"split: outer and inner loop of {name} in {self._label()} have one name")
        dims = self._dims()
        kind = dims[place].kind
        dims[place : place + 1] = [Dim(inner_name, kind), Dim(outer_name, kind)]
        self._touched().splits.append(Split(name, outer_name, inner_name, factor, self._tail(name, factor, tail)))
        check_blends(self._label(), self._definition(self._stage))
        return self

    def _tail(self, old: str, factor: int, tail: TailStrategy) -> TailStrategy:
        """The tail strategy that Auto stands for; others checked (Halide's Func.cpp, Stage::split)."""
        if self._is_reduction(old):
            if tail is not TailStrategy.Auto and tail not in _EXACT_TAILS:
                raise HalideError(
                    f"split: tail strategy {tail.name} would run points of loop {old} of {self._label()} twice or "
                    "outside its domain; use GuardWithIf, Predicate or Auto"
                )
            return TailStrategy.GuardWithIf if tail is TailStrategy.Auto else tail
        beyond = tail is TailStrategy.PredicateLoads or (tail is TailStrategy.RoundUp and self._stage > 0)
        if beyond and self._is_part(old):
            raise HalideError(
                f"split: tail strategy {tail.name} would run points of the next block of {self._label()}, for loop "
                f"{old} is the inner one of a split; use GuardWithIf"
            )
        if self._stage and tail is TailStrategy.ShiftInwards:
            raise HalideError(
                f"split: tail strategy ShiftInwards would run points of loop {old} of {self._label()} twice; "
                "use GuardWithIf, RoundUp or ShiftInwardsAndBlend"
            )
        if tail is not TailStrategy.Auto:
            return tail
        if self._stage:
            return TailStrategy.GuardWithIf if self._is_part(old) else TailStrategy.RoundUp
        # Inside an earlier, larger split that shifts inwards nothing needs to be shifted again.
        shifted: dict[str, int] = {}
        for s in self._schedule().splits:
            match s:
                case Split() if s.tail is TailStrategy.ShiftInwards:
                    shifted[s.outer] = s.factor
                case Split() if s.old in shifted:
                    shifted[s.outer] = shifted[s.inner] = shifted[s.old]
                case Rename() if s.old in shifted:
                    shifted[s.new] = shifted[s.old]
        return TailStrategy.RoundUp if shifted.get(old, 0) >= factor else TailStrategy.ShiftInwards

    def fuse(self, inner: Any, outer: Any, fused: Any) -> Self:
        """Replaces two loops by one over their pairs, in the place of the inner one.

        A pure loop and one of a reduction make one of a reduction."""
        i, o = self._find(inner, "fuse"), self._find(outer, "fuse")
        names = variable_name(inner), variable_name(outer)
        if i == o:
            raise HalideError(f"fuse: loop {names[0]} of {self._label()} is named twice")
        kinds = [self._is_reduction(n) for n in names]
        if kinds[0] != kinds[1] and not isinstance(fused, RVar | RDom):
            raise HalideError(
                f"fuse: loops {names[0]} and {names[1]} of {self._label()} mix pure and reduction variables, which "
                f"cannot become Var {variable_name(fused)}"
            )
        fused_name = self._check_new(inner if kinds[0] == kinds[1] else fused, fused, "fuse", set(names))
        dims = self._dims()
        kind = dims[i].kind
        dims[i] = Dim(fused_name, kind)
        del dims[o]
        self._touched().splits.append(Fuse(*names, fused_name))
        if kind in UNORDERED_KINDS or kind is ForKind.VECTORIZED:
            check_unordered(self._function, self._stage, self._definition(self._stage), fused_name, kind)
        return self

    def rename(self, old_name: Any, new_name: Any) -> Self:
        """Gives loop `old` another name."""
        place, name = self._find(old_name, "rename"), variable_name(old_name)
        new = self._check_new(old_name, new_name, "rename", self._taken() - {d.var for d in self._dims()})
        self._dims()[place].var = new
        self._touched().splits.append(Rename(name, new))
        return self

    @overloaded("vars")
    def reorder(self, *variables: Any) -> Self:
        """Puts the given loops, innermost first, into the places that they hold together."""
        items = list(variables[0]) if len(variables) == 1 and isinstance(variables[0], list | tuple) else variables
        places = [self._find(v, "reorder") for v in items if variable_name(v) != OUTERMOST]
        if len(set(places)) != len(places):
            raise HalideError(f"reorder: a loop of {self._label()} is named twice")
        dims = self._dims()
        new = list(dims)
        for place, old in zip(sorted(places), places, strict=True):
            new[place] = dims[old]
        check_reorder(
            self._function, self._stage, self._definition(self._stage), [d.var for d in dims], [d.var for d in new]
        )
        dims[:] = new
        self._touched()
        return self

    @overloaded(
        "x, y, xo, yo, xi, yi, xfactor, yfactor, tail?",
        "x, y, xi, yi, xfactor, yfactor, tail?",
        "previous, outers, inners, factors, tail?",
        "previous, inners, factors, tail?",
    )
    def tile(self, *args: Any) -> Self:
        """tile(x, y, xi, yi, fx, fy), tile(x, y, xo, yo, xi, yi, fx, fy), or with lists of any number of loops:
        tile(previous, inners, factors), tile(previous, outers, inners, factors).  Splits all and reorders."""
        tail = TailStrategy.Auto
        if isinstance(args[-1], TailStrategy):
            tail, args = args[-1], args[:-1]
        if isinstance(args[0], list | tuple):
            previous, outers, inners, factors = (args[0], *args) if len(args) == 3 else args
        elif len(args) == 6:
            previous, outers, inners, factors = args[:2], args[:2], args[2:4], args[4:]
        elif len(args) == 8:
            previous, outers, inners, factors = args[:2], args[2:4], args[4:6], args[6:]
        else:
            raise HalideError(f"tile: {self._label()} was given {len(args)} arguments, not 6 or 8")
        if not len(previous) == len(outers) == len(inners) == len(factors):
            raise HalideError(f"tile: the lists given for {self._label()} differ in length")
        for old, outer, inner, factor in zip(previous, outers, inners, factors, strict=True):
            self.split(old, outer, inner, factor, tail)
        return self.reorder(*inners, *outers)

    def _mark(self, var: Any, kind: ForKind) -> Self:
        place = self._find(var, kind.value)
        if kind in UNORDERED_KINDS or kind is ForKind.VECTORIZED:
            check_unordered(
                self._function, self._stage, self._definition(self._stage), self._dims()[place].var, kind
            )
        self._dims()[place].kind = kind
        self._touched()
        check_blends(self._label(), self._definition(self._stage))
        return self

    def vectorize(self, var: Any, factor: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Runs `factor` iterations of loop `var` as one vector."""
        return self._split_and_mark(var, factor, tail, ForKind.VECTORIZED)

    def unroll(self, var: Any, factor: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Writes the iterations of loop `var`, or `factor` of them, one after the other."""
        return self._split_and_mark(var, factor, tail, ForKind.UNROLLED)

    def parallel(self, var: Any, task_size: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Runs the iterations of loop `var` (in blocks of `task_size`) in any order on several threads."""
        if task_size is None:
            return self._mark(var, ForKind.PARALLEL)
        self.split(var, var, self._fresh(f"{variable_name(var)}$in"), task_size, tail)
        return self._mark(var, ForKind.PARALLEL)

    def serial(self, var: Any) -> Self:
        return self._mark(var, ForKind.SERIAL)

    def _once(self, name: str) -> _Named:
        """A new loop of one iteration around all others."""
        var = self._fresh(name)
        self._dims().append(Dim(var.name()))
        self._touched().splits.append(Once(var.name()))
        return var

    def _split_and_mark(self, var: Any, factor: int | None, tail: TailStrategy, kind: ForKind) -> Self:
        if factor is None:
            return self._mark(var, kind)
        inner = self._fresh(f"{variable_name(var)}${kind.value[0]}")
        self.split(var, var, inner, factor, tail)
        return self._mark(inner, kind)

    def _fresh(self, name: str) -> _Named:
        taken = self._taken()
        return next(_Named(n) for n in _numbered(name) if n not in taken)

    def atomic(self, override_associativity_test: bool = False) -> Self:
        """Lets the reduction loops of an associative update be run in parallel or as vectors."""
        if not override_associativity_test:
            check_atomic(self._function, self._stage, self._definition(self._stage))
        self._touched().atomic = True
        return self

    def allow_race_conditions(self) -> Self:
        """Lets loops be run in parallel or as vectors whose iterations meet in one element."""
        self._touched().allow_races = True
        return self

    def specialize(self, condition: Any) -> Stage:
        """The schedule that is used instead of this one where `condition` holds; it starts as a copy."""
        schedule, e = self._touched(), as_expr(condition)
        self._check_condition(e)
        for s in schedule.specializations:
            if s.failure is not None:
                raise HalideError(f"specialize: {self._label()} has a specialize_fail, after which nothing comes")
        copy = copied(self._definition(self._stage))
        schedule.specializations.append(Specialization(e, copy))
        return Stage(self._function, self._stage, copy)

    def _check_condition(self, e: Expr) -> None:
        if not e.type.is_bool():
            raise HalideError(f"specialize: the condition of {self._label()} has type {e.type}, not bool")
        for n in post_order(e):
            if not isinstance(n, Variable) or isinstance(n, ParamVariable):
                continue
            if n.name in DOMAINS or "." not in n.name:
                raise HalideError(
                    f"specialize: the condition {e} of {self._label()} depends on {n.name}; it may depend on "
                    "Params and on the sizes of buffers only"
                )

    def specialize_fail(self, message: str) -> None:
        """Makes a run fail with `message` where none of the specializations holds."""
        schedule = self._schedule()
        if any(s.failure is not None for s in schedule.specializations):
            raise HalideError(f"specialize_fail: {self._label()} has one already")
        schedule.specializations.append(
            Specialization(as_expr(True), copied(self._definition(self._stage)), message)
        )

    @overloaded("stage, var, align?", "loop_level, align?")
    def compute_with(self, stage: Any, var: Any = None, align: Any = LoopAlignStrategy.Auto) -> Self:
        """Runs this stage inside the loops of another, from the outermost one down to loop `var`."""
        if isinstance(stage, LoopLevel):
            handle, align = stage, align if var is None else var
        else:
            handle = LoopLevel()
            place = Place(stage._function.name, variable_name(var), stage._stage, stage._function)
            handle.level, handle.known = place, True
        if isinstance(align, LoopAlignStrategy):
            self._touched().fused_with = FusedWith(handle, (), align)
        else:
            self._touched().fused_with = FusedWith(handle, tuple((variable_name(v), a) for v, a in align))
        return self

    @overloaded("preserved", "r, v")
    def rfactor(self, preserved: Any, var: Any = None) -> Any:
        """Splits the reduction in two: partial results for each value of the preserved variables, in a new Func that
        is returned, and their combination here."""
        from halide_core.dsl.func import Func
        from halide_core.dsl.rfactor import factor_reduction

        pairs = [(preserved, var)] if var is not None else list(preserved)
        if self._stage == 0:
            raise HalideError(f"rfactor: {self._label()} is a pure definition; only updates have reductions")
        names = [(variable_name(r), variable_name(v)) for r, v in pairs]
        out = Func()
        out._function = factor_reduction(self._function, self._stage, names)
        return out

    # Hints: they bear on speed alone.
    def partition(self, var: Any, partition_policy: Partition) -> Self:
        self._find(var, "partition")
        self._touched()
        return self

    def never_partition(self, vars: Sequence[Any]) -> Self:
        for v in vars:
            self._find(v, "never_partition")
        self._touched()
        return self

    def always_partition(self, vars: Sequence[Any]) -> Self:
        for v in vars:
            self._find(v, "always_partition")
        self._touched()
        return self

    def never_partition_all(self) -> Self:
        return self

    def always_partition_all(self) -> Self:
        return self

    @overloaded("func, at, from, offset?, strategy?", "image, at, from, offset?, strategy?")
    def prefetch(
        self,
        what: Any,
        at: Any,
        from_: Any,
        offset: Any = 1,
        strategy: PrefetchBoundStrategy = PrefetchBoundStrategy.GuardWithIf,
    ) -> Self:
        for v in (at, from_):
            self._find(v, "prefetch")
        self._touched()
        return self

    def unscheduled(self) -> None:
        """States that this stage keeps its default schedule on purpose."""
        if self._schedule().touched:
            raise HalideError(f"unscheduled: {self._label()} has a schedule")
        self._touched()

    def dump_argument_list(self) -> str:
        """The loops, innermost first, as Halide lists them in its errors."""
        return "Vars: " + " ".join([*(d.var for d in self._dims()), OUTERMOST])


def copied(definition: Definition) -> Definition:
    """`definition` with a schedule of its own, without specializations."""
    old = definition.schedule
    schedule = StageSchedule([Dim(d.var, d.kind) for d in old.dims], list(old.splits), old.atomic, old.allow_races)
    schedule.touched = old.touched
    return Definition(definition.args, definition.values, schedule, definition.domain)


class _Named:
    """A loop made by the compiler."""

    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


def _numbered(name: str) -> itertools.chain[str]:
    return itertools.chain([name], (f"{name}{k}" for k in itertools.count(1)))

"""Scheduling of one definition of a Func: loops split, fused, reordered and marked."""

from __future__ import annotations

from typing import Any, Self

from halide_core.errors import HalideError
from halide_core.function import Definition, Dim, Function, Fuse, Split, TailStrategy
from halide_core.ir.stmt import ForKind
from halide_core.passes.races import check_reorder, check_unordered


class Stage:
    """The schedule of one definition; stage 0 is the pure definition, stage i + 1 update i."""

    _function: Function
    _stage: int

    def __init__(self, function: Function, stage: int) -> None:
        self._function = function
        self._stage = stage

    def _definition(self, stage: int) -> Definition:
        return self._function.definitions()[stage]

    def name(self) -> str:
        return f"{self._function.name}.update({self._stage - 1})"

    def _label(self) -> str:
        return f"Func {self._function.name}" + (f".update({self._stage - 1})" if self._stage else "")

    def _dims(self) -> list[Dim]:
        return self._definition(self._stage).schedule.dims

    def _find(self, var: Any, what: str) -> int:
        name = var if isinstance(var, str) else var.name()
        for i, d in enumerate(self._dims()):
            if d.var == name:
                return i
        loops = ", ".join(d.var for d in reversed(self._dims()))
        raise HalideError(f"{what}: {self._label()} has no loop {name}; its loops, outermost first, are: {loops}")

    def _is_reduction(self, var: str) -> bool:
        """Whether loop `var` is made of reduction variables."""
        definition = self._definition(self._stage)
        roots = {n for n, _, _ in definition.domain.variables} if definition.domain is not None else set()
        made = set(roots)
        for s in definition.schedule.splits:
            if isinstance(s, Split) and s.old in made:
                made |= {s.outer, s.inner}
            elif isinstance(s, Fuse) and (s.inner in made or s.outer in made):
                made.add(s.fused)
        return var in made

    def split(self, old: Any, outer: Any, inner: Any, factor: int, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Replaces loop `old` by `outer` over blocks of `factor` and `inner` within one."""
        place = self._find(old, "split")
        if isinstance(factor, bool) or not isinstance(factor, int) or factor < 1:
            raise HalideError(f"split: the factor of loop {old.name()} of {self._label()} must be a positive constant")
        if (
            tail in (TailStrategy.ShiftInwards, TailStrategy.RoundUp)
            and self._stage
            and (tail is TailStrategy.ShiftInwards or self._is_reduction(old.name()))
        ):
            raise HalideError(
                f"split: tail strategy {tail.name} would run points of loop {old.name()} of {self._label()} twice or "
                "outside its domain; use GuardWithIf"
            )
        dims = self._dims()
        taken = {d.var for d in dims} - {old.name()}
        for v in (outer, inner):
            if v.name() in taken:
                raise HalideError(f"split: {self._label()} already has a loop {v.name()}")
        if outer.name() == inner.name():
            raise HalideError(f"split: outer and inner loop of {old.name()} in {self._label()} have one name")
        kind = dims[place].kind
        dims[place : place + 1] = [Dim(inner.name(), kind), Dim(outer.name(), kind)]
        splits = self._definition(self._stage).schedule.splits
        splits.append(Split(old.name(), outer.name(), inner.name(), factor, tail))
        return self

    def fuse(self, inner: Any, outer: Any, fused: Any) -> Self:
        """Replaces two adjacent loops by one over their pairs."""
        i, o = self._find(inner, "fuse"), self._find(outer, "fuse")
        if self._is_reduction(inner.name()) != self._is_reduction(outer.name()):
            raise HalideError(
                f"fuse: loops {inner.name()} and {outer.name()} of {self._label()} mix pure and reduction variables"
            )
        dims = self._dims()
        dims[o] = Dim(fused.name(), dims[o].kind)
        del dims[i]
        self._definition(self._stage).schedule.splits.append(Fuse(inner.name(), outer.name(), fused.name()))
        return self

    def reorder(self, *variables: Any) -> Self:
        """Puts the given loops, innermost first, into the places that they hold together."""
        items = list(variables[0]) if len(variables) == 1 and isinstance(variables[0], list | tuple) else variables
        places = [self._find(v, "reorder") for v in items]
        if len(set(places)) != len(places):
            raise HalideError(f"reorder: a loop of {self._label()} is named twice")
        dims = self._dims()
        new = list(dims)
        for place, old in zip(sorted(places), places, strict=True):
            new[place] = dims[old]
        check_reorder(self._function, self._stage, [d.var for d in dims], [d.var for d in new])
        dims[:] = new
        return self

    def tile(self, *args: Any) -> Self:
        """tile(x, y, xi, yi, fx, fy) or tile(x, y, xo, yo, xi, yi, fx, fy): splits both and reorders."""
        tail = TailStrategy.Auto
        if isinstance(args[-1], TailStrategy):
            tail, args = args[-1], args[:-1]
        if len(args) == 6:
            x, y, xi, yi, fx, fy = args
            xo, yo = x, y
        else:
            x, y, xo, yo, xi, yi, fx, fy = args
        self.split(x, xo, xi, fx, tail)
        self.split(y, yo, yi, fy, tail)
        return self.reorder(xi, yi, xo, yo)

    def _mark(self, var: Any, kind: ForKind) -> Self:
        place = self._find(var, kind.value)
        if kind in (ForKind.PARALLEL, ForKind.VECTORIZED):
            check_unordered(self._function, self._stage, self._dims()[place].var, kind)
        self._dims()[place].kind = kind
        return self

    def vectorize(self, var: Any, factor: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Runs `factor` iterations of loop `var` as one vector."""
        return self._split_and_mark(var, factor, tail, ForKind.VECTORIZED)

    def unroll(self, var: Any, factor: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Writes the iterations of loop `var`, or `factor` of them, one after the other."""
        return self._split_and_mark(var, factor, tail, ForKind.UNROLLED)

    def parallel(self, var: Any, factor: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Runs the iterations of loop `var` (in blocks of `factor`) in any order on several threads."""
        if factor is None:
            return self._mark(var, ForKind.PARALLEL)
        inner = _Named(f"{var.name()}$in")
        self.split(var, var, inner, factor, tail)
        return self._mark(var, ForKind.PARALLEL)

    def atomic(self, override_associativity_test: bool = False) -> Self:
        """Lets the reduction loops of an associative integer update be vectorized."""
        self._definition(self._stage).schedule.atomic = True
        return self

    def serial(self, var: Any) -> Self:
        return self._mark(var, ForKind.SERIAL)

    def _split_and_mark(self, var: Any, factor: int | None, tail: TailStrategy, kind: ForKind) -> Self:
        if factor is None:
            return self._mark(var, kind)
        inner = _Named(f"{var.name()}${kind.value[0]}")
        self.split(var, var, inner, factor, tail)
        return self._mark(inner, kind)


class _Named:
    """A loop made by the compiler."""

    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name

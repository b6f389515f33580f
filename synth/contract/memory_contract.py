"""What the contract says of memory: which arrays overlap, how rows lie, what fits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from halide_core.ir.expr import I32, Call, CallType, Expr
from halide_core.ir.structural import key, post_order
from lifter.algebra.polynomial import Poly, to_poly
from lifter.algebra.symbolic_intervals import Interval, Unbounded, interval
from lifter.ir.effects import Path, loads
from lifter.ir.loop_ir import Function
from lifter.ir.names import array_of, timed
from lifter.ir.summary import Definition, FuncSummary, InputSummary, Layout, PathSummary, var
from synth.failure import NotFound
from verifier.conditions.assumed import differ
from verifier.conditions.base import Condition
from verifier.conditions.coordinate_width import granted, sums
from verifier.conditions.path import PathConditions
from verifier.contract import ContractBuilder, over_parameters


def _domain(f: FuncSummary, d: Definition) -> dict[str, Interval]:
    """What the dimensions of a definition run over."""
    one = Poly.constant(1)
    env = {x.name: (x.min, x.min + x.extent - one) for x in f.layout.dims}
    return env | {r.name: (Poly(), r.extent - one) for r in d.rdom}


@dataclass(frozen=True, slots=True)
class MemoryContract:
    """States for the Funcs of one path what must hold of the memory behind pointers."""

    function: Function
    path: Path
    contract: ContractBuilder
    holds: Callable[[Condition], bool]

    def state(self, funcs: list[FuncSummary], inputs: dict[str, InputSummary], demanding: bool) -> None:
        """Adds the items to the contract; `demanding`: also how rows of images lie.  Raises NotFound."""
        outputs = {p.name for p in self.function.params if p.pointer}
        written = [f for f in funcs if f.output]
        arrays: dict[str, list[Layout]] = {}
        for f in written:
            arrays.setdefault(f.layout.array, []).append(f.layout)
        for array, image in inputs.items():
            if array in outputs:
                arrays.setdefault(array, []).append(image.layout)
        done: set[frozenset[str]] = set()
        for f in (f for f in written if f.layout.array not in self.function.fresh):
            for o in self.function.objects:  # it was read before anything is written
                if self.function.objects_of.get(f.layout.array) != o:
                    self.contract.disjoint(f.layout.array, o, False)
            for other in arrays:
                pair = frozenset((f.layout.array, other))
                if other != f.layout.array and pair not in done and other not in self.function.fresh:
                    done.add(pair)
                    same = pair not in self.path.apart and _pointwise(funcs, inputs, f.layout.array, other)
                    if self.path.result is not None and pair & {array_of(n) for n in loads(self.path.result)}:
                        same = False  # the result may be read before the one is written, or after
                    self.contract.disjoint(f.layout.array, other, same and self._read_in_time(funcs, other))
        self._state_moved([a for a in inputs if a in outputs])
        for layout in [f.layout for f in written] + [i.layout for i in inputs.values()]:
            if layout.array in self.function.sizes and not self.contract.inside(layout):
                raise NotFound("roi", f"'{layout.array}' may be used beyond its end", self.function.line)
        for layouts in arrays.values():
            for layout in layouts:
                for d in layout.dims:
                    if d.stride is not None and d.stride.constant_value() is None:
                        self.contract.require(d.stride, "stride")
        if demanding:
            for image in inputs.values():
                self.contract.layout(image.layout)
                for f in written:
                    if f.layout.array == image.layout.array:
                        self._rows_apart(f.layout, image.layout)
            for d in (d for f in written for d in f.layout.dims):
                self.contract.small(d.min, d.min + d.extent)
        self.contract.coordinates_fit([*(f.layout for f in funcs), *(i.layout for i in inputs.values())])
        self.contract.no_overflow([f.layout for f in funcs] + [i.layout for i in inputs.values()], demanding)
        for f in funcs:
            for definition in f.definitions:
                self._fitting(f, definition)
                self._in_tables(f, definition, inputs)
        # That two pointers differ is not said where disjoint memory says so.
        self.contract.items = [
            i for i in self.contract.items if i.condition is None or not self._implied(i.condition, arrays)
        ]

    def _state_moved(self, read: list[str]) -> None:
        """Objects whose pointers are moved are written to when all is done: nothing else may see that."""
        function = self.function
        moved = list(dict.fromkeys(function.moved.values()))
        for k, o in enumerate(moved):
            for other in (x for x in function.objects if x not in moved[: k + 1]):
                self.contract.disjoint(other, o, False)
            for array in read:
                if array not in function.fresh and function.objects_of.get(array) != o:
                    self.contract.disjoint(array, o, False)

    def _rows_apart(self, written: Layout, read: Layout) -> None:
        """What is written in one row of an image is not read in another: `p[w + i] = p[w - 1]` of each row."""
        outer = written.dims[-1].stride if written.dims else None
        if outer is None or not read.dims or read.dims[-1].stride != outer or outer.constant_value() is not None:
            return
        with contextlib.suppress(Unbounded):  # then the verifier says what does not hold
            (low, high), (least, most) = (self._of_a_row(x) for x in (written, read))
            for span in (high - least, most - low):
                if over_parameters(span, self.function) and not span.names() & outer.names():
                    self.contract.require(outer - span - Poly.constant(1), "stride")

    def _of_a_row(self, layout: Layout) -> Interval:
        """From where to where the row of an image reaches whose coordinate is 0."""
        row = layout.dims[-1].name
        env = {d.name: (d.min, d.min + d.extent - Poly.constant(1)) for d in layout.dims}
        at = [Poly() if d.name == row else Poly.variable(d.name, I32) for d in layout.dims]
        return interval(layout.index(tuple(at)), env, self.contract.follows)

    def _implied(self, condition: Expr, arrays: dict[str, list[Layout]]) -> bool:
        return differ(condition, self.contract.items, arrays, self.contract.follows)

    def _in_tables(self, f: FuncSummary, d: Definition, inputs: dict[str, InputSummary]) -> None:
        """Elements of constant tables that parameters choose are there: `taps[mode]`."""
        env = _domain(f, d)
        images = {i.name: i.layout for i in inputs.values() if i.layout.array in self.function.tables}
        for n in {key(n): n for x in d.expressions() for n in post_order(x)}.values():
            if not isinstance(n, Call) or n.call_type is not CallType.IMAGE or n.name not in images:
                continue
            layout = images[n.name]
            most = Poly.constant(len(self.function.tables[layout.array].values) - 1)
            with contextlib.suppress(Unbounded):  # then the verifier says what does not hold
                low, high = interval(layout.index(tuple(map(to_poly, n.args))), env, self.contract.follows)
                for room in (low, most - high):
                    if over_parameters(room, self.function):
                        self.contract.require(room, "inside")

    def _fitting(self, f: FuncSummary, d: Definition) -> None:
        """Sums that coordinates are made of fit 32 bits."""
        env = _domain(f, d)
        promised = granted(self.path, d)
        for p, with_remainders in sums(self.function, d):
            if p not in promised:
                with contextlib.suppress(Unbounded):  # then the verifier says what does not hold
                    self.contract.small(*interval(with_remainders, env, self.contract.non_negative))

    def _read_in_time(self, funcs: list[FuncSummary], read: str) -> bool:
        """Whether, if the one Func's array and `read` are the same memory, no read of it comes after a store there: a
        row's end that overlaps what has been written is no longer the same the second time."""
        (f,) = funcs
        summary = PathSummary(self.path.conditions, (f,), (), None, tuple(self.contract.items))
        conditions = PathConditions(self.function, self.path, summary)
        by_order = {e.order: e for e in self.path.effects}
        stores = tuple(by_order[m.order] for m in f.definitions[0].maps)
        if any(e.rewritten for e in stores):
            return False
        for e in stores:
            for load in [*loads(e.value), *(loads(e.guard) if e.guard is not None else [])]:
                if array_of(load) == read:
                    # As late as it can be made: of different arrays none asks when it is.
                    late = replace(load, name=timed(read, e.order))
                    conditions.not_yet_written(late, e, to_poly(load.index), stores)
        return all(self.holds(c) for c in conditions.out)


def _pointwise(funcs: list[FuncSummary], inputs: dict[str, InputSummary], written: str, read: str) -> bool:
    """Whether the replacement is also right where both arrays are the same memory: one stage, one definition, and the
    image is read at the very point that is written."""
    image = inputs.get(read)
    if image is None or len(funcs) != 1 or len(funcs[0].definitions) != 1 or funcs[0].layout.array != written:
        return False
    f = funcs[0]
    if f.definitions[0].update or f.type != image.type or len(f.layout.dims) != len(image.layout.dims):
        return False
    if any(a.stride != b.stride for a, b in zip(f.layout.dims, image.layout.dims, strict=True)):
        return False
    if f.layout.offset != image.layout.offset:
        return False
    here = [key(var(d.name)) for d in f.layout.dims]
    return all(
        [key(a) for a in n.args] == here
        for n in post_order(f.definitions[0].value)
        if isinstance(n, Call) and n.call_type is CallType.IMAGE and n.name == image.name
    )

"""Stage two for what the caller gave (paper, section 4.2): the dimensions of every image that is read, its reads as
coordinates, and the box that they span."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from halide_core.ir.expr import Call, CallType, Expr, Load
from halide_core.ir.structural import key, post_order, transform
from halide_core.ir.types import Int, UInt
from lifter.algebra.polynomial import Poly, from_poly, poly_max, poly_min, to_poly
from lifter.algebra.symbolic_intervals import Interval, Unbounded, interval
from lifter.ir.effects import Path, loads
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import ConstArray, Function
from lifter.ir.names import array_of
from lifter.ir.summary import Dim, FuncSummary, InputSummary, Layout, Summary, dim_names
from synth.failure import NotFound, UnknownReach
from synth.read_bounds.clamp import Clamper
from synth.read_bounds.clamp_by_condition import domain, held_ends, held_where_they_matter
from synth.read_bounds.known_values import over_known
from synth.region.coordinates import NoMapping, coordinate
from synth.region.row_coordinates import Sign, image_coordinates, with_row_starts
from synth.sampling.samples import Env
from synth.staging.updates import R_NAMES
from synth.terminals.terminals import input_strides
from verifier.memory_states import Group


@dataclass(slots=True)
class ImageMapper:
    """Maps the image reads of one path's Funcs."""

    function: Function
    path: Path
    groups: list[Group]
    samples: list[Env]
    """As `apart` makes them."""
    names: Mapping[str, str]
    """What each array is called as an image."""
    non_negative: Callable[[Poly], bool]
    follows: Callable[[Poly], bool]
    """The same, asking nothing more of the caller."""
    settled: Callable[[Poly], Poly]
    """A bound with what the contract says of it."""

    def map(
        self, funcs: list[FuncSummary], result: Expr | None
    ) -> tuple[dict[str, InputSummary], list[FuncSummary]]:
        """The images by array, and the Funcs with coordinates for addresses.  Raises NotFound."""
        indices: dict[str, list[Poly]] = {}
        types: dict[str, Load] = {}
        owners: dict[str, list[Layout]] = {}
        reads: dict[str, list[tuple[Poly, Mapping[str, Interval]]]] = {}
        expressions = [(f, domain(f, d), x) for f in funcs for d in f.definitions for x in d.expressions()]
        for owner, env, e in [*expressions, *([(None, {}, result)] if result is not None else [])]:
            for load in loads(e):
                if load.name.endswith("#"):
                    array = load.name[:-1]
                    indices.setdefault(array, []).append(to_poly(load.index))
                    reads.setdefault(array, []).append((indices[array][-1], env))
                    types[array] = load
                    if owner is not None and owner.layout not in owners.setdefault(array, []):
                        owners[array].append(owner.layout)
        axes = dim_names(self.function)
        names = set(axes) | set(R_NAMES)
        inputs: dict[str, InputSummary] = {}
        for array, polys in indices.items():
            table = self.function.tables.get(array)
            name = self.names.get(array, array)
            own = next((f.layout for f in funcs if f.layout.array == array and f.output), None)
            strides = input_strides(polys, names, owners.get(array, []))
            if own is not None:
                strides = [d.stride for d in own.dims if d.stride is not None]
            if table is not None:
                strides = [Poly.constant(1)]
            if not strides:
                strides = []
            offset = own.offset if own is not None else Poly()
            dims = tuple(Dim(axes[i], Poly(), Poly.constant(1), s) for i, s in enumerate(strides))
            layout = Layout(array, offset, dims)
            with contextlib.suppress(NoMapping):  # it is said where the address is rewritten
                layout = with_row_starts(layout, reads[array], self.follows)
            inputs[array] = InputSummary(name, types[array].type, layout)
        mapped = []
        for f in funcs:
            definitions = tuple(
                replace(
                    d,
                    value=over(d.value),
                    args=tuple(map(over, d.args)),
                    where=None if d.where is None else over(d.where),
                )
                for d in f.definitions
                for over in (partial(replace_images, inputs=inputs, env=domain(f, d), follows=self.follows),)
            )
            mapped.append(replace(f, definitions=definitions))
        kept = frozenset(m.order for f in mapped for d in f.definitions for m in d.maps if m.guard_in_value)
        sizes = {name: len(table.values) for name, table in self.function.tables.items()}
        clamper = Clamper(self.path, self.groups, self.samples, inputs, self.non_negative, self.follows, sizes, kept)
        known = {f.name: f for f in mapped}
        mapped = [clamper.clamped(f, {n: g for n, g in known.items() if n != f.name}) for f in mapped]
        mapped = [held_where_they_matter(f, self.follows) for f in mapped]
        return self.regions(inputs, mapped, result), mapped

    def regions(
        self, inputs: dict[str, InputSummary], funcs: list[FuncSummary], result: Expr | None = None
    ) -> dict[str, InputSummary]:
        """The box of each image that is read."""
        out: dict[str, InputSummary] = {}
        tables = {i.name: self.function.tables[a] for a, i in inputs.items() if a in self.function.tables}
        for array, image in inputs.items():
            table = self.function.tables.get(array)
            ends: list[tuple[Poly, Poly]] | None = None
            if table is not None:
                ends = [(Poly(), Poly.constant(len(table.values) - 1))]
            for f in funcs if table is None else []:
                for d in f.definitions:
                    env = domain(f, d)
                    applied = d.where is not None
                    # What is read the same way several times spans one box.
                    for n in {key(n): n for x in d.expressions() for n in post_order(x)}.values():
                        if isinstance(n, Call) and n.call_type is CallType.IMAGE and n.name == image.name:
                            ends = self._widen(ends, n, env, tables, applied)
            if result is not None and table is None:
                for n in post_order(replace_images(result, inputs, follows=self.follows)):
                    if isinstance(n, Call) and n.call_type is CallType.IMAGE and n.name == image.name:
                        ends = self._widen(ends, n, {}, tables)
            dims = []
            for dim, (low, high) in zip(image.layout.dims, ends or [], strict=False):
                low, high = self.settled(low), self.settled(high)
                dims.append(replace(dim, min=low, extent=high - low + Poly.constant(1)))
            out[array] = replace(image, layout=replace(image.layout, dims=tuple(dims) or image.layout.dims))
        return out

    def _ends(self, p: Poly, env: dict[str, Interval]) -> Interval:
        """The ends of a coordinate, asking nothing of the caller where that will do."""
        try:
            return interval(p, env, self.follows)
        except Unbounded:
            return interval(p, env, self.non_negative)

    def _widen(
        self,
        ends: list[tuple[Poly, Poly]] | None,
        call: Call,
        env: dict[str, tuple[Poly, Poly]],
        tables: Mapping[str, ConstArray],
        applied: bool = False,
    ) -> list[tuple[Poly, Poly]]:
        try:
            plain = [over_known(inline_all(a, self.function.functions), env, tables) for a in call.args]
            here = [(held_ends(a) if applied else None) or self._ends(to_poly(a), over) for a, over in plain]
        except Unbounded as problem:
            reason = f"the part of '{call.name}' that is read is not known: {problem}"
            raise UnknownReach("terms", reason, self._arrays_in(call.args)) from None
        if ends is None:
            return here
        return [(poly_min(a, c), poly_max(b, d)) for (a, b), (c, d) in zip(ends, here, strict=True)]

    def _arrays_in(self, places: Iterable[Expr]) -> frozenset[str]:
        """The arrays of the images that coordinates read."""
        arrays = {name: array for array, name in self.names.items()}
        images = (n for e in places for n in post_order(e) if isinstance(n, Call) and n.call_type is CallType.IMAGE)
        return frozenset(arrays.get(n.name, n.name) for n in images)


def replace_images(
    e: Expr,
    inputs: Mapping[str, InputSummary],
    env: Mapping[str, Interval] | None = None,
    follows: Sign = lambda _: False,
) -> Expr:
    """`e`, whose variables run over the intervals of `env`, with addresses of images as coordinates.  Raises
    NotFound."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Load) and n.name.endswith("#"):
            image = inputs[n.name[:-1]]
            try:
                coords = image_coordinates(to_poly(n.index), image.layout, env or {}, follows)
            except NoMapping as problem:
                raise NotFound("terms", str(problem)) from None
            return Call(n.type, image.name, tuple(coordinate(c) for c in coords), CallType.IMAGE)
        return n

    return transform(e, rewrite)


FAR = (Int(16), UInt(32))
"""Types that bound what is addressed by their values, but not by much less than all memory."""


def far_reaching(summary: Summary) -> frozenset[str]:
    """The arrays of such types that say which elements of other images are read."""
    arrays: set[str] = set()
    for path in summary.paths:
        images = {i.name: i.layout.array for i in path.inputs if i.layout.array not in summary.function.tables}
        for e in (x for f in path.funcs for d in f.definitions for x in d.expressions()):
            for n in post_order(e):
                if isinstance(n, Call) and n.call_type is CallType.IMAGE and n.name in images:
                    inner = (m for a in n.args for m in post_order(a) if isinstance(m, Call) and m.type in FAR)
                    arrays.update(images[m.name] for m in inner if m.name in images)
    return frozenset(arrays)


def addressing(paths: Iterable[Path]) -> frozenset[str]:
    """The arrays whose values, of more than 8 bits, say where memory is touched."""
    effects = [e for p in paths for e in p.effects]
    places = [from_poly(e.index) for e in effects]
    values = [x for e in effects for x in (e.value, e.guard) if x is not None]
    places += [n.index for x in values for n in loads(x)]
    return frozenset(array_of(n) for x in places for n in loads(x) if n.type.bits > 8)

"""Summaries as halide_core pipelines over the caller's own memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import halide_core as hl
from codegen.in_place.exchanged_pairs import ends, mirrored_dimension
from codegen.in_place.slices import alike, compute_in_strips, independent_dimension
from codegen.in_place.store_order import Turns, turns
from codegen.math_names import extern_name
from codegen.plan import PathPlan, plan_path, repeated
from halide_core.aot.compile import RawBuffer
from halide_core.dsl.definitions import define
from halide_core.function import Image
from halide_core.interp.expr import dtype_of
from halide_core.ir import expr as E
from halide_core.ir.expr import I32, I64, Call, CallType, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, post_order, substitute, transform
from halide_core.ir.types import Type, UInt
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.c_library import as_compiled
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.summary import Definition, FuncSummary, InputSummary, Layout, Summary, var
from synth.expression.optimise import optimise

U64 = UInt(64)


@dataclass(slots=True)
class BuiltPath:
    """One path as a pipeline: its Funcs by name, and how each lies in memory."""

    plan: PathPlan
    pipeline: Any
    funcs: dict[str, Any]
    buffers: dict[str, RawBuffer]
    in_place: set[str]
    stored_like: dict[str, str]
    """Temporaries and outputs of several values by name, with outputs that lie as they are to be looked at."""
    scalars: dict[str, Expr]
    """The pipeline's parameters, by name, over the function's."""
    keep: list[Any]
    """The parameters; holding them keeps their names taken while the pipeline is in use."""
    images: list[Image]

    def layouts(self) -> dict[str, RawBuffer]:
        """How outputs, images and temporaries lie in memory, or are to be looked at."""
        return self.buffers | {name: self.buffers[output] for name, output in self.stored_like.items()}

    def arguments(self) -> list[Any]:
        """Images and parameters, in the order of Halide's calling convention."""
        return [_Argument(i) for i in self.images] + self.keep


class _Argument:
    """An image as `halide_core.aot.compile` takes arguments."""

    def __init__(self, image: Image) -> None:
        self._image = image

    def name(self) -> str:
        return self._image.name


def build_path(
    summary: Summary, number: int, together: bool = False, fixed: Mapping[str, int] | None = None,
    cheapest: bool = True,
) -> BuiltPath | None:
    """Path `number` as an unscheduled pipeline; None where it computes nothing.  `together`: outputs that read each
    other's memory may become one output of several values.  `fixed`: parameters of known value.  `cheapest`: of equal
    expressions the cheapest, which takes a search."""
    plan = plan_path(summary, number)
    if not plan.outputs and plan.path.result is None:
        return None
    return PathBuilder(summary, plan, together, fixed or {}, cheapest).build()


class PathBuilder:
    """Makes the Funcs of one path."""

    def __init__(
        self, summary: Summary, plan: PathPlan, together: bool = False, fixed: Mapping[str, int] | None = None,
        cheapest: bool = True,
    ) -> None:
        self.summary = summary
        self.cheapest = cheapest
        self.plan = plan
        self.together = together
        types = {p.name: p.type for p in summary.function.params}
        self.fixed: dict[str, Expr] = {n: const(v, types[n]) for n, v in (fixed or {}).items()}
        self.images: dict[str, Image] = {}
        self.funcs: dict[str, Any] = {}
        self.buffers: dict[str, RawBuffer] = {}
        self.in_place: set[str] = set()
        self.at_own_points: set[tuple[str, str]] = set()
        """(Func, array) where the Func reads an output's array, and at its own point only."""
        self.early: set[str] = set()
        """Outputs that are only updated and read what other ones overwrite."""
        self.stored_like: dict[str, str] = {}
        self.params: dict[str, Any] = {}
        self.rename: dict[str, Expr] = {}
        self.scalars: dict[str, Expr] = {}

    def build(self) -> BuiltPath:
        self.params = {p.name: hl.Param(p.type, p.name) for p in self.plan.parameters if p.name not in self.fixed}
        self.rename = {n: Variable(p.type(), p.name()) for n, p in self.params.items()} | self.fixed
        self.scalars = {p.name(): Variable(p.type(), n) for n, p in self.params.items()}
        tables = {i.layout.array for i in self.plan.tables}
        for i in self.plan.path.inputs:
            self.images[i.name] = self.declared(i)
            prefix = "table." if i.layout.array in tables else ""
            self.buffers[i.name] = self.raw(f"{prefix}{i.layout.array}", i.layout)
        readers = self.overwritten_reads()
        read_after = set().union(*readers.values())
        consumed = self.consumed()
        order = turns(self.plan, readers, self.at_own_points, consumed, self.together)
        outputs = self.stages(readers, consumed, order)
        outputs += self.result(read_after)
        if read_after:
            self.in_place |= {o.name() for o in outputs}
        if read_after and order is not None:
            for o in outputs:
                o._function.turn = order.turn.get(o.name(), len(self.plan.outputs) + 1)
            for group in order.together:
                outputs.append(self.output_of_several(group))
                outputs[-1]._function.turn = order.turn[group[0]]
        elif read_after:  # all of them are computed before anything is overwritten
            for o in outputs:
                o._function.turn = int(o.name() not in consumed | self.early)
        return BuiltPath(
            self.plan,
            hl.Pipeline(outputs),
            self.funcs,
            self.buffers,
            self.in_place,
            self.stored_like,
            self.scalars,
            list(self.params.values()),
            list(self.images.values()),
        )

    def stages(self, readers: dict[str, set[str]], consumed: set[str], order: Turns | None) -> list[Any]:
        """Defines the path's Funcs, each where those before it are known; the outputs but for those stored together."""
        outputs = []
        read_after = set().union(*readers.values())
        joined = {name for group in order.together for name in group} if order is not None else set()
        for f in self.plan.path.funcs:
            func = hl.Func(f.name)
            self.funcs[f.name] = func
            self.define(f, func)
            if f.name not in {o.name for o in self.plan.outputs}:
                if f.name in read_after:
                    func.compute_root()
                continue
            overwrites = f.name in consumed and bool(readers[f.layout.array])
            reads_overwritten = f.name in read_after or overwrites
            if order is not None:
                reads_overwritten = f.name not in order.turn
            if f.name not in joined:
                outputs.append(self.stored(f, func, reads_overwritten, readers, consumed))
        return outputs

    def stored(
        self, f: FuncSummary, func: Any, reads_overwritten: bool, readers: dict[str, set[str]], consumed: set[str]
    ) -> Any:
        """The Func that writes an output: its own, or one behind it where it still reads what is overwritten."""
        if reads_overwritten and f.undefined:
            # It goes on from what its memory holds: in place, before what it reads is overwritten.
            reads_overwritten = False
            self.early.add(f.name)
        if not reads_overwritten:
            self.buffers[f.name] = self.raw(f.layout.array, f.layout)
            return func
        alone = f.name not in consumed and _alone(f, readers, {o.name for o in self.plan.outputs})
        pairs = self.exchange(f, func) if alone and self.together else None
        if pairs is not None:
            return pairs
        copy = self.output(f, func)
        if alone:
            self.in_strips(f, func, copy)
        return copy

    def declared(self, i: InputSummary) -> Image:
        """An image that is read; a constant table with its values."""
        image = Image(i.name, i.type, len(i.layout.dims))
        table = self.summary.function.tables.get(i.layout.array)
        if table is not None:
            image.array = np.array(table.values, dtype=dtype_of(i.type))
        return image

    def consumed(self) -> set[str]:
        """Funcs that other Funcs or the result call."""
        values = [(f.name, e) for f in self.plan.path.funcs for d in f.definitions for e in d.expressions()]
        if self.plan.path.result is not None:
            values.append(("", self.plan.path.result))
        calls = ((name, n) for name, e in values for n in post_order(e) if isinstance(n, Call))
        return {n.name for name, n in calls if n.call_type is CallType.HALIDE and n.name != name}

    def overwritten_reads(self) -> dict[str, set[str]]:
        """For each array that an output overwrites, the Funcs that read it elsewhere than at the output's own point; ""
        stands for the result."""
        by_array = {o.layout.array: o for o in self.plan.outputs}
        out: dict[str, set[str]] = {array: set() for array in by_array}
        if self.plan.path.result is not None:
            for n in post_order(inline_all(self.plan.path.result, self.summary.functions)):
                if isinstance(n, Call) and n.call_type is CallType.IMAGE and self.image_array(n.name) in by_array:
                    out[self.image_array(n.name)].add("")
        elsewhere: set[tuple[str, str]] = set()
        for f in self.plan.path.funcs:
            here = [key(var(d.name)) for d in f.layout.dims]
            for d in f.definitions:
                whole = (self.at_own_point(f, d.value), *d.expressions()[1:])
                for n in (n for x in whole for n in post_order(x)):
                    if not isinstance(n, Call) or n.call_type is not CallType.IMAGE:
                        continue
                    array = self.image_array(n.name)
                    if array not in by_array:
                        continue
                    point = [key(a) for a in n.args] == here and not d.update
                    if by_array[array].name == f.name and point:
                        self.in_place.add(f.name)
                    else:
                        out[array].add(f.name)
                    if point and alike(self.layout_of(n.name), by_array[array].layout):
                        self.at_own_points.add((f.name, array))
                    else:
                        elsewhere.add((f.name, array))
        self.at_own_points -= elsewhere
        return out

    def layout_of(self, image: str) -> Layout:
        """How an image lies in memory."""
        return next(i.layout for i in self.plan.path.inputs if i.name == image)

    def at_own_point(self, f: FuncSummary, e: Expr) -> Expr:
        """`e` with reads of the Func's own memory at constants, where a select's condition says that a coordinate is
        that constant, at the coordinate itself."""
        names = [d.name for d in f.layout.dims]

        def rewrite(n: Expr) -> Expr:
            if not isinstance(n, E.Select) or not isinstance(n.condition, E.EQ):
                return n
            where, number = n.condition.a, n.condition.b
            if not isinstance(where, Variable) or where.name not in names or const_value(number) is None:
                return n
            place = names.index(where.name)

            def own(c: Expr) -> Expr:
                if not isinstance(c, Call) or c.call_type is not CallType.IMAGE or len(c.args) != len(names):
                    return c
                if self.image_array(c.name) != f.layout.array or key(c.args[place]) != key(number):
                    return c
                return E.with_children(c, (*c.args[:place], where, *c.args[place + 1 :]))

            return E.Select(n.type, n.condition, transform(n.true_value, own), n.false_value)

        return transform(e, rewrite)

    def raw(self, pointer: str, layout: Layout) -> RawBuffer:
        """How an array lies in the caller's memory."""
        dims = layout.dims
        return RawBuffer(
            pointer,
            self.raw_value(layout.offset),
            tuple(self.raw_value(d.min) for d in dims),
            tuple(self.raw_value(d.extent) for d in dims),
            tuple(self.raw_value(d.stride or Poly()) for d in dims),
        )

    def raw_value(self, p: Poly) -> Expr:
        """A number of the caller's, over the function's parameters."""
        e = compiled(from_poly(p, I64))
        return simplify(substitute(e, self.fixed)) if self.fixed else e

    def image_array(self, name: str) -> str:
        return next(i.layout.array for i in self.plan.path.inputs if i.name == name)

    def define(self, f: FuncSummary, func: Any) -> None:
        names = tuple(d.name for d in f.layout.dims)
        if f.undefined:
            _assign(func, tuple(var(n) for n in names), self.untouched(f))
        for d in f.definitions:
            rename = dict(self.rename)
            if d.rdom:
                rdom = hl.RDom([(0, substitute(_i32(r.extent), self.rename)) for r in d.rdom])
                for position, r in enumerate(d.rdom):
                    rename[r.name] = Variable(I32, rdom[position].name())
            if d.where is not None:
                where = inline_all(d.where, self.summary.functions)
                rdom.where(self.bind(substitute(where, rename), f, func))
            value = self.at_own_point(f, repeated(f, d, native_value(d, self.summary, self.cheapest)))
            value = self.bind(substitute(value, rename), f, func)
            args = tuple(self.bind(substitute(a, rename), f, func) for a in d.args)
            _assign(func, args, value)

    def untouched(self, f: FuncSummary) -> Expr:
        """The values that an output has before it is only updated: what its memory holds."""
        return E.intrinsic("undef", f.type)

    def bind(self, e: Expr, f: FuncSummary | None, func: Any) -> Expr:
        """`e` with its calls bound to the Funcs and images they name."""

        def rewrite(n: Expr) -> Expr:
            if isinstance(n, Call) and n.call_type is CallType.HALIDE:
                target = func if f is not None and n.name == f.name else self.funcs[n.name]
                return Call(n.type, n.name, n.args, n.call_type, 0, target._function)
            if isinstance(n, Call) and n.call_type is CallType.IMAGE:
                return self.image(n)
            return _with_symbol(n)

        return transform(e, rewrite)

    def image(self, n: Call) -> Expr:
        """A read of an image, bound to it."""
        return Call(n.type, n.name, n.args, n.call_type, 0, self.images[n.name])

    def output(self, f: FuncSummary, func: Any) -> Any:
        """The Func to be written to memory through a temporary, since it still reads what is overwritten."""
        copy = self.copy(func, f"{f.name}$out", f.type, tuple(var(d.name) for d in f.layout.dims))
        self.buffers[copy.name()] = self.raw(f.layout.array, f.layout)
        return copy

    def output_of_several(self, group: tuple[str, ...]) -> Any:
        """The outputs of `group` as the values of one, which are all computed before they are stored."""
        members = [f for f in self.plan.outputs if f.name in group]
        args = tuple(var(d.name) for d in members[0].layout.dims)
        func = hl.Func("$and$".join(f.name for f in members))
        _assign(func, args, hl.Tuple([self.funcs[f.name][args] for f in members]))
        for k, f in enumerate(members):
            self.buffers[f"{func.name()}.{k}"] = self.raw(f.layout.array, f.layout)
        self.stored_like[func.name()] = f"{func.name()}.0"
        self.funcs[func.name()] = func
        self.in_place.add(func.name())
        return func

    def exchange(self, f: FuncSummary, func: Any) -> Any | None:
        """An output of both values of each pair of elements that change places; None where there are no such pairs."""
        (d,) = f.definitions
        inputs = {i.name: i for i in self.plan.path.inputs}
        k = mirrored_dimension(f, native_value(d, self.summary, self.cheapest), inputs)
        if k is None or any(i.may_coincide for i in self.plan.path.contract):
            return None
        names = tuple(d.name for d in f.layout.dims)
        args = tuple(var(n) for n in names)
        total = self.bind(substitute(_i32(ends(f, k)), self.rename), None, None)
        # The values themselves: a Func, however dear, would read what is overwritten at another time.
        (value,) = func._function.pure.values
        pairs = hl.Func(f"{f.name}$pairs")
        _assign(pairs, args, hl.Tuple(value, substitute(value, {names[k]: total - args[k]})))
        own = self.raw(f.layout.array, f.layout)
        half = tuple((e + 1) / 2 if j == k else e for j, e in enumerate(own.extents))
        stride, first = own.strides[k], own.offset + self.raw_value(ends(f, k)) * own.strides[k]
        back = tuple(0 - stride if j == k else e for j, e in enumerate(own.strides))
        self.buffers[f"{pairs.name()}.0"] = replace(own, extents=half)
        self.buffers[f"{pairs.name()}.1"] = replace(own, offset=first, extents=half, strides=back)
        self.stored_like[pairs.name()] = f"{pairs.name()}.0"
        self.funcs[pairs.name()] = pairs
        pairs._function.exchanged = (k, total)
        return pairs

    def in_strips(self, f: FuncSummary, func: Any, output: Any) -> None:
        """Computes the temporary of an output slice by slice, where each slice needs no other."""
        (d,) = f.definitions
        inputs = {i.name: i for i in self.plan.path.inputs}
        dimension = independent_dimension(f, native_value(d, self.summary, self.cheapest), inputs)
        if dimension is not None:
            compute_in_strips(func._function, output._function, f, dimension)
            self.stored_like[func.name()] = output.name()

    def copy(self, func: Any, name: str, type_: Type, args: tuple[Expr, ...]) -> Any:
        """A Func that takes the values of `func`, which is computed into a temporary."""
        func.compute_root()
        copy = hl.Func(name)
        _assign(copy, args, Call(type_, func.name(), args, CallType.HALIDE, 0, func._function))
        self.funcs[copy.name()] = copy
        return copy

    def result(self, read_after: set[str]) -> list[Any]:
        """The output that holds the return value."""
        if self.plan.path.result is None:
            return []
        name = self.plan.result_name
        func = hl.Func(f"{name}$first" if "" in read_after else name)
        value = inline_all(self.plan.path.result, self.summary.functions)
        _assign(func, (), self.bind(substitute(value, self.rename), None, None))
        self.funcs[func.name()] = func
        if "" in read_after:
            func = self.copy(func, name, value.type, ())
        self.buffers[func.name()] = RawBuffer("", const(0, I64), (), (), ())
        return [func]


def _alone(f: FuncSummary, readers: Mapping[str, set[str]], outputs: set[str]) -> bool:
    """Whether an output, given its values at once, overwrites all of what it reads that is overwritten, and no other
    one, nor the result, reads that: other Funcs that do are computed before."""
    own = [array for array, names in readers.items() if f.name in names]
    others = readers[f.layout.array] & (outputs | {""})
    return own == [f.layout.array] and others == {f.name} and len(f.definitions) == 1


def _assign(func: Any, args: tuple[Expr, ...], value: Any) -> None:
    # Compiled code goes over the points of an update in order, so that it may read what the original reads.
    define(func._function, args, value, reads_anywhere=True)


def native_value(d: Definition, summary: Summary, cheapest: bool = True) -> Expr:
    """The definition's expression for compiled code: pure functions inlined, then the cheapest proved equivalent."""
    inlined = inline_all(d.value, summary.functions)
    if inlined is d.value or not cheapest:
        return inlined
    found, _ = optimise(inlined)
    return found


def _with_symbol(n: Expr) -> Expr:
    """A call of the C library by the symbol that is linked."""
    if not isinstance(n, Call) or n.call_type is not CallType.PURE_EXTERN:
        return n
    made = as_compiled(n)
    return Call(n.type, extern_name(n), n.args, n.call_type) if made is n else made


def compiled(e: Expr) -> Expr:
    """`e` with calls of the C library by the symbols that are linked."""
    return transform(e, _with_symbol)


def _i32(p: Poly) -> Expr:
    return from_poly(p, I32)



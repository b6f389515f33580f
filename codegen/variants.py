"""Every path of a summary as a compiled variant under its run-time checks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from codegen.autoschedule import autoschedule
from codegen.channel_variants import channel_counts
from codegen.choose_scheduler import method_of
from codegen.device_schedule import AUTO_GPU, is_for_device
from codegen.device_variant import device_variant
from codegen.pipeline import BuiltPath, build_path, compiled
from codegen.plan import PathPlan
from halide_core.aot.compile import Variant
from halide_core.autoschedule.rules.default import apply_default_schedule, small_reductions
from halide_core.backend.raw_device import DeviceVariant
from halide_core.ir import expr as E
from halide_core.ir.expr import BOOL, I64, Expr, Variable, const, const_value
from halide_core.ir.structural import nodes, substitute, variables
from halide_core.ir.types import UInt
from lifter.algebra.fold import all_hold
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.names import address_name
from lifter.ir.summary import ContractItem, Dim, Layout, Summary

U64 = UInt(64)


def path_condition(summary: Summary, number: int) -> Expr:
    """What must hold at run time for path `number`: its conditions and every item of its contract."""
    path = summary.paths[number]
    parts = list(path.conditions)
    for item in path.contract:
        parts.append(item.condition if item.condition is not None else _disjoint(summary, number, item))
    return compiled(all_hold([*parts, *_fitting(summary, number)]))


_ROOM = (1 << 31) - (1 << 20)
"""Coordinates of compiled code: beyond them is room for what loops in strips round up to."""
_FAR = 1 << 56
"""Numbers of 64 bits: sums of a few of them do not wrap."""


def _fitting(summary: Summary, number: int) -> list[Expr]:
    """Numbers of 64 bits are read as signed ones and added up; coordinates leave room for the arithmetic of loops."""
    path = summary.paths[number]
    layouts = [*(f.layout for f in path.funcs), *(i.layout for i in path.inputs)]
    ends = [p for layout in layouts for d in layout.dims for p in (d.min, d.min + d.extent)]
    ends += [r.extent for f in path.funcs for d in f.definitions for r in d.rdom]
    for layout in layouts:  # channels and pixels may run as one loop
        channels = math.prod(max(d.extent.constant_value() or 1, 1) for d in layout.dims)
        ends += [d.extent.scale(channels) for d in layout.dims if channels > 1]
    bounds = dict.fromkeys(p for p in ends if p.constant_value() is None)
    strides = [d.stride for layout in layouts for d in layout.dims if d.stride is not None]
    used = {n for p in (*bounds, *strides, *(layout.offset for layout in layouts)) for n in p.names()}
    used |= {n for i in path.contract if i.condition is not None for n in variables(i.condition)}
    out: list[Expr] = []
    for name, t in [(p.name, p.type) for p in summary.function.params if not p.pointer and p.name in used]:
        if t in (I64, U64):
            value: Expr = Variable(t, name) if t == I64 else E.Cast(I64, Variable(t, name))
            out.append(E.GE(BOOL, value, const(-_FAR if t == I64 else 0, I64)))
            out.append(E.LE(BOOL, value, const(_FAR, I64)))
    for p in bounds:
        at = from_poly(p, I64)
        out += [E.GE(BOOL, at, const(-_ROOM, I64)), E.LE(BOOL, at, const(_ROOM, I64))]
    return out


def _disjoint(summary: Summary, number: int, item: ContractItem) -> Expr:
    path = summary.paths[number]
    a, b = item.arrays
    boxes = [(f.layout, f.type) for f in path.funcs if f.output] + [(i.layout, i.type) for i in path.inputs]
    for name, size in summary.function.objects.items():
        whole = Dim("x", Poly(), Poly.constant(size), Poly.constant(1))
        boxes.append((Layout(name, Poly(), (whole,)), UInt(8)))
    parts: list[Expr] = []
    for one, t1 in (x for x in boxes if x[0].array == a):
        for two, t2 in (x for x in boxes if x[0].array == b):
            low1, high1 = _ends(one, t1.bytes())
            low2, high2 = _ends(two, t2.bytes())
            apart: Expr = E.Or(BOOL, E.LE(BOOL, high1, low2), E.LE(BOOL, high2, low1))
            if item.may_coincide:
                same = E.EQ(BOOL, Variable(U64, address_name(a)), Variable(U64, address_name(b)))
                apart = E.Or(BOOL, same, apart)
            parts.append(apart)
    return all_hold(parts)


def _ends(layout: Layout, size: int) -> tuple[Expr, Expr]:
    """Addresses of the first byte of a box and of the byte past it."""
    first = layout.offset
    last = layout.offset
    for d in layout.dims:
        assert d.stride is not None
        first = first + d.stride * d.min
        last = last + d.stride * (d.min + d.extent - Poly.constant(1))
    base = Variable(U64, address_name(layout.array))

    def address(p: Poly) -> Expr:
        return E.Add(U64, base, E.Cast(U64, from_poly(p.scale(size), I64)))

    return address(first), address(last + Poly.constant(1))


def _nothing_to_write(plan: PathPlan) -> Expr | None:
    """Whether every output is empty, where that can happen."""
    if plan.path.result is not None:
        return None
    parts: list[Expr] = []
    for f in plan.outputs:
        extents = [d.extent for d in f.layout.dims if d.extent.constant_value() is None]
        if not extents:
            return None
        none: Expr = E.make_bool(False)
        for extent in extents:
            none = E.Or(BOOL, none, E.LE(BOOL, from_poly(extent), const(0, I64)))
        parts.append(none)
    return all_hold(parts)


_FEW_SITES = 4
"""Places where a Func is read, up to which it is written out at each of them."""


def _compute_once(built: BuiltPath) -> None:
    """Has what is read in several places computed before it is read: written out at each, stages of many terms have as
    many as their product."""
    outputs = {f.name for f in built.plan.outputs}
    values = [e for f in built.funcs.values() for d in f._function.definitions() for e in d.values]
    sites = Counter(n.name for e in values for n in nodes(e, E.Call) if n.call_type is E.CallType.HALIDE)
    for name, func in built.funcs.items():
        if name not in outputs and func._function.compute is None and sites[func.name()] > _FEW_SITES:
            func.compute_root()


def variants(
    summary: Summary, target: Any, schedule: bool = True, autoscheduler: str = "", on_host: dict[int, str] | None = None
) -> list[Variant | DeviceVariant]:
    """Every path as a compiled variant under its run-time checks.

    A path that `autoscheduler`, or `method_of`, can schedule has that variant first, where it holds that it reads no
    more.  Where the target has a device one with kernels comes before all others; why a path has none goes to
    `on_host`."""
    of = _Variants(summary, target, schedule, autoscheduler, on_host if on_host is not None else {})
    return [v for number in range(len(summary.paths)) for v in of.path(number)]


@dataclass(frozen=True, slots=True)
class _Variants:
    """Makes the variants of a summary's paths; the parameters are those of `variants`."""

    summary: Summary
    target: Any
    schedule: bool
    autoscheduler: str
    on_host: dict[int, str]

    def path(self, number: int) -> list[Variant | DeviceVariant]:
        built = build_path(self.summary, number, together=True, cheapest=self.schedule)
        condition = path_condition(self.summary, number)
        if built is None:
            return [Variant(condition, None)]
        out: list[Variant | DeviceVariant] = []
        empty = _nothing_to_write(built.plan)
        if empty is not None:
            # so that no stage before an empty output runs at all
            out.append(Variant(all_hold([condition, empty]), None))
        if self.schedule and is_for_device(self.target):
            out += self._with_kernels(number, condition)
        small = small_reductions(built.pipeline, built.buffers) if self.schedule else None
        if small is not None:
            out.append(self._of_small_reductions(number, condition, substitute(small, built.scalars)))
        else:
            found = self._autoscheduled(number, condition, built)
            if found is not None:
                variant, within = found
                out.append(variant)
                if const_value(within) == 1:
                    return out
            elif self.schedule:
                out += self._of_channels(number, condition, built.plan)
        if self.schedule:
            self._by_default(built)
        else:
            _compute_once(built)
        return [*out, _variant(condition, built)]

    def _again(self, number: int, fixed: Mapping[str, int] | None = None) -> BuiltPath:
        """The path anew, for another schedule."""
        built = build_path(self.summary, number, together=True, fixed=fixed)
        assert built is not None
        return built

    def _by_default(self, built: BuiltPath, small: bool = False) -> None:
        apply_default_schedule(built.pipeline, self.target, built.in_place, built.layouts(), small=small)

    def _with_kernels(self, number: int, condition: Expr) -> list[DeviceVariant]:
        make, finish = partial(self._again, number), partial(_variant, condition)
        kernels = device_variant(make, finish, self.target, self.summary.function.name, self.autoscheduler)
        if isinstance(kernels, DeviceVariant):
            return [kernels]
        self.on_host[number] = kernels
        return []

    def _of_small_reductions(self, number: int, condition: Expr, small: Expr) -> Variant:
        """Where reductions are over few points."""
        few = self._again(number)
        self._by_default(few, small=True)
        return _variant(all_hold([condition, small]), few)

    def _autoscheduled(self, number: int, condition: Expr, built: BuiltPath) -> tuple[Variant, Expr] | None:
        """The variant of an autoscheduler, and where it reads no more than the path."""
        # A method for devices says nothing of what runs on the host.
        method = "" if self.autoscheduler == AUTO_GPU else self.autoscheduler
        method = method or (method_of(built) if self.schedule else "default")
        if method == "default":
            return None
        other = self._again(number)
        within = autoschedule(other, self.summary, number, self.target, method)
        return (_variant(all_hold([condition, within]), other), within) if within is not None else None

    def _of_channels(self, number: int, condition: Expr, plan: PathPlan) -> Iterator[Variant]:
        """For the usual numbers of channels, where a parameter says how many there are."""
        types = {p.name: p.type for p in self.summary.function.params}
        for name, count in channel_counts(plan, self.summary.function.params):
            other = self._again(number, {name: count})
            self._by_default(other)
            equal = E.EQ(BOOL, Variable(types[name], name), const(count, types[name]))
            yield _variant(all_hold([condition, equal]), other)


def _variant(condition: Expr, built: BuiltPath) -> Variant:
    result: Expr | None = None
    if built.plan.path.result is not None:
        result = E.Load(built.plan.path.result.type, built.plan.result_name, const(0, I64))
    return Variant(condition, built.pipeline, built.buffers, built.scalars, result)

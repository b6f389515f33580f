"""Small point-wise images without gaps between rows are run as one row."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.function import Function
from halide_core.interface import Array
from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, I64, CallType, Expr, Variable, const, const_value
from halide_core.ir.operators import cast_to
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key
from halide_core.passes.inline import inlined_functions, make_inliner
from halide_core.passes.realization_order import build_environment

# Elements up to which rows are joined: more are shared out among threads by rows.
_LIMIT = 1 << 14


def flat_extents(outputs: list[Function], arrays: tuple[Array, ...], known: Mapping[str, Expr]) -> dict[str, Expr]:
    """New extents of the last two dimensions where, at run time, all rows follow each other without gaps; {} where
    the pipeline is not point-wise."""
    moving = _moving_arrays(outputs)
    if moving is None:
        return {}
    first = outputs[0].name
    rank = len(outputs[0].args)
    x, y = rank - 2, rank - 1
    width, height = known[f"{first}.extent.{x}"], known[f"{first}.extent.{y}"]
    if const_value(width) is not None or const_value(height) is not None:
        return {}  # the loops were made for these numbers
    for f in outputs:
        same = (known[f"{f.name}.extent.{d}"] for d in (x, y))
        if [key(e) for e in same] != [key(width), key(height)]:
            return {}
    pixels = ir.Mul(I64, cast_to(I64, width), cast_to(I64, height))
    elements: Expr = pixels
    for d in range(x):
        elements = ir.Mul(I64, elements, cast_to(I64, known[f"{first}.extent.{d}"]))
    flat: Expr = ir.And(BOOL, width > 0, ir.And(BOOL, height > 0, ir.LE(BOOL, elements, const(_LIMIT, I64))))
    seen: set[int] = set()
    for a in (a for a in arrays if a.owner in moving):
        if any(const_value(known[f"{a.owner}.min.{d}"]) != 0 for d in range(rank)):
            return {}
        row = simplify(ir.Mul(I64, cast_to(I64, width), known[f"{a.name}.stride.{x}"]))
        dense = simplify(ir.EQ(BOOL, known[f"{a.name}.stride.{y}"], row))
        if const_value(dense) == 0:
            return {}
        if key(dense) not in seen and const_value(dense) is None:
            seen.add(key(dense))
            flat = ir.And(BOOL, flat, dense)
    out: dict[str, Expr] = {}
    for a in (a for a in arrays if a.owner in moving):
        if key(known[f"{a.owner}.extent.{x}"]) == key(width):
            out[f"{a.owner}.extent.{x}"] = ir.Select(I32, flat, cast_to(I32, pixels), width)
        if key(known[f"{a.owner}.extent.{y}"]) == key(height):
            out[f"{a.owner}.extent.{y}"] = ir.Select(I32, flat, const(1, I32), height)
    return out


def _moving_arrays(outputs: list[Function]) -> set[str] | None:
    """Outputs and images that are accessed at the loops' own coordinates; None where anything else depends on the
    last two coordinates."""
    environment = build_environment(outputs)
    inlined = inlined_functions(environment.order, outputs)
    if any(id(f) not in inlined and f not in outputs for f in environment.order):
        return None
    expand = make_inliner(inlined)
    names = outputs[0].args
    moving: set[str] = set()
    for f in outputs:
        if f.updates or f.pure is None or len(f.args) < 2 or len(f.args) != len(names) or len(f.types) != 1:
            return None
        moving.add(f.name)
        work, seen = [expand(v) for v in f.pure.values], set[int]()
        while work:
            n = work.pop()
            if id(n) in seen:
                continue
            seen.add(id(n))
            if isinstance(n, Variable) and n.name in f.args[-2:]:
                return None
            if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE:
                return None
            if isinstance(n, ir.Call) and n.call_type is CallType.IMAGE and len(n.args) == len(f.args):
                own = [isinstance(a, Variable) and a.name == name for a, name in zip(n.args, f.args, strict=True)]
                if all(own[-2:]):
                    moving.add(n.name)
                    work.extend(n.args[:-2])
                    continue
                if n.name in moving:
                    return None
            work.extend(ir.children(n))
    return moving

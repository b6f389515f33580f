"""Outputs in whose memory elements change places along one dimension: rows from top and bottom, both ends of a row."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.in_place.slices import own_reads
from halide_core.ir.expr import I32, Expr, Variable
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.summary import FuncSummary, InputSummary


def mirrored_dimension(f: FuncSummary, value: Expr, inputs: Mapping[str, InputSummary]) -> int | None:
    """The dimension of `f`, defined by `value`, along which each element reads of the memory that it overwrites only
    itself and the one as far from the other end; None where there is none.  `inputs`: by name."""
    found: set[int] = set()
    for n in own_reads(f, value, inputs) or ():
        for k, (a, d) in enumerate(zip(n.args, f.layout.dims, strict=True)):
            if isinstance(a, Variable) and a.name == d.name:
                continue
            if to_poly(a) != ends(f, k) - Poly.variable(d.name, I32):
                return None
            found.add(k)
    return found.pop() if len(found) == 1 else None


def ends(f: FuncSummary, k: int) -> Poly:
    """The sum of the first and the last coordinate along dimension `k`."""
    d = f.layout.dims[k]
    return d.min + d.min + d.extent - Poly.constant(1)

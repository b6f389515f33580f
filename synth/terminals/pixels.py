"""Elements that read what others of their pixel read."""

from __future__ import annotations

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Load, const_value
from halide_core.ir.structural import post_order, variables
from lifter.algebra.polynomial import Poly, atom_of, to_poly
from lifter.ir.summary import FuncSummary


def reads_whole_pixels(func: FuncSummary) -> bool:
    """Whether elements read at a coordinate rounded down to a pixel of three or four channels: `x/4*4 + 3`, the alpha
    of each, `x/3*4 + 3` where the other image has four, or beside one at `x` another at `x/3`, a mask."""
    if func.layout.dims and func.layout.dims[0].extent.constant_value() in (3, 4):
        return False  # over pixels already; what pairs of them share is another matter
    names = {d.name for d in func.layout.dims}
    for d in func.definitions:
        places = [p for n in post_order(d.value) if (p := _place(n)) is not None]
        direct = any(p.coefficient(x) == Poly.constant(1) for p in places for x in names)
        if any(_rounds(p, names, direct) for p in places):
            return True
    return False


def _place(n: E.Expr) -> Poly | None:
    """The address of a read of an image, the innermost coordinate of one of a Func."""
    if isinstance(n, Load) and n.name.endswith("#"):
        return to_poly(n.index)
    return to_poly(n.args[0]) if isinstance(n, Call) and n.call_type is CallType.HALIDE and n.args else None


def _rounds(p: Poly, names: set[str], direct: bool) -> bool:
    for m, c in p.terms.items():
        quotient = atom_of(m[0]) if len(m) == 1 else None
        if c < 1 or not isinstance(quotient, E.Div) or not variables(quotient.a) & names:
            continue
        step = const_value(quotient.b)
        channels = step and (step % 3 == 0 or step % 4 == 0)
        if (step and c > 1 and (channels or (step == 2 and c in (3, 4)))) or (direct and channels):
            return True
    return False

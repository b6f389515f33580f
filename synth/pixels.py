"""Elements that read what others of their pixel read."""

from __future__ import annotations

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Load, const_value
from halide_core.ir.structural import post_order, variables
from lifter.poly import Poly, atom_of, to_poly
from lifter.summary import FuncSummary


def reads_whole_pixels(func: FuncSummary) -> bool:
    """Whether elements read at a coordinate rounded down to a pixel of three or four channels: `x/4*4 + 3`, the alpha
    of each, or `x/3*4 + 3` where the other image has four."""
    names = {d.name for d in func.layout.dims}
    for d in func.definitions:
        for n in post_order(d.value):
            if isinstance(n, Load) and n.name.endswith("#") and _rounds(to_poly(n.index), names):
                return True
            if isinstance(n, Call) and n.call_type is CallType.HALIDE and n.args and _rounds(to_poly(n.args[0]), names):
                return True
    return False


def _rounds(p: Poly, names: set[str]) -> bool:
    for m, c in p.terms.items():
        quotient = atom_of(m[0]) if len(m) == 1 else None
        if c < 2 or not isinstance(quotient, E.Div) or not variables(quotient.a) & names:
            continue
        step = const_value(quotient.b)
        if step and (step % 3 == 0 or step % 4 == 0 or (step == 2 and c in (3, 4))):
            return True
    return False

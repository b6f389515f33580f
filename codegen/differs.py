"""Where the package `halide` computes something else than what was proved, whatever is written."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.plan import used_functions
from codegen.portable_math import OWN, base_of, is_missing
from codegen.printed import PrintedPath, printed_body, printed_paths
from halide_core.ir.expr import Call, CallType
from halide_core.ir.structural import post_order
from lifter.ir.summary import Summary


def differences(summary: Summary, paths: Sequence[PrintedPath] | None = None) -> list[str]:
    """What differs under the package `halide`, a phrase each; nothing for most functions."""
    missing, own, rounded = set(), set(), set()
    paths = printed_paths(summary) if paths is None else paths
    bodies = [printed_body(f) for f in used_functions(summary)]
    for e in (*bodies, *(e for path in paths for e in path.expressions())):
        for n in post_order(e):
            if not isinstance(n, Call) or n.call_type is not CallType.PURE_EXTERN:
                continue
            if is_missing(n):
                missing.add(base_of(n))
            elif n.name in OWN and n.type.bits == 32:
                own.add(base_of(n))
    for path in paths:
        rounded |= {p.name for p in path.parameters if p.type.is_float() and p.type.bits == 64}
    found = [f"there is no {name}, so that it runs under `halide_core` only" for name in sorted(missing)]
    polynomial = "is its own polynomial: last places, denormals, infinities and NaN differ"
    found += [f"{name} of float32 {polynomial}" for name in sorted(own)]
    return found + [f"`Param.set` rounds {name} to float32" for name in sorted(rounded)]


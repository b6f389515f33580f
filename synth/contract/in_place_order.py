"""Outputs that go on from what their memory holds, and so have no copy to be computed in: each is computed in place,
before what it reads is overwritten."""

from __future__ import annotations

from collections.abc import Iterable

from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.structural import post_order
from lifter.ir.summary import PathSummary
from synth.failure import NotFound


def check_order(path: PathSummary, line: int) -> None:
    """Raises NotFound where no order of the outputs will do."""
    arrays = {i.name: i.layout.array for i in path.inputs}
    values = {f.name: [e for d in f.definitions for e in d.expressions()] for f in path.funcs}
    values[""] = [path.result] if path.result is not None else []
    read = {name: {arrays[n] for n in _called(es, CallType.IMAGE)} for name, es in values.items()}
    called = {name: _called(es, CallType.HALIDE) - {name} for name, es in values.items()}
    outputs = [f for f in path.funcs if f.output]
    for f in (f for f in outputs if f.undefined):
        own = f.layout.array
        readers = {name for name, found in read.items() if own in found}
        consumed = any(f.name in found for found in called.values())
        others = [o for o in outputs if o.layout.array != own and o.layout.array in read[f.name]]
        early = bool(others)
        if f.name in readers or (readers and (consumed or early)) or any(o.undefined for o in others):
            raise NotFound("roi", f"'{own}' is updated while what was there before is still read", line)


def _called(es: Iterable[Expr], kind: CallType) -> set[str]:
    return {n.name for e in es for n in post_order(e) if isinstance(n, Call) and n.call_type is kind}

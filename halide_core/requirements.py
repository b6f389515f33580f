"""What a compiled pipeline demands of the buffers and Params it is run with, checked before the run."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from halide_core.errors import HalideError
from halide_core.extern_calls import answers_at_entry
from halide_core.interface import Interface
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import I32, Expr, Variable
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import same, variables

# How often asking for a larger output may make it ask for a yet larger one.
_ROUNDS = 8


def enlarged_outputs(
    interface: Interface, sizes: list[int], values: dict[str, Any], inputs: Mapping[str, Any]
) -> list[list[tuple[int, int]]]:
    """(min, extent) of every dimension of every output array where [0, size) is wanted: more where the schedule
    computes whole blocks (Halide's bounds query).  `values`: those of everything but the outputs; `inputs`: Buffers."""
    boxes = {a.owner: [(0, n) for n in sizes] for a in interface.outputs if a.dimensions == len(sizes)}
    for _ in range(_ROUNDS):
        known = dict(values)
        for owner, box in boxes.items():
            for d, (low, extent) in enumerate(box):
                known[f"{owner}.min.{d}"], known[f"{owner}.extent.{d}"] = low, extent
        known |= answers_at_entry(interface, known, inputs)
        wanted = {owner: required_box(interface, owner, box, known) for owner, box in boxes.items()}
        if wanted == boxes:
            break
        boxes = wanted
    return [boxes.get(a.owner, []) for a in interface.outputs]


def required_box(
    interface: Interface, owner: str, box: list[tuple[int, int]], known: dict[str, Any]
) -> list[tuple[int, int]]:
    """(min, extent) of every dimension of the output `owner` where `box` is wanted."""
    touched = interface.required.get(owner)
    if touched is None or any(extent <= 0 for _, extent in box):
        return box
    out: list[tuple[int, int]] = []
    for d, ((low, extent), (a, b)) in enumerate(zip(box, touched.dims, strict=True)):
        own = a is not None and b is not None and all(map(same, (a, b), _own_range(owner, d)))
        if own or a is None or b is None or not (variables(a) | variables(b)) <= known.keys():
            out.append((low, extent))
            continue
        first, last = int(evaluate(a, known).item()), int(evaluate(b, known).item())
        first, last = min(first, low), max(last, low + extent - 1)
        out.append((first, last - first + 1))
    return out


@functools.cache
def _own_range(owner: str, dim: int) -> tuple[Expr, Expr]:
    """The ends of what an output has, which most pipelines ask for and no more."""
    low, extent = (Variable(I32, f"{owner}.{what}.{dim}") for what in ("min", "extent"))
    return low, simplify_index(low + extent - 1)


def check_requirements(interface: Interface, values: dict[str, Any]) -> None:
    """Raises HalideError for the first requirement of the pipeline that does not hold."""
    for condition, text, arguments in interface.requirements:
        if not bool(evaluate(condition, values).item()):
            raise HalideError(text.format(*(evaluate(e, values).item() for e in arguments)))

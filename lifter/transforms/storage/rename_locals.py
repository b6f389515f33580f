"""Names of local arrays and cells apart from those of the parameters: a parameter whose value is carried from iteration
to iteration becomes an array, and what it was given stays a number."""

from __future__ import annotations

from lifter.ir.effect_edits import Edit, rename
from lifter.ir.effects import Effect, Path, arrays_in
from lifter.ir.loop_ir import Function
from lifter.ir.names import unused


def rename_locals(function: Function, path: Path) -> Edit | None:
    """Such arrays renamed."""
    taken = {p.name for p in function.params} | set(path.arrays) | set(function.locals) | set(function.arrays)
    new: dict[str, str] = {}
    for name in sorted(set(path.arrays) & {p.name for p in function.params}):
        new[name] = unused(f"{name}_carried", taken, "_")
        taken.add(new[name])
    if not new or any(_names(e) & set(new) for e in path.effects):
        return None
    return rename(path, new)


def _names(e: Effect) -> set[str]:
    """Arrays that addresses and counts are made of."""
    polys = [e.index, *(loop.trip for loop in e.loops)]
    return arrays_in(a for p in polys for a in p.atoms().values())


__all__ = ["rename_locals"]

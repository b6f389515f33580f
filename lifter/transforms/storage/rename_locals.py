"""Names of local arrays and cells apart from those of the parameters: a parameter whose value is carried from iteration
to iteration becomes an array, and what it was given stays a number."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import Expr, Load
from halide_core.ir.structural import transform
from lifter.ir.effects import Effect, Path, arrays_in
from lifter.ir.loop_ir import Function
from lifter.ir.names import is_read, split_tag, timed


def apart_from_parameters(function: Function, path: Path) -> Path:
    """`path` with such arrays renamed."""
    taken = {p.name for p in function.params} | set(path.arrays) | set(function.locals) | set(function.arrays)
    new: dict[str, str] = {}
    for name in sorted(set(path.arrays) & {p.name for p in function.params}):
        fresh = f"{name}_carried"
        while fresh in taken:
            fresh += "_"
        taken.add(fresh)
        new[name] = fresh
    if not new or any(_names(path, e) & set(new) for e in path.effects):
        return path

    def renamed(e: Expr) -> Expr:
        def rewrite(n: Expr) -> Expr:
            array, time = split_tag(n.name) if is_read(n) else ("", 0)
            return replace(n, name=timed(new[array], time)) if array in new and isinstance(n, Load) else n

        return transform(e, rewrite)

    def moved(e: Effect) -> Effect:
        guard = renamed(e.guard) if e.guard is not None else None
        return replace(e, array=new.get(e.array, e.array), value=renamed(e.value), guard=guard)

    return replace(
        path,
        effects=tuple(map(moved, path.effects)),
        reads=tuple(map(moved, path.reads)),
        arrays={new.get(n, n): replace(a, name=new.get(n, n)) for n, a in path.arrays.items()},
        result=renamed(path.result) if path.result is not None else None,
        apart=frozenset(frozenset(new.get(n, n) for n in pair) for pair in path.apart),
    )


def _names(path: Path, e: Effect) -> set[str]:
    """Arrays that addresses and counts are made of."""
    polys = [e.index, *(loop.trip for loop in e.loops)]
    return arrays_in(a for p in polys for a in p.atoms().values())

"""What a schedule says that has no effect, or that may have been forgotten, in Halide's words."""

from __future__ import annotations

from halide_core.function import Function, Fuse, Rename, Split
from halide_core.passes.inline import inlined_functions


def schedule_warnings(order: list[Function], outputs: list[Function]) -> list[str]:
    """One text for each finding, callees first."""
    inlined = inlined_functions(order, outputs)
    out: list[str] = []
    for f in order:
        out += _of_inlined(f) if id(f) in inlined else _forgotten(f)
    return out


def mark_scheduled(order: list[Function]) -> None:
    """States that all stages of the Functions have the schedules that they are meant to have."""
    for f in order:
        for d in f.definitions():
            d.schedule.touched = True


def print_warnings(order: list[Function], outputs: list[Function]) -> None:
    """Writes the warnings to standard output, as Halide does in a process that compiles for itself."""
    for text in schedule_warnings(order, outputs):
        print(f"Warning: {text}")


def _of_inlined(f: Function) -> list[str]:
    out: list[str] = []
    for name, (low, extent) in f.bounds.items():
        out.append(
            f"It is meaningless to bound dimension {name} of function {f.name} to be within [{low}, {extent}] because "
            "the function is scheduled inline."
        )
    for name, (modulus, remainder) in f.alignments.items():
        if remainder is not None:
            out.append(
                f"It is meaningless to align the bounds of dimension {name} of function {f.name} to have "
                f"modulus/remainder [{modulus}, ({remainder} % {modulus})] because the function is scheduled inline."
            )
    because = f"because {f.name} is scheduled inline."
    for s in f.pure.schedule.splits if f.pure is not None else ():
        match s:
            case Split():
                parts = f"{s.old}.{s.outer} * {s.factor} + {s.old}.{s.inner}"
                out.append(f"It is meaningless to split variable {s.old} of function {f.name} into {parts} {because}")
            case Fuse():
                names = f"{s.inner} and {s.outer}"
                out.append(f"It is meaningless to fuse variables {names} of function {f.name} {because}")
            case Rename():
                out.append(f"It is meaningless to rename variable {s.old} of function {f.name} to {s.new} {because}")
    return out


def _forgotten(f: Function) -> list[str]:
    if f.pure is None or not any(d.schedule.touched for d in f.definitions()):
        return []
    return [
        f"Update definition {k} of function {f.name} has not been scheduled, even though some other definitions have "
        f"been. You may have forgotten to schedule it. If this was intentional, call {f.name}.update({k})"
        ".unscheduled() to suppress this warning."
        for k, d in enumerate(f.updates)
        if not d.schedule.touched
    ]

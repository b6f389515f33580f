"""Making a kept call again."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lifter.harness.kept_case import Case
from lifter.harness.own_process import ProcessDied, told_by
from lifter.harness.second_opinion import loaded
from lifter.harness.side_by_side import Guarded, first_difference, one_way, same_value
from lifter.ir.summary import Summary


@dataclass(slots=True)
class Replayed:
    """What a kept call did, in lines for people."""

    differs: bool = False
    lines: list[str] = field(default_factory=list)


def replayed(
    case: Case, before: dict[str, bytes], summary: Summary, original: Path, packers: Path | None
) -> Replayed:
    """Makes the call by both functions, each in a process of its own."""
    found = Replayed()
    results = []
    for number, name in enumerate(("original", "lifted")):

        def work(tell: Any, number: int = number) -> None:
            function = loaded(summary, original, None, packers, number == 0)[number]
            tell(_called(function, case, before, summary))

        try:
            results.append(next(iter(told_by(work))))
        except ProcessDied as problem:
            found.lines.append(f"the {name} function {problem}")
            found.differs = True
    if len(results) < 2:
        return found
    (returned, one), (got, two) = results
    if not same_value(returned, got):
        found.lines.append(f"the original returns {returned}, the lifted function {got}")
    for p in (p for p in summary.function.params if p.pointer):
        where = first_difference(one[p.name], two[p.name], p.type)
        if where is not None:
            a, b = one[p.name][where], two[p.name][where]
            which = f"{p.name}: byte {where} of {len(one[p.name])}"
            found.lines.append(f"{which} is {a} after the original, {b} after the lifted function")
    found.differs = bool(found.lines)
    found.lines = found.lines or ["the two agree"]
    return found


def _called(
    function: Any, case: Case, before: dict[str, bytes], summary: Summary
) -> tuple[object, dict[str, bytes]]:
    memory, addresses = {}, {}
    for name, offset in zip(case.pointers, case.offsets, strict=True):
        memory[name] = Guarded(len(before[name]))
        memory[name].bytes[:] = np.frombuffer(before[name], np.uint8)
        addresses[name] = memory[name].address + offset if name not in case.null else 0
    values = [addresses[p.name] if p.pointer else case.scalars[p.name] for p in summary.function.params]
    returned = function(*values)
    return one_way(summary.function, values, returned), {n: m.bytes.tobytes() for n, m in memory.items()}

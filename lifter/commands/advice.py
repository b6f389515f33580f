"""What to do about a function that is not lifted: what is missing, and what would help.

Each edit that is proposed is tried by tests: the text before it is not lifted, the one after it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

EDIT, BEYOND, NOT_YET, TIME, FAULT = "edit", "beyond Halide", "not yet", "time", "fault"


@dataclass(frozen=True, slots=True)
class Advice:
    """kind: an edit of the source helps, it is beyond Halide, `lift` does not know it yet, time ran out, or it is a
    fault of `lift`; diff: the edit by an example, in lines that begin with - and +."""

    kind: str
    text: str
    diff: tuple[str, ...] = ()


_OWN_FUNCTION = "keep it in the function that calls this one, and give the loops over pixels a function of their own"

_RETURN_IN_LOOP = Advice(
    EDIT, "no loop of Halide ends by what it reads; look at every element, and keep the first that is found",
    (
        "-    for (int i = 0; i < n; i++) { sum += p[i]; if (sum > t) return i; }",
        "-    return -1;",
        "+    int found = -1;",
        "+    for (int i = 0; i < n; i++) { sum += p[i]; if (found < 0 && sum > t) found = i; }",
        "+    return found;",
    ),
)
_ROWS = Advice(
    EDIT, "pointers to rows are told apart by their number; index the array, or pass the first row and its distance",
    (
        "-    for (int y = 0; y < h; y++, d++) for (int x = 0; x < w; x++) (*d)[x] = 255 - (*d)[x];",
        "+    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y][x] = 255 - d[y][x];",
    ),
)
_EFFECTS = Advice(BEYOND, f"a pipeline computes images and does nothing else; {_OWN_FUNCTION}")
_UNKNOWN_CODE = Advice(BEYOND, f"what is called is known at run time only; {_OWN_FUNCTION}, called by each")
_STEPS = Advice(BEYOND, "Halide has loops over ranges only; write it as loops, or leave it as it is")

_RULES: tuple[tuple[str, Advice], ...] = (
    (r"return inside a loop|break out of a loop", _RETURN_IN_LOOP),
    (r"pointer to pointer|\*\*'|array of pointers", _ROWS),
    (r"input/output function|ends the program|exception|string literal|asm|atomic|volatile|thread|lock", _EFFECTS),
    (r"variadic", Advice(BEYOND, f"what it takes is known at run time only; {_OWN_FUNCTION}")),
    (r"virtual|function pointer", _UNKNOWN_CODE),
    (r"recursion|goto backwards", _STEPS),
)
"""By what a reason has in it; the first that is there counts."""

_BY_STAGE = {
    "roi": Advice(
        NOT_YET, "no box of elements was found that the stores fill: lift knows stores to every element of a box, "
        "under conditions on loop counters and parameters, and updates in one order; not yet errors that are spread "
        "over neighbours, and other stores to places that data choose",
    ),
    "terms": Advice(
        EDIT, "let addresses be sums of loop counters times strides, or of values read from a table, and strides and "
        "bounds parameters of the function",
    ),
    "expression": Advice(
        NOT_YET, "no one formula was found for all elements; what differs between the stores can be written as a "
        "choice on a coordinate (x % 2, x == 0) in one loop",
    ),
    "order": Advice(EDIT, "split the loop where it reads what it has overwritten"),
    "monolithic": Advice(EDIT, "leave out --monolithic"),
}
_REFUTED = Advice(
    EDIT, "if these values cannot occur, say so by assert() at the function's top: it becomes part of the contract",
)
_UNPROVED = Advice(NOT_YET, "a summary was found that the prover cannot decide on; simpler bounds and strides may help")


def advice(status: str, stage: str, reason: str, refuted: bool = False) -> Advice:
    """What to do about a function: its status, the stage at which the search ended, why, and whether values are known
    for which the closest candidate is wrong."""
    if status == "timeout":
        return Advice(TIME, "raise --timeout, or split the function")
    if status in ("error", "crashed", "disagreed"):
        return Advice(FAULT, "this is a fault of lift: please report it with the file; LIFT_DEBUG=1 shows where it is")
    construct, _, own = reason.partition("; ")
    for pattern, found in _RULES:
        if re.search(pattern, construct):
            return found
    if status == "unsupported":
        if own:
            return Advice(EDIT, own)
        return Advice(NOT_YET, f"lift does not know this construct; {_OWN_FUNCTION}")
    if stage == "verification":
        return _REFUTED if refuted else _UNPROVED
    return _BY_STAGE.get(stage, Advice(NOT_YET, "nothing more is known; LIFT_DEBUG=1 may show more"))

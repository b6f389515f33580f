"""A drop-in that counts which of its calls go to the original, and calls of it by which it is held to that one.

The library is what `--emit shared` writes, but that each function of the original's says when it is entered, and that
it has the packer of the function: so that it can be called, and its variables of static storage be set, in the library
itself, whether the function is visible outside its file or not."""

from __future__ import annotations

import ctypes
import functools
import math
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codegen import flat_arguments
from codegen.errors import EmitError
from codegen.native import FALLBACK_SUFFIX, build_shared
from codegen.original import is_c
from codegen.packer import packers_alone
from halide_core.target import Target
from lifter.harness.calls import SIZES, Plan
from lifter.harness.originals import Originals
from lifter.harness.other_files import make_others
from lifter.harness.second_opinion import Opinion, Run, loaded
from lifter.harness.side_by_side import load, signature
from lifter.harness.side_process import Loaded
from lifter.harness.stubs import make_stubs
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Summary

_COUNTED = (
    "-finstrument-functions",
    # Not what stands around the functions of the source.
    "-finstrument-functions-exclude-function-list=lift_adapter_,lift_packer_,lift_missed_,lift_read_,lift_write_",
)
_ENTERED = """
{begin}
void *lift_watched[2];
long lift_entered;
#define LIFT_HOOK __attribute__((__no_instrument_function__, __visibility__("hidden"))) /* not the C library's */
LIFT_HOOK void __cyg_profile_func_enter(void *function, void *site);
LIFT_HOOK void __cyg_profile_func_exit(void *function, void *site);
void __cyg_profile_func_enter(void *function, void *site) {{
    lift_entered += function == lift_watched[0] || function == lift_watched[1];
}}
void __cyg_profile_func_exit(void *function, void *site) {{
}}
{end}
"""
_MOST_LOST = 40
"""Calls that the original does not survive, or of which C++ says nothing, before no more are made."""
_SECONDS = 600.0
"""Processor time for what loads, and for all calls."""
_WIDTHS = (
    *SIZES, (15, 3), (16, 16), (31, 1), (32, 5), (33, 9), (63, 2), (64, 7), (65, 3), (127, 2), (128, 3), (129, 2),
    (255, 1), (256, 2), (257, 3), (-1, 4), (5, -3), (10, 10), (11, 1), (14, 6), (24, 4), (40, 3), (48, 2), (1, 33),
    (2, 64), (19, 17),
)
_PADS = (0, 1, 13, 0, 3, 64, 100, 7)
_SHIFTS = (0, 0, 1, -1, 5, 17, -7, 16, -16, 32, 33, -64, 128)
_MET = 0.7
"""The part of the calls that are drawn so that they meet the contract."""


def plan_of(calls: int, seed: int) -> Plan:
    """So many calls: sizes around those of registers, rows far apart, memory anywhere, memory that overlaps, and
    contracts that are missed."""
    missed = range(math.ceil(_MET * calls), calls)
    return Plan(calls, missed, _WIDTHS, _PADS, _SHIFTS, anywhere=True, refilled=True, seed=seed)


@dataclass(frozen=True, slots=True)
class DropIn:
    """The library, and where in it the function and the original lie."""

    library: Path
    lifted: int
    original: int


def build(summary: Summary, originals: Originals, folder: Path) -> DropIn:
    """Builds the drop-in of one function in `folder`.  Raises EmitError where there is none."""
    function, source = summary.function, originals.source
    library = folder / f"{function.name}.so"
    c = is_c(source)
    begin, end = ("", "") if c else ('extern "C" {', "}")
    further = _ENTERED.format(begin=begin, end=end) + packers_alone([function], c)
    command = replace(originals.command, flags=(*originals.command.flags, *_COUNTED))
    without = build_shared(source, [summary], library, Target("host"), command, further=further)
    for why in without.values():
        raise EmitError(why)
    make_others(library, source, originals.command, originals.others)
    make_stubs(library, originals.command.compiler)
    places = _places(library)
    symbols = function.symbol, function.symbol + FALLBACK_SUFFIX
    missing = next((s for s in symbols if s not in places), None)
    if missing is not None:
        raise EmitError(f"its drop-in has no '{missing}'")
    return DropIn(library, *(places[s] for s in symbols))


def _places(library: Path) -> dict[str, int]:
    """The symbols that a library defines, those that it does not show too.  Raises EmitError."""
    tool = shutil.which("nm")
    if tool is None:
        raise EmitError("'nm' was not found; install binutils")
    said = subprocess.run([tool, "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout
    words = (line.split() for line in said.splitlines())
    return {w[2]: int(w[0], 16) for w in words if len(w) == 3}


class _Run(Run):
    """Runs the drop-in beside the original, however long that takes."""

    def __init__(self, summary: Summary, originals: Originals, original: Path, drop_in: DropIn, plan: Plan) -> None:
        super().__init__(summary, originals, original, drop_in.library, True, _SECONDS, plan)
        self.built = drop_in
        self.seconds = _SECONDS
        self.most_deaths = self.most_undefined = _MOST_LOST

    def code(self, original: Path, packers: Path | None, alone: bool) -> Loaded:
        own = loaded(self.summary, original, None, packers, alone=True)
        if alone:
            return own
        compiled = load(self.built.library)
        base = ctypes.cast(compiled._handle, ctypes.POINTER(ctypes.c_size_t))[0]  # what glibc's `struct link_map` has
        lifted, inside = base + self.built.lifted, base + self.built.original
        watched = (ctypes.c_void_p * 2).in_dll(compiled, "lift_watched")
        watched[:] = [lifted, inside]  # a function that only its file sees says its callers' name for it
        entered = ctypes.c_long.in_dll(compiled, "lift_entered")
        called = functools.partial(_callable, compiled, self.function)
        return Loaded(own.original, called(lifted), called(inside), lambda: entered.value)


def _callable(library: ctypes.CDLL, function: Function, address: int) -> Callable[..., Any]:
    """A function of the drop-in over scalars and pointers."""
    result, kinds = signature(function)
    if function.interface is None:
        return ctypes.CFUNCTYPE(result, *kinds)(address)
    packer = getattr(library, flat_arguments.packer_symbol(function))
    packer.argtypes, packer.restype = [ctypes.c_void_p, *kinds], result
    return functools.partial(packer, address)


def beside_drop_in(summary: Summary, originals: Originals, drop_in: DropIn, plan: Plan) -> Opinion:
    """Makes the calls of a plan by a drop-in and by the original; ends at the first that differs.

    Raises HarnessError for a defect of what runs them."""
    original = originals.library(summary.function)
    if original is None:
        return Opinion(reason=originals.why(summary.function))
    return _Run(summary, originals, original, drop_in, plan).run()

"""A second opinion on a proved function: it is run beside the compiled original.

The proof starts at the front end's reading of the source; a fault of that reading, or of the code generation behind the
proof, shows only where the two results are compared."""

from __future__ import annotations

import functools
import signal
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codegen.native import FALLBACK_SUFFIX, compile_summary
from halide_core.target import Target
from lifter.harness.calls import SECOND_OPINION, Calls, Plan
from lifter.harness.contents import WAYS
from lifter.harness.draw_arguments import Drawer
from lifter.harness.originals import Originals
from lifter.harness.side_by_side import bind, bind_flat, function_symbol, load, signature
from lifter.harness.side_process import (
    End,
    Kept,
    Loaded,
    NotRun,
    Phase,
    State,
    Work,
    kept_call,
    start,
    stop,
    wait,
)
from lifter.harness.source_constants import constants_of, function_text
from lifter.harness.stubs import MISSING as MISSING_STATUS
from lifter.ir.summary import Summary

SECONDS, PART = 0.25, 0.25
"""Running takes so many seconds at the most, or that part of what lifting took, but never more than lifting took."""
LEAST = 0.0
"""Lifting counts as having taken so long at the least: tests ask for an opinion that does not depend on the machine."""
_PLAIN = "lifted.plainly"
"""A symbol that no run time has."""
_SMALL = 1 << 12
_MOST_DEATHS, _MOST_UNDEFINED = 6, 6


class HarnessError(Exception):
    """A defect of what runs functions; never a verdict on one."""


@dataclass(slots=True)
class Opinion:
    """On how many calls a function was run beside its original, and what came of it."""

    calls: int = 0
    """All that were compared."""
    missed_contract: int = 0
    """Those of them that do not meet the contract, where the original's own code must run."""
    handed: int = 0
    """Those of them that went to the original, where the drop-in tells."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Calls that count for nothing: the original did not survive them, or C++ says nothing of them."""
    reason: str = ""
    """Why it was not run, or not on all that was meant to be."""
    seconds: float = 0.0
    kept: Kept | None = field(default=None, repr=False)
    """The call on which the two differ."""

    def words(self) -> str:
        """For people."""
        if not self.calls:
            return f"proved, not run: {self.reason}"
        missed = f", {self.missed_contract} of which miss the contract" if self.missed_contract else ""
        also = f"; {self.reason}" if self.reason else ""
        return f"proved, and run on {self.calls} calls{missed}{also}"

    def plain(self) -> Opinion:
        """Without the call that is kept."""
        return replace(self, kept=None)

    def as_json(self) -> dict[str, object]:
        return {"calls": self.calls, "missed_contract": self.missed_contract, "reason": self.reason}


def second_opinion(
    summary: Summary, originals: Originals, lifting: float, library: Path | None = None, drop_in: bool = False
) -> Opinion:
    """Runs a function beside its original.

    `lifting`: the processor time that lifting it took; `library`: its compiled code, which a `drop_in` of the original
    also runs where the contract is missed; without one it is compiled plainly."""
    began = time.perf_counter()
    original = originals.library(summary.function)
    if original is None:
        return Opinion(reason=originals.why(summary.function))
    if summary.function.reads_statics or summary.function.internal:
        # A drop-in has variables of its own, which nobody here can set, and calls what it does not show itself.
        library, drop_in = None, False
    found = Run(summary, originals, original, library, drop_in, lifting).run()
    found.seconds = time.perf_counter() - began
    return found


class Run:
    """The calls of a plan, made in processes of their own: as many as it takes, since originals end some of them."""

    def __init__(
        self, summary: Summary, originals: Originals, original: Path, library: Path | None, drop_in: bool,
        lifting: float, plan: Plan = SECOND_OPINION,
    ) -> None:
        self.summary, self.function = summary, summary.function
        self.originals, self.original, self.library = originals, original, library
        self.drop_in = drop_in
        self.plan = plan
        self.most_deaths, self.most_undefined = _MOST_DEATHS, _MOST_UNDEFINED
        self.lifting = max(lifting, LEAST)
        self.seconds = min(self.lifting, max(SECONDS, PART * self.lifting))
        self.used = 0.0
        self.roomy = self.tame = False
        self.spoils = True
        self.state = State()
        self.opinion = Opinion()
        self.deaths: list[str] = []
        self.wild = self.undefined = 0

    def run(self) -> Opinion:
        """Runs processes until all calls are made, time is over, or a call differs."""
        following: int | None = 0
        while following is not None and following < self.plan.calls and self.used < self.seconds:
            following = self._from(following)
        if not self.opinion.reason:
            self.opinion.reason = self._reason()
        return self.opinion

    def _reason(self) -> str:
        if self.deaths:
            return f"the original {self.deaths[0]}, which meets the contract"
        if self.opinion.calls:
            return ""
        if self.undefined:
            return "what the original computes is undefined in C++"
        if self.used >= self.seconds:
            return "the time that the proof took was not enough for it"
        return "no arguments were found that meet the contract"

    def _from(self, first: int) -> int | None:
        """Makes calls from one number on; the number to go on with, None at the end."""
        end, code = self._process(self._work(first))
        number, phase, met, missed, handed = self.state.get()
        self.opinion.calls += met + missed
        self.opinion.handed += handed
        self.opinion.missed_contract += missed
        if end is not None:
            if end.fault:
                raise HarnessError(end.fault)
            self.opinion.reason = end.reason
            return None if end.kept is None else self._differs(end.kept)
        if phase is Phase.LIFTED:
            return self._lifted_died(number, code)
        if phase is not Phase.ORIGINAL:
            if code:
                raise HarnessError(f"the process that runs functions {_how(code)} while {phase.name.lower()}")
            self.used = max(self.used, self.lifting)
            return None  # compiling took too long
        return self._original_died(number, code)

    def _process(self, work: Work) -> tuple[End | None, int | None]:
        process, receiver = start(work, self.state)
        # A busy machine makes everything last longer.
        end = wait(receiver, self.state, 1.0 + 3.0 * self.lifting)
        code = stop(process, receiver)
        self.used += self.state.used()
        return end, code

    def _work(self, first: int, original: Path | None = None) -> Work:
        packers = self.originals.packers(self.function)
        if original is not None and (self.function.reads_statics or self.function.internal):
            packers = original
        code = functools.partial(self.code, original or self.original, packers, original is not None)
        left = self.seconds - self.used
        last = self.plan.calls
        return Work(self.function, self._calls, code, first, last, left, self.lifting, original is not None)

    def code(self, original: Path, packers: Path | None, alone: bool) -> Loaded:
        """What a process runs; `alone`: the original only."""
        return loaded(self.summary, original, self.library, packers, alone, self.drop_in and not alone)

    def _original_died(self, number: int, code: int | None) -> int | None:
        """A crash of the original, or a call that does not end.

        Where the contract is missed it may do as it likes.  Where it is met, the original may read more than it uses,
        or want its memory aligned: it is given room.  If it then reads or writes outside of that, with numbers too
        small for memory to run out, and does nothing undefined before, what was proved is about other memory than it
        uses.  If it dies in another way the contract asks for too little, as where it divides by a zero that nothing
        excludes; its result is then undefined, and so is what to compare."""
        if number in self.plan.missed:
            self.opinion.left_out["not survived"] += 1
            self.wild += 1
            if self.wild == self.most_deaths // 2 and self.plan.refilled:
                self.spoils = False  # such calls may all lead it astray
            return number + 1 if self.wild < self.most_deaths else self.plan.missed.stop
        self.deaths.append(f"{_how(code)} on a call with {self._scalars(number)}")
        if code in (-signal.SIGSEGV, -signal.SIGBUS):
            if not self.roomy:
                self.deaths.pop()
                self.roomy = True
                self.seconds += self.used  # what was tried in vain is not held against it
                return number
            if not self._is_small(number):
                self.tame = True
            elif not self._is_undefined(number) and not self._is_undefined(number, misaligned=True):
                self._elsewhere(number)
                return None
        self.opinion.left_out["not survived"] += 1
        return _next_draw(number) if len(self.deaths) < self.most_deaths else None

    def _lifted_died(self, number: int, code: int | None) -> int | None:
        """The lifted function crashed or does not end on a call that the original survived."""
        end, _ = self._process(self._work(number, self.original))
        if end is None or end.kept is None:
            self.deaths.append(f"does not always end as it did before on a call with {self._scalars(number)}")
            return number + 1 if len(self.deaths) < self.most_deaths else None
        return self._differs(replace(end.kept, words=f"the lifted function {_how(code)}, the original does not"))

    def _differs(self, kept: Kept) -> int | None:
        """A difference counts where C++ says what the original computes."""
        if kept.met and self._is_undefined(kept.number):
            self.undefined += 1
            self.opinion.calls -= 1
            self.opinion.left_out["undefined"] += 1
            return _next_draw(kept.number) if self.undefined < self.most_undefined else None
        self.opinion.kept = kept
        self.opinion.reason = kept.words
        return None

    def _elsewhere(self, number: int) -> None:
        calls = self._calls()
        call = calls.make(number)
        assert call is not None
        words = "the original reads or writes far from all that the lifted function does"
        self.opinion.kept = kept_call(call, call.snapshot(), [], [], (None, None), words)
        self.opinion.reason = words

    def _is_undefined(self, number: int, misaligned: bool = False) -> bool:
        """Whether C++ does not say what the original does in a call that meets the contract; or, with `misaligned`,
        whether it uses memory that does not lie as its type has to (whole registers, for which the machine asks)."""
        trapping = self.originals.trapping(self.function, misaligned)
        if trapping is None:
            return False
        end, code = self._process(self._work(number, trapping))
        return end is None and code in (-signal.SIGILL, -signal.SIGTRAP)

    def _is_small(self, number: int) -> bool:
        """Whether no number of a call is so large that memory may run out."""
        calls = self._calls()
        call = calls.make(number)
        return call is not None and all(abs(v) <= _SMALL for v in call.scalars.values() if isinstance(v, int))

    def _calls(self) -> Calls:
        # Without the source's constants and the ends of types, where these lead the original astray.
        constants = constants_of(self.summary, function_text(self.function))
        drawer = Drawer(self.summary, constants=None if self.tame else constants)
        calls = Calls(self.summary, drawer, constants.every, self.roomy, self.drop_in, self.plan)
        calls.spoils = self.spoils
        return calls

    def _scalars(self, number: int) -> str:
        calls = self._calls()
        call = calls.make(number)
        return ", ".join(f"{n} = {v}" for n, v in call.scalars.items()) if call is not None else "no scalars"


def loaded(
    summary: Summary, original: Path, library: Path | None, packers: Path | None, alone: bool = False,
    drop_in: bool = False,
) -> Loaded:
    """The original, the lifted function, and the original's code in a drop-in, as callables.  `alone`: the first only.

    A drop-in that misses its contract is held to the code that it has inside: what C++ leaves undefined another
    compilation may do in another way."""
    function = summary.function
    try:
        packed = load(packers) if packers is not None else None
        code = load(original)
    except OSError as problem:
        raise NotRun(f"its compiled code does not load: {problem}") from None
    if not hasattr(code, function_symbol(function)):  # by an attribute
        raise NotRun("the compiled original does not show it outside its file")
    one = bind(code, function, packers=packed)
    if alone:
        return Loaded(one, None, one)
    if library is None:
        return Loaded(one, plainly(summary), one)
    compiled = load(library)
    if not hasattr(compiled, function_symbol(function)):  # an object, which has neither adapters nor a fallback
        return Loaded(one, bind_flat(compiled, function), one)
    fallback = function.symbol + FALLBACK_SUFFIX
    inside = bind(compiled, function, fallback, packed) if drop_in and hasattr(compiled, fallback) else one
    return Loaded(one, bind(compiled, function, packers=packed), inside)


def plainly(summary: Summary) -> Any:
    """The lifted function in the plainest loops: what its text computes, and soon there."""
    module = compile_summary(summary, Target("host"), None, schedule=False, symbol=_PLAIN)
    result, kinds = signature(summary.function)
    return module.unoptimised_jit().function(_PLAIN, result, *kinds)


def _next_draw(number: int) -> int:
    """The first call of other scalars."""
    return (number // WAYS + 1) * WAYS


def _how(code: int | None) -> str:
    if code is None:
        return "does not end"
    if code == MISSING_STATUS:
        return "calls what another file defines"
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"

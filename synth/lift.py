"""Lifting one function: all its paths, found and proved."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from halide_core.ir.expr import I64, Expr
from halide_core.ir.structural import key, variables
from lifter.algebra.polynomial import from_poly
from lifter.ir.effect_edits import left_to_original
from lifter.ir.effect_verifier import RAW
from lifter.ir.effects import Path, loads
from lifter.ir.foldable_calls import Sources, knowable
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import Function, UnknownTrip, Unsupported
from lifter.ir.summary import PathSummary, Summary
from lifter.support.deadline import TimedOut, until
from lifter.symexec import execute
from lifter.transforms.loops.bound_measured_values import bounded
from lifter.transforms.path_log import PathLog, Rewritings
from lifter.transforms.storage.rename_locals import rename_locals
from synth.contract.minimal_contract import without_needless
from synth.failure import NeverGiven, NotFound, UnknownReach
from synth.images import addressing, far_reaching
from synth.options import Options, Stopwatch
from synth.path_lifter import PathLifter
from synth.prune_paths import left_alone, without_idle
from synth.sampling.samples import Env, NotConcrete, sample_environments
from synth.staging.updates import MOVING_BOUNDS
from synth.strategies import STRATEGIES
from synth.suggested_numbers import is_of_no_number, suggested
from synth.terminals.data_addresses import readable_places
from synth.trace import Candidate, Trace, failure
from verifier.decide import Decision, Verdict, verify_path
from verifier.rewritings import is_proved
from verifier.sign_queries import decided, follows, same_values
from verifier.smt import Refuted, Unknown


@dataclass(slots=True)
class Lifted:
    """The outcome for one function.

    status: verified, unsupported, not_found, timeout or error; reason: why not, in words; line: where;
    stage: the stage at which the search ended; seconds: per stage, in all under "total"; rewritings: of its paths,
    before the search."""

    function: Function
    status: str
    reason: str = ""
    line: int = 0
    stage: str = ""
    summary: Summary | None = None
    paths: list[Path] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    trace: Trace = field(default_factory=Trace)
    rewritings: Rewritings = field(default_factory=Rewritings)


STAGES = {
    "parse": "symbolic execution",
    "roi": "the search for the region of interest",
    "terms": "the search for the terminals",
    "expression": "the search for the expression",
    "proof": "the proof",
}
"""The stages that the time limit may end, by the names that their times have."""


_MOST_SETTINGS = 3
"""Parameters that are numbers."""


def out_of_time(stage: str, timeout: float) -> str:
    """Why a function has the status `timeout`, for people."""
    where = f", which ended {STAGES[stage]}" if stage in STAGES else ""
    return f"nothing found within {timeout:g} s{where}; raise it with --timeout"


def lift_function(
    function: Function,
    options: Options | None = None,
    entered: Callable[[str], None] = lambda _: None,
    allowed: float | None = None,
) -> Lifted:
    """Finds and proves the summary of `function`; never raises for what the function contains.  `entered` is told each
    stage as it begins.  `allowed` are the seconds that messages name, where some of them were spent before."""
    options = options or Options()
    allowed = options.timeout if allowed is None else allowed
    start = time.perf_counter()
    clock = Stopwatch(start + options.timeout, entered=entered)
    lifted = Lifted(function, "error", line=function.line)
    try:
        with until(clock.deadline):
            _lift_somehow(function, options, clock, lifted)
    except Unsupported as problem:
        lifted.status, lifted.line, lifted.stage = "unsupported", problem.line or function.line, "parse"
        lifted.reason = f"{problem.construct}" + (f"; {problem.advice}" if problem.advice else "")
    except NotFound as not_found:
        lifted.status, lifted.reason, lifted.stage = "not_found", not_found.reason, not_found.stage
        lifted.line = not_found.line or function.line
    except NotConcrete as expression:
        lifted.status, lifted.stage, lifted.line = "not_found", "roi", function.line
        lifted.reason = f"no small values can be tried for a loop or an address made of {expression}"
    except TimedOut:
        lifted.status, lifted.stage = "timeout", clock.current
        lifted.reason = out_of_time(clock.current, allowed)
    except RecursionError:
        lifted.status, lifted.reason = "error", "expressions nested too deeply"
    if lifted.status == "not_found" and time.perf_counter() > clock.deadline:
        # Other ways were not tried, or not to their end: what the first one came to is no verdict.
        lifted.status, lifted.reason = "timeout", f"{out_of_time(clock.current, allowed)}; so far: {lifted.reason}"
    lifted.seconds = dict(clock.seconds) | {"total": time.perf_counter() - start}
    return lifted


def _lift_somehow(function: Function, options: Options, clock: Stopwatch, lifted: Lifted) -> None:
    """Lifts a function as it stands; where that asks for it, by whole windows or with values measured at the call."""
    try:
        _lift(function, options, clock, lifted)
    except NotFound as problem:
        windows = problem.reason == MOVING_BOUNDS
        if windows and _lift_again(function, options, clock, lifted, windows):
            return
        arrays = problem.arrays if isinstance(problem, UnknownReach) else _addressing(lifted)
        if not _lift_measured(function, options, clock, lifted, arrays) and not _lift_by_number(
            function, options, clock, lifted
        ):
            raise
    except UnknownTrip as problem:
        if not _lift_measured(function, options, clock, lifted, problem.arrays):
            raise
    else:
        # What a type alone bounds spans so much memory that something else will lie there.
        far = far_reaching(lifted.summary) if lifted.summary is not None else frozenset[str]()
        arrays = far if lifted.status == "verified" else _addressing(lifted)
        _lift_measured(function, options, clock, lifted, arrays)
        if lifted.status != "verified":
            _lift_by_number(function, options, clock, lifted)


def _lift_by_number(function: Function, options: Options, clock: Stopwatch, lifted: Lifted) -> bool:
    """Lifts a function for parameters that are numbers, where it is written as if they were these, and leaves it to the
    original for others where nothing is found for these; whether that helps."""
    settings: dict[int, Expr] = {}
    tried = lifted.paths
    try:
        while len(settings) < _MOST_SETTINGS:
            found = {key(c): c for p in tried if (c := suggested(function, p)) is not None}
            if found.keys() <= settings.keys():
                return False
            settings |= found
            tried = []
            if _lift_again(function, options, clock, lifted, settings=tuple(settings.values()), tried=tried):
                return True
    except TimedOut:  # what was found before stands
        pass
    return False


def _addressing(lifted: Lifted) -> frozenset[str]:
    """The arrays whose values say where memory is touched; none when time is over."""
    try:
        return addressing(lifted.paths)
    except TimedOut:
        return frozenset()


def _lift_measured(
    function: Function, options: Options, clock: Stopwatch, lifted: Lifted, arrays: frozenset[str]
) -> bool:
    """Lifts a function with the values of arrays measured, and with those of others as they are met of which nothing is
    known; whether that helps."""
    while arrays:
        try:
            measured = bounded(function, arrays)
            if measured is None:
                return False
            function = measured
            return _lift_again(function, options, clock, lifted, passed=(UnknownReach, UnknownTrip))
        except (UnknownReach, UnknownTrip) as another:
            arrays = another.arrays
        except TimedOut:  # what was found before stands
            return False
    return False


def _lift_again(
    function: Function,
    options: Options,
    clock: Stopwatch,
    lifted: Lifted,
    windows: bool = False,
    passed: tuple[type[Exception], ...] = (),
    settings: tuple[Expr, ...] = (),
    tried: list[Path] | None = None,
) -> bool:
    """Lifts a function whose windows are cut to the image (`windows`), or whose values are measured at the call, or
    with `settings` of its own; whether that helps.  Where it does not, the outcome stays as it was, and the paths go to
    `tried`.  Problems that are `passed` are raised."""
    before = replace(lifted, paths=list(lifted.paths), verdicts=list(lifted.verdicts))
    lifted.verdicts, lifted.status, lifted.reason, lifted.stage, lifted.line = [], "error", "", "", function.line
    try:
        _lift(function, options, clock, lifted, windows, settings)
    except passed:
        raise
    except (NotFound, NotConcrete, Unsupported):
        pass
    finally:
        if lifted.status != "verified":
            if tried is not None:
                tried += lifted.paths
            for name in ("function", "status", "reason", "line", "stage", "summary", "paths", "verdicts"):
                setattr(lifted, name, getattr(before, name))
    return lifted.status == "verified" and lifted.summary is not before.summary


def _lift(
    function: Function,
    options: Options,
    clock: Stopwatch,
    lifted: Lifted,
    windows: bool = False,
    settings: tuple[Expr, ...] = (),
) -> None:
    log = _log(function, options, lifted.rewritings)
    with clock.stage("parse"):
        paths = execute(function, decided, follows, windows, log, same_values, settings)
        lifted.paths = [_prepared(function, p, log) for p in paths]
        lifted.function = function = with_definitions(function, lifted.paths)
    for p in lifted.paths:
        _check_library(function, p)
    found: list[PathSummary] = []
    without: list[NeverGiven] = []

    def is_of_others(given: Path) -> bool:
        """Whether a path is for numbers of a parameter that nothing is known of."""
        return is_of_no_number(given, settings) and suggested(function, given) is None

    def left(given: Path) -> tuple[Path, PathSummary, Verdict]:
        edited = log.apply("leave_to_original", given, left_to_original, RAW, most=1)
        return _lift_path(function, edited, options, clock, lifted)

    for number, given in enumerate(lifted.paths):
        try:
            path, summary, verdict = _lift_path(function, given, options, clock, lifted)
        except NeverGiven as undefined:
            without.append(undefined)
            path, summary, verdict = left(given)
            summary = replace(summary, contract=tuple(replace(i, kind="undefined") for i in summary.contract))
        except NotFound:
            if not is_of_others(given):
                raise
            path, summary, verdict = left(given)
        if not verdict.proved and is_of_others(given):
            path, summary, verdict = left(given)
        lifted.paths[number] = path
        found.append(summary)
        lifted.verdicts.append(verdict)
        lifted.summary = Summary(function, tuple(found), dict(function.functions))
        if not verdict.proved:
            _fail(lifted, verdict)
            return
    if without and not any(p.effects for p in lifted.paths):
        raise without[0]
    if settings and not any(p.effects for p in lifted.paths):
        raise NotFound("roi", "nothing is left but what is the original's", function.line)
    notes = [f"line {w.line} is left to the original where {w.reason}" for w in without]
    lifted.function = replace(function, notes=(*function.notes, *dict.fromkeys(notes)))
    lifted.summary = Summary(lifted.function, tuple(found), dict(function.functions))
    lifted.status = "verified"


def _prepared(function: Function, p: Path, log: PathLog) -> Path:
    """A path as the search wants it."""
    p = log.apply("rename_locals", p, lambda q: rename_locals(function, q), RAW, most=1)
    p = log.apply("leave_to_original", p, left_alone, RAW, most=1)
    p = log.apply("eliminate_idle_stores", p, without_idle, RAW, most=1)
    return log.apply("readable_places", p, lambda q: readable_places(function, q), RAW, most=1)


def rewritten(function: Function, options: Options, log_of: Callable[[PathLog], PathLog]) -> None:
    """Makes all that strategies make of a function's paths, and searches for nothing.  log_of: what is told of it."""
    log = log_of(_log(function, options, Rewritings()))
    for p in execute(function, decided, follows, False, log, same_values):
        path = _prepared(function, p, log)
        for strategy in {s.rewrite: s for s in STRATEGIES if s.rewrite is not None}.values():
            edit = strategy.made_of(function, path)
            if edit is not None:
                log.after(strategy.name, path, edit.path, RAW, [edit])


def _log(function: Function, options: Options, rewritings: Rewritings) -> PathLog:
    log = PathLog(function, _sampled, rewritings)
    if options.check_rewritings:
        log.prove, log.checks, rewritings.asked = is_proved, True, True
    return log


def _sampled(function: Function, path: Path, conditions: list[Expr], count: int) -> list[Env]:
    return sample_environments(function, path, conditions, count)


def _check_library(function: Function, path: Path) -> None:
    """Raises Unsupported for a call of the C library whose value depends on who computes it."""
    pointers = {p.name for p in function.params if p.pointer}
    fixed = {e.array for e in path.effects if not variables(e.value) and not loads(e.value)}
    sources = Sources({p.name for p in function.params if not p.pointer}, pointers - fixed)
    values = [([e.value], e.guard, e.line) for e in path.effects]
    values += [([e.guard], None, e.line) for e in path.effects if e.guard is not None]
    values += [([path.result], None, function.line)] if path.result is not None else []
    for own, guard, line in values:
        around = [*path.conditions, *([guard] if guard is not None else [])]
        inlined, conditions = ([inline_all(v, function.functions) for v in some] for some in (own, around))
        call = knowable(inlined, conditions, sources)
        if call is not None:
            text = f"'{call.name}' of what a compiler may know, and then computes more exactly than the library"
            raise Unsupported(text, line)


def _lift_path(
    function: Function, path: Path, options: Options, clock: Stopwatch, lifted: Lifted
) -> tuple[Path, PathSummary, Verdict]:
    """The path as the first strategy has it that proves something, its summary and what was proved.  Where none does,
    what came of the path as it stands: that reason says most of the function.  Raises NotFound."""
    plain: tuple[Path, PathSummary, Verdict] | NotFound | None = None
    for strategy in STRATEGIES:
        edit = strategy.made_of(function, path)
        if edit is None:
            continue
        tried = _log(function, options, Rewritings())
        made = tried.after(strategy.name, path, edit.path, RAW, [edit])
        try:
            found = _proved(PathLifter(function, made, options, clock, lifted.trace, strategy), strategy.stop_early)
        except NotFound as problem:
            plain = plain or problem
            continue
        except TimedOut:
            if plain is None:
                raise
            break
        if found[1].proved:
            lifted.rewritings.add(tried.rewritings)
            return made, *found
        if strategy.as_it_stands:
            plain = made, *found
    assert plain is not None
    if isinstance(plain, NotFound):
        raise plain
    return plain


def _proved(lifter: PathLifter, stop_early: bool) -> tuple[PathSummary, Verdict]:
    summary = lifter.lift()
    with lifter.clock.stage("proof"):
        verdict = verify_path(lifter.function, lifter.path, summary, lifter.options.query_timeout, stop_early)
        if verdict.proved:
            summary, verdict = without_needless(lifter.function, lifter.path, summary, verdict)
    return summary, verdict


def with_definitions(function: Function, paths: list[Path]) -> Function:
    """The function with the numbers that symbolic execution has found for the locals of `Define`."""
    found = {name: from_poly(p, I64) for path in paths for name, p in path.defined.items()}
    return replace(function, defined=found) if found else function


def _fail(lifted: Lifted, verdict: Verdict) -> None:
    failures = verdict.failures()
    lifted.status, lifted.stage = "not_found", "verification"
    if not failures:
        lifted.reason = "there was nothing to prove"
        return
    first: Decision = failures[0]
    assert lifted.summary is not None
    funcs = lifted.summary.paths[len(lifted.verdicts) - 1].funcs
    found = tuple(failure(d.condition, d.answer) for d in failures)
    proved = len(verdict.decisions) - len(failures)
    lifted.trace.candidates.append(Candidate("verification", funcs, first.condition.text, proved, found))
    lifted.line = first.condition.line or lifted.function.line
    if isinstance(first.answer, Unknown):
        lifted.reason = f"the solver could not decide: {first.condition.text} ({first.answer.reason})"
        return
    lifted.reason = f"does not hold: {first.condition.text}"
    if isinstance(first.answer, Refuted):
        shown = {
            name: first.answer.model[symbol] for symbol, name in first.condition.names if symbol in first.answer.model
        }
        if shown:
            lifted.reason += "; for example with " + ", ".join(f"{n} = {v}" for n, v in shown.items())
    if first.condition.name == "defined":
        lifted.reason += " (the original reads memory that it has not given a value, or beyond an array's end)"

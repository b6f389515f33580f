"""One function lifted, in a process of its own."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection

from codegen.notation import returned_texts, stage_texts
from lifter.frontend import Definition, FunctionError
from lifter.ir.loop_ir import Function, Loop, walk
from lifter.running.contract_texts import contract_texts
from lifter.running.results import FunctionReport
from lifter.support.limited import words
from synth.lift import Lifted, lift_function, out_of_time
from synth.options import Options

MEMORY_LIMIT = 6 << 30


def report_of(
    f: Function | FunctionError, definition: Definition, options: Options, isolate: bool, with_text: bool,
    reading: float, meanwhile: Callable[[], None],
) -> FunctionReport:
    """What came of a function: `reading` are the seconds that it took of its time already, `meanwhile` is what to do
    while another process lifts it."""
    if isinstance(f, FunctionError):
        reason = f.reason.construct + (f"; {f.reason.advice}" if f.reason.advice else "")
        return FunctionReport(f.name, f.status, reason, f.reason.line or f.line, reading, definition)
    start, used = time.perf_counter() - reading, _processor_time()
    left = replace(options, timeout=max(options.timeout - reading, 0.0))
    if isolate:
        lifted = _isolated(f, left, options.timeout, with_text, meanwhile)
    else:
        lifted = lift_function(f, left, allowed=options.timeout)
    report = FunctionReport(
        f.name, lifted.status, lifted.reason, lifted.line or f.line, definition=definition, lifted=lifted
    )
    report.seconds = time.perf_counter() - start
    report.processor = min(_processor_time() - used + reading, report.seconds)
    report.stage_seconds = {k: v for k, v in lifted.seconds.items() if k != "total"}
    report.rewritings = lifted.rewritings
    report.notes = list(lifted.function.notes)
    own = range(definition.line, definition.end_line + 1)
    report.loops = sorted({s.line for s in walk(f.body) if isinstance(s, Loop) and s.line in own})
    if lifted.summary is not None:
        report.returned = returned_texts(lifted.summary)
        for p in lifted.summary.paths:
            report.stages += stage_texts(p)
        report.contract, report.inferred = contract_texts(lifted.summary)
    return report


def _processor_time() -> float:
    """Of this process and of those that it has waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def _isolated(
    f: Function, options: Options, allowed: float, with_text: bool, meanwhile: Callable[[], None]
) -> Lifted:
    """Lifts in a child process, under its time and memory limit."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(f, options, allowed, with_text, sender), daemon=True)
    child.start()
    sender.close()
    end = time.perf_counter() + options.timeout + 2.0
    meanwhile()
    result: Lifted | None = None
    stage = ""
    with contextlib.suppress(EOFError):
        while result is None and receiver.poll(max(end - time.perf_counter(), 0.0)):
            said = receiver.recv()
            if isinstance(said, str):  # the stage that it has come to
                stage = said
            else:
                result = said
    if result is None:
        alive = child.is_alive()
        if alive:
            child.join(0.2)  # it may be dying
            alive = child.is_alive()
        child.kill()
        child.join()
        if alive:
            return Lifted(f, "timeout", out_of_time(stage, allowed), f.line, stage=stage)
        return Lifted(f, "crashed", f"the process that lifted it ended by {words(child.exitcode or 0)}", f.line)
    child.join()
    return result


def _child(f: Function, options: Options, allowed: float, with_text: bool, sender: Connection) -> None:
    gc.freeze()  # collecting what the parent holds would copy it
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY_LIMIT if hard == resource.RLIM_INFINITY else min(MEMORY_LIMIT, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        lifted = lift_function(f, options, sender.send, allowed)
    except MemoryError:
        lifted = Lifted(f, "error", "out of memory", f.line)
    except Exception as problem:  # a defect of the lifter: said as such, never as a verdict on the function
        lifted = Lifted(f, "error", f"internal error: {type(problem).__name__}: {problem}", f.line)
        if os.environ.get("LIFT_DEBUG"):
            raise
    lifted.verdicts = [v.portable(with_text) for v in lifted.verdicts]
    try:
        sender.send(lifted)
    except RecursionError:
        sender.send(Lifted(replace(f, body=(), defined={}), "error", TOO_DEEP, f.line))
    sender.close()


TOO_DEEP = "its expressions are nested too deeply for a process to hand over; `lift` on the command line goes deeper"

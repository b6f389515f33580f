"""The process in which an original and its lifted function are run: it may crash or not end.

It says in shared memory which call it has come to and which of the two it runs, and sends one message at its end."""

from __future__ import annotations

import faulthandler
import gc
import mmap
import multiprocessing
import os
import resource
import struct
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from lifter.harness.calls import Call, Calls
from lifter.harness.side_by_side import first_difference, one_way, same_value
from lifter.ir.loop_ir import Function

_STATE = struct.Struct("iiiiid")
_MEMORY = 2 << 30
"""Bytes that the process may take beyond those of the one that starts it."""

_STEP = 0.05
"""Seconds between two looks at where the process is."""


class NotRun(Exception):
    """Nothing can be run; the text says why."""


class Phase(IntEnum):
    """What the process does."""

    COMPILING = 0
    DRAWING = 1
    ORIGINAL = 2
    LIFTED = 3


PATIENCE = {Phase.DRAWING: 5.0, Phase.ORIGINAL: 0.5, Phase.LIFTED: 5.0}
"""Seconds for one thing: a call is over in microseconds."""
_FEW = 48
"""Calls that are made even if compiling took all the time."""


class State:
    """Where the process is, in memory that it shares with the one that started it."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, mmap.PAGESIZE)

    def set(self, number: int, phase: Phase, met: int = 0, missed: int = 0, handed: int = 0) -> None:
        _STATE.pack_into(self._map, 0, number, phase, met, missed, handed, time.process_time())

    def get(self) -> tuple[int, Phase, int, int, int]:
        """The number of the call, the phase, and how many calls were compared that meet the contract, that miss it, and
        that a drop-in which tells has handed on to the original."""
        number, phase, met, missed, handed, _ = _STATE.unpack_from(self._map, 0)
        return number, Phase(phase), met, missed, handed

    def used(self) -> float:
        """Seconds of processor time until the state was last set.

        Budgets are in these: on a busy machine a clock on the wall would leave nothing to be run."""
        return float(_STATE.unpack_from(self._map, 0)[5])


@dataclass(slots=True)
class Kept:
    """A call, with what stands in the memory before it, and after each of the two."""

    number: int
    met: bool
    scalars: dict[str, int | float]
    names: list[str]
    types: list[str]
    offsets: list[int]
    """Of the address given, in bytes from the memory's first."""
    null: list[str]
    """Pointers that are null."""
    before: list[bytes]
    original: list[bytes] = field(default_factory=list)
    lifted: list[bytes] = field(default_factory=list)
    returned: tuple[object, object] = (None, None)
    """By the original and by the lifted function."""
    words: str = ""


@dataclass(slots=True)
class End:
    """What the process says at its end."""

    kept: Kept | None = None
    reason: str = ""
    """Why nothing was run."""
    fault: str = ""
    """A fault of the harness itself."""


def _never() -> int:
    return 0


class Loaded(NamedTuple):
    """What is run, as callables."""

    original: Any
    lifted: Any
    inside: Any
    """The original where the contract is missed."""
    handed: Callable[[], int] = _never
    """How often the lifted function has run the original's code, where it tells."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a process does: the calls from one number on, or one call of the original alone."""

    function: Function
    calls: Callable[[], Calls]
    load: Callable[[], Loaded]
    first: int
    last: int
    seconds: float
    """Processor time for all, of which a few calls are made in any case."""
    compiling: float
    """Processor time after which not even these are made."""
    only_original: bool = False


def start(work: Work, state: State) -> tuple[Any, Connection]:
    """A fork of this process that does the work, and where it tells its `End`."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    state.set(work.first, Phase.COMPILING)
    process = context.Process(target=_run, args=(work, state, sender), daemon=True)
    process.start()
    sender.close()
    return process, receiver


def _run(work: Work, state: State, sender: Connection) -> None:
    gc.freeze()
    gc.disable()
    faulthandler.disable()  # the one that started it says what happened
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):  # what an assert has to say
        os.dup2(quiet, number)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = _address_space() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        end = _original_alone(work, state) if work.only_original else _side_by_side(work, state)
    except NotRun as reason:
        end = End(reason=str(reason))
    except MemoryError:
        end = End(reason="it takes too much memory")
    except Exception:  # a defect of the harness: said as such, never as a verdict on the function
        end = End(fault=traceback.format_exc())
    sender.send(end)
    sender.close()
    os._exit(0)  # what was run may have left exit handlers and threads


def _address_space() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[0]) * mmap.PAGESIZE


def _side_by_side(work: Work, state: State) -> End:
    code = work.load()
    calls = work.calls()
    params, met, missed, handed = work.function.params, 0, 0, 0
    if time.process_time() > work.compiling:
        return End()
    for number in range(work.first, work.last):
        if time.process_time() > work.seconds and number >= work.first + _FEW:
            break
        state.set(number, Phase.DRAWING, met, missed, handed)
        call = calls.make(number)
        if call is None:
            continue
        values = call.values(params)
        before, beside = call.snapshot(), call.beside()
        state.set(number, Phase.ORIGINAL, met, missed, handed)
        expected = (code.original if call.met else code.inside)(*values)
        after = call.snapshot()
        call.restore(before)
        state.set(number, Phase.LIFTED, met, missed, handed)
        already = code.handed()
        got = code.lifted(*values)
        handed += code.handed() > already
        met, missed = met + call.met, missed + (not call.met)
        state.set(number, Phase.DRAWING, met, missed, handed)
        words = _difference(call, after, beside, *(one_way(work.function, values, x) for x in (expected, got)))
        if words:
            return End(kept_call(call, before, after, call.snapshot(), (expected, got), words))
    return End()


def _difference(call: Call, after: list[bytes], beside: list[list[bytes]], expected: object, got: object) -> str:
    """What differs, in words."""
    if not same_value(got, expected):
        return f"returns {got} for {expected}"
    for s, wanted, near in zip(call.spans, after, beside, strict=True):
        now = s.bytes.tobytes()
        where = first_difference(wanted, now, s.param.type)
        if where is not None:
            element = (where - s.offset) // s.param.type.bytes()
            return f"{s.param.name}[{element}] differs: byte {where} of {len(now)} is {now[where]} for {wanted[where]}"
        if [b.tobytes() for b in s.beside] != near:
            return f"what lies beside {s.param.name} was changed"
    return ""


def _original_alone(work: Work, state: State) -> End:
    """One call of the original: the lifted function crashes there, or its own result may be undefined."""
    code = work.load()
    calls = work.calls()  # whose memory lives as long as it does
    call = calls.make(work.first)
    if call is None:
        return End(fault="the call cannot be made again")
    before = call.snapshot()
    state.set(work.first, Phase.ORIGINAL)
    expected = (code.original if call.met else code.inside)(*call.values(work.function.params))
    state.set(work.first, Phase.DRAWING)
    return End(kept_call(call, before, call.snapshot(), [], (expected, None), ""))


def kept_call(
    call: Call, before: list[bytes], original: list[bytes], lifted: list[bytes], returned: tuple[object, object],
    words: str,
) -> Kept:
    """A call as it is kept."""
    return Kept(
        call.number, call.met, dict(call.scalars), [s.param.name for s in call.spans],
        [str(s.param.type) for s in call.spans], [s.offset for s in call.spans],
        [s.param.name for s in call.spans if not s.address], before, original, lifted, returned, words,
    )


def wait(receiver: Connection, state: State, compiling: float) -> End | None:
    """What a process told; None where it died, or is at one thing for too long: `compiling` for that many seconds."""
    seen, since = state.get(), time.perf_counter()
    try:
        while not receiver.poll(_STEP):
            now = time.perf_counter()
            if state.get() != seen:
                seen, since = state.get(), now
            elif now > since + PATIENCE.get(seen[1], compiling):
                return None
        told: End = receiver.recv()
        return told
    except EOFError:
        return None


def stop(process: Any, receiver: Connection) -> int | None:
    """Ends a process; its exit status, negative for a signal that ended it, None where it was still at work."""
    process.join(0.01)
    alive = process.is_alive()
    if alive:
        process.kill()
    process.join()
    receiver.close()
    return None if alive else process.exitcode


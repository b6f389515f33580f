"""Drop-in against original, bit for bit, on inputs that meet the contract and inputs that miss it.

Everything runs in a process of its own: a crash of either is a finding about the function, not the end of the run.
Where the contract fails the original may run wild (a negative width taken for a large unsigned one); such a call is
tried in yet another process first, and left out if it does not come back."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import multiprocessing
import os
import random
import signal
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from lifter.harness.argument_extents import NoArguments
from lifter.harness.draw_arguments import Draw, Drawer, Ranges
from lifter.harness.side_by_side import Arguments, bind, difference
from lifter.ir.summary import Summary

SIZES = (
    (0, 0), (0, 3), (3, 0), (1, 1), (2, 1), (1, 2), (2, 2), (3, 3), (4, 6), (17, 5), (63, 7), (64, 4), (65, 33),
    (131, 67), (320, 211),
)
PADS = (0, 1, 13)
TRIES = 12
MOST_WILD = 20
"""Calls left out before no more that miss the contract are tried."""
_SECONDS = 0.2
"""Processor time after which a call of the original is taken not to end, whatever else the machine does."""
_LIMIT = 90.0


@dataclass(slots=True)
class Comparison:
    """How many calls were compared, and what differed, in words."""

    met: int = 0
    """Calls that meet a path's conditions and contract."""
    missed: int = 0
    """Calls that do not, where the original's own code must run."""
    overlapping: int = 0
    wild: int = 0
    """Calls left out because the original did not survive them."""
    problems: list[str] = field(default_factory=list)


def compare(
    summary: Summary, original: Path, lifted: Path, ranges: Ranges | None = None, spare: bool = False, set_up: str = ""
) -> Comparison:
    """Compares the function of two libraries, in a child process.  `spare`: images are given a little room; `set_up`: a
    function without arguments that each library's user calls first."""
    # It forks for each call of the original: a child of this process would copy the page tables of all that this holds.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(summary, original, lifted, ranges, spare, set_up, sender))
    child.start()
    sender.close()
    result = Comparison()
    with contextlib.suppress(EOFError):
        while receiver.poll(_LIMIT):
            message = receiver.recv()
            if isinstance(message, Comparison):
                child.join()
                return message
            result.problems = [f"ended during the call {message}"]
    child.join(1.0)
    if child.is_alive():
        result.problems = [f"no end within {_LIMIT:g} s: {result.problems}"]
    child.kill()
    child.join()
    return result


def _child(
    summary: Summary, original: Path, lifted: Path, ranges: Ranges | None, spare: bool, set_up: str, sender: Connection
) -> None:
    try:
        comparer = _Comparer(summary, original, lifted, ranges, set_up, sender)
        comparer.drawer.spare = spare
        done = comparer.run()
    except NoArguments as problem:
        done = Comparison(problems=[f"no arguments: {problem}"])
    except Exception:  # shown as a problem of the function, with where it came from
        done = Comparison(problems=[traceback.format_exc()])
    sender.send(done)
    sender.close()


class _Comparer:
    def __init__(
        self, summary: Summary, original: Path, lifted: Path, ranges: Ranges | None, set_up: str, sender: Connection
    ) -> None:
        self.function = summary.function
        self.drawer = Drawer(summary, ranges)
        libraries = [ctypes.CDLL(str(p)) for p in (original, lifted)]
        if set_up:
            for library in libraries:
                library[set_up]()
        self.original, self.lifted = (bind(library, self.function) for library in libraries)
        self.sender = sender
        self.done = Comparison()

    def run(self) -> Comparison:
        for number, (width, height) in enumerate(SIZES):
            for pad in PADS:
                draws = list(self._draws(width, height, pad, number))
                for seed, draw in enumerate(draws):
                    self._plain(draw, seed)
                self._plain(self.drawer.spoiled(draws[0], random.Random(number)), number)
            if len(self.done.problems) > 3:
                break
        self._overlap()
        if not self.done.met:
            self.done.problems.append("no arguments were found that meet the contract; give ranges in the manifest")
        return self.done

    def _draws(self, width: int, height: int, pad: int, seed: int) -> Iterator[Draw]:
        """Two draws that meet the contract, if a few tries find them, and the ones that missed it on the way (two)."""
        rng = random.Random(1000 * seed + pad)
        met = missed = 0
        for _ in range(TRIES):
            draw = self.drawer.scalars(width, height, pad, rng)
            if draw.path is not None and met < 2:
                met += 1
                yield draw
            elif draw.path is None and missed < 2:
                missed += 1
                yield draw
            if met == 2:
                return

    def _plain(self, draw: Draw, seed: int) -> None:
        # Unmapped memory lies behind the images at one draw, before them at the next.
        try:
            args = self.drawer.arguments(draw, seed, front=draw.path is not None and seed % 2 == 1)
        except NoArguments:  # sizes multiplied with each other
            return
        if draw.path is None and self.drawer.undefined(draw):
            return
        if draw.path is not None:
            self.done.met += 1
        elif self._survives(args):
            self.done.missed += 1
        else:
            return
        self._call(args, "")

    def _overlap(self) -> None:
        pointers = [p.name for p in self.function.params if p.pointer]
        written = [p.name for p in self.function.params if p.pointer and not p.const]
        for width, height in ((37, 11), (8, 3)):
            for draw in [d for d in self._draws(width, height, 3, 99) if d.path is not None][:1]:
                for first in written:
                    for second in (p for p in pointers if p != first):
                        for shift in (0, 1, -1, 5, width, -width):
                            args = self.drawer.overlapping(draw, first, second, shift, 1)
                            if self._survives(args):
                                self.done.overlapping += 1
                                self._call(args, f"{second} = {first} + {shift}: ")

    def _call(self, args: Arguments, what: str) -> None:
        self.sender.send(f"{what}{args.scalars}")
        found = difference(self.function, self.original, self.lifted, args)
        if found is not None:
            self.done.problems.append(what + found)

    def _survives(self, args: Arguments) -> bool:
        """Whether the original comes back from a call, tried in another process."""
        if self.done.wild >= MOST_WILD:
            return False
        before = args.snapshot()  # the memory is shared with the child
        child = os.fork()
        if child == 0:
            os.close(2)  # what an assert has to say
            faulthandler.disable()
            signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
            signal.setitimer(signal.ITIMER_REAL, 50 * _SECONDS)  # where it waits for something
            try:
                self.original(*args.values(self.function))
                os._exit(0)
            finally:  # it may have overwritten what Python works with
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        args.restore(before)
        self.done.wild += status != 0
        return status == 0


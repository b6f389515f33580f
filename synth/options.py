"""What a search may do, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lifter.support.deadline import TimedOut
from synth.expression.grammar import Grammar


@dataclass(frozen=True, slots=True)
class Options:
    """suggestions: try what symbolic execution found first; monolithic: one search over the whole grammar;
    timeout: seconds for one function; query_timeout: seconds for one question to the solver."""

    suggestions: bool = True
    monolithic: bool = False
    timeout: float = 60.0
    query_timeout: float = 10.0
    optimise: bool = True
    check_rewritings: bool = False
    """Whether what is made of paths before the search is proved, or run on samples."""
    grammar: Grammar = field(default_factory=Grammar)


@dataclass(slots=True)
class Stopwatch:
    """Seconds spent per stage, and the deadline; `current` is the stage that was entered last."""

    deadline: float
    seconds: dict[str, float] = field(default_factory=dict)
    current: str = ""
    entered: Callable[[str], None] = lambda _: None
    """Is told each stage that is entered."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Counts the time of the block as `name`'s; raises TimedOut after the deadline."""
        self.current = name
        self.entered(name)
        self.check()
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def check(self) -> None:
        """Raises TimedOut after the deadline."""
        if time.perf_counter() > self.deadline:
            raise TimedOut

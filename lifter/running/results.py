"""What came of lifting functions and files, as data: for people, for `--json`, for reports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from codegen.notation import StageText
from lifter.transforms.path_log import Rewritings

if TYPE_CHECKING:
    from lifter.frontend import Definition
    from lifter.harness.second_opinion import Opinion
    from synth.lift import Lifted

VERIFIED = "verified"
STATUSES = ("verified", "unsupported", "not_found", "timeout", "disagreed", "crashed", "error")
"""Of functions."""


@dataclass(slots=True)
class FunctionReport:
    """The outcome for one function, as `--json` prints it."""

    name: str
    status: str
    reason: str = ""
    line: int = 0
    seconds: float = 0.0
    definition: Definition | None = None
    stage_seconds: dict[str, float] = field(default_factory=dict)
    stages: list[StageText] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    """The pointers that it returns, in words: one of each path."""
    contract: list[str] = field(default_factory=list)
    inferred: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    run: Opinion | None = None
    """What running it beside its original said; None where nobody asked, or nothing is proved."""
    halide_differs: list[str] = field(default_factory=list)
    """What the emitted text computes otherwise under the package `halide`, a phrase each."""
    loops: list[int] = field(default_factory=list)
    """The lines of its own loops."""
    explanation: dict[str, Any] | None = None
    """What `lift explain` says, where that is asked."""
    lifted: Lifted | None = None
    processor: float = 0.0
    """Seconds of processor time that lifting it took, on a busy machine less than `seconds`."""
    rewritings: Rewritings = field(default_factory=Rewritings)
    """Of its paths, between symbolic execution and the search."""
    kept: bool = False
    """Whether it is of an earlier run."""
    part_of: str = ""
    """The function that it is a loop of, which could not be lifted whole."""

    @property
    def verified(self) -> bool:
        """Whether it is proved."""
        return self.status == VERIFIED

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from the other functions of its file."""
        d = self.definition
        return (d.symbol, d.line) if d is not None else (self.name, self.line)

    @property
    def column(self) -> int:
        """In `line`, as far as it is known: that of the function's name, or 1."""
        d = self.definition
        return d.column if d is not None and d.line == self.line else 1

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        d = self.definition
        return {
            "name": self.name,
            "signature": d.signature if d is not None else self.name,
            "status": self.status,
            "reason": self.reason,
            "line": self.line,
            "column": self.column,
            "defined": {"line": d.line, "column": d.column, "end_line": d.end_line} if d is not None else None,
            "seconds": round(self.seconds, 4),
            "stages": [
                {"name": s.name, "roi": s.roi, "terms": s.terms, "left": s.left, "expression": s.expression}
                for s in self.stages
            ],
            **({"returned": self.returned} if self.returned else {}),
            "contract": self.contract,
            "outputs": self.outputs,
            "run": self.run.as_json() if self.run is not None else None,
            "rewritings": {
                "made": self.rewritings.made, "proved": self.rewritings.proved, "checked": self.rewritings.checked,
                "unseen": self.rewritings.unseen,
            },
            "halide_differs": self.halide_differs,
            "notes": self.notes,
            **({"part_of": self.part_of} if self.part_of else {}),
        }

    def __str__(self) -> str:
        """As `lift` prints it."""
        from lifter.running.report import text_of_function

        return text_of_function(self)

    def plain(self) -> FunctionReport:
        """Without the summary and its trees, for another process."""
        return replace(self, lifted=None, run=self.run.plain() if self.run is not None else None)


@dataclass(slots=True)
class FileReport:
    """The outcome for one file."""

    file: str
    functions: list[FunctionReport] = field(default_factory=list)
    loops: list[FunctionReport] = field(default_factory=list)
    """Of functions that could not be lifted whole, where that was asked: loops as functions of their own."""
    outlined: str = ""
    """The source in which those of them that are verified are functions that it calls."""
    missing: list[str] = field(default_factory=list)
    """Names asked for that another of several files may define."""
    text: str = ""
    """Whose preprocessed text was read: "c++ (GCC 12.2.0)", or "libclang" and why."""
    status: str = ""
    """Of the file as a whole, where not all of its functions have one: unreadable, crashed, timeout, error or
    interrupted; else ""."""
    reason: str = ""
    digest: str = ""
    """Of all that the results depend on; "" where that is not known."""
    digest_of_functions: str = ""
    """Of all that those of each function depend on, but for its own text."""
    kept: bool = False
    """Whether they are those of an earlier run."""

    @property
    def verified(self) -> bool:
        """Whether every selected function is verified."""
        return not self.status and all(f.verified for f in self.functions)

    def __str__(self) -> str:
        """As `lift` prints it."""
        from lifter.running.report import text_of_file

        return text_of_file(self)

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = "".join(
            f"<tr><td>{escape(f.name)}</td><td>{escape(f.status)}</td>"
            f"<td>{'<br>'.join(escape(s.left + ' = ' + s.expression) for s in f.stages) or escape(f.reason)}</td></tr>"
            for f in self.functions
        )
        head = "<tr><th>function</th><th>status</th><th>summary or reason</th></tr>"
        return f"<table><caption>{escape(self.file)}</caption>{head}{rows}</table>"

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "file": self.file,
            "text": self.text,
            "status": self.status,
            "reason": self.reason,
            "functions": [f.as_json() for f in self.functions],
            **({"loops": [f.as_json() for f in self.loops]} if self.loops else {}),
            **({"outlined": self.outlined} if self.outlined else {}),
        }


@dataclass(frozen=True, slots=True)
class Step:
    """What is being done, told as it begins."""

    doing: str
    """"reading", "lifting", "running" or "writing"."""
    function: Definition | None = None
    """None for the whole file."""

    def words(self) -> str:
        """For people."""
        return f"{self.doing} {self.function.name}" if self.function is not None else f"{self.doing} it"

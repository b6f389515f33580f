"""What came of a batch as a whole: counts, and the reasons in groups."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lifter.commands.batch.plan import Job, Plan
from lifter.commands.batch.timings import Timings
from lifter.running.results import STATUSES, VERIFIED, FileReport, FunctionReport

_QUOTED = re.compile(r"'[^']*'")
_NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?(?![\w.])")
_LINE = re.compile(r"\b(line|lines) \d+( and \d+)?")


@dataclass(slots=True)
class Row:
    """One file of the batch."""

    job: Job
    report: FileReport


@dataclass(slots=True)
class Outcome:
    """All files of a batch, in the order of their names."""

    plan: Plan
    rows: list[Row] = field(default_factory=list)
    not_begun: list[Job] = field(default_factory=list)
    """Files that an interruption left."""
    seconds: float = 0.0
    timings: Timings = field(default_factory=Timings)

    def sort(self) -> None:
        """By name."""
        self.rows.sort(key=lambda r: r.job.name)

    def functions(self) -> Iterator[tuple[Row, FunctionReport]]:
        """Every function of every file."""
        for row in self.rows:
            for f in row.report.functions:
                yield row, f

    def counts(self) -> dict[str, int]:
        """Functions by their status, those that there are, in the order of STATUSES."""
        found = Counter(f.status for _, f in self.functions())
        return {s: found[s] for s in STATUSES if found[s]}

    def not_read(self) -> list[Row]:
        """The files that could not be read, or not to their end."""
        return [r for r in self.rows if r.report.status]

    @property
    def interrupted(self) -> bool:
        """Whether it ended before its end."""
        return bool(self.not_begun) or any(r.report.status == "interrupted" for r in self.rows)

    @property
    def all_verified(self) -> bool:
        """Whether there is nothing left to say."""
        counts = self.counts()
        return bool(counts) and set(counts) == {VERIFIED} and not self.not_read()

    def reasons(self) -> list[Group]:
        """Why functions are not lifted, in groups of alike reasons, the largest first."""
        groups: dict[tuple[str, str], list[tuple[Row, FunctionReport]]] = defaultdict(list)
        for row, f in self.functions():
            if f.status != VERIFIED:
                groups[f.status, kind_of(f.reason)].append((row, f))
        found = [Group(status, text, members) for (status, text), members in groups.items()]
        return sorted(found, key=lambda g: (-len(g.members), g.status, g.text))

    def as_json(self) -> dict[str, Any]:
        """The whole of it, for report.json."""
        return {
            "root": self.plan.root,
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "totals": {"files": len(self.plan.jobs), "functions": sum(self.counts().values()), **self.counts()},
            "reasons": [
                {"status": g.status, "reason": g.text, "functions": len(g.members)} for g in self.reasons()
            ],
            "files": [{"name": r.job.name, "out": r.job.out, **self._file(r)} for r in self.rows],
            "not_begun": [j.path for j in self.not_begun],
            "remarks": list(self.plan.remarks),
        }

    def _file(self, row: Row) -> dict[str, Any]:
        found = row.report.as_json()
        for f in found["functions"]:
            speed = self.timings.of(row.job.path, f["name"])
            if speed and f["status"] == VERIFIED:
                f["over_o3"] = speed
        return found


@dataclass(frozen=True, slots=True)
class Group:
    """Functions that are not lifted for alike reasons."""

    status: str
    text: str
    members: list[tuple[Row, FunctionReport]]


def kind_of(reason: str) -> str:
    """A reason without the names and numbers of the one case, and without the advice."""
    text = reason.partition(";")[0].strip()
    text = _LINE.sub(r"\1 …", _QUOTED.sub("'…'", text))
    return _NUMBER.sub("…", text) or "no reason is given"

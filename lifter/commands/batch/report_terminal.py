"""A batch on the terminal: a line a file, then the reasons in groups."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.table import Table

from lifter.commands.batch.outcome import Outcome, Row
from lifter.running.results import STATUSES
from lifter.support.shown import shown

_GROUPS, _EXAMPLES = 12, 2
_FIRST_OF_REASON = 100
"""Characters of a file's problem that its line shows."""


def line_of(row: Row) -> str:
    """One file: its counts, or what is wrong with it."""
    report = row.report
    counts = Counter(f.status for f in report.functions)
    parts = [f"{counts[s]} {s}" for s in STATUSES if counts[s]]
    if report.status:
        problem = report.reason.splitlines()[0].removeprefix(f"{report.file}: ").removeprefix("error: ")
        cut = problem if len(problem) <= _FIRST_OF_REASON else f"{problem[: _FIRST_OF_REASON - 1]}…"
        parts.append(f"{report.status}: {cut}")
    text = ", ".join(parts) or "no function that is visible outside it"
    kept = sum(f.kept for f in report.functions)
    how = " (kept)" if report.kept else f" ({kept} kept)" if kept else ""
    verified = sum(f.verified for f in report.loops)
    loops = f"; {verified} of {_number(len(report.loops), 'loop')} of the others" if report.loops else ""
    return f"{shown(row.job.name)}: {text}{loops}{how}"


def print_outcome(console: Console, outcome: Outcome, reports: list[str], quiet: bool) -> None:
    """The end of a batch."""
    for remark in outcome.plan.remarks:
        console.print(f"note: {remark}", markup=False)
    groups = outcome.reasons()
    if groups and not quiet:
        console.print(_table(outcome))
        if len(groups) > _GROUPS:
            console.print(f"and {len(groups) - _GROUPS} more reasons; all are in the reports", markup=False)
    if reports:
        console.print(f"reports: {', '.join(reports)}", markup=False)
    console.print(summary(outcome), markup=False)


def summary(outcome: Outcome) -> str:
    """The last line."""
    counts = outcome.counts()
    total = sum(counts.values())
    text = ", ".join(f"{n} {s}" for s, n in counts.items()) or "nothing to lift"
    kept = sum(r.report.kept for r in outcome.rows)
    parts = [f"{_number(len(outcome.rows), 'file')}, {_number(total, 'function')}: {text}"]
    problems = Counter(r.report.status for r in outcome.not_read())
    parts += [f"{_number(n, 'file')} {s}" for s, n in problems.items()]
    loops = [f for r in outcome.rows for f in r.report.loops]
    if loops:
        parts.append(f"{sum(f.verified for f in loops)} of {_number(len(loops), 'loop')} of the others")
    if kept:
        parts.append(f"{_number(kept, 'file')} as before")
    functions = sum(f.kept for r in outcome.rows if not r.report.kept for f in r.report.functions)
    if functions:
        parts.append(f"{_number(functions, 'function')} of other files as before")
    if outcome.not_begun:
        parts.append(f"{_number(len(outcome.not_begun), 'file')} not begun; run it again to go on")
    return "; ".join(parts)


def _table(outcome: Outcome) -> Table:
    table = Table(title="Why functions are not lifted", title_justify="left", box=None, pad_edge=False)
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("reason", overflow="fold")
    table.add_column("for example", overflow="fold")
    for g in outcome.reasons()[:_GROUPS]:
        examples = ", ".join(f"{f.name} ({shown(row.job.name)}:{f.line})" for row, f in g.members[:_EXAMPLES])
        table.add_row(str(len(g.members)), g.status, g.text, examples)
    return table


def _number(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"



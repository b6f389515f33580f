"""A batch as one page of HTML that needs no network: totals, reasons, every function, its source beside its Halide."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import jinja2
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import CppLexer, PythonLexer

from lifter.commands.batch.outcome import Outcome, Row, kind_of
from lifter.running.results import STATUSES, VERIFIED, FunctionReport
from lifter.support.shown import shown

_PAGE = Path(__file__).parent / "page"
_MOST_LINES = 400
"""Of one function's source."""
_MOST_CHARACTERS = 500
"""Of one line."""
_BUILD = re.compile(r"^def build.*?(?=^(?:def regions|@np\.errstate))", re.MULTILINE | re.DOTALL)
_FORMATTER = HtmlFormatter(nowrap=True)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of source."""

    number: int
    html: Markup
    is_loop: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table: a function, or a file that could not be read to its end."""

    number: int
    file: str
    name: str
    line: int
    status: str
    reason: str
    group: str
    seconds: float
    report: FunctionReport | None = None
    source: Sequence[Line] = ()
    halide: str = ""
    speed: str = ""
    """How fast its drop-in is, where that was timed."""


def html(outcome: Outcome) -> str:
    """The page."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGE), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    entries = _entries(outcome)
    counts = Counter(e.status for e in entries)
    order = [*STATUSES, *(s for s in counts if s not in STATUSES)]
    return environment.get_template("page.html").render(
        outcome=outcome,
        root=shown(outcome.plan.root),
        version=metadata.version("lifter"),
        entries=entries,
        counts=[(s, counts[s]) for s in order if counts[s]],
        functions=sum(1 for _ in outcome.functions()),
        groups=[(g, f"{g.status}: {g.text}") for g in outcome.reasons()],
        style=Markup((_PAGE / "page.css").read_text()),
        colours=Markup(_colours()),
        script=Markup((_PAGE / "page.js").read_text()),
    )


def _colours() -> str:
    light = HtmlFormatter(style="friendly").get_style_defs("pre")  # type: ignore[no-untyped-call]
    dark = HtmlFormatter(style="github-dark").get_style_defs("pre")  # type: ignore[no-untyped-call]
    lines = [s for s in light.splitlines() if s.startswith("pre .")]
    others = [s for s in dark.splitlines() if s.startswith("pre .")]
    return "\n".join([*lines, "@media screen and (prefers-color-scheme: dark) {", *others, "}"])


def _entries(outcome: Outcome) -> list[Entry]:
    found: list[Entry] = []
    for row in outcome.rows:
        file = shown(row.job.name)
        if row.report.status:
            reason = row.report.reason
            found.append(Entry(len(found), file, "", 1, row.report.status, reason, kind_of(reason), 0.0))
        lines = _source(row)
        for f in row.report.functions:
            group = "" if f.status == VERIFIED else f"{f.status}: {kind_of(f.reason)}"
            speed = outcome.timings.words(row.job.path, f.name) if f.status == VERIFIED else ""
            found.append(Entry(
                len(found), file, f.name, f.line, f.status, f.reason, group, f.seconds, f, _lines(f, lines), _halide(f),
                speed,
            ))
    return found


def _source(row: Row) -> list[str]:
    try:
        return Path(row.job.path).read_text(errors="replace").split("\n")
    except OSError:
        return []


def _lines(f: FunctionReport, lines: Sequence[str]) -> list[Line]:
    d = f.definition
    if d is None or not 0 < d.line <= len(lines):
        return []
    first = min(d.line, f.line) if 0 < d.line - f.line < 10 else d.line  # what it returns may stand above its name
    last = min(d.end_line, first + _MOST_LINES, len(lines))
    text = "\n".join(s if len(s) <= _MOST_CHARACTERS else f"{s[:_MOST_CHARACTERS]} …" for s in lines[first - 1 : last])
    # Only what has its Halide beside it is coloured: of a large code base that is the small part, and colouring all of
    # it would take longer than the rest of a run in which nothing has changed.
    shown_text = _highlighted(text, CppLexer(stripnl=False)) if f.outputs else str(escape(text))
    rows = shown_text.split("\n")[: last - first + 1]
    return [Line(first + k, Markup(text), first + k in f.loops) for k, text in enumerate(rows)]


def _halide(f: FunctionReport) -> Markup:
    path = f.outputs.get("dsl")
    if path is None:
        return Markup()
    try:
        text = Path(path).read_text()
    except OSError:
        return Markup()
    built = "\n".join(m.strip() for m in _BUILD.findall(text))
    return Markup(_highlighted(built or text, PythonLexer()))


def _highlighted(text: str, lexer: Lexer) -> str:
    return str(highlight(text, lexer, _FORMATTER))


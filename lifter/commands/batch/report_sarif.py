"""A batch as SARIF 2.1.0 (OASIS), which editors and code hosts show beside the source."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lifter.commands.batch.outcome import Outcome
from lifter.running.results import VERIFIED

_RULES = {
    "unsupported": "The function has a construct outside the language that is lifted.",
    "not_found": "No summary of the function was found and proved.",
    "timeout": "Time ran out before a summary of the function was found.",
    "disagreed": "The function was proved, and differs from its compiled original: a fault of the lifter.",
    "crashed": "The process that read or lifted the function died.",
    "error": "The lifter failed on the function: a fault of the lifter.",
    "unreadable": "The file could not be read as a compiler reads it.",
}


def sarif(outcome: Outcome) -> dict[str, Any]:
    """Each function that is not lifted as a note, each file that cannot be read as a warning."""
    results = [
        _result(f.status, "note", f"{f.name}: {f.reason}", row.job.path, f.line, f.column)
        for row, f in outcome.functions() if f.status != VERIFIED
    ]
    for row in outcome.not_read():
        if row.report.status != "interrupted":
            results.append(_result(row.report.status, "warning", row.report.reason, row.job.path, 1, 1))
    driver = {
        "name": "lift",
        "version": metadata.version("lifter"),
        "rules": [{"id": k, "shortDescription": {"text": v}} for k, v in _RULES.items()],
    }
    run = {"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _result(rule: str, level: str, text: str, path: str, line: int, column: int) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": _uri(path)},
        "region": {"startLine": max(line, 1), "startColumn": max(column, 1)},
    }
    return {
        "ruleId": rule, "level": level, "message": {"text": text}, "locations": [{"physicalLocation": place}],
    }


def _uri(path: str) -> str:
    absolute = os.path.abspath(path)
    below = os.path.relpath(absolute)
    if below.startswith(os.pardir):
        return Path(absolute).as_uri()
    return quote(os.fsencode(Path(below).as_posix()))

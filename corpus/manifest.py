"""What the suites hold: `<suite>/manifest.toml` has a table for each file, a line for each function.

    ["plugin.cpp"]
    style = "a plug-in of the middle nineties"
    plug_multiply_row = { idea = "multiply of one row", construct = "a countdown over three walking pointers" }

Further keys of a function: `status` ("verified" if not given) and, with another one, its `reason` in a phrase; `hard`
for those of which the default tests take half; `ranges` of
scalars whose names do not say what values make sense; `set_up`, a function of the file that its user calls first."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
SUITES = ("dexter", "blend", "filter", "sse_blend", "pipelines")
STATUSES = ("verified", "not_found", "unsupported", "timeout")
EVERY = 60
"""Of this many functions the default tests take one."""
_KEYS = {"idea", "construct", "status", "reason", "hard", "ranges", "set_up"}


class ManifestError(Exception):
    """A manifest that does not say what it must; the text says where."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One function of a suite."""

    name: str
    suite: str
    file: str
    """Relative to the corpus."""
    idea: str
    construct: str
    status: str = "verified"
    reason: str = ""
    hard: bool = False
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    set_up: str = ""


def entries(suites: Iterable[str] = SUITES) -> list[Entry]:
    """All functions in the order of the manifests.  Raises ManifestError."""
    found = [e for suite in suites for e in _suite(suite)]
    seen: dict[str, Entry] = {}
    for e in found:
        if e.name in seen:
            raise ManifestError(f"{e.name} stands in {seen[e.name].file} and in {e.file}")
        seen[e.name] = e
    return found


def sample(suites: Iterable[str] = SUITES) -> list[Entry]:
    """What the default tests take: one function in sixty, and of the hard ones of each file every twelfth, or the only
    one."""
    everything = entries(suites)
    hard: dict[str, list[Entry]] = {}
    for e in everything:
        if e.hard:
            hard.setdefault(e.file, []).append(e)
    chosen = {e.name for own in hard.values() for e in (own[1::12] or own[:1])}
    return [e for i, e in enumerate(everything) if i % EVERY == 0 or e.name in chosen]


def _suite(suite: str) -> Iterable[Entry]:
    path = ROOT / suite / "manifest.toml"
    for file, table in tomllib.loads(path.read_text()).items():
        if not (ROOT / suite / file).exists():
            raise ManifestError(f"{path}: there is no file '{file}'")
        for name, item in table.items():
            if name != "style":
                yield _entry(path, suite, file, name, item)


def _entry(path: Path, suite: str, file: str, name: str, item: dict[str, Any]) -> Entry:
    where = f"{path}: {name}"
    if set(item) - _KEYS:
        raise ManifestError(f"{where}: unknown keys {', '.join(sorted(set(item) - _KEYS))}")
    if not item.get("idea") or not item.get("construct"):
        raise ManifestError(f"{where}: 'idea' and 'construct' must be given")
    status = item.get("status", "verified")
    if status not in STATUSES:
        raise ManifestError(f"{where}: '{status}' is no status; they are {', '.join(STATUSES)}")
    if (status == "verified") == bool(item.get("reason")):
        raise ManifestError(f"{where}: a reason belongs to what is not verified, and to that only")
    ranges = {n: (int(low), int(high)) for n, (low, high) in item.get("ranges", {}).items()}
    return Entry(
        name, suite, f"{suite}/{file}", item["idea"], item["construct"], status, item.get("reason", ""),
        bool(item.get("hard")), ranges, item.get("set_up", ""),
    )

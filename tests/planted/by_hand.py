"""Nasty faults, chosen by hand: a piece of a module's text that stands there once, and what it becomes."""

from __future__ import annotations

from tests.planted.mutate import ROOT, Fault

_FAULTS: tuple[tuple[str, str, str, str], ...] = ()


def by_hand() -> list[Fault]:
    """All of them.  A piece of text that is not there any more, or not once, is a mistake of this list."""
    found = []
    for area, file, old, new in _FAULTS:
        text = (ROOT / file).read_bytes()
        assert text.count(old.encode()) == 1, f"{file}: {old!r} stands there {text.count(old.encode())} times"
        start = text.index(old.encode())
        found.append(Fault(area, file, text[:start].count(b"\n") + 1, start, old, new, "by hand"))
    return found

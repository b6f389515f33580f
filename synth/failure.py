"""Why a search ended with nothing."""

from __future__ import annotations


class NotFound(Exception):
    """Nothing was found; `stage` says where the search ended."""

    def __init__(self, stage: str, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.stage = stage
        self.reason = reason
        self.line = line


class NeverGiven(NotFound):
    """What the program reads it has given no value: no defined call comes there."""


class UnknownReach(NotFound):
    """Nothing is known of the values of `arrays`, which address what is read or written."""

    def __init__(self, stage: str, reason: str, arrays: frozenset[str], line: int = 0) -> None:
        super().__init__(stage, reason, line)
        self.arrays = arrays

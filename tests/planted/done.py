"""What the process that lifts under a fault says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Done:
    """What became of one function."""

    status: str
    reason: str
    calls: int
    digest: str
    """Of all that was written for the function."""
    summary: bytes
    """Pickled, where it is verified."""
    library: str

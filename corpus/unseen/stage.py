"""What is known of the stages of a random pipeline: what later ones may read, and what a schedule must know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.unseen.values import Value

Access = Literal["point", "stencil", "scaled", "row", "column", "whole"]
"""How a stage reads another: at its own point, near it, at a multiple, all of its row or column, anywhere."""
_ORDER: tuple[Access, ...] = ("point", "stencil", "scaled", "row", "column", "whole")


@dataclass(frozen=True, slots=True)
class Plane:
    """An image that later stages may read: the element of a Func, over x and y, and c where it has `channels`.

    `scale` is how many pixels of the source one of its own is wide, `reach` how far beyond its place it reads there."""

    func: str
    type: str
    low: float
    high: float
    size: tuple[int, int]
    channels: bool = False
    element: int | None = None
    scale: float = 1.0
    reach: float = 0.0
    # Whether both modules compute the same bits, so that it may choose places and branches.
    exact: bool = True

    def magnitude(self) -> float:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))

    def at(self, x: str, y: str, c: str) -> Value:
        """Its value at a place."""
        places = [x, y, c] if self.channels else [x, y]
        element = "" if self.element is None else f"[{self.element}]"
        return Value(f"{self.func}[{', '.join(places)}]{element}", self.type, self.low, self.high)


@dataclass(slots=True)
class Read:
    """How one definition reads a Func, and how often."""

    access: Access
    count: int = 1

    def and_also(self, access: Access) -> None:
        """Another read of it."""
        if {access, self.access} == {"row", "column"}:
            access = "whole"
        self.access = max(self.access, access, key=_ORDER.index)
        self.count += 1


@dataclass(slots=True)
class Update:
    """A further definition: `pure` are its pure variables, `domain` its RVars as text with their extents, inner first.

    `kind`: sums over a window, over all of a row or column, scans along an axis, and counting by value."""

    kind: Literal["window", "sums", "scan x", "scan y", "histogram", "table"]
    pure: list[str]
    domain: list[tuple[str, int]]
    associative: bool = False
    reads: dict[str, Read] = field(default_factory=dict)


@dataclass(slots=True)
class Stage:
    """One Func: its lines of text, dimensions, definitions, and the reads of the first of them."""

    name: str
    dims: list[str]
    types: list[str]
    size: tuple[int, ...]
    lines: list[str]
    reads: dict[str, Read]
    cost: int
    updates: list[Update] = field(default_factory=list)

    def callees(self) -> dict[str, Read]:
        """All that it reads, updates included, each in the widest way."""
        found = {f: Read(r.access, r.count) for f, r in self.reads.items()}
        for u in self.updates:
            for f, r in u.reads.items():
                if f in found:
                    found[f].and_also(r.access)
                    found[f].count += r.count - 1
                else:
                    found[f] = Read(r.access, r.count)
        return found

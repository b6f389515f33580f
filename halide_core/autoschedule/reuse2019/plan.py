"""What is found for a segment: one Func that is stored whole, and the Funcs computed in its loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from halide_core.autoschedule.reuse2019.register_tile import RegisterTile

# Rows of a block transposed in registers: what the registers hold.
MOST_ROWS = 16
ROW, TILE, STEP = "row", "tile", "step"


@dataclass(frozen=True, slots=True)
class Level:
    """Where a member is computed and stored: in an iteration of the sliding loop (ROW), or of the tile's (TILE), or in
    a step of the reduction of the member that the plan is `around` (STEP)."""

    compute: str
    store: str


@dataclass(slots=True)
class Plan:
    """The best schedule found for a segment, and its cost in cycles of one thread's work.

    `slide`: the loop inside a tile that goes last; `inside`: dimensions whose loops lie whole in one iteration of it;
    `outside`: those around all tiles; `tile`: sizes of dimension 0 and of `slide`, where they are cut."""

    output: str
    members: tuple[str, ...]
    cost: float
    slide: str | None = None
    inside: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    tile: dict[str, int] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)
    extents: dict[str, tuple[int, ...]] = field(default_factory=dict)
    register_tile: RegisterTile | None = None
    # Square blocks of as many rows as vectors have lanes: transposed in registers.
    blocks: bool = False
    # Rows of the output that are computed together, where it pays for what is inlined; 1: as its own reads have it.
    rows: int = 1
    # The same of members that are computed for a tile.
    member_rows: dict[str, int] = field(default_factory=dict)
    # A member whose reduction goes around its loops, so that others are computed for one step of it at a time.
    around: str | None = None

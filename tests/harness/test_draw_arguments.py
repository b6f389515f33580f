"""The memory that calls are given."""

from __future__ import annotations

import math
from pathlib import Path

from halide_core.ir.types import UInt
from lifter.frontend import parse_file
from lifter.harness.contents import edges
from lifter.harness.draw_arguments import Drawer
from lifter.ir.loop_ir import Function
from synth.lift import lift_function

SOURCE = Path(__file__).with_name("large_object.c")


def test_no_other_memory_lies_in_an_object() -> None:
    (function,) = parse_file(str(SOURCE)).functions
    assert isinstance(function, Function)
    summary = lift_function(function).summary
    assert summary is not None
    drawer = Drawer(summary)
    draw = drawer.draw(3, 3, 0, 1)
    assert draw is not None
    regions = drawer.regions(draw)
    assert regions["piece"] == (0, 16)
    assert regions["p"] == (0, 12)
    assert regions["piece_data"] == (0, 16 + 4 * 60000)
    blocks = drawer.arguments(draw, 1).blocks
    start = blocks["piece_data"].pointer
    assert all(not start <= b.pointer < start + 16 + 4 * 60000 for n, b in blocks.items() if n != "piece_data")


def test_numbers_of_the_source_that_are_no_integers() -> None:
    assert {7, 255} <= {int(v) for v in edges(UInt(8), [7, math.inf, -math.inf, math.nan])}

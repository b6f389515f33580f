"""Every corpus function, lifted, against the original compiled by g++."""

from __future__ import annotations

import pytest

from corpus.cases import CASES
from corpus.harness import arguments
from lifter.harness.side_by_side import bind, difference

pytestmark = [pytest.mark.few(4), pytest.mark.sampled(8)]

SIZES = [
    (0, 0),
    (0, 3),
    (3, 0),
    (1, 1),
    (2, 1),
    (1, 2),
    (2, 2),
    (3, 3),
    (17, 5),
    (63, 7),
    (64, 4),
    (65, 33),
    (131, 67),
    (500, 301),
]


@pytest.fixture
def pair(lifted_file, name):
    case = CASES[name]
    file = lifted_file(case.file)
    report = file.function(name)
    assert report.status == "verified", report.reason
    function = report.lifted.function
    return case, function, bind(file.original, function), bind(file.lifted, function)


@pytest.mark.parametrize("front", [False, True], ids=["end", "start"])
def test_equal_bit_for_bit(name, pair, front):
    case, function, original, lifted = pair
    for seed, (width, height) in enumerate(SIZES):
        for pad in (0, 1, 13):
            args = arguments(function, case, width, height, pad, seed, front)
            assert difference(function, original, lifted, args) is None, (width, height, pad)


def test_overlapping_buffers(name, pair):
    """Where the contract does not hold the original's own code must run."""
    case, function, original, lifted = pair
    pointers = [p for p in function.params if p.pointer]
    if len(pointers) < 2 or all(p.const for p in pointers):
        return
    written = next((p for p in pointers if not p.const), pointers[0])
    for shift in (0, 1, 5):
        for other in pointers:
            if other is written:
                continue
            args = arguments(function, case, 37, 11, 3, shift)
            big, small = sorted(
                (args.blocks[written.name], args.blocks[other.name]), key=lambda b: -len(b.memory.bytes)
            )
            if small.type != big.type and small.type.bytes() > 1:
                continue
            room = len(big.memory.bytes) - len(small.memory.bytes)
            offset = min(shift * small.type.bytes(), room)
            small.pointer = big.memory.address + offset + (small.pointer - small.memory.address)
            assert difference(function, original, lifted, args) is None, (other.name, shift)

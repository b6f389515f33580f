"""Arguments for the functions whose memory `corpus.cases` describes."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from corpus.cases import ROOT, Case, Image
from halide_core.ir.types import Type
from lifter.harness.contents import fill
from lifter.harness.side_by_side import Arguments, Block, Guarded
from lifter.ir.loop_ir import Function


def allocate(image: Image, t: Type, scalars: dict[str, int | float], rng: np.random.Generator, front: bool) -> Block:
    """Random contents, no byte more than the image has."""
    rows, width, stride = image.box(scalars)
    size = t.bytes()
    m = image.margin
    if rows + m <= 0 or width + m <= 0:
        count, origin = 0, 0
    else:
        count = (rows + 2 * m - 1) * stride + width + 2 * m
        origin = m * stride + m
    memory = Guarded(count * size, front)
    fill(memory.bytes, t, rng)
    return Block(memory, memory.address + origin * size, t)


def arguments(
    function: Function, case: Case, width: int, height: int, pad: int, seed: int, front: bool = False
) -> Arguments:
    """Random arguments for an image of a size."""
    names = [p.name for p in function.params if not p.pointer]
    scalars = case.scalars(names, width, height, pad, random.Random(seed))
    rng = np.random.default_rng(seed)
    blocks = {
        p.name: allocate(case.pointers[p.name], p.type, scalars, rng, front) for p in function.params if p.pointer
    }
    return Arguments(scalars, blocks)


def source_of(case: Case) -> Path:
    """The case's source file."""
    return ROOT / case.file


"""The transforms of a path, in order: what each does, and why it stands where it does."""

from __future__ import annotations

from halide_core.ir.expr import Expr
from lifter.ir.effect_queries import Follows
from lifter.ir.effect_verifier import RAW
from lifter.ir.effects import Path
from lifter.ir.inline_pure_calls import inline_all
from lifter.transforms.domains.delinearize import MOST_SPLITS, delinearize
from lifter.transforms.domains.undo_blocked_reductions import undo_blocked_reductions
from lifter.transforms.domains.undo_strip_mining import undo_strip_mining
from lifter.transforms.path_log import PathLog
from lifter.transforms.reroll.reroll_accumulations import reroll_accumulations
from lifter.transforms.reroll.reroll_lanes import reroll_lanes
from lifter.transforms.reroll.reroll_reduction_lanes import reroll_reduction_lanes
from lifter.transforms.storage.expand_rings import expand_rings
from lifter.transforms.storage.expand_scalars import expand_scalars, widen_starts
from lifter.transforms.storage.propagate_positions import propagate_positions
from lifter.transforms.storage.rename_rewritten_arrays import rename_rewritten_arrays
from lifter.transforms.storage.rotations_to_modulo import rotations_to_modulo
from lifter.transforms.storage.split_arrays import split_arrays
from lifter.transforms.stores.eliminate_overwritten_stores import eliminate_overwritten_stores
from lifter.transforms.stores.forward_stores import forward_stores
from lifter.transforms.stores.fuse_complementary_stores import fuse_complementary_stores


def transformed(path: Path, follows: Follows, log: PathLog) -> list[Path]:
    """What is made of a path that symbolic execution has found: one path, or several with conditions of their own."""
    registers = log.function.uses_registers

    def inlined(e: Expr) -> Expr:
        return inline_all(e, log.function.functions)

    p = log.start(path, RAW)
    # Several stores to one element are one, so that what follows finds one effect for each.
    p = log.apply("forward_stores", p, lambda q: forward_stores(q, follows), RAW)
    # Addresses first: what follows compares them.
    p = log.apply("propagate_positions", p, propagate_positions, RAW)
    # Before rerolling: strips hide the step that stores have in common.
    p = log.apply("undo_strip_mining", p, undo_strip_mining, RAW)
    # Stores under a condition and its contrary have the same domain once strips are joined.
    p = log.apply("fuse_complementary_stores", p, fuse_complementary_stores, RAW)
    p = log.apply("reroll_accumulations", p, reroll_accumulations, RAW)
    out: list[Path] = []
    # Whether one store covers another depends on the parameters: a path for each answer.
    for q in log.after_each("eliminate_overwritten_stores", p, eliminate_overwritten_stores(p, follows), RAW):
        q = log.apply("undo_blocked_reductions", q, lambda x: undo_blocked_reductions(x, follows, inlined), RAW)
        if registers:
            # Sums that registers keep lane by lane are one sum, before their cells have a place for each iteration.
            q = log.apply("reroll_reduction_lanes", q, lambda x: reroll_reduction_lanes(x, follows), RAW)
        # What a loop makes of all of an array, in its place, is another array.
        q = log.apply("rename_rewritten_arrays", q, rename_rewritten_arrays, RAW)
        # Rows that change places are rows by number, which the next ones can compare.
        q = log.apply("rotations_to_modulo", q, rotations_to_modulo, RAW)
        if not registers:
            q = _rows(q, follows, log)
        q = log.apply("expand_scalars", q, expand_scalars, RAW)
        q = log.apply("widen_starts", q, widen_starts, RAW)
        q = log.apply("delinearize", q, delinearize, RAW, most=MOST_SPLITS)
        if registers:
            # What lanes carry is expanded first: only then are they alike.  Rows hold whole rows, not lanes.
            q = log.apply("reroll_lanes", q, reroll_lanes, RAW, most=1)
            q = _rows(q, follows, log)
        out.append(q)
    return out


def _rows(p: Path, follows: Follows, log: PathLog) -> Path:
    """A row for each iteration in place of local arrays that carry values from one to the next."""
    # Parts of one array that are used apart are arrays of their own, some of which carry nothing.
    p = log.apply("split_arrays", p, lambda q: split_arrays(q, follows), RAW, most=1)
    return log.apply("expand_rings", p, lambda q: expand_rings(q, follows), RAW, most=1)

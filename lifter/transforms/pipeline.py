"""The transforms of a path, in order: what each does, and why it stands where it does."""

from __future__ import annotations

from lifter.ir.effect_queries import Follows
from lifter.ir.effect_verifier import RAW
from lifter.ir.effects import Path
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.path_log import PathLog
from lifter.transforms.domains.delinearize import unflatten
from lifter.transforms.domains.undo_blocked_reductions import join_blocks
from lifter.transforms.domains.undo_strip_mining import join_strips
from lifter.transforms.reroll.reroll_accumulations import roll_additions
from lifter.transforms.reroll.reroll_lanes import reroll
from lifter.transforms.reroll.reroll_reduction_lanes import join_lane_sums
from lifter.transforms.storage.expand_rings import without_carried
from lifter.transforms.storage.expand_scalars import expand_scans, widen_starts
from lifter.transforms.storage.propagate_positions import with_positions
from lifter.transforms.storage.rename_rewritten_arrays import with_versions
from lifter.transforms.storage.rotations_to_modulo import without_rotations
from lifter.transforms.storage.split_arrays import in_parts
from lifter.transforms.stores.eliminate_overwritten_stores import without_covered
from lifter.transforms.stores.forward_stores import without_repeated
from lifter.transforms.stores.fuse_complementary_stores import merge_arms


def transformed(path: Path, follows: Follows, log: PathLog) -> list[Path]:
    """What is made of a path that symbolic execution has found: one path, or several with conditions of their own."""
    registers = log.function.uses_registers
    p = log.start(path, RAW)
    # Several stores to one element are one, so that what follows finds one effect for each.
    p = log.after("forward_stores", p, without_repeated(p, follows), RAW)
    # Addresses first: what follows compares them.
    p = log.after("propagate_positions", p, with_positions(p), RAW)
    # Before rerolling: strips hide the step that stores have in common.
    p = log.after("undo_strip_mining", p, join_strips(p), RAW)
    # Stores under a condition and its contrary have the same domain once strips are joined.
    p = log.after("fuse_complementary_stores", p, merge_arms(p), RAW)
    p = log.after("reroll_accumulations", p, roll_additions(p), RAW)
    out: list[Path] = []
    # Whether one store covers another depends on the parameters: a path for each answer.
    for q in log.after_each("eliminate_overwritten_stores", p, without_covered(p, follows), RAW):
        blocks = join_blocks(q, follows, lambda e: inline_all(e, log.function.functions))
        q = log.after("undo_blocked_reductions", q, blocks, RAW)
        if registers:
            # Sums that registers keep lane by lane are one sum, before their cells have a place for each iteration.
            q = log.after("reroll_reduction_lanes", q, join_lane_sums(q, follows), RAW)
        # What a loop makes of all of an array, in its place, is another array.
        q = log.after("rename_rewritten_arrays", q, with_versions(q), RAW)
        # Rows that change places are rows by number, which the next ones can compare.
        q = log.after("rotations_to_modulo", q, without_rotations(q), RAW)
        if not registers:
            q = _rows(q, follows, log)
        q = log.after("expand_scalars", q, expand_scans(q), RAW)
        q = log.after("widen_starts", q, widen_starts(q), RAW)
        q = log.after("delinearize", q, unflatten(q), RAW)
        if registers:
            # What lanes carry is expanded first: only then are they alike.  Rows hold whole rows, not lanes.
            q = log.after("reroll_lanes", q, reroll(q), RAW)
            q = _rows(q, follows, log)
        out.append(q)
    return out


def _rows(p: Path, follows: Follows, log: PathLog) -> Path:
    """A row for each iteration in place of local arrays that carry values from one to the next."""
    # Parts of one array that are used apart are arrays of their own, some of which carry nothing.
    p = log.after("split_arrays", p, in_parts(p, follows), RAW)
    return log.after("expand_rings", p, without_carried(p, follows), RAW)

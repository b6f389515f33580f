"""What is tried for a path, in this order, until something is proved: what is made of it first, in which ways its
stores are put together, and what the contract may ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lifter.ir.effect_edits import Edit
from lifter.ir.effects import Path
from lifter.ir.loop_ir import Function
from lifter.transforms.stores.add_identity_stores import add_identity_stores
from lifter.transforms.stores.split_guarded_reads import split_guarded_reads
from synth.staging.partition import Grouping, fewer_in_turn, several_nests, several_stores

GROUPINGS = (
    Grouping(join_nests=True),
    Grouping(when=several_nests),
    # What stores to several outputs in turn makes a group of each.
    Grouping(join_nests=True, in_turn=True, when=fewer_in_turn),
    Grouping(as_updates=True),
    # Last, since what is not written then stays what the caller has there, and is an input.
    Grouping(apart=True, when=several_stores),
)
"""Ways to put the stores of a path together to Funcs, those with the fewest Funcs first."""
GUARDED = (Grouping(join_nests=True, guarded=True), Grouping(guarded=True))


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to lift a path."""

    name: str
    rewrite: Callable[[Function, Path], Edit | None] | None = None
    """What is made of the path first; where there is nothing to do, it gives None, and the strategy is passed over."""
    guarded: bool = False
    """Whether stores under a guard are updates that apply where it holds (`RDom.where`): elsewhere nothing is
    evaluated."""
    demanding: bool = False
    """Whether the contract may ask that loops run at all, and that rows that are read lie one behind the other."""
    stop_early: bool = False
    """Whether the proof ends at the first condition that does not hold: there is another strategy to try."""

    @property
    def as_it_stands(self) -> bool:
        return self.rewrite is None

    def made_of(self, function: Function, path: Path) -> Edit | None:
        """What makes the path that is searched; None where there is none of this strategy."""
        return Edit.on(path) if self.rewrite is None else self.rewrite(function, path)

    @property
    def groupings(self) -> tuple[Grouping, ...]:
        return GUARDED if self.guarded else GROUPINGS


def _pointers(function: Function) -> list[str]:
    return [p.name for p in function.params if p.pointer]


def _if_guarded(edit: Edit | None) -> Edit | None:
    return edit if edit is not None and any(e.guard is not None for e in edit.path.effects) else None


def _under_guards(_: Function, path: Path) -> Edit | None:
    return _if_guarded(Edit.on(path))


def _guarded_reads(function: Function, path: Path) -> Edit | None:
    return _if_guarded(split_guarded_reads(path, _pointers(function), of_data=False))


def _reads_guarded_by_data(function: Function, path: Path) -> Edit | None:
    found = _if_guarded(split_guarded_reads(path, _pointers(function), of_data=True))
    others = _guarded_reads(function, path)
    same = found is not None and others is not None and len(found.path.effects) == len(others.path.effects)
    return None if same else found


def _identity_stores(function: Function, path: Path) -> Edit | None:
    return add_identity_stores(path, _pointers(function))


STRATEGIES = (
    Strategy("as it stands", stop_early=True),
    Strategy("demanding", demanding=True),
    Strategy("under guards", _under_guards, guarded=True),
    Strategy("split_guarded_reads", _guarded_reads, guarded=True),
    Strategy("split_reads_guarded_by_data", _reads_guarded_by_data, guarded=True),
    # What lies between the elements that are written is stored as it is, so that a region is a box.
    Strategy("add_identity_stores", _identity_stores, stop_early=True),
    Strategy("add_identity_stores, demanding", _identity_stores, demanding=True),
)

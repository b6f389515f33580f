"""Paths that no defined call comes to are left to the original; others are not."""

from __future__ import annotations

from pathlib import Path

from synth.lift import Lifted, lift_function
from tests.c_files import function_of

SOURCE = Path(__file__).with_name("never_given.cpp")


def _left(lifted: Lifted) -> bool:
    return any("is left to the original" in note for note in lifted.function.notes)


def test_a_kind_of_which_there_is_nothing() -> None:
    lifted = lift_function(function_of(SOURCE, "of_two_kinds"))
    assert lifted.status == "verified" and _left(lifted)
    assert [bool(p.effects) for p in lifted.paths] == [True, True, False]
    assert "kind == 0 || kind == 1" in [i.text for p in lifted.summary.paths for i in p.contract]


def test_what_an_earlier_iteration_has_stored_is_given() -> None:
    lifted = lift_function(function_of(SOURCE, "stored_before"))
    assert not _left(lifted)
    assert lifted.status != "verified" or all(p.effects for p in lifted.paths)


def test_nothing_is_verified_of_which_nothing_is_left() -> None:
    lifted = lift_function(function_of(SOURCE, "of_no_kind"))
    assert lifted.status == "not_found" and "before it is given a value" in lifted.reason

"""Variables of the file that nothing changes are constants, whether they are const or not; others are read at each
call."""

from __future__ import annotations

from pathlib import Path

import pytest

from halide_core.ir.expr import Load, Variable
from halide_core.ir.structural import post_order
from lifter.frontend import FunctionError
from lifter.ir.loop_ir import expressions, walk
from tests.c_files import function_of, functions_of

SOURCE = Path(__file__).with_name("kept_values.c")


def read_by(name: str) -> set[str]:
    """The arrays and scalars that a function reads."""
    f = function_of(SOURCE, name)
    found = (n for s in walk(f.body) for e in expressions(s) for n in post_order(e))
    return {n.name for n in found if isinstance(n, Load | Variable)} - set(f.tables)


def test_what_nothing_changes_is_a_constant() -> None:
    f = function_of(SOURCE, "add_kept")
    assert {p.name for p in f.params} == {"d", "s", "n"}
    assert read_by("add_kept") <= {"d", "s", "n", "i"}
    assert {p.name for p in function_of(SOURCE, "add_of_function").params} == {"d", "s", "n"}


@pytest.mark.parametrize(
    "variable", ["assigned", "handed_out", "addressed", "by_assembly", "copied_to", "counted", "patched", "open_to_all"]
)
def test_what_may_change_is_read(variable: str) -> None:
    assert any(name.startswith(variable) for name in read_by(f"add_{variable}"))


def test_what_a_function_keeps_is_no_constant() -> None:
    found = functions_of(SOURCE)["counting"]
    assert isinstance(found, FunctionError)
    assert "static variable 'calls'" in str(found.reason)


def test_registers_that_are_passed_otherwise_without_the_extension() -> None:
    source = SOURCE.with_name("passed_registers.c")
    found = functions_of(source)["add_passed"]
    assert isinstance(found, FunctionError)
    assert "register of 256 bits 'v', passed without __AVX__" in str(found.reason)
    assert {p.name for p in function_of(source, "add_passed", "-mavx2").params} == {"d", "s", "n", "v"}

"""What is found and what is not: loops in every shape, and what must not be called verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.cases import CASES, ROOT
from lifter.frontend import parse_file
from synth.expression.grammar import Grammar
from synth.lift import lift_function
from synth.options import Options
from tests.c_files import function_of, functions_of, names_of

pytestmark = pytest.mark.few(6)

VERIFIED = Path(__file__).with_name("verified.cpp")
NOT_VERIFIED = Path(__file__).with_name("not_verified.cpp")


@pytest.mark.parametrize("name", names_of(VERIFIED))
def test_verified(name: str) -> None:
    lifted = lift_function(function_of(VERIFIED, name))
    assert lifted.status == "verified", lifted.reason


@pytest.mark.parametrize("name", names_of(NOT_VERIFIED))
def test_not_verified(name: str) -> None:
    function = functions_of(NOT_VERIFIED)[name]
    lifted = lift_function(function)
    assert lifted.status in ("not_found", "unsupported")
    assert lifted.reason
    assert lifted.line >= function.line


@pytest.mark.parametrize("name", ["Blur1x3", "LerpLayers", "MaskedDarken", "Threshold", "AddClamp"])
def test_from_terminals_and_operators_alone(name):
    functions = parse_file(str(ROOT / CASES[name].file)).functions
    function = next(f for f in functions if f.name == name)
    lifted = lift_function(function, Options(suggestions=False))
    assert lifted.status == "verified", lifted.reason


def test_a_grammar_restricts_the_search() -> None:
    function = function_of(VERIFIED, "threshold")
    assert lift_function(function, Options(suggestions=False)).status == "verified"
    few = Options(suggestions=False, grammar=Grammar(frozenset({"+"})))
    assert lift_function(function, few).status == "not_found"


def value_of(name: str) -> str:
    """The value that is found for a function of one definition."""
    return str(lift_function(function_of(VERIFIED, name)).summary.paths[0].funcs[0].definitions[0].value)


def test_cheapest_forms() -> None:
    """Narrow types, saturating operations, division in place of its bit trick."""
    assert "saturating_add" in value_of("sum_that_saturates")
    assert "int32" not in value_of("mixed_by_a_mask").replace("uint32", "")

"""Drop-ins of what depends on order: outputs that lie where others still read, states carried in place, positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.original import compile_original
from lifter.api import FunctionReport, lift_file
from lifter.harness.compare import compare
from tests.c_files import names_of

pytestmark = [pytest.mark.few(20), pytest.mark.sampled(4)]

SOURCE = Path(__file__).with_name("order.cpp")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where the drop-ins and the originals are."""
    folder = tmp_path_factory.mktemp("order")
    compile_original(SOURCE, (), folder / "original.so")
    return folder


@pytest.fixture(scope="module")
def reports(folder, request) -> dict[str, FunctionReport]:
    """Of those functions that the tests to be run are about."""
    own = [i for i in request.session.items if getattr(i, "originalname", "") == "test_same_as_the_original"]
    names = [i.callspec.params["kernel"] for i in own]
    found = lift_file(str(SOURCE), functions=names, out=str(folder), emit=("shared",), run=False)
    assert len(found.functions) == len(names)
    return {f.name: f for f in found.functions}


@pytest.mark.parametrize("kernel", names_of(SOURCE))
def test_same_as_the_original(kernel, folder, reports):
    function = reports[kernel]
    assert function.status == "verified", function.reason
    done = compare(function.lifted.summary, folder / "original.so", folder / "liborder_lifted.so")
    assert not done.problems
    assert done.met > 30

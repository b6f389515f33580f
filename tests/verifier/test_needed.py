"""Contracts ask for no more than the proof needs: what `tests/verifier/needed.py` does to the whole corpus, on some of
its functions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codegen.original import compile_original
from corpus.manifest import ROOT
from halide_core.ir.expr import BOOL, GE, I32, Variable, const
from lifter.frontend import FunctionError, parse_file
from lifter.ir.summary import ContractItem
from synth.lift import Lifted, lift_function
from tests.verifier import needed
from tests.verifier.needed import try_items
from verifier.decide import verify_path

pytestmark = pytest.mark.long

FUNCTIONS = {
    "filter/stencils.cpp": ["Box3x3", "Laplacian16"],
    "filter/drivers.cpp": ["InvertPlane", "SmoothTwice"],
    "filter/rows_kept.cpp": ["tent_of_rows"],
    "filter/geometry.cpp": ["crop_rows", "anti_transpose"],
    "filter/channels.cpp": ["widest_channels"],
    "filter/containers.cpp": ["fade"],
    "filter/reductions.cpp": ["RowSums"],
    "blend/tiles.cpp": ["PaddedTilesMultiply"],
}


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """What refutes an item is found in a moment; on a busy machine too."""
    monkeypatch.setattr(needed, "SECONDS", 30.0)
    monkeypatch.setattr(needed, "_LIMIT", 30.0)


def lifted(source: str, name: str) -> Lifted:
    function = next(f for f in parse_file(source).functions if f.name == name)
    assert not isinstance(function, FunctionError)
    found = lift_function(function)
    assert found.status == "verified" and found.summary is not None, found.reason
    return found


@pytest.mark.sampled(8)
@pytest.mark.parametrize("file, name", [(f, n) for f, names in FUNCTIONS.items() for n in names])
def test_each_item_is_needed(file: str, name: str, tmp_path: Path) -> None:
    library = compile_original(ROOT / file, (), tmp_path / "original.so")
    tally = try_items(lifted(str(ROOT / file), name), name, library)
    assert tally.counts and not tally.idle and not tally.open
    assert "refuted" in {outcome for _, outcome in tally.counts}


def test_what_a_path_rests_on_follows_from_its_contract(tmp_path: Path) -> None:
    """`width >= 1` is why rows aligned by hand are not longer than a number can say."""
    found = lifted(str(ROOT / "filter/drivers.cpp"), "SmoothTwice")
    assert found.summary is not None
    number, path = next((k, p) for k, p in enumerate(found.summary.paths) if p.funcs)
    less = replace(path, contract=tuple(i for i in path.contract if i.text != "width >= 1"))
    assert len(less.contract) == len(path.contract) - 1 and found.paths[number].asserts
    failed = [d for d in verify_path(found.function, found.paths[number], less, 30.0).decisions if not d.proved]
    assert "assumed" in {d.condition.name for d in failed}


def test_an_item_too_many_is_seen(tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text("void f(unsigned char* d, int n) { for (int x = 0; x < n; x++) d[x] = 1; }")
    found = lifted(str(source), "f")
    assert found.summary is not None
    (path,) = found.summary.paths
    item = ContractItem("extent", "n >= -5", GE(BOOL, Variable(I32, "n"), const(-5, I32)))
    found.summary = replace(found.summary, paths=(replace(path, contract=(*path.contract, item)),))
    assert try_items(found, "f", None).idle == ["f: path 0: n >= -5"]


def test_what_lies_below_zero_is_bounded_too(tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text("""void f(const unsigned char* s, unsigned char* d, int stride, int w, int h, int top) {
        for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] = s[(y + top) * stride + x]; }""")
    found = lifted(str(source), "f")
    assert found.summary is not None
    bounds = [i.text for p in found.summary.paths for i in p.contract if i.bound is not None and "top" in i.text]
    assert any("(-1)" in text for text in bounds) and len(bounds) == 2

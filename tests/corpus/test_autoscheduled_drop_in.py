"""Lifted functions under the autoschedulers, against their originals on memory that ends at unmapped pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.autoschedule import autoschedule
from codegen.choose_scheduler import method_of
from codegen.original import compile_original
from codegen.pipeline import build_path
from halide_core.ir.expr import const_value
from halide_core.target import Target
from lifter.api import lift_file
from lifter.harness.compare import compare

pytestmark = pytest.mark.long

STENCILS = Path(__file__).parents[2] / "corpus/filter/stencils.cpp"
NAMES = {"Reuse2019": ("Convolve", "Downsample2x2", "UnsharpMask"), "TreeSearch": ("UnsharpMask",)}
SHARED = Path(__file__).with_name("autoscheduled_shared.cpp").read_text()


def scheduled(summary, number: int = 0, name: str = "Reuse2019"):
    built = build_path(summary, number)
    assert built is not None
    return autoschedule(built, summary, number, Target("host"), name), built


@pytest.mark.parametrize("method", list(NAMES))
def test_equal_bit_for_bit(method, tmp_path) -> None:
    names = NAMES[method]
    report = lift_file(
        str(STENCILS), functions=names, out=str(tmp_path), emit=("shared",), run=False,
        autoscheduler=method,
    )
    assert report.verified and len(report.functions) == len(names)
    original = compile_original(STENCILS, (), tmp_path / "original.so")
    for f in report.functions:
        assert f.lifted is not None and f.lifted.summary is not None
        done = compare(f.lifted.summary, original, Path(f.outputs["shared"]))
        assert not done.problems and done.met > 20, (f.name, done.problems)


def test_where_it_applies(tmp_path) -> None:
    """Images that may coincide, results in place and values that are returned keep the default schedule."""
    source = tmp_path / "shared.cpp"
    source.write_text(SHARED)
    found = {f.name: f.lifted.summary for f in lift_file(str(source), out=str(tmp_path), run=False).functions}
    for name in ("Twice", "Invert", "Sum"):
        assert scheduled(found[name])[0] is None, name
    stencils = lift_file(str(STENCILS), functions=("Box3x3", "Convolve"), out=str(tmp_path), run=False)
    box, convolve = (f.lifted.summary for f in stencils.functions)
    condition, built = scheduled(box)
    assert const_value(condition) == 1
    assert built.pipeline.functions()[0].pure.schedule.splits
    # The extents of windows are parameters; what tiles read is in what the original reads all the same.
    assert const_value(scheduled(convolve)[0]) == 1


REDUCTIONS = Path(__file__).with_name("autoscheduled_reductions.cpp").read_text()


STAGES = Path(__file__).with_name("autoscheduled_stages.cpp").read_text()


PIXELS = Path(__file__).with_name("autoscheduled_pixels.cpp").read_text()


@pytest.mark.parametrize("text, expected", [
    (PIXELS, {"Rgb": "Reuse2019", "Planes": "Reuse2019", "Pixels": "default"}),
    (REDUCTIONS, {"Convolve": "Reuse2019", "Product": "Reuse2019", "RowSums": "default", "Columns": "default"}),
    (STAGES, {"Column": "default", "Separable": "Reuse2019", "Tripled": "default"}),
], ids=["pixels", "reductions", "stages"])
def test_the_method_where_none_is_asked_for(text: str, expected: dict[str, str], tmp_path: Path) -> None:
    """Reuse2019 for reductions at each point and for stages that share points of others; the default schedule for sums
    into few cells, scans, and stages alone."""
    source = tmp_path / "functions.cpp"
    source.write_text(text)
    found = {}
    for f in lift_file(str(source), out=str(tmp_path), run=False).functions:
        assert f.lifted is not None and f.lifted.summary is not None, f.reason
        built = build_path(f.lifted.summary, len(f.lifted.summary.paths) - 1)
        assert built is not None
        found[f.name] = method_of(built)
    assert found == expected

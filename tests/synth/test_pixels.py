"""Functions over pixels come out over channels and pixels, however their loops run."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.notation import stage_texts
from codegen.pipeline import build_path
from synth.lift import Lifted, lift_function
from tests.c_files import functions_of

pytestmark = pytest.mark.few(4)

SOURCE = Path(__file__).with_name("pixels.cpp")


@pytest.fixture(scope="module")
def functions() -> dict[str, Lifted]:
    found = {}
    for name, f in functions_of(SOURCE).items():
        found[name] = lift_function(f)
        assert found[name].status == "verified", found[name].reason
    return found


def text(lifted: Lifted) -> str:
    assert lifted.summary is not None
    stages = stage_texts(lifted.summary.paths[-1])
    return "\n".join(line for s in stages for line in (s.roi, *s.terms, s.left, s.expression))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alpha_of_each", ["s(x, y, z)", "s(3, y, z)"]),
        ("masked", ["d_in(x, y)", "s(x, y)", "m(y)"]),
        ("colours_of_four", ["cmyk(x, y)", "cmyk(3, y)"]),
        ("add_colours", ["d_in(x, y)", "s(x, y)"]),
        ("matrix", ["m(0, x)", "m(2, x)", "rgb_in(1, y)"]),
        ("from_third", ["s(x/3)"]),  # an enlargement: nothing else tells of pixels
        ("columns", ["image(x, r.x + 1)", "image(x, r.x)"]),
        ("across", ["image(r.x, r.y)"]),
    ],
)
def test_reads(functions: dict[str, Lifted], name: str, expected: list[str]) -> None:
    found = text(functions[name])
    assert all(e in found for e in expected), found


def test_in_place_by_slices(functions: dict[str, Lifted]) -> None:
    """What reads all channels of its own pixel is worked on in strips of pixels; what reads only itself needs none."""
    loops = {}
    for name in ("matrix", "add_colours"):
        summary = functions[name].summary
        assert summary is not None
        built = build_path(summary, len(summary.paths) - 1)
        assert built is not None
        loops[name] = set(built.stored_like.values())
    assert loops["matrix"] == {"rgb$out"} and not loops["add_colours"]

"""Updates under RDom.where: what a condition on coordinates guards is read and written only where it holds."""

from __future__ import annotations

import re
import shutil

import pytest

from lifter.api import FunctionReport, lift_file
from lifter.frontend import parse_file
from synth.lift import lift_function
from tests.verifier.mutate import mutants
from verifier.decide import verify_path

pytestmark = pytest.mark.few(3)

HEAD = "#include <algorithm>\n#include <cstdint>\ntypedef uint8_t u8;\n"
SPRITE = """void f(u8* d, int dw, int dh, const u8* s, int sw, int sh, int ox, int oy) {
    for (int y = 0; y < sh; y++) for (int x = 0; x < sw; x++) {
        int tx = x + ox, ty = y + oy;
        if (tx >= 0 && tx < dw && ty >= 0 && ty < dh) d[ty * dw + tx] = s[y * sw + x];
    }
}"""
TURNED = """void f(const u8* s, u8* d, int w, int h, float c, float n) {
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {
        int i = (int)(c * x - n * y), j = (int)(n * x + c * y);
        d[y * w + x] = i >= 0 && i < w && j >= 0 && j < h ? s[j * w + i] : 0;
    }
}"""
LIMITED = """void f(const uint16_t* s, int n, uint32_t* bins, int count) {
    for (int i = 0; i < n; i++) if (s[i] < count) bins[s[i]]++;
}"""
SCALED = """void f(const u8* s, int w, u8* d, int n) {
    float step = (float)w / n;
    for (int x = 0; x < n; x++) d[x] = s[(int)(x * step)];
}"""


def lifted(tmp_path, text: str) -> FunctionReport:
    source = tmp_path / "f.cpp"
    source.write_text(HEAD + text + "\n")
    (found,) = lift_file(str(source), out=str(tmp_path), run=False).functions
    assert found.status == "verified", found.reason
    return found


def test_a_sprite_asks_nothing_of_where_it_is_put(tmp_path) -> None:
    found = lifted(tmp_path, SPRITE)
    (stage,) = found.stages
    assert stage.where and re.fullmatch(r"d\(max\(min\(.*, dw - 1\), 0\), max\(min\(.*, dh - 1\), 0\)\)", stage.left)
    assert not any("ox" in text or "oy" in text for text in found.contract), found.contract


def test_a_background_is_written_first(tmp_path) -> None:
    background, turned = lifted(tmp_path, TURNED).stages
    assert (background.expression, background.where) == ("terms[0]", "") and background.terms == ["(uint8)0"]
    assert "int32(" in turned.where and turned.terms[0].startswith("s(max(min(")


def test_bins_are_as_many_as_the_caller_says(tmp_path) -> None:
    (stage,) = lifted(tmp_path, LIMITED).stages
    assert stage.where == "int32(s(r.x)) < count" and stage.left == "bins(min(int32(s(r.x)), count - 1))"


def test_floats_lie_between_their_ends(tmp_path) -> None:
    found = lifted(tmp_path, SCALED)
    text = (tmp_path / "f.py").read_text()
    last = "_whole((np.float32(_wrapped((n - 1), 32, True)) * (np.float32(w) / np.float32(n))), 32)"
    assert f"max(0, {last})" in text and f"min(0, {last})" in text, found.contract


@pytest.mark.parametrize(
    "text",
    [
        # The product is an int's in some iterations only: what it is in the last one says nothing of the others.
        "void f(const u8* s, u8* d, int n, float a) { for (int x = 0; x < n; x++) "
        "d[x] = x < 9 ? s[(int)(x * a)] : 0; }",
        # Not monotone: twice the same variable, a quotient by it.
        "void f(const u8* s, u8* d, int n, float a) { for (int x = 0; x < n; x++) d[x] = s[(int)(x * (a - x))]; }",
        "void f(const u8* s, u8* d, int n, float a) { for (int x = 1; x < n; x++) d[x] = s[(int)(a / x)]; }",
    ],
)
def test_floats_that_may_lie_elsewhere(tmp_path, text: str) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(HEAD + text + "\n")
    (found,) = lift_file(str(source), out=str(tmp_path), run=False).functions
    assert found.status == "not_found" and ("is not known" in found.reason or "in the box" in found.reason)


@pytest.mark.parametrize("text", [SPRITE, TURNED, LIMITED])
def test_wrong_conditions_are_refuted(tmp_path, text: str) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(HEAD + text + "\n")
    (function,) = parse_file(str(source)).functions
    found = lift_function(function)
    path, right = found.paths[0], found.summary.paths[0]
    wrong = [(what, p) for what, p in mutants(right, 400, seed=1) if "where" in what or "<" in what]
    assert len(wrong) >= 4
    for what, p in wrong:
        assert not verify_path(function, path, p, timeout=2.0, stop_early=True).proved, what


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_what_nth_element_leaves_elsewhere_is_not_known(tmp_path) -> None:
    source = tmp_path / "f.cpp"
    row = "u8 v[3] = {s[x - 1], s[x], s[x + 1]}; std::nth_element(v, v + 1, v + 3);"
    whole = "void %s(const u8* s, u8* d, int n) { for (int x = 1; x < n - 1; x++) { %s d[x] = v[%d]; } }\n"
    source.write_text(HEAD + whole % ("middle", row, 1) + whole % ("first", row, 0))
    middle, first = lift_file(str(source), out=str(tmp_path), run=False).functions
    assert middle.status == "verified", middle.reason
    assert first.status == "unsupported" and "before it is given a value" in first.reason

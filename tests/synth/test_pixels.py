"""Functions over pixels come out over channels and pixels, however their loops run."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.notation import stage_texts
from codegen.pipeline import build_path
from lifter.frontend import FunctionError, parse_file
from synth.lift import Lifted, lift_function

pytestmark = pytest.mark.few(4)

SOURCE = """
#include <stdint.h>
#include <stddef.h>
struct Px { uint8_t r, g, b, a; };

extern "C" {
void alpha_of_each(uint8_t* d, const uint8_t* s, int width, int height, int pitch) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint8_t* p = s + (y * pitch + x) * 4;
            uint8_t* q = d + (y * pitch + x) * 4;
            for (int c = 0; c < 4; c++) q[c] = p[c] * p[3] / 255;
        }
}
void masked(uint8_t* d, const uint8_t* s, const uint8_t* m, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++, d++, s++) *d = *d + ((*s - *d) * m[i] >> 8);
}
void colours_of_four(uint8_t* rgb, const uint8_t* cmyk, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) rgb[3 * i + c] = (255 - cmyk[4 * i + c]) * (255 - cmyk[4 * i + 3]) / 255;
}
void add_colours(Px* d, const Px* s, int n) {
    for (int i = 0; i < n; i++) { d[i].r += s[i].r; d[i].g += s[i].g; d[i].b += s[i].b; }
}
void matrix(uint8_t* rgb, const short* m, int n) {
    for (int i = 0; i < n; i++) {
        const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        for (int c = 0; c < 3; c++) rgb[3 * i + c] = (m[4 * c] * r + m[4 * c + 1] * g + m[4 * c + 2] * b) >> 8;
    }
}
void from_third(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) d[3 * i + k] = s[i];
}
void columns(unsigned* image, int width, int height) {
    for (int y = 1; y < height; y++)
        for (int x = 0; x < width; x++) image[y * width + x] += image[(y - 1) * width + x];
}
void across(unsigned* image, int width, int height) {
    for (int y = 1; y < height; y++)
        for (int x = 1; x < width; x++) image[y * width + x] += image[(y - 1) * width + x - 1];
}
}
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Lifted]:
    path = Path(tmp_path_factory.mktemp("pixels")) / "pixels.cpp"
    path.write_text(SOURCE)
    found = {}
    for f in parse_file(str(path)).functions:
        assert not isinstance(f, FunctionError)
        found[f.name] = lift_function(f)
        assert found[f.name].status == "verified", found[f.name].reason
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

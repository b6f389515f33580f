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
SHARED = """\
#include <cstdint>
#include <cassert>
void Twice(uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++) dst[i] = src[i] * 2;
}
void Invert(uint8_t* p, int n) {
    for (int i = 0; i < n; i++) p[i] = 255 - p[i];
}
int Sum(const uint8_t* p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += p[i];
    return s;
}
"""


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


REDUCTIONS = """\
#include <cstdint>
void Convolve(float* dst, const float* src, const float* kernel, int n, int taps) {
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < taps; k++) sum += src[i + k] * kernel[k];
        dst[i] = sum;
    }
}
void Product(float* c, const float* a, const float* b, int n, int m, int p) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < m; x++) {
            float sum = 0;
            for (int k = 0; k < p; k++) sum += a[y * p + k] * b[k * m + x];
            c[y * m + x] = sum;
        }
}
void RowSums(int* sums, const uint8_t* src, int width, int height) {
    for (int y = 0; y < height; y++) {
        int sum = 0;
        for (int x = 0; x < width; x++) sum += src[y * width + x];
        sums[y] = sum;
    }
}
void Columns(int* image, int width, int height) {
    for (int y = 1; y < height; y++)
        for (int x = 0; x < width; x++) image[y * width + x] += image[(y - 1) * width + x];
}
"""


STAGES = """\
#include <cstdint>
#include <vector>
void Column(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 0; x < width; x++)
            dst[y * stride + x] = (src[(y - 1) * stride + x] + src[y * stride + x] + src[(y + 1) * stride + x]) / 3;
}
void Separable(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::vector<uint16_t> rows(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) rows[y * width + x] = src[y * stride + x] + 2 * src[y * stride + x + 1];
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width; x++)
            dst[y * stride + x] = (rows[y * width + x] + rows[(y + 1) * width + x]) / 6;
}
void Tripled(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::vector<uint16_t> rows(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) rows[y * width + x] = 3 * src[y * stride + x];
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width; x++)
            dst[y * stride + x] = (rows[y * width + x] + rows[(y + 1) * width + x]) / 6;
}
"""


PIXELS = """\
#include <cstdint>
#include <vector>
void Rgb(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint16_t> rows(width * height * 3);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < 3; c++) {
                const uint8_t* p = src + (y * width + x) * 3 + 2 - c;
                rows[(y * width + x) * 3 + c] = p[0] + p[3];
            }
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < 3; c++) {
                const uint16_t* p = &rows[(y * width + x) * 3 + c];
                dst[(y * width + x) * 3 + c] = (p[0] + p[3 * width]) / 4;
            }
}
void Planes(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint16_t> rows(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width - 1; x++) rows[y * width + x] = src[y * width + x] + src[y * width + x + 1];
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < height - 1; y++)
            for (int x = 0; x < width - 1; x++) {
                int i = (c * height + y) * width + x;
                dst[i] = (rows[y * width + x] + rows[(y + 1) * width + x] + src[i]) / 5;
            }
}
void Pixels(uint8_t* dst, const uint8_t* src, int channels, int width, int height) {
    std::vector<uint16_t> rows(width * height * channels);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < channels; c++) {
                const uint8_t* p = src + (y * width + x) * channels + channels - 1 - c;
                rows[(y * width + x) * channels + c] = p[0] + p[channels];
            }
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < channels; c++)
                dst[(y * width + x) * channels + c] =
                    (rows[(y * width + x) * channels + c] + rows[((y + 1) * width + x) * channels + c]) / 4;
}
"""


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

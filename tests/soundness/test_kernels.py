"""A few of the random kernels; `make fuzz-soundness` runs thousands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.soundness.compare import run
from tests.soundness.kernels import kernel
from tests.soundness.writer import Kernel

pytestmark = pytest.mark.long


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_verified_kernels_do_what_the_original_does() -> None:
    tally = run([kernel(seed) for seed in range(5000, 5012)], 20.0)
    assert tally.wrong == []
    assert tally.statuses["verified"] >= 6 and tally.calls > 0


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_a_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.soundness import compare

    honest = compare.lift_file
    text = 'extern "C" void k(const uint8_t* a, uint8_t* d, int w, int h, int stride) {\n  %s\n}\n'
    right = "for (int x = 0; x < w; x++) d[x] = (uint8_t)(a[x] + 1);"
    scalars = {"w": (-1, 20), "h": (0, 1), "stride": (88, 100)}
    k = Kernel("k", text % right, "void", {"a": "uint8_t", "d": "uint8_t"}, scalars)

    def lift_another(path: str, **rest: object) -> object:
        # The replacement is made from a source with another constant.
        source = Path(path).read_text()
        Path(path).write_text(source.replace("a[x] + 1", "a[x] + 2"))
        report = honest(path, **rest)  # type: ignore[arg-type]
        Path(path).write_text(source)
        return report

    monkeypatch.setattr(compare, "lift_file", lift_another)
    (said,) = run([k], 20.0).wrong
    assert said.startswith("k: with ") and "bytes differ" in said


OBJECTS = """
struct F { uint8_t *data[2]; int place; };
extern "C" void k(F *f, int w) {
  for (int x = 0; x < w; x++) f->data[f->place][x] += 1;
}
extern "C" void call_k(void (*k)(F *, int), uint8_t *o, uint8_t *a, uint8_t *b, int p, int w, int h, int stride) {
  F *f = (F *)o;
  f->data[0] = a; f->data[1] = p == 2 ? (uint8_t *)&f->place : b; f->place = p & 1;
  k(f, p == 2 ? 1 : w);
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("wrong", ["", "+= 1", "[f->place]"])
def test_objects(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    """Calls by what makes the objects: another constant and another place are seen."""
    from tests.soundness import compare

    honest = compare.lift_file

    def lift_another(path: str, **rest: object) -> object:
        source = Path(path).read_text()
        changed = {"": "", "+= 1": "+= 2", "[f->place]": "[1]"}[wrong]
        Path(path).write_text(source.replace(wrong, changed) if wrong else source)
        report = honest(path, **rest)  # type: ignore[arg-type]
        Path(path).write_text(source)
        return report

    monkeypatch.setattr(compare, "lift_file", lift_another)
    scalars = {"p": (0, 2), "w": (-1, 20), "h": (0, 1), "stride": (88, 100)}
    k = Kernel("k", OBJECTS, "void", {"o": "uint8_t", "a": "uint8_t", "b": "uint8_t"}, scalars, objects=True)
    tally = run([k], 20.0)
    assert tally.statuses["verified"] == 1 and tally.calls >= (1 if wrong else 16)
    assert bool(tally.wrong) == bool(wrong)


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("style", ["chosen", "views", "border_arms", "packed"])
def test_kernels_of_a_style(style: str) -> None:
    tally = run([kernel(seed, style) for seed in range(30, 36)], 20.0)
    assert tally.wrong == []
    assert tally.statuses["verified"] >= 1 and tally.calls > 0


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_updates_that_are_the_same_at_each_point() -> None:
    text = 'extern "C" void k(uint32_t* d, int w, int h) {\n  for (int y = 0; y < h; y++)\n'
    text += "    for (int x = 0; x < w; x++) d[x] += 16;\n}\n"
    tally = run([Kernel("k", text, "void", {"d": "uint32_t"}, {"w": (-1, 20), "h": (-1, 20)})], 8.0)
    assert tally.wrong == [] and tally.statuses["verified"] == 1


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_a_read_that_sees_several_stores_is_no_internal_error() -> None:
    text = 'extern "C" void k(uint8_t* d, int w, int h) {\n  if (w < 8) return;\n  int q = w & ~7;\n'
    text += "  R m = moved(_mm_set1_epi8(-1), 8 - w + q);\n  for (int y = 0; y < h; y++) {\n"
    text += "    for (int x = 0; x < q; x += 8) { R v = _mm_set1_epi8(105); put(d + x, v); }\n"
    text += "    R o = get(d + w - 8);\n"
    text += "    if (q != w) { int x = w - 8; R v = _mm_blendv_epi8(o, _mm_set1_epi8(105), m); put(d + x, v); }\n"
    text += "    d[1] = d[2];\n    d += w;\n  }\n}\n"
    tally = run([Kernel("k", text, "void", {"d": "uint8_t"}, {"w": (-1, 20), "h": (-1, 20)})], 20.0)
    # Whichever comes first on this machine: the end of the search or that of its time.
    assert tally.wrong == [] and tally.statuses["not_found"] + tally.statuses["timeout"] == 1

"""Steps at equal distances, and rows in pieces, have closed forms; other steps have none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lifter.algebra.polynomial import to_poly
from lifter.frontend import parse_file
from lifter.ir import effects
from lifter.ir.loop_ir import Function, Unsupported
from lifter.symexec import execute
from synth.sampling.samples import compiled_poly

HEAD = "#include <cstdint>\n"
PARAMETERS = "const uint8_t* s, int ss, uint8_t* d, int ds, int w, int h, int t"


def path(tmp_path: Path, body: str) -> effects.Path:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD}void f({PARAMETERS}) {{ {body} }}\n")
    (found,) = parse_file(str(source)).functions
    assert isinstance(found, Function)
    (only,) = execute(found)
    return only


def reads(tmp_path: Path, step: str, ss: int, t: int) -> list[int]:
    """The elements that the rows read."""
    found = path(tmp_path, f"for (int y = 0; y < h; y++) {{ d[y] = s[0]; {step} }}")
    (e,) = found.effects
    (load,) = effects.loads(e.value)
    place = compiled_poly(to_poly(load.index))
    return [place({e.counters[0]: k, "ss": ss, "t": t}) for k in range(20)]


def walked(step: Callable[[int, int, int], int], ss: int, t: int) -> list[int]:
    places = [0]
    for y in range(19):
        places.append(places[-1] + step(y, ss, t))
    return places


@pytest.mark.parametrize(
    ("step", "meant"),
    [
        ("if (y & 1) s += ss;", lambda y, ss, t: ss * (y & 1)),
        ("if (!(y & 1)) s += ss;", lambda y, ss, t: ss * (1 - (y & 1))),
        ("if ((y & 3) == 3) s += ss;", lambda y, ss, t: ss * (y & 3 == 3)),
        ("if (y % 3 == 1) s += ss;", lambda y, ss, t: ss * (y % 3 == 1)),
        ("s += 2; if (y % 4 != 3) s += ss;", lambda y, ss, t: 2 + ss * (y % 4 != 3)),
        ("if ((y & (t - 1)) == t - 1) s += ss;", lambda y, ss, t: ss * (y & (t - 1) == t - 1)),
        ("if (y % t == 0) s += ss;", lambda y, ss, t: ss * (y % t == 0)),
        ("if (y & (t - 1)) s += ss;", lambda y, ss, t: ss * (y & (t - 1) != 0)),
        ("if ((70 - y) % 5 == 2) s += ss;", lambda y, ss, t: ss * ((70 - y) % 5 == 2)),
    ],
)
def test_steps(tmp_path: Path, step: str, meant: Callable[[int, int, int], int]) -> None:
    for ss, t in ((7, 4), (-3, 8), (1, 1)):
        assert reads(tmp_path, step, ss, t) == walked(meant, ss, t)


@pytest.mark.parametrize(
    "step",
    [
        "if (y & 1) s += ss; if (y & 2) s++;",
        "if (d[y]) s += ss;",
        "if (y * y % 3 == 1) s += ss;",
        "if (y & 4) s += ss;",
        "if (y & 1) ss++; s += ss;",
    ],
)
def test_other_steps(tmp_path: Path, step: str) -> None:
    with pytest.raises(Unsupported):
        reads(tmp_path, step, 1, 1)


def test_a_mask_asks_for_a_power_of_two(tmp_path: Path) -> None:
    body = "for (int y = 0; y < h; y++) { d[y] = s[0]; if ((y & (t - 1)) == t - 1) s += ss; }"
    assert [(str(c), line) for c, line in path(tmp_path, body).asserts] == [
        ("(int64(t) & (int64(t) - (int64)1)) == (int64)0", 0)
    ]


STRIP = "for (int x = 0; x < n; x++) row[x] = s[x] + 1; for (int x = 0; x < n; x++) d[x] = row[x] / 2;"


@pytest.mark.parametrize(
    "body",
    [
        f"uint16_t row[32]; while (w > 0) {{ int n = w > 32 ? 32 : w; {STRIP} s += n; d += n; w -= n; }}",
        "for (int k = 0; k < w; k += 32, s += 32, d += 32) { uint16_t row[32]; "
        f"int n = w - k < 32 ? w - k : 32; {STRIP} }}",
    ],
)
def test_strips_are_rows(tmp_path: Path, body: str) -> None:
    found = path(tmp_path, body)
    assert [str(e.loops[0].trip) for e in found.effects] == ["w", "w"]
    assert [str(e.index) for e in found.effects] == [e.counters[0] for e in found.effects]
    assert found.apart == {frozenset("sd")}


@pytest.mark.parametrize(
    "body",
    [
        # Two loops of a strip store to the same elements of different strips.
        f"uint16_t row[32]; while (w > 0) {{ int n = w > 32 ? 32 : w; {STRIP} "
        "for (int x = 0; x < n; x++) d[x + 1] = row[x] / 3; s += n; d += n; w -= n; }",
        f"uint16_t row[32]; while (w > 0) {{ int n = w > 32 ? 32 : w; {STRIP} "
        "for (int x = 0; x < n; x++) d[-2 * x] = row[x] / 3; s += n; d += n; w -= n; }",
        # What one strip leaves behind the next one reads.
        "uint16_t row[33] = {0}; while (w > 0) { int n = w > 32 ? 32 : w; for (int x = 0; x < n; x++) row[x] = s[x]; "
        "for (int x = 0; x < n; x++) d[x] = row[x + 1]; s += n; d += n; w -= n; }",
    ],
)
def test_strips_that_stay(tmp_path: Path, body: str) -> None:
    assert any(len(e.loops) == 2 for e in path(tmp_path, body).effects)


def test_strips_of_pairs_with_an_odd_last_pixel(tmp_path: Path) -> None:
    body = """uint16_t row[32]; while (w > 0) { int n = w > 32 ? 32 : w; for (int x = 0; x < n; x++) row[x] = s[x] + 1;
        for (int x = 0; x < n - 1; x += 2) d[x / 2] = row[x] + row[x + 1]; if (n & 1) d[n / 2] = row[n - 1];
        s += n; d += n / 2; w -= n; }"""
    assert all(len(e.loops) < 2 for e in path(tmp_path, body).effects)


def test_what_a_last_strip_leaves_is_not_known(tmp_path: Path) -> None:
    body = f"uint16_t row[32]; while (w > 0) {{ int n = w > 32 ? 32 : w; {STRIP} s += n; d += n; w -= n; }} d[0] = 1;"
    with pytest.raises(Unsupported):
        path(tmp_path, body)


@pytest.mark.parametrize("mask", [7, 15, 31])
def test_a_head_up_to_an_aligned_address(tmp_path: Path, mask: int) -> None:
    found = path(tmp_path, f"uint32_t* p = (uint32_t*)d; while (w && ((uintptr_t)p & {mask})) {{ *p++ = 1; w--; }}")
    (e,) = found.effects
    trip = compiled_poly(e.loops[0].trip)
    for address in range(4096, 4096 + 64, 4):
        for w in range(12):
            k = 0
            while k < w and (address + 4 * k) & mask:
                k += 1
            assert max(trip({"addr.d": address, "w": w}), 0) == k, (address, w)
    asked = [p for o in found.obligations if "addr.d" in (p := o.obligation.poly).names() <= {"addr.d", "w"}]
    assert any(compiled_poly(p)({"addr.d": 4098, "w": 5}) < 0 for p in asked)


def test_a_step_that_does_not_divide_an_alignment_has_no_end(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="until a multiple of 16, by steps of 3"):
        path(tmp_path, "while (w && ((uintptr_t)d & 15)) { *d = 1; d += 3; w--; }")

"""Loops unrolled by hand become plain ones where that changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from lifter.ir import effects
from lifter.ir.loop_ir import Function
from lifter.symexec import execute

PARAMETERS = "uint8_t* d, uint8_t* e, const uint8_t* s, const uint16_t* t, int n"


def path(tmp_path: Path, body: str) -> effects.Path:
    source = tmp_path / "f.cpp"
    source.write_text(f"#include <cstdint>\nvoid f({PARAMETERS}) {{ int i = 0; {body} }}\n")
    (found,) = parse_file(str(source)).functions
    assert isinstance(found, Function)
    (only,) = execute(found)
    return only


@pytest.mark.parametrize(
    "body",
    [
        "for (; i < n - 1; i += 2) { d[i] = s[i] / 3; d[i + 1] = s[i + 1] / 3; } if (n & 1) d[i] = s[i] / 3;",
        "for (; i < n - 1; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; } if (n % 2 != 0) d[n - 1] = s[n - 1];",
        "for (; i + 1 < n; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; } if (i < n) d[i] = s[i];",
        "for (; i + 2 < n; i += 3) { d[i] = s[i]; d[i + 1] = s[i + 1]; d[i + 2] = s[i + 2]; } "
        "for (; i < n; i++) d[i] = s[i];",
        "for (; i < n - 1; i += 2) { uint8_t a = d[i], b = d[i + 1]; d[i] = a / 3; d[i + 1] = b / 3; } "
        "if (n & 1) d[i] = d[i] / 3;",
    ],
)
def test_one_store_in_a_plain_loop(tmp_path: Path, body: str) -> None:
    (store,) = path(tmp_path, body).effects
    (loop,) = store.loops
    assert str(loop.trip) == "n" and str(store.index) == loop.counter


def test_pixels(tmp_path: Path) -> None:
    found = path(
        tmp_path,
        "for (; i < n - 1; i += 2) { d[0] = s[i]; d[1] = 255; d[2] = s[i + 1]; d[3] = 255; d += 4; } "
        "if (n & 1) { d[0] = s[i]; d[1] = 255; }",
    )
    assert [str(e.index).replace(e.loops[0].counter, "k") for e in found.effects] == ["k*2", "k*2 + 1"]
    assert found.apart == {frozenset("ds")}


@pytest.mark.parametrize(
    "body",
    [
        # Another formula in the tail, another element, another condition, nothing left over.
        "for (; i < n - 1; i += 2) { d[i] = s[i] / 3; d[i + 1] = s[i + 1] / 3; } if (n & 1) d[i] = s[i] / 2;",
        "for (; i < n - 1; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; } if (n & 1) d[i] = s[i + 1];",
        "for (; i < n - 1; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; } if (n & 2) d[i] = s[i];",
        "for (; i < n - 1; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; }",
        "for (; i < n - 1; i += 2) { d[i] = s[i]; d[i + 1] = s[i]; } if (n & 1) d[i] = s[i];",
        # One iteration reads what the one before has stored, or is about to store.
        "for (; i < n - 1; i += 2) { d[i] = d[i + 1]; d[i + 1] = d[i + 2]; } if (n & 1) d[i] = d[i + 1];",
        "for (; i < n - 1; i += 2) { uint8_t a = d[i], b = d[i + 1]; d[i + 1] = a; d[i + 2] = b; } "
        "if (n & 1) d[i + 1] = d[i];",
        # What is there between the body and what it leaves over is read, or what is left over reads what was there.
        "for (; i < n - 1; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; } uint8_t a = d[0]; if (n & 1) d[i] = s[i]; "
        "e[0] = a;",
        "uint8_t a = d[n - 4]; for (; i < n - 1; i += 2) { d[i] = d[i - 3]; d[i + 1] = d[i - 2]; } "
        "if (n & 1) d[n - 1] = a;",
        "uint8_t a = e[n - 1]; e[n - 1] = 0; for (; i < n - 1; i += 2) { d[i] = e[i]; d[i + 1] = e[i + 1]; } "
        "if (n & 1) d[n - 1] = a;",
        # The number of the iteration is stored.
        "for (; i < n - 1; i += 2) { d[i] = i; d[i + 1] = i; } if (n & 1) d[i] = i;",
    ],
)
def test_loops_that_stay(tmp_path: Path, body: str) -> None:
    assert len(path(tmp_path, body).effects) > 1


def test_what_must_be_apart(tmp_path: Path) -> None:
    tail = "if (n & 1) d[i] = t[i];"
    assert path(
        tmp_path, "for (; i < n - 1; i += 2) { d[i] = t[i]; d[i + 1] = t[i + 1]; } " + tail
    ).apart == {frozenset("dt")}
    tail = "if (n & 1) d[i] = s[i];"
    assert not path(tmp_path, "for (; i < n - 1; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; } " + tail).apart

"""Searches as reductions: what a function returns stays what it is, for all short inputs."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from lifter.frontend import parse_file
from lifter.ir.loop_interpreter import run
from lifter.ir.loop_ir import Break, Function, Loop, Return, walk
from lifter.transforms.loops.searches_to_reductions import without_searches

REWRITTEN = {
    "return": "for (int i = 0; i < n; i++) if (s[i] == 2) return 1; return 0;",
    "two returns": ("for (int i = 0; i < n; i++) { if (s[i] == 2) return 5; if (s[i] == 1) return 5; } return 0;"),
    "one after the other": (
        "for (int i = 0; i < n; i++) if (s[i] == 2) return 1;"
        " for (int i = 0; i < n; i++) if (s[i] == 1) return 2; return 3;"
    ),
    "in two loops": "for (int y = 0; y < n; y++) for (int x = y; x < n; x++) if (s[x] + s[y] == 3) return 1; return 0;",
    "counting down": "while (n-- > 0) if (*s++ == 2) return 1; return 0;",
    "break": "int ok = 1; for (int i = 0; i < n; i++) if (s[i] == 2) { ok = 0; break; } return ok;",
    "break in each row": (
        "int t = 0; for (int y = 0; y < n; y++) { int ok = 0; for (int x = y; x < n; x++) if (s[x] == 2) { ok = 1;"
        " break; } t += ok; } return t;"
    ),
    "break in some row": (
        "int ok = 0, t = 0; for (int y = 0; y < n; y++) { for (int x = 0; x < y; x++) if (s[x] == 2) { ok = 1; break; }"
        " t += ok; } return t;"
    ),
}
LEFT = {
    "a place": "for (int i = 0; i < n; i++) if (s[i] == 2) return i; return -1;",
    "different values": ("for (int i = 0; i < n; i++) { if (s[i] == 2) return 1; if (s[i] == 1) return 2; } return 0;"),
    "the counter is used": "int i; for (i = 0; i < n; i++) if (s[i] == 2) break; return i;",
    "a sum goes on": "int t = 0; for (int i = 0; i < n; i++) { if (s[i] == 2) { break; } t += s[i]; } return t;",
    "the flag is read": (
        "int ok = 1; for (int i = 0; i < n; i++) { if (s[i] == 2) { ok = 0; break; } if (ok) n--; } return ok;"
    ),
    "the flag is set elsewhere": (
        "int ok = 1; for (int i = 0; i < n; i++) { if (s[i] == 2) { ok = 0; break; } ok = s[i]; } return ok;"
    ),
    "two breaks": (
        "int k = 1; for (int i = 0; i < n; i++) { if (s[i] == 2) { k = 7; break; } if (s[i] == 1) { k = 7; break; } }"
        " return k;"
    ),
    "a search that goes on where the last one ended": (
        "int j = 0, t = 0; for (int y = 0; y < 3; y++) { int ok = 0; for (; j < n; j++) if (s[j] == 2) { ok = 1;"
        " break; } t += ok; } return t;"
    ),
    "a sum that goes on from the last search's": (
        "int u = 0, t = 0; for (int y = 0; y < 3; y++) { int ok = 0; for (int i = 0; i < n; i++) {"
        " if (u + s[i] > 3) { ok = 1; break; } u = u + s[i]; } t += ok; } return t;"
    ),
    "a value of the loop": "int v = 9; for (int i = 0; i < n; i++) if (s[i] == 2) { v = i; break; } return v;",
}


def _function(tmp_path: Path, body: str) -> Function:
    file = tmp_path / "f.cpp"
    file.write_text(f"int f(const unsigned char* s, int n) {{ {body} }}\n")
    (f,) = parse_file(str(file)).functions
    assert isinstance(f, Function), f
    return f


def _leaves(f: Function) -> int:
    loops = [s for s in walk(f.body) if isinstance(s, Loop)]
    return sum(isinstance(s, Break | Return) for loop in loops for s in walk(loop.body))


def _same(a: Function, b: Function) -> None:
    for n in range(5):
        for values in itertools.product(range(3), repeat=n):
            memory = np.array([*values, 2], np.uint8)
            results = [run(f, {"s": memory.copy(), "n": n}) for f in (a, b)]
            assert results[0] == results[1], (values, results)


@pytest.mark.parametrize("case", REWRITTEN)
def test_rewritten(tmp_path: Path, case: str) -> None:
    before = _function(tmp_path, REWRITTEN[case])
    after = without_searches(before)
    assert _leaves(before) > _leaves(after) == 0
    _same(before, after)


@pytest.mark.parametrize("case", LEFT)
def test_left(tmp_path: Path, case: str) -> None:
    before = _function(tmp_path, LEFT[case])
    after = without_searches(before)
    assert _leaves(after) == _leaves(before)
    _same(before, after)

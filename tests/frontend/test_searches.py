"""Searches as reductions: what a function returns stays what it is, for all short inputs."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from halide_core.ir.expr import Load
from halide_core.ir.structural import contains
from lifter.frontend import parse_file
from lifter.ir.loop_interpreter import run
from lifter.ir.loop_ir import Break, Function, Loop, Return, walk
from lifter.transforms.loops.searches_for_places import without_places
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
PLACES = {
    "return": "for (int i = 0; i < n; i++) if (s[i] == 2) return i; return -1;",
    "a value of the place": "for (int i = 0; i < n; i++) if (s[i] > 1) return 7 * i + s[i]; return -1;",
    "break": "int i; for (i = 0; i < n; i++) if (s[i] == 2) break; return i;",
    "two breaks": "int i; for (i = 0; i < n; i++) { if (s[i] == 2) break; if (s[i] == 1) break; } return i;",
    "a break of the counter": "int i; for (i = 0; i < n; i++) { if (i == 3) break; if (s[i] == 1) break; } return i;",
    "in the condition": "int i = 0; while (i < n && s[i] == 0) i++; return i;",
    "the other way round": "int i = 0; while (s[i] == 0 && i < n) i++; return i;",
    "counting down": "int i = n - 1; while (i >= 0 && s[i] == 0) i--; return i;",
    "every other one": "int i = 0; for (; i < n; i += 2) if (s[i] == 1) break; return i;",
    "of several": "int i = 0; while (i + 1 < n && s[i] <= s[i + 1]) i++; return i;",
    "what is set": (
        "int v = 9, k = 4; for (int i = 0; i < n; i++) if (s[i] == 2) { v = i; k = 1; break; } return 10 * v + k;"
    ),
    "in each row": (
        "int t = 0; for (int y = 0; y < n; y++) { int x = y; while (x < n && s[x] == 0) x++; t += x * (y + 1); }"
        " return t;"
    ),
    "from where the last one ended": (
        "int j = 0, t = 0; for (int y = 0; y < 3; y++) { for (; j < n; j++) if (s[j] == 2) break; t = 5 * t + j; j++; }"
        " return t;"
    ),
    "none left": "int i = n; while (i < n && s[i] == 0) i++; return i;",
}
NO_PLACES = {
    "a sum": "int i, t = 0; for (i = 0; i < n; i++) { t += s[i]; if (s[i] == 2) break; } return t;",
    "no end": "int i = 0; while (s[i] != 2) i++; return i;",
    "what is set is asked": (
        "int v = 0; for (int i = 0; i < n; i++) if (s[i] + v == 2) { v = 1; break; } return v;"
    ),
    "set in one of two": (
        "int v = 9, i; for (i = 0; i < n; i++) { if (s[i] == 1) break; if (s[i] == 2) { v = 3; break; } } return v + i;"
    ),
    "other values": "for (int i = 0; i < n; i++) { if (s[i] == 2) return i; if (s[i] == 1) return -i; } return 99;",
    "a step by data": "int i = 0; while (i < n && s[i] == 0) i += 1 + s[i]; return i;",
    "two counters": "int i = 0, j = 0; while (i < n && s[i] == 0) { i++; j += 2; } return i + j;",
    "a text": "const char* t = (const char*)s; int i = 0; while (i < n && t[i]) i++; return i;",
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


@pytest.mark.parametrize("case", PLACES)
def test_places(tmp_path: Path, case: str) -> None:
    before = _function(tmp_path, PLACES[case])
    after = without_places(before)
    asked = [s.condition for s in walk(after.body) if isinstance(s, Loop)]
    assert after is not before and _leaves(after) == 0 and not any(contains(c, Load) for c in asked)
    _same(before, after)


@pytest.mark.parametrize("case", NO_PLACES)
def test_no_places(tmp_path: Path, case: str) -> None:
    before = _function(tmp_path, NO_PLACES[case])
    assert without_places(before) is before

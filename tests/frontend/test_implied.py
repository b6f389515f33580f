"""Conditionals that only keep loops from running that would not run are no paths of their own where there are many."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute
from verifier.sign_queries import decided, follows

HEAD = "#include <cstdint>\nvoid f(uint8_t* d, const uint8_t* s, int n, int m, int a, int b, int c, int e) "
OTHERS = "".join(f"if ({v}) for (int i = 0; i < {v}; i++) d[{k} * n + i] = {k};" for k, v in enumerate("abc", 1))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if (n > 0) for (int i = 0; i < n; i++) d[i] = s[i];", 1),
        ("if (n > 3) for (int i = 0; i < n; i++) d[i] = s[i];", 2),  # it would run
        ("if (n > 0) { int v = s[0]; for (int i = 0; i < n; i++) d[i] = v; }", 2),  # must not be read
        ("if (n > 0) for (int i = 0; i < n; i++) d[i] = s[i]; else d[0] = 1;", 2),
        ("if (n > 0) { for (int i = 0; i < n; i++) d[i] = s[i]; m = 0; } for (int i = 0; i < m; i++) d[i] = 0;", 2),
    ],
)
def test_paths(tmp_path, body: str, count: int) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {{ {OTHERS} {body} }}\n")
    (function,) = parse_file(str(source)).functions
    assert len(execute(function, decided, follows)) == count


def test_few_paths_stay(tmp_path) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {{ if (n > 0) for (int i = 0; i < n; i++) d[i] = s[i]; }}\n")
    (function,) = parse_file(str(source)).functions
    assert len(execute(function, decided, follows)) == 2

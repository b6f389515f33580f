"""Places that branchless code computes from data, as the operations that they are."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute
from synth.terminals.data_addresses import readable_places

HEAD = "#include <cstdint>\nvoid f(uint32_t* h, const uint8_t* s, int n) {{ for (int i = 0; i < n; i++) {{ {} }} }}\n"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("int a = s[i], b = s[i + 1], d = a - b; h[b + (d & ~(d >> 8))]++;", "max("),
        ("int a = s[i], b = s[i + 1], d = a - b; h[a - (d & ~(d >> 8))]++;", "min("),
        ("int a = s[i], b = s[i + 1], d = a - b, m = d >> 8; h[(d & ~m) | (-d & m)]++;", "absd("),
        ("int a = s[i], b = s[i + 1], d = a - b; h[b + (d & ~(d >> 7))]++;", "bitwise_and"),  # not the sign alone
        ("int a = s[i], b = s[i + 1], d = a + b; h[b + (d & ~(d >> 8))]++;", "bitwise_and"),
    ],
)
def test_place(tmp_path, body: str, place: str) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(HEAD.format(body))
    (function,) = parse_file(str(source)).functions
    (path,) = execute(function)
    found = readable_places(function, path)
    assert found is not None
    (e,) = found.path.effects
    assert place in str(e.index)

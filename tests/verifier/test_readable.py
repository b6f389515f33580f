"""What the lifted code may read: memory that the original reads whatever the data are, used or not."""

from __future__ import annotations

import pytest

from lifter.api import lift_file

pytestmark = pytest.mark.few(4)

HEAD = "#include <cstdint>\nvoid f(uint8_t* d, const uint8_t* s, int n, int m) { for (int i = 0; i < n; i++) {"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("int v = s[i + 1]; d[i] = s[i] > 9 && m ? v : 0;", "verified"),
        ("if (s[i] > 9) d[i] = 1; else d[i] = s[i + 1] > 2;", "verified"),
        ("if (m && s[i] > 9) d[i] = 1; else d[i] = s[i + 1] > 2;", "verified"),  # whatever m is, the data let it
        ("if (i < m || s[i] > 9) d[i] = 1; else d[i] = s[i + 1] > 2;", "verified"),  # s(max(x + 1, m)) is read
        ("if (s[i] > 9) d[i] = 1; else d[i] = i + 1 < n ? s[i + 1] : 2;", "verified"),
        ("if (s[i] > 9) d[i] = 1; else d[i] = m ? s[i + 1] : 2;", "verified"),
        ("int v = m ? s[i + 1] : 0; d[i] = s[i] > 9 ? v : 0;", "verified"),
        ("int v = 0; if (m) v = s[i + 1]; d[i] = s[i] > 9 ? v : 0;", "verified"),
        ("int v = i + 1 < n ? s[i + 1] : 0; d[i] = s[i] > 9 && i + m < n ? v : 0;", "verified"),
    ],
)
def test_reads_beforehand(tmp_path, body: str, status: str) -> None:
    """What is read under a condition on parameters is read by an update under that condition."""
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {body} }} }}")
    (found,) = lift_file(str(source), out=str(tmp_path), run=False).functions
    assert found.status == status, found.reason


@pytest.mark.parametrize(
    ("mask", "by_data"),
    [
        ("k[x]", True),
        ("T[x & 7]", False),
        ("T[k[x] & 7]", True),
        ("own[x]", False),
        ("made[x]", True),
        ("T[x > 0 ? k[x] & 7 : 0]", False),
        ("framed[x]", False),
        ("cut[x]", False),
    ],
)
@pytest.mark.parametrize("body", ["d[x] = {} ? s[x - 1] : 7;", "if ({}) d[x - 1] = 7;"])
def test_masks_are_data(tmp_path, mask: str, by_data: bool, body: str) -> None:
    """What a table or a frame of zeros says is touched is no matter of the data, and what is before the first never is:
    nothing is touched but where it says so (RDom.where)."""
    source = tmp_path / "f.cpp"
    source.write_text(
        "#include <cstdint>\nstatic const unsigned char T[8] = {0, 1, 1, 1, 1, 1, 1, 1};\n"
        "void f(uint8_t* d, const uint8_t* s, const uint8_t* k) {\n  uint8_t own[64], made[64], framed[64], cut[64];\n"
        "  for (int x = 0; x < 64; x++) framed[x] = x > 0 ? k[x] : 0;\n"
        "  for (int x = 0; x < 64; x++) cut[x] = k[x] & (x > 0);\n"
        "  for (int x = 0; x < 64; x++) own[x] = x > 0;\n  for (int x = 0; x < 64; x++) made[x] = k[x] > 9;\n"
        f"  for (int x = 0; x < 64; x++) {body.format(mask)}\n}}"
    )
    (found,) = lift_file(str(source), out=str(tmp_path), run=False).functions
    if found.status == "verified":
        assert any(s.where for s in found.stages) != by_data
    else:
        assert found.status == "not_found" and not by_data, found.reason


@pytest.mark.parametrize(
    ("body", "status", "term"),
    [
        ("d[i] = s[i] < 4 ? T[s[i]] : 0;", "verified", "T(min(s(x), 3))"),
        ("d[i] = s[i] > 3 ? 0 : T[s[i]];", "verified", "T(min(s(x), 3))"),
        ("d[i] = s[i] < 5 ? T[s[i]] : 0;", "not_found", ""),
        ("d[i] = i < 4 ? T[i] : 9;", "verified", "T(min(x, 3))"),
        ("d[i] = T[s[i] & 3];", "verified", "T(s(x)%4)"),
    ],
)
def test_tables_are_read_inside(tmp_path, body: str, status: str, term: str) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"static const unsigned char T[4] = {{7, 1, 9, 4}};\n{HEAD} {body} }} }}")
    (found,) = lift_file(str(source), out=str(tmp_path), run=False).functions
    assert found.status == status, found.reason
    assert not term or term in [t for s in found.stages for t in s.terms]

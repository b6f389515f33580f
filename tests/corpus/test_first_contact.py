"""What a first contact counts, and what it tells."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SOURCE = """
#include <stdint.h>
#include <emmintrin.h>
struct image { int w; uint8_t **rows; };
static const int table[3] = {1, 2, 3};
int total(int n) { int s = 0; for (int i = 0; i < n; i++) s += table[i % 3]; return s; }
int own(int n) { int b[8]; for (int i = 0; i < 8; i++) b[i] = n; return b[3]; }
void once(uint8_t *d) { *d = 1; }
void invert(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = 255 - s[i]; }
void fill(struct image *m) { for (int x = 0; x < m->w; x++) m->rows[0][x] = 7; }
int length(const uint8_t *s) { int n = 0; while (s[n] != s[n + 1] && s[n] != 9) n += 1 + s[n] % 2; return n; }
int next(void);
void pieces(uint8_t *d, int n) {
    while (next())
        for (int i = 0; i < n; i++) d[i] = 255;
}
void counted(uint8_t *d, int n) {
    while (next()) {
        d[0]++;
        for (int i = 0; i < n; i++) d[i] = 255;
    }
}
void walk(uint8_t *d, int n) { uint8_t *p = d; while (n--) *p++ = 0; }
void quads(uint8_t *d, int n) {
    for (int i = 0; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i *)(d + i), _mm_setzero_si128());
}
"""
BROKEN = """
void known(unsigned char *d, int n) { for (int i = 0; i < n; i++) d[i] = 1; }
void unknown(unsigned char *d, int n, picture *p) { for (int i = 0; i < n; i++) d[i] = p->value; }
"""


def test_functions_with_loops_over_given_memory_count(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "a.c").write_text(SOURCE)
    (library / "b.c").write_text(BROKEN)
    command = [sys.executable, "-m", "corpus.first_contact", str(library), "--json", str(tmp_path / "found.json")]
    done = subprocess.run([*command, "--name", "Some library"], capture_output=True, text=True, check=True)
    found = {f["name"]: f for f in json.loads((tmp_path / "found.json").read_text())}
    assert set(found) == {"invert", "fill", "length", "pieces", "counted", "walk", "quads", "known", "unknown"}
    assert [n for n, f in found.items() if f["intrinsics"]] == ["quads"]
    assert found["invert"]["status"] == found["quads"]["status"] == "verified"
    assert found["unknown"]["status"] == "not read"
    assert [n for n, f in found.items() if f["by_loops"]] == ["pieces"]  # `counted` does more than walk
    plain = next(line for line in done.stdout.splitlines() if "Some library, plain" in line)
    assert "| 1 of 2 | 8 |" in plain
    assert "% of 7 |" in plain  # `length` has an end that data decide

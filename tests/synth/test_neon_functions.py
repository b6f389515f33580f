"""Functions in NEON intrinsics and in GNU's vectors come out as what their authors' scalar versions come out as."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from lifter.api import lift_file

pytestmark = pytest.mark.few(3)

HEAD = "#include <arm_neon.h>\n#include <cstddef>\n#include <cstring>\n"

LUMA = (
    """
    void f(const uint8_t* rgb, uint8_t* gray, int n) {
        const uint8x8_t r = vdup_n_u8(77), g = vdup_n_u8(150), b = vdup_n_u8(29);
        int i = 0;
        for (; i <= n - 8; i += 8) {
            uint8x8x3_t v = vld3_u8(rgb + 3 * i);
            uint16x8_t s = vmull_u8(v.val[0], r);
            s = vmlal_u8(s, v.val[1], g);
            s = vmlal_u8(s, v.val[2], b);
            vst1_u8(gray + i, vshrn_n_u16(s, 8));
        }
        for (; i < n; i++) gray[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8;
    }
    """,
    """
    void f(const uint8_t* rgb, uint8_t* gray, int n) {
        for (int i = 0; i < n; i++) gray[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8;
    }
    """,
)
THRESHOLD = (
    """
    void f(const uint8_t* s, uint8_t* d, int n, uint8_t limit, uint8_t high, uint8_t low) {
        uint8x16_t l = vdupq_n_u8(limit), a = vdupq_n_u8(high), b = vdupq_n_u8(low);
        int i = 0;
        for (; i + 16 <= n; i += 16) vst1q_u8(d + i, vbslq_u8(vcgtq_u8(vld1q_u8(s + i), l), a, b));
        for (; i < n; i++) d[i] = s[i] > limit ? high : low;
    }
    """,
    """
    void f(const uint8_t* s, uint8_t* d, int n, uint8_t limit, uint8_t high, uint8_t low) {
        for (int i = 0; i < n; i++) d[i] = s[i] > limit ? high : low;
    }
    """,
)
INTERLEAVE = (
    """
    void f(const uint8_t* u, const uint8_t* v, uint8_t* uv, size_t n) {
        size_t i = 0;
        for (; i + 16 <= n; i += 16) {
            uint8x16x2_t both = {{vld1q_u8(u + i), vld1q_u8(v + i)}};
            vst2q_u8(uv + 2 * i, both);
        }
        for (; i < n; i++) { uv[2 * i] = u[i]; uv[2 * i + 1] = v[i]; }
    }
    """,
    """
    void f(const uint8_t* u, const uint8_t* v, uint8_t* uv, size_t n) {
        for (size_t i = 0; i < n; i++) { uv[2 * i] = u[i]; uv[2 * i + 1] = v[i]; }
    }
    """,
)
TENT = (
    """
    void f(const uint8_t* s, uint8_t* d, int w) {
        int x = 1;
        for (; x + 8 < w; x += 8) {
            uint16x8_t sum = vaddl_u8(vld1_u8(s + x - 1), vld1_u8(s + x + 1));
            sum = vaddq_u16(sum, vshll_n_u8(vld1_u8(s + x), 1));
            vst1_u8(d + x, vrshrn_n_u16(sum, 2));
        }
        for (; x < w - 1; x++) d[x] = (s[x - 1] + 2 * s[x] + s[x + 1] + 2) >> 2;
    }
    """,
    """
    void f(const uint8_t* s, uint8_t* d, int w) {
        for (int x = 1; x < w - 1; x++) d[x] = (s[x - 1] + s[x + 1] + (s[x] << 1) + 2) >> 2;
    }
    """,
)
AVERAGE = (
    """
    typedef uint8_t bytes __attribute__((vector_size(16)));
    void f(const uint8_t* a, const uint8_t* b, uint8_t* d, int n) {
        int i = 0;
        for (; i + 16 <= n; i += 16) {
            bytes x, y;
            memcpy(&x, a + i, 16);
            memcpy(&y, b + i, sizeof y);
            bytes r = (x & y) + ((x ^ y) >> 1);
            memcpy(d + i, &r, 16);
        }
        for (; i < n; i++) d[i] = (a[i] & b[i]) + ((a[i] ^ b[i]) >> 1);
    }
    """,
    """
    void f(const uint8_t* a, const uint8_t* b, uint8_t* d, int n) {
        for (int i = 0; i < n; i++) d[i] = (a[i] + b[i]) >> 1;
    }
    """,
)
FLIP = (
    """
    void f(const uint8_t* s, uint8_t* d, int w) {
        for (int x = 0; x < w / 16 * 16; x += 16) {
            uint8x16_t v = vrev64q_u8(vld1q_u8(s + w / 16 * 16 - 16 - x));
            vst1q_u8(d + x, vextq_u8(v, v, 8));
        }
    }
    """,
    """
    void f(const uint8_t* s, uint8_t* d, int w) {
        for (int x = 0; x < w / 16 * 16; x++) d[x] = s[w / 16 * 16 - 1 - x];
    }
    """,
)

SUMS = (
    """
    static inline void fold(const uint32x4_t* acc, uint32_t* r, int k) { r[k] = vaddvq_u32(acc[0]); }
    void f(const uint8_t* s, uint32_t* r, int n) {
        uint32x4_t acc[1], other;
        memset(acc, 0, sizeof(acc));
        for (int i = 0; i < n; i++) acc[0] = vpadalq_u16(acc[0], vpaddlq_u8(vld1q_u8(s + 16 * i)));
        other = acc[0];
        fold(&other, r, 0);
    }
    """,
    """
    void f(const uint8_t* s, uint32_t* r, int n) {
        uint32_t acc_0 = 0;
        for (int i = 0; i < 16 * n; i++) acc_0 += s[i];
        r[0] = acc_0;
    }
    """,
)
THROUGH_BYTES = (
    """
    void f(const uint8_t* s, uint8_t* d, int n, uint8_t k) {
        for (int i = 0; i < n / 16; i++) {
            uint8x16x2_t v = {{vdupq_n_u8(k), vdupq_n_u8(k)}};
            vst2q_u8((uint8_t*)&v, v);
            vst1q_u8(d + 16 * i, veorq_u8(vld1q_u8(s + 16 * i), v.val[1]));
        }
    }
    """,
    """
    void f(const uint8_t* s, uint8_t* d, int n, uint8_t k) {
        for (int i = 0; i < n / 16 * 16; i++) d[i] = s[i] ^ k;
    }
    """,
)


def stages_of(text: str, folder: Path, name: str) -> list[tuple[str, ...]]:
    path = folder / f"{name}.cpp"
    path.write_text(HEAD + textwrap.dedent(text))
    (f,) = lift_file(str(path), run=False).functions
    assert f.status == "verified", f.reason
    return [(s.roi, *s.terms, s.left, s.expression) for s in f.stages]


@pytest.mark.parametrize(
    "versions",
    [LUMA, THRESHOLD, INTERLEAVE, TENT, AVERAGE, FLIP, SUMS, THROUGH_BYTES],
    ids=["luma", "threshold", "interleave", "tent", "average", "flip", "sums", "bytes"],
)
def test_same_summary_as_scalar_code(versions: tuple[str, str], tmp_path: Path) -> None:
    registers, scalar = versions
    assert stages_of(registers, tmp_path, "registers") == stages_of(scalar, tmp_path, "scalar")

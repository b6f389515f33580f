"""Random C++ functions with SSE4.1 registers: bodies and tails, sums in lanes."""

from __future__ import annotations

from tests.soundness.writer import Kernel, Writer

REGISTERS = """#pragma GCC target("sse4.1")
#include <smmintrin.h>
typedef __m128i R;
static inline R get(const uint8_t* p) { return _mm_loadl_epi64((const R*)p); }
static inline void put(uint8_t* p, R v) { _mm_storel_epi64((R*)p, v); }
static inline R moved(R t, int n) {
  if (n & 1) t = _mm_slli_si128(t, 1);
  if (n & 2) t = _mm_slli_si128(t, 2);
  if (n & 4) t = _mm_slli_si128(t, 4);
  if (n & 8) t = _mm_slli_si128(t, 8);
  return t;
}
"""
_OF_TWO = ["adds_epu8", "subs_epu8", "max_epu8", "min_epu8", "avg_epu8", "and_si128", "xor_si128", "add_epi8"]


def registers(g: Writer) -> Kernel:
    """Rows in registers of eight pixels: a last one that overlaps the one before, under a mask or not, what it held
    read early or late; borders that are written last; outputs that read each other."""
    outputs = ["d", "e"][: g.rng.choice([1, 1, 2])]
    for n in ["a", *outputs]:
        g.array(n, n == "a", ["uint8_t"])

    def value(depth: int, place: str) -> str:
        if depth == 0 or g.rng.random() < 0.2:
            name = g.rng.choice(["a", "a", "a", *outputs])
            step = g.rng.choice([0, 0, 0, -1, 1]) if name == "a" or g.rng.random() < 0.1 else 0
            return f"get({name} + {place}{f' + {step}' if step else ''})"
        if g.rng.random() < 0.1:
            return f"_mm_set1_epi8({g.rng.randint(-128, 127)})"
        return f"_mm_{g.rng.choice(_OF_TWO)}({value(depth - 1, place)}, {value(depth - 1, place)})"

    depth, rows, ends = g.rng.randint(1, 2), "", ""
    stores = [value(depth, "x") for _ in outputs]
    for k, v in enumerate(stores):
        rows += f" R v{k} = {v};"
    rows += "".join(f" put({n} + x, v{k});" for k, n in enumerate(outputs))
    masked, early = g.rng.random() < 0.5, g.rng.random() < 0.2
    held = "".join(f"    R o{k} = get({n} + w - 8);\n" for k, n in enumerate(outputs)) if masked else ""
    for k, v in enumerate(stores):
        again = value(depth, "x") if g.rng.random() < 0.1 else v
        ends += f" R v{k} = _mm_blendv_epi8(o{k}, {again}, m);" if masked else f" R v{k} = {again};"
    ends += "".join(f" put({n} + x, v{k});" for k, n in enumerate(outputs))
    last = f"    d[{g.rng.choice(['0', 'w - 1', '1'])}] = {g.rng.choice(['0', 'a[1]', 'd[2]'])};\n"
    border = last if g.rng.random() < 0.4 else ""
    test = g.rng.choice(["q != w", "q != w", "true"]) if not masked else "q != w"
    step = "".join(f" {n} += {g.stride};" for n in ["a", *outputs])
    return g.done(
        "  if (w < 8) return;\n  int q = w & ~7;\n  R m = moved(_mm_set1_epi8(-1), 8 - w + q);\n"
        f"  for (int y = 0; y < h; y++) {{\n{held if early else ''}"
        f"    for (int x = 0; x < q; x += 8) {{{rows} }}\n{'' if early else held}"
        f"    if ({test}) {{ int x = w - 8;{ends} }}\n{border}   {step}\n  }}\n"
    )


def lane_sums(g: Writer) -> Kernel:
    """Sums in the lanes of registers, of the whole or by row, with the end of a row under a mask, or a wrong one."""
    g.array("a", True, ["uint8_t"])
    g.array("b", True, ["uint8_t"])
    g.array("d", types=["int32_t", "uint32_t", "uint8_t"])

    def value(masked: bool) -> str:
        one, other = (f"_mm_and_si128(get({n} + x), m)" if masked else f"get({n} + x)" for n in "ab")
        return kind.format(one, g_other.format(other))

    words = g.rng.random() < 0.5  # four sums of 32 bits, or two of 64
    kind = (
        g.rng.choice(["_mm_madd_epi16(_mm_cvtepu8_epi16({0}), _mm_cvtepu8_epi16({1}))",
                      "_mm_madd_epi16(_mm_cvtepu8_epi16(_mm_max_epu8({0}, {1})), _mm_set1_epi16(1))"])
        if words else "_mm_sad_epu8({0}, {1})"
    )  # fmt: skip
    g_other = g.rng.choice(["{0}", "{0}", "_mm_setzero_si128()", "_mm_adds_epu8({0}, {0})"])
    add, t, n = ("_mm_add_epi32", "int32_t", 4) if words else ("_mm_add_epi64", "int64_t", 2)
    shift = g.rng.choice(["8 - w + q"] * 6 + ["w - q", "9 - w + q", "0"])
    test, place = g.rng.choice(["q != w", "w - q", "w > q", "true"]), g.rng.choice(["w - 8"] * 6 + ["q - 8", "w - 9"])
    rows = g.rng.random() < 0.5
    wide = words and g.rng.random() < 0.5
    out = "t[0] + t[1]" if wide or not words else "t[0] + t[1] + t[2] + t[3]"
    held = "_mm_add_epi64(_mm_unpacklo_epi32(s, z), _mm_unpackhi_epi32(s, z))" if wide else "s"
    if wide:
        t, n = "int64_t", 2
    finish = f"{t} t[{n}]; _mm_storeu_si128((R*)t, {held}); d[{'y' if rows else '0'}] = {out};"
    left = f"    if ({test}) {{ int x = {place}; s = {add}(s, {value(g.rng.random() < 0.9)}); }}\n"
    if g.rng.random() < 0.2:  # one by one
        left = ""
    return g.done(
        "  if (w < 9) return;\n  int q = w & ~7;\n"
        f"  R z = _mm_setzero_si128(), m = moved(_mm_set1_epi8(-1), {shift});\n"
        f"{'' if rows else '  R s = z;'}\n  for (int y = 0; y < h; y++) {{\n{'    R s = z;' if rows else ''}\n"
        f"    for (int x = 0; x < q; x += 8) s = {add}(s, {value(False)});\n{left}"
        f"    {finish if rows else ''} a += {g.stride}; b += {g.stride};\n  }}\n  {'' if rows else finish}\n"
    )

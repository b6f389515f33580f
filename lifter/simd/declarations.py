"""Declarations of the SIMD intrinsics of x86, SSE to AVX-512, as headers that libclang parses.

libclang's wheel brings no compiler headers.  One line of the table declares a family: the result and the operands, then
the names without their prefix.  Letters: i, f, d: the vectors of integers, floats and doubles of the prefix's own
width; the others are those of `_SCALARS`."""

from __future__ import annotations

import re
from functools import lru_cache

from lifter.simd import wide_declarations
from lifter.simd.header_constants import defines

_OWN = {
    128: ("__m128i", "__m128", "__m128d"), 256: ("__m256i", "__m256", "__m256d"), 512: ("__m512i", "__m512", "__m512d"),
}
_SCALARS = {
    "v": "void", "n": "int", "N": "long long", "u": "unsigned int", "U": "unsigned long long", "s": "float",
    "t": "double", "c": "char", "w": "short", "P": "void const*", "p": "void*", "F": "float const*", "G": "float*",
    "D": "double const*", "E": "double*", "x": "__m128i", "y": "__m128", "z": "__m128d", "m": "__m64", "W": "int*",
    "X": "__m128i const*", "Y": "__m128i*", "M": "__m64 const*", "O": "__m64*", "L": "int const*",
    **wide_declarations.SCALARS,
}

_INTEGERS = """
i ii: add_epi8 add_epi16 add_epi32 add_epi64 sub_epi8 sub_epi16 sub_epi32 sub_epi64
i ii: adds_epi8 adds_epi16 adds_epu8 adds_epu16 subs_epi8 subs_epi16 subs_epu8 subs_epu16
i ii: mullo_epi16 mullo_epi32 mulhi_epi16 mulhi_epu16 mulhrs_epi16 mul_epi32 mul_epu32 madd_epi16 maddubs_epi16
i ii: sad_epu8 avg_epu8 avg_epu16 min_epi8 min_epi16 min_epi32 min_epu8 min_epu16 min_epu32
i ii: max_epi8 max_epi16 max_epi32 max_epu8 max_epu16 max_epu32
i ii: cmpeq_epi8 cmpeq_epi16 cmpeq_epi32 cmpeq_epi64 cmpgt_epi8 cmpgt_epi16 cmpgt_epi32 cmpgt_epi64
i ii: packs_epi16 packs_epi32 packus_epi16 packus_epi32
i ii: unpacklo_epi8 unpacklo_epi16 unpacklo_epi32 unpacklo_epi64
i ii: unpackhi_epi8 unpackhi_epi16 unpackhi_epi32 unpackhi_epi64
i ii: hadd_epi16 hadd_epi32 hadds_epi16 hsub_epi16 hsub_epi32 hsubs_epi16 sign_epi8 sign_epi16 sign_epi32 shuffle_epi8
i ii: sllv_epi32 sllv_epi64 srlv_epi32 srlv_epi64 srav_epi32
i i: abs_epi8 abs_epi16 abs_epi32
i in: slli_epi16 slli_epi32 slli_epi64 srli_epi16 srli_epi32 srli_epi64 srai_epi16 srai_epi32
i in: shuffle_epi32 shufflelo_epi16 shufflehi_epi16
i ix: sll_epi16 sll_epi32 sll_epi64 srl_epi16 srl_epi32 srl_epi64 sra_epi16 sra_epi32
i iii: blendv_epi8
i iin: alignr_epi8 blend_epi16 blend_epi32 mpsadbw_epu8
n i: movemask_epi8
i c: set1_epi8
i w: set1_epi16
i n: set1_epi32
i x: cvtepi8_epi16 cvtepi8_epi32 cvtepi8_epi64 cvtepi16_epi32 cvtepi16_epi64 cvtepi32_epi64
i x: cvtepu8_epi16 cvtepu8_epi32 cvtepu8_epi64 cvtepu16_epi32 cvtepu16_epi64 cvtepu32_epi64
f i: cvtepi32_ps
i f: cvtps_epi32 cvttps_epi32
"""
_FLOATS = """
f ff: add_ps sub_ps mul_ps div_ps min_ps max_ps and_ps or_ps xor_ps andnot_ps hadd_ps hsub_ps addsub_ps
f ff: unpacklo_ps unpackhi_ps
f f: sqrt_ps rcp_ps rsqrt_ps floor_ps ceil_ps moveldup_ps movehdup_ps
f ffn: shuffle_ps blend_ps dp_ps cmp_ps
f fff: blendv_ps fmadd_ps fmsub_ps fnmadd_ps fnmsub_ps
f fn: round_ps permute_ps
f s: set1_ps
f v: setzero_ps
f F: loadu_ps load_ps
v Gf: storeu_ps store_ps stream_ps
n f: movemask_ps
d dd: add_pd sub_pd mul_pd div_pd min_pd max_pd and_pd or_pd xor_pd andnot_pd hadd_pd hsub_pd addsub_pd
d dd: unpacklo_pd unpackhi_pd
d d: sqrt_pd floor_pd ceil_pd
d ddn: shuffle_pd blend_pd cmp_pd
d ddd: blendv_pd fmadd_pd fmsub_pd fnmadd_pd fnmsub_pd
d dn: round_pd permute_pd
d t: set1_pd
d v: setzero_pd
d D: loadu_pd load_pd
v Ed: storeu_pd store_pd stream_pd
n d: movemask_pd
d y: cvtps_pd
d x: cvtepi32_pd
f i: cast{I}_ps
i f: castps_{I}
d i: cast{I}_pd
i d: castpd_{I}
d f: castps_pd
f d: castpd_ps
"""
_ONLY_128 = """
i ii: and_si128 or_si128 xor_si128 andnot_si128
i in: slli_si128 srli_si128 bslli_si128 bsrli_si128
i v: setzero_si128
i X: loadu_si128 load_si128 lddqu_si128 loadl_epi64 stream_load_si128
i P: loadu_si16 loadu_si32 loadu_si64
v Yi: storeu_si128 store_si128 storel_epi64 stream_si128
v pi: storeu_si16 storeu_si32 storeu_si64
i N: set1_epi64x cvtsi64_si128 cvtsi64x_si128
i m: set1_epi64 movpi64_epi64
i n: cvtsi32_si128
n i: cvtsi128_si32
N i: cvtsi128_si64 cvtsi128_si64x
n ii: testz_si128 testc_si128 testnzc_si128 test_all_zeros test_mix_ones_zeros
n i: test_all_ones
i NN: set_epi64x
i nnnn: set_epi32 setr_epi32
i wwwwwwww: set_epi16 setr_epi16
i cccccccccccccccc: set_epi8 setr_epi8
n in: extract_epi8 extract_epi16 extract_epi32
N in: extract_epi64
i inn: insert_epi8 insert_epi16 insert_epi32
i iNn: insert_epi64
i i: move_epi64 minpos_epu16 broadcastb_epi8 broadcastw_epi16 broadcastd_epi32 broadcastq_epi64
i ii: cmplt_epi8 cmplt_epi16 cmplt_epi32
f ff: cmpeq_ps cmpneq_ps cmplt_ps cmple_ps cmpgt_ps cmpge_ps cmpnlt_ps cmpnle_ps cmpngt_ps cmpnge_ps
f ff: cmpord_ps cmpunord_ps
f ff: add_ss sub_ss mul_ss div_ss min_ss max_ss cmpeq_ss cmpneq_ss cmplt_ss cmple_ss cmpgt_ss cmpge_ss move_ss
f ff: movelh_ps movehl_ps
f f: sqrt_ss rcp_ss rsqrt_ss broadcastss_ps
f ff: floor_ss ceil_ss
f ffn: round_ss insert_ps
n fn: extract_ps
f ssss: set_ps setr_ps
f s: set_ps1 set_ss
f F: load_ss load_ps1 load1_ps loadr_ps broadcast_ss
v Gf: store_ss store_ps1 store1_ps storer_ps
f fM: loadl_pi loadh_pi
v Of: storel_pi storeh_pi
s f: cvtss_f32
n f: cvtss_si32 cvttss_si32 cvtt_ss2si cvt_ss2si
N f: cvtss_si64 cvttss_si64
f fn: cvtsi32_ss cvt_si2ss
f fN: cvtsi64_ss
n ff: comieq_ss comilt_ss comile_ss comigt_ss comige_ss comineq_ss
n ff: ucomieq_ss ucomilt_ss ucomile_ss ucomigt_ss ucomige_ss ucomineq_ss
d dd: cmpeq_pd cmpneq_pd cmplt_pd cmple_pd cmpgt_pd cmpge_pd cmpord_pd cmpunord_pd
d dd: add_sd sub_sd mul_sd div_sd min_sd max_sd sqrt_sd move_sd
d d: movedup_pd
d tt: set_pd setr_pd
d t: set_sd set_pd1
d D: load_sd load1_pd load_pd1 loaddup_pd loadr_pd
d dD: loadl_pd loadh_pd
v Ed: store_sd storel_pd storeh_pd store1_pd
t d: cvtsd_f64
n d: cvtsd_si32 cvttsd_si32
N d: cvtsd_si64 cvttsd_si64
d dn: cvtsi32_sd
d dN: cvtsi64_sd
d df: cvtss_sd
f fd: cvtsd_ss
f d: cvtpd_ps
i d: cvtpd_epi32 cvttpd_epi32
d ddn: dp_pd
i Li: maskload_epi32
v Wii: maskstore_epi32
v v: mfence lfence sfence pause
u v: getcsr
v u: setcsr
v P: clflush
f v: undefined_ps
i v: undefined_si128
d v: undefined_pd
"""
_ONLY_256 = """
i ii: and_si256 or_si256 xor_si256 andnot_si256
i v: setzero_si256 undefined_si256
f v: undefined_ps
d v: undefined_pd
i N: set1_epi64x
i nnnnnnnn: set_epi32 setr_epi32
i NNNN: set_epi64x setr_epi64x
i wwwwwwwwwwwwwwww: set_epi16 setr_epi16
i cccccccccccccccccccccccccccccccc: set_epi8 setr_epi8
f ssssssss: set_ps setr_ps
d tttt: set_pd setr_pd
x in: extracti128_si256 extractf128_si256
i ixn: inserti128_si256 insertf128_si256
i xx: set_m128i setr_m128i
f yy: set_m128 setr_m128
y fn: extractf128_ps
f fyn: insertf128_ps
z dn: extractf128_pd
d dzn: insertf128_pd
i iin: permute2x128_si256 permute2f128_si256
f ffn: permute2f128_ps
d ddn: permute2f128_pd
i in: permute4x64_epi64 slli_si256 srli_si256 bslli_epi128 bsrli_epi128
i ii: permutevar8x32_epi32
f fi: permutevar8x32_ps permutevar_ps
d dn: permute4x64_pd
i x: broadcastsi128_si256 broadcastb_epi8 broadcastw_epi16 broadcastd_epi32 broadcastq_epi64
i x: castsi128_si256 zextsi128_si256
x i: castsi256_si128
f y: castps128_ps256 broadcastss_ps zextps128_ps256
y f: castps256_ps128
d z: castpd128_pd256
z d: castpd256_pd128
f F: broadcast_ss
d D: broadcast_sd
n ii: testz_si256 testc_si256 testnzc_si256
n ff: testz_ps testc_ps
n in: extract_epi8 extract_epi16 extract_epi32
N in: extract_epi64
i inn: insert_epi8 insert_epi16 insert_epi32
i iNn: insert_epi64
y d: cvtpd_ps
x d: cvtpd_epi32 cvttpd_epi32
s f: cvtss_f32
n i: cvtsi256_si32
f Fi: maskload_ps
v Gif: maskstore_ps
i Li: maskload_epi32
v Wii: maskstore_epi32
v v: zeroall zeroupper
"""
_REST = """
typedef long long __m64 __attribute__((__vector_size__(8), __may_alias__));
typedef long long __m128i __attribute__((__vector_size__(16), __may_alias__));
typedef float __m128 __attribute__((__vector_size__(16), __may_alias__));
typedef double __m128d __attribute__((__vector_size__(16), __may_alias__));
typedef long long __m256i __attribute__((__vector_size__(32), __may_alias__));
typedef float __m256 __attribute__((__vector_size__(32), __may_alias__));
typedef double __m256d __attribute__((__vector_size__(32), __may_alias__));
typedef long long __m512i __attribute__((__vector_size__(64), __may_alias__));
typedef float __m512 __attribute__((__vector_size__(64), __may_alias__));
typedef double __m512d __attribute__((__vector_size__(64), __may_alias__));
typedef unsigned char __mmask8;
typedef unsigned short __mmask16;
typedef unsigned int __mmask32;
typedef unsigned long long __mmask64;
typedef int _MM_PERM_ENUM;
#define _MM_SHUFFLE(z, y, x, w) (((z) << 6) | ((y) << 4) | ((x) << 2) | (w))
#define _MM_SHUFFLE2(x, y) (((x) << 1) | (y))
#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
#define _MM_HINT_T2 1
#define _MM_HINT_NTA 0
#define _MM_FROUND_TO_NEAREST_INT 0
#define _MM_FROUND_TO_NEG_INF 1
#define _MM_FROUND_TO_POS_INF 2
#define _MM_FROUND_TO_ZERO 3
#define _MM_FROUND_CUR_DIRECTION 4
#define _MM_FROUND_RAISE_EXC 0
#define _MM_FROUND_NO_EXC 8
#define _MM_FROUND_NINT 0
#define _MM_FROUND_FLOOR 1
#define _MM_FROUND_CEIL 2
#define _MM_FROUND_TRUNC 3
#define _MM_FROUND_RINT 4
#define _MM_FROUND_NEARBYINT 12
#define _MM_ROUND_MASK 0x6000
#define _MM_ROUND_NEAREST 0x0000
#define _MM_ROUND_DOWN 0x2000
#define _MM_ROUND_UP 0x4000
#define _MM_ROUND_TOWARD_ZERO 0x6000
#define _MM_FLUSH_ZERO_MASK 0x8000
#define _MM_FLUSH_ZERO_ON 0x8000
#define _MM_FLUSH_ZERO_OFF 0x0000
#define _MM_DENORMALS_ZERO_MASK 0x0040
#define _MM_DENORMALS_ZERO_ON 0x0040
#define _MM_DENORMALS_ZERO_OFF 0x0000
#define _MM_GET_ROUNDING_MODE() (_mm_getcsr() & _MM_ROUND_MASK)
#define _MM_SET_ROUNDING_MODE(mode) _mm_setcsr((_mm_getcsr() & ~_MM_ROUND_MASK) | (mode))
#define _MM_GET_FLUSH_ZERO_MODE() (_mm_getcsr() & _MM_FLUSH_ZERO_MASK)
#define _MM_SET_FLUSH_ZERO_MODE(mode) _mm_setcsr((_mm_getcsr() & ~_MM_FLUSH_ZERO_MASK) | (mode))
#define _MM_TRANSPOSE4_PS(a, b, c, d) do { \
  __m128 lift_0 = _mm_unpacklo_ps((a), (b)), lift_1 = _mm_unpacklo_ps((c), (d)); \
  __m128 lift_2 = _mm_unpackhi_ps((a), (b)), lift_3 = _mm_unpackhi_ps((c), (d)); \
  (a) = _mm_movelh_ps(lift_0, lift_1); (b) = _mm_movehl_ps(lift_1, lift_0); \
  (c) = _mm_movelh_ps(lift_2, lift_3); (d) = _mm_movehl_ps(lift_3, lift_2); } while (0)
#ifdef __cplusplus
extern "C" {
#endif
void _mm_prefetch(void const*, int);
void* _mm_malloc(unsigned long, unsigned long);
void _mm_free(void*);
int _mm_popcnt_u32(unsigned int);
long long _mm_popcnt_u64(unsigned long long);
unsigned int _mm_crc32_u8(unsigned int, unsigned char);
unsigned int _mm_crc32_u16(unsigned int, unsigned short);
unsigned int _mm_crc32_u32(unsigned int, unsigned int);
unsigned long long _mm_crc32_u64(unsigned long long, unsigned long long);
void _mm_maskmoveu_si128(__m128i, __m128i, char*);
void _mm_stream_si32(int*, int);
void _mm_stream_si64(long long*, long long);
__m256i _mm256_loadu_si256(__m256i const*);
__m256i _mm256_load_si256(__m256i const*);
__m256i _mm256_lddqu_si256(__m256i const*);
void _mm256_storeu_si256(__m256i*, __m256i);
void _mm256_store_si256(__m256i*, __m256i);
void _mm256_stream_si256(__m256i*, __m256i);
__m256 _mm256_broadcast_ps(__m128 const*);
void _mm_empty(void);
__m128i _mm_i32gather_epi32(int const*, __m128i, int);
__m256i _mm256_i32gather_epi32(int const*, __m256i, int);
__m128 _mm_i32gather_ps(float const*, __m128i, int);
__m256 _mm256_i32gather_ps(float const*, __m256i, int);
"""
_PARTS = ("mm", "xmm", "emm", "pmm", "tmm", "smm", "nmm", "wmm", "amm", "avx", "avx2", "fma", "x86", "x86gpr")
HEADERS = tuple(f"{part}intrin.h" for part in _PARTS)


_PROTOTYPE = re.compile(r"^([\w ]+?\*?) (_mm\w+)\((.*)\);$")


_LANES = {
    "qi": ("char", 1), "qs": ("signed char", 1), "qu": ("unsigned char", 1), "hi": ("short", 2),
    "hu": ("unsigned short", 2), "si": ("int", 4), "su": ("unsigned int", 4), "di": ("long long", 8),
    "du": ("unsigned long long", 8), "sf": ("float", 4), "df": ("double", 8),
}


def _vectors() -> list[str]:
    """What GCC's own headers call vectors by their lanes: `__v4sf`."""
    return [
        f"typedef {element} __v{size // each}{lane} __attribute__((__vector_size__({size})));"
        for size in (16, 32, 64)
        for lane, (element, each) in _LANES.items()
    ]


def _declarations(table: str, width: int) -> list[str]:
    own = dict(zip("ifd", _OWN[width], strict=True))
    prefix = "_mm" if width == 128 else f"_mm{width}"
    out = []
    for line in table.strip().splitlines():
        head, names = line.split(":")
        result, operands = head.split()
        spelled = [own.get(c) or _SCALARS[c] for c in ([] if operands == "v" else operands)]
        for name in names.split():
            text = f"{own.get(result) or _SCALARS[result]} {prefix}_{name.format(I=f'si{width}')}"
            out.append(f"{text}({', '.join(spelled) or 'void'});")
    return out


@lru_cache(maxsize=1)
def _text() -> str:
    lines = ["#ifndef LIFT_IMMINTRIN_H", "#define LIFT_IMMINTRIN_H", *_vectors(), *defines()]
    lines += _REST.strip().splitlines()
    for width in (128, 256):
        for table in (_INTEGERS, _FLOATS, _ONLY_128 if width == 128 else _ONLY_256):
            lines += _declarations(table, width)
    lines += _declarations(wide_declarations.TABLE, 512)
    lines += _masked(lines)
    lines += ["#ifdef __cplusplus", "}", "#endif", "#endif"]
    return "\n".join(lines) + "\n"


def _masked(lines: list[str]) -> list[str]:
    """The forms with masks of what is declared."""
    known = {m[2]: (m[1], m[3]) for m in map(_PROTOTYPE.match, lines) if m}
    out = []
    for name in wide_declarations.MASKED.split():
        suffix = name.rpartition("_")[2]
        own = {"ps": "__m512", "pd": "__m512d"}.get(suffix, "__m512i")
        result, operands = known.get(f"_mm512_{name}", (own, own))
        lanes = 512 // (int(suffix[3:]) if suffix[0] == "e" else 32 if suffix == "ps" else 64)
        out.append(f"{result} _mm512_mask_{name}({result}, __mmask{lanes}, {operands});")
        out.append(f"{result} _mm512_maskz_{name}(__mmask{lanes}, {operands});")
    return out


@lru_cache(maxsize=1)
def headers() -> dict[str, str]:
    """Name and text of each header; all the others include immintrin.h."""
    return {"immintrin.h": _text()} | dict.fromkeys(HEADERS, "#include <immintrin.h>\n")


@lru_cache(maxsize=1)
def signatures() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The C types of the result and of the operands of each intrinsic declared."""
    out: dict[str, tuple[str, tuple[str, ...]]] = {}
    for line in _text().splitlines():
        found = _PROTOTYPE.match(line)
        if found:
            operands = tuple(o for o in found.group(3).split(", ") if o != "void")
            out[found.group(2)] = (found.group(1), operands)
    return out

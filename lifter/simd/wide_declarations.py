"""Declarations of the intrinsics of AVX-512 (F, BW, DQ) on registers of 512 bits, as `declarations.py` has the others.

More letters: Q, R, S: registers of 256 bits; a, b, e, g: masks of 8, 16, 32 and 64 lanes."""

SCALARS = {
    "Q": "__m256i", "R": "__m256", "S": "__m256d", "a": "__mmask8", "b": "__mmask16", "e": "__mmask32",
    "g": "__mmask64", "o": "_MM_PERM_ENUM",
}
TABLE = """
i ii: add_epi8 add_epi16 add_epi32 add_epi64 sub_epi8 sub_epi16 sub_epi32 sub_epi64
i ii: adds_epi8 adds_epi16 adds_epu8 adds_epu16 subs_epi8 subs_epi16 subs_epu8 subs_epu16
i ii: mullo_epi16 mullo_epi32 mullo_epi64 mulhi_epi16 mulhi_epu16 mulhrs_epi16 mul_epi32 mul_epu32
i ii: madd_epi16 maddubs_epi16 sad_epu8 avg_epu8 avg_epu16
i ii: min_epi8 min_epi16 min_epi32 min_epi64 min_epu8 min_epu16 min_epu32 min_epu64
i ii: max_epi8 max_epi16 max_epi32 max_epi64 max_epu8 max_epu16 max_epu32 max_epu64
i ii: packs_epi16 packs_epi32 packus_epi16 packus_epi32
i ii: unpacklo_epi8 unpacklo_epi16 unpacklo_epi32 unpacklo_epi64
i ii: unpackhi_epi8 unpackhi_epi16 unpackhi_epi32 unpackhi_epi64 shuffle_epi8
i ii: sllv_epi16 sllv_epi32 sllv_epi64 srlv_epi16 srlv_epi32 srlv_epi64 srav_epi16 srav_epi32 srav_epi64
i ii: and_si512 or_si512 xor_si512 andnot_si512 and_epi32 or_epi32 xor_epi32 andnot_epi32
i ii: and_epi64 or_epi64 xor_epi64 andnot_epi64
i ii: permutexvar_epi16 permutexvar_epi32 permutexvar_epi64
i iii: permutex2var_epi16 permutex2var_epi32 permutex2var_epi64
i i: abs_epi8 abs_epi16 abs_epi32 abs_epi64
i in: slli_epi16 srli_epi16 srai_epi16
i iu: slli_epi32 slli_epi64 srli_epi32 srli_epi64 srai_epi32 srai_epi64
i io: shuffle_epi32
i in: shufflelo_epi16 shufflehi_epi16 permutex_epi64 bslli_epi128 bsrli_epi128
i ix: sll_epi16 sll_epi32 sll_epi64 srl_epi16 srl_epi32 srl_epi64 sra_epi16 sra_epi32 sra_epi64
i iin: alignr_epi8 alignr_epi32 alignr_epi64 shuffle_i32x4 shuffle_i64x2
i c: set1_epi8
i w: set1_epi16
i n: set1_epi32
i N: set1_epi64
i v: setzero_si512 setzero_epi32 undefined_epi32
i nnnnnnnnnnnnnnnn: set_epi32 setr_epi32
i NNNNNNNN: set_epi64 setr_epi64
i wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww: set_epi16
i P: loadu_si512 load_si512 loadu_epi8 loadu_epi16 loadu_epi32 loadu_epi64 load_epi32 load_epi64
v pi: storeu_si512 store_si512 storeu_epi8 storeu_epi16 storeu_epi32 storeu_epi64 store_epi32 store_epi64
i Q: cvtepi8_epi16 cvtepu8_epi16 cvtepi16_epi32 cvtepu16_epi32 cvtepi32_epi64 cvtepu32_epi64
i x: cvtepi8_epi32 cvtepu8_epi32 cvtepi16_epi64 cvtepu16_epi64 cvtepi8_epi64 cvtepu8_epi64
Q i: cvtepi16_epi8 cvtepi32_epi16 cvtepi64_epi32 cvtsepi16_epi8 cvtsepi32_epi16 cvtsepi64_epi32
Q i: cvtusepi16_epi8 cvtusepi32_epi16 cvtusepi64_epi32
x i: cvtepi32_epi8 cvtepi64_epi16 cvtepi64_epi8 cvtsepi32_epi8 cvtsepi64_epi16 cvtsepi64_epi8
x i: cvtusepi32_epi8 cvtusepi64_epi16 cvtusepi64_epi8
i x: broadcastb_epi8 broadcastw_epi16 broadcastd_epi32 broadcastq_epi64 broadcast_i32x4 broadcast_i64x2
i Q: broadcast_i64x4 broadcast_i32x8 castsi256_si512 zextsi256_si512
i x: castsi128_si512 zextsi128_si512
Q i: castsi512_si256
x i: castsi512_si128
Q in: extracti64x4_epi64 extracti32x8_epi32
x in: extracti32x4_epi32 extracti64x2_epi64
i iQn: inserti64x4 inserti32x8
i ixn: inserti32x4 inserti64x2
n i: reduce_add_epi32 reduce_min_epi32 reduce_max_epi32 cvtsi512_si32
N i: reduce_add_epi64 reduce_min_epi64 reduce_max_epi64
u i: reduce_min_epu32 reduce_max_epu32
a ii: cmpeq_epi64_mask cmpneq_epi64_mask cmplt_epi64_mask cmple_epi64_mask cmpgt_epi64_mask cmpge_epi64_mask
b ii: cmpeq_epi32_mask cmpneq_epi32_mask cmplt_epi32_mask cmple_epi32_mask cmpgt_epi32_mask cmpge_epi32_mask
b ii: cmpeq_epu32_mask cmpneq_epu32_mask cmplt_epu32_mask cmple_epu32_mask cmpgt_epu32_mask cmpge_epu32_mask
e ii: cmpeq_epi16_mask cmpneq_epi16_mask cmplt_epi16_mask cmple_epi16_mask cmpgt_epi16_mask cmpge_epi16_mask
e ii: cmpeq_epu16_mask cmpneq_epu16_mask cmplt_epu16_mask cmple_epu16_mask cmpgt_epu16_mask cmpge_epu16_mask
g ii: cmpeq_epi8_mask cmpneq_epi8_mask cmplt_epi8_mask cmple_epi8_mask cmpgt_epi8_mask cmpge_epi8_mask
g ii: cmpeq_epu8_mask cmpneq_epu8_mask cmplt_epu8_mask cmple_epu8_mask cmpgt_epu8_mask cmpge_epu8_mask
a iin: cmp_epi64_mask cmp_epu64_mask
b iin: cmp_epi32_mask cmp_epu32_mask
e iin: cmp_epi16_mask cmp_epu16_mask
g iin: cmp_epi8_mask cmp_epu8_mask
a ii: test_epi64_mask testn_epi64_mask
b ii: test_epi32_mask testn_epi32_mask
e ii: test_epi16_mask testn_epi16_mask
g ii: test_epi8_mask testn_epi8_mask
g i: movepi8_mask
e i: movepi16_mask
b i: movepi32_mask
a i: movepi64_mask
i g: movm_epi8
i e: movm_epi16
i b: movm_epi32
i a: movm_epi64
i gii: mask_blend_epi8
i eii: mask_blend_epi16
i bii: mask_blend_epi32
i aii: mask_blend_epi64
f bff: mask_blend_ps
d add: mask_blend_pd
b ffn: cmp_ps_mask
a ddn: cmp_pd_mask
f ff: add_ps sub_ps mul_ps div_ps min_ps max_ps unpacklo_ps unpackhi_ps and_ps or_ps xor_ps andnot_ps
f f: sqrt_ps
f fff: fmadd_ps fmsub_ps fnmadd_ps fnmsub_ps
f ffn: shuffle_ps
f fn: permute_ps
f s: set1_ps
f v: setzero_ps
f P: loadu_ps load_ps
v pf: storeu_ps store_ps
d dd: add_pd sub_pd mul_pd div_pd min_pd max_pd unpacklo_pd unpackhi_pd and_pd or_pd xor_pd andnot_pd
d d: sqrt_pd
d ddd: fmadd_pd fmsub_pd fnmadd_pd fnmsub_pd
d t: set1_pd
d v: setzero_pd
d P: loadu_pd load_pd
v pd: storeu_pd store_pd
f i: cvtepi32_ps castsi512_ps
i f: cvtps_epi32 cvttps_epi32 castps_si512
d i: castsi512_pd
i d: castpd_si512
d f: castps_pd
f d: castpd_ps
d R: cvtps_pd
d Q: cvtepi32_pd
R d: cvtpd_ps
Q d: cvttpd_epi32 cvtpd_epi32
R fn: extractf32x8_ps
S dn: extractf64x4_pd
y fn: extractf32x4_ps
f fRn: insertf32x8
d dSn: insertf64x4
R f: castps512_ps256
f R: castps256_ps512
S d: castpd512_pd256
d S: castpd256_pd512
y f: castps512_ps128
s f: cvtss_f32
"""
MASKED = """
add_epi8 add_epi16 add_epi32 add_epi64 sub_epi8 sub_epi16 sub_epi32 sub_epi64
adds_epi16 adds_epu8 adds_epu16 subs_epi16 subs_epu8 subs_epu16 mullo_epi16 mullo_epi32 avg_epu8 avg_epu16
min_epi8 min_epi16 min_epi32 min_epu8 min_epu16 max_epi8 max_epi16 max_epi32 max_epu8 max_epu16
abs_epi8 abs_epi16 abs_epi32 and_epi32 and_epi64 or_epi32 or_epi64 xor_epi32 xor_epi64
set1_epi8 set1_epi16 set1_epi32 set1_epi64 mov_epi8 mov_epi16 mov_epi32 mov_epi64 mov_ps mov_pd
add_ps sub_ps mul_ps div_ps min_ps max_ps add_pd sub_pd mul_pd div_pd min_pd max_pd
slli_epi32 slli_epi64 srli_epi32 srli_epi64 srai_epi32 sllv_epi32 srlv_epi32
"""
"""Those that have forms with a mask: `mask_add_epi8`, which keeps lanes of the first operand, and `maskz_add_epi8`."""

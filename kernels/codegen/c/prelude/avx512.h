// AVX-512 (F, DQ, BW, VL).
#include <immintrin.h>
#define F5(x) ((__m512)(x))
#define D5(x) ((__m512d)(x))
#define I5(x) ((__m512i)(x))
// a*b+c, a*b-c and c-a*b, rounded once. Macros, because to inline them would take a compiler as long as all the rest.
#define v_fma_f(a, b, c) ((vf)_mm512_fmadd_ps(F5(a), F5(b), F5(c)))
#define v_fms_f(a, b, c) ((vf)_mm512_fmsub_ps(F5(a), F5(b), F5(c)))
#define v_fnma_f(a, b, c) ((vf)_mm512_fnmadd_ps(F5(a), F5(b), F5(c)))
#define v_fma_d(a, b, c) ((vd)_mm512_fmadd_pd(D5(a), D5(b), D5(c)))
#define v_fms_d(a, b, c) ((vd)_mm512_fmsub_pd(D5(a), D5(b), D5(c)))
#define v_fnma_d(a, b, c) ((vd)_mm512_fnmadd_pd(D5(a), D5(b), D5(c)))
FN vf v_sqrt_f(vf x) { return (vf)_mm512_sqrt_ps(F5(x)); }
FN vd v_sqrt_d(vd x) { return (vd)_mm512_sqrt_pd(D5(x)); }
#define ROUND(op, mode) \
  FN vf v_##op##_f(vf x) { return (vf)_mm512_roundscale_ps(F5(x), mode); } \
  FN vd v_##op##_d(vd x) { return (vd)_mm512_roundscale_pd(D5(x), mode); }
ROUND(rint, 8) ROUND(floor, 9) ROUND(ceil, 10) ROUND(trunc, 11)
FN vf v_frac_f(vf x) { return (vf)_mm512_reduce_ps(F5(x), 8); }
FN vd v_frac_d(vd x) { return (vd)_mm512_reduce_pd(D5(x), 8); }
// v_whole is the whole part of a product that is less than 2^24: digits that are cut off change none of it.
FN vi v_whole_f(vf a, vf b) { return (vi)_mm512_cvttps_epi32(_mm512_mul_round_ps(F5(a), F5(b), 11)); }
FN vf v_max_f(vf a, vf b) { return (vf)_mm512_max_ps(F5(a), F5(b)); }
FN vf v_min_f(vf a, vf b) { return (vf)_mm512_min_ps(F5(a), F5(b)); }
FN vd v_max_d(vd a, vd b) { return (vd)_mm512_max_pd(D5(a), D5(b)); }
FN vd v_min_d(vd a, vd b) { return (vd)_mm512_min_pd(D5(a), D5(b)); }
FN vi v_max_i(vi a, vi b) { return (vi)_mm512_max_epi32(I5(a), I5(b)); }
FN vi v_min_i(vi a, vi b) { return (vi)_mm512_min_epi32(I5(a), I5(b)); }
FN vl v_max_l(vl a, vl b) { return (vl)_mm512_max_epi64(I5(a), I5(b)); }
FN vl v_min_l(vl a, vl b) { return (vl)_mm512_min_epi64(I5(a), I5(b)); }
FN vf sel_f(vi m, vf a, vf b) { return (vf)((m & (vi)a) | (~m & (vi)b)); }
FN vd sel_d(vl m, vd a, vd b) { return (vd)((m & (vl)a) | (~m & (vl)b)); }
FN vi sel_i(vi m, vi a, vi b) { return (m & a) | (~m & b); }
FN vl sel_l(vl m, vl a, vl b) { return (m & a) | (~m & b); }
FN int v_any(vi m) { return _mm512_test_epi32_mask(I5(m), I5(m)) != 0; }
FN int v_all(vi m) { return _mm512_test_epi32_mask(I5(m), I5(m)) == 0xffff; }
// Gathers read lane by lane: the instruction for it takes longer on AMD's processors, and on Intel's where it is mitigated, but a third on
// others of Intel's: FAST_GATHER.
// In one statement a compiler spends a quarter of the time on it.
FN __m128 four_f(const float *p, const int *i) {
  __m128 x;
  __asm__("vmovss %1, %0\n\tvinsertps $0x10, %2, %0, %0\n\tvinsertps $0x20, %3, %0, %0\n\tvinsertps $0x30, %4, %0, %0"
          : "=&v"(x) : "m"(p[i[0]]), "m"(p[i[1]]), "m"(p[i[2]]), "m"(p[i[3]]));
  return x;
}
FN __m256 eight_f(const float *p, const int *i) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(four_f(p, i)), four_f(p, i + 4), 1);
}
FN __m128d two_d(const double *p, const int *i) {
  __m128d x;
  __asm__("vmovsd %1, %0\n\tvmovhpd %2, %0, %0" : "=&v"(x) : "m"(p[i[0]]), "m"(p[i[1]]));
  return x;
}
FN __m256d four_d(const double *p, const int *i) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(two_d(p, i)), two_d(p, i + 2), 1);
}
#ifdef FAST_GATHER
FN vf v_gather_f(const float *p, const int *i) { return (vf)_mm512_i32gather_ps(_mm512_loadu_si512(i), p, 4); }
FN vd v_gather_d0(const double *p, const int *i) { return (vd)_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)i), p, 8); }
#else
FN vf v_gather_f(const float *p, const int *i) {
  return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(eight_f(p, i)), eight_f(p, i + 8), 1);
}
FN vd v_gather_d0(const double *p, const int *i) {
  return (vd)_mm512_insertf64x4(_mm512_castpd256_pd512(four_d(p, i)), four_d(p, i + 4), 1);
}
#endif
// Elements side by side: a row of them for each lane, four lanes apart in a register, and then transposed in place.
// (Halves are joined last: what goes into a whole register takes two operations of some processors.)
FN __m256 halves4(const float *p, int i, int j) { return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + i)), _mm_loadu_ps(p + j), 1); }
FN __m512 rows4(const float *p, const int *i) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(halves4(p, i[0], i[4])), halves4(p, i[8], i[12]), 1);
}
FN void v_gather4_f(const float *p, const int *i, vf *a, vf *b, vf *c, vf *d) {
  __m512 q = rows4(p, i), r = rows4(p, i + 1), s = rows4(p, i + 2), t = rows4(p, i + 3);
  __m512d ql = (__m512d)_mm512_unpacklo_ps(q, r), qh = (__m512d)_mm512_unpackhi_ps(q, r);
  __m512d sl = (__m512d)_mm512_unpacklo_ps(s, t), sh = (__m512d)_mm512_unpackhi_ps(s, t);
  *a = (vf)_mm512_unpacklo_pd(ql, sl), *b = (vf)_mm512_unpackhi_pd(ql, sl);
  *c = (vf)_mm512_unpacklo_pd(qh, sh), *d = (vf)_mm512_unpackhi_pd(qh, sh);
}
// The way back: a row of elements from each lane.
FN void put4(float *p, const int *i, __m512d y) { __m512 x = (__m512)y; _mm_storeu_ps(p + i[0], _mm512_extractf32x4_ps(x, 0)); _mm_storeu_ps(p + i[4], _mm512_extractf32x4_ps(x, 1)); _mm_storeu_ps(p + i[8], _mm512_extractf32x4_ps(x, 2)); _mm_storeu_ps(p + i[12], _mm512_extractf32x4_ps(x, 3)); }
FN void v_scatter4_f(float *p, const int *i, vf a, vf b, vf c, vf d) {
  __m512d ql = (__m512d)_mm512_unpacklo_ps(F5(a), F5(b)), qh = (__m512d)_mm512_unpackhi_ps(F5(a), F5(b));
  __m512d sl = (__m512d)_mm512_unpacklo_ps(F5(c), F5(d)), sh = (__m512d)_mm512_unpackhi_ps(F5(c), F5(d));
  put4(p, i, _mm512_unpacklo_pd(ql, sl)), put4(p, i + 1, _mm512_unpackhi_pd(ql, sl));
  put4(p, i + 2, _mm512_unpacklo_pd(qh, sh)), put4(p, i + 3, _mm512_unpackhi_pd(qh, sh));
}
FN __m128 pairs(const float *p, int i, int j) {
  return _mm_loadh_pi((__m128)_mm_load_sd((const double *)(p + i)), (const __m64 *)(p + j));
}
FN __m256 halves2(const float *p, const int *i) { return _mm256_insertf128_ps(_mm256_castps128_ps256(pairs(p, i[0], i[1])), pairs(p, i[4], i[5]), 1); }
FN __m512 rows2(const float *p, const int *i) { return _mm512_insertf32x8(_mm512_castps256_ps512(halves2(p, i)), halves2(p, i + 8), 1); }
FN void v_gather2_f(const float *p, const int *i, vf *a, vf *b) {
  __m512 q = rows2(p, i), r = rows2(p, i + 2);
  *a = (vf)_mm512_shuffle_ps(q, r, 0x88), *b = (vf)_mm512_shuffle_ps(q, r, 0xdd);
}
// pick is lane i of a; pick2 of a followed by b.
FN vf pick_f(vf a, vi i) { return (vf)_mm512_permutexvar_ps(I5(i), F5(a)); }
FN vf pick2_f(vf a, vf b, vi i) { return (vf)_mm512_permutex2var_ps(F5(a), I5(i), F5(b)); }
// zip interleaves two vectors, of which the lower or the higher half is given.
FN vf zip_low_f(vf a, vf b) { return pick2_f(a, b, (vi){0,16,1,17,2,18,3,19,4,20,5,21,6,22,7,23}); }
FN vf zip_high_f(vf a, vf b) { return pick2_f(a, b, (vi){8,24,9,25,10,26,11,27,12,28,13,29,14,30,15,31}); }
FN vd zip_low_d(vd a, vd b) { return (vd)_mm512_permutex2var_pd(D5(a), I5(((vl){0,8,1,9,2,10,3,11})), D5(b)); }
FN vd zip_high_d(vd a, vd b) { return (vd)_mm512_permutex2var_pd(D5(a), I5(((vl){4,12,5,13,6,14,7,15})), D5(b)); }
FN vf reverse_f(vf a) { return pick_f(a, (vi){15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0}); }
FN vd reverse_d(vd a) { return (vd)_mm512_permutexvar_pd(I5(((vl){7,6,5,4,3,2,1,0})), D5(a)); }
FN vd cvt_fd0(vf x) { return (vd)_mm512_cvtps_pd((__m256)lo_f(x)); }
FN vd cvt_fd1(vf x) { return (vd)_mm512_cvtps_pd((__m256)hi_f(x)); }
FN vd cvt_id0(vi x) { return (vd)_mm512_cvtepi32_pd((__m256i)lo_i(x)); }
FN vd cvt_id1(vi x) { return (vd)_mm512_cvtepi32_pd((__m256i)hi_i(x)); }
// Halves of integers, and of what were doubles, are joined and parted in registers: by way of memory, a whole that is read waits for the stores
// of both halves. (Floats are not parted so: gcc 12 then keeps accumulators in memory that are widened behind a loop.)
FN vf cvt_df(vd a, vd b) { return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(D5(a))), _mm512_cvtpd_ps(D5(b)), 1); }
FN vi join_i(__m256i a, __m256i b) { return (vi)_mm512_inserti32x8(_mm512_castsi256_si512(a), b, 1); }
FN vi cvt_di(vd a, vd b) { return join_i(_mm512_cvttpd_epi32(D5(a)), _mm512_cvttpd_epi32(D5(b))); }
FN vi cvt_li(vl a, vl b) { return join_i(_mm512_cvtepi64_epi32(I5(a)), _mm512_cvtepi64_epi32(I5(b))); }
FN vl cvt_il0(vi x) { return (vl)_mm512_cvtepi32_epi64(_mm512_castsi512_si256(I5(x))); }
FN vl cvt_il1(vi x) { return (vl)_mm512_cvtepi32_epi64(_mm512_extracti32x8_epi32(I5(x), 1)); }
FN vf load_f16(const unsigned short *p) { return (vf)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
FN void store_f16(unsigned short *p, vf x) { _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(F5(x), 0)); }
FN vi v_opaque_i(vi x) { __asm__("" : "+v"(x)); return x; }
FN vl v_opaque_l(vl x) { __asm__("" : "+v"(x)); return x; }

// AVX2 with FMA and F16C (x86-64-v3).
#include <immintrin.h>
#define F8(x) ((__m256)(x))
#define D4(x) ((__m256d)(x))
#define I8(x) ((__m256i)(x))
// a*b+c, a*b-c and c-a*b, rounded once.
#define v_fma_f(a, b, c) ((vf)_mm256_fmadd_ps(F8(a), F8(b), F8(c)))
#define v_fms_f(a, b, c) ((vf)_mm256_fmsub_ps(F8(a), F8(b), F8(c)))
#define v_fnma_f(a, b, c) ((vf)_mm256_fnmadd_ps(F8(a), F8(b), F8(c)))
#define v_fma_d(a, b, c) ((vd)_mm256_fmadd_pd(D4(a), D4(b), D4(c)))
#define v_fms_d(a, b, c) ((vd)_mm256_fmsub_pd(D4(a), D4(b), D4(c)))
#define v_fnma_d(a, b, c) ((vd)_mm256_fnmadd_pd(D4(a), D4(b), D4(c)))
FN vf v_sqrt_f(vf x) { return (vf)_mm256_sqrt_ps(F8(x)); }
FN vd v_sqrt_d(vd x) { return (vd)_mm256_sqrt_pd(D4(x)); }
#define ROUND(op, mode) \
  FN vf v_##op##_f(vf x) { return (vf)_mm256_round_ps(F8(x), mode); } \
  FN vd v_##op##_d(vd x) { return (vd)_mm256_round_pd(D4(x), mode); }
ROUND(rint, 8) ROUND(floor, 9) ROUND(ceil, 10) ROUND(trunc, 11)
FN vf v_frac_f(vf x) { return x - v_rint_f(x); }
FN vd v_frac_d(vd x) { return x - v_rint_d(x); }
// v_whole is the whole part of a product that is less than 2^24: what was rounded away from zero is taken back.
FN vi v_whole_f(vf a, vf b) {
  vf p = a * b, e = v_fms_f(a, b, p);
  return (vi)_mm256_cvttps_epi32(F8((vi)p + ((vf)((vi)e ^ ((vi)p & (int)0x80000000)) < 0)));
}
FN vf v_max_f(vf a, vf b) { return (vf)_mm256_max_ps(F8(a), F8(b)); }
FN vf v_min_f(vf a, vf b) { return (vf)_mm256_min_ps(F8(a), F8(b)); }
FN vd v_max_d(vd a, vd b) { return (vd)_mm256_max_pd(D4(a), D4(b)); }
FN vd v_min_d(vd a, vd b) { return (vd)_mm256_min_pd(D4(a), D4(b)); }
FN vi v_max_i(vi a, vi b) { return (vi)_mm256_max_epi32(I8(a), I8(b)); }
FN vi v_min_i(vi a, vi b) { return (vi)_mm256_min_epi32(I8(a), I8(b)); }
FN vf sel_f(vi m, vf a, vf b) { return (vf)_mm256_blendv_ps(F8(b), F8(a), F8(m)); }
FN vd sel_d(vl m, vd a, vd b) { return (vd)_mm256_blendv_pd(D4(b), D4(a), D4(m)); }
FN vi sel_i(vi m, vi a, vi b) { return (vi)_mm256_blendv_epi8(I8(b), I8(a), I8(m)); }
FN vl sel_l(vl m, vl a, vl b) { return (vl)_mm256_blendv_epi8(I8(b), I8(a), I8(m)); }
FN vl v_max_l(vl a, vl b) { return sel_l(a > b, a, b); }
FN vl v_min_l(vl a, vl b) { return sel_l(a < b, a, b); }
FN int v_any(vi m) { return _mm256_movemask_ps(F8(m)) != 0; }
FN int v_all(vi m) { return _mm256_movemask_ps(F8(m)) == 0xff; }
// Gathers read lane by lane: the instruction for it takes longer on AMD's processors, and on Intel's where it is mitigated.
// In one statement a compiler spends a quarter of the time on it.
FN __m128 four_f(const float *p, const int *i) {
  __m128 x;
  __asm__("vmovss %1, %0\n\tvinsertps $0x10, %2, %0, %0\n\tvinsertps $0x20, %3, %0, %0\n\tvinsertps $0x30, %4, %0, %0"
          : "=&x"(x) : "m"(p[i[0]]), "m"(p[i[1]]), "m"(p[i[2]]), "m"(p[i[3]]));
  return x;
}
FN __m128d two_d(const double *p, const int *i) {
  __m128d x;
  __asm__("vmovsd %1, %0\n\tvmovhpd %2, %0, %0" : "=&x"(x) : "m"(p[i[0]]), "m"(p[i[1]]));
  return x;
}
#ifdef FAST_GATHER
FN vf v_gather_f(const float *p, const int *i) { return (vf)_mm256_i32gather_ps(p, _mm256_loadu_si256((const __m256i *)i), 4); }
FN vd v_gather_d0(const double *p, const int *i) { return (vd)_mm256_i32gather_pd(p, _mm_loadu_si128((const __m128i *)i), 8); }
#else
FN vf v_gather_f(const float *p, const int *i) {
  return (vf)_mm256_insertf128_ps(_mm256_castps128_ps256(four_f(p, i)), four_f(p, i + 4), 1);
}
FN vd v_gather_d0(const double *p, const int *i) {
  return (vd)_mm256_insertf128_pd(_mm256_castpd128_pd256(two_d(p, i)), two_d(p, i + 2), 1);
}
#endif
// Elements side by side: a row of them for each lane, four lanes apart in a register, and then transposed in place.
FN __m256 rows4(const float *p, const int *i) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + i[0])), _mm_loadu_ps(p + i[4]), 1);
}
FN void v_gather4_f(const float *p, const int *i, vf *a, vf *b, vf *c, vf *d) {
  __m256 q = rows4(p, i), r = rows4(p, i + 1), s = rows4(p, i + 2), t = rows4(p, i + 3);
  __m256d ql = (__m256d)_mm256_unpacklo_ps(q, r), qh = (__m256d)_mm256_unpackhi_ps(q, r);
  __m256d sl = (__m256d)_mm256_unpacklo_ps(s, t), sh = (__m256d)_mm256_unpackhi_ps(s, t);
  *a = (vf)_mm256_unpacklo_pd(ql, sl), *b = (vf)_mm256_unpackhi_pd(ql, sl);
  *c = (vf)_mm256_unpacklo_pd(qh, sh), *d = (vf)_mm256_unpackhi_pd(qh, sh);
}
// The way back: a row of elements from each lane.
FN void put4(float *p, const int *i, __m256d y) { __m256 x = (__m256)y; _mm_storeu_ps(p + i[0], _mm256_extractf128_ps(x, 0)); _mm_storeu_ps(p + i[4], _mm256_extractf128_ps(x, 1)); }
FN void v_scatter4_f(float *p, const int *i, vf a, vf b, vf c, vf d) {
  __m256d ql = (__m256d)_mm256_unpacklo_ps(F8(a), F8(b)), qh = (__m256d)_mm256_unpackhi_ps(F8(a), F8(b));
  __m256d sl = (__m256d)_mm256_unpacklo_ps(F8(c), F8(d)), sh = (__m256d)_mm256_unpackhi_ps(F8(c), F8(d));
  put4(p, i, _mm256_unpacklo_pd(ql, sl)), put4(p, i + 1, _mm256_unpackhi_pd(ql, sl));
  put4(p, i + 2, _mm256_unpacklo_pd(qh, sh)), put4(p, i + 3, _mm256_unpackhi_pd(qh, sh));
}
FN __m128 pairs(const float *p, int i, int j) {
  return _mm_loadh_pi((__m128)_mm_load_sd((const double *)(p + i)), (const __m64 *)(p + j));
}
FN __m256 rows2(const float *p, const int *i) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(pairs(p, i[0], i[1])), pairs(p, i[4], i[5]), 1);
}
FN void v_gather2_f(const float *p, const int *i, vf *a, vf *b) {
  __m256 q = rows2(p, i), r = rows2(p, i + 2);
  *a = (vf)_mm256_shuffle_ps(q, r, 0x88), *b = (vf)_mm256_shuffle_ps(q, r, 0xdd);
}
// pick is lane i of a; pick2 of a followed by b.
FN vf pick_f(vf a, vi i) { return (vf)_mm256_permutevar8x32_ps(F8(a), I8(i)); }
FN vf pick2_f(vf a, vf b, vi i) { return (vf)_mm256_blendv_ps(F8(pick_f(a, i)), F8(pick_f(b, i)), F8(i << 28)); }
// zip interleaves two vectors, of which the lower or the higher half is given.
FN vf reverse_f(vf a) { return pick_f(a, (vi){7,6,5,4,3,2,1,0}); }
FN vd reverse_d(vd a) { return (vd)_mm256_permute4x64_pd((__m256d)a, 0x1b); }
FN vf zip_low_f(vf a, vf b) { return (vf)_mm256_permute2f128_ps(_mm256_unpacklo_ps(F8(a), F8(b)), _mm256_unpackhi_ps(F8(a), F8(b)), 0x20); }
FN vf zip_high_f(vf a, vf b) { return (vf)_mm256_permute2f128_ps(_mm256_unpacklo_ps(F8(a), F8(b)), _mm256_unpackhi_ps(F8(a), F8(b)), 0x31); }
FN vd zip_low_d(vd a, vd b) { return (vd)_mm256_permute2f128_pd(_mm256_unpacklo_pd(D4(a), D4(b)), _mm256_unpackhi_pd(D4(a), D4(b)), 0x20); }
FN vd zip_high_d(vd a, vd b) { return (vd)_mm256_permute2f128_pd(_mm256_unpacklo_pd(D4(a), D4(b)), _mm256_unpackhi_pd(D4(a), D4(b)), 0x31); }
FN vd cvt_fd0(vf x) { return (vd)_mm256_cvtps_pd((__m128)lo_f(x)); }
FN vd cvt_fd1(vf x) { return (vd)_mm256_cvtps_pd((__m128)hi_f(x)); }
FN vf cvt_df(vd a, vd b) { return cat_f((hf)_mm256_cvtpd_ps(D4(a)), (hf)_mm256_cvtpd_ps(D4(b))); }
FN vd cvt_id0(vi x) { return (vd)_mm256_cvtepi32_pd((__m128i)lo_i(x)); }
FN vd cvt_id1(vi x) { return (vd)_mm256_cvtepi32_pd((__m128i)hi_i(x)); }
FN vi cvt_di(vd a, vd b) { return cat_i((hi)_mm256_cvttpd_epi32(D4(a)), (hi)_mm256_cvttpd_epi32(D4(b))); }
FN vl cvt_il0(vi x) { return (vl)_mm256_cvtepi32_epi64((__m128i)lo_i(x)); }
FN vl cvt_il1(vi x) { return (vl)_mm256_cvtepi32_epi64((__m128i)hi_i(x)); }
FN vi cvt_li(vl a, vl b) { return cat_i(__builtin_convertvector(a, hi), __builtin_convertvector(b, hi)); }
FN vf load_f16(const unsigned short *p) { return (vf)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
FN void store_f16(unsigned short *p, vf x) { _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(F8(x), 0)); }
FN vi v_opaque_i(vi x) { __asm__("" : "+x"(x)); return x; }
FN vl v_opaque_l(vl x) { __asm__("" : "+x"(x)); return x; }

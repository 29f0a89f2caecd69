// Storage types: bf16 and f16 as bits, integers narrower than a register lane. load_X reads W contiguous elements.
FN float s_bf16(unsigned short x) { return s_bits_if((int)((unsigned)x << 16)); }
FN unsigned short s_to_bf16(float x) {
  unsigned b = (unsigned)s_bits_fi(x);
  return x != x ? (unsigned short)(b >> 16 | 64) : (unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
FN float s_f16(unsigned short x) {
  unsigned e = x >> 10 & 31, m = x & 1023, s = (unsigned)(x & 0x8000) << 16;
  if (e == 31) return s_bits_if((int)(s | 0x7f800000u | m << 13 | (m ? 0x400000u : 0)));
  if (e == 0) return s_bits_if((int)(s | (unsigned)s_bits_fi((float)m * 5.9604644775390625e-8f)));
  return s_bits_if((int)(s | (e + 112) << 23 | m << 13));
}
FN unsigned short s_to_f16(float x) {
  unsigned b = (unsigned)s_bits_fi(x), s = b >> 16 & 0x8000, a = b & 0x7fffffff;
  if (a > 0x7f800000u) return (unsigned short)(s | 0x7e00 | (a >> 13 & 0x3ff));
  if (a >= 0x477ff000u) return (unsigned short)(s | 0x7c00);
  if (a < 0x38800000u) return (unsigned short)(s | ((unsigned)s_bits_fi(s_bits_if((int)a) + 0.5f) - 0x3f000000u));
  return (unsigned short)(s | ((a - 0x38000000u + 0xfff + (a >> 13 & 1)) >> 13));
}
FN vf load_f32(const float *p) { return *(const vf_u *)p; }
FN vi load_i32(const int *p) { return *(const vi_u *)p; }
#if VB == 64 // compilers take bytes to 32 bits, and back, lane by lane
FN vi load_i8(const signed char *p) { return (vi)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)); }
FN vi load_u8(const unsigned char *p) { return (vi)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)); }
#elif defined(__AVX2__)
FN vi load_i8(const signed char *p) { return (vi)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)); }
FN vi load_u8(const unsigned char *p) { return (vi)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p)); }
#else
FN vi load_i8(const signed char *p) { return __builtin_convertvector(*(const qsb_u *)p, vi); }
FN vi load_u8(const unsigned char *p) { return __builtin_convertvector(*(const qub_u *)p, vi); }
#endif
FN vi load_i16(const short *p) { return __builtin_convertvector(*(const hss_u *)p, vi); }
FN vi load_u16(const unsigned short *p) { return __builtin_convertvector(*(const hus_u *)p, vi); }
FN vi load_bool(const unsigned char *p) { return load_u8(p) != 0; }
FN vf load_bf16(const unsigned short *p) { return (vf)(load_u16(p) << 16); }
FN vd load_f64_0(const double *p) { return *(const vd_u *)p; }
FN vd load_f64_1(const double *p) { return *(const vd_u *)(p + W / 2); }
FN vl load_i64_0(const long long *p) { return *(const vl_u *)p; }
FN vl load_i64_1(const long long *p) { return *(const vl_u *)(p + W / 2); }
FN vl load_u32_0(const unsigned *p) { return __builtin_convertvector(*(const hu_u *)p, vl); }
FN vl load_u32_1(const unsigned *p) { return __builtin_convertvector(*(const hu_u *)(p + W / 2), vl); }

// mask_load_X reads the lanes of m and touches no others, which are 0 or anything.
#if VB == 64
FN vf mask_load_f32(const float *p, vi m) { return (vf)_mm512_maskz_loadu_ps(_mm512_movepi32_mask(I5(m)), p); }
FN vi mask_load_i32(const int *p, vi m) { return (vi)_mm512_maskz_loadu_epi32(_mm512_movepi32_mask(I5(m)), p); }
FN vd mask_load_f64_0(const double *p, vl m) { return (vd)_mm512_maskz_loadu_pd(_mm512_movepi64_mask(I5(m)), p); }
FN vl mask_load_i64_0(const long long *p, vl m) { return (vl)_mm512_maskz_loadu_epi64(_mm512_movepi64_mask(I5(m)), p); }
#elif defined __AVX2__ && defined F8
FN vf mask_load_f32(const float *p, vi m) { return (vf)_mm256_maskload_ps(p, I8(m)); }
FN vi mask_load_i32(const int *p, vi m) { return (vi)_mm256_maskload_epi32(p, I8(m)); }
FN vd mask_load_f64_0(const double *p, vl m) { return (vd)_mm256_maskload_pd(p, I8(m)); }
FN vl mask_load_i64_0(const long long *p, vl m) { return (vl)_mm256_maskload_epi64(p, I8(m)); }
#else
FN vf mask_load_f32(const float *p, vi m) { EACH(vf, m[l] ? p[l] : 0); }
FN vi mask_load_i32(const int *p, vi m) { EACH(vi, m[l] ? p[l] : 0); }
FN vd mask_load_f64_0(const double *p, vl m) { EACH(vd, m[l] ? p[l] : 0); }
FN vl mask_load_i64_0(const long long *p, vl m) { EACH(vl, m[l] ? p[l] : 0); }
#endif
FN vd mask_load_f64_1(const double *p, vl m) { return mask_load_f64_0(p + W / 2, m); }
FN vl mask_load_i64_1(const long long *p, vl m) { return mask_load_i64_0(p + W / 2, m); }

// FENCE keeps loads behind it from being made before it.
#define FENCE() __asm__ volatile("" ::: "memory")

// gather_X reads the elements p[i[l]]. HIDE keeps indices in memory, from where lanes are read one by one with least work.
#define HIDE(i) __asm__("" : "+m"(i))
#define GATHER(name, V, T, E) FN V gather_##name(const T *p, const int *i) { EACH(V, E); }
GATHER(i8, vi, signed char, p[i[l]]) GATHER(u8, vi, unsigned char, p[i[l]])
GATHER(i16, vi, short, p[i[l]]) GATHER(u16, vi, unsigned short, p[i[l]])
GATHER(bool, vi, unsigned char, -(p[i[l]] != 0))
GATHER(u32_0, vl, unsigned, p[i[l]]) GATHER(u32_1, vl, unsigned, p[i[l + W / 2]])
FN vf gather_bf16(const unsigned short *p, const int *i) { return (vf)(gather_u16(p, i) << 16); }
FN vf gather_f16(const unsigned short *p, const int *i) { unsigned short t[W]; for (int l = 0; l < W; l++) t[l] = p[i[l]]; return load_f16(t); }
FN vf gather_f32(const float *p, const int *i) { return v_gather_f(p, i); }
FN void gather2_f32(const float *p, const int *i, vf *a, vf *b) { v_gather2_f(p, i, a, b); }
FN void gather4_f32(const float *p, const int *i, vf *a, vf *b, vf *c, vf *d) { v_gather4_f(p, i, a, b, c, d); }
FN void scatter4_f32(float *p, const int *i, vf a, vf b, vf c, vf d) { v_scatter4_f(p, i, a, b, c, d); }
FN vi gather_i32(const int *p, const int *i) { return (vi)v_gather_f((const float *)p, i); }
FN vd gather_f64_0(const double *p, const int *i) { return v_gather_d0(p, i); }
FN vd gather_f64_1(const double *p, const int *i) { return v_gather_d0(p, i + W / 2); }
FN vl gather_i64_0(const long long *p, const int *i) { return (vl)v_gather_d0((const double *)p, i); }
FN vl gather_i64_1(const long long *p, const int *i) { return (vl)v_gather_d0((const double *)p, i + W / 2); }

FN unsigned long long two_i(const int *p) { unsigned long long x; __builtin_memcpy(&x, p, 8); return x; } // one in each half
FN vi reverse_i(vi a) { return (vi)reverse_f((vf)a); }
FN vl reverse_l(vl a) { return (vl)reverse_d((vd)a); }
FN vi zip_low_i(vi a, vi b) { return (vi)zip_low_f((vf)a, (vf)b); }
FN vi zip_high_i(vi a, vi b) { return (vi)zip_high_f((vf)a, (vf)b); }

// v_win16_X and v_win32_X read elements p[i] of 16 or 32 neighbours.
FN vi pick_i(vi a, vi i) { return (vi)pick_f((vf)a, i); }
FN vi pick2_i(vi a, vi b, vi i) { return (vi)pick2_f((vf)a, (vf)b, i); }
#if VB == 64
#define WINDOW(name, t, T) \
  FN v##t v_win16_##name(const T *p, vi i) { return pick_##t(load_##name(p), i); } \
  FN v##t v_win32_##name(const T *p, vi i) { return pick2_##t(load_##name(p), load_##name(p + 16), i); }
#else
#define WINDOW(name, t, T) \
  FN v##t v_win16_##name(const T *p, vi i) { return pick2_##t(load_##name(p), load_##name(p + 8), i); } \
  FN v##t v_win32_##name(const T *p, vi i) { return sel_##t(-((i >> 4) & 1), v_win16_##name(p + 16, i), v_win16_##name(p, i)); }
#endif
#if VB == 64 // a permutation of halves puts each where its lane wants it
FN vf v_win32_bf16(const unsigned short *p, vi i) { return (vf)_mm512_maskz_permutexvar_epi16(0xaaaaaaaa, I5(i << 16), _mm512_loadu_si512(p)); }
FN vf v_win16_bf16(const unsigned short *p, vi i) { return v_win32_bf16(p, i & 15); }
FN vi v_win32_u16(const unsigned short *p, vi i) { return (vi)_mm512_maskz_permutexvar_epi16(0x55555555, I5(i), _mm512_loadu_si512(p)); }
FN vi v_win16_u16(const unsigned short *p, vi i) { return v_win32_u16(p, i & 15); }
#else
WINDOW(bf16, f, unsigned short) WINDOW(u16, i, unsigned short)
#endif
WINDOW(f32, f, float) WINDOW(f16, f, unsigned short) WINDOW(i32, i, int)
WINDOW(i16, i, short) WINDOW(i8, i, signed char) WINDOW(u8, i, unsigned char)

// s_load_X and s_store_X convert one element; s_more_X adds to one.
#define SCALAR(name, T, C, LD, ST) \
  FN C s_load_##name(const T *p) { T x = *p; return LD; } \
  FN void s_store_##name(T *p, C x) { *p = ST; } \
  FN void s_more_##name(T *p, C y) { const C x = s_load_##name(p) + y; *p = ST; }
SCALAR(bool, unsigned char, int, x != 0, x != 0)
SCALAR(i8, signed char, int, x, (signed char)x) SCALAR(u8, unsigned char, int, x, (unsigned char)x)
SCALAR(i16, short, int, x, (short)x) SCALAR(u16, unsigned short, int, x, (unsigned short)x)
SCALAR(i32, int, int, x, x) SCALAR(u32, unsigned, long long, x, (unsigned)x) SCALAR(i64, long long, long long, x, x)
SCALAR(f16, unsigned short, float, s_f16(x), s_to_f16(x)) SCALAR(bf16, unsigned short, float, s_bf16(x), s_to_bf16(x))
SCALAR(f32, float, float, x, x) SCALAR(f64, double, double, x, x)

// store_X writes W contiguous elements.
FN void store_f32(float *p, vf x) { *(vf_u *)p = x; }
FN void store_i32(int *p, vi x) { *(vi_u *)p = x; }
#if VB == 64
FN void store_u8(unsigned char *p, vi x) { _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)x)); }
#else
FN void store_u8(unsigned char *p, vi x) { *(qub_u *)p = __builtin_convertvector(__builtin_convertvector(x, hus), qub); }
#endif
FN void store_i8(signed char *p, vi x) { store_u8((unsigned char *)p, x); }
FN void store_i16(short *p, vi x) { *(hss_u *)p = __builtin_convertvector(x, hss); }
FN void store_u16(unsigned short *p, vi x) { *(hus_u *)p = __builtin_convertvector(x, hus); }
FN void store_bool(unsigned char *p, vi x) { store_u8(p, x & 1); }
FN void store_bf16(unsigned short *p, vf x) {
  vi b = (vi)x, r = (vi)((vu)(b + 0x7fff + ((b >> 16) & 1)) >> 16), q = (vi)((vu)b >> 16) | 64;
  store_u16(p, sel_i(x == x, r, q));
}
FN void store_f64(double *p, vd a, vd b) { *(vd_u *)p = a; *(vd_u *)(p + W / 2) = b; }
// past_X is store_X past the caches where the address allows, and past_end what has to come before others read.
#if VB == 64
#define PAST(p, x) ((size_t)(p) % VB ? (void)(*(vf_u *)(p) = (x)) : _mm512_stream_ps((float *)(p), F5(x)))
#elif defined __AVX2__ && defined F8
#define PAST(p, x) ((size_t)(p) % VB ? (void)(*(vf_u *)(p) = (x)) : _mm256_stream_ps((float *)(p), F8(x)))
#else
#define PAST(p, x) (void)(*(vf_u *)(p) = (x))
#endif
FN void past_f32(float *p, vf x) { PAST(p, x); }
FN void past_f64(double *p, vd a, vd b) { PAST(p, (vf)a); PAST(p + W / 2, (vf)b); }
FN void past_end(void) { __sync_synchronize(); }
FN void store_i64(long long *p, vl a, vl b) { *(vl_u *)p = a; *(vl_u *)(p + W / 2) = b; }
FN void store_u32(unsigned *p, vl a, vl b) { *(vi_u *)p = cvt_li(a, b); }

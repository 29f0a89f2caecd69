/* Elementary functions of vectors, in plain GNU C vector arithmetic.

   The including prelude defines vf and vi (f32, i32), vd and vl (f64, i64), all four of one size in bytes, and includes
   immintrin.h on AVX2 and up. v_NAME_f takes vf, v_NAME_d vd; s_NAME_f and s_NAME_d are the same code on one lane. A lane's
   result depends on that lane alone. What is rounded once is written so (v_fma, v_fms and v_fnma, which on
   machines without the instruction round twice): compilers contract nothing. Products that must be exact have short factors.

   Forms with a further word in their names (near, small, normal) are for operands within the bounds of ir's table of operations, which
   they do not test.

   Errors are at most 2 ulp, measured by kernels/native/math_test.go, subnormals included. Coefficients: kernels/native/minimax.
   Methods are the usual ones: Cody and Waite's reduction, then a polynomial; log(1+f) = f - f^2/2 + s(f^2/2 + R(s^2)) with
   s = f/(2+f) in double precision. Arguments of sin, cos and tan beyond 10^6, and tan, atan2 and pow in double precision,
   go to the C library lane by lane. */

#ifndef FN
#define FN static inline __attribute__((always_inline))
#endif
/* What takes long to compile and to run is a function of its own, where it may stand many times in a kernel: those of double vectors, and single elements.
   Declared inline, what a kernel does not call is left out without optimisation, too. */
#define FAR static inline __attribute__((noinline, unused))
#define M_COLD static inline __attribute__((noinline, cold, unused))
#define M_INF __builtin_inff()
#define M_SIGN ((int)0x80000000)
#define M_SIGN64 ((long long)0x8000000000000000)

float sinf(float), cosf(float), tanf(float);
double sin(double), cos(double), tan(double), atan2(double, double), pow(double, double);

typedef float m_half __attribute__((vector_size(sizeof(vf) / 2)));
typedef unsigned long long m_vul __attribute__((vector_size(sizeof(vl))));

#define m_f(c) ((vf){} + (c))
#define m_d(c) ((vd){} + (c))
FN vf m_pick(vi m, vf a, vf b) { return (vf)((m & (vi)a) | (~m & (vi)b)); }
FN vd m_pickd(vl m, vd a, vd b) { return (vd)((m & (vl)a) | (~m & (vl)b)); }
FN vf m_abs(vf x) { return (vf)((vi)x & 0x7fffffff); }
FN vd m_absd(vd x) { return (vd)((vl)x & 0x7fffffffffffffffLL); }

#if defined(__AVX512DQ__)
FN int m_any(vi m) { return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0; }
FN vd m_lo(vf x) { return (vd)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x)); }
FN vd m_hi(vf x) { return (vd)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1)); }
FN vf m_join(vd lo, vd hi) {
    __m256 l = _mm512_cvtpd_ps((__m512d)lo), h = _mm512_cvtpd_ps((__m512d)hi);
    return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(l), h, 1);
}
#elif defined(__AVX2__)
FN int m_any(vi m) { return _mm256_movemask_ps((__m256)m) != 0; }
FN vd m_lo(vf x) { return (vd)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x)); }
FN vd m_hi(vf x) { return (vd)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1)); }
FN vf m_join(vd lo, vd hi) {
    __m128 l = _mm256_cvtpd_ps((__m256d)lo), h = _mm256_cvtpd_ps((__m256d)hi);
    return (vf)_mm256_insertf128_ps(_mm256_castps128_ps256(l), h, 1);
}
#else
FN int m_any(vi m) {
    int r = 0;
    for (unsigned l = 0; l < sizeof m / sizeof m[0]; l++) r |= m[l];
    return r;
}
FN vd m_part(vf x, int k) {
    m_half h;
    __builtin_memcpy(&h, (char *)&x + k * sizeof h, sizeof h);
    return __builtin_convertvector(h, vd);
}
FN vd m_lo(vf x) { return m_part(x, 0); }
FN vd m_hi(vf x) { return m_part(x, 1); }
FN vf m_join(vd lo, vd hi) {
    m_half h[2] = {__builtin_convertvector(lo, m_half), __builtin_convertvector(hi, m_half)};
    vf r;
    __builtin_memcpy(&r, h, sizeof r);
    return r;
}
#endif

/* Applies a function of vd to both halves of f32 arguments. */
#define M_WIDE1(F, x) m_join(F(m_lo(x)), F(m_hi(x)))
#define M_WIDE2(F, x, y) m_join(F(m_lo(x), m_lo(y)), F(m_hi(x), m_hi(y)))
/* p z^n + ... + c, by Horner's rule. */
#define M_POLY1(t, z, p, c) v_fma_##t(p, z, m_##t(c))
#define M_POLY2(t, z, p, c, ...) M_POLY1(t, z, M_POLY1(t, z, p, c), __VA_ARGS__)
#define M_POLY3(t, z, p, c, ...) M_POLY2(t, z, M_POLY1(t, z, p, c), __VA_ARGS__)
#define M_POLY4(t, z, p, c, ...) M_POLY3(t, z, M_POLY1(t, z, p, c), __VA_ARGS__)
#define M_POLY5(t, z, p, c, ...) M_POLY4(t, z, M_POLY1(t, z, p, c), __VA_ARGS__)
#define M_POLY6(t, z, p, c, ...) M_POLY5(t, z, M_POLY1(t, z, p, c), __VA_ARGS__)
#define M_POLY7(t, z, p, c, ...) M_POLY6(t, z, M_POLY1(t, z, p, c), __VA_ARGS__)
/* The C library's value in the lanes of m. */
#define M_SLOW1(N, T, M, F) \
    M_COLD T N(T x, T r, M m) { for (unsigned l = 0; l < sizeof m / sizeof m[0]; l++) if (m[l]) r[l] = F(x[l]); return r; }

/* ---- f32: exp, log, log10 ---- */

FN vf m_pow2(vi n) { return (vf)((n + 127) << 23); }

/* x = n log(2) + r; exp(r). */
FN vf m_exp(vf x, vi *n) {
    vf t = v_fma_f(x, m_f(1.44269504f), m_f(0x1.8p23f)); /* the nearest integer, also in t's low bits */
    vf k = t - 0x1.8p23f;
    *n = (vi)t - 0x4b400000;
    vf r = v_fnma_f(k, m_f(0x1.7f7d1cp-20f), v_fnma_f(k, m_f(0x1.62e4p-1f), x));
    vf q = M_POLY3(f, r, m_f(0.0013926198f), 0.00836319011f, 0.0416665561f, 0.166665763f);
    return v_fma_f(v_fma_f(q, r, m_f(0.5f)), r * r, r) + 1.0f;
}

FN vf v_exp_f(vf x) {
    vf c = m_pick(x > 89.0f, m_f(89), x); /* NaN stays */
    vi n;
    vf e = m_exp(m_pick(c < -104.0f, m_f(-104), c), &n);
    vi h = n >> 1; /* in two steps, so that the result may be subnormal or infinite */
    return e * m_pow2(h) * m_pow2(n - h);
}

FN vf v_exp_normal_f(vf x) {
    vi n;
    vf e = m_exp(x, &n);
    return e * m_pow2(n);
}

/* x = 2^e (1 + f) with 1+f in [sqrt(1/2), sqrt(2)); w = f^3 P(f) = log(1+f) - f + f^2/2. */
FN void m_logsplit(vf x, vi tiny, vf *e, vf *f, vf *w) {
    vi b = (vi)m_pick(tiny, x * 0x1p23f, x) - 0x3f3504f3;
    *e = __builtin_convertvector((b >> 23) - (tiny & 23), vf);
    vf r = (vf)((b & 0x7fffff) + 0x3f3504f3) - 1.0f, z = r * r;
    vf p = M_POLY3(f, r, m_f(0.0697161183f), -0.114797339f, 0.116854198f, -0.124256872f);
    p = M_POLY4(f, r, p, 0.142490581f, -0.166678026f, 0.200007156f, -0.24999997f);
    *f = r;
    *w = v_fma_f(p, r, m_f(0.333333313f)) * (z * r);
}

/* A logarithm's values where x is not positive and finite. */
FN vf m_logedge(vf x, vf r) {
    r = m_pick(x < M_INF, r, x);
    r = m_pick(x == 0.0f, m_f(-M_INF), r);
    return m_pick(x < 0.0f, m_f(__builtin_nanf("")), r);
}

FN vf m_log(vf x, vi tiny) {
    vf e, f, w;
    m_logsplit(x, tiny, &e, &f, &w);
    return v_fma_f(e, m_f(0x1.62e4p-1f), f + v_fma_f(e, m_f(0x1.7f7d1cp-20f), v_fnma_f(m_f(0.5f), f * f, w)));
}

FN vf v_log_f(vf x) { return m_logedge(x, m_log(x, x < 0x1p-126f)); }
FN vf v_log_normal_f(vf x) { return m_log(x, (vi){}) + (x - x); /* NaN stays */ }

FN vf m_log10(vf x, vi tiny) {
    vf e, f, w;
    m_logsplit(x, tiny, &e, &f, &w);
    vf s = 0.5f * (f * f);
    vf h = (vf)((vi)(f - s) & ~0xfff), l = ((f - h) - s) + w; /* h + l = log(1+f), h short */
    vf a = e * 0x1.344p-2f, b = h * 0x1.bccp-2f, c = a + b;   /* e log10(2), h log10(e), leading parts: exact */
    vf t = v_fma_f(l, m_f(0x1.bccp-2f), v_fma_f(h + l, m_f(-0x1.09d5b2p-15f), e * 0x1.3509f8p-18f));
    return c + (((a - c) + b) + t); /* |a| > |b| unless e = 0, then a - c + b = 0 */
}

FN vf v_log10_f(vf x) { return m_logedge(x, m_log10(x, x < 0x1p-126f)); }
FN vf v_log10_normal_f(vf x) { return m_log10(x, (vi){}) + (x - x); }

/* ---- f32: sin, cos, tan ---- */

#define M_TRIG_LIMIT 1e6f

/* x - k pi/2 with k = rint(x 2/pi), which is put in *q. */
FN vd m_quarter(vd x, vd *q) {
    vd k = v_fma_d(x, m_d(0x1.45f306dc9c883p-1), m_d(0x1.8p52)) - 0x1.8p52;
    *q = k;
    return v_fnma_d(k, m_d(0x1.0b4611a626331p-34), v_fnma_d(k, m_d(0x1.921fb544p+0), x));
}

FN vf m_reduce(vf x, vi *quadrant) {
    vd kl, kh, lo = m_quarter(m_lo(x), &kl), hi = m_quarter(m_hi(x), &kh);
    *quadrant = (vi)(m_join(kl, kh) + 0x1.8p23f);
    return m_join(lo, hi);
}

/* sin and cos of |r| up to pi/4, z = r^2. */
FN vf m_sin0(vf r, vf z) { return v_fma_f(M_POLY2(f, z, m_f(-0.000195878267f), 0.00833274797f, -0.166666642f), z * r, r); }
FN vf m_cos0(vf z) { return v_fma_f(M_POLY2(f, z, m_f(2.45478786e-05f), -0.00138883025f, 0.0416666642f), z * z, v_fnma_f(m_f(0.5f), z, m_f(1.0f))); }

/* sin of r + q pi/2. */
FN vf m_sinq(vf r, vi q) {
    vf z = r * r, s = m_sin0(r, z), c = m_cos0(z);
    vi odd = -(q & 1);
    return (vf)((vi)m_pick(odd, c, s) ^ ((q << 30) & M_SIGN));
}

/* cos of r + q pi/2: what sin needs of r and q besides, it shares. */
FN vf m_cosq(vf r, vi q) {
    vf z = r * r, s = m_sin0(r, z), c = m_cos0(z);
    vi odd = -(q & 1);
    return (vf)((vi)m_pick(odd, s, c) ^ (((q + 1) << 30) & M_SIGN));
}

/* m_reduce for |x| up to 6400, in float32: k has 12 bits, and so have the parts of pi/2, hence products are exact. */
FN vf m_reduce_near(vf x, vi *quadrant) {
    vf t = v_fma_f(x, m_f(0x1.45f306p-1f), m_f(0x1.8p23f)), k = t - 0x1.8p23f;
    *quadrant = (vi)t;
    vf a = v_fnma_f(k, m_f(0x1.fb4p-12f), v_fnma_f(k, m_f(0x1.92p+0f), x)), r = v_fnma_f(k, m_f(0x1.444p-24f), a);
    return r + v_fnma_f(k, m_f(0x1.68c234p-39f), v_fnma_f(k, m_f(0x1.444p-24f), a - r)); /* rounded once, unless it is small */
}

FN vf v_sin_near_f(vf x) {
    vi q;
    vf r = m_reduce_near(x, &q);
    return m_pick(x == 0.0f, x, m_sinq(r, q));
}

FN vf v_cos_near_f(vf x) {
    vi q;
    vf r = m_reduce_near(x, &q);
    return m_cosq(r, q);
}

/* sin and cos of x c pi/2, for products up to 4096: what they are beyond whole quarter turns is rounded once. */
FN vf m_turns(vf x, vf c, vi *quadrant) {
    vf t = v_fma_f(x, c, m_f(0x1.8p23f)), k = t - 0x1.8p23f;
    *quadrant = (vi)t;
    return v_fms_f(x, c, k) * 0x1.921fb6p+0f;
}

FN vf v_sin_turns_f(vf x, vf c) {
    vi q;
    vf r = m_turns(x, c, &q);
    return m_sinq(r, q);
}

FN vf v_cos_turns_f(vf x, vf c) {
    vi q;
    vf r = m_turns(x, c, &q);
    return m_cosq(r, q);
}

/* sin and cos of x c pi for products up to 2048, within 2.2e-7: without whole half turns they differ by a sign from those of the rest, and no lane
   needs both. Relative to themselves they are rougher at the zeros of cos than by quarter turns, as is any rounded product from a turn on. */
FN vf m_half_turns(vf x, vf c, vi *sign) {
    vf t = v_fma_f(x, c, m_f(0x1.8p23f)), k = t - 0x1.8p23f;
    *sign = (vi)t << 31;
    return v_fms_f(x, c, k);
}

FN vf v_sin_half_turns_f(vf x, vf c) {
    vi sign;
    vf r = m_half_turns(x, c, &sign), z = r * r;
    vf s = M_POLY4(f, z, m_f(0.0772199500f), -0.598045111f, 2.55003142f, -5.16770697f, 3.14159265f) * r;
    return (vf)((vi)s ^ sign);
}

FN vf v_cos_half_turns_f(vf x, vf c) {
    vi sign;
    vf r = m_half_turns(x, c, &sign), z = r * r;
    vf s = M_POLY4(f, z, m_f(0.220080003f), -1.33209431f, 4.05845022f, -4.93479538f, 1.0f);
    return (vf)((vi)s ^ sign);
}

FN vf v_sin_small_f(vf x) {
    vf z = x * x;
    return x * M_POLY3(f, z, m_f(-0.000195878267f), 0.00833274797f, -0.166666642f, 1.0f); /* a zero keeps its sign */
}

FN vf v_cos_small_f(vf x) { return m_cos0(x * x); }

/* sin and cos of x c, for products that small and a constant c, within 9e-8: beside products as rounded as that, a power more would be in vain. */
FN vf v_sin_part_f(vf x, vf c) {
    vf z = x * x, k = c * c, a = c * k;
    return x * v_fma_f(v_fma_f(v_fma_f(-0.000195878267f * (a * k * k), z, 0.00833274797f * (a * k)), z, -0.166666642f * a), z, c);
}

FN vf v_cos_part_f(vf x, vf c) {
    vf z = x * x, k = c * c;
    return v_fma_f(v_fma_f(v_fma_f(-0.00135976309f * (k * k * k), z, 0.0416562781f * (k * k)), z, -0.499998957f * k), z, m_f(1.0f));
}

FN vi m_far(vf x) { vf a = m_abs(x); return (a > M_TRIG_LIMIT) & (a < M_INF); }

M_SLOW1(m_slow_sinf, vf, vi, sinf)
M_SLOW1(m_slow_cosf, vf, vi, cosf)
M_SLOW1(m_slow_tanf, vf, vi, tanf)

FN vf v_sin_f(vf x) {
    vi q, far = m_far(x);
    vf r = m_reduce(x, &q);
    r = m_sinq(r, q);
    r = m_pick(x == 0.0f, x, r); /* -0 */
    return __builtin_expect(m_any(far), 0) ? m_slow_sinf(x, r, far) : r;
}

FN vf v_cos_f(vf x) {
    vi q, far = m_far(x);
    vf r = m_reduce(x, &q);
    r = m_cosq(r, q);
    return __builtin_expect(m_any(far), 0) ? m_slow_cosf(x, r, far) : r;
}

FN vd m_tan(vd x) {
    vd k, r = m_quarter(x, &k), z = r * r;
    vd s = v_fma_d(M_POLY3(d, z, m_d(2.7249847946069239e-06), -0.00019840086134863201, 0.0083333318735984412, -0.16666666663852431), z * r, r);
    vd c = v_fma_d(M_POLY3(d, z, m_d(-2.7300894222097942e-07), 2.4800599875957372e-05, -0.001388888767108894, 0.04166666666431882), z * z, v_fnma_d(m_d(0.5), z, m_d(1.0)));
    vl odd = -((vl)(k + 0x1.8p52) & 1);
    vd n = m_pickd(odd, -c, s), d = m_pickd(odd, s, c);
    return m_pickd(x == 0.0, x, n / d);
}

FN vf v_tan_f(vf x) {
    vi far = m_far(x);
    vf r = M_WIDE1(m_tan, x);
    return __builtin_expect(m_any(far), 0) ? m_slow_tanf(x, r, far) : r;
}

/* ---- f32: atan2, pow ---- */

FN vd m_atan2(vd y, vd x) {
    vd ax = m_absd(x), ay = m_absd(y);
    vl steep = ay > ax;
    vd n = m_pickd(steep, ax, ay), d = m_pickd(steep, ay, ax);
    vd q = m_pickd(n == d, m_pickd(d == 0.0, m_d(0), m_d(1)), n / d); /* 0/0 and inf/inf */
    vd z = q * q, w = z * z;
    /* even and odd powers apart: two short chains instead of a long one */
    vd a = M_POLY5(d, w, m_d(-0.0042216579909296467), -0.029913111945516956, -0.062463151941283164, -0.090735531189764088, -0.14285624891483525, -0.33333333326944142);
    vd b = M_POLY5(d, w, m_d(0.00059304375563652798), 0.014072923344697237, 0.047294798621813336, 0.075866528336466704, 0.11109392308322223, 0.19999998154086215);
    vd t = v_fma_d(v_fma_d(b, z, a), z * q, q);
    t = m_pickd(steep, 0x1.921fb54442d18p+0 - t, t);
    t = m_pickd((vl)x < 0, 0x1.921fb54442d18p+1 - t, t);
    return (vd)((vl)t | ((vl)y & M_SIGN64));
}

FN vf v_atan2_f(vf y, vf x) { return M_WIDE2(m_atan2, y, x); }

/* The integer part of the exponent and the rest, for positive normal x: x = 2^e m with m in [sqrt(1/2), sqrt(2)). */
FN vd m_exponent(vd x, vd *m) {
    vl b = (vl)x - 0x3fe6a09e667f3bcdLL;
    m_vul e = (m_vul)(b + 0x3ff0000000000000LL) >> 52; /* biased by 1023, hence not negative */
    *m = (vd)((b & 0xfffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
    return (vd)(e | 0x4330000000000000ULL) - (0x1p52 + 1023);
}

/* |x|^y of values that come from f32, for x neither 0 nor infinite nor NaN: 2^(y log2 |x|), both with errors below 1e-10. */
FN vd m_pow(vd x, vd y) {
    vd ax = m_absd(x), m, e = m_exponent(ax, &m);
    vd s = (m - 1.0) / (m + 1.0), z = s * s;
    vd g = M_POLY6(d, z, m_d(0.24296332611259117), 0.26144042332141254, 0.32061650335968256, 0.41219840046505485, 0.5770780172560378, 0.96179669392431311, 2.8853900817779272);
    vd l = v_fma_d(g, s, e);
    l = m_pickd(ax < M_INF, l, ax); /* infinity and NaN */
    l = m_pickd(ax == 0.0, m_d(-M_INF), l);
    vd p = y * l;
    p = m_pickd(p > 1000.0, m_d(1000), p);
    p = m_pickd(p < -1000.0, m_d(-1000), p);
    vd t = p + 0x1.8p52, r = p - (t - 0x1.8p52);
    vd v = M_POLY7(d, r, m_d(1.5303700711365693e-05), 0.00015469729214118296, 0.0013333478473685416, 0.009618025613318034, 0.055504109063258665, 0.24022651213498092, 0.69314718055683244, 0.99999999995956179);
    v *= (vd)(((vl)t + 1023) << 52);
    vd ay = m_absd(y), half = 0.5 * ay;
    vl big = ay >= 0x1p24; /* an even integer, as are all f32 from there */
    vl whole = (((ay + 0x1.8p52) - 0x1.8p52) == ay) | big, even = (((half + 0x1.8p52) - 0x1.8p52) == half) | big;
    vl flip = (vl)x & whole & ~even & M_SIGN64;
    v = (vd)((vl)v ^ flip);
    v = m_pickd((x < 0.0) & (ax < M_INF) & ~whole, m_d(__builtin_nan("")), v);
    return m_pickd((y == 0.0) | (x == 1.0) | ((ax == 1.0) & (ay == M_INF)), m_d(1), v);
}

FN vf v_pow_f(vf x, vf y) { return M_WIDE2(m_pow, x, y); }

/* ---- f32: tanh, erf ---- */

/* The sign of x on a magnitude. */
FN vf m_signed(vf a, vf x) { return (vf)((vi)a | ((vi)x & M_SIGN)); }

FN vf v_tanh_f(vf x) {
    vf a = m_abs(x), z = x * x, c = m_pick(a > 10.0f, m_f(10), a); /* NaN stays */
    vi n;
    vf e = m_exp(c + c, &n) * m_pow2(n);
    vf p = M_POLY4(f, z, m_f(-0.00604516501f), 0.0209613293f, -0.0538432635f, 0.133327186f, -0.333333284f);
    return m_signed(m_pick(a < 0.63f, v_fma_f(p, z * a, a), 1.0f - 2.0f / (e + 1.0f)), x);
}

/* Near 0 by a series, beyond by what is missing to 1: exp of a polynomial. */
FN vf v_erf_f(vf x) {
    vf a = m_abs(x), z = x * x, t = m_pick(a > 4.0f, m_f(4), a) - 0.92f;
    vf p = M_POLY5(f, z, m_f(8.35189712e-05f), -0.000813879247f, 0.00520072971f, -0.0268592965f, 0.112836942f, -0.376126349f);
    p = v_fma_f(p, z, m_f(0.128379166f));
    vf q = M_POLY5(f, t, m_f(5.49885115e-08f), -2.37537301e-06f, 3.81031168e-05f, -0.00035108134f, 0.00223286822f, -0.0109502804f);
    q = M_POLY4(f, t, q, 0.0449449942f, 0.832727075f, 2.5048902f, 1.64386225f);
    vi n;
    vf e = m_exp(-q, &n);
    return m_signed(m_pick(a < 0.92f, v_fma_f(p, a, a), v_fnma_f(e, m_pow2(n), m_f(1.0f))), x);
}

/* ---- f64 ---- */

/* x = n log(2) + r; exp(r). */
FN vd m_expd(vd x, vl *n) {
    vd t = v_fma_d(x, m_d(0x1.71547652b82fep+0), m_d(0x1.8p52)), k = t - 0x1.8p52;
    *n = (vl)t - 0x4338000000000000LL;
    vd h = v_fnma_d(k, m_d(0x1.62e42ffp-1), x), r = v_fnma_d(k, m_d(-0x1.718432a1b0e26p-35), h), z = r * r;
    vd a = M_POLY4(d, z, m_d(2.7620112139572367e-07), 2.4801521246131495e-05, 0.0013888888917245787, 0.041666666666624066, 0.50000000000000011);
    vd b = M_POLY4(d, z, m_d(2.5100403716576691e-08), 2.7557268421682613e-06, 0.00019841269863078281, 0.0083333333333300563, 0.16666666666666669);
    return v_fma_d(v_fma_d(b, r, a), z, r) + 1.0;
}

FAR vd v_exp_d(vd x) {
    vd c = m_pickd(x > 710.0, m_d(710), x);
    vl n;
    vd e = m_expd(m_pickd(c < -746.0, m_d(-746), c), &n);
    m_vul u = (m_vul)(n + 2048), s = u >> 1; /* in two steps, as in v_exp_f */
    return e * (vd)((s - 1) << 52) * (vd)((u - s - 1) << 52);
}

FAR vd v_exp_normal_d(vd x) {
    vl n;
    vd e = m_expd(x, &n);
    return e * (vd)((n + 1023) << 52);
}

/* x = 2^e (1 + f); w = s (f^2/2 + R), so that log(1+f) = f - f^2/2 + w. */
FN void m_logsplitd(vd x, vl tiny, vd *e, vd *f, vd *w) {
    vd m, k = m_exponent(m_pickd(tiny, x * 0x1p52, x), &m);
    *e = k - (vd)(tiny & (vl)m_d(52));
    vd r = m - 1.0, s = r / (2.0 + r), z = s * s;
    vd p = M_POLY6(d, z, m_d(0.14619343453512615), 0.15331487235865734, 0.18182896183483085, 0.22222211037816589, 0.28571428626570206, 0.39999999999898189, 0.66666666666666696);
    *f = r;
    *w = s * v_fma_d(p, z, 0.5 * r * r);
}

FN vd m_logedged(vd x, vd r) {
    r = m_pickd(x < (double)M_INF, r, x);
    r = m_pickd(x == 0.0, m_d(-M_INF), r);
    return m_pickd(x < 0.0, m_d(__builtin_nan("")), r);
}

FN vd m_logd(vd x, vl tiny) {
    vd e, f, w;
    m_logsplitd(x, tiny, &e, &f, &w);
    return v_fma_d(e, m_d(0x1.62e42ffp-1), f - v_fms_d(0.5 * f, f, v_fma_d(e, m_d(-0x1.718432a1b0e26p-35), w)));
}

FN vd v_log_d(vd x) { return m_logedged(x, m_logd(x, x < 0x1p-1022)); }
FN vd v_log_normal_d(vd x) { return m_logd(x, (vl){}) + (x - x); }

FN vd m_log10d(vd x, vl tiny) {
    vd e, f, w;
    m_logsplitd(x, tiny, &e, &f, &w);
    vd s = 0.5 * f * f;
    vd h = (vd)((vl)(f - s) & ~0xffffffLL), l = ((f - h) - s) + w;
    vd a = e * 0x1.3441350ap-2, b = h * 0x1.bcb7b2p-2, c = a + b;
    vd t = v_fma_d(l, m_d(0x1.bcb7b2p-2), v_fma_d(h + l, m_d(-0x1.5b235e39ab2a9p-27), e * -0x1.0c0219dc1da99p-39));
    return c + (((a - c) + b) + t);
}

FN vd v_log10_d(vd x) { return m_logedged(x, m_log10d(x, x < 0x1p-1022)); }
FN vd v_log10_normal_d(vd x) { return m_log10d(x, (vl){}) + (x - x); }

/* x - k pi/2 as h + *l, from 152 bits of pi/2: exact enough for every double below M_TRIG_LIMIT. */
FN vd m_quarterd(vd x, vl *quadrant, vd *l) {
    vd t = v_fma_d(x, m_d(0x1.45f306dc9c883p-1), m_d(0x1.8p52)), k = t - 0x1.8p52;
    *quadrant = (vl)t;
    vd a = v_fnma_d(k, m_d(0x1.921fb544p+0), x);
    vd b = k * 0x1.0b4611a6p-34, c = a - b, ce = (a - (c + (a - c))) + ((a - c) - b);
    vd d = k * 0x1.3198a2ep-69, h = c - d, he = (c - (h + (c - h))) + ((c - h) - d);
    vd tail = v_fnma_d(k, m_d(0x1.b839a252049c1p-104), ce + he);
    vd r = h + tail;
    *l = (h - r) + tail;
    return r;
}

/* sin and cos of r + l, |r| up to pi/4. */
FN vd m_sin0d(vd r, vd l) {
    vd z = r * r;
    vd p = M_POLY5(d, z, m_d(1.5918093561437795e-10), -2.5051131348960252e-08, 2.7557316100172069e-06, -0.00019841269836753985, 0.0083333333333309462, -0.16666666666666666);
    return r + v_fma_d(p, z * r, v_fnma_d(0.5 * z, l, l));
}

FN vd m_cos0d(vd r, vd l) {
    vd z = r * r;
    vd g = M_POLY5(d, z, m_d(-1.1382610070998325e-11), 2.0876145958084941e-09, -2.7557317270240677e-07, 2.4801587298762816e-05, -0.0013888888888887395, 0.041666666666666664);
    vd u = v_fnma_d(m_d(0.5), z, m_d(1.0));
    return u + (v_fnma_d(m_d(0.5), z, 1.0 - u) + v_fnma_d(r, l, g * (z * z)));
}

FN vd m_sinqd(vd r, vd l, vl q) {
    return (vd)((vl)m_pickd(-(q & 1), m_cos0d(r, l), m_sin0d(r, l)) ^ ((q & 2) << 62));
}

FN vl m_fard(vd x) { vd a = m_absd(x); return (a > (double)M_TRIG_LIMIT) & (a < (double)M_INF); }

M_SLOW1(m_slow_sin, vd, vl, sin)
M_SLOW1(m_slow_cos, vd, vl, cos)

FN vd v_sin_d(vd x) {
    vl q, far = m_fard(x);
    vd l, r = m_quarterd(x, &q, &l);
    r = m_pickd(x == 0.0, x, m_sinqd(r, l, q));
    return __builtin_expect(m_any((vi)far), 0) ? m_slow_sin(x, r, far) : r;
}

FN vd v_cos_d(vd x) {
    vl q, far = m_fard(x);
    vd l, r = m_quarterd(x, &q, &l);
    r = m_sinqd(r, l, q + 1);
    return __builtin_expect(m_any((vi)far), 0) ? m_slow_cos(x, r, far) : r;
}

/* m_quarterd for |x| up to 10^6, as m_reduce_near. */
FN vd m_reduce_neard(vd x, vl *quadrant, vd *l) {
    vd t = v_fma_d(x, m_d(0x1.45f306dc9c883p-1), m_d(0x1.8p52)), k = t - 0x1.8p52;
    *quadrant = (vl)t;
    vd a = v_fnma_d(k, m_d(0x1.0b4611a6p-34), v_fnma_d(k, m_d(0x1.921fb544p+0), x)), c = v_fnma_d(k, m_d(0x1.3198a2ep-69), a);
    vd rest = v_fnma_d(k, m_d(0x1.b839a252049c1p-104), v_fnma_d(k, m_d(0x1.3198a2ep-69), a - c)), r = c + rest;
    *l = (c - r) + rest;
    return r;
}

FN vd v_sin_near_d(vd x) {
    vl q;
    vd l, r = m_reduce_neard(x, &q, &l);
    return m_pickd(x == 0.0, x, m_sinqd(r, l, q));
}

FN vd v_cos_near_d(vd x) {
    vl q;
    vd l, r = m_reduce_neard(x, &q, &l);
    return m_sinqd(r, l, q + 1);
}

FN vd v_sin_small_d(vd x) { return m_pickd(x == 0.0, x, m_sin0d(x, (vd){})); }
FN vd v_cos_small_d(vd x) { return m_cos0d(x, (vd){}); }

FN vd m_signedd(vd a, vd x) { return (vd)((vl)a | ((vl)x & M_SIGN64)); }

FN vd v_tanh_d(vd x) {
    vd a = m_absd(x), z = x * x, c = m_pickd(a > 20.0, m_d(20), a);
    vd e = v_exp_normal_d(c + c);
    vd p = M_POLY4(d, z, m_d(6.3543408148597184e-06), -3.0929125473864671e-05, 9.2327497080853704e-05, -0.00023746756598223251, 0.00058962214868720603);
    p = M_POLY4(d, z, p, -0.0014557676940659455, 0.003592120760870841, -0.0088632350243061063, 0.021869488515352347);
    p = M_POLY3(d, z, p, -0.053968253967810541, 0.13333333333332961, -0.33333333333333331);
    return m_signedd(m_pickd(a < 0.63, v_fma_d(p, z * a, a), 1.0 - 2.0 / (e + 1.0)), x);
}

FN vd v_erf_d(vd x) {
    vd a = m_absd(x), z = x * x, t = m_pickd(a > 6.0, m_d(6), a) - 1.0;
    vd p = M_POLY4(d, z, m_d(-4.2116459732799509e-12), 8.6969148695091615e-11, -1.2161193068258871e-09, 1.4791857980184993e-08, -1.6364585736775698e-07);
    p = M_POLY4(d, z, p, 1.6462041494400115e-06, -1.4925647378433174e-05, 0.00012055332896705783, -0.00085483270217997544);
    p = M_POLY4(d, z, p, 0.0052239776254214103, -0.026866170645129684, 0.11283791670955119, -0.37612638903183754);
    p = v_fma_d(p, z, m_d(0.12837916709551259));
    vd q = M_POLY4(d, t, m_d(-6.3255205887184911e-19), 4.3048401134980046e-17, -1.39208492321294e-15, 2.8478126848102162e-14, -4.1392677661442279e-13);
    q = M_POLY4(d, t, q, 4.5505332308534441e-12, -3.9309706854245209e-11, 2.7336407972856534e-10, -1.5518802262158816e-09);
    q = M_POLY4(d, t, q, 7.2172671740364377e-09, -2.7148106745723257e-08, 7.846484305037978e-08, -1.4152970860425964e-07);
    q = M_POLY4(d, t, q, -8.6464723543393276e-08, 2.0042076999507634e-06, -9.5671762493511818e-06, 2.7135509272994771e-05);
    q = M_POLY4(d, t, q, -2.6267990577569252e-05, -0.00023732547115646525, 0.0019779031986228326, -0.010033825462634972);
    q = M_POLY4(d, t, q, 0.041561098049380372, 0.84310725635832751, 2.6389675142347948, 1.8496055099332482);
    return m_signedd(m_pickd(a < 1.0, v_fma_d(p, a, a), 1.0 - v_exp_normal_d(-q)), x);
}

#define M_LIBRARY1(N, F) \
    M_COLD vd N(vd x) { for (unsigned l = 0; l < sizeof x / sizeof x[0]; l++) x[l] = F(x[l]); return x; }
#define M_LIBRARY2(N, F) \
    M_COLD vd N(vd x, vd y) { for (unsigned l = 0; l < sizeof x / sizeof x[0]; l++) x[l] = F(x[l], y[l]); return x; }
M_LIBRARY1(v_tan_d, tan)
M_LIBRARY2(v_atan2_d, atan2)
M_LIBRARY2(v_pow_d, pow)

/* ---- one lane ---- */

#define M_ONE1(N, T, V) FAR T s_##N(T x) { V a = {x}; return v_##N(a)[0]; }
#define M_ONE2(N, T, V) FAR T s_##N(T x, T y) { V a = {x}, b = {y}; return v_##N(a, b)[0]; }
M_ONE1(exp_f, float, vf)
M_ONE1(log_f, float, vf)
M_ONE1(log10_f, float, vf)
M_ONE1(sin_f, float, vf)
M_ONE1(cos_f, float, vf)
M_ONE1(tan_f, float, vf)
M_ONE2(atan2_f, float, vf)
M_ONE2(pow_f, float, vf)
M_ONE1(tanh_f, float, vf)
M_ONE1(erf_f, float, vf)
M_ONE1(exp_d, double, vd)
M_ONE1(log_d, double, vd)
M_ONE1(log10_d, double, vd)
M_ONE1(sin_d, double, vd)
M_ONE1(cos_d, double, vd)
M_ONE1(tanh_d, double, vd)
M_ONE1(erf_d, double, vd)
#define M_FORM(N) M_ONE1(N##_f, float, vf) M_ONE1(N##_d, double, vd)
M_FORM(sin_near) M_FORM(cos_near) M_FORM(sin_small) M_FORM(cos_small) M_FORM(exp_normal) M_FORM(log_normal) M_FORM(log10_normal)
M_ONE2(sin_turns_f, float, vf)
M_ONE2(cos_turns_f, float, vf)
M_ONE2(sin_half_turns_f, float, vf)
M_ONE2(cos_half_turns_f, float, vf)
M_ONE2(sin_part_f, float, vf)
M_ONE2(cos_part_f, float, vf)
FN double s_tan_d(double x) { return tan(x); }
FN double s_atan2_d(double y, double x) { return atan2(y, x); }
FN double s_pow_d(double x, double y) { return pow(x, y); }

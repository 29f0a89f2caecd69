// Over the lanes of a vector.
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define REDUCE4(name, t, T, V, H, OP) \
  FN T v_h##name##_##t(V x) { \
    H a = lo_##t(x), b = hi_##t(x); T r[W / 2]; \
    _Pragma("GCC unroll 16") for (int l = 0; l < W / 2; l++) r[l] = OP(a[l], b[l]); \
    _Pragma("GCC unroll 4") for (int n = W / 4; n; n /= 2) _Pragma("GCC unroll 16") for (int l = 0; l < n; l++) r[l] = OP(r[l], r[l + n]); \
    return r[0]; \
  }
#define REDUCE8(name, t, T, V, OP) \
  FN T v_h##name##_##t(V x, V y) { \
    T r[W / 2]; \
    _Pragma("GCC unroll 16") for (int l = 0; l < W / 2; l++) r[l] = OP(x[l], y[l]); \
    _Pragma("GCC unroll 4") for (int n = W / 4; n; n /= 2) _Pragma("GCC unroll 16") for (int l = 0; l < n; l++) r[l] = OP(r[l], r[l + n]); \
    return r[0]; \
  }
#define REDUCE(name, OP) \
  REDUCE4(name, f, float, vf, hf, OP) REDUCE4(name, i, int, vi, hi, OP) \
  REDUCE8(name, d, double, vd, OP) REDUCE8(name, l, long long, vl, OP)
REDUCE(sum, SUM) REDUCE(prod, PROD) REDUCE(min, LESS) REDUCE(max, MORE)

// The least and the largest lane, for bounds: NaN lanes do not count.
#if VB == 64
FN float v_low_f(vf x) { return _mm512_mask_reduce_min_ps(_mm512_cmp_ps_mask(F5(x), F5(x), _CMP_ORD_Q), F5(x)); }
FN float v_high_f(vf x) { return _mm512_mask_reduce_max_ps(_mm512_cmp_ps_mask(F5(x), F5(x), _CMP_ORD_Q), F5(x)); }
#else
FN float v_low_f(vf x) { return v_hmin_f(sel_f(x == x, x, splat_f(__builtin_inff()))); }
FN float v_high_f(vf x) { return v_hmax_f(sel_f(x == x, x, splat_f(-__builtin_inff()))); }
#endif
FN double v_low_d(vd x, vd y) { vd t = splat_d(__builtin_inf()); return v_hmin_d(sel_d(x == x, x, t), sel_d(y == y, y, t)); }
FN double v_high_d(vd x, vd y) { vd t = splat_d(-__builtin_inf()); return v_hmax_d(sel_d(x == x, x, t), sel_d(y == y, y, t)); }
FN int v_low_i(vi x) { return v_hmin_i(x); }
FN int v_high_i(vi x) { return v_hmax_i(x); }
FN long long v_low_l(vl x, vl y) { return v_hmin_l(x, y); }
FN long long v_high_l(vl x, vl y) { return v_hmax_l(x, y); }

// Over the lanes of a vector: of n lanes, l is joined with l + n/2, and so on. Halves are vectors: written out by lanes, the sums of a kernel with many of them
// took most of its time in the compiler.
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define PICK(m, a, b) ((__typeof__(a))(((__typeof__(m))(a) & (m)) | ((__typeof__(m))(b) & ~(m))))
#define VLESS(a, b) PICK((a) < (b), a, b)
#define VMORE(a, b) PICK((a) > (b), a, b)
#define LANES(t, T) VEC(t##16, T, 16); VEC(t##32, T, 32); VEC(t##64, T, 64);
LANES(f, float) LANES(i, int) LANES(d, double) LANES(l, long long)
#define FOUR(OP, x) OP(OP(x[0], x[2]), OP(x[1], x[3]))
#define TWO(OP, x) OP(x[0], x[1])
#define HALVE(name, t, T, VOP, from, to) \
  FN T h##name##_##t##from(t##from x) { union { t##from v; t##to h[2]; } u = {x}; return h##name##_##t##to(VOP(u.h[0], u.h[1])); }
#if VB == 64
#define HALVES(name, t, T, VOP) HALVE(name, t, T, VOP, 32, 16) HALVE(name, t, T, VOP, 64, 32)
#define ALL(name, t, x) h##name##_##t##64(x)
#elif VB == 32
#define HALVES(name, t, T, VOP) HALVE(name, t, T, VOP, 32, 16)
#define ALL(name, t, x) h##name##_##t##32(x)
#else
#define HALVES(name, t, T, VOP)
#define ALL(name, t, x) h##name##_##t##16(x)
#endif
#define REDUCE4(name, t, T, V, OP, VOP) \
  FN T h##name##_##t##16(t##16 x) { return FOUR(OP, x); } \
  HALVES(name, t, T, VOP) \
  FN T v_h##name##_##t(V x) { return ALL(name, t, x); }
#define REDUCE8(name, t, T, V, OP, VOP) \
  FN T h##name##_##t##16(t##16 x) { return TWO(OP, x); } \
  HALVES(name, t, T, VOP) \
  FN T v_h##name##_##t(V x, V y) { return ALL(name, t, VOP(x, y)); }
#define REDUCE(name, OP, VOP) \
  REDUCE4(name, f, float, vf, OP, VOP) REDUCE4(name, i, int, vi, OP, VOP) \
  REDUCE8(name, d, double, vd, OP, VOP) REDUCE8(name, l, long long, vl, OP, VOP)
REDUCE(sum, SUM, SUM) REDUCE(prod, PROD, PROD) REDUCE(min, LESS, VLESS) REDUCE(max, MORE, VMORE)

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

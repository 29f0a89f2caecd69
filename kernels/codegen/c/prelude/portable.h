// Any machine with GNU vectors: lane loops.
// a*b+c, a*b-c and c-a*b: rounded once where the machine does that.
#ifdef __FP_FAST_FMAF
#define FUSED(t, F) \
  FN v##t v_fma_##t(v##t a, v##t b, v##t c) { EACH(v##t, F(a[l], b[l], c[l])); } \
  FN v##t v_fms_##t(v##t a, v##t b, v##t c) { EACH(v##t, F(a[l], b[l], -c[l])); } \
  FN v##t v_fnma_##t(v##t a, v##t b, v##t c) { EACH(v##t, F(-a[l], b[l], c[l])); }
#else
#define FUSED(t, F) \
  FN v##t v_fma_##t(v##t a, v##t b, v##t c) { return a * b + c; } \
  FN v##t v_fms_##t(v##t a, v##t b, v##t c) { return a * b - c; } \
  FN v##t v_fnma_##t(v##t a, v##t b, v##t c) { return c - a * b; }
#endif
FUSED(f, __builtin_fmaf) FUSED(d, __builtin_fma)
FN vf v_sqrt_f(vf x) { EACH(vf, __builtin_sqrtf(x[l])); }
FN vd v_sqrt_d(vd x) { EACH(vd, __builtin_sqrt(x[l])); }
#define ROUND(op) \
  FN vf v_##op##_f(vf x) { EACH(vf, __builtin_##op##f(x[l])); } \
  FN vd v_##op##_d(vd x) { EACH(vd, __builtin_##op(x[l])); }
ROUND(rint) ROUND(floor) ROUND(ceil) ROUND(trunc)
FN vf v_frac_f(vf x) { return x - v_rint_f(x); }
FN vd v_frac_d(vd x) { return x - v_rint_d(x); }
FN vi v_whole_f(vf a, vf b) { EACH(vi, (int)((double)a[l] * b[l])); } // of a product that is less than 2^24
FN vf sel_f(vi m, vf a, vf b) { return (vf)((m & (vi)a) | (~m & (vi)b)); }
FN vd sel_d(vl m, vd a, vd b) { return (vd)((m & (vl)a) | (~m & (vl)b)); }
FN vi sel_i(vi m, vi a, vi b) { return (m & a) | (~m & b); }
FN vl sel_l(vl m, vl a, vl b) { return (m & a) | (~m & b); }
#define MINMAX(t) \
  FN v##t v_max_##t(v##t a, v##t b) { return sel_##t(a > b, a, b); } \
  FN v##t v_min_##t(v##t a, v##t b) { return sel_##t(a < b, a, b); }
MINMAX(f) MINMAX(d) MINMAX(i) MINMAX(l)
FN int v_any(vi m) { int r = 0; for (int l = 0; l < W; l++) r |= m[l]; return r != 0; }
FN int v_all(vi m) { int r = -1; for (int l = 0; l < W; l++) r &= m[l]; return r != 0; }
FN vf v_gather_f(const float *p, const int *i) { EACH(vf, p[i[l]]); }
FN vd v_gather_d0(const double *p, const int *i) { EACH(vd, p[i[l]]); }
FN void v_gather2_f(const float *p, const int *i, vf *a, vf *b) { *a = v_gather_f(p, i), *b = v_gather_f(p + 1, i); }
FN void v_gather4_f(const float *p, const int *i, vf *a, vf *b, vf *c, vf *d) {
  v_gather2_f(p, i, a, b), v_gather2_f(p + 2, i, c, d);
}
FN void v_scatter4_f(float *p, const int *i, vf a, vf b, vf c, vf d) {
  for (int l = 0; l < W; l++) p[i[l]] = a[l], p[i[l] + 1] = b[l], p[i[l] + 2] = c[l], p[i[l] + 3] = d[l];
}
// pick is lane i of a; pick2 of a followed by b.
FN vf pick_f(vf a, vi i) { EACH(vf, a[i[l] & (W - 1)]); }
FN vf pick2_f(vf a, vf b, vi i) { EACH(vf, i[l] & W ? b[i[l] & (W - 1)] : a[i[l] & (W - 1)]); }
FN vf reverse_f(vf a) { EACH(vf, a[W - 1 - l]); }
FN vd reverse_d(vd a) { EACH(vd, a[W / 2 - 1 - l]); }
// zip interleaves two vectors, of which the lower or the higher half is given.
FN vf zip_low_f(vf a, vf b) { EACH(vf, l & 1 ? b[l / 2] : a[l / 2]); }
FN vf zip_high_f(vf a, vf b) { EACH(vf, l & 1 ? b[(l + W) / 2] : a[(l + W) / 2]); }
FN vd zip_low_d(vd a, vd b) { EACH(vd, l & 1 ? b[l / 2] : a[l / 2]); }
FN vd zip_high_d(vd a, vd b) { EACH(vd, l & 1 ? b[(l + W / 2) / 2] : a[(l + W / 2) / 2]); }
FN vd cvt_fd0(vf x) { EACH(vd, (double)x[l]); }
FN vd cvt_fd1(vf x) { EACH(vd, (double)x[l + W / 2]); }
FN vf cvt_df(vd a, vd b) { EACH(vf, (float)(l < W / 2 ? a[l % (W / 2)] : b[l % (W / 2)])); }
FN vd cvt_id0(vi x) { EACH(vd, (double)x[l]); }
FN vd cvt_id1(vi x) { EACH(vd, (double)x[l + W / 2]); }
FN vi cvt_di(vd a, vd b) { EACH(vi, (int)(l < W / 2 ? a[l % (W / 2)] : b[l % (W / 2)])); }
FN vl cvt_il0(vi x) { EACH(vl, (long long)x[l]); }
FN vl cvt_il1(vi x) { EACH(vl, (long long)x[l + W / 2]); }
FN vi cvt_li(vl a, vl b) { EACH(vi, (int)(l < W / 2 ? a[l % (W / 2)] : b[l % (W / 2)])); }
FN float s_f16(unsigned short);
FN unsigned short s_to_f16(float);
FN vf load_f16(const unsigned short *p) { EACH(vf, s_f16(p[l])); }
FN void store_f16(unsigned short *p, vf x) { for (int l = 0; l < W; l++) p[l] = s_to_f16(x[l]); }
FN int s_opaque_i(int);
FN long long s_opaque_l(long long);
FN vi v_opaque_i(vi x) { EACH(vi, s_opaque_i(x[l])); }
FN vl v_opaque_l(vl x) { EACH(vl, s_opaque_l(x[l])); }

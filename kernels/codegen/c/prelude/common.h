// What every instruction set shares.
FN vf splat_f(float x) { return x - (vf){}; }
FN vd splat_d(double x) { return x - (vd){}; }
FN vi splat_i(int x) { return x + (vi){}; }
FN vl splat_l(long long x) { return x + (vl){}; }
FN vi splat_b(int x) { return -(x != 0) + (vi){}; }
FN vl wide0(vi m) { return cvt_il0(m); }
FN vl wide1(vi m) { return cvt_il1(m); }

// Conversions: cvt_XY keeps or narrows, cvt_XY0 and cvt_XY1 widen the lower and the upper lanes.
FN vi cvt_fi(vf x) { return __builtin_convertvector(x, vi); }
FN vf cvt_if(vi x) { return __builtin_convertvector(x, vf); }
FN vl cvt_dl(vd x) { return __builtin_convertvector(x, vl); }
FN vd cvt_ld(vl x) { return __builtin_convertvector(x, vd); }
FN vl cvt_fl0(vf x) { return cvt_dl(cvt_fd0(x)); }
FN vl cvt_fl1(vf x) { return cvt_dl(cvt_fd1(x)); }
FN vf cvt_lf(vl a, vl b) { return cat_f(__builtin_convertvector(a, hf), __builtin_convertvector(b, hf)); }

// opaque is its operand, of which the compiler knows nothing: without traps, gcc before 14 makes of a conversion to an integer and
// back a truncation, which turns -0.5 into -0.
FN int s_opaque_i(int x) { __asm__("" : "+r"(x)); return x; }
FN long long s_opaque_l(long long x) { __asm__("" : "+r"(x)); return x; }

// again is its operand, of which the compiler does not know that it was the same before.
FN const void *s_again(const void *p) { __asm__ volatile("" : "+r"(p)); return p; }

// Scalars. Minimum and maximum return the second operand when either is NaN; integer division rounds down.
#define SCALARS(t, T) \
  FN T s_max_##t(T a, T b) { return a > b ? a : b; } \
  FN T s_min_##t(T a, T b) { return a < b ? a : b; }
SCALARS(f, float) SCALARS(d, double) SCALARS(i, int) SCALARS(l, long long)
// a*b+c, a*b-c and c-a*b, rounded as those of vectors are.
#ifdef __FP_FAST_FMAF
#define SFUSED(t, T, F) \
  FN T s_fma_##t(T a, T b, T c) { return F(a, b, c); } \
  FN T s_fms_##t(T a, T b, T c) { return F(a, b, -c); } \
  FN T s_fnma_##t(T a, T b, T c) { return F(-a, b, c); }
#else
#define SFUSED(t, T, F) \
  FN T s_fma_##t(T a, T b, T c) { return a * b + c; } \
  FN T s_fms_##t(T a, T b, T c) { return a * b - c; } \
  FN T s_fnma_##t(T a, T b, T c) { return c - a * b; }
#endif
SFUSED(f, float, __builtin_fmaf) SFUSED(d, double, __builtin_fma)
FN float s_sqrt_f(float x) { return __builtin_sqrtf(x); }
FN double s_sqrt_d(double x) { return __builtin_sqrt(x); }
#define SROUND(op) \
  FN float s_##op##_f(float x) { return __builtin_##op##f(x); } \
  FN double s_##op##_d(double x) { return __builtin_##op(x); }
SROUND(rint) SROUND(floor) SROUND(ceil) SROUND(trunc)
FN float s_frac_f(float x) { return x - __builtin_rintf(x); }
FN double s_frac_d(double x) { return x - __builtin_rint(x); }
FN float s_abs_f(float x) { return __builtin_fabsf(x); }
FN double s_abs_d(double x) { return __builtin_fabs(x); }
FN vf v_abs_f(vf x) { return (vf)((vi)x & 0x7fffffff); }
FN vd v_abs_d(vd x) { return (vd)((vl)x & 0x7fffffffffffffffLL); }

// Integers. Division by zero gives 0: lanes that are switched off may divide by anything.
#define INTEGERS(t, T, U, V, N) \
  FN T s_abs_##t(T x) { return x < 0 ? (T)-(U)x : x; } \
  FN V v_abs_##t(V x) { V s = x >> N; return (x ^ s) - s; } \
  FN T s_div_##t(T a, T b) { if (b == 0) return 0; if (b == -1) return (T)-(U)a; T q = a / b; return q - (a % b != 0 && (a ^ b) < 0); } \
  FN T s_mod_##t(T a, T b) { if (b == 0 || b == -1) return 0; T m = a % b; return m != 0 && (a ^ b) < 0 ? m + b : m; } \
  FN V v_div_##t(V a, V b) { EACH(V, s_div_##t(a[l], b[l])); } \
  FN V v_mod_##t(V a, V b) { EACH(V, s_mod_##t(a[l], b[l])); } \
  FN T s_shl_##t(T a, T b) { return (T)((U)a << (b & N)); } \
  FN T s_shr_##t(T a, T b) { return a >> (b & N); } \
  FN T s_ushr_##t(T a, T b) { return (T)((U)a >> (b & N)); } \
  FN V v_shl_##t(V a, V b) { return a << (b & N); } \
  FN V v_shr_##t(V a, V b) { return a >> (b & N); }
INTEGERS(i, int, unsigned, vi, 31)
INTEGERS(l, long long, unsigned long long, vl, 63)
typedef unsigned long long vul __attribute__((vector_size(VB)));
FN vi v_ushr_i(vi a, vi b) { return (vi)((vu)a >> (vu)(b & 31)); }
FN vl v_ushr_l(vl a, vl b) { return (vl)((vul)a >> (vul)(b & 63)); }

// The same bits as another type.
FN int s_bits_fi(float x) { union { float f; int i; } u = {x}; return u.i; }
FN float s_bits_if(int x) { union { int i; float f; } u = {x}; return u.f; }
FN long long s_bits_dl(double x) { union { double f; long long i; } u = {x}; return u.i; }
FN double s_bits_ld(long long x) { union { long long i; double f; } u = {x}; return u.f; }

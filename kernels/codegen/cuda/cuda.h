// What rendered CUDA relies on: scalar arithmetic, storage types, joins over threads. It includes
// nothing, and is C as well as C++ apart from CUDA's own names, so that an emulation may define those before.
#ifndef WEFT_KERNEL
#ifdef WEFT_BLOCKS // of a processor, at least
#define WEFT_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads, WEFT_BLOCKS)
#else // as the compiler thinks best
#define WEFT_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
#endif
#define WEFT_RESTRICT __restrict__
#define WEFT_SHARED __shared__
#define WEFT_PRAGMA(p) _Pragma(#p)
#define WEFT_UNROLL(n) WEFT_PRAGMA(unroll n)
#define WEFT_HELD(p) asm("" : "+l"(p)) // nothing is known of an address but that it is there
#define WEFT_HELD_INT(i) asm("" : "+r"(i)) // nor of a number
#endif
#define FN static __device__ __forceinline__
#define WEFT_INF_F __int_as_float(0x7f800000)
#define WEFT_NAN_F __int_as_float(0x7fc00000)
#define WEFT_INF_D __longlong_as_double(0x7ff0000000000000LL)
#define WEFT_NAN_D __longlong_as_double(0x7ff8000000000000LL)

// Minimum and maximum return the second operand when either is NaN.
#define MINMAX(t, T) \
  FN T s_max_##t(T a, T b) { return a > b ? a : b; } \
  FN T s_min_##t(T a, T b) { return a < b ? a : b; }
MINMAX(f, float) MINMAX(d, double) MINMAX(i, int) MINMAX(l, long long)

// a*b+c, a*b-c and c-a*b, rounded once.
#define FUSED(t, T, F) \
  FN T s_fma_##t(T a, T b, T c) { return F(a, b, c); } \
  FN T s_fms_##t(T a, T b, T c) { return F(a, b, -c); } \
  FN T s_fnma_##t(T a, T b, T c) { return F(-a, b, c); }
FUSED(f, float, fmaf) FUSED(d, double, fma)

FN float s_abs_f(float x) { return fabsf(x); }
FN double s_abs_d(double x) { return fabs(x); }

// Integers wrap. Division rounds down; by zero it gives 0.
#define INTEGERS(t, T, U, N) \
  FN T s_add_##t(T a, T b) { return (T)((U)a + (U)b); } \
  FN T s_sub_##t(T a, T b) { return (T)((U)a - (U)b); } \
  FN T s_mul_##t(T a, T b) { return (T)((U)a * (U)b); } \
  FN T s_neg_##t(T a) { return (T)(0 - (U)a); } \
  FN T s_abs_##t(T a) { return a < 0 ? (T)(0 - (U)a) : a; } \
  FN T s_div_##t(T a, T b) { if (b == 0) return 0; if (b == -1) return (T)(0 - (U)a); T q = a / b; return q - (a % b != 0 && (a ^ b) < 0); } \
  FN T s_mod_##t(T a, T b) { if (b == 0 || b == -1) return 0; T m = a % b; return m != 0 && (a ^ b) < 0 ? m + b : m; } \
  FN T s_shl_##t(T a, T b) { return (T)((U)a << (b & N)); } \
  FN T s_shr_##t(T a, T b) { return a >> (b & N); } \
  FN T s_ushr_##t(T a, T b) { return (T)((U)a >> (b & N)); }
INTEGERS(i, int, unsigned, 31)
INTEGERS(l, long long, unsigned long long, 63)

// opaque is its operand, of which the compiler knows nothing: some make of a conversion to an integer and back a truncation, which turns
// -0.5 into -0.
FN int s_opaque_i(int x) { asm("" : "+r"(x)); return x; }
#ifdef __CUDA_ARCH__
FN long long s_opaque_l(long long x) { asm("" : "+l"(x)); return x; }
#else
FN long long s_opaque_l(long long x) { asm("" : "+r"(x)); return x; }
#endif

// The same bits as another type.
FN int s_bits_fi(float x) { return __float_as_int(x); }
FN float s_bits_if(int x) { return __int_as_float(x); }
FN long long s_bits_dl(double x) { return __double_as_longlong(x); }
FN double s_bits_ld(long long x) { return __longlong_as_double(x); }

// Storage types: halves as bits.
FN float s_bf16(unsigned short x) { return s_bits_if((int)((unsigned)x << 16)); }
FN unsigned short s_to_bf16(float x) {
  unsigned b = (unsigned)s_bits_fi(x);
  return x != x ? (unsigned short)(b >> 16 | 64) : (unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
#ifdef __CUDA_ARCH__
FN float s_f16(unsigned short x) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x)); return r; }
FN unsigned short s_to_f16(float x) { unsigned short r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
#else
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
#endif

// s_load_X reads an element that no thread writes during the launch, s_store_X writes one.
#define SCALAR(name, T, C, LD, ST) \
  FN C s_load_##name(const T *p) { T x = __ldg(p); return LD; } \
  FN C s_from_##name(T x) { return LD; } \
  FN T s_to_##name##_(C x) { return ST; } \
  FN void s_store_##name(T *p, C x) { *p = ST; }
SCALAR(bool, unsigned char, int, x != 0, x != 0)
SCALAR(i8, signed char, int, x, (signed char)x) SCALAR(u8, unsigned char, int, x, (unsigned char)x)
SCALAR(i16, short, int, x, (short)x) SCALAR(u16, unsigned short, int, x, (unsigned short)x)
SCALAR(i32, int, int, x, x) SCALAR(u32, unsigned, long long, x, (unsigned)x) SCALAR(i64, long long, long long, x, x)
SCALAR(f16, unsigned short, float, s_f16(x), s_to_f16(x)) SCALAR(bf16, unsigned short, float, s_bf16(x), s_to_bf16(x))
SCALAR(f32, float, float, x, x) SCALAR(f64, double, double, x, x)
// s_more_X adds to an element that this thread alone writes and reads.
#define PLUS(name, T, C, E) FN void s_more_##name(T *p, C x) { const C y = s_from_##name(*p); s_store_##name(p, E); }
PLUS(i8, signed char, int, s_add_i(y, x)) PLUS(u8, unsigned char, int, s_add_i(y, x)) PLUS(i16, short, int, s_add_i(y, x))
PLUS(u16, unsigned short, int, s_add_i(y, x)) PLUS(i32, int, int, s_add_i(y, x)) PLUS(u32, unsigned, long long, s_add_l(y, x))
PLUS(i64, long long, long long, s_add_l(y, x)) PLUS(f16, unsigned short, float, y + x) PLUS(bf16, unsigned short, float, y + x)
PLUS(f32, float, float, y + x) PLUS(f64, double, double, y + x)

// Elements side by side, at a multiple of the bytes that they take together.
#define TOGETHER2(name, T, C, V) \
  typedef V some_##name##_2; \
  FN V s_load_##name##_2(const T *p) { return __ldg((const V *)p); } \
  FN V s_same_##name##_2(C a) { V x; x.x = x.y = s_to_##name##_(a); return x; } \
  FN void s_store_##name##_2(T *p, C a, C b) { V x; x.x = s_to_##name##_(a); x.y = s_to_##name##_(b); *(V *)p = x; }
#define TOGETHER4(name, T, C, V) \
  typedef V some_##name##_4; \
  FN V s_load_##name##_4(const T *p) { return __ldg((const V *)p); } \
  FN V s_same_##name##_4(C a) { V x; x.x = x.y = x.z = x.w = s_to_##name##_(a); return x; } \
  FN void s_store_##name##_4(T *p, C a, C b, C c, C d) { \
    V x; x.x = s_to_##name##_(a); x.y = s_to_##name##_(b); x.z = s_to_##name##_(c); x.w = s_to_##name##_(d); *(V *)p = x; \
  }
#define TOGETHER8(name, T, C) \
  typedef uint4 some_##name##_8; \
  FN T s_half_##name(unsigned x, int at) { return (T)(at ? x >> 16 : x & 0xffff); } \
  FN unsigned s_halves_##name(C a, C b) { return (unsigned)(unsigned short)s_to_##name##_(a) | (unsigned)(unsigned short)s_to_##name##_(b) << 16; } \
  FN uint4 s_load_##name##_8(const T *p) { return __ldg((const uint4 *)p); } \
  FN uint4 s_same_##name##_8(C a) { uint4 x; x.x = x.y = x.z = x.w = s_halves_##name(a, a); return x; } \
  FN void s_store_##name##_8(T *p, C a, C b, C c, C d, C e, C f, C g, C h) { \
    uint4 x; x.x = s_halves_##name(a, b); x.y = s_halves_##name(c, d); x.z = s_halves_##name(e, f); x.w = s_halves_##name(g, h); *(uint4 *)p = x; \
  }
#define TOGETHER(name, T, C, V) TOGETHER2(name, T, C, V##2) TOGETHER4(name, T, C, V##4)
TOGETHER(bool, unsigned char, int, uchar) TOGETHER(i8, signed char, int, char) TOGETHER(u8, unsigned char, int, uchar)
TOGETHER(i16, short, int, short) TOGETHER(u16, unsigned short, int, ushort) TOGETHER(f16, unsigned short, float, ushort)
TOGETHER(bf16, unsigned short, float, ushort) TOGETHER(i32, int, int, int) TOGETHER(u32, unsigned, long long, uint)
TOGETHER(f32, float, float, float) TOGETHER2(i64, long long, long long, longlong2) TOGETHER2(f64, double, double, double2)
TOGETHER8(i16, short, int) TOGETHER8(u16, unsigned short, int) TOGETHER8(f16, unsigned short, float) TOGETHER8(bf16, unsigned short, float)

// Joins over the threads of a warp, or of a block of whole warps. Every thread gets the same result. Minimum and maximum
// leave NaN out.
#define WEFT_XOR(a, n) __shfl_xor_sync(0xffffffffu, a, n)
#define LOW(a, b) (b != b ? a : a != a ? b : b < a ? b : a)
#define HIGH(a, b) (b != b ? a : a != a ? b : b > a ? b : a)
#define PLUSOP(a, b) (a + b)
#define TIMES(a, b) (a * b)
#define JOIN(name, t, T, OP) \
  FN T s_warp_##name##_##t(T a) { \
    for (int n = 16; n; n /= 2) { const T b = WEFT_XOR(a, n); a = (T)OP(a, b); } \
    return __shfl_sync(0xffffffffu, a, 0); \
  } \
  FN T s_block_##name##_##t(T a) { \
    WEFT_SHARED T part[32]; \
    a = s_warp_##name##_##t(a); \
    __syncthreads(); \
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = a; \
    __syncthreads(); \
    a = part[0]; \
    for (unsigned n = 1; n < blockDim.x / 32; n++) { const T b = part[n]; a = (T)OP(a, b); } \
    return a; \
  }
#define JOINS(t, T, PLUS, MUL) JOIN(add, t, T, PLUS) JOIN(mul, t, T, MUL) JOIN(low, t, T, LOW) JOIN(high, t, T, HIGH)
JOINS(f, float, PLUSOP, TIMES) JOINS(d, double, PLUSOP, TIMES) JOINS(i, int, s_add_i, s_mul_i) JOINS(l, long long, s_add_l, s_mul_l)
FN int s_warp_any_b(int a) { return __any_sync(0xffffffffu, a) != 0; }
FN int s_warp_all_b(int a) { return __all_sync(0xffffffffu, a) != 0; }
FN int s_block_any_b(int a) { return __syncthreads_or(a) != 0; }
FN int s_block_all_b(int a) { return __syncthreads_and(a) != 0; }

// Sine and cosine of float32 within bounds that the caller knows. |x| up to pi/4:
FN float s_sin_small_f(float x) {
  const float z = x * x;
  return x == 0 ? x : fmaf(fmaf(fmaf(-0.000195878267f, z, 0.00833274797f), z, -0.166666642f), z * x, x);
}
FN float s_cos_small_f(float x) {
  const float z = x * x;
  return fmaf(fmaf(fmaf(2.45478786e-05f, z, -0.00138883025f), z, 0.0416666642f), z * z, fmaf(-0.5f, z, 1.0f));
}
// |x| up to 6400: k has 12 bits, and so have the parts of pi/2, hence products are exact.
FN float s_near_f(float x, int turn) {
  const float k = rintf(x * 0.636619747f);
  const float a = fmaf(-k, 4.83751297e-4f, fmaf(-k, 1.5703125f, x)), b = k * 7.54953362e-8f, c = a - b;
  const float r = c + fmaf(-k, 2.56334406e-12f, a - c - b);
  const int q = (int)k + turn;
  const float y = q & 1 ? s_cos_small_f(r) : s_sin_small_f(r);
  return q & 2 ? -y : y;
}
FN float s_sin_near_f(float x) { return s_near_f(x, 0); }
FN float s_cos_near_f(float x) { return s_near_f(x, 1); }

// The square root of what is at least 2^-101 and finite, or NaN: the steps that compilers take for such, which round as IEEE 754 says.
#ifdef __CUDA_ARCH__
FN float s_sqrt_usual_f(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  const float r = x * y;
  return fmaf(fmaf(-r, r, x), 0.5f * y, r);
}
#else
FN float s_sqrt_usual_f(float x) { return sqrtf(x); }
#endif

// Functions of the library: the lines that follow say which.
#define MATH64(name, library) FN double s_##name##_d(double x) { return library(x); }
#define MATH1(name, library) \
  FN float s_##name##_f(float x) { return library##f(x); } \
  MATH64(name, library)
#define MATH2(name, library) \
  FN float s_##name##_f(float x, float y) { return library##f(x, y); } \
  FN double s_##name##_d(double x, double y) { return library(x, y); }

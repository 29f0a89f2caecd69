/* Compared with the C library in long double: worst(function, lane form, count, seed, report) for each function below. It
   follows the prelude and math.h. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

int long_double_digits(void) { return LDBL_MANT_DIG; }

static uint64_t state;
static uint64_t draw(void) { /* splitmix64 */
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static double between(double lo, double hi) { return lo + (hi - lo) * (double)(draw() >> 11) * 0x1p-53; }

/* Distance from the exact value in units of the last place of the rounded value; 0 for equal bits or two NaNs, infinite
   where only one is special or the sign of a zero differs. */
static double ulps(double got, long double exact, int digits, int lowest, double huge) {
    double want = digits == 24 ? (double)(float)exact : (double)exact;
    if (want != want || got != got) return want != want && got != got ? 0 : INFINITY;
    if (want == got) return signbit(want) == signbit(got) ? fabsl(got - exact) > 0 ? .5 : 0 : INFINITY;
    if (isinf(want) || isinf(got)) {
        if (signbit(want) != signbit(got)) return INFINITY;
        long double edge = copysignl(huge, exact); /* an overflow may come one place early or late */
        return fabsl((isinf(want) ? got : want) - edge) == 0 ? 1 : INFINITY;
    }
    int e = ilogbl(exact == 0 ? want : exact);
    if (e < lowest) e = lowest;
    return (double)ldexpl(fabsl((long double)got - exact), digits - 1 - e);
}

typedef struct { double ulp, x, y, got; } worst_t;

static const double specials[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 10, 100, 1000, 1e10, 1e22, 88.72283, 88.72284, 89, -87.33, -103.97, -103.98,
    -104, 709.78, 709.79, -745.13, -745.14, 1.4142135, 0.70710678, 0.99999994, 1.0000001, 0x1p-126, 0x1p-149, 0x1p-1022, 0x1p-1074, -0x1p-149, 0x1.fffffep127,
    0x1.fffffffffffffp1023, -0x1.fffffep127, 16777215, 16777216, 16777217, 33554431, 3.14159265358979, 1.57079632679489, 0.785398163397448, 1e5, -1e5,
    1e6, 1000001, 1e8, 1e15, INFINITY, -INFINITY, NAN};
enum { NSPECIAL = sizeof specials / sizeof specials[0], BLOCK = 64 };

/* Drawn values: one third over all bit patterns of the type, the rest in the range where the function is at work. */
static float anyf(void) { uint32_t b = (uint32_t)draw(); float f; memcpy(&f, &b, 4); return f; }
static double any(void) { uint64_t b = draw(); double f; memcpy(&f, &b, 8); return f; }

#define ALL(a) 1
#define WITHIN(a) (!(a < LEAST || a > MOST)) /* NaN is */
#define RUN(NAME, T, V, ANY, DIGITS, LOWEST, HUGE, LO, HI, YLO, YHI, CALLV, CALLS, EXACT, TAKEN)                                             \
    void worst_##NAME(int scalar, int n, worst_t *w) {                                                                           \
        enum { L = sizeof(V) / sizeof(T) };                                                                                      \
        T x[BLOCK], y[BLOCK], r[BLOCK];                                                                                          \
        int edge = 0;                                                                                                            \
        state = 42;                                                                                                              \
        memset(w, 0, sizeof *w);                                                                                                 \
        for (int b = 0; b < n / BLOCK; b++) {                                                                                    \
            for (int i = 0; i < BLOCK; i++) {                                                                                    \
                int third = draw() % 3 == 0;                                                                                     \
                x[i] = third ? ANY() : (T)between(LO, HI), y[i] = third ? ANY() : (T)between(YLO, YHI);                          \
                if (edge < NSPECIAL * NSPECIAL) x[i] = (T)specials[edge % NSPECIAL], y[i] = (T)specials[edge / NSPECIAL], edge++; \
                while (!TAKEN(x[i])) x[i] = draw() % 2 ? ANY() : (T)between(LO, HI);                                              \
            }                                                                                                                    \
            for (int i = 0; i < BLOCK; i += scalar ? 1 : L) {                                                                    \
                if (scalar) { T a = x[i], c = y[i]; (void)c; r[i] = CALLS; continue; }                                           \
                V a, c, v;                                                                                                       \
                memcpy(&a, x + i, sizeof a), memcpy(&c, y + i, sizeof c);                                                        \
                (void)c, v = CALLV;                                                                                              \
                memcpy(r + i, &v, sizeof v);                                                                                     \
            }                                                                                                                    \
            for (int i = 0; i < BLOCK; i++) {                                                                                    \
                long double a = x[i], c = y[i];                                                                                  \
                (void)c;                                                                                                         \
                double u = ulps(r[i], EXACT, DIGITS, LOWEST, HUGE);                                                              \
                if (u > w->ulp) *w = (worst_t){u, x[i], y[i], r[i]};                                                             \
            }                                                                                                                    \
        }                                                                                                                        \
    }
#define F32(N, LO, HI) RUN(N##f, float, vf, anyf, 24, -126, 0x1.fffffep127, LO, HI, 0, 0, v_##N##_f(a), s_##N##_f(a), N##l(a), ALL)
#define F64(N, LO, HI) RUN(N, double, vd, any, 53, -1022, 0x1.fffffffffffffp1023, LO, HI, 0, 0, v_##N##_d(a), s_##N##_d(a), N##l(a), ALL)
#define F32_2(N, LO, HI, YLO, YHI) RUN(N##f, float, vf, anyf, 24, -126, 0x1.fffffep127, LO, HI, YLO, YHI, v_##N##_f(a, c), s_##N##_f(a, c), N##l(a, c), ALL)
#define F64_2(N, LO, HI, YLO, YHI) RUN(N, double, vd, any, 53, -1022, 0x1.fffffffffffffp1023, LO, HI, YLO, YHI, v_##N##_d(a, c), s_##N##_d(a, c), N##l(a, c), ALL)

F32(exp, -104, 89)
F32(log, 0, 4)
F32(log10, 0, 4)
F32(sin, -1e5, 1e5)
F32(cos, -1e5, 1e5)
F32(tan, -1e5, 1e5)
F32(tanh, -12, 12)
F32(erf, -5, 5)
F32_2(atan2, -3, 3, -3, 3)
F32_2(pow, 0, 20, -40, 40)
F64(exp, -746, 710)
F64(log, 0, 4)
F64(log10, 0, 4)
F64(sin, -1e5, 1e5)
F64(cos, -1e5, 1e5)
F64(tan, -100, 100)
F64(tanh, -22, 22)
F64(erf, -7, 7)
F64_2(atan2, -3, 3, -3, 3)
F64_2(pow, 0, 20, -40, 40)

/* Forms for operands within bounds, which within() sets. */
static double least, most;
#define LEAST least
#define MOST most
void within(const double *ends) { least = ends[0], most = ends[1]; }
#define FORM(N, F)                                                                                                                             \
    RUN(N##_##F##f, float, vf, anyf, 24, -126, 0x1.fffffep127, least, most, 0, 0, v_##N##_##F##_f(a), s_##N##_##F##_f(a), N##l(a), WITHIN) \
    RUN(N##_##F, double, vd, any, 53, -1022, 0x1.fffffffffffffp1023, least, most, 0, 0, v_##N##_##F##_d(a), s_##N##_##F##_d(a), N##l(a), WITHIN)
FORM(sin, small)
FORM(cos, small)
FORM(sin, near)
FORM(cos, near)
FORM(exp, normal)
FORM(log, normal)
FORM(log10, normal)

/* How far sines and cosines of products with a constant in half turns are off at most, of 1. */
double off_half_turns(int n) {
    double most = 0;
    for (int i = 0; i < n; i += W) {
        float c = (float)between(1e-6, 1e6);
        vf x, by = m_f(c);
        for (int l = 0; l < W; l++) x[l] = (float)(between(-2047, 2047) / c * (draw() % 2 ? 1 : 1e-2));
        vf s = v_sin_half_turns_f(x, by), t = v_cos_half_turns_f(x, by);
        for (int l = 0; l < W; l++) {
            long double turns = (long double)x[l] * c, rest = (turns - 2 * rintl(turns / 2)) * 3.141592653589793238462643383279503L;
            most = fmax(most, fmax(fabsl(s[l] - sinl(rest)), fabsl(t[l] - cosl(rest))));
        }
    }
    return most;
}

/* Calls of one function over an array that stays in the nearest cache, for timing. */
#define SPEED(NAME, T, V, CALLV)                                                          \
    void speed_##NAME(int n, int repeat, const T *x, T *r) {                              \
        for (; repeat > 0; repeat--) {                                                    \
            for (int i = 0; i < n; i += sizeof(V) / sizeof(T)) {                          \
                V a, v;                                                                   \
                memcpy(&a, x + i, sizeof a), v = CALLV, memcpy(r + i, &v, sizeof v);      \
            }                                                                             \
            __asm__ volatile("" ::: "memory");                                            \
        }                                                                                 \
    }
SPEED(expf, float, vf, v_exp_f(a))
SPEED(logf, float, vf, v_log_f(a))
SPEED(log10f, float, vf, v_log10_f(a))
SPEED(sinf, float, vf, v_sin_f(a))
SPEED(cosf, float, vf, v_cos_f(a))
SPEED(tanf, float, vf, v_tan_f(a))
SPEED(tanhf, float, vf, v_tanh_f(a))
SPEED(erff, float, vf, v_erf_f(a))
SPEED(atan2f, float, vf, v_atan2_f(a, m_f(2)))
SPEED(powf, float, vf, v_pow_f(a, m_f(2.2f)))
SPEED(sin_nearf, float, vf, v_sin_near_f(a))
SPEED(sin_smallf, float, vf, v_sin_small_f(a))
SPEED(exp_normalf, float, vf, v_exp_normal_f(a))
SPEED(log_normalf, float, vf, v_log_normal_f(a))
SPEED(sin_near, double, vd, v_sin_near_d(a))
SPEED(exp, double, vd, v_exp_d(a))
SPEED(log, double, vd, v_log_d(a))
SPEED(log10, double, vd, v_log10_d(a))
SPEED(sin, double, vd, v_sin_d(a))
SPEED(cos, double, vd, v_cos_d(a))
SPEED(tan, double, vd, v_tan_d(a))
SPEED(tanh, double, vd, v_tanh_d(a))
SPEED(erf, double, vd, v_erf_d(a))
SPEED(atan2, double, vd, v_atan2_d(a, m_d(2)))
SPEED(pow, double, vd, v_pow_d(a, m_d(2.2)))

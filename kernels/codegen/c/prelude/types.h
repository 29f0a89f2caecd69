// Vector types. VB is the bytes of a register, W = VB/4 its float32 lanes. A value of a 4-byte type is one vector, of an
// 8-byte type two (part 0 holds the lower lanes). Bool is an int vector of 0 and -1. Suffixes: f d i l for the types.
// A compiler that does not optimise takes half its time to inline, and is the slower for what comes of it.
#ifdef __OPTIMIZE__
#define FN static inline __attribute__((always_inline, unused))
#else
#define FN static inline __attribute__((unused))
#endif
#define W (VB / 4)
#define VEC(name, type, bytes) typedef type name __attribute__((vector_size(bytes))); typedef type name##_u __attribute__((vector_size(bytes), aligned(1), may_alias))
VEC(vf, float, VB);
VEC(vi, int, VB);
VEC(vu, unsigned, VB);
VEC(vd, double, VB);
VEC(vl, long long, VB);
VEC(hf, float, VB / 2);
VEC(hi, int, VB / 2);
VEC(hu, unsigned, VB / 2);
VEC(hus, unsigned short, VB / 2);
VEC(hss, short, VB / 2);
VEC(qub, unsigned char, VB / 4);
VEC(qsb, signed char, VB / 4);
typedef struct weft_args weft_args;
struct weft_args { void *const *buf; const double *farg; const long long *iarg; const int *lo, *hi; long long *count; char *scratch; long long part; weft_args **asks; long long given; };

/* Who asks a launch for a part of it; what is given: a range along an axis, some of what is kept of each row of points, and the part to go on with. */
FN weft_args *weft_asks(const weft_args *a) { return __atomic_load_n(a->asks, __ATOMIC_ACQUIRE); }
FN void weft_give_range(weft_args *to, int axis, int lo, int hi) { ((int *)to->lo)[axis] = lo, ((int *)to->hi)[axis] = hi; }
FN void weft_give_sums(char *to, const char *from, long bytes, long row, int rows) { for (int i = 0; i < rows; i++) __builtin_memcpy(to + i * row, from + i * row, bytes); }
FN void weft_give(const weft_args *a, weft_args *to, int part) {
    to->part = part;
    __atomic_store_n(a->asks, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&to->given, 1, __ATOMIC_RELEASE);
}

/* Runs one function on the part of a tile that lies in [from, to) along an axis, and another on what is left of it at the ends, a step at least: a
   few rows at a time, counted along outer, so that what lies at the ends is still near. */
static __attribute__((unused)) void weft_ends(void (*inside)(const weft_args *), void (*ends)(const weft_args *), const weft_args *a, int axes, int axis, int from, int to, int step, int outer, int rows) {
    int lo[axes], hi[axes], first = a->lo[axis], last = a->hi[axis];
    weft_args part = *a;
    for (int i = 0; i < axes; i++) lo[i] = a->lo[i], hi[i] = a->hi[i];
    from = from > first ? from : first;
    to = to < last ? to : last;
    if (to - from < step) {
        ends(a);
        return;
    }
    part.lo = lo, part.hi = hi;
    rows = outer == axis ? last : rows;
    for (int row = a->lo[outer], end = a->hi[outer], next; row < end; row = next) {
        next = end - row < 2 * rows ? end : row + rows;
        lo[outer] = row, hi[outer] = next;
        lo[axis] = from, hi[axis] = to;
        inside(&part);
        if (from > first) {
            lo[axis] = first, hi[axis] = from > first + step ? from : first + step;
            ends(&part);
        }
        if (to < last) {
            hi[axis] = last, lo[axis] = to < last - step ? to : last - step;
            ends(&part);
        }
    }
}

// Lane loop: the portable way to say anything.
#define EACH(R, E) R r; for (int l = 0; l < (int)(sizeof r / sizeof r[0]); l++) r[l] = E; return r

FN hf lo_f(vf x) { union { vf v; hf h[2]; } u = {x}; return u.h[0]; }
FN hf hi_f(vf x) { union { vf v; hf h[2]; } u = {x}; return u.h[1]; }
FN hi lo_i(vi x) { union { vi v; hi h[2]; } u = {x}; return u.h[0]; }
FN hi hi_i(vi x) { union { vi v; hi h[2]; } u = {x}; return u.h[1]; }
FN vf cat_f(hf a, hf b) { union { hf h[2]; vf v; } u = {{a, b}}; return u.v; }
FN vi cat_i(hi a, hi b) { union { hi h[2]; vi v; } u = {{a, b}}; return u.v; }

// v_win16_f64_H and v_win32_f64_H read elements p[i] of 16 or 32 neighbours of 8 bytes, for the lower lanes (H = 0) and the upper.
#if VB == 64
FN vd pick16_d(const double *p, vl i) { return (vd)_mm512_permutex2var_pd(_mm512_loadu_pd(p), I5(i), _mm512_loadu_pd(p + 8)); }
#define WINDOW_D(H) \
  FN vd v_win16_f64_##H(const double *p, vi i) { return pick16_d(p, wide##H(i)); } \
  FN vd v_win32_f64_##H(const double *p, vi i) { vl j = wide##H(i); return sel_d(-((j >> 4) & 1), pick16_d(p + 16, j), pick16_d(p, j)); }
#else // a permutation of so many registers takes longer than reading one by one what lies in two or three cache lines
#define WINDOW_D(H) \
  FN vd v_win16_f64_##H(const double *p, vi i) { int q[W]; *(vi_u *)q = i & 15; return v_gather_d0(p, q + H * (W / 2)); } \
  FN vd v_win32_f64_##H(const double *p, vi i) { int q[W]; *(vi_u *)q = i & 31; return v_gather_d0(p, q + H * (W / 2)); }
#endif
WINDOW_D(0) WINDOW_D(1)

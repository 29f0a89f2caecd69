// CUDA's names in C, for one block at a time on one thread of the host. Threads of a block that wait for each other are
// coroutines, which take turns; a barrier that not all reach is an error, where a GPU would hang or go on wrongly.
#undef _FORTIFY_SOURCE // its longjmp refuses to leave for another stack
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define WEFT_KERNEL(threads) static __attribute__((unused)) void
#define WEFT_RESTRICT __restrict__
#define WEFT_SHARED static __thread
#define WEFT_UNROLL(n)
#define WEFT_HELD(p)
#define WEFT_HELD_INT(i)
#define __device__ __attribute__((unused))
#ifdef __OPTIMIZE__ // to inline takes most of a compiler's time otherwise
#define __forceinline__ inline __attribute__((always_inline))
#else
#define __forceinline__ inline
#endif

typedef struct { unsigned x, y, z; } weft_dim3;
static __thread weft_dim3 threadIdx, blockIdx, blockDim, gridDim;

// A launch: parameters of 8 bytes each.
typedef struct { void **params; int grid[3], block[3]; } weft_launch;

#define WEFT_SOME(name, T) \
  typedef struct __attribute__((aligned(2 * sizeof(T)))) { T x, y; } name##2; \
  typedef struct __attribute__((aligned(4 * sizeof(T)))) { T x, y, z, w; } name##4;
WEFT_SOME(char, signed char) WEFT_SOME(uchar, unsigned char) WEFT_SOME(short, short) WEFT_SOME(ushort, unsigned short)
WEFT_SOME(int, int) WEFT_SOME(uint, unsigned) WEFT_SOME(float, float)
typedef struct __attribute__((aligned(16))) { long long x, y; } longlong2;
typedef struct __attribute__((aligned(16))) { double x, y; } double2;

#define __ldg(p) (*(p))
static inline int __float_as_int(float x) { int i; memcpy(&i, &x, 4); return i; }
static inline float __int_as_float(int i) { float x; memcpy(&x, &i, 4); return x; }
static inline long long __double_as_longlong(double x) { long long i; memcpy(&i, &x, 8); return i; }
static inline double __longlong_as_double(long long i) { double x; memcpy(&x, &i, 8); return x; }

enum { WEFT_NEW, WEFT_RUNNING, WEFT_DONE };
enum { WEFT_STACK = 128 << 10, WEFT_WARP = 32, WEFT_THREADS = 1024, WEFT_STUCK = 1, WEFT_NO_MEMORY = 2 };

// Threads that wait together: how many have arrived, a number that changes when all have, and what each gives to the others. That has
// two places, which take turns: those who are late still read one while others go on to fill the next, and none is two ahead.
typedef struct { int arrived; unsigned turn; unsigned long long *given[2]; } weft_group;

// What a thread waits for: that turn of the group to end.
typedef struct { const weft_group *group; unsigned turn; } weft_hold;

typedef struct weft_block {
  jmp_buf scheduler, *threads;
  weft_hold *holds;
  char *stacks, *state;
  int count, now, live;
  long progress;
  weft_group all, warps[WEFT_THREADS / WEFT_WARP];
  unsigned long long of_all[2][WEFT_THREADS], of_warps[2][WEFT_THREADS];
  void (*entry)(void **);
  void **params;
} weft_block;
static __thread weft_block *weft_now;

static void weft_release(weft_block *b, weft_group *g) { g->arrived = 0; g->turn++; b->progress++; }

// weft_wait returns when need threads of the group have called it; need 0 is all that still run.
static __attribute__((unused)) void weft_wait(weft_group *g, int need) {
  weft_block *b = weft_now;
  if (++g->arrived == (need ? need : b->live)) { weft_release(b, g); return; }
  b->holds[b->now] = (weft_hold){g, g->turn};
  if (!_setjmp(b->threads[b->now])) _longjmp(b->scheduler, 1);
}

static void weft_thread(void) {
  weft_block *b = weft_now;
  b->entry(b->params);
  b->state[b->now] = WEFT_DONE;
  b->live--;
  b->progress++;
  if (b->live && b->all.arrived == b->live) weft_release(b, &b->all);
  _longjmp(b->scheduler, 1);
}

// weft_resume lets thread t run until it waits or ends. Contexts start a thread; jumps, which call no kernel, do the rest.
static __attribute__((noinline, unused)) void weft_resume(weft_block *b, int t) {
  if (_setjmp(b->scheduler)) return;
  if (b->state[t] == WEFT_RUNNING) _longjmp(b->threads[t], 1);
  ucontext_t fresh;
  getcontext(&fresh);
  fresh.uc_stack.ss_sp = b->stacks + (size_t)t * WEFT_STACK;
  fresh.uc_stack.ss_size = WEFT_STACK;
  makecontext(&fresh, weft_thread, 0);
  b->state[t] = WEFT_RUNNING;
  setcontext(&fresh);
}

static void weft_place(int t) {
  threadIdx.x = t % blockDim.x, threadIdx.y = t / blockDim.x % blockDim.y, threadIdx.z = t / blockDim.x / blockDim.y;
}

static weft_group weft_gather(unsigned long long (*given)[WEFT_THREADS], int first) {
  return (weft_group){.given = {given[0] + first, given[1] + first}};
}

// weft_ready: thread t can go on, what it waited for has ended.
static int weft_ready(const weft_block *b, int t) {
  return b->state[t] == WEFT_NEW || (b->state[t] == WEFT_RUNNING && b->holds[t].group->turn != b->holds[t].turn);
}

// weft_together runs one block whose threads wait for each other.
static int weft_together(weft_block *b) {
  b->all = weft_gather(b->of_all, 0);
  for (int w = 0; w < WEFT_THREADS / WEFT_WARP; w++) b->warps[w] = weft_gather(b->of_warps, w * WEFT_WARP);
  memset(b->state, WEFT_NEW, b->count);
  b->live = b->count;
  while (b->live) {
    long before = b->progress;
    for (int t = 0; t < b->count; t++) {
      if (!weft_ready(b, t)) continue;
      b->now = t;
      weft_place(t);
      weft_resume(b, t);
    }
    if (b->progress == before) return WEFT_STUCK;
  }
  return 0;
}

#define WEFT_EACH(d, n) for (d = 0; d < (unsigned)(n); d++)
#define WEFT_BLOCKS(l) WEFT_EACH(blockIdx.z, l->grid[2]) WEFT_EACH(blockIdx.y, l->grid[1]) WEFT_EACH(blockIdx.x, l->grid[0])
#define WEFT_ALONE(l) WEFT_EACH(threadIdx.z, l->block[2]) WEFT_EACH(threadIdx.y, l->block[1]) WEFT_EACH(threadIdx.x, l->block[0])

static void weft_dims(const weft_launch *l) {
  gridDim.x = l->grid[0], gridDim.y = l->grid[1], gridDim.z = l->grid[2];
  blockDim.x = l->block[0], blockDim.y = l->block[1], blockDim.z = l->block[2];
}

// weft_run_together runs a grid of such blocks.
static __attribute__((unused)) int weft_run_together(const weft_launch *l, void (*entry)(void **)) {
  int status = WEFT_NO_MEMORY, n = l->block[0] * l->block[1] * l->block[2];
  weft_block *b = calloc(1, sizeof *b);
  weft_dims(l);
  if (b) {
    b->count = n, b->entry = entry, b->params = l->params;
    b->threads = calloc(n, sizeof *b->threads), b->holds = calloc(n, sizeof *b->holds), b->state = calloc(n, 1), b->stacks = malloc((size_t)n * WEFT_STACK);
  }
  if (b && b->threads && b->holds && b->state && b->stacks) {
    status = 0;
    weft_now = b;
    WEFT_BLOCKS(l) if (!status) status = weft_together(b);
    weft_now = NULL;
  }
  if (b) free(b->threads), free(b->holds), free(b->state), free(b->stacks);
  free(b);
  return status;
}

// weft_give hands the group what the thread of this number in it has, and returns what all have handed it, once all have.
static __attribute__((unused)) const unsigned long long *weft_give(weft_group *g, int need, int of, unsigned long long value) {
  unsigned long long *given = g->given[g->turn % 2];
  given[of] = value;
  weft_wait(g, need);
  return given;
}

// weft_exchange gives each thread of a warp the value of another one.
static __attribute__((unused)) void weft_exchange(void *value, int size, int from) {
  int t = weft_now->now;
  unsigned long long word = 0;
  memcpy(&word, value, size);
  memcpy(value, weft_give(&weft_now->warps[t / WEFT_WARP], WEFT_WARP, t % WEFT_WARP, word) + from, size);
}
#define WEFT_GIVE(v, from) __extension__({ __typeof__((v) + 0) v_ = (v); weft_exchange(&v_, sizeof v_, from); v_; })
#define __shfl_sync(mask, v, lane) WEFT_GIVE(v, lane)
#define __shfl_xor_sync(mask, v, n) WEFT_GIVE(v, (weft_now->now % WEFT_WARP) ^ (n))

// weft_count counts the threads of a group of n, of which this is the one of a number, for which a holds.
static __attribute__((unused)) int weft_count(weft_group *g, int need, int of, int n, int a) {
  const unsigned long long *given = weft_give(g, need, of, a != 0);
  int sum = 0;
  for (int t = 0; t < n; t++) sum += given[t];
  return sum;
}
static __attribute__((unused)) int weft_warp_count(int a) {
  int t = weft_now->now;
  return weft_count(&weft_now->warps[t / WEFT_WARP], WEFT_WARP, t % WEFT_WARP, WEFT_WARP, a);
}
#define __any_sync(mask, a) (weft_warp_count(a) > 0)
#define __all_sync(mask, a) (weft_warp_count(a) == WEFT_WARP)
#define __syncthreads() weft_wait(&weft_now->all, 0)
#define __syncthreads_or(a) (weft_count(&weft_now->all, 0, weft_now->now, weft_now->count, a) > 0)
#define __syncthreads_and(a) (weft_count(&weft_now->all, 0, weft_now->now, weft_now->count, a) == weft_now->count)

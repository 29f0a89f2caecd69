// A libcuda that runs on the CPU, for tests of what talks to the driver: memory is the host's, a module's image names a
// shared object, a kernel is a function there that takes a launch. It checks that calls come with a current context.
// FAKE_CUDA_MEMORY limits the bytes that may be allocated, FAKE_CUDA_FAILS is the number of the launch that fails until the context is reset, FAKE_CUDA_GONE that of one that fails for good,
// FAKE_CUDA_SLOW the ms that each copy and launch takes, FAKE_CUDA_DEVICES how many there are, one or 2, FAKE_CUDA_CALLS a file that gets a line for each call that takes, gives
// back or sets memory, and for each launch, FAKE_CUDA_TELLS whether the limit is told. A stream that is used for two kinds of work is an error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, NOT_FOUND = 500, NOT_READY = 600, LAUNCH_FAILED = 719 };
enum { CANARY = 64, CANARY_BYTE = 0x5C };

typedef struct { void **params; int grid[3], block[3]; } weft_launch;
typedef struct block { struct block *next; size_t size; unsigned char *data; } block;

static __thread void *current;
static int contexts[2], failed, launches;
static size_t allocated;
static block *blocks;
static int lock;

static void enter(void) { while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {} }
static void leave(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
static size_t setting(const char *name) { const char *s = getenv(name); return s ? strtoull(s, 0, 10) : 0; }
static void told(const char *call) {
  const char *name = getenv("FAKE_CUDA_CALLS");
  FILE *f = name ? fopen(name, "a") : NULL;
  if (f) fprintf(f, "%s\n", call), fclose(f);
}
#define CURRENT do { if (!current) return INVALID_CONTEXT; if (failed) return LAUNCH_FAILED; } while (0)

int cuInit(unsigned flags) { return flags ? INVALID_VALUE : OK; }
int cuDriverGetVersion(int *v) { *v = 12040; return OK; }
static int devices(void) { return setting("FAKE_CUDA_DEVICES") == 2 ? 2 : 1; }
int cuDeviceGetCount(int *n) { *n = devices(); return OK; }
int cuDeviceGet(int *d, int i) { *d = i; return i >= devices() ? INVALID_VALUE : OK; }
int cuDeviceGetName(char *s, int n, int d) { (void)d; snprintf(s, n, "Fake GPU"); return OK; }
int cuDeviceTotalMem_v2(size_t *n, int d) { (void)d; *n = 1ULL << 33; return OK; }
int cuDeviceGetAttribute(int *v, int a, int d) {
  (void)d;
  switch (a) {
  case 1: *v = 1024; break; // threads of a block, then block and grid dimensions
  case 2: case 3: *v = 1024; break;
  case 4: *v = 64; break;
  case 5: *v = 2147483647; break;
  case 6: case 7: *v = 65535; break;
  case 8: *v = 49152; break;
  case 13: *v = 1000000; break; // kHz of multiprocessors and memory, bits of memory, float32 to float64
  case 16: *v = 1; break;
  case 36: *v = 2000000; break;
  case 37: *v = 512; break;
  case 87: *v = 2; break;
  case 75: *v = 9; break;
  case 76: *v = 0; break;
  default: return INVALID_VALUE;
  }
  return OK;
}
int cuDevicePrimaryCtxSetFlags_v2(int d, unsigned flags) { (void)flags; return d >= devices() ? INVALID_VALUE : OK; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = &contexts[d]; return d >= devices() ? INVALID_VALUE : OK; }
int cuDevicePrimaryCtxRelease_v2(int d) { return d >= devices() ? INVALID_VALUE : OK; }
int cuDevicePrimaryCtxReset_v2(int d) { // what was allocated in it is no more
  if (d >= devices()) return INVALID_VALUE;
  if (setting("FAKE_CUDA_GONE")) return LAUNCH_FAILED;
  enter();
  for (block *b = blocks; b; b = b->next) memset(b->data, 0xEE, b->size);
  blocks = NULL, allocated = 0, failed = 0;
  leave();
  return OK;
}
int cuDeviceCanAccessPeer(int *can, int d, int other) { *can = d != other; return OK; }
static int enabled; // a bit a context that may read the other
int cuCtxEnablePeerAccess(void *c, unsigned flags) {
  CURRENT;
  if (flags || c == current) return INVALID_VALUE;
  int bit = current == &contexts[0] ? 1 : 2, before = __atomic_fetch_or(&enabled, bit, __ATOMIC_RELAXED);
  return before & bit ? 704 : OK;
}
int cuCtxSetCurrent(void *c) { current = c; return c == &contexts[0] || c == &contexts[1] ? OK : INVALID_CONTEXT; }
int cuMemGetInfo_v2(size_t *n, size_t *all) {
  CURRENT;
  *n = *all = setting("FAKE_CUDA_TELLS") ? setting("FAKE_CUDA_MEMORY") - allocated : 1ULL << 33;
  return OK;
}

enum { UPLOAD = 1, COMPUTE, DOWNLOAD };
typedef struct graph graph;
typedef struct { int kind; long free; graph *takes; } stream; // ns until which it works; what takes its launches in, while it does
typedef struct { long at; } event;

static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }

// later has a stream work until so many ns after now, or after what it works on.
static void later(stream *s, long from, long ns) {
  enter();
  if (s->free < from) s->free = from;
  s->free += ns;
  leave();
}

// works notes what kind of work a stream does, and that it takes the time that it was told to. What it does is done at once.
static int works(void *s, int kind) {
  int before = 0;
  if (!s || !__atomic_compare_exchange_n(&((stream *)s)->kind, &before, kind, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) && before != kind) return 0;
  later(s, now(), (long)setting("FAKE_CUDA_SLOW") * 1000000);
  return 1;
}

int cuMemAlloc_v2(unsigned long long *p, size_t n) {
  CURRENT;
  told("cuMemAlloc");
  size_t limit = setting("FAKE_CUDA_MEMORY");
  if (!n) return INVALID_VALUE;
  enter();
  int full = limit && allocated + n > limit;
  block *b = full ? NULL : malloc(sizeof *b);
  if (b) {
    b->size = n, b->next = blocks;
    b->data = (unsigned char *)aligned_alloc(256, (n + 2 * 256 + 255) / 256 * 256) + 256;
    memset(b->data - CANARY, CANARY_BYTE, n + 2 * CANARY);
    blocks = b, allocated += n;
    *p = (unsigned long long)b->data;
  }
  leave();
  return b ? OK : OUT_OF_MEMORY;
}
int cuMemFree_v2(unsigned long long p) {
  CURRENT;
  told("cuMemFree");
  int code = INVALID_VALUE;
  enter();
  for (block **at = &blocks; *at; at = &(*at)->next) {
    block *b = *at;
    if ((unsigned long long)b->data != p) continue;
    for (int i = 0; i < CANARY; i++) {
      if (b->data[-1 - i] != CANARY_BYTE || b->data[b->size + i] != CANARY_BYTE) { fprintf(stderr, "fake driver: written outside of memory\n"); abort(); }
    }
    *at = b->next, allocated -= b->size, code = OK;
    free(b->data - 256);
    free(b);
    break;
  }
  leave();
  return code;
}
static int inside(unsigned long long p, size_t n) {
  int yes = 0;
  enter();
  for (block *b = blocks; b; b = b->next) yes |= p >= (unsigned long long)b->data && p + n <= (unsigned long long)b->data + b->size;
  leave();
  return yes;
}
#define WITHIN(p, n) do { CURRENT; if (!inside(p, n)) return INVALID_VALUE; } while (0)
int cuMemcpyHtoDAsync_v2(unsigned long long d, const void *h, size_t n, void *s) { WITHIN(d, n); if (!works(s, UPLOAD)) return INVALID_VALUE; memcpy((void *)d, h, n); return OK; }
int cuMemcpyDtoHAsync_v2(void *h, unsigned long long d, size_t n, void *s) { WITHIN(d, n); if (!works(s, DOWNLOAD)) return INVALID_VALUE; memcpy(h, (void *)d, n); return OK; }
int cuMemcpyPeerAsync(unsigned long long to, void *c, unsigned long long from, void *other, size_t n, void *s) {
  WITHIN(to, n);
  WITHIN(from, n);
  if (c != current || other == c || !(enabled & (c == &contexts[0] ? 1 : 2)) || !works(s, UPLOAD)) return INVALID_VALUE;
  memcpy((void *)to, (void *)from, n);
  return OK;
}
typedef struct { size_t x, y; int kind; unsigned char *host; unsigned long long device; void *array; size_t pitch; } side;
typedef struct { side from, to; size_t width, height; } rectangle;
int cuMemcpy2DAsync_v2(const rectangle *r, void *s) {
  int up = r->from.kind == 1 && r->to.kind == 2;
  const side *d = up ? &r->to : &r->from, *h = up ? &r->from : &r->to;
  if (!up && (r->from.kind != 2 || r->to.kind != 1) || r->from.x || r->from.y || r->to.x || r->to.y || d->pitch < r->width || h->pitch < r->width || !r->height) return INVALID_VALUE;
  WITHIN(d->device, (r->height - 1) * d->pitch + r->width);
  if (!works(s, up ? UPLOAD : DOWNLOAD)) return INVALID_VALUE;
  for (size_t i = 0; i < r->height; i++) {
    unsigned char *a = (unsigned char *)d->device + i * d->pitch, *b = h->host + i * h->pitch;
    if (up) memcpy(a, b, r->width); else memcpy(b, a, r->width);
  }
  return OK;
}
int cuMemsetD8Async(unsigned long long d, unsigned char v, size_t n, void *s) { told("cuMemset"); WITHIN(d, n); if (!s) return INVALID_VALUE; memset((void *)d, v, n); return OK; }
#define MEMSET2D(name, T, V) \
  int name(unsigned long long d, size_t pitch, V v, size_t w, size_t h, void *s) { \
    told("cuMemset"); \
    if (h) WITHIN(d, (h - 1) * pitch + w * sizeof(T)); \
    if (!s) return INVALID_VALUE; \
    for (size_t y = 0; y < h; y++) for (size_t x = 0; x < w; x++) ((T *)(d + y * pitch))[x] = (T)v; \
    return OK; \
  }
MEMSET2D(cuMemsetD2D8Async, unsigned char, unsigned char)
MEMSET2D(cuMemsetD2D16Async, unsigned short, unsigned short)
MEMSET2D(cuMemsetD2D32Async, unsigned, unsigned)

int cuMemHostAlloc(void **p, size_t n, unsigned flags) { CURRENT; told("cuMemHostAlloc"); (void)flags; *p = malloc(n); return *p ? OK : OUT_OF_MEMORY; }
int cuMemFreeHost(void *p) { CURRENT; told("cuMemFreeHost"); free(p); return OK; }

int cuModuleLoadData(void **m, const void *image) { CURRENT; *m = dlopen(image, RTLD_NOW | RTLD_LOCAL); return *m ? OK : 300; }

typedef struct { int (*run)(const weft_launch *); int params; } function;

int cuModuleGetFunction(void **f, void *m, const char *name) {
  char symbol[256];
  CURRENT;
  function *k = malloc(sizeof *k);
  snprintf(symbol, sizeof symbol, "%s_run", name);
  k->run = (int (*)(const weft_launch *))dlsym(m, symbol);
  snprintf(symbol, sizeof symbol, "%s_params", name);
  int *params = dlsym(m, symbol);
  if (!k->run || !params) return NOT_FOUND;
  k->params = *params;
  *f = k;
  return OK;
}
int cuFuncGetAttribute(int *v, int a, void *f) {
  CURRENT;
  *v = a == 4 ? 32 : a == 1 ? 256 : 0; // registers, shared memory, local memory
  return f && v ? OK : INVALID_VALUE;
}
typedef struct { function *of; int grid[3], block[3]; void *params[512]; } node;
struct graph { int count; node nodes[64]; };
static int run(const node *n) {
  size_t last = setting("FAKE_CUDA_FAILS") + setting("FAKE_CUDA_GONE");
  if (last && __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED) == (int)last) { failed = 1; return OK; } // as a GPU: later calls tell
  void *slots[512];
  memcpy(slots, n->params, sizeof slots);
  weft_launch l = {slots, {n->grid[0], n->grid[1], n->grid[2]}, {n->block[0], n->block[1], n->block[2]}};
  return n->of->run(&l) ? LAUNCH_FAILED : OK;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **p, void **extra) {
  CURRENT;
  function *k = f;
  node n = {k, {gx, gy, gz}, {bx, by, bz}, {0}};
  if (!s || !gx || gy > 65535 || gz > 65535 || bx * by * bz > 1024 || bz > 64 || shared || extra || k->params > 512) return INVALID_VALUE;
  for (int i = 0; i < k->params; i++) memcpy(&n.params[i], p[i], 8);
  graph *g = ((stream *)s)->takes;
  if (g) {
    if (g->count == 64) return INVALID_VALUE;
    g->nodes[g->count++] = n;
    return OK;
  }
  told("cuLaunchKernel");
  return works(s, COMPUTE) ? run(&n) : INVALID_VALUE;
}
int cuStreamDestroy_v2(void *s) { CURRENT; if (!s || ((stream *)s)->takes) return INVALID_VALUE; free(s); return OK; }
#ifndef NO_GRAPHS
int cuStreamBeginCapture_v2(void *s, int mode) { CURRENT; stream *t = s; if (!t || t->takes || t->kind || mode != 1) return INVALID_VALUE; t->takes = calloc(1, sizeof(graph)); return OK; }
int cuStreamEndCapture(void *s, void **g) { CURRENT; stream *t = s; if (!t || !t->takes) return INVALID_VALUE; *g = t->takes, t->takes = NULL; return OK; }
int cuGraphInstantiateWithFlags(void **exec, void *g, unsigned long long flags) {
  CURRENT;
  told("cuGraphInstantiate");
  if (!g || flags) return INVALID_VALUE;
  *exec = malloc(sizeof(graph));
  memcpy(*exec, g, sizeof(graph));
  return OK;
}
int cuGraphLaunch(void *exec, void *s) {
  CURRENT;
  told("cuGraphLaunch");
  if (!exec || !works(s, COMPUTE)) return INVALID_VALUE;
  int code = OK;
  for (int i = 0; i < ((graph *)exec)->count && !code && !failed; i++) code = run(&((graph *)exec)->nodes[i]);
  return code;
}
int cuGraphExecDestroy(void *exec) { CURRENT; told("cuGraphExecDestroy"); free(exec); return exec ? OK : INVALID_VALUE; }
int cuGraphDestroy(void *g) { CURRENT; free(g); return g ? OK : INVALID_VALUE; }
#endif
int cuStreamCreate(void **s, unsigned flags) { CURRENT; (void)flags; *s = calloc(1, sizeof(stream)); return OK; }
int cuStreamSynchronize(void *s) { CURRENT; return s ? OK : INVALID_VALUE; }
int cuStreamWaitEvent(void *s, void *e, unsigned flags) { CURRENT; if (!s || !e || flags) return INVALID_VALUE; later(s, ((event *)e)->at, 0); return OK; }
int cuEventCreate(void **e, unsigned flags) { CURRENT; (void)flags; *e = calloc(1, sizeof(event)); return OK; }
int cuEventRecord(void *e, void *s) { CURRENT; if (!e || !s) return INVALID_VALUE; ((event *)e)->at = ((stream *)s)->free; return OK; }
int cuEventQuery(void *e) { CURRENT; return !e ? INVALID_VALUE : ((event *)e)->at > now() ? NOT_READY : OK; }
int cuEventSynchronize(void *e) {
  CURRENT;
  if (!e) return INVALID_VALUE;
  for (long left; (left = ((event *)e)->at - now()) > 0;) nanosleep(&(struct timespec){left / 1000000000L, left % 1000000000L}, 0); // a signal, as Go's runtime sends, ends it early
  return OK;
}
int cuEventElapsedTime(float *ms, void *a, void *b) { CURRENT; *ms = 0.5f; return a && b ? OK : INVALID_VALUE; }

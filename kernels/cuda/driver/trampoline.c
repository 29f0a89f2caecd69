//go:build cuda

#include "driver.h"
#include "symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NO_DEVICE = 100, NOT_FOUND = 500 }; // CUDA_ERROR_NO_DEVICE, CUDA_ERROR_NOT_FOUND

static int no_device(void) { return NO_DEVICE; }
static int not_found(void) { return NOT_FOUND; }

// Every symbol jumps to where its slot points.
#if defined(__x86_64__)
#define JUMP(name) "jmp *weft_cu_slot_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, weft_cu_slot_" #name "\nldr x16, [x16, :lo12:weft_cu_slot_" #name "]\nbr x16\n"
#else
#error "trampolines to libcuda are written for x86-64 and arm64"
#endif
#define TRAMPOLINE(name) \
  __attribute__((visibility("hidden"))) void *weft_cu_slot_##name = (void *)no_device; \
  __asm__(".text\n.balign 16\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(name) ".size " #name ", .-" #name "\n");
WEFT_CU_SYMBOLS(TRAMPOLINE)

// cu calls cuInit when the program starts and ends it on an error; the driver is started later, by weft_cu_open.
int cuInit(unsigned flags) { (void)flags; return 0; }

static const struct { const char *name; void **slot; } table[] = {
#define ROW(name) {#name, &weft_cu_slot_##name},
  WEFT_CU_SYMBOLS(ROW)
};

// Without these there is nothing to be had from a driver; others may be absent from old or new ones.
static const char *const needed[] = {
  "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceTotalMem_v2", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
  "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async", "cuMemsetD2D8Async", "cuMemsetD2D16Async", "cuMemsetD2D32Async",
  "cuMemGetInfo_v2", "cuModuleLoadData", "cuModuleGetFunction", "cuFuncGetAttribute",
  "cuLaunchKernel", "cuStreamCreate", "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuEventSynchronize", "cuEventElapsedTime", "cuStreamWaitEvent",
};

int weft_cu_open(char *why, int n, char *missing, int m) {
  why[0] = missing[0] = 0;
  void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!lib) {
    const char *said = dlerror();
    snprintf(why, n, "%s", said ? said : "the loader gives no reason");
    return -1;
  }
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(lib, "cuInit");
  if (!init) {
    snprintf(missing, m, "cuInit");
    return NOT_FOUND;
  }
  for (unsigned i = 0; i < sizeof needed / sizeof needed[0]; i++) {
    if (!dlsym(lib, needed[i])) {
      snprintf(missing, m, "%s", needed[i]);
      return NOT_FOUND;
    }
  }
  int code = init(0);
  if (code) return code;
  for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
    void *to = dlsym(lib, table[i].name);
    __atomic_store_n(table[i].slot, to ? to : (void *)not_found, __ATOMIC_RELEASE);
  }
  return 0;
}

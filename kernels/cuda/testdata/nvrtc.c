// A libnvrtc for tests beside driver.c: it leaves compiling to the program FAKE_NVRTC, which is given the names of a source and of an
// object, and gives the object's name for machine code.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_INPUT = 3, COMPILATION = 6 };
typedef struct { char *source, object[512]; } program;

int nvrtcVersion(int *major, int *minor) { *major = 12, *minor = 9; return OK; }
const char *nvrtcGetErrorString(int code) { return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 1; return OK; }
int nvrtcGetSupportedArchs(int *list) { list[0] = 90; return OK; }
int nvrtcCreateProgram(void **p, const char *source, const char *name, int headers, const char **texts, const char **names) {
  (void)name, (void)texts, (void)names;
  if (headers) return INVALID_INPUT;
  program *made = calloc(1, sizeof *made);
  made->source = strdup(source);
  *p = made;
  return OK;
}
int nvrtcDestroyProgram(void **p) { free(((program *)*p)->source); free(*p); *p = 0; return OK; }

int nvrtcCompileProgram(void *p, int n, const char **options) {
  program *q = p;
  char source[] = "/tmp/fake-nvrtc-XXXXXX", command[2048];
  const char *folder = getenv("FAKE_NVRTC_FOLDER"), *compiler = getenv("FAKE_NVRTC");
  if (n < 1 || strcmp(options[0], "--gpu-architecture=sm_90") || !folder || !compiler) return INVALID_INPUT;
  int fd = mkstemp(source);
  FILE *f = fd < 0 ? 0 : fdopen(fd, "w");
  if (!f || fputs(q->source, f) < 0 || fclose(f)) return INVALID_INPUT;
  snprintf(q->object, sizeof q->object, "%s/%s.so", folder, strrchr(source, '/') + 1);
  snprintf(command, sizeof command, "FAKE_NVRTC_SOURCE=%s FAKE_NVRTC_OBJECT=%s %s >&2", source, q->object, compiler);
  int failed = system(command);
  remove(source);
  return failed ? COMPILATION : OK;
}
int nvrtcGetProgramLogSize(void *p, size_t *n) { (void)p; *n = 1; return OK; }
int nvrtcGetProgramLog(void *p, char *text) { (void)p; *text = 0; return OK; }
int nvrtcGetPTXSize(void *p, size_t *n) { (void)p, (void)n; return INVALID_INPUT; }
int nvrtcGetPTX(void *p, char *text) { (void)p, (void)text; return INVALID_INPUT; }
int nvrtcGetCUBINSize(void *p, size_t *n) { *n = strlen(((program *)p)->object) + 1; return OK; }
int nvrtcGetCUBIN(void *p, char *text) { strcpy(text, ((program *)p)->object); return OK; }

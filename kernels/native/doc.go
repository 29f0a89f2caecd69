// Package native runs kernels on the CPU: package codegen turns them into C with explicit vectors, the system's compiler
// makes a shared object of it, and the object is loaded without cgo. Objects are kept on disk, so that a kernel is compiled
// once per machine; a warm start runs no compiler at all.
//
// Environment: WEFT_CC names the compiler (otherwise CC, cc, gcc and clang are tried), flags of its own included, of which -O0 to -O3
// replace what kernels are otherwise compiled with; WEFT_ISA the instruction set
// (avx512, avx2 or portable; otherwise the best the processor has), WEFT_CACHE the cache folder (otherwise weft in the
// user's cache folder).
package native

// Package emulated runs the CUDA dialect on the CPU: devices described in YAML, with memory of their own that only copies
// reach, the geometry and limits of a GPU, failures on demand, and a clock that runs at the described speeds. What runs
// is the CUDA source itself, compiled by the C compiler over a small header that plays the parts of CUDA: blocks
// and threads are loops, or, where threads wait for each other, coroutines.
//
// It proves that kernels, launches, copies and the handling of failures are right. It proves nothing about speed, nor about
// what NVIDIA's compiler and driver make of the source.
package emulated

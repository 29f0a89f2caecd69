// Package nvrtc compiles CUDA C with NVIDIA's run-time compiler, found on the machine and loaded without cgo. It needs no
// driver and no GPU: code for any architecture that the library knows can be compiled anywhere.
package nvrtc

// Package cuda runs kernels on NVIDIA GPUs. Package render turns them into CUDA C, NVRTC (loaded at run time) makes machine
// code of that, the CUDA driver (loaded at run time, by gorgonia.org/cu over a trampoline of weft's own) runs it.
//
// The device itself needs the build tag cuda; without it Devices says so. Compiling needs neither the tag nor a GPU.
package cuda

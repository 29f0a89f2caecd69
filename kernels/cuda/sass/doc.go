// Package sass counts the instructions of NVIDIA's machine code, as its disassembler prints them: what a turn of a loop, or the way through a
// kernel, takes of a multiprocessor. It needs no GPU.
package sass

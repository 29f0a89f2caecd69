package device

import "weft/kernels/ir"

// Resources are what a compiled kernel takes of a GPU. A zero is unknown where there is no Architecture, and Unknown then says
// why.
type Resources struct {
	Architecture string // that the kernel was compiled for, as sm_90
	Registers    int    // of a thread, 32 bits each
	Shared       int    // bytes of memory that a block's threads share
	Spill        int    // bytes of a thread's local memory: registers without room, and scratch of functions such as sin
	Unknown      string // why the above are not known
}

// Describer is a device that can say how it would run a kernel without making ready to: schedule, source, and what the kernel
// takes of it. That compiles the kernel for its architecture, which may take a second, where a compiler is at hand.
type Describer interface {
	Describe(k *ir.Kernel) (Report, error)
}

package nvrtc

import "fmt"

// Target is what code is made for.
type Target struct {
	Capability int  // compute capability, 90 for 9.0
	PTX        bool // virtual code, which a driver finishes for its device, instead of machine code
}

func (t Target) option() string {
	if t.PTX {
		return fmt.Sprintf("--gpu-architecture=compute_%d", t.Capability)
	}
	return fmt.Sprintf("--gpu-architecture=sm_%d", t.Capability)
}

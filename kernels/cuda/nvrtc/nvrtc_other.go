//go:build !linux && !darwin

package nvrtc

import "errors"

// Library is a loaded NVRTC; there is none on this system.
type Library struct{}

// Open reports that NVRTC is not loaded on this system.
func Open() (*Library, error) {
	return nil, &NotFoundError{Tried: []string{"not on this operating system"}}
}

// OpenFor reports the same.
func OpenFor(int) (*Library, error) { return Open() }

// String names the library.
func (l *Library) String() string { return "" }

// Version is the CUDA version the library belongs to.
func (l *Library) Version() (major, minor int) { return 0, 0 }

// Supports reports that the library makes machine code for a compute capability.
func (l *Library) Supports(int) bool { return false }

// Best is what code to make for a capability.
func (l *Library) Best(capability int) Target { return Target{Capability: capability} }

// Compile is refused.
func (l *Library) Compile(string, string, Target, []string) ([]byte, error) {
	return nil, errors.New("nvrtc: not on this operating system")
}

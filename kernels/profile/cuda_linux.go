package profile

import "github.com/ebitengine/purego"

// MissingCUDA says why there is no CUDA device.
func MissingCUDA() string {
	const library = "libcuda.so.1"
	handle, err := purego.Dlopen(library, purego.RTLD_LAZY)
	if err != nil {
		return library + " not found"
	}
	_ = purego.Dlclose(handle) // nothing else holds it
	return library + " is there, but this weft is built without the cuda tag"
}

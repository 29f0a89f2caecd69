//go:build !linux

package aside

// lower does nothing where threads have no priorities of their own.
func lower() {}

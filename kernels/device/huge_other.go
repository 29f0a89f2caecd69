//go:build unix && !linux

package device

// adviseHuge does nothing: these systems choose page sizes themselves.
func adviseHuge([]byte) {}

package result

import (
	"fmt"

	"weft/ops/problem"
)

// kindNames are what people call a kind of device.
var kindNames = map[string]string{"native": "CPU", "interp": "interpreter", "cuda": "GPU", "emulated": "GPU"}

// KindName is what people call a kind of device.
func KindName(kind string) string {
	if n, ok := kindNames[kind]; ok {
		return n
	}
	return kind
}

// Refused is the error of a fallback in a run that allows none.
func (f Fallback) Refused() error {
	return problem.Wrong(problem.StrictFallback, "", "run without --strict to continue on another device", "[%s] %s failed: %s", f.Device, f.Stage, f.Reason)
}

// Line tells of a fallback to a kind of device.
func (f Fallback) Line(to string) string {
	return fmt.Sprintf("[%s] %s failed: %s. %s fallback.", f.Device, f.Stage, f.Reason, KindName(to))
}

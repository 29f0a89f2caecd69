// Package audit compares what kernels stored with what they should have: which elements (points), what they should hold (references in
// float64), what counts as the same (rules and metrics). Who looks at how many elements, and what becomes of a wrong one, is the callers'
// policy: runs, devices that share a kernel, searches of precision, verification.
package audit

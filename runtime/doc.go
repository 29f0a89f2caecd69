// Package runtime executes a plan: it reads the inputs, launches kernels tile by tile over goroutines, hands results to
// sinks, frees what is not needed any more, and measures.
//
// Nothing happens silently. A stage that fails on a device runs on the next one of the chain, which is logged, counted and
// an error under Strict. After every kernel a sample of what it stored is calculated again in float64 and compared. A run
// that is cancelled stops between two tiles.
package runtime

// Package exec is what runs of steps are made of: it gives arrays memory, launches a kernel over tiles on several threads, and describes rows of a kernel
// to devices with memory of their own. Runs, searches of precision, tuning and verification all run kernels this way.
package exec

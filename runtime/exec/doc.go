// Package exec runs one step of a plan: it gives arrays memory, launches a kernel over tiles on several threads, and describes rows of a kernel
// to devices with memory of their own. Runs, searches of precision, tuning and verification all run kernels this way.
package exec

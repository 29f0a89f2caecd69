//go:build unix && !linux

package memory

import "golang.org/x/sys/unix"

func adviseHuge([]byte)  {}
func adviseSmall([]byte) {}

// discard lets the system take pages when it needs memory; until then they still count as the process's.
func discard(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }

// withoutSwap: these systems count memory when it is touched.
const withoutSwap = 0

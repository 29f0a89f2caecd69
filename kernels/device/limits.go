package device

import (
	"errors"
	"time"
)

// Limits are what a device cannot exceed. Zero is no limit of its own: the host's.
type Limits struct {
	Memory  int64  // bytes for buffers
	Grid    [3]int // blocks of a launch in x, y and z
	Block   [3]int // threads of a block in x, y and z
	Threads int    // threads of a block in all
	Shared  int    // bytes of memory that a block's threads share
}

// Least are limits that keep to those of others too.
func (l Limits) Least(o Limits) Limits {
	least := func(a, b int) int {
		if a == 0 || b == 0 {
			return max(a, b)
		}
		return min(a, b)
	}
	for i := range l.Block {
		l.Grid[i], l.Block[i] = least(l.Grid[i], o.Grid[i]), least(l.Block[i], o.Block[i])
	}
	l.Memory, l.Threads, l.Shared = int64(least(int(l.Memory), int(o.Memory))), least(l.Threads, o.Threads), least(l.Shared, o.Shared)
	return l
}

// What callers react to besides failing: a smaller tile may fit in memory, and a lost device answers nothing any more.
var (
	ErrMemory = errors.New("out of device memory")
	ErrLost   = errors.New("device lost")
)

// Usage is what a device has done so far. Times are its own, not the host's: a real device's are measured on it, an
// emulated one's follow from its description.
type Usage struct {
	Launches          int64
	Waits             int64         // times that the host waited for a launch or a copy
	Compute           time.Duration // of launches
	Upload, Download  time.Duration // of copies
	BytesIn, BytesOut int64         // copied
	BytesAcross       int64         // copied from other devices
	Allocated, Peak   int64         // bytes
}

// Metered is a device that accounts for its work.
type Metered interface {
	Usage() Usage
}

// Pinner is a device that lends page-locked host memory. Copies from and to it go at the link's full rate and beside
// launches; from other memory they are slower, and equal in their results. A refusal is an error, never a crash.
type Pinner interface {
	Pin(bytes int) (data []byte, free func(), err error)
}

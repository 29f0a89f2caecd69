package device

import (
	"context"
	"fmt"
	"time"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// Queued is a Program whose launches need not be waited for one by one.
type Queued interface {
	Program
	// Enqueue is Bind, but its launches return as soon as the device has them in line. They begin in the order in which they were put there, once what
	// they are given is there; copies from and to memory that one in line uses wait for it, and so does whoever gets that memory after it is freed. What becomes of a
	// launch is told by what it returns: those behind one that failed run on whatever memory holds.
	Enqueue(b Bindings) (func(region.Region) (Pending, error), error)
}

// Streaming is memory to and from which copies need not be waited for one by one. Those of one direction are done in the order in which they were put in line, each
// behind the launches in line that use the memory. The host's side is theirs until they are over.
type Streaming interface {
	Pitched
	EnqueueIn(ctx context.Context, to Lines, src []byte) (Pending, error)
	EnqueueOut(ctx context.Context, dst []byte, from Lines) (Pending, error)
}

// Pending is a launch or a copy in line.
type Pending interface {
	// Wait returns when it is over: how long the device took for it, and what became of it. It may be called again.
	Wait() (time.Duration, error)
}

// Gathering is memory of which pieces that lie all over come to the host together, by one wait.
type Gathering interface {
	Memory
	// EnqueueGather is Streaming.EnqueueOut for pieces that are packed into dst, one behind the other.
	EnqueueGather(ctx context.Context, dst []byte, pieces []Span) (Pending, error)
}

// CheckPieces reports pieces that are not as long as their bytes.
func CheckPieces(pieces []Span, n int) error {
	for _, p := range pieces {
		n -= int(p.To - p.From)
	}
	if n != 0 {
		return fmt.Errorf("%d pieces are %d bytes apart from what they are packed into", len(pieces), n)
	}
	return nil
}

// Peer is memory to which memory of some other devices is copied without the host.
type Peer interface {
	Memory
	Reaches(from Memory) bool
	// CopyAcross copies spans of the same buffer's memory on another device that it reaches, behind what is in line for either, and returns when they are there.
	CopyAcross(ctx context.Context, from Memory, spans []Span) error
}

// Blank is a device that gives memory for what will be stored before it is read: elements may hold anything, padding and margins hold what they
// do otherwise.
type Blank interface {
	AllocBlank(buf *ir.Buffer) (Memory, error)
}

// Reopener is a device that can be opened once more after it was lost: with nothing in its memory, and without programs.
type Reopener interface {
	Reopen() error
}

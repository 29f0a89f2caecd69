package device

import "context"

// Peaking is memory of which the device itself finds the largest finite magnitude.
type Peaking interface {
	Memory
	// EnqueuePeak finds that of the elements of lines, each with the one at the same place of other memory of its type as its imaginary part (nil: none), behind the launches in
	// line that use them.
	EnqueuePeak(ctx context.Context, of Lines, imaginary Memory) (Peak, error)
}

// Peak is looking for one in line.
type Peak interface {
	Pending
	// Found is the largest finite magnitude, once Wait has said that all were looked at; of none, 0.
	Found() float64
}

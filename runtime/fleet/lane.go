package fleet

import (
	"context"
	"fmt"
	"time"

	"weft/runtime/trace"
)

// turn is a lock that is held while devices work.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) Lock()   { t <- struct{}{} }
func (t turn) Unlock() { <-t }

// lane is one of the three things a device does beside each other, one piece of work at a time.
type lane struct {
	turn   turn // taken by who works
	name   string
	number int // in the trace
}

const (
	upload = iota
	compute
	download
	lanes
)

var laneNames = [lanes]string{"upload", "compute", "download"}

// firstLane is the trace's lane of the first device; workers of the host have the ones before it.
const firstLane = 1000

func newLanes(t *trace.Writer, device string, at int) (out [lanes]*lane) {
	for i, name := range laneNames {
		out[i] = &lane{turn: newTurn(), name: name, number: firstLane + lanes*at + i}
		t.Name(out[i].number, fmt.Sprintf("%s %s", device, name))
	}
	return out
}

// do waits until the lane is free and does a piece of work there. The time is that of the work alone.
func (l *lane) do(ctx context.Context, t *trace.Writer, stage string, args map[string]any, work func() error) (time.Duration, error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { <-l.turn }()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	start := time.Now()
	err := work()
	t.Span(l.number, l.name, stage, start, args)
	return time.Since(start), err
}

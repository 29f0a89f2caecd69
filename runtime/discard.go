package runtime

import (
	"context"

	"weft/kernels/region"
	"weft/ops"
)

// discarded is what a sink notes that does nothing.
var discarded = ops.Note{Text: "discarded"}

// discard is a sink by rows that does nothing.
type discard struct{}

func (discard) Write(context.Context, region.Region, []ops.HostArray) error { return nil }
func (discard) Sync() (ops.Mark, error)                                     { return ops.Mark{}, nil }
func (discard) Commit(context.Context) (ops.Note, error)                    { return discarded, nil }
func (discard) Suspend() error                                              { return nil }
func (discard) Abort() error                                                { return nil }

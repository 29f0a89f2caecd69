package exec

import (
	"context"

	"weft/kernels/region"
	"weft/ops"
)

// Discarded is what a sink notes that does nothing.
var Discarded = ops.Note{Text: "Discarded"}

// Discard is a sink by rows that does nothing.
type Discard struct{}

func (Discard) Write(context.Context, region.Region, []ops.HostArray) error { return nil }
func (Discard) Mark() (ops.Mark, error)                                     { return ops.Mark{}, nil }
func (Discard) Sync() error                                                 { return nil }
func (Discard) Commit(context.Context) (ops.Note, error)                    { return Discarded, nil }
func (Discard) Suspend() error                                              { return nil }
func (Discard) Abort() error                                                { return nil }

package check

import (
	"context"

	"weft/ops"
)

func noSink(context.Context, *ops.Call, []ops.HostArray, ops.Terminal) (ops.Note, error) {
	return ops.Note{}, nil
}

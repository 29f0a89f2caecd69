package operand

import "weft/ops"

// Tolerances that f32 keeps with room to spare, and their metrics.
var (
	Exact   = ops.ErrorRule{Metric: ops.Exact}
	Turning = ops.ErrorRule{Metric: ops.Angle, Tolerance: 1e-4}
	Rounded = ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5}
)

package sky

import (
	"weft/ops"
	"weft/ops/problem"
)

// noHeights is what is wrong with an input that holds no number.
func noHeights(c *ops.Call) error {
	name, help := "the input", "see that what it is computed of holds heights"
	if in, ok := c.Array("input"); ok && in.Of != nil && in.Of.Spec != nil && in.Of.Spec.Source != nil && in.Of.Spec.File != nil {
		name, help = in.Of.Spec.File(in.Of.Call), "see that it covers the place, and that its nodata value and mask are right: gdalinfo -stats shows them"
	}
	return problem.Wrong(problem.NoHeights, "input", help, "%s holds no heights: every pixel is nodata or NaN", name)
}

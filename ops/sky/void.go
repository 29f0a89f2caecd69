package sky

import "weft/ops/problem"

// noHeights is what is wrong with an input that holds no number.
func (r raster) noHeights() error {
	name, help := "the input", "see that what it is computed of holds heights"
	if file := r.in.Of.File(); file != "" {
		name, help = file, "see that it covers the place, and that its nodata value and mask are right: gdalinfo -stats shows them"
	}
	return problem.Wrong(problem.NoHeights, "input", help, "%s holds no heights: every pixel is nodata or NaN", name)
}

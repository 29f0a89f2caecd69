package runtime

import (
	"math/cmplx"

	"weft/kernels/region"
	"weft/ops"
)

// spare is how many points are drawn for each one that is wanted where a metric looks at loud elements only.
const spare = 16

// points are where a kernel is sampled over some rows. Of an array that is judged by its level the loud elements are, as far as
// enough points fall on them: the others say nothing.
func (c *check) points(shape []int, rows region.Interval, n int) ([][]int, error) {
	r := c.run
	var loud []func(p []int) bool
	for _, s := range c.taken {
		b := r.arrays.byStage[s.stage]
		if r.ruleOf(s.stage).Metric != ops.Level || inner(s.stage) != 1 {
			continue
		}
		h, err := r.arrays.host(b.ID)
		if err != nil {
			return nil, err
		}
		least := Quietest * peakOf(h, rows, r.opt.Threads)
		loud = append(loud, func(p []int) bool { return cmplx.Abs(h.Complex(flatten(p, s.stage.Type.Shape()))) >= least })
	}
	draw := n
	if loud != nil {
		draw *= spare
	}
	var out [][]int
	for _, p := range samplePoints(shape, draw, r.opt.Seed+uint64(rows.Lo)) {
		if len(p) > 0 {
			p[0] += rows.Lo
		}
		heard := true
		for _, f := range loud {
			heard = heard && f(p)
		}
		if heard && len(out) < n {
			out = append(out, p)
		}
	}
	return out, nil
}

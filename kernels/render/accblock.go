package render

import (
	"fmt"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Float64 sums of float32 terms may be kept in float32 within a block of iterations and widened once a block: as fast as
// a float32 sum, with the error of a block's few additions only.

// narrowSums finds the accumulators to keep so and declares their float32 shares.
func (r *renderer) narrowSums(c *loop, b *block) {
	if c.f.Monoid != ir.Sum {
		return
	}
	c.narrow = map[int][]schedule.Signed{}
	for q, a := range c.f.Accs {
		terms, ok := schedule.SumTerms(c.f, c.f.Step[q], a)
		if !ok {
			continue
		}
		if terms, ok = schedule.NarrowTerms(terms); !ok {
			continue
		}
		c.narrow[q] = terms
		for _, v := range c.copies {
			r.variable(b.outer, r.narrowName(c, q, v), scalar(ir.F32, "-0.0f"))
		}
	}
}

func (r *renderer) narrowName(c *loop, q, v int) value {
	base := fmt.Sprintf("n%d_%d", c.f.Accs[q].ID(), r.canon(r.vary.Of(c.f.Node), v))
	if c.vec {
		return vector(ir.F32, base)
	}
	return scalar(ir.F32, base)
}

func (r *renderer) narrowStep(c *loop, q, v int, terms []schedule.Signed) string {
	n := r.narrowName(c, q, v)
	x := n
	for _, t := range terms {
		op := ir.Add
		if t.Minus {
			op = ir.Sub
		}
		x = r.op(op, ir.F32, x, r.val(t.N, v, patch))
	}
	return set(n, x)
}

// widenSums adds the shares to the accumulators, at the end of a block.
func (r *renderer) widenSums(c *loop) (lines []string) {
	for q, a := range c.f.Accs {
		if _, ok := c.narrow[q]; !ok {
			continue
		}
		for _, v := range c.copies {
			acc := r.accName(a, v)
			lines = append(lines, set(acc, r.op(ir.Add, ir.F64, acc, paren(convert(ir.Cast, ir.F64, r.narrowName(c, q, v))))))
		}
	}
	return lines
}

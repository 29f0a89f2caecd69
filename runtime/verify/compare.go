package verify

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/runtime"
	"weft/runtime/audit"
)

// comparison is of one kernel.
type comparison struct {
	*runtime.Inspection
	opt    Options
	points [][]int
	ran    []audit.Sample // by array that the kernel stores, as the run left it
	rows   []Row
}

// budget bounds the operations in float64 for one kernel: some seconds; costliest is what a single point may take of them.
const (
	budget    = 1e9
	costliest = 3e8
)

// elements are the box of those that are picked from.
func (c *comparison) elements() region.Region {
	return c.Step.Kernel.Elements(c.Step.Kernel.IR.Domain())
}

func (c *comparison) kernel(ctx context.Context) (err error) {
	if cost := c.Reference.Cost; cost > costliest {
		c.skip(Subject{Name: "run"}, "", fmt.Sprintf("one element takes %.2g operations in float64", cost), true)
		return nil
	}
	n := max(1, min(c.opt.Samples, int(budget/max(1, c.Reference.Cost))))
	c.points = audit.Points(c.elements(), n, c.opt.Run.Seed)
	if c.ran, err = c.take(ctx, c.points); err != nil {
		return err
	}
	for _, s := range c.ran {
		r := c.row(s.Array, Subject{Name: "run"}, c.Step.Kernel.Schedule)
		r.judge(s)
		c.rows = append(c.rows, r)
	}
	for _, s := range c.opt.Subjects {
		variants, release, err := s.Variants(ctx, c.Inspection)
		if err != nil {
			c.skip(s, "", err.Error(), false)
		}
		for _, v := range variants {
			if err := c.variant(ctx, s, v); err != nil && ctx.Err() == nil {
				c.skip(s, v.Name, err.Error(), false)
			}
		}
		if release != nil {
			release()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// take samples what the run stored.
func (c *comparison) take(ctx context.Context, points [][]int) ([]audit.Sample, error) {
	taken, err := audit.Take(ctx, c.Reference, c.Stored, points, c.Arrays.Memory, c.Threads)
	if err != nil {
		return nil, err
	}
	for i := range taken {
		if taken[i].Largest = taken[i].Peak(c.Threads); c.ran != nil {
			taken[i].Largest = c.ran[i].Largest
		}
	}
	c.Reference.Settle(taken, points, c.Arrays.Memory)
	return taken, c.Given(ctx, c.Step, c.Reference, taken, points)
}

// made is what a subject has of some samples of the run, those of the given points.
func (c *comparison) made(ctx context.Context, ran []audit.Sample, points [][]int, numbers []int, own memory) ([]audit.Sample, error) {
	out := make([]audit.Sample, len(ran))
	for i, s := range ran {
		each := len(s.At) / max(1, len(points))
		var elements []int
		for _, p := range numbers {
			for e := range each {
				elements = append(elements, p*each+e)
			}
		}
		out[i] = s.Only(elements).In(audit.In(s.Array.Of, own))
	}
	chosen := make([][]int, len(numbers))
	for i, p := range numbers {
		chosen[i] = points[p]
	}
	c.Reference.Settle(out, chosen, c.Arrays.Memory)
	return out, c.Given(ctx, c.Step, c.Reference, out, chosen)
}

func (c *comparison) row(a audit.Array, subject Subject, variant string) Row {
	rule := a.Rule()
	return Row{
		Value: audit.Name(a.Of), Kernel: c.Step.ID, Subject: subject.Name, Variant: variant, Metric: rule.Metric, Tolerance: rule.Tolerance,
		Unit: a.Type.Unit.String(), OK: true,
	}
}

// skip says of all arrays why they are not compared.
func (c *comparison) skip(subject Subject, variant, why string, ok bool) {
	for _, a := range c.Stored {
		r := c.row(a, subject, variant)
		r.Skipped, r.OK = why, ok
		c.rows = append(c.rows, r)
	}
}

// judge fills in the errors of a sample.
func (r *Row) judge(s audit.Sample) {
	f := s.Figures()
	r.Max, r.P99, r.Mismatched, r.Samples, r.Ties = f.Worst, f.P99, f.Mismatched, len(s.Got), s.Ties
	for _, v := range s.Got {
		if real(v)-real(v) == 0 && imag(v)-imag(v) == 0 { // neither infinite nor NaN
			r.Finite++
		}
	}
	r.OK = s.OK()
}

// variant computes the kernel into memory of its own and compares.
func (c *comparison) variant(ctx context.Context, subject Subject, v Variant) error {
	own := memory{}
	defer own.free()
	for _, b := range c.Step.Kernel.IR.Outputs() {
		m, err := subject.Alloc(b)
		if err != nil {
			return err
		}
		own[b] = m
	}
	tiles, err := c.compute(ctx, subject, v, own)
	if err != nil {
		return err
	}
	var numbers []int
	for i, p := range c.points {
		if slices.ContainsFunc(tiles, func(tile region.Region) bool { return region.Point(p).Within(c.Step.Kernel.Elements(tile)) }) {
			numbers = append(numbers, i)
		}
	}
	whole := len(tiles) == len(v.Tiles) && !c.pointwise(subject)
	taken, err := c.made(ctx, c.ran, c.points, numbers, own)
	if err != nil {
		return err
	}
	for i, s := range taken {
		r := c.row(s.Array, subject, v.Name)
		r.judge(s)
		if err := c.differences(ctx, &r, i, s, own, whole); err != nil {
			return err
		}
		r.OK = r.OK && r.Difference <= r.mostDifferent()
		c.rows = append(c.rows, r)
	}
	return nil
}

// pointwise reports whether a subject computes the sampled points alone: of what is made in order it computes more.
func (c *comparison) pointwise(subject Subject) bool {
	return subject.Pointwise && c.Step.Kernel.IR.Pointwise()
}

// compute runs a variant over all its tiles, or over as many as its time allows, spread over the kernel, or over the sampled points
// alone, and says which it did.
func (c *comparison) compute(ctx context.Context, subject Subject, v Variant, own memory) (done []region.Region, err error) {
	if c.pointwise(subject) {
		for _, p := range c.points {
			done = append(done, region.Point(p))
		}
		return done, v.Run(ctx, done, own)
	}
	if !c.Step.Kernel.IR.Rowwise() { // any element may be made by any tile
		return v.Tiles, v.Run(ctx, v.Tiles, own)
	}
	order := scattered(v.Tiles)
	deadline := time.Now().Add(time.Duration(c.opt.Seconds * float64(time.Second)))
	for batch := c.Threads; len(done) < len(order) && (len(done) == 0 || time.Now().Before(deadline)); batch *= 2 {
		next := order[len(done):min(len(done)+batch, len(order))]
		if err := v.Run(ctx, next, own); err != nil {
			return nil, err
		}
		done = order[:len(done)+len(next)]
	}
	return done, nil
}

// scattered orders tiles so that the first few lie all over the kernel.
func scattered(tiles []region.Region) []region.Region {
	out := make([]region.Region, len(tiles))
	for i, at := range audit.Scattered(len(tiles)) {
		out[i] = tiles[at]
	}
	return out
}

// mostDifferent is how far two that are within the tolerance may differ.
func (r *Row) mostDifferent() float64 { return 2 * r.Tolerance }

// differences compares array i with what the run stored: everywhere if the subject computed everything, else at the points. What differs
// by more than the tolerances of both is looked at again.
func (c *comparison) differences(ctx context.Context, r *Row, i int, made audit.Sample, own memory, whole bool) error {
	ran := c.ran[i]
	var far [][]int
	compare := func(got, want []complex128, at func(e int) []int) {
		if f := audit.Compare(r.Metric, got, want, ran.Largest); f.Mismatched == 0 && f.Figure(r.Metric) <= r.mostDifferent() {
			r.Difference = max(r.Difference, f.Figure(r.Metric))
			return
		}
		for e := range got {
			if f := audit.Compare(r.Metric, got[e:e+1], want[e:e+1], ran.Largest); f.Mismatched > 0 || f.Worst > r.mostDifferent() {
				far = append(far, at(e))
			}
		}
	}
	if r.Compared = len(made.Got); !whole {
		compare(made.Got, ran.Array.Values(made.At), func(e int) []int { return made.At[e] })
		return c.settle(ctx, r, i, far, own)
	}
	r.Compared = made.Type.Len()
	shape := made.Type.Whole()
	for row := range made.Parts[0].Rows() {
		if !same(made.HostArray, ran.HostArray, row) {
			compare(made.RowValues(row), ran.RowValues(row), func(e int) []int { return audit.PointOf(row*made.Parts[0].Width()+e, shape) })
		}
	}
	return c.settle(ctx, r, i, far, own)
}

// mostSettled is how many elements that differ are looked at again.
const mostSettled = 256

// settle looks at elements of array i in which the subject and the run differ: where both hold what they should, each by the branch of a
// discontinuity that it took, that is a tie. The others count.
func (c *comparison) settle(ctx context.Context, r *Row, i int, far [][]int, own memory) error {
	if len(far) == 0 {
		return nil
	}
	axes := len(c.elements())
	var points [][]int
	var numbers []int
	for _, at := range far[:min(len(far), mostSettled)] {
		if n := len(points); n == 0 || !slices.Equal(points[n-1], at[:axes]) {
			points, numbers = append(points, at[:axes]), append(numbers, n)
		}
	}
	ran, err := c.take(ctx, points)
	if err != nil {
		return err
	}
	made, err := c.made(ctx, ran, points, numbers, own)
	if err != nil {
		return err
	}
	for e := range ran[i].Got {
		f := audit.Compare(r.Metric, made[i].Got[e:e+1], ran[i].Got[e:e+1], ran[i].Largest)
		switch different := f.Mismatched > 0 || f.Worst > r.mostDifferent(); {
		case different && len(far) <= mostSettled && made[i].Holds(e) && ran[i].Holds(e):
			r.Ties++
		case different:
			r.Difference, r.Mismatched = max(r.Difference, f.Worst), r.Mismatched+f.Mismatched
			r.OK = false
		}
	}
	return nil
}

// same reports rows that are equal to the bit.
func same(a, b ops.HostArray, row int) bool {
	for i, p := range a.Parts {
		if !bytes.Equal(p.Row(row), b.Parts[i].Row(row)) {
			return false
		}
	}
	return true
}

// memory is what a subject stores to.
type memory map[*ir.Buffer]device.Memory

func (m memory) free() {
	for _, b := range m {
		b.Free()
	}
}

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

// trial is one kernel put to the test.
type trial struct {
	*runtime.Inspection
	opt    Options
	points [][]int
	taken  []audit.Sample // by array that the kernel stores, as the run left it
	rows   []Row
}

// budget bounds the operations in float64 for one kernel: some seconds; costliest is what a single point may take of them.
const (
	budget    = 1e9
	costliest = 3e8
)

func (t *trial) kernel(ctx context.Context) error {
	k := t.Step.Kernel
	if cost := t.Reference.Cost; cost > costliest {
		t.skip(Subject{Name: "run"}, "", fmt.Sprintf("one element takes %.2g operations in float64", cost), true)
		return nil
	}
	n := max(1, min(t.opt.Samples, int(budget/max(1, t.Reference.Cost))))
	t.points = audit.Points(k.IR.Domain().Shape(), n, t.opt.Run.Seed)
	var err error
	if t.taken, err = audit.Take(ctx, t.Reference, t.Stored, t.points, t.Mem, t.Threads); err != nil {
		return err
	}
	for i := range t.taken {
		t.taken[i].Largest = t.taken[i].Peak(t.Threads)
	}
	t.Reference.Settle(t.taken, t.points, t.Mem)
	for _, s := range t.taken {
		r := t.row(s.Array, Subject{Name: "run"}, k.Schedule)
		r.judge(s)
		t.rows = append(t.rows, r)
	}
	for _, subject := range t.opt.Subjects {
		if subject.Device != nil {
			if err := t.device(ctx, subject); err != nil {
				return fmt.Errorf("%s: %w", subject.Name, err)
			}
			continue
		}
		variants, err := subject.Variants(ctx, t.Step.Kernel.IR)
		if err != nil {
			return fmt.Errorf("%s: %w", subject.Name, err)
		}
		for _, v := range variants {
			if err := t.variant(ctx, subject, v); err != nil {
				return fmt.Errorf("%s, %s: %w", subject.Name, v.Name, err)
			}
		}
	}
	return nil
}

func (t *trial) row(a audit.Array, subject Subject, variant string) Row {
	rule := a.Rule()
	return Row{
		Value: audit.Name(a.Of), Kernel: t.Step.ID, Subject: subject.Name, Variant: variant, Metric: rule.Metric, Tolerance: rule.Tolerance,
		Unit: a.Type.Unit.String(), OK: true,
	}
}

// skip says of all arrays why they are not compared.
func (t *trial) skip(subject Subject, variant, why string, ok bool) {
	for _, a := range t.Stored {
		r := t.row(a, subject, variant)
		r.Skipped, r.OK = why, ok
		t.rows = append(t.rows, r)
	}
}

// judge fills in the errors of a sample.
func (r *Row) judge(s audit.Sample) {
	f := s.Figures()
	r.Max, r.P99, r.Mismatched, r.Samples = f.Worst, f.P99, f.Mismatched, len(s.Got)
	for _, v := range s.Got {
		if real(v)-real(v) == 0 && imag(v)-imag(v) == 0 { // neither infinite nor NaN
			r.Finite++
		}
	}
	r.OK = f.Within(s.Rule()) || s.Explained().Figures().Within(s.Rule())
}

// outputs is memory for what the kernel stores, to be freed also after an error.
func (t *trial) outputs(subject Subject) (own map[*ir.Buffer]device.Memory, free func(), err error) {
	own = map[*ir.Buffer]device.Memory{}
	free = func() {
		for _, m := range own {
			m.Free()
		}
	}
	for _, b := range t.Step.Kernel.IR.Outputs() {
		m, err := subject.Alloc(b)
		if err != nil {
			return own, free, err
		}
		own[b] = m
	}
	return own, free, nil
}

// variant computes the kernel into memory of its own and compares.
func (t *trial) variant(ctx context.Context, subject Subject, v Variant) error {
	k := t.Step.Kernel
	own, free, err := t.outputs(subject)
	defer free()
	if err != nil {
		return err
	}
	tiles, err := t.compute(ctx, subject, v, own)
	if err != nil {
		return err
	}
	whole := len(tiles) == len(k.TileSet) && !subject.Pointwise
	if tiles == nil {
		t.skip(subject, v.Name, "its terms are added in any order, so that single points mean nothing", true)
		return nil
	}
	t.compare(subject, v.Name, own, tiles, whole)
	return nil
}

// compare judges what a subject made of some tiles, of all of them if whole is set.
func (t *trial) compare(subject Subject, variant string, own map[*ir.Buffer]device.Memory, tiles []region.Region, whole bool) {
	for _, ran := range t.taken {
		each := len(ran.At) / max(1, len(t.points))
		var at []int // elements in these tiles
		for i := range ran.At {
			if slices.ContainsFunc(tiles, func(tile region.Region) bool { return holds(tile, t.points[i/each]) }) {
				at = append(at, i)
			}
		}
		ran = ran.Only(at)
		made := ran.In(audit.In(ran.Array.Of, own))
		r := t.row(ran.Array, subject, variant)
		r.judge(made)
		r.apart(made, ran, whole)
		r.OK = r.OK && r.Apart <= 2*r.Tolerance
		t.rows = append(t.rows, r)
	}
}

func holds(tile region.Region, point []int) bool {
	for i, r := range tile {
		if point[i] < r.Lo || point[i] >= r.Hi {
			return false
		}
	}
	return true
}

// compute runs a variant over all tiles of the kernel, or over as many as its time allows, spread over the kernel, or over the
// sampled points alone, and says which it did; none if that would not give whole elements.
func (t *trial) compute(ctx context.Context, subject Subject, v Variant, own map[*ir.Buffer]device.Memory) (done []region.Region, err error) {
	k := t.Step.Kernel
	switch {
	case !k.IR.Pointwise() && subject.Pointwise:
		return nil, nil
	case !k.IR.Pointwise():
		return k.TileSet, t.Sweep(ctx, v.Program, k.TileSet, own)
	case subject.Pointwise:
		for _, p := range t.points {
			done = append(done, region.Point(p))
		}
		return done, t.Sweep(ctx, v.Program, done, own)
	}
	order := scattered(k.TileSet)
	deadline := time.Now().Add(time.Duration(t.opt.Seconds * float64(time.Second)))
	for batch := t.Threads; len(done) < len(order) && (len(done) == 0 || time.Now().Before(deadline)); batch *= 2 {
		next := order[len(done):min(len(done)+batch, len(order))]
		if err := t.Sweep(ctx, v.Program, next, own); err != nil {
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

// apart compares with what the run stored: everywhere if the variant computed everything, else at the points.
func (r *Row) apart(made, ran audit.Sample, whole bool) {
	add := func(got, want []complex128) {
		f := audit.Compare(r.Metric, got, want, ran.Largest)
		r.Apart = max(r.Apart, f.Figure(r.Metric))
		r.Mismatched += f.Mismatched
		r.OK = r.OK && f.Mismatched == 0
	}
	if !whole {
		add(made.Got, ran.Got)
		r.Compared = len(made.Got)
		return
	}
	r.Compared = made.Type.Len()
	for row := range made.Parts[0].Rows() {
		if !same(made.HostArray, ran.HostArray, row) {
			add(made.RowValues(row), ran.RowValues(row))
		}
	}
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

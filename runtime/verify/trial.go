package verify

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner"
	"weft/runtime"
)

// trial is one kernel put to the test.
type trial struct {
	*runtime.Inspection
	opt    Options
	points [][]int
	want   [][]complex128 // by root
	rows   []Row
}

func (t *trial) kernel(ctx context.Context) error {
	points, cost := t.Points(t.opt.Samples, t.opt.Run.Seed)
	if points == nil {
		for _, s := range t.Step.Kernel.Roots {
			r := t.row(s, Subject{Name: "run"}, "")
			r.Skipped = fmt.Sprintf("one element takes %.2g operations in float64", cost)
			t.rows = append(t.rows, r)
		}
		return nil
	}
	t.points = points
	var err error
	if t.want, err = t.Expected(ctx, points); err != nil {
		return err
	}
	for i, s := range t.Step.Kernel.Roots {
		r := t.row(s, Subject{Name: "run"}, t.Step.Kernel.Schedule)
		t.judge(&r, i, t.Mem[t.Buffer(s).Ir], points, t.want[i])
		t.rows = append(t.rows, r)
	}
	for _, subject := range t.opt.Subjects {
		if subject.Device != nil {
			if err := t.device(ctx, subject); err != nil {
				return fmt.Errorf("%s: %w", subject.Name, err)
			}
			continue
		}
		variants, err := subject.Variants(ctx, t.Step.Kernel.Ir)
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

func (t *trial) row(s *ops.Stage, subject Subject, variant string) Row {
	rule := t.Rule(s)
	return Row{
		Value: t.Name(s), Kernel: t.Step.ID, Subject: subject.Name, Variant: variant, Metric: rule.Metric, Tolerance: rule.Tolerance,
		Unit: s.Type.Unit.String(), OK: true,
	}
}

// judge fills in the errors of root i at some points, as memory holds it.
func (t *trial) judge(r *Row, i int, mem device.Memory, points [][]int, want []complex128) {
	s := t.Step.Kernel.Roots[i]
	got := t.Values(s, mem, points)
	f := runtime.Compare(r.Metric, got, want, t.Peak(s))
	r.Max, r.P99, r.Mismatched, r.Samples = f.Worst, f.P99, f.Mismatched, len(got)
	for _, v := range got {
		if real(v)-real(v) == 0 && imag(v)-imag(v) == 0 { // neither infinite nor NaN
			r.Finite++
		}
	}
	r.OK = f.Within(t.Rule(s))
}

// outputs is memory for what the kernel stores, to be freed also after an error.
func (t *trial) outputs(subject Subject) (own map[*ir.Buffer]device.Memory, free func(), err error) {
	own = map[*ir.Buffer]device.Memory{}
	free = func() {
		for _, m := range own {
			m.Free()
		}
	}
	for _, b := range t.Step.Kernel.Ir.Outputs() {
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
		for _, s := range k.Roots {
			r := t.row(s, subject, v.Name)
			r.Skipped = "its terms are added in any order, so that single points mean nothing"
			t.rows = append(t.rows, r)
		}
		return nil
	}
	t.compare(subject, v.Name, own, tiles, whole)
	return nil
}

// compare judges what a subject made of some tiles, of all of them if whole is set.
func (t *trial) compare(subject Subject, variant string, own map[*ir.Buffer]device.Memory, tiles []region.Region, whole bool) {
	at := slices.DeleteFunc(indices(len(t.points)), func(i int) bool {
		return !slices.ContainsFunc(tiles, func(tile region.Region) bool { return holds(tile, t.points[i]) })
	})
	for i, s := range t.Step.Kernel.Roots {
		r := t.row(s, subject, variant)
		mem := own[t.Buffer(s).Ir]
		points, want := t.some(s, i, at)
		t.judge(&r, i, mem, points, want)
		t.apart(&r, s, mem, points, whole)
		r.OK = r.OK && r.Apart <= 2*r.Tolerance
		t.rows = append(t.rows, r)
	}
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// some are the chosen points, and what root i should hold there.
func (t *trial) some(s *ops.Stage, root int, at []int) (points [][]int, want []complex128) {
	each := len(t.want[root]) / max(1, len(t.points))
	for _, i := range at {
		points = append(points, t.points[i])
		want = append(want, t.want[root][i*each:(i+1)*each]...)
	}
	return points, want
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
	case joins(k) && subject.Pointwise:
		return nil, nil
	case joins(k):
		return k.TileSet, t.Sweep(ctx, v.Program, k.TileSet, own)
	case subject.Pointwise:
		for _, p := range t.points {
			done = append(done, region.Point(p))
		}
		return done, t.Sweep(ctx, v.Program, done, own)
	}
	order := spread(k.TileSet)
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

// spread orders tiles so that the first few lie all over the kernel: by the fractional parts of multiples of the golden ratio.
func spread(tiles []region.Region) []region.Region {
	place := func(i int) float64 { _, f := math.Modf(float64(i) * math.Phi); return f }
	order := indices(len(tiles))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	out := make([]region.Region, len(tiles))
	for i, at := range order {
		out[at] = tiles[i] // the i-th smallest fraction belongs to tile i, so consecutive numbers are far apart
	}
	return out
}

// apart compares with what the run stored: everywhere if the variant computed everything, else at the points.
func (t *trial) apart(r *Row, s *ops.Stage, mem device.Memory, points [][]int, whole bool) {
	stored := t.Mem[t.Buffer(s).Ir]
	peak := t.Peak(s)
	add := func(got, want []complex128) {
		f := runtime.Compare(r.Metric, got, want, peak)
		r.Apart = max(r.Apart, f.Figure(r.Metric))
		r.Mismatched += f.Mismatched
		r.OK = r.OK && f.Mismatched == 0
	}
	if !whole {
		add(t.Values(s, mem, points), t.Values(s, stored, points))
		r.Compared = len(points)
		return
	}
	buf := t.Buffer(s)
	a := ops.HostArray{Type: s.Type, Buf: buf.Ir, Data: mem.Host()}
	b := ops.HostArray{Type: s.Type, Buf: buf.Ir, Data: stored.Host()}
	r.Compared = s.Type.Len()
	for row := range a.Rows() {
		if same(a, b, row) {
			continue
		}
		add(values(a, row, buf), values(b, row, buf))
	}
}

// same reports rows that are equal to the bit.
func same(a, b ops.HostArray, row int) bool {
	for plane := range a.Planes() {
		if !bytes.Equal(a.Row(plane, row), b.Row(plane, row)) {
			return false
		}
	}
	return true
}

// values are the elements of a row, in the array's own unit.
func values(h ops.HostArray, row int, buf *planner.Buffer) []complex128 {
	re, im := make([]float64, h.Width()), make([]float64, h.Width())
	h.LoadRow(re, 0, row)
	if h.Planes() == 2 {
		h.LoadRow(im, 1, row)
	}
	out := make([]complex128, len(re))
	for i := range out {
		out[i] = buf.Value(complex(re[i], im[i]))
	}
	return out
}

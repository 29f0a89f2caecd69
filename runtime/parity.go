package runtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner"
)

// verify compares a sample of what a kernel stored with float64, while its inputs are still there.
func (r *run) verify(ctx context.Context, step *planner.Step) error {
	c := r.newCheck(step)
	if c.size > 0 {
		all := region.Interval{Hi: rowsOf(step.Kernel.Roots[0].Type)}
		if err := c.sample(ctx, all, c.size); err != nil {
			return err
		}
	}
	if err := c.judge(); err != nil || c.size == 0 {
		return err
	}
	return c.fillUp(ctx)
}

// rowsOf is the number of rows of an array: the extent of its first dim.
func rowsOf(t ops.Type) int {
	if len(t.Dims) == 0 {
		return 1
	}
	return t.Dims[0].Size
}

// check gathers samples of what a kernel stores.
type check struct {
	run   *run
	step  *planner.Step
	def   *definition
	size  int // samples that are worth their time; 0: even one is too dear
	taken []samples
}

// samples are elements of one stored stage and what they should be.
type samples struct {
	stage     *ops.Stage
	points    [][]int
	got, want []complex128
	peak      float64
}

func (r *run) newCheck(step *planner.Step) *check {
	c := &check{run: r, step: step, def: r.definitions[step.ID]}
	c.size = sampleSize(c.def.cost(), step.Kernel.Flops, r.innerOnly(step))
	for _, s := range step.Kernel.Roots {
		c.taken = append(c.taken, samples{stage: s})
	}
	return c
}

// innerOnly reports a kernel none of whose arrays a user gets or has a name for.
func (r *run) innerOnly(step *planner.Step) bool {
	return !slices.ContainsFunc(step.Kernel.Roots, func(s *ops.Stage) bool { return !unnamed(r.plan, r.arrays.byStage[s]) })
}

// sample compares at most n points of some rows.
func (c *check) sample(ctx context.Context, rows region.Interval, n int) error {
	r, start := c.run, time.Now()
	defer func() {
		r.result.VerifyS += since(start)
		r.opt.Trace.Span(0, "verify", c.step.Name, start, nil)
	}()
	roots := c.step.Kernel.Roots
	shape := ops.Type{Dims: roots[0].Axes()}.Shape()
	if len(shape) > 0 {
		shape[0] = rows.Hi - rows.Lo
	}
	points, err := c.points(shape, rows, n)
	if err != nil {
		return err
	}
	want, err := evaluate(ctx, c.def.evaluator(), c.def.ref, roots, points, r.arrays.mem, r.opt.Threads)
	if err != nil {
		return err
	}
	for i := range c.taken {
		s := &c.taken[i]
		h, err := r.arrays.host(r.arrays.byStage[s.stage].ID)
		if err != nil {
			return err
		}
		at := pointsOf(s.stage, points)
		b := r.arrays.byStage[s.stage]
		for _, p := range at {
			s.got = append(s.got, b.Value(h.Complex(flatten(p, s.stage.Type.Shape()))))
		}
		s.points, s.want = append(s.points, at...), append(s.want, want[i]...)
		s.peak = max(s.peak, b.Peak(peakOf(h, rows, r.opt.Threads)))
	}
	return nil
}

// judge reports the samples, and what is beyond its tolerance.
func (c *check) judge() error {
	r := c.run
	if c.size == 0 {
		r.skip(c.step, fmt.Sprintf("one element takes %.2g operations in float64", c.def.ref.Cost))
		return nil
	}
	for _, s := range c.taken {
		p := r.parity(s)
		p.Kernel = c.step.ID
		r.result.Parity = append(r.result.Parity, p)
		if p.OK {
			continue
		}
		w, err := r.unproven(s.stage, p)
		if err != nil {
			return err
		}
		if err := r.doubted(s.stage, w); err != nil {
			return err
		}
	}
	return nil
}

// skip records that what a kernel stored is not checked, and why.
func (r *run) skip(step *planner.Step, reason string) {
	for _, s := range step.Kernel.Roots {
		rule := r.ruleOf(s)
		r.result.Parity = append(r.result.Parity, Parity{Value: valueName(r.arrays.byStage[s]), Kernel: step.ID, Seed: r.opt.Seed,
			Metric: rule.Metric, Tolerance: rule.Tolerance, Unit: s.Type.Unit.String(), Skipped: reason, OK: true})
	}
}

// unnamed reports an array that a user has no name for and does not get.
func unnamed(p *planner.Plan, b *planner.Buffer) bool {
	return b.Label == "" && !slices.ContainsFunc(p.Steps, func(s planner.Step) bool {
		return s.Kind == planner.SinkStep && slices.Contains(s.Reads, b.ID)
	})
}

func violation(p Parity) problem.Problem {
	what := fmt.Sprintf("differs from float64 by %s, the tolerance is %s", p.quantity(p.figure()), p.quantity(p.Tolerance))
	if p.Metric == ops.Level && p.P99 <= p.Tolerance {
		what = fmt.Sprintf("differs from float64 by %.2g of its largest magnitude at a sampled element, which is no rounding", p.MaxRel)
	}
	if p.Mismatched > 0 {
		what = fmt.Sprintf("has other infinities or NaN than float64 at %d of %d sampled elements", p.Mismatched, p.Samples)
	}
	at := ""
	if len(p.At) > 0 {
		at = fmt.Sprintf(" (worst at %v)", p.At)
	}
	return problem.Wrong(problem.ParityViolated, "", "allow more with @tolerance, or report it with the pipeline file", "%s %s%s", p.Value, what, at)
}

// parity compares samples of one stored stage with what they should be.
func (r *run) parity(s samples) Parity {
	rule := r.ruleOf(s.stage)
	f := Compare(rule.Metric, s.got, s.want, s.peak)
	p := Parity{Value: valueName(r.arrays.byStage[s.stage]), Seed: r.opt.Seed, Metric: rule.Metric, Tolerance: rule.Tolerance, Samples: f.Samples + f.Mismatched,
		Peak: s.peak, Unit: s.stage.Type.Unit.String(), Worst: f.Worst, P99: f.P99, Judged: Judged(rule.Metric), MaxAbs: f.MaxAbs, Mismatched: f.Mismatched,
		OK: f.Within(rule)}
	p.Finds, p.MeanAbs, p.FiniteEqual = finds(len(s.points), s.stage.Type.Len()), f.MeanAbs, 100*(1-float64(f.Mismatched)/float64(max(1, len(s.got))))
	p.Inner = unnamed(r.plan, r.arrays.byStage[s.stage])
	if f.At >= 0 {
		p.At = s.points[f.At]
	}
	p.MaxRel = f.MaxAbs
	if s.peak > 0 && !math.IsInf(s.peak, 0) {
		p.MaxRel /= s.peak
	}
	return p
}

// valueName is the variable that holds an array, or the stage that makes it.
func valueName(b *planner.Buffer) string { return cmp.Or(b.Label, b.Stage) }

func finite(v complex128) bool { return !cmplx.IsNaN(v) && !cmplx.IsInf(v) }

// distance of two values; two that are not finite agree.
func distance(a, b complex128) float64 {
	if !finite(a) {
		return 0
	}
	return cmplx.Abs(a - b)
}

func percentile(v []float64, p int) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)*p+99)/100-1]
}

// peakOf is the largest finite magnitude in some rows of an array.
func peakOf(h ops.HostArray, rows region.Interval, threads int) float64 {
	first, last := 0, h.Rows()
	switch {
	case len(h.Type.Dims) == 1 && h.Planes() == 1:
		h = h.RowsOf(rows.Lo, rows.Hi)
	case len(h.Type.Dims) > 1:
		each := h.Rows() / max(1, h.Type.Dims[0].Size)
		first, last = rows.Lo*each, rows.Hi*each
	}
	parts := min(max(1, threads), max(1, last-first))
	peaks := make([]float64, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			peaks[i] = peakOfRows(h, first+i*(last-first)/parts, first+(i+1)*(last-first)/parts)
		})
	}
	wg.Wait()
	return slices.Max(peaks)
}

func peakOfRows(h ops.HostArray, lo, hi int) float64 {
	if h.Buf.Type == ir.F32 {
		return peakOfFloat32(h, lo, hi)
	}
	re, im := make([]float64, h.Width()), make([]float64, h.Width())
	peak := 0.0
	for row := lo; row < hi; row++ {
		h.LoadRow(re, 0, row)
		if h.Planes() == 2 {
			h.LoadRow(im, 1, row)
		}
		peak = max(peak, largest(re, im))
	}
	return peak
}

// largest is the largest finite magnitude of some complex values.
func largest(re, im []float64) (peak float64) {
	for i, x := range re {
		if x = math.Hypot(x, im[i]); x > peak && !math.IsInf(x, 0) {
			peak = x
		}
	}
	return peak
}

// peakOfFloat32 is peakOfRows for the usual type, in a fraction of the time: its squares fit float64.
func peakOfFloat32(h ops.HostArray, lo, hi int) float64 {
	zeros := make([]float32, h.Width())
	largest := 0.0
	for row := lo; row < hi; row++ {
		re, im := device.View[float32](h.Row(0, row), ir.F32), zeros
		if h.Planes() == 2 {
			im = device.View[float32](h.Row(1, row), ir.F32)
		}
		for i, x := range re {
			y := im[i]
			if v := float64(x)*float64(x) + float64(y)*float64(y); v > largest && v <= math.MaxFloat64 {
				largest = v
			}
		}
	}
	return math.Sqrt(largest)
}

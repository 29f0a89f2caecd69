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
	"weft/ops"
	"weft/planner"
)

// verify compares a sample of what a kernel stored with float64, while its inputs are still there.
func (r *run) verify(ctx context.Context, step *planner.Step) error {
	start := time.Now()
	defer func() {
		r.result.VerifyS += since(start)
		r.opt.Trace.Span(0, "verify", step.Name, start, nil)
	}()
	roots := step.Kernel.Roots
	ref := r.plan.Reference(roots, r.arrays.holds)
	size := sampleSize(ref.Cost)
	if size == 0 {
		r.skip(step, fmt.Sprintf("one element takes %.2g operations in float64", ref.Cost))
		return nil
	}
	points := samplePoints(ops.Type{Dims: roots[0].Axes()}.Shape(), size, r.opt.Seed)
	want, err := r.evaluate(ctx, ref, roots, points)
	if err != nil {
		return err
	}
	for i, s := range roots {
		p, err := r.parity(s, pointsOf(s, points), want[i])
		if err != nil {
			return err
		}
		p.Kernel = step.ID
		r.result.Parity = append(r.result.Parity, p)
		if p.OK {
			continue
		}
		w := violation(p)
		if r.opt.Strict {
			return w
		}
		r.result.Warnings = append(r.result.Warnings, Warning{Code: w.Code, Message: w.Message, Help: w.Help, Where: s.Where})
	}
	return nil
}

// skip records that what a kernel stored is not checked, and why.
func (r *run) skip(step *planner.Step, reason string) {
	for _, s := range step.Kernel.Roots {
		rule := ruleOf(s)
		r.result.Parity = append(r.result.Parity, Parity{Value: valueName(r.arrays.byStage[s]), Kernel: step.ID, Seed: r.opt.Seed,
			Metric: rule.Metric, Tolerance: rule.Tolerance, Unit: s.Type.Unit.String(), Skipped: reason, OK: true})
	}
}

func violation(p Parity) ops.Problem {
	what := fmt.Sprintf("differs from float64 by %.3g (%s), the tolerance is %.3g", p.Worst, p.Metric, p.Tolerance)
	if p.Mismatched > 0 {
		what = fmt.Sprintf("is not finite at %d of %d sampled elements where float64 is, or the reverse", p.Mismatched, p.Samples)
	}
	at := ""
	if len(p.At) > 0 {
		at = fmt.Sprintf(" (worst at %v)", p.At)
	}
	return ops.Wrong("E0704", "", "allow more with @tolerance, or report it with the pipeline file", "%s %s%s", p.Value, what, at)
}

// parity compares one stored stage with what it should hold at some points.
func (r *run) parity(s *ops.Stage, points [][]int, want []complex128) (Parity, error) {
	shape := s.Type.Shape()
	got, err := r.arrays.host(r.arrays.byStage[s].ID)
	if err != nil {
		return Parity{}, err
	}
	rule := ruleOf(s)
	p := Parity{Value: valueName(r.arrays.byStage[s]), Seed: r.opt.Seed, Metric: rule.Metric, Tolerance: rule.Tolerance, Samples: len(points),
		Peak: peakOf(got, r.opt.Threads), Unit: s.Type.Unit.String()}
	var errs []float64
	for i, at := range points {
		g := got.Complex(flatten(at, shape))
		if finite(g) != finite(want[i]) {
			p.Mismatched++
			p.At = at
			continue
		}
		abs := distance(g, want[i])
		if rule.Metric == ops.Angle {
			abs = math.Abs(math.Remainder(abs, 2*math.Pi))
		}
		e := inMetric(rule.Metric, abs, want[i], p.Peak)
		if len(errs) == 0 || e > p.Worst {
			p.Worst = e
			if p.Mismatched == 0 {
				p.At = at
			}
		}
		p.MaxAbs = max(p.MaxAbs, abs)
		errs = append(errs, e)
	}
	p.MaxRel = inMetric(ops.Peak, p.MaxAbs, 0, p.Peak)
	p.P99 = percentile(errs, 99)
	p.OK = p.Mismatched == 0 && p.Worst <= rule.Tolerance
	return p, nil
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

// inMetric turns an absolute error into the metric's terms. Where there is nothing to be relative to, the error stays as it is.
func inMetric(m ops.Metric, abs float64, want complex128, peak float64) float64 {
	scale := 1.0
	switch m {
	case ops.Peak:
		scale = peak
	case ops.Relative:
		scale = cmplx.Abs(want)
	}
	if scale == 0 || abs == 0 || math.IsInf(scale, 0) || math.IsNaN(scale) {
		return abs
	}
	return abs / scale
}

func percentile(v []float64, p int) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)*p+99)/100-1]
}

// peakOf is the largest finite magnitude of an array.
func peakOf(h ops.HostArray, threads int) float64 {
	rows := h.Rows()
	parts := min(max(1, threads), max(1, rows))
	peaks := make([]float64, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { peaks[i] = peakOfRows(h, i*rows/parts, (i+1)*rows/parts) })
	}
	wg.Wait()
	return slices.Max(peaks)
}

func peakOfRows(h ops.HostArray, lo, hi int) float64 {
	if h.Buf.Type == ir.F32 {
		return peakOfFloat32(h, lo, hi)
	}
	re, im := make([]float64, h.Width()), make([]float64, h.Width())
	largest := 0.0
	for row := lo; row < hi; row++ {
		h.LoadRow(re, 0, row)
		if h.Planes() == 2 {
			h.LoadRow(im, 1, row)
		}
		for i, x := range re {
			if x = math.Hypot(x, im[i]); x > largest && !math.IsInf(x, 0) {
				largest = x
			}
		}
	}
	return largest
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

package runtime

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner"
)

// An echo is a point of a kernel that its own program computes a second time, by itself, over what it stored. That costs a small
// part of float64 and finds tiles that were lost or damaged after they were computed, and vector code that disagrees with the
// code for edges; what a program always gets wrong it does not find. Where elements are too dear for a full sample in float64,
// echoes fill it up.
const (
	echoShare = 0.15 // of the kernel's own time that its echoes may take
	echoTime  = 20 * time.Millisecond
)

// echo computes points again and returns how many it compared, and the first at which the two differ by more than the tolerance
// of a stage allows. The arrays are left as they were.
func (r *run) echo(ctx context.Context, step *planner.Step, peaks map[*ops.Stage]float64) (compared int, fault string, err error) {
	start := time.Now()
	defer func() {
		r.result.VerifyS += since(start)
		r.opt.Trace.Span(0, "verify", step.Name, start, map[string]any{"echoes": compared})
	}()
	k := step.Kernel
	if joins(k.Ir) || k.Program == nil {
		return 0, "", nil
	}
	kernel := time.Duration(0)
	for _, ran := range r.result.Kernels {
		if ran.ID == step.ID {
			kernel = time.Duration(ran.Wall * float64(time.Second))
		}
	}
	launch, err := k.Program.Bind(device.Bindings{Mem: r.arrays.mem})
	if err != nil {
		return 0, "", err
	}
	points := samplePoints(ops.Type{Dims: k.Roots[0].Axes()}.Shape(), mostSamples, r.opt.Seed+1)
	deadline := start.Add(max(echoTime, time.Duration(echoShare*float64(kernel))))
	for _, i := range scattered(len(points)) {
		if err := ctx.Err(); err != nil || time.Now().After(deadline) {
			return compared, "", err
		}
		fault, err := r.again(k, launch, points[i], peaks)
		if err != nil || fault != "" {
			return compared, fault, err
		}
		compared++
	}
	return compared, "", nil
}

// again computes one point again, compares, and puts back what was there.
func (r *run) again(k *planner.Kernel, launch func(region.Region) error, point []int, peaks map[*ops.Stage]float64) (fault string, err error) {
	type cell struct {
		stage *ops.Stage
		at    [][]int
		host  ops.HostArray
		was   []complex128
		bytes [][]byte
	}
	var cells []cell
	for _, s := range k.Roots {
		h, err := r.arrays.host(r.arrays.byStage[s].ID)
		if err != nil {
			return "", err
		}
		c := cell{stage: s, at: pointsOf(s, [][]int{point}), host: h}
		for _, p := range c.at {
			flat := flatten(p, s.Type.Shape())
			c.was = append(c.was, h.Complex(flat))
			for plane := range h.Planes() {
				c.bytes = append(c.bytes, slices.Clone(element(h, plane, flat)))
			}
		}
		cells = append(cells, c)
	}
	if err := launch(region.Point(point)); err != nil {
		return "", err
	}
	for _, c := range cells {
		rule, b := r.ruleOf(c.stage), r.arrays.byStage[c.stage]
		var now, was []complex128
		for i, p := range c.at {
			flat := flatten(p, c.stage.Type.Shape())
			now, was = append(now, b.Value(c.host.Complex(flat))), append(was, b.Value(c.was[i]))
			for plane := range c.host.Planes() {
				copy(element(c.host, plane, flat), c.bytes[i*c.host.Planes()+plane])
			}
		}
		f := Compare(rule.Metric, was, now, peaks[c.stage])
		if f.Mismatched > 0 || f.Worst > 2*rule.Tolerance {
			fault = fmt.Sprintf("holds %v at %v, and %v when that is computed again", was[max(0, f.At)], c.at[max(0, f.At)], now[max(0, f.At)])
		}
	}
	return fault, nil
}

// element is the bytes of one element of a plane.
func element(h ops.HostArray, plane, flat int) []byte {
	size, w := h.Buf.Type.Size(), h.Width()
	at := flat % w * size
	return h.Row(plane, flat/w)[at : at+size]
}

// scattered orders n things so that the first few lie all over: by the fractional parts of multiples of the golden ratio.
func scattered(n int) []int {
	place := func(i int) float64 { _, f := math.Modf(float64(i) * math.Phi); return f }
	rank := make([]int, n)
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int {
		if place(a) < place(b) {
			return -1
		}
		return 1
	})
	out := make([]int, n)
	for i, at := range rank {
		out[at] = i
	}
	return out
}

// fillUp echoes what a sample in float64 was too dear for.
func (c *check) fillUp(ctx context.Context) error {
	r, k := c.run, c.step.Kernel
	if c.size >= enoughSamples || r.innerOnly(c.step) || len(c.taken[0].points) < c.size { // the array is smaller than the sample
		return nil
	}
	peaks := map[*ops.Stage]float64{}
	for _, s := range c.taken {
		peaks[s.stage] = s.peak
	}
	n, fault, err := r.echo(ctx, c.step, peaks)
	if err != nil {
		return err
	}
	first := len(r.result.Parity) - len(k.Roots)
	for i := range k.Roots {
		p := &r.result.Parity[first+i]
		p.Echoes = n
		p.OK = p.OK && fault == ""
	}
	if fault == "" {
		return nil
	}
	s := k.Roots[len(k.Roots)-1]
	w := problem.Wrong(problem.ParityViolated, "", "run it again: if it stays so, report it with the pipeline file", "%s %s", valueName(r.arrays.byStage[s]), fault)
	return r.doubted(s, w)
}

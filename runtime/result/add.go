package result

import (
	"math"
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/fleet"
)

// Times makes the report of one call that of several, each of which does a share of the work.
func (k *Kernel) Times(calls int, share float64) {
	k.Calls = max(1, calls)
	k.Part(float64(max(1, calls)) * share)
}

// Part makes the report of all the work that of so much of it, which took the time that it says.
func (k *Kernel) Part(share float64) {
	k.Flops, k.Executed, k.Predicted, k.Bytes, k.Roof = share*k.Flops, share*k.Executed, share*k.Predicted, int64(share*float64(k.Bytes)), share*k.Roof
}

// Add takes in what a program's run did: its kernels once each, however often they ran.
func (r *Result) Add(p *Result) {
	for _, k := range p.Kernels {
		at := slices.IndexFunc(r.Kernels, func(x Kernel) bool { return x.ID == k.ID })
		if at < 0 {
			r.Kernels = append(r.Kernels, k)
			continue
		}
		x := &r.Kernels[at]
		if wall := x.Wall + k.Wall; wall > 0 {
			x.Roof = (x.Wall*x.Roof + k.Wall*k.Roof) / wall
		}
		x.Executed += k.Executed
		x.Wall, x.CPU, x.Flops, x.Bytes, x.Predicted, x.Tiles = x.Wall+k.Wall, x.CPU+k.CPU, x.Flops+k.Flops, x.Bytes+k.Bytes, x.Predicted+k.Predicted, x.Tiles+k.Tiles
		x.Calls = max(1, x.Calls) + max(1, k.Calls)
		x.TurnaroundP95, x.QueuePeak = math.Max(x.TurnaroundP95, k.TurnaroundP95), max(x.QueuePeak, k.QueuePeak)
	}
	for _, t := range p.Sources {
		at := slices.IndexFunc(r.Sources, func(x Transfer) bool { return x.ID == t.ID })
		if at < 0 {
			r.Sources = append(r.Sources, t)
			continue
		}
		r.Sources[at].Bytes += t.Bytes
		r.Sources[at].Calls += t.Calls
		r.Sources[at].Wall += t.Wall
	}
	r.ReadS, r.VerifyS, r.CompileS = r.ReadS+p.ReadS, r.VerifyS+p.VerifyS, r.CompileS+p.CompileS
	r.Parity, r.Fallbacks, r.Warnings = append(r.Parity, p.Parity...), append(r.Fallbacks, p.Fallbacks...), append(r.Warnings, p.Warnings...)
}

// Later adds seconds that a device took for a kernel behind the end of its step.
func (r *Result) Later(id string, seconds float64) {
	for i := range r.Kernels {
		if k := &r.Kernels[i]; k.ID == id && len(k.Shares) == 1 {
			k.Wall += seconds
			fleet.Took(k.Shares, seconds)
		}
	}
}

// WarningsOf are those of a note.
func WarningsOf(note ops.Note, step *bound.Step) (out []Warning) {
	for _, w := range note.Warnings {
		out = append(out, Warning{Code: w.Code, Message: w.Message, Help: w.Help, Mild: w.Warning, Where: step.Op.Where})
	}
	return out
}

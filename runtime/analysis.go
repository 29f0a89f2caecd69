package runtime

import (
	"slices"

	"weft/planner"
	"weft/planner/explain"
	"weft/runtime/fleet"
	"weft/runtime/trace"
)

// Analysis sets what a run took beside what its plan says.
func (r *Result) Analysis(p *planner.Plan, tr *trace.Writer) *explain.Analysis {
	a := &explain.Analysis{
		Wall: r.Wall, CPU: r.CPU, Threads: r.Threads, Compile: r.CompileS, Read: r.ReadS, Verify: r.VerifyS, Sink: r.SinkS,
		PeakPlanned: p.Totals.PeakBytes, PeakArrays: r.PeakBuffers, PeakRSS: r.PeakRSS,
	}
	for _, k := range r.Kernels {
		m := explain.Measured{
			ID: k.ID, Device: k.Device, Tiles: k.Tiles, Wall: k.Wall, CPU: k.CPU, Seconds: k.Undisturbed(r.Threads),
			Predicted: k.Predicted, Flops: k.Executed, Bytes: k.Bytes,
		}
		for _, f := range k.Folds {
			m.Folds = append(m.Folds, explain.Fold(f))
		}
		m.Emulated = r.emulated(k)
		m.Judge()
		a.Kernels = append(a.Kernels, m)
		if !m.Emulated {
			a.Measured += m.Seconds
			a.Predicted += m.Predicted
		}
	}
	a.Lanes = tr.Names()
	for _, c := range r.Parity {
		a.Checks = append(a.Checks, explain.Check{
			Value: c.Value, Kernel: c.Kernel, Metric: string(c.Metric), Unit: c.Unit, Samples: c.Samples,
			Worst: c.Worst, P99: c.P99, Tolerance: c.Tolerance, Mismatched: c.Mismatched, OK: c.OK, Skipped: c.Skipped,
		})
	}
	for _, t := range r.Sources {
		a.Transfers = append(a.Transfers, explain.Transfer{ID: t.ID, Op: t.Op, Text: t.Text, Bytes: t.Bytes, Wall: t.Wall})
	}
	for _, t := range r.Sinks {
		a.Transfers = append(a.Transfers, explain.Transfer{ID: t.ID, Op: t.Op, Text: t.Text, Bytes: t.Bytes, Wall: t.Wall})
	}
	for _, f := range r.Fallbacks {
		a.Fallbacks = append(a.Fallbacks, explain.Fallback{Stage: f.Stage, Device: f.Device, Reason: f.Reason, Tiles: f.Count})
	}
	for _, s := range tr.Spans() {
		a.Timeline = append(a.Timeline, explain.Span{Lane: s.Lane, Category: s.Category, Name: s.Name, Start: s.Start, Seconds: s.Seconds})
	}
	return a
}

// emulated reports a kernel that ran on emulated devices: what it took of this machine's time says nothing of the devices'.
func (r *Result) emulated(k Kernel) bool {
	return slices.ContainsFunc(k.Shares, func(s fleet.Share) bool {
		return slices.ContainsFunc(r.Devices, func(u fleet.Usage) bool { return u.Name == s.Device && u.Kind == "emulated" })
	})
}

package result

import (
	"slices"
	"strings"

	"weft/planner/bound"
	"weft/planner/cost"
	"weft/runtime/fleet"
)

// settle is what handing out and waking up may add to a launch beyond what its processors show, in seconds.
const settle = 30e-6

// Undisturbed is how long the kernel took, less what other programs on the machine took of its time: on the wall, or by the
// processor time of the threads that had tiles where that is less.
func (k Kernel) Undisturbed(threads int) float64 {
	if k.CPU <= 0 || k.Tiles == 0 {
		return k.Wall
	}
	calls := max(1, k.Calls)
	return min(k.Wall, k.CPU/float64(max(1, min(threads, k.Tiles/calls)))+float64(calls)*settle)
}

// Own is how long a source, a sink or a drive took, less what other programs on the machine took of its kernels' time.
func (r *Result) Own(t Transfer) float64 {
	own := t.Wall
	for _, k := range r.Kernels {
		if strings.HasPrefix(k.ID, t.ID+".") {
			own -= k.Wall - k.Undisturbed(r.Threads)
		}
	}
	return own
}

// Observations are the kernels of a run that ran where they were planned, for a cost model to learn from.
func Observations(p *bound.Plan, r *Result) []cost.Observation {
	planned, repeated := map[string]*bound.Kernel{}, map[string]*bound.Kernel{}
	for _, s := range p.Steps {
		if s.Kernel != nil {
			planned[s.ID] = s.Kernel
		}
		for _, program := range s.Programs { // whose launches do the same each time, but for how many elements there turn out to be
			for _, k := range program.Kernels() {
				if s.Drive.Rounds == nil {
					repeated[k.ID] = k.Kernel
				}
			}
		}
	}
	var out []cost.Observation
	for _, k := range r.Kernels {
		was := planned[k.ID]
		if again := repeated[k.ID]; again != nil && again.Device == k.Device && !again.Place.Accelerates() && k.Factor > 0 {
			out = append(out, cost.Observation{Hash: again.Hash, Kind: again.Kind, Ops: again.Ops, Bound: again.Bound,
				Predicted: k.Predicted / k.Factor, Measured: k.Undisturbed(r.Threads)})
		}
		if was != nil && was.Place.Accelerates() {
			if o, ok := r.accelerated(was, k); ok {
				out = append(out, o)
			}
			continue
		}
		if was == nil || was.Device != k.Device || k.Factor <= 0 {
			continue
		}
		out = append(out, cost.Observation{
			Hash: was.Hash, Kind: was.Kind, Ops: was.Ops, Bound: was.Bound,
			Predicted: k.Predicted / k.Factor, Measured: k.Undisturbed(r.Threads),
		})
	}
	return out
}

// Besides is what a run did apart from kernels, for a cost model to learn from; nothing where kernels had to be compiled, which is no rule.
func Besides(p *bound.Plan, r *Result) (out []cost.Observation) {
	if r.Compile.Cached < r.Compile.Kernels {
		return nil
	}
	took := map[string]float64{"check": r.VerifyS, "load": r.CompileS}
	for _, t := range slices.Concat(r.Sources, r.Sinks) {
		took[t.ID] = r.Own(t)
	}
	see := func(what, kind string, predicted, measured float64) {
		out = append(out, cost.Observation{Hash: p.Hash, Kind: what, Bound: kind, Predicted: predicted, Measured: measured, Beside: true})
	}
	sum, wall := 0.0, r.Wall
	for _, k := range r.Kernels {
		if !strings.Contains(k.ID, ".") { // others are of drives, which are among the rest
			sum += k.Undisturbed(r.Threads)
		}
		wall -= k.Wall - k.Undisturbed(r.Threads)
	}
	for _, b := range p.Totals.Besides {
		if s, ok := took[b.What]; ok {
			see(b.What, b.Kind, 1e-3*b.Model, s)
			sum += s
		}
	}
	see(bound.Whole, bound.Whole, sum, wall)
	return out
}

// accelerated is a kernel that ran on the accelerators it was placed on, and on nothing else. Nothing is to be learned of emulated ones:
// how fast they are is described.
func (r *Result) accelerated(was *bound.Kernel, k Kernel) (cost.Observation, bool) {
	fell := slices.ContainsFunc(r.Fallbacks, func(f Fallback) bool { return f.Stage == k.Name })
	predicted := was.Place.Unlearned() * 1e-3
	if fell || len(k.Shares) == 0 || r.Emulated(k) || predicted <= 0 {
		return cost.Observation{}, false
	}
	return cost.Observation{
		Hash: was.Hash, Kind: was.Place.Key(), Ops: was.Ops, Bound: was.Place.Bound, Predicted: predicted, Measured: k.Wall,
	}, true
}

// Emulated reports whether a kernel ran on emulated devices: what it took of this machine's time says nothing of the devices'.
func (r *Result) Emulated(k Kernel) bool {
	return slices.ContainsFunc(k.Shares, func(s fleet.Share) bool {
		return slices.ContainsFunc(r.Devices, func(u fleet.Usage) bool { return u.Name == s.Device && u.Kind == "emulated" })
	})
}

package cost

import (
	"cmp"
	"fmt"
	"math"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/profile"
	"weft/ops"
	"weft/planner/plan"
)

// Model predicts kernels on one device. It is safe for concurrent use once opened.
type Model struct {
	Profile *profile.Profile
	History *History // nil: nothing is learned
	Kind    string   // of the device: native, interp, ...
	Rules   device.Rules
	Threads int
}

// OfMachine is the model of a run on all threads of the machine that was measured. By it verdicts are weighed, whatever threads a run is given: what is
// stored in between is rounded, and no bit may depend on these.
func (m *Model) OfMachine() *Model {
	all := *m
	all.Threads = m.Profile.Threads
	return &all
}

// Kernel is what a prediction is made from.
type Kernel struct {
	IR       *ir.Kernel
	Work     *Work // of it under its layout; nil: not counted yet
	Hash     string
	Kind     string         // of the device it runs on; empty: the model's
	Ops      []string       // operators, for what was learned of them
	Loads    []Array        // what is loaded
	Stores   []Array        // and stored
	Prefault bool           // what it stores has its pages already
	Again    bool           // it is launched again and again: that is so, too, and workers are awake
	Tiles    int            // launches; 0: not cut yet, as many as threads like
	Layout   *device.Layout // nil: not known
	Share    float64        // of the points, those that there probably are; 0: all
}

// Share is that of the kernel of a stage, whose points are its elements, or what finds them.
func Share(s *ops.Stage, told ops.Counted) float64 {
	if s.Put != nil {
		return 1
	}
	return s.Type.Likely(told)
}

// Array is one that a kernel loads or stores.
type Array struct {
	Bytes  int64        // of all that there is room for
	Likely float64      // the share of these that there probably are; 0: all
	Parts  []*ir.Buffer // that hold it; none: they are not told
	Since  int64        // how much was moved since a part of it was, on average: what caches hold of it goes by that. 0: not known
}

// ArrayOf is a stage as it lies in its buffers.
func ArrayOf(s *ops.Stage, parts []*ir.Buffer, told ops.Counted) Array {
	return Array{Bytes: ops.BytesOf(parts), Likely: s.Type.Likely(told), Parts: parts}
}

// Moved is how many bytes of an array are loaded or stored where shares of some buffers are.
func (a Array) Moved(shares map[*ir.Buffer]float64) int64 {
	most := 0.0
	for _, b := range a.Parts {
		share, partly := shares[b]
		if !partly {
			share = 1
		}
		most = max(most, share)
	}
	if len(a.Parts) == 0 {
		most = 1
	}
	return int64(float64(a.Bytes) * min(cmp.Or(a.Likely, 1), most))
}

// Estimate is a prediction and what it is made of.
type Estimate = plan.Estimate

// PerStep is what a step costs a run around the launches of its kernel: finding and loading this, memory, binding, statistics. It counts where kernels are chosen,
// and is no part of what one is predicted to take.
const PerStep = 60e-6

// perTile is what a tile costs a runtime besides the launch: queueing it, and counting it when it is done.
const perTile = 1.5e-6

// waits is the part of the shorter of computing and moving what is beyond a core's own caches that adds to the longer in kernels with loops of their own. Those are begun
// and left at every point, and what is loaded decides what is loaded next: little of either is hidden behind the other.
const waits = 0.75

// interpreted is what the interpreter takes for an operation, in seconds.
const interpreted = 8e-9

// Predict estimates a kernel.
func (m *Model) Predict(k Kernel) Estimate {
	e, waiting := m.raw(k)
	e.Seconds += waiting
	e.Factor, e.Source = 1, "model"
	if m.History != nil {
		e.Factor, e.Source = m.History.factor(m.key(k.Hash, k.Kind), m.kin(k.Ops, e.Bound, k.Kind))
	}
	e.Seconds *= e.Factor
	return e
}

// Weigh is the predicted time in seconds for choosing between kernels: by the profile alone, so that what earlier runs taught
// does not change what is chosen.
func (m *Model) Weigh(k Kernel) float64 {
	k.Layout = m.Layout(k.IR)
	e, _ := m.raw(k) // of what is weighed, the dearer would be so by more, and plans were not faster
	return e.Seconds + PerStep
}

// Busy is the predicted time in seconds that one core takes for what a kernel executes, by the profile alone.
func (m *Model) Busy(k *ir.Kernel) float64 { return m.Count(k, m.Layout(k), nil).total() * 1e-9 }

// Count is what a kernel executes under a layout; nil: that of a device that does not say how it lays kernels out.
func (m *Model) Count(k *ir.Kernel, layout *device.Layout, told Told) *Work {
	w := workOf(k, m.Profile, layout, told)
	return &w
}

// Layout is how the device would lay a kernel out; nil: it does not say.
func (m *Model) Layout(k *ir.Kernel) *device.Layout {
	if m.Rules == nil {
		return nil
	}
	l := m.Rules.Layout(k)
	return &l
}

// raw is the model without what was learned, and what adds to it as little is hidden behind the rest.
func (m *Model) raw(k Kernel) (e Estimate, waiting float64) {
	threads := max(1, m.Threads)
	tiles := k.Tiles
	if tiles <= 0 {
		tiles = threads
	}
	at := float64(min(threads, tiles))
	rounds := math.Ceil(float64(tiles) / float64(threads))
	uneven := rounds * float64(threads) / float64(max(tiles, threads)) // the last round may leave threads idle
	p := m.Profile
	w := k.Work
	if w == nil {
		w = m.Count(k.IR, k.Layout, nil)
	}
	e = Estimate{Compute: w.total() * 1e-9 / at * uneven}
	if cmp.Or(k.Kind, m.Kind) == "interp" {
		e.Compute = w.evals * interpreted / at * uneven
	}
	e.Compute *= cmp.Or(k.Share, 1)
	class, share := w.heaviest()
	e.Heaviest = fmt.Sprintf("%s %.0f %%", class, 100*share)
	var bytes, stored int64
	for _, a := range k.Loads {
		bytes += a.Moved(w.read)
	}
	for _, a := range k.Stores {
		b := a.Moved(nil)
		stored += b
		rate := p.TouchSmall * at
		if b >= device.HugePage {
			rate = p.Touch.Of(int(at))
		}
		if !k.Prefault && !k.Again {
			e.Pages += float64(b) / rate
		}
	}
	bytes += stored
	level := p.LevelFor(bytes / int64(at))
	e.Memory = float64(stored) / level.Triad.Of(int(at))
	for _, a := range k.Loads {
		from := p.LevelFor(max(bytes, a.Since) / int64(at))
		moved := float64(a.Moved(w.read)) / from.Triad.Of(int(at))
		if e.Memory += moved; moved > 0.5*e.Memory {
			level = from
		}
	}
	e.Level = level.Name
	e.Overhead = float64(tiles) / at * (p.Launch + perTile)
	if !k.Again {
		e.Overhead += p.First
		if tiles > 1 { // one runs where it is asked for
			e.Overhead += p.Dispatch
		}
	}
	e.Seconds = max(e.Compute, e.Memory) + e.Pages + e.Overhead
	if level.Name != p.Levels[0].Name && w.folds() {
		waiting = waits * min(e.Compute, e.Memory)
	}
	if e.Bound = boundOf(e); cmp.Or(k.Kind, m.Kind) != "interp" {
		waiting += w.starting * 1e-9 / at * uneven * cmp.Or(k.Share, 1)
	}
	return e, waiting
}

// Step is what a kernel takes besides its work where several threads work on it, in seconds, with all that its step does.
func (m *Model) Step() float64 { return m.Profile.Dispatch + m.Profile.First + PerStep }

func boundOf(e Estimate) string {
	name, most := "compute", e.Compute
	for _, part := range []struct {
		name string
		s    float64
	}{{"bandwidth", e.Memory}, {"pages", e.Pages}, {"latency", e.Overhead}} {
		if part.s > most {
			name, most = part.name, part.s
		}
	}
	return name
}

// Flops is single-precision additions a second of all threads, as a planner weighs recomputing with: half of them end up in
// a multiplication's instruction.
func (m *Model) Flops() float64 {
	return 1e9 / m.Profile.Ops[profile.FMA] * float64(max(1, m.Threads)) * usualYield
}

// Roof is what no kernel on all threads exceeds: float32 operations a second, fused multiplications counting twice, and bytes a second of
// the level of memory that holds so many bytes. Both are 0 where the machine is not measured.
func (m *Model) Roof(bytes int64) (flops, bandwidth float64) {
	if p, n := m.Profile, max(1, m.Threads); !p.Default {
		return 2e9 / p.Ops[profile.FMA] * float64(n), p.LevelFor(bytes / int64(n)).Triad.Of(n)
	}
	return 0, 0
}

// usualYield is the part of the rate of independent operations that whole kernels reach, loads and addresses included.
const usualYield = 0.25

// Near reports whether a core's own caches hold so many bytes.
func (m *Model) Near(bytes int64) bool { return bytes <= m.Profile.Levels[0].Bytes }

// Bandwidth is bytes a second to and from memory of all threads, first touch of what is stored included.
func (m *Model) Bandwidth() float64 {
	p := m.Profile
	copied := p.Levels[len(p.Levels)-1].Copy.Of(m.Threads)
	return 1 / (1/copied + 0.5/p.Touch.Of(m.Threads)) // of a copy, half is stored
}

// Doubt is why the figures may not be the machine's; empty: they are.
func (m *Model) Doubt() string {
	switch p := m.Profile; {
	case p.Default:
		return "usual rates, since this machine is not measured"
	case p.Provisional:
		return "rates measured while the machine was busy"
	}
	return ""
}

// key tells what was learned of a kernel on this device from the same on another.
func (m *Model) key(hash, kind string) string {
	if len(hash) > 24 {
		hash = hash[:24]
	}
	return hash + "@" + cmp.Or(kind, m.Kind)
}

// Package telemetry gives what a run measured the names that operators and devices have for it.
package telemetry

import (
	"slices"
	"strings"
	"time"

	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/exec"
	"weft/runtime/result"
)

func spreadOf(d []time.Duration, unit time.Duration) result.Spread {
	mean, p95 := exec.MeanAndP95(d)
	scale := float64(time.Second) / float64(unit)
	return result.Spread{Mean: mean * scale, P95: p95 * scale, Count: len(d)}
}

// Meter collects what is measured while kernels run.
type Meter struct {
	turnaround []time.Duration // of all tiles
	queue      int
	onGPU      map[string]float64 // seconds by stage
	operators  []*operatorMeter
}

// operatorMeter is what the kernels of an operator take, of all its uses.
type operatorMeter struct {
	spec  *ops.Spec
	uses  []*ops.Instance
	walls []time.Duration // of tiles
	wall  float64
	away  bool // on accelerators
}

// Add counts a kernel that is done: its launches, the seconds they took, and whether accelerators made them.
func (m *Meter) Add(step *bound.Step, s *exec.Sweep, wall float64, away bool) {
	m.turnaround = append(m.turnaround, s.Turnaround...)
	m.queue = max(m.queue, s.QueuePeak)
	if away {
		m.onAccelerators(step, wall)
	}
	for _, op := range operatorsOf(step.Kernel) {
		at := slices.IndexFunc(m.operators, func(o *operatorMeter) bool { return o.spec == op.Spec })
		if at < 0 {
			at = len(m.operators)
			m.operators = append(m.operators, &operatorMeter{spec: op.Spec})
		}
		o := m.operators[at]
		if !slices.Contains(o.uses, op) {
			o.uses = append(o.uses, op)
		}
		o.wall += wall
		o.away = o.away || away
		if len(s.Walls) > 0 {
			o.walls = append(o.walls, s.Walls...)
		} else { // ranges of accelerators
			o.walls = append(o.walls, s.Turnaround...)
		}
	}
}

// Later adds seconds that a kernel took on accelerators behind the end of its step.
func (m *Meter) Later(step *bound.Step, seconds float64) {
	m.onAccelerators(step, seconds)
	for _, op := range operatorsOf(step.Kernel) {
		for _, o := range m.operators {
			if o.spec == op.Spec {
				o.wall += seconds
			}
		}
	}
}

func (m *Meter) onAccelerators(step *bound.Step, seconds float64) {
	if m.onGPU == nil {
		m.onGPU = map[string]float64{}
	}
	m.onGPU[step.Name] += seconds
}

// operatorsOf are the operators with names of their own for telemetry that a kernel stores something for: results, or what they are made of.
func operatorsOf(k *bound.Kernel) (out []*ops.Instance) {
	for _, s := range k.Roots {
		for op := s.Op; op != nil; op = op.Whole {
			if op.Spec.Telemetry != nil && !slices.Contains(out, op) {
				out = append(out, op)
			}
		}
	}
	return out
}

// Names are what was measured, the counts of fallbacks to the host among them: gpu is what those of GPUs are counted as.
func (m *Meter) Names(r *result.Result, gpu string) result.Telemetry {
	byStage, lost, gpuByStage := map[string]int{}, 0, map[string]int{}
	for _, f := range r.Fallbacks {
		byStage[f.Stage] += f.Count
		if f.Device == gpu {
			lost += f.Count
			gpuByStage[f.Stage] += f.Count
		}
	}
	onGPU := map[string]float64{}
	for stage, seconds := range m.onGPU {
		onGPU[stage] = seconds * 1e3
	}
	mean, largest, equal := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, p := range r.Parity {
		if p.Skipped == "" {
			mean[p.Value], largest[p.Value], equal[p.Value] = p.MeanAbs, p.MaxAbs, p.FiniteEqual
		}
	}
	out := result.Telemetry{
		"tile_turnaround_ms": spreadOf(m.turnaround, time.Millisecond), "queue_depth_peak": m.queue, "gpu_stage_time_ms": onGPU,
		"gpu_fallback_count": lost, "fallback_count_by_stage": byStage,
		"mean_abs_diff": mean, "max_abs_diff": largest, "percent_finite_equal": equal,
	}
	for _, o := range m.operators {
		o.name(out, r, gpuByStage)
	}
	return out
}

// name adds what an operator took under its own names.
func (o *operatorMeter) name(out result.Telemetry, r *result.Result, fallbacks map[string]int) {
	t := o.spec.Telemetry
	copied, lost := 0.0, 0
	if o.away {
		for _, d := range r.Devices {
			copied += d.Download * 1e3
		}
	}
	for stage, n := range fallbacks {
		if slices.Contains(strings.Split(stage, " + "), o.spec.Name) {
			lost += n
		}
	}
	units := 0.0
	for _, op := range o.uses {
		if n, ok := op.Bound.(ops.Counter); ok {
			units += float64(n.Units())
		}
	}
	out[t.Prefix+"_tile_wall_time_s"] = spreadOf(o.walls, time.Second)
	out[t.Prefix+"_stitch_copy_time_ms"] = copied
	out[t.Prefix+"_gpu_fallback_count"] = lost
	if o.wall > 0 && units > 0 {
		out[t.Prefix+"_"+t.Unit+"_progress_rate"] = units / o.wall
		out[t.Unit+"_wall_time_s"] = o.wall / units
	}
}

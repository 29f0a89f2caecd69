package planner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"weft/ops"
)

// placeSinks moves every sink up to right behind the step that completes its inputs, so that memory is freed early.
func (b *builder) placeSinks() {
	var sinks, rest []Step
	for _, s := range b.plan.Steps {
		if s.Kind == SinkStep {
			sinks = append(sinks, s)
		} else {
			rest = append(rest, s)
		}
	}
	for _, s := range sinks {
		at := 0
		for i, r := range rest {
			for _, id := range s.Reads {
				if slices.Contains(r.Writes, id) {
					at = i + 1
				}
			}
		}
		for at < len(rest) && rest[at].Kind == SinkStep {
			at++
		}
		rest = slices.Insert(rest, at, s)
	}
	b.plan.Steps = rest
}

// frees marks the last use of every buffer and finds the peak of what is alive at once.
func (b *builder) frees() {
	last := map[string]int{}
	for i, s := range b.plan.Steps {
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			last[id] = i
		}
	}
	for id, i := range last {
		b.plan.Steps[i].Frees = append(b.plan.Steps[i].Frees, id)
	}
	alive := int64(0)
	bytes := map[string]int64{}
	t := &b.plan.Totals
	for i := range b.plan.Steps {
		s := &b.plan.Steps[i]
		slices.Sort(s.Frees)
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			if _, ok := bytes[id]; !ok {
				bytes[id] = b.plan.Buffer(id).Bytes
				alive += bytes[id]
			}
		}
		if alive > t.PeakBytes {
			t.PeakBytes, t.PeakAt = alive, s.ID
		}
		for _, id := range s.Frees {
			alive -= bytes[id]
		}
	}
}

// totals sums the kernels up and counts what fusion saves.
func (b *builder) totals(groups []*group) {
	t := &b.plan.Totals
	for _, s := range b.plan.Steps {
		if s.Kernel == nil {
			continue
		}
		t.Kernels++
		t.Flops += s.Kernel.Flops
		t.Bytes += s.Kernel.Bytes
		t.Predicted += s.Kernel.Predicted
	}
	for _, e := range b.plan.Edges {
		if e.Code.Fused() {
			t.SavedBytes += e.Bytes
		}
	}
}

// checkMemory refuses a plan that cannot fit, naming the step and its largest array.
func (b *builder) checkMemory() error {
	t := b.plan.Totals
	if b.opt.Memory <= 0 || t.PeakBytes <= b.opt.Memory {
		return nil
	}
	var name, largest string
	var most int64
	var at ops.Where
	for _, s := range b.plan.Steps {
		if s.ID != t.PeakAt {
			continue
		}
		name, at = s.Name, s.Where()
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			if buf := b.plan.Buffer(id); buf.Bytes > most {
				most, largest = buf.Bytes, buf.Stage+" "+buf.Type
			}
		}
	}
	p := ops.Wrong("E0601", "", fmt.Sprintf("give --memory at least %s, or use a smaller grid", FormatBytes(t.PeakBytes)),
		"stage %s needs %s of arrays at once, and the budget is %s; the largest is %s (%s)",
		name, FormatBytes(t.PeakBytes), FormatBytes(b.opt.Memory), largest, FormatBytes(most))
	p.At = at
	return p
}

// FormatBytes writes a size for people.
func FormatBytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.3g %s", v, units[i])
}

// hashPlan identifies what is computed: kernels, their order and the settings of sources and sinks.
func hashPlan(p *Plan) string {
	h := sha256.New()
	for _, s := range p.Steps {
		fmt.Fprintln(h, s.Kind, s.Name, s.Args, s.Reads, s.Writes)
		if s.Kernel != nil {
			fmt.Fprintln(h, s.Kernel.Hash)
		}
	}
	for _, b := range p.Buffers {
		fmt.Fprintln(h, b.ID, b.Stage, b.Type, b.Role)
		if b.Array != nil && b.Array.Data != nil {
			fmt.Fprintln(h, b.Array.Data)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

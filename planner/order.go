package planner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"weft/ops/problem"
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

// ready marks kernels right behind a source: while that is read, which keeps one processor busy, what they store gets its pages. In
// blocks, arrays come and go by rows.
func (b *builder) ready() {
	if b.plan.Stream != nil {
		return
	}
	for i, s := range b.plan.Steps {
		if s.Kernel != nil && i > 0 && b.plan.Steps[i-1].Kind == ReadStep {
			s.Kernel.Ready = true
			s.Kernel.predictTiles()
		}
	}
	b.plan.sumPredictions()
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
	b.peak()
}

// peak finds the most memory that is alive at once.
func (b *builder) peak() {
	alive := int64(0)
	bytes := map[string]int64{}
	t := &b.plan.Totals
	t.PeakBytes = 0
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

// fit makes a plan that does not fit the memory budget run in blocks of rows, and refuses one that does not fit so either.
func (b *builder) fit() error {
	t := b.plan.Totals
	if b.opt.Memory <= 0 || t.PeakBytes <= b.opt.Memory {
		return nil
	}
	least, why := t.PeakBytes, "its device holds arrays as a whole"
	if !holdsWhole[b.dev.Kind] {
		s, ok := newFlow(b.plan).stream(b.opt.Memory)
		if ok {
			b.plan.Stream = s
			return nil
		}
		why = s.obstacle(b.opt.Memory)
		least = min(least, s.PeakBytes)
	}
	step, largest := b.largestAtPeak()
	p := problem.Wrong(problem.MemoryBudget, "", fmt.Sprintf("give --memory at least %s, or use a smaller grid", sizeFor(least)),
		"stage %s needs %s of arrays at once, and the budget is %s; the largest is %s %s (%s); in blocks of rows it does not fit either: %s",
		step.Name, FormatBytes(t.PeakBytes), FormatBytes(b.opt.Memory), largest.Stage, largest.Type, FormatBytes(largest.Bytes), why)
	p.At = step.Where()
	return p
}

// holdsWhole are the kinds of devices whose memory is not the host's: an array there has all its rows.
var holdsWhole = map[string]bool{"cuda": true, "emulated": true}

// obstacle says what keeps a run in blocks from fitting: an array that stays as a whole, or the rows that one block needs.
func (s *Stream) obstacle(budget int64) string {
	for _, k := range s.Kept {
		if k.Bytes > budget/2 {
			return fmt.Sprintf("%s (%s) stays in memory, because %s", k.Name, FormatBytes(k.Bytes), k.Why)
		}
	}
	name, rows, bytes := s.largestWindow()
	if bytes < s.PeakBytes/4 {
		return fmt.Sprintf("the smallest take %s", FormatBytes(s.PeakBytes))
	}
	return fmt.Sprintf("the smallest take %s, of which %s takes %s for %d rows that are needed at once", FormatBytes(s.PeakBytes), name, FormatBytes(bytes), rows)
}

// largestAtPeak is the step at which most is alive and its largest array.
func (b *builder) largestAtPeak() (step Step, largest Buffer) {
	i := slices.IndexFunc(b.plan.Steps, func(s Step) bool { return s.ID == b.plan.Totals.PeakAt })
	step = b.plan.Steps[i]
	for _, id := range slices.Concat(step.Reads, step.Writes) {
		if buf := b.plan.Buffer(id); buf.Bytes > largest.Bytes {
			largest = *buf
		}
	}
	return step, largest
}

// sizeFor writes a budget that holds so many bytes, as --memory takes it.
func sizeFor(n int64) string {
	for _, u := range []struct {
		bytes int64
		name  string
	}{{1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= 16*u.bytes {
			return fmt.Sprintf("%d%s", (n+u.bytes-1)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", n)
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

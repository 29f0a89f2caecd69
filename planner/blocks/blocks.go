package blocks

import (
	"cmp"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// track is how the rows of one array come and go over the blocks of a pass: in block t, rows up to Hi[t] are there, and
// those before Lo[t] are not needed any more.
type track struct{ lo, hi []int }

// schedule is what happens to the rows of a pass, block by block.
type schedule struct {
	clock  []region.Interval                   // rows of the tallest target, by block
	need   map[*bound.Buffer][]region.Interval // by block
	tracks map[*bound.Buffer]track
	runs   map[*unit][]region.Interval // rows that a kernel computes
	writes map[*unit][]region.Interval // rows that a sink takes
}

// schedule lays out a pass in blocks of so many rows of its tallest target, from one row on. What earlier blocks made is not
// there then, so the first one makes all that it needs.
func (f *flow) schedule(p *Pass, blockRows, from int) *schedule {
	s := &schedule{need: map[*bound.Buffer][]region.Interval{}, tracks: map[*bound.Buffer]track{}, runs: map[*unit][]region.Interval{}, writes: map[*unit][]region.Interval{}}
	for lo := from; lo < p.Rows || lo == 0; lo += blockRows {
		s.clock = append(s.clock, region.Interval{Lo: lo, Hi: min(lo+blockRows, p.Rows)})
	}
	for _, b := range p.targets {
		for t, c := range s.clock {
			s.want(b, t, scaled(c, p.Rows, b.Layout.RowCount()))
		}
	}
	for _, u := range slices.Backward(p.units) {
		switch u.step.Kind {
		case plan.SinkStep:
			for _, c := range s.clock {
				if len(u.reads) == 0 { // it shows what is known already
					break
				}
				s.writes[u] = append(s.writes[u], scaled(c, p.Rows, u.reads[0].Layout.RowCount()))
			}
		case plan.KernelStep:
			s.kernel(f, u)
		}
	}
	for b := range s.need {
		s.tracks[b] = trackOf(s.need[b])
	}
	return s
}

// scaled is the part of an array of so many rows that goes with a part of one of others.
func scaled(at region.Interval, of, to int) region.Interval {
	if of == to {
		return at
	}
	return region.Interval{Lo: at.Lo * to / of, Hi: at.Hi * to / of}
}

func (s *schedule) want(b *bound.Buffer, t int, rows region.Interval) {
	if s.need[b] == nil {
		s.need[b] = make([]region.Interval, len(s.clock))
	}
	s.need[b][t] = s.need[b][t].Hull(rows)
}

// kernel finds the rows that a kernel computes in every block and what it needs for them.
func (s *schedule) kernel(f *flow, u *unit) {
	all := make([]region.Interval, len(s.clock))
	for _, b := range u.makes {
		for t, n := range s.need[b] {
			all[t] = all[t].Hull(n)
		}
	}
	tr := trackOf(all)
	done := 0
	runs := make([]region.Interval, len(s.clock))
	for t := range s.clock {
		runs[t] = region.Interval{Lo: max(done, tr.lo[t]), Hi: max(done, tr.hi[t])}
		done = runs[t].Hi
		if runs[t].Empty() {
			continue
		}
		for b, n := range f.inputs(u, runs[t]) {
			if b.Role != plan.FromPlan {
				s.want(b, t, n)
			}
		}
	}
	s.runs[u] = runs
	for _, b := range u.makes { // its results come together
		for t, r := range runs {
			if !r.Empty() {
				s.want(b, t, r)
			}
		}
	}
}

// trackOf makes rows come in order and go when no later block needs them.
func trackOf(need []region.Interval) track {
	tr := track{make([]int, len(need)), make([]int, len(need))}
	hi := 0
	for t, n := range need {
		if !n.Empty() {
			hi = max(hi, n.Hi)
		}
		tr.hi[t] = hi
	}
	lo := hi
	for t, n := range slices.Backward(need) {
		if !n.Empty() {
			lo = min(lo, n.Lo)
		}
		tr.lo[t] = lo
	}
	return tr
}

// hugePages is what a window may take beyond its rows where memory comes in pages of that size.
const hugePages = 2 << 20

// peak is the most memory that a pass takes over its blocks: rows alive, those read ahead and those being written.
func (s *schedule) peak(f *flow, p *Pass) int64 {
	fixed := int64(0)
	for _, b := range p.kept {
		fixed += b.Bytes
	}
	sinks := map[*bound.Buffer]bool{}
	for _, u := range p.units {
		if u.step.Kind == plan.KernelStep {
			continue
		}
		fixed += f.scratchOf(u)
		for _, b := range u.reads {
			sinks[b] = true
		}
	}
	most := int64(0)
	for t := range s.clock {
		alive := fixed
		for b, tr := range s.tracks {
			if f.kept[b] != "" {
				continue
			}
			lo, hi := tr.lo[t], tr.hi[t]
			if b.Role == plan.FromSource && t+1 < len(tr.hi) {
				hi = tr.hi[t+1]
			}
			if sinks[b] && t > 0 {
				lo = min(lo, tr.lo[t-1])
			}
			alive += min(Window(b.Ir, b.Layout, hi-lo), b.Bytes)
		}
		most = max(most, alive)
	}
	return most
}

// largestWindow is the array that has most in memory at once in the pass that takes most.
func (s *Stream) largestWindow() (name string, rows int, bytes int64) {
	worst := &s.Passes[0]
	for i := range s.Passes {
		if s.Passes[i].Peak > worst.Peak {
			worst = &s.Passes[i]
		}
	}
	for b, tr := range s.flow.schedule(worst, worst.BlockRows, 0).tracks {
		for t := range tr.hi {
			n := tr.hi[t] - tr.lo[t]
			if w := Window(b.Ir, b.Layout, n); s.flow.kept[b] == "" && (w > bytes || w == bytes && b.Stage < name) {
				name, rows, bytes = cmp.Or(b.Label, b.Stage), n, w
			}
		}
	}
	return name, rows, bytes
}

// scratchOf is the memory that a source or sink takes besides its array.
func (f *flow) scratchOf(u *unit) int64 {
	st, ok := u.step.Op.Bound.(ops.Streamer)
	if !ok {
		return 0
	}
	if _, known := f.scratch[u]; !known {
		f.scratch[u] = st.Scratch()
	}
	return f.scratch[u]
}

// Window is the memory of so many rows of an array.
func Window(buf *ir.Buffer, t ops.Type, rows int) int64 {
	n, _ := ops.RegionBytes(buf, t, t.Rows(region.Interval{Hi: max(0, rows)}))
	if buf.Bytes() >= 16*hugePages {
		n += hugePages
	}
	return n
}

// Windowed reports a buffer of which only some rows are in memory at a time.
func (s *Stream) Windowed(buffer string) bool { return s.flow.kept[s.flow.plan.Buffer(buffer)] == "" }

// Blocks lays a pass out from one row of its tallest array on.
func (s *Stream) Blocks(pass, from int) []Block {
	p := &s.Passes[pass]
	sched := s.flow.schedule(p, p.BlockRows, from)
	out := make([]Block, len(sched.clock))
	for t := range out {
		b := Block{Rows: sched.clock[t], Read: map[string]region.Interval{}, Run: map[string]region.Interval{}, Write: map[string]region.Interval{}, Keep: map[string]int{}}
		for buf, tr := range sched.tracks {
			before := 0
			if t > 0 {
				before = tr.hi[t-1]
			}
			if at := (region.Interval{Lo: max(before, tr.lo[t]), Hi: tr.hi[t]}); buf.Role == plan.FromSource && !at.Empty() && s.flow.kept[buf] == "" {
				b.Read[buf.ID] = at
			}
			if s.flow.kept[buf] != "" {
				continue
			}
			b.Keep[buf.ID] = tr.hi[t]
			if t+1 < len(out) {
				b.Keep[buf.ID] = tr.lo[t+1]
			}
		}
		for u, runs := range sched.runs {
			if !runs[t].Empty() {
				b.Run[u.step.ID] = runs[t]
			}
		}
		for u, writes := range sched.writes {
			if s.flow.kept[u.reads[0]] == "" {
				b.Write[u.step.ID] = writes[t]
			}
		}
		out[t] = b
	}
	return out
}

// stream plans the run in blocks, in each pass the largest that fit the budget. ok is false where not even the smallest do.
func (f *flow) stream(budget int64) (s *Stream, ok bool) {
	s = &Stream{Passes: f.passes(), flow: f, Stream: plan.Stream{Whole: f.plan.Totals.PeakBytes}}
	ok = true
	for i := range s.Passes {
		p := &s.Passes[i]
		ok = p.choose(f, budget) && ok
		s.PeakBytes = max(s.PeakBytes, p.Peak)
	}
	s.describe()
	return s, ok
}

// fewestBlocks lets reading, computing and writing overlap.
const fewestBlocks = 8

// choose finds the largest blocks that fit.
func (p *Pass) choose(f *flow, budget int64) bool {
	smallest := max(1, p.Rows/mostBlocks)
	rows := max(smallest, even((p.Rows+fewestBlocks-1)/fewestBlocks))
	for p.set(f, rows); p.Peak > budget && rows > smallest; p.set(f, rows) {
		rows = max(smallest, even(rows/2))
	}
	if p.Peak > budget {
		return false
	}
	good, bad := rows, min(2*rows, p.Rows/fewestBlocks+1)
	for range 3 {
		mid := even((good + bad) / 2)
		if mid <= good {
			break
		}
		if p.set(f, mid); p.Peak <= budget {
			good = mid
		} else {
			bad = mid
		}
	}
	p.set(f, good)
	return true
}

// set lays the pass out in blocks of so many rows.
func (p *Pass) set(f *flow, rows int) {
	sched := f.schedule(p, rows, 0)
	p.BlockRows, p.Blocks, p.Peak = rows, len(sched.clock), sched.peak(f, p)
	if p.Blocks > 1 { // a run that is resumed in the middle starts with more rows
		p.Peak = max(p.Peak, f.schedule(p, rows, sched.clock[p.Blocks/2].Lo).peak(f, p))
	}
}

// mostBlocks bounds the overhead of blocks: there are not more of them.
const mostBlocks = 256

// even rounds rows down to what kernels and files like.
func even(rows int) int {
	const patch = 16
	if rows > 4*patch {
		return rows / patch * patch
	}
	return rows
}

// describe fills in what people want to know.
func (s *Stream) describe() {
	f := s.flow
	for i := range f.plan.Buffers {
		b := &f.plan.Buffers[i]
		if why := f.kept[b]; why != "" && b.Role != plan.FromPlan && len(b.Layout.Dims) > 0 {
			s.Kept = append(s.Kept, plan.KeptArray{Buffer: b.ID, Name: cmp.Or(b.Label, b.Stage), Bytes: b.Bytes, Why: why})
		}
	}
	for _, u := range f.units {
		if u.step.Kind != plan.KernelStep || f.rows(u) < 3 {
			continue
		}
		middle := f.rows(u) / 2
		for _, b := range u.reads {
			n, ok := f.probe(u)[b]
			if !ok || f.kept[b] != "" || n.Empty() {
				continue
			}
			// rows of the two arrays correspond by their share of the whole, margins apart
			shift := (b.Layout.RowCount() - f.rows(u)) / 2
			h := plan.Halo{Kernel: u.step.ID, Of: b.ID, Above: middle + shift - n.Lo, Below: n.Hi - 1 - middle - shift}
			if scale := float64(b.Layout.RowCount()) / float64(f.rows(u)); scale > 0.5 && scale < 2 && (h.Above > 0 || h.Below > 0) {
				s.Halos = append(s.Halos, h)
			}
		}
	}
}

package blocks

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// track is how the rows of one array come and go over the blocks of a strip: in block t, rows up to Hi[t] are there, and
// those before Lo[t] are not needed any more.
type track struct{ lo, hi []int }

// schedule is what happens in a strip of a pass, block by block.
type schedule struct {
	strip  region.Region                       // of the dims behind the first of the tallest target; nil: all of them
	of     int                                 // rows of the tallest target
	clock  []region.Interval                   // rows of the tallest target, by block
	rows   map[*bound.Buffer][]region.Interval // needed, by block
	across map[*bound.Buffer]region.Region     // of the other dims, needed by any block
	tracks map[*bound.Buffer]track
	runs   map[*unit][]region.Region   // what a kernel computes
	spans  map[*unit][]region.Interval // turns that it makes, where it carries what it has from block to block
	writes map[*unit][]region.Region   // what a sink takes

	through float64 // bytes that kernels read, in all blocks
}

// schedule lays out a strip of a pass in blocks of so many rows of its tallest target, from one row on. What earlier blocks made is not
// there then, so the first one makes all that it needs.
func (f *flow) schedule(p *Pass, blockRows, from int, strip region.Region) *schedule {
	return f.part(p, blockRows, from, p.Rows, strip)
}

// part is the schedule of the blocks that begin before some row.
func (f *flow) part(p *Pass, blockRows, from, before int, strip region.Region) *schedule {
	s := &schedule{strip: strip, of: p.Rows, rows: map[*bound.Buffer][]region.Interval{}, across: map[*bound.Buffer]region.Region{},
		tracks: map[*bound.Buffer]track{}, runs: map[*unit][]region.Region{}, spans: map[*unit][]region.Interval{}, writes: map[*unit][]region.Region{}}
	for lo := from; lo < before || lo == 0; lo += blockRows {
		s.clock = append(s.clock, region.Interval{Lo: lo, Hi: min(lo+blockRows, p.Rows)})
	}
	for _, b := range p.targets {
		for t := range s.clock {
			s.want(b, t, s.partOf(p, t, b))
		}
	}
	for _, u := range slices.Backward(p.units) {
		switch u.step.Kind {
		case plan.SinkStep:
			for t := range s.clock {
				if len(u.reads) == 0 { // it shows what is known already
					break
				}
				s.writes[u] = append(s.writes[u], s.partOf(p, t, u.reads[0]))
			}
		case plan.KernelStep:
			if c := f.carry[u]; c != nil {
				s.turns(f, u, c)
			} else {
				s.kernel(f, u)
			}
		case plan.DriveStep:
			if n := f.objects[u]; n > 0 {
				s.rounds(f, u, n)
			}
		}
	}
	for b := range s.rows {
		s.tracks[b] = trackOf(s.rows[b])
	}
	return s
}

// partOf is the part of a target that goes with a block of the tallest one.
func (s *schedule) partOf(p *Pass, t int, b *bound.Buffer) region.Region {
	at := p.Along(s.strip, b.Layout)
	if len(at) > 0 {
		at[0] = scaled(s.clock[t], p.Rows, b.Layout.RowCount())
	}
	return at
}

// Along is the part of a target that goes with a strip of the tallest one.
func (p *Pass) Along(strip region.Region, t ops.Type) region.Region {
	at := t.Whole()
	for i, along := range strip {
		at[i+1] = scaled(along, p.tallest.Layout.Dims[i+1].Size, t.Dims[i+1].Size)
	}
	return at
}

// scaled is the part of an array of so many rows that goes with a part of one of others.
func scaled(at region.Interval, of, to int) region.Interval {
	if of == to {
		return at
	}
	return region.Interval{Lo: at.Lo * to / of, Hi: at.Hi * to / of}
}

// want notes what a block needs of an array; of a single value, all.
func (s *schedule) want(b *bound.Buffer, t int, at region.Region) {
	switch {
	case len(at) == 0:
		at = region.Region{{Hi: 1}}
	case at.Empty():
		return
	}
	if s.rows[b] == nil {
		s.rows[b], s.across[b] = make([]region.Interval, len(s.clock)), at[1:]
		if s.strip == nil && len(b.Layout.Dims) > 0 {
			s.across[b] = b.Layout.Whole()[1:]
		}
	}
	s.rows[b][t], s.across[b] = s.rows[b][t].Hull(at[0]), s.across[b].Hull(at[1:])
}

// packing is how many times as long as to read it a kernel takes to lay out what it reads in the order of its loops, which it does in each block.
const packing = 4

// kernel finds what a kernel computes in every block and what it needs for that.
func (s *schedule) kernel(f *flow, u *unit) {
	k := u.step.Kernel.IR
	axes, columns := len(k.Axes), k.Columnwise()
	all := make([]region.Interval, len(s.clock))
	var across region.Region
	for _, b := range u.makes {
		for t, n := range s.rows[b] {
			all[t] = all[t].Hull(n)
		}
		switch {
		case s.rows[b] == nil:
		case columns:
			across = across.Hull(s.across[b])
		case axes > 0 && k.Pointwise():
			across = across.Hull(s.across[b][:axes-1])
		}
	}
	if axes > 0 && !k.Pointwise() && !columns {
		across = k.Domain()[1:]
	}
	inOrder, packs, weight := f.inOrder(u), f.packs(u), 1.0
	if _, packed := u.step.Kernel.Block(); packed {
		weight = packing
	}
	if packs {
		for t, at := range s.clock {
			all[t] = scaled(at, s.of, f.rows(u))
		}
	}
	tr, each := trackOf(all), max(1, k.Each())
	done := 0
	s.runs[u] = make([]region.Region, len(s.clock))
	for t := range s.clock {
		rows := region.Interval{Lo: max(done, tr.lo[t]/each), Hi: max(done, (tr.hi[t]+each-1)/each)}
		if done = rows.Hi; rows.Empty() {
			continue
		}
		at := append(region.Region{rows}, across...)[:axes]
		switch {
		case columns: // all rows of them
			at, done = across, f.rows(u)
		case inOrder && !packs: // all of it, once
			at, done = k.Domain(), math.MaxInt
		}
		s.runs[u][t] = at
		for b, n := range f.inputs(u, at) {
			if b.Role != plan.FromPlan {
				s.want(b, t, n)
				s.through += float64(n.Points()) * weight * float64(b.Layout.Elem.Size())
			}
		}
		for _, b := range u.makes { // its results come together
			made := b.Layout.Whole()
			copy(made, u.step.Kernel.Elements(at))
			s.want(b, t, made)
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

// whole is what a pass takes however it is cut: arrays that are there from end to end, and what is carried.
func (p *Pass) whole(f *flow) (n int64) {
	for _, b := range p.kept {
		if b.Role != plan.FromAround {
			n += b.Known()
		}
	}
	for _, u := range p.units {
		if c := f.carry[u]; c != nil {
			n += 2 * c.Bytes() // and what is kept of it for a run that goes on
		}
	}
	return n
}

// peak is the most memory that a pass takes over its blocks: rows alive, those read ahead and those being written.
func (s *schedule) peak(f *flow, p *Pass) int64 {
	fixed := p.whole(f)
	sinks := map[*bound.Buffer]bool{}
	for _, u := range p.units {
		if u.step.Kind == plan.KernelStep {
			continue
		}
		fixed += f.scratchOf(u, s)
		for _, b := range u.reads {
			sinks[b] = f.objects[u] == 0
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
			alive += min(f.window(b, s.window(b, region.Interval{Lo: lo, Hi: hi})), b.Bytes)
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
	sched := s.flow.schedule(worst, worst.BlockRows, 0, nil)
	for b, tr := range sched.tracks {
		for t := range tr.hi {
			at := region.Interval{Lo: tr.lo[t], Hi: tr.hi[t]}
			if w := s.flow.window(b, sched.window(b, at)); s.flow.kept[b] == "" && (w > bytes || w == bytes && b.Stage < name) {
				name, rows, bytes = cmp.Or(b.Label, b.Stage), at.Len(), w
			}
		}
	}
	return name, rows, bytes
}

// window is some rows of an array, as wide as the strip needs it.
func (s *schedule) window(b *bound.Buffer, rows region.Interval) region.Region {
	across := s.across[b]
	if across == nil && len(b.Layout.Dims) > 0 { // nothing needs it here
		across = b.Layout.Whole()[1:]
	}
	return append(region.Region{{Lo: rows.Lo, Hi: max(rows.Lo, rows.Hi)}}, across...)
}

// scratchOf is the memory that a source or sink takes besides its array.
func (f *flow) scratchOf(u *unit, s *schedule) (n int64) {
	switch {
	case f.objects[u] > 0:
		return u.step.TakesFor(f.plan, f.objects[u], scaled(s.clock[0], s.of, f.objects[u]).Len())
	case u.step.Kind == plan.DriveStep:
		n = u.step.Takes()
	}
	st, ok := u.step.Op.Bound.(ops.Streamer)
	arrays := slices.Concat(u.reads, u.makes)
	if !ok || len(arrays) == 0 {
		return n
	}
	at := s.window(arrays[0], region.Interval{Hi: s.clock[0].Len()})
	key := fmt.Sprint(u.step.ID, at[1:])
	if _, known := f.scratch[key]; !known {
		f.scratch[key] = st.Scratch(at)
	}
	return f.scratch[key]
}

// Window is the memory of a region of an array.
func Window(b *bound.Buffer, at region.Region) (all int64) {
	for i, part := range b.Bufs {
		n, pieces := ops.RegionBytes(part, b.Layout.In(i, part.Shape, at))
		switch {
		case pieces > 1:
			n += pieces * ends(part, b.Layout.In(i, part.Shape, at))
		case part.Bytes() >= 16*hugePages:
			n += hugePages
		}
		all += n
	}
	return all
}

// Windowed reports whether only some rows of a buffer are in memory at a time.
func (s *Stream) Windowed(buffer string) bool { return s.flow.kept[s.flow.plan.Buffer(buffer)] == "" }

// Blocks lays a strip of a pass out from one row of its tallest array on.
func (s *Stream) Blocks(pass int, strip region.Region, from int) []Block {
	p := &s.Passes[pass]
	sched := s.flow.schedule(p, p.BlockRows, from, strip)
	s.flow.needs = map[need]map[*bound.Buffer]region.Region{} // blocks have it now, and of each kernel there are as many as blocks
	out := make([]Block, len(sched.clock))
	for t := range out {
		b := Block{Hi: sched.clock[t].Hi, Turns: map[string]region.Interval{}, Read: map[string]region.Region{}, Run: map[string]region.Region{}, Write: map[string]region.Region{}, Keep: map[string]int{}, From: map[string]int{}}
		for buf, tr := range sched.tracks {
			if s.flow.kept[buf] != "" {
				continue
			}
			if at := sched.reads(buf, t); at != nil {
				b.Read[buf.ID] = at
			}
			b.Keep[buf.ID] = tr.hi[t]
			b.From[buf.ID] = tr.lo[t]
			if t+1 < len(out) {
				b.Keep[buf.ID] = tr.lo[t+1]
			}
		}
		for u, runs := range sched.runs {
			if runs[t] != nil {
				b.Run[u.step.ID] = runs[t]
				if spans := sched.spans[u]; spans != nil {
					b.Turns[u.step.ID] = spans[t]
				}
			}
		}
		for u, writes := range sched.writes {
			if s.flow.byRows(u) {
				b.Write[u.step.ID] = writes[t]
			}
		}
		out[t] = b
	}
	return out
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
		if u.step.Kind != plan.KernelStep || f.carry[u] != nil || f.rows(u) < 3 || u.step.Kernel.IR.Each() != 1 {
			continue
		}
		middle := f.rows(u) / 2
		for _, b := range u.reads {
			at := f.probe(u)[b]
			if len(at) == 0 || f.kept[b] != "" || at.Empty() {
				continue
			}
			n := at[0]
			// rows of the two arrays correspond by their share of the whole, margins apart
			shift := (b.Layout.RowCount() - f.rows(u)) / 2
			h := plan.Halo{Kernel: u.step.ID, Of: b.ID, Above: middle + shift - n.Lo, Below: n.Hi - 1 - middle - shift}
			if scale := float64(b.Layout.RowCount()) / float64(f.rows(u)); scale > 0.5 && scale < 2 && (h.Above > 0 || h.Below > 0) {
				s.Halos = append(s.Halos, h)
			}
		}
	}
}

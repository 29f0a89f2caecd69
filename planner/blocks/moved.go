package blocks

import (
	"fmt"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/plan"
)

// moved is the bytes that a source or a sink moves for a region of its array, which it is given piece by piece.
func moved(u *unit, b *bound.Buffer, at region.Region) (n int64) {
	s, ok := u.step.Op.Bound.(ops.Streamer)
	if !ok || at == nil {
		return 0
	}
	for piece := range ops.Pieces(at, b.Layout.Shape()) {
		n += s.Moves(piece)
	}
	return n
}

// reads is the region of a source's array that comes with a block; nil: none of it.
func (s *schedule) reads(b *bound.Buffer, t int) region.Region {
	tr, before := s.tracks[b], 0
	if tr.hi == nil || b.Role != plan.FromSource {
		return nil
	}
	if t > 0 {
		before = tr.hi[t-1]
	}
	rows := region.Interval{Lo: max(before, tr.lo[t]), Hi: tr.hi[t]}
	if rows.Empty() {
		return nil
	}
	return append(region.Region{rows}, s.across[b]...)
}

// transfers calls visit for all that sources and sinks of a pass move in the blocks of a strip.
func (s *schedule) transfers(f *flow, p *Pass, visit func(u *unit, bytes int64)) {
	for _, u := range p.units {
		for t := range s.clock {
			switch {
			case u.step.Kind == plan.ReadStep && f.kept[u.makes[0]] == "":
				visit(u, moved(u, u.makes[0], s.reads(u.makes[0], t)))
			case s.writes[u] != nil && f.byRows(u):
				visit(u, moved(u, u.reads[0], s.writes[u][t]))
			}
		}
	}
}

// seconds is what the blocks of a strip take besides computing: files, and what kernels read, each block anew.
func (s *schedule) seconds(f *flow, p *Pass) float64 {
	sum := cost.Passing(s.through)
	s.transfers(f, p, func(_ *unit, bytes int64) {
		if bytes > 0 {
			sum += cost.Parting(bytes)
		}
	})
	return sum
}

// move adds up what all sources and sinks move: arrays that are read as a whole in the first of the passes that need them.
func (s *Stream) move() {
	there := map[*bound.Buffer]bool{}
	for i := range s.Passes {
		p := &s.Passes[i]
		bytes := map[*unit]int64{}
		for _, strip := range p.Strips() {
			s.flow.schedule(p, p.BlockRows, 0, strip).transfers(s.flow, p, func(u *unit, n int64) { bytes[u] += n })
		}
		for _, u := range p.units {
			if n := bytes[u]; n > 0 && u.step.Kind == plan.SinkStep {
				p.Writes = append(p.Writes, plan.Moved{Step: u.step.ID, Bytes: n})
			}
			if u.step.Kind != plan.ReadStep {
				continue
			}
			b := u.makes[0]
			if s.flow.kept[b] != "" && !there[b] {
				there[b], bytes[u] = true, moved(u, b, b.Layout.Whole())
			}
			if n := bytes[u]; n > 0 {
				p.Reads = append(p.Reads, plan.Moved{Step: u.step.ID, Bytes: n})
			}
		}
	}
}

// Strange reports whether some of what was written of an array of type t before lies in a strip and beside it.
func (p *Pass) Strange(t ops.Type, marks []ops.Mark) bool {
	for _, strip := range p.Strips() {
		across := p.Along(strip, t)[1:]
		for _, m := range marks {
			if len(m.There) != len(t.Dims) || !across.Within(m.There[1:]) && !across.Intersect(m.There[1:]).Empty() {
				return true
			}
		}
	}
	return false
}

// Computes is what a pass computes, for people.
func (s *Stream) Computes(pass int) string {
	units := s.Passes[pass].units
	name := units[len(units)-1].step.Name
	for _, u := range units {
		if u.step.Kernel != nil {
			name = u.step.Name
		}
	}
	return fmt.Sprintf("%s, pass %d of %d", name, pass+1, len(s.Passes))
}

// Predicted is how long a pass takes.
func (s *Stream) Predicted(pass int) time.Duration {
	sum := 0.0
	for _, u := range s.Passes[pass].units {
		if u.step.Kernel != nil {
			ms, _ := u.step.Kernel.Expected()
			sum += ms
		}
	}
	return time.Duration(sum * float64(time.Millisecond))
}

// Tiles is how many of its kernels are launched in blocks of a pass, and one a block.
func (s *Stream) Tiles(pass int, strips [][]Block, threads int) (n int) {
	for _, b := range slices.Concat(strips...) {
		n++
		for _, u := range s.Passes[pass].units {
			if over, ok := b.Run[u.step.ID]; ok && u.step.Kernel != nil {
				n += len(u.step.Kernel.TilesOf(over, threads))
			}
		}
	}
	return n
}

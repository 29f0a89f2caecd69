package ops

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// Nest builds ordered folds within each other over [0, his[i]), as Loops does.
func (b *Body) Nest(his, axes, start []*ir.Node, body func(at, state []*ir.Node) []*ir.Node) (inner *ir.Fold, state []*ir.Node) {
	return b.Loops(len(his), func(at []*ir.Node) (lo, hi *ir.Node) { return b.I32(0), his[len(at)] }, axes, start, body)
}

// Loops builds n ordered folds within each other, from and to where bounds says for the indices of those around: inner ones go on with the
// state of these. body steps the state at the folds' indices. Every fold varies with the axes, so that it may store at them. The result is the
// innermost fold, and the state in the end.
func (b *Body) Loops(n int, bounds func(at []*ir.Node) (lo, hi *ir.Node), axes, start []*ir.Node,
	body func(at, state []*ir.Node) []*ir.Node) (inner *ir.Fold, state []*ir.Node) {
	start = append(slices.Clone(start), axes...)
	if len(start) == 0 {
		start = []*ir.Node{b.I32(0)}
	}
	var nest func(at, from []*ir.Node) []*ir.Node
	nest = func(at, from []*ir.Node) []*ir.Node {
		lo, hi := bounds(at)
		out := b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: from}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			at := append(slices.Clone(at), i)
			if len(at) < n {
				return nest(at, acc), nil
			}
			return append(body(at, acc[:len(acc)-len(axes)]), acc[len(acc)-len(axes):]...), nil
		})
		if len(at)+1 == n {
			inner = out[0].Fold
		}
		return out
	}
	state = nest(nil, start)
	return inner, state[:len(state)-len(axes)]
}

// Scan is a recurrence along a dim: arrays of what a state, of one value or several, is in each turn.
type Scan struct {
	Dims  []Dim // of the arrays
	Along int
	Chunk int // turns that begin with a state of their own; 0: all of the dim
	// Start is the state before the first turn of a chunk: at is an index of the arrays with the number of the chunk in place of
	// that along the dim. Step is the state after the turn at an index.
	Start func(b *Body, at []*ir.Node) []*ir.Node
	Step  func(b *Body, at, state []*ir.Node) []*ir.Node
}

// chunks are the dims of the arrays with one element a chunk along the scan.
func (s *Scan) chunks() []Dim {
	dims := slices.Clone(s.Dims)
	dims[s.Along] = Dim{Name: dims[s.Along].Name, Size: (dims[s.Along].Size + s.turns() - 1) / s.turns()}
	return dims
}

func (s *Scan) turns() int {
	if s.Chunk == 0 {
		return max(1, s.Dims[s.Along].Size)
	}
	return s.Chunk
}

// ChunkEnd is where a chunk of so many of n elements ends that begins at lo: the last one is shorter.
func ChunkEnd(b *Body, lo *ir.Node, each, n int) *ir.Node {
	if n+each <= math.MaxInt32 {
		return b.Min(b.Add(lo, b.I32(each)), b.I32(n)) // by which turns are counted
	}
	return b.Add(lo, b.Min(b.I32(each), b.Sub(b.I32(n), lo)))
}

// run builds the turns of a chunk as long as one is not after the last (nil: all of them), and gives the state in the end. The turns vary
// with some axes, whatever is in them.
func (s *Scan) run(b *Body, chunk, axes []*ir.Node, last *ir.Node) []*ir.Node {
	lo, hi := b.I32(0), b.I32(s.Dims[s.Along].Size)
	if s.Chunk > 0 {
		lo = b.Mul(chunk[s.Along], b.I32(s.Chunk))
		hi = ChunkEnd(b, lo, s.Chunk, s.Dims[s.Along].Size)
	}
	start := s.Start(b, chunk)
	state := b.Fold(ir.FoldSpec{Name: s.Dims[s.Along].Name, Lo: lo, Hi: hi, Init: append(slices.Clone(start), axes...)}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := slices.Clone(chunk)
		at[s.Along] = i
		var while *ir.Node
		if last != nil {
			while = b.Le(i, last)
		}
		return append(s.Step(b, at, acc[:len(start)]), acc[len(start):]...), while
	})
	return state[:len(start)]
}

// Scan defines an array of what is kept of the states before and after each turn. Arrays of one scan are made by one kernel.
func (l *Lowering) Scan(name string, elem ElemType, unit Unit, inputs []*Stage, s *Scan, keep func(b *Body, before, after []*ir.Node) Elem) *Stage {
	t := Type{Elem: elem, Dims: s.Dims, Unit: unit}
	out := l.Stage(name, t, inputs, func(b *Body, index []*ir.Node) Elem {
		chunk, last := slices.Clone(index), index[s.Along]
		chunk[s.Along] = b.Alu(ir.Div, last, b.I32(s.turns()))
		before := s.run(b, chunk, nil, b.Sub(last, b.I32(1)))
		return keep(b, before, s.Step(b, index, before))
	})
	axes, along := slices.Delete(s.chunks(), s.Along, s.Along+1), s.Dims[s.Along].Name
	if s.Chunk != 0 {
		axes, along = s.chunks(), ""
	}
	out.Put = &Put{Axes: axes, Along: along, Writes: func(b *Body, at []*ir.Node) []Write {
		chunk := at
		if s.Chunk == 0 {
			chunk = slices.Insert(slices.Clone(at), s.Along, b.I32(0))
		}
		state := b.Once(s, at, func() []*ir.Node {
			state := s.run(b, chunk, nil, nil)
			still := slices.DeleteFunc(slices.Clone(at), func(a *ir.Node) bool { return state[0].Fold.Node.Free().Meets(a.Bind()) })
			if len(still) > 0 { // it stores for every point of the axes
				state = s.run(b, chunk, still, nil)
			}
			return state
		})
		f, n := state[0].Fold, len(state)
		index := slices.Clone(chunk)
		index[s.Along] = f.Index
		return []Write{{In: f, At: index, Value: keep(b, f.Accs[:n], f.Step[:n])}}
	}}
	return out
}

// Totals defines an array of what is kept of the state in the end of each chunk.
func (l *Lowering) Totals(name string, elem ElemType, unit Unit, inputs []*Stage, s *Scan, keep func(b *Body, state []*ir.Node) Elem) *Stage {
	return l.Stage(name, Type{Elem: elem, Dims: s.chunks(), Unit: unit}, inputs, func(b *Body, chunk []*ir.Node) Elem {
		return keep(b, s.run(b, chunk, nil, nil))
	})
}

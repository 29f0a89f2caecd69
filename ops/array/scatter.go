package array

import (
	"errors"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// Sums at places are by chunks of the outermost dim that is gone through: as many as mostChunks, while their tables stay smaller than an eighth
// of what is added up. Where that dim is rows, of which each goes through its own part, a chunk has no more than fewRows: as many terms as f32 adds up well
// where a row adds to a place once.
const (
	mostChunks = 64
	fewRows    = 512
)

func scatterSpec() *ops.Spec {
	return &ops.Spec{
		Name: "scatter", Doc: "Elements added up at computed places: reading at places turned round.", Group: groupReduce, Error: operand.Rounded,
		Long: "scatter(a, at: (x: place), like: b) is an array like b, to whose element at each place the element of a is added: where b[x: place] " +
			"reads, it adds. " +
			"Places are whole numbers, and known to be inside. The array and its places join by name. Dimensions of b that have no place are gone " +
			"through together with those of a; all others are added up. Floats add up in f64, in order within chunks of the outermost of these, whose " +
			"number follows from the shape alone, and chunk by chunk.",
		Returns: "an array over the dimensions of `like`, in the unit of the elements.",
		Params: []ops.Param{ops.In("a", "elements that are added up"),
			{Name: "at", Doc: "record of places: whole numbers for each dimension of `like` that is none of the elements' own", Accept: ops.KRecord, ByDims: true},
			ops.In("like", "array whose dimensions the result has"),
			{Name: "over", Doc: "k in first .. last: for each element of the ends, that part of k alone", Accept: ops.KSegment, Optional: true}},
		Examples: []ops.Example{
			{Title: "Counts by class", Code: "i = axis(i, 0 .. 9 in 10)\nclass = axis(class, 0 .. 3 in 4)\nshow(scatter(i * 0 + 1, at: (class: clamp(floor(i / 3), 0, 3)), like: class))"},
			{Title: "A sparse matrix, transposed, times a vector", Code: "value = axis(k, 1 .. 5 in 5)\ncolumn = array([0, 2, 1, 0, 2], dims: k)\nfirst = array([0, 2], dims: row)\n" +
				"last = array([1, 4], dims: row)\ny = array([1.0, 10], dims: row)\nshow(scatter(y * value, at: (x: column), like: axis(x, 0 .. 2 in 3), over: k in first .. last))"}},
		Bind: bindScatter, Counts: true,
	}
}

// scatter is a use of scatter.
type scatter struct {
	ops.Gives
	dims   []ops.Dim // that are gone through: of ends, elements and places
	terms  operand.Operand
	spots  []spot // for each dim of the result
	part   *operand.Segment
	along  int   // the dim of the segment; -1: there is none
	summed []int // the dims that are added up, outer ones first
	acc    ops.ElemType
	each   int // turns of the outermost of these in a chunk
}

// spot is where an index of the result comes from: a dim that is gone through, or, where that is -1, a place.
type spot struct {
	dim   int
	place operand.Operand
	at    int // which of the arrays of places it is
}

func bindScatter(c *ops.Call) (ops.Op, error) {
	t, like, at := c.Type("a"), c.Type("like"), c.Args["at"].(ops.Record)
	if t.Elem.Complex {
		return nil, needsReal("scatter", "a", t)
	}
	s := &scatter{terms: operand.New("a", c.Args["a"]), acc: wide(t.Elem.Widen()), along: -1}
	joined := []operand.Operand{{Name: "over.from"}, {Name: "over.to"}, s.terms}
	var errs []error
	if of, ok := c.Args["over"].(ops.Segment); ok {
		k := t.Dim(of.Dim)
		if k < 0 {
			return nil, operand.UnknownDim("over", of.Dim, t)
		}
		part, err := operand.NewSegment(of, "over", t, []int{k})
		if err != nil {
			return nil, err
		}
		s.part = part
		joined[0], joined[1] = part.Ends[0].Operand, part.Ends[1].Operand
	}
	for n, name := range at.Names {
		d := like.Dim(name)
		if d < 0 {
			errs = append(errs, operand.UnknownDim("at."+name, name, like))
			continue
		}
		p := operand.New("at."+name, at.Fields[name])
		errs = append(errs, insideOf(p, like.Dims[d]))
		joined = append(joined, p)
		s.spots = append(s.spots, spot{dim: -1, place: p, at: n})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	dims, err := operand.Broadcast("scatter", joined)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(dims, like.Dims) {
		if d.Count != nil && (s.part == nil || d.Name != t.Dims[s.part.Dim].Name) {
			return nil, problem.Wrong(problem.WrongDims, "a", "go through parts of it: over: "+d.Name+" in first .. last",
				"`scatter` needs to know beforehand how many elements there are along %s", d.Name)
		}
	}
	s.dims, s.terms = dims, joined[2]
	if s.part != nil {
		s.part.Ends[0].Pick, s.part.Ends[1].Pick = joined[0].Pick, joined[1].Pick
		s.along = ops.Type{Dims: dims}.Dim(t.Dims[s.part.Dim].Name)
	}
	named := map[string]spot{}
	for i, p := range s.spots {
		p.place = joined[3+i]
		named[at.Names[i]] = p
	}
	if s.spots, err = s.settle(like, named); err != nil {
		return nil, err
	}
	s.Gives = ops.One(ops.Type{Elem: sumType(t.Elem.Widen()), Dims: like.Dims, Unit: t.Unit.Coherent()})
	return s, nil
}

// insideOf checks that places are indices of a dim.
func insideOf(p operand.Operand, d ops.Dim) error {
	switch {
	case p.Value.Kind()&(ops.KArray|ops.KNumber) == 0:
		return problem.Wrong(problem.WrongKind, p.Name, "", "places along %s are numbers or an array, and this is %s", d.Name, p.Value.Kind())
	case !p.Whole():
		return problem.Wrong(problem.NotWhole, p.Name, "round gives whole numbers",
			"places along %s are indices, and this is no whole number: %s", d.Name, p.Value)
	}
	return operand.Within(p, "these places", d.Name, "", 0, d.Size-1, d.Size)
}

// settle finds where each index of the result comes from, and what is added up.
func (s *scatter) settle(like ops.Type, named map[string]spot) (spots []spot, err error) {
	own := map[int]bool{}
	for _, d := range like.Dims {
		p, place := named[d.Name]
		if !place {
			if p.dim = (ops.Type{Dims: s.dims}).Dim(d.Name); p.dim < 0 || p.dim == s.along {
				return nil, problem.Wrong(problem.MissingDim, "at", "name where in "+d.Name+" they belong",
					"neither the elements nor `at` have the dimension %s of `like`", d.Name)
			}
			own[p.dim] = true
		}
		spots = append(spots, p)
	}
	total := 1
	for i, d := range s.dims {
		if !own[i] {
			s.summed = append(s.summed, i)
			if s.part == nil || i != s.along {
				total *= min(d.Size, 1<<40/total+1)
			}
		}
	}
	if s.part != nil {
		total = s.dims[s.along].Size
	}
	if len(s.summed) > 0 {
		s.each = s.dims[s.summed[0]].Size
		if s.summed[0] != s.along {
			chunks := mostChunks
			if s.part != nil {
				chunks = max(chunks, (s.each+fewRows-1)/fewRows)
			}
			chunks = max(1, min(chunks, total/8/like.Len(), s.each))
			s.each = (s.each + chunks - 1) / chunks
		}
	}
	return spots, nil
}

// chunks is how many tables there are.
func (s *scatter) chunks() int {
	if len(s.summed) == 0 {
		return 1
	}
	return (s.dims[s.summed[0]].Size + s.each - 1) / s.each
}

// Lower adds up in a table for each chunk, then adds up the tables.
func (s *scatter) Lower(l *ops.Lowering) []*ops.Stage {
	in, out := l.In("a"), s.Outputs()[0].Type
	inputs := slices.Concat([]*ops.Stage{in}, l.Lists["at"], l.Lists["over"])
	chunk := ops.Dim{Name: "chunk", Size: s.chunks()}
	t := ops.Type{Elem: s.acc, Dims: append([]ops.Dim{chunk}, out.Dims...), Unit: out.Unit}
	axes := []ops.Dim{chunk}
	for i, p := range s.spots {
		if p.dim >= 0 {
			axes = append(axes, out.Dims[i])
		}
	}
	// turn is where in the result an element belongs, whether that is inside, and the element.
	turn := func(b *ops.Body, at []*ir.Node) (index []*ir.Node, on, term *ir.Node) {
		index = make([]*ir.Node, len(s.spots))
		for i, p := range s.spots {
			switch {
			case p.dim >= 0:
				index[i] = at[p.dim]
				continue
			case p.place.Scalar:
				index[i] = b.I32(int(p.place.SI()))
				continue
			}
			x := l.Lists["at"][p.at].At(b, operand.Picked(at, p.place.Pick)...).Re
			if x.Type.Float() {
				x = b.Cast(ir.I64, x)
			}
			size := out.Dims[i].Size
			if lo, hi, ok := ir.SureRange(x, nil); !ok || lo < 0 || hi >= float64(size) { // a file may have changed since it was looked at
				inside := b.And(b.Le(b.Int(x.Type, 0), x), b.Lt(x, b.Int(x.Type, int64(size))))
				if on != nil {
					inside = b.And(on, inside)
				}
				on = inside
			}
			index[i] = b.Cast(ir.I32, x)
		}
		return index, on, b.Cast(s.acc.Base, in.At(b, operand.Picked(at, s.terms.Pick)...).Re)
	}
	// loops goes through a chunk at the indices of the result that come from the elements.
	loops := func(b *ops.Body, c *ir.Node, own, axes, start []*ir.Node, body func(at, state []*ir.Node) []*ir.Node) (*ir.Fold, []*ir.Node) {
		at := make([]*ir.Node, len(s.dims))
		for i, p := range s.spots {
			if p.dim >= 0 {
				at[p.dim] = own[i]
			}
		}
		inside := func(steps []*ir.Node) []*ir.Node {
			full := slices.Clone(at)
			for i, d := range s.summed {
				if i < len(steps) {
					full[d] = steps[i]
				}
			}
			return full
		}
		return b.Loops(max(1, len(s.summed)), func(steps []*ir.Node) (lo, hi *ir.Node) {
			if len(s.summed) == 0 {
				return b.I32(0), b.I32(1)
			}
			d := s.summed[len(steps)]
			size := s.dims[d].Size
			switch {
			case d == s.along:
				return s.part.Loop(b, l.Lists["over"], inside(steps), size)
			case len(steps) > 0:
				return b.I32(0), b.I32(size)
			}
			lo = b.Mul(c, b.I32(s.each))
			return lo, ops.ChunkEnd(b, lo, s.each, size)
		}, axes, start, func(steps, state []*ir.Node) []*ir.Node { return body(inside(steps), state) })
	}
	table := l.Stage("tables", t, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		_, state := loops(b, index[0], index[1:], nil, []*ir.Node{b.Const(s.acc.Base, 0)}, func(at, state []*ir.Node) []*ir.Node {
			places, on, term := turn(b, at)
			for i, p := range s.spots {
				if p.dim < 0 {
					here := b.Alu(ir.Eq, places[i], index[1+i])
					if on != nil {
						here = b.And(on, here)
					}
					on = here
				}
			}
			return []*ir.Node{b.Select(on, b.Add(state[0], term), state[0])}
		})
		return ops.Real(state[0])
	})
	table.Put = &ops.Put{Axes: axes, Writes: func(b *ops.Body, index []*ir.Node) []ops.Write {
		own := make([]*ir.Node, len(s.spots))
		var his []*ir.Node
		k := 1
		for i, p := range s.spots {
			if p.dim >= 0 {
				own[i] = index[k]
				k++
			} else {
				his = append(his, b.I32(out.Dims[i].Size))
			}
		}
		var cleared []*ir.Node
		clear, _ := b.Nest(his, index, nil, func(at, state []*ir.Node) []*ir.Node {
			cleared = at
			return state
		})
		first := []*ir.Node{index[0]}
		k = 0
		for i, p := range s.spots {
			if first = append(first, own[i]); p.dim < 0 {
				first[1+i] = cleared[k]
				k++
			}
		}
		var places []*ir.Node
		var on, term *ir.Node
		add, _ := loops(b, index[0], own, index, nil, func(at, state []*ir.Node) []*ir.Node {
			places, on, term = turn(b, at)
			return state
		})
		return []ops.Write{
			{In: clear, At: first, Value: ops.Real(b.Const(s.acc.Base, 0))},
			{In: add, At: append([]*ir.Node{index[0]}, places...), Value: ops.Real(term), Where: on, Adds: true},
		}
	}}
	sum := l.Stage("", out, []*ops.Stage{table}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		_, state := b.Nest([]*ir.Node{b.I32(chunk.Size)}, nil, []*ir.Node{b.Const(s.acc.Base, 0)}, func(c, state []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Add(state[0], table.At(b, append(c, index...)...).Re)}
		})
		return ops.Real(b.Cast(out.Elem.Base, state[0]))
	})
	sum.Steps = []string{"scatter"}
	return []*ops.Stage{sum}
}

// Reference adds up in plain float64.
func (s *scatter) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	t := s.Outputs()[0].Type
	out := ops.NewDense(false, t.Shape()...)
	strides := out.Strides()
	read := func(d ops.Dense, pick, at []int) float64 {
		i := 0
		for j, stride := range d.Strides() {
			i += at[pick[j]] * stride
		}
		return real(d.At(i))
	}
	for _, at := range ops.Indices(ops.Type{Dims: s.dims}.Shape()) {
		if s.part != nil {
			ends := s.part.At(in, at)
			if at[s.along] < ends[0] || ends[1] < at[s.along] {
				continue
			}
		}
		place := 0
		for i, p := range s.spots {
			switch {
			case p.dim >= 0:
				place += at[p.dim] * strides[i]
			case p.place.Scalar:
				place += int(p.place.SI()) * strides[i]
			default:
				place += int(read(in[ops.ReferenceKey("at", p.at)], p.place.Pick, at)) * strides[i]
			}
		}
		out.Re[place] += read(in["a"], s.terms.Pick, at)
	}
	return []ops.Dense{out}, nil
}

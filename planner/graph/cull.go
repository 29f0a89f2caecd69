package graph

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule/exits"
	"weft/ops"
)

// A loop that ends with the first element of an array above something, any(a[y + dy(k), x + dx(k)] - r(k) > t, over: k), may leave out
// turns where tables of the largest elements show that none is. An array that such a loop reads often gets these tables, and a margin as
// wide as the loop reaches, so that its loads need no guard. Of one that ends with the first element below something, all is negated.

// Tables pay where a loop turns so often, and in all its runs reads so much, and so many times what the array holds: they take about as
// long as reading it 30 times, and a few launches.
const (
	worthTurns = 16
	worthReads = 1 << 22
	worthTimes = 64
)

// frame is a constant around an array of two dims, so many elements wide; there is none where loads need no guard.
type frame struct {
	before, after [2]int
	guarded       bool
	other         float64
	negated       bool
}

// framed is an array in a frame.
type framed struct {
	stage *ops.Stage
	frame
}

// displaced are the loads of an array by one of its readers.
type displaced struct {
	Edge
	loads []*ir.Node
	tall  bool // tables serve
	low   bool // of the least elements
	both  bool // and of the largest
}

// cull bounds the arrays that are read by loops which end early.
func (g *Graph) cull() {
	defer func(was int) {
		if len(g.Stages) != was {
			g.link()
		}
	}(len(g.Stages))
	for _, s := range slices.Clone(g.Stages) {
		if k := g.Alone(s).Kernel; k == nil || len(leaving(k)) == 0 {
			continue
		}
		k, edges := g.spelled(s)
		reads := g.compared(k, edges)
		if len(reads) > 0 && g.tabulateIn(k, edges) {
			reads = g.compared(g.spelled(s))
		}
		for _, r := range reads {
			g.surround(r)
		}
	}
}

// leaving are the folds of a kernel that end as soon as nothing can change their results.
func leaving(k *ir.Kernel) (out []*ir.Fold) {
	ends := exits.EndsEarly(k)
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold && n.Fold.While == nil && ends(n.Fold) {
			out = append(out, n.Fold)
		}
	})
	return out
}

// spelled is the kernel of a stage with all that it is made from in it, but for what is read at places of its own, and who reads what.
func (g *Graph) spelled(s *ops.Stage) (*ir.Kernel, map[*ir.Buffer]Edge) {
	bufs, edges := map[Edge][]*ir.Buffer{}, map[*ir.Buffer]Edge{}
	l := g.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		if !Given(p) && (g.tabled[p] || g.known(c) || !g.known(p) && p.Put == nil && !g.Alone(p).Folds && g.inLine(p, c)) {
			return nil
		}
		e := Edge{p, c}
		if bufs[e] == nil {
			bufs[e] = g.Buffers(p)
			for _, part := range bufs[e] {
				edges[part] = e
			}
		}
		return bufs[e]
	})
	l.Most = ir.KernelBinders / 2
	if k, ok := l.Try(s); ok {
		return k, edges
	}
	return &ir.Kernel{}, nil
}

// inLine reports whether a stage takes elements of another nowhere but where its own loops are.
func (g *Graph) inLine(p, c *ops.Stage) bool {
	a, yes := g.Alone(c), true
	a.Kernel.Walk(func(n *ir.Node) {
		if n.Kind == ir.KLoad && a.Stages[n.Buf] == p {
			yes = yes && !n.Guarded && !slices.ContainsFunc(n.Index(), func(x *ir.Node) bool { return x.Kind != ir.KAxis })
		}
	})
	return yes
}

// comparison is threshold < level in the turns of a fold that ends early, with a threshold that the fold does not change.
type comparison struct {
	fold  *ir.Fold
	level *ir.Node
	tall  bool                 // turns in which it and its like do not hold change nothing
	sides map[*ir.Node]ir.Side // of loads that bound the level
}

// comparisons are those of the folds of a kernel whose turns change nothing where some do not hold that tables would bound.
func (g *Graph) comparisons(k *ir.Kernel, edges map[*ir.Buffer]Edge) (out []comparison) {
	b := ir.Extend(k.Roots())
	for _, f := range leaving(k) {
		quiet := map[*ir.Node]*ir.Node{}
		var own []*ir.Node
		ir.WalkNodes(f.Step, func(n *ir.Node) {
			if n.Kind == ir.KAlu && n.Op == ir.Lt && !n.Args[0].Free().Meets(f.Binders()) && n.Args[1].Free().Meets(f.IndexBind) {
				own, quiet[n] = append(own, n), b.False()
			}
		})
		sides := map[*ir.Node]ir.Side{}
		bounds := g.boundsOf(b, k, f, edges, sides)
		able := len(own) > 0 && exits.Idle(b, f, quiet, -1)
		for _, n := range own {
			if delete(quiet, n); able && !exits.Idle(b, f, quiet, -1) {
				quiet[n] = b.False()
				able = able && bounds.Bound(n.Args[1], ir.Hi) != nil
			}
		}
		if able {
			for _, n := range own {
				out = append(out, comparison{f, n.Args[1], quiet[n] != nil, sides})
			}
		}
	}
	return out
}

// boundsOf bounds values over the axes of a kernel and the turns of a fold where arrays of two dims and what is known have tables. It notes on which
// side elements of arrays do.
func (g *Graph) boundsOf(b *ir.Builder, k *ir.Kernel, f *ir.Fold, edges map[*ir.Buffer]Edge, sides map[*ir.Node]ir.Side) *ir.Bounder {
	over := f.IndexBind
	for _, a := range k.Axes {
		over = over.Or(a.Bind())
	}
	return &ir.Bounder{B: b, Over: over, NaNs: true, Leaf: func(n *ir.Node, s ir.Side) *ir.Node {
		switch {
		case n == f.Index && s == ir.Lo:
			return f.Lo
		case n == f.Index:
			return b.Sub(f.Hi, b.Int(n.Type, 1))
		case n.Kind == ir.KAxis && n.Role == ir.RoleParallel:
			return b.Int(n.Type, int64(s)*int64(n.Extent-1))
		case n.Kind == ir.KLoad && g.known(edges[n.Buf].From):
			return b.Const(n.Type, 0)
		case displaceable(n, f):
			if was, ok := sides[n]; ok && was != s {
				return nil
			}
			sides[n] = s
			return b.Const(n.Type, 0)
		}
		return nil
	}}
}

// displaceable reports whether a load in a fold is one that tables of largest elements and a margin may serve.
func displaceable(n *ir.Node, f *ir.Fold) bool {
	return n.Kind == ir.KLoad && len(n.Buf.Shape) == 2 && n.Type.Float() && n.Buf.Type == n.Type && meets(n.Index(), f.IndexBind)
}

// compared are the loads of arrays, without tables yet, that are compared in loops often enough.
func (g *Graph) compared(k *ir.Kernel, edges map[*ir.Buffer]Edge) (out []*displaced) {
	trips := count.Trips(k)
	for _, c := range g.comparisons(k, edges) {
		ir.WalkNodes([]*ir.Node{c.level}, func(n *ir.Node) {
			if !displaceable(n, c.fold) || count.MostTrips(c.fold) < worthTurns ||
				trips(n.Free()) < max(worthReads, worthTimes*float64(n.Buf.Len())) {
				return
			}
			e := edges[n.Buf]
			if t := e.From.Tall; g.known(e.From) || t != nil && slices.Contains(e.To.Inputs, t.Top) {
				return
			}
			i := slices.IndexFunc(out, func(d *displaced) bool { return d.Edge == e })
			if i < 0 {
				i = len(out)
				out = append(out, &displaced{Edge: e})
			}
			low := c.sides[n] == ir.Lo
			out[i].both = out[i].both || len(out[i].loads) > 0 && out[i].low != low
			if out[i].low, out[i].tall = low, out[i].tall || c.tall; !slices.Contains(out[i].loads, n) {
				out[i].loads = append(out[i].loads, n)
			}
		})
	}
	return slices.DeleteFunc(out, func(d *displaced) bool { return d.both })
}

func meets(nodes []*ir.Node, over ir.Set) bool {
	return slices.ContainsFunc(nodes, func(n *ir.Node) bool { return n.Free().Meets(over) })
}

// tabulateIn makes tables of the known stages that comparisons in a kernel and the ends of their folds depend on, with the dim that the fold goes
// along innermost.
func (g *Graph) tabulateIn(k *ir.Kernel, edges map[*ir.Buffer]Edge) (found bool) {
	for _, c := range g.comparisons(k, edges) {
		ends := map[*ir.Node]bool{}
		ir.WalkNodes([]*ir.Node{c.fold.Lo, c.fold.Hi}, func(n *ir.Node) { ends[n] = true })
		ir.WalkNodes([]*ir.Node{c.level, c.fold.Lo, c.fold.Hi}, func(n *ir.Node) {
			if n.Kind != ir.KLoad {
				return
			}
			p := edges[n.Buf].From
			inner := slices.IndexFunc(n.Index(), func(x *ir.Node) bool { return x.Free().Meets(c.fold.IndexBind) })
			if ends[n] {
				inner = len(n.Index()) - 1
			}
			if p.Data == nil && inner >= 0 && g.known(p) && !g.tabled[p] {
				g.tabulate(p, inner)
				found = true
			}
		})
	}
	return found
}

// surround makes a stage read, in place of an array, that in a frame, with tables of its largest elements where they serve.
func (g *Graph) surround(d *displaced) {
	f, ok := frameOf(d.loads)
	if !ok || !d.tall && !f.guarded {
		return
	}
	f.negated = d.low && d.tall
	of, to := g.inFrame(d, f), d.To
	g.frames[d.Edge] = framed{of, f}
	to.Inputs = append(slices.Clip(to.Inputs), of)
	if d.tall {
		to.Inputs = append(to.Inputs, of.Tall.Stages()...)
	}
	if delete(g.alone, to); g.Alone(to).Loads[d.From] == 0 {
		to.Inputs = slices.DeleteFunc(to.Inputs, func(in *ops.Stage) bool { return in == d.From })
	}
	delete(g.alone, to)
	delete(g.points, to)
}

// frameOf is the frame that an array needs for some loads of it to need no guards; ok is false where none would do.
func frameOf(loads []*ir.Node) (f frame, ok bool) {
	for i, n := range loads {
		guard, other := n.Guard()
		switch {
		case i > 0 && f.guarded != (guard != nil):
			return f, false
		case guard == nil:
			continue
		case other.Kind != ir.KConst || i > 0 && f.other != other.F || !onlyWithin(guard, n):
			return f, false
		}
		f.guarded, f.other = true, other.F
		b := ir.Extend([]*ir.Node{n})
		for k, x := range n.Index() {
			size := n.Buf.Shape[k]
			lo, hi, sure := ir.SureRange(held(b, x, size), nil)
			if !sure {
				return f, false
			}
			f.before[k], f.after[k] = max(f.before[k], int(-lo)), max(f.after[k], int(hi)-size+1)
		}
	}
	return f, true
}

// replaces reports whether a load of an array with this guard is one of that in the frame.
func (f frame) replaces(guard *ir.Node, other float64) bool {
	return f.guarded == (guard != nil) && (guard == nil || other == f.other)
}

// onlyWithin reports whether a guard says no more than that the indices of a load lie in the array.
func onlyWithin(guard, n *ir.Node) bool {
	return !slices.ContainsFunc(ir.Conjuncts(guard, nil), func(c *ir.Node) bool {
		for k, x := range n.Index() {
			if ir.IsLower(c, x) || ir.IsUpper(c, x, int64(n.Buf.Shape[k])) {
				return false
			}
		}
		return true
	})
}

// held is an index into a frame no wider than the array, for one into the array: what is further outside is moved nearer. Of an index
// inside plus some steps, the steps are, so that neighbours stay neighbours.
func held(b *ir.Builder, x *ir.Node, size int) *ir.Node {
	n := b.Int(x.Type, int64(size))
	if lo, hi, ok := ir.SureRange(x, nil); ok && lo >= float64(-size) && hi < float64(2*size) {
		return x
	}
	if x.Kind == ir.KAlu && x.Op == ir.Add {
		for i, at := range x.Args {
			if lo, hi, ok := ir.SureRange(at, nil); ok && lo >= 0 && hi < float64(size) {
				return b.Add(at, b.Max(b.Neg(n), b.Min(n, x.Args[1-i])))
			}
		}
	}
	return b.Max(b.Neg(n), b.Min(b.Int(x.Type, int64(2*size-1)), x))
}

// inFrame is an array in a frame, made once.
func (g *Graph) inFrame(d *displaced, f frame) *ops.Stage {
	p := d.From
	for _, known := range g.frames {
		if slices.Contains(known.stage.Inputs, p) && known.frame == f && (known.stage.Tall != nil) == d.tall {
			return known.stage
		}
	}
	name, made := "margin", map[*ops.Stage]bool{}
	for _, known := range g.frames {
		made[known.stage] = made[known.stage] || known.stage.Op == d.To.Op
	}
	for _, own := range made {
		if own {
			name += "+"
		}
	}
	t := ops.Type{Elem: p.Type.Elem, Unit: p.Type.Unit}
	for k, dim := range p.Type.Dims {
		t.Dims = append(t.Dims, ops.Dim{Name: dim.Name, Size: f.before[k] + dim.Size + f.after[k]})
	}
	s := &ops.Stage{Name: ops.StageName(d.To.Op, name), Type: t, Op: d.To.Op, Where: d.To.Where,
		Inputs: []*ops.Stage{p}, Steps: []string{f.String()}}
	s.Elem = func(b *ops.Body, index []*ir.Node) ops.Elem {
		if !f.guarded {
			return f.turned(b, p.At(b, index...))
		}
		at, inside := make([]*ir.Node, len(index)), b.True()
		for k, x := range index {
			at[k] = b.Sub(x, b.I32(f.before[k]))
			inside = b.And(inside, b.And(b.Le(b.I32(0), at[k]), b.Lt(at[k], b.I32(p.Type.Dims[k].Size))))
		}
		return f.turned(b, p.AtOr(b, inside, f.other, at...))
	}
	if g.behind(p, s); !d.tall {
		return s
	}
	s.Tall = ops.Tallest(s, s.Name, func(name string, t ops.Type, in []*ops.Stage, elem func(*ops.Body, []*ir.Node) ops.Elem) *ops.Stage {
		return g.behind(in[0], &ops.Stage{Name: name, Type: t, Op: s.Op, Where: s.Where, Inputs: in, Elem: elem})
	})
	return s
}

// turned is an element as it lies in the frame, or one of that as it is.
func (f frame) turned(b *ops.Body, e ops.Elem) ops.Elem {
	if f.negated {
		e.Re = b.Neg(e.Re)
	}
	return e
}

func (f frame) String() string {
	if f.before == [2]int{} && f.after == [2]int{} {
		return "copy: places are within the array"
	}
	if f.negated {
		return fmt.Sprintf("negated, margin of %v before and %v behind: as far as loops reach", f.before, f.after)
	}
	return fmt.Sprintf("margin of %v before and %v behind: as far as loops reach", f.before, f.after)
}

// behind puts a stage into the program, behind one that it reads.
func (g *Graph) behind(in, s *ops.Stage) *ops.Stage {
	g.Stages = slices.Insert(g.Stages, slices.Index(g.Stages, in)+1, s)
	return s
}

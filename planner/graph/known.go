package graph

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
)

// A stage that is made of tables alone is known while planning. Where what a loop skips depends on it, it becomes a table too, computed in
// float64: what is known of its elements then bounds what the loop reads. So does one of few elements that takes work, and that others read: it needs
// no kernel then, and none of its edges a verdict.

// tabulated is how many elements such a table may have.
const tabulated = 1 << 20

// known reports whether the elements of a stage follow from tables alone. Tables hold real numbers: what is read of complex ones must be computed in place.
func (g *Graph) known(s *ops.Stage) bool {
	if v, ok := g.knowns[s]; ok {
		return v
	}
	v := s.Data != nil
	if s.Elem != nil {
		n := s.Type.Len()
		v = n > 0 && n <= tabulated && s.Put == nil &&
			!slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return !g.known(in) || in.Type.Elem.Complex && g.byItself(in, s) }) && len(g.Alone(s).Kernel.Args()) == 0
	}
	g.knowns[s] = v
	return v
}

// tabulate makes a known stage read a table of its elements, with one of its dims innermost. It stays as it is where one is not finite.
func (g *Graph) tabulate(s *ops.Stage, inner int) {
	if e := s.Type.Elem; e != ops.F32 && e != ops.F64 && e != ops.I32 {
		return
	}
	moved := func(list []*ir.Node) []*ir.Node { return ops.ToLast(list, inner) } // as the table has them
	t := ops.Type{Elem: s.Type.Elem, Unit: s.Type.Unit, Dims: ops.ToLast(s.Type.Dims, inner)}
	data, row := g.elements(g.formula(s, interp.Wide, moved), interp.Wide), s.Type.Dims[inner].Size
	if s.Type.Elem.Base == ir.F32 {
		for i, v := range data {
			data[i] = float64(float32(v))
		}
	}
	whole := !slices.ContainsFunc(data, func(v float64) bool { return v != math.Trunc(v) || math.Abs(v) > 1<<24 })
	facts := ir.Facts{Data: ir.DataFactsOf(data, row), Mono: monotony(data, row)}
	if facts.Data == nil {
		return
	}
	if whole { // indices stay whole numbers
		t.Elem.Base = ir.I32
	}
	table := &ops.Stage{Name: s.Name + ".table", Type: t, Op: s.Op, Where: s.Where, Data: data, Facts: facts}
	base := s.Type.Elem.Base.Compute()
	s.Inputs, s.Steps = []*ops.Stage{table}, []string{"table"}
	s.Elem = func(b *ops.Body, index []*ir.Node) ops.Elem {
		return ops.Real(b.Cast(base, table.At(b, moved(index)...).Re))
	}
	g.Stages = slices.Insert(g.Stages, slices.Index(g.Stages, s), table)
	g.tabled[s] = true
	delete(g.alone, s)
	delete(g.points, s)
}

// Tabled reports whether a stage does nothing but read the table of its elements.
func (g *Graph) Tabled(s *ops.Stage) bool { return g.tabled[s] }

// monotony is ir.Facts.Mono of rows of elements.
func monotony(data []float64, row int) int {
	rising, falling := 0, 0
	rows := len(data) / row
	for ; len(data) > 0; data = data[row:] {
		up, down := 1, 1
		for i := 1; i < row; i++ {
			if data[i] < data[i-1] {
				up = 0
			}
			if data[i] > data[i-1] {
				down = 0
			}
		}
		if up+down == 0 {
			return 0
		}
		rising, falling = rising+up, falling+down
	}
	switch rows {
	case rising:
		return 1
	case falling:
		return -1
	}
	return ir.MonoEither
}

// Of known stages those become tables that have few elements, are had with few operations, and would take readers that compute them in place many,
// more each than a load does.
const (
	fewKnown     = 1 << 10
	quicklyKnown = 1 << 16
	worthKnowing = 1 << 17
	moreThanLoad = 12
)

// know makes tables of known stages of few elements that others than such read often.
func (g *Graph) know() {
	known := false
	for _, s := range slices.Backward(g.Stages) {
		if s.Data != nil || !g.worthKnowing(s) {
			continue
		}
		wide := g.evaluate(s, interp.Wide)
		if !settled(s.Type.Elem.Base, wide, g.evaluate(s, interp.Narrow)) {
			continue
		}
		s.Data, s.Elem, s.Inputs = wide, nil, nil
		shape := append([]int{1}, s.Type.Shape()...)
		s.Facts.Data = ir.DataFactsOf(wide, shape[len(shape)-1])
		known = true
		for _, u := range append(g.Users[s], s) {
			delete(g.alone, u)
			delete(g.points, u)
		}
	}
	if known {
		g.link()
	}
}

// worthKnowing reports whether a stage is known, has few elements that are had soon, and would take its readers much work.
func (g *Graph) worthKnowing(s *ops.Stage) bool {
	h, n := s.Hints(), float64(s.Type.Len())
	if n > fewKnown || g.Wanted[s] || g.tabled[s] || s.Type.Elem.Complex || !g.known(s) ||
		h.Keep || h.Fuse || h.Device != "" || h.Precision != (ops.Precision{}) || h.Tile != nil {
		return false
	}
	w := g.work(s)
	all, reads := w.fixed+w.each*n, 0.0
	if all < moreThanLoad*n || all > quicklyKnown {
		return false
	}
	for _, u := range g.Users[s] {
		reads += g.Point(u).Reads[s] * float64(u.Type.Len())
	}
	return reads >= 2*n && all/n*reads >= worthKnowing
}

// work is how many operations a known stage takes, once and an element, with all that it follows from.
type work struct{ fixed, each float64 }

// work finds it once a stage: ways from a stage to one before it may be many.
func (g *Graph) work(s *ops.Stage) work {
	if w, ok := g.works[s]; ok {
		return w
	}
	a := g.Alone(s)
	w := work{each: a.Flops}
	for i, in := range s.Inputs {
		if _, read := a.Loads[in]; !read || in.Data != nil || slices.Contains(s.Inputs[:i], in) {
			continue
		}
		before := g.work(in)
		w.fixed += before.fixed
		if g.byItself(in, s) {
			w.fixed += before.each * float64(in.Type.Len())
		} else {
			w.each += before.each * a.Loads[in] / float64(s.Type.Len())
		}
	}
	g.works[s] = w
	return w
}

// byItself reports whether a known stage that another reads is evaluated before it: what is read more than once, or has loops.
func (g *Graph) byItself(p, c *ops.Stage) bool {
	return g.Alone(p).Folds || g.Alone(c).Loads[p] > float64(p.Type.Len())
}

// settled reports whether elements of a type are the same in the arithmetic of kernels as in float64 and rounded once: whatever computes them gives
// these. Others are left to kernels, as is what is not finite or too large for the type.
func settled(t ir.DType, wide, narrow []float64) bool {
	most := map[ir.DType]float64{ir.Bool: 1, ir.I32: math.MaxInt32, ir.I64: 1 << 53, ir.F32: math.MaxFloat32, ir.F64: math.MaxFloat64}[t]
	for i, v := range wide {
		if t == ir.F32 {
			v = float64(float32(v))
		}
		if !(math.Abs(v) <= most) || v != narrow[i] {
			return false
		}
	}
	return true
}

// evaluate are the elements of a known stage, the last dim of a box fastest.
func (g *Graph) evaluate(s *ops.Stage, mode interp.Mode) []float64 {
	if s.Data != nil {
		return s.Data
	}
	key := evaluation{s, mode}
	if g.values[key] == nil {
		f := g.formulas[s] // of another arithmetic, perhaps
		if f == nil {
			f = g.formula(s, mode, func(list []*ir.Node) []*ir.Node { return list })
			g.formulas[s] = f
		}
		g.values[key] = g.elements(f, mode)
	}
	return g.values[key]
}

// evaluation is how the elements of a stage are found.
type evaluation struct {
	*ops.Stage
	interp.Mode
}

// formula is how a known stage follows from others, which are evaluated before it.
type formula struct {
	program *interp.Program
	reads   map[*ops.Stage][]*ir.Buffer
}

// formula is that of a stage with its dims moved: what does not follow from the last is found once.
func (g *Graph) formula(s *ops.Stage, mode interp.Mode, moved func([]*ir.Node) []*ir.Node) *formula {
	f := &formula{reads: map[*ops.Stage][]*ir.Buffer{}}
	k := g.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		if f.reads[p] == nil && (p.Data != nil || g.byItself(p, c)) {
			f.reads[p] = p.Type.Buffers(p.Name)
		}
		return f.reads[p]
	}).KernelOf(s)
	k.Axes = moved(k.Axes)
	program, err := interp.Compile(k, mode)
	if err != nil {
		panic(fmt.Sprintf("planner: %s: %v", s.Name, err))
	}
	f.program = program
	return f
}

// elements are those that a formula gives.
func (g *Graph) elements(f *formula, mode interp.Mode) []float64 {
	in := interp.Inputs{Host: map[*ir.Buffer][]float64{}}
	for p, bufs := range f.reads {
		in.Host[bufs[0]] = g.evaluate(p, mode)
	}
	program, err := f.program.In(mode)
	var out []float64
	if err == nil {
		out, err = program.Values(in)
	}
	if err != nil {
		panic(fmt.Sprintf("planner: %s: %v", f.program.Kernel().Name, err))
	}
	return out
}

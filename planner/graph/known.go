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
// float64: what is known of its elements then bounds what the loop reads.

// tabulated is how many elements such a table may have.
const tabulated = 1 << 20

// known reports whether the elements of a stage follow from tables alone.
func (g *Graph) known(s *ops.Stage) bool {
	if v, ok := g.knowns[s]; ok {
		return v
	}
	v := s.Data != nil
	if s.Elem != nil {
		n := s.Type.Len()
		v = n > 0 && n <= tabulated && !s.Unrolled && s.Put == nil &&
			!slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return !g.known(in) }) && len(g.Alone(s).Kernel.Args()) == 0
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
	data, row := g.evaluate(s, moved), s.Type.Dims[inner].Size
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

// evaluate are the elements of a known stage, rounded to its type, with its dims moved: what does not follow from the last is found once.
func (g *Graph) evaluate(s *ops.Stage, moved func([]*ir.Node) []*ir.Node) []float64 {
	in := interp.Inputs{Host: map[*ir.Buffer][]float64{}}
	bufs := map[*ops.Stage][]*ir.Buffer{}
	k := g.KernelBuilder(func(p, _ *ops.Stage) []*ir.Buffer {
		if p.Data != nil && bufs[p] == nil {
			bufs[p] = g.Buffers(p)
			in.Host[bufs[p][0]] = p.Data
		}
		return bufs[p]
	}).KernelOf(s)
	k.Axes = moved(k.Axes)
	program, err := interp.Compile(k, interp.Wide)
	var out []float64
	if err == nil {
		out, err = program.Values(in)
	}
	if err != nil {
		panic(fmt.Sprintf("planner: %s: %v", s.Name, err))
	}
	if s.Type.Elem.Base == ir.F32 {
		for i, v := range out {
			out[i] = float64(float32(v))
		}
	}
	return out
}

package cuda

import (
	"fmt"
	"slices"

	"weft/kernels/codegen"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/subst"
)

// level is how a kernel's points are taken as one row, where a tile has whole rows of all axes but the first.
type level struct {
	inner []int // extents of these axes
	step  int   // points that a block covers
	grid  codegen.Grid
}

// levelOf is how a kernel of these buffers and scalars is one row under a schedule; nil: it is not.
func levelOf(k *ir.Kernel, s schedule.CUDA, u *codegen.Unit) (*level, error) {
	flat := subst.Level(k)
	if flat == nil || s.Fold > 1 || s.Stays() {
		return nil, nil
	}
	shape := s.Threads()
	own := schedule.CUDADefault(flat)
	own.Block = []schedule.AxisN{{Axis: 0, N: shape[0] * shape[1] * shape[2]}}
	row, err := codegen.NewUnit(flat, schedule.Target{Lanes: 1, ISA: "cuda"})
	if err != nil || !slices.Equal(row.Bufs, u.Bufs) || !slices.Equal(row.Args, u.Args) {
		return nil, err
	}
	grid, err := row.Grid(own, &shape)
	if err != nil {
		return nil, err
	}
	l := &level{step: own.Step(0), grid: grid}
	for _, a := range k.Axes[1:] {
		l.inner = append(l.inner, a.Extent)
	}
	return l, nil
}

// points is how many there are of one of the first axis.
func (l *level) points() int {
	n := 1
	for _, x := range l.inner {
		n *= x
	}
	return n
}

// takes reports a tile that is one row.
func (l *level) takes(lo, hi []int) bool {
	for i, n := range l.inner {
		if lo[i+1] != 0 || hi[i+1] != n {
			return false
		}
	}
	return true
}

// before is the code of such tiles, which comes before that of others.
func (l *level) before() Stmt {
	var parts []*Expr
	for i, n := range l.inner {
		parts = append(parts, Cast("int", Name(fmt.Sprint("lo", i+1))), Bin("-", Cast("int", Name(fmt.Sprint("hi", i+1))), Int(n)))
	}
	end := func(name string) *Expr { return Bin("*", Cast("int", Name(name)), Int(l.points())) }
	row := append(Block{Let("int", "lo0", Name("from")), Let("int", "hi0", Name("to"))}, l.grid.Stmts...)
	return If{Cond: Bin("==", All("|", parts...), Int(0)), Then: []Stmt{Let("int", "from", end("lo0")), Let("int", "to", end("hi0")), row, Return{}}}
}

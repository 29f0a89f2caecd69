package linear

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// general is solutions for a matrix of which nothing is known: of its rows, in an order in which the largest of a column is in front, a lower triangle l with
// ones on its diagonal and an upper one u are found whose product they are, a panel of columns and the panel of rows beside it after the other, each from what is
// there of both (Crout). Solutions are found by l and then by u, and what they leave of the right sides, in float64, is solved for once more.
// Golub and Van Loan, Matrix Computations, 4th edition, 3.2.9, 3.4 and 3.5.3.
type general struct{ *large }

// The state.
const (
	luX       = iota
	luFactors // l below the diagonal, u on it and above
	luColumns // what is left of a panel of columns
	luRows    // and of rows
	luInverse // of a triangle on the diagonal
	luAt      // see numbers
	luOrder   // where each row is in the matrix
	luSwaps   // of a panel: the row with which each has changed places
	luLeft    // what is left of the right sides
	luMore    // what it makes of the solution
	luPanel   // of that
	luSizes   // the largest of what it makes, and of the solution; and the first pivot that is but rounding
	luStates
)

// The programs.
const (
	callColumns = iota
	callRows
	callBeside
	callLeft
	callDown
	callUp
	callFound
	callAdd
	callSizes
	luCalls
)

// refinements are solutions of what is left, the first one of all of it.
const refinements = 2

// uncertain is by how much of itself a solution may change by that: where the condition of a matrix is that of its type, it is all of it.
const uncertain = 0.1

// Programs implements ops.Driver.
func (z general) Programs(l *ops.Lowering) ops.Drive {
	a, n, base := l.In("a"), z.n, z.base
	dim := func(name string, size int) ops.Dim { return ops.Dim{Name: name, Size: size} }
	real := func(e ir.DType, dims ...ops.Dim) ops.Type { return ops.Type{Elem: ops.ElemType{Base: e}, Dims: dims} }
	rows, columns, width := dim("row", n), dim("column", n), dim("width", panel)
	x := z.Gives[0].Type
	whole := func(e ir.DType, along ops.Dim) ops.Type { return real(e, append(slices.Clone(z.sides), along)...) }
	types := [luStates]struct {
		name string
		is   ops.Type
	}{
		luX: {"x", x}, luFactors: {"factors", real(base, rows, columns)}, luColumns: {"columns", real(base, rows, width)}, luRows: {"rows", real(base, width, columns)},
		luInverse: {"inverse", real(base, dim("k", panel), width)}, luAt: {"at", real(ir.I32, dim("number", numbers))}, luOrder: {"order", real(ir.I32, rows)},
		luSwaps: {"swaps", real(ir.I32, width)}, luLeft: {"left", whole(ir.F64, rows)}, luMore: {"more", whole(base, columns)}, luPanel: {"panel", whole(base, width)},
		luSizes: {"sizes", real(ir.F64, dim("number", 3))},
	}
	states, start := make([]*ops.Stage, luStates), make([]*ops.Stage, luStates)
	stage := func(name string, like ops.Type, inputs []*ops.Stage, elem func(b *ops.Body, i []*ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, like, inputs, func(b *ops.Body, i []*ir.Node) ops.Elem { return ops.Real(elem(b, i)) })
	}
	for i, t := range types {
		states[i] = l.State(t.name, t.is)
		start[i] = stage("start."+t.name, t.is, nil, func(b *ops.Body, at []*ir.Node) *ir.Node {
			if i == luOrder {
				return at[0]
			}
			return b.Const(t.is.Elem.Base, 0)
		})
	}
	at, factors, order, more := states[luAt], states[luFactors], states[luOrder], states[luMore]
	within := func(b *ops.Body, i *ir.Node, size int) *ir.Node { return b.Max(b.I32(0), b.Min(i, b.I32(size-1))) }
	number := func(b *ops.Body, i int) *ir.Node { return b.Max(b.I32(0), b.Min(at.At(b, b.I32(i)).Re, b.I32(n))) }
	given := func(b *ops.Body, r, c *ir.Node) *ir.Node {
		i := make([]*ir.Node, 2)
		i[z.row], i[z.col] = r, c
		return a.At(b, i...).Re
	}
	moved := func(b *ops.Body, r *ir.Node) *ir.Node { return within(b, order.At(b, within(b, r, n)).Re, n) }
	sum := func(b *ops.Body, count *ir.Node, term func(k *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: count, Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, term(k)))}, nil
		})[0]
	}
	// less is what products with what is there leave of something.
	less := func(b *ops.Body, of, count *ir.Node, as ir.DType, term func(k *ir.Node) *ir.Node) *ir.Node {
		return b.Cast(as, b.Sub(b.Cast(ir.F64, of), sum(b, count, term)))
	}
	count := func(b *ops.Body) *ir.Node { return number(b, atCount) }
	side := func(i []*ir.Node, k *ir.Node) []*ir.Node { return append(slices.Clone(i[:len(i)-1]), k) }

	next := [luCalls]struct {
		state int
		is    *ops.Stage
		calls int
		share float64
	}{}
	panels := (n + panel - 1) / panel
	part := 1 / float64(panels)
	next[callColumns].is = stage("columns.left", types[luColumns].is, []*ops.Stage{a, factors, order, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		c := within(b, b.Add(number(b, atColumn), i[1]), n)
		return less(b, b.Cast(base, given(b, moved(b, i[0]), c)), count(b), base, func(k *ir.Node) *ir.Node { return b.Mul(factors.At(b, i[0], k).Re, factors.At(b, k, c).Re) })
	})
	next[callRows].is = stage("rows.left", types[luRows].is, []*ops.Stage{a, factors, order, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		r := within(b, b.Add(number(b, atColumn), i[0]), n)
		return less(b, b.Cast(base, given(b, moved(b, r), i[1])), count(b), base, func(k *ir.Node) *ir.Node { return b.Mul(factors.At(b, r, k).Re, factors.At(b, k, i[1]).Re) })
	})
	next[callBeside].is = stage("beside", types[luFactors].is, []*ops.Stage{states[luRows], states[luInverse], at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		r := within(b, b.Sub(i[0], number(b, atColumn)), panel)
		return b.Cast(base, sum(b, b.I32(panel), func(k *ir.Node) *ir.Node {
			return b.Mul(states[luInverse].At(b, r, k).Re, states[luRows].At(b, k, i[1]).Re)
		}))
	})
	known := []*ops.Stage{a, states[luX], at}
	if z.rhs >= 0 {
		known = append(known, l.In("b"))
	}
	next[callLeft].is = stage("right.left", types[luLeft].is, known, func(b *ops.Body, i []*ir.Node) *ir.Node {
		r := i[len(i)-1]
		var right *ir.Node
		if z.rhs < 0 { // of the inverse
			right = b.Select(b.Alu(ir.Eq, i[0], r), b.F64(1), b.F64(0))
		} else {
			right = l.In("b").At(b, slices.Insert(slices.Clone(i[:len(i)-1]), z.rhs, r)...).Re
		}
		return less(b, right, count(b), ir.F64, func(k *ir.Node) *ir.Node {
			return b.Mul(b.Cast(ir.F64, given(b, r, k)), b.Cast(ir.F64, states[luX].At(b, side(i, k)...).Re))
		})
	})
	// A substitution goes on from the columns from which on what is there counts.
	solved := func(name string, right func(b *ops.Body, i []*ir.Node, r *ir.Node) *ir.Node, inputs ...*ops.Stage) *ops.Stage {
		return stage(name, types[luPanel].is, append([]*ops.Stage{factors, more, at}, inputs...), func(b *ops.Body, i []*ir.Node) *ir.Node {
			r := within(b, b.Add(number(b, atColumn), i[len(i)-1]), n)
			return less(b, b.Cast(base, right(b, i, r)), count(b), base, func(k *ir.Node) *ir.Node {
				k = within(b, b.Add(number(b, atFrom), k), n)
				return b.Mul(more.At(b, side(i, k)...).Re, factors.At(b, r, k).Re)
			})
		})
	}
	next[callDown].is = solved("down", func(b *ops.Body, i []*ir.Node, r *ir.Node) *ir.Node {
		return states[luLeft].At(b, side(i, moved(b, r))...).Re
	}, states[luLeft], order)
	next[callUp].is = solved("up", func(b *ops.Body, i []*ir.Node, r *ir.Node) *ir.Node { return more.At(b, side(i, r)...).Re })
	next[callFound].is = stage("found", types[luMore].is, []*ops.Stage{states[luPanel], states[luInverse], at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		c := within(b, b.Sub(i[len(i)-1], number(b, atColumn)), panel)
		return b.Cast(base, sum(b, b.I32(panel), func(k *ir.Node) *ir.Node {
			return b.Mul(states[luPanel].At(b, side(i, k)...).Re, states[luInverse].At(b, c, k).Re)
		}))
	})
	next[callAdd].is = stage("sum", x, []*ops.Stage{states[luX], more}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return b.Add(states[luX].At(b, i...).Re, more.At(b, i...).Re)
	})
	next[callSizes].is = z.sizes(l, types[luSizes].is, states)
	for call, of := range map[int]struct {
		state, calls int
		share        float64
	}{
		callColumns: {luColumns, panels, 1. / 6}, callRows: {luRows, panels, 1. / 6}, callBeside: {luFactors, panels, part / 2}, callLeft: {luLeft, refinements, 0.5},
		callDown: {luPanel, refinements * panels, 0.5}, callUp: {luPanel, refinements * panels, 0.5}, callFound: {luMore, 2 * refinements * panels, part}, callAdd: {luX, refinements, 1},
		callSizes: {luSizes, 1, 1},
	} {
		next[call].state, next[call].calls, next[call].share = of.state, of.calls, of.share
	}
	d := ops.Drive{State: states, Start: start}
	for call, p := range next {
		to := make([]*ops.Stage, luStates)
		to[p.state] = p.is
		d.Calls = append(d.Calls, ops.Program{Name: p.is.Name, Next: to, Most: p.calls, Boxed: call < callAdd, Fraction: p.share})
	}
	return d
}

// Drive implements ops.Driver.
func (z general) Drive(h ops.Host) (ops.Note, error) {
	list := z.tilesOf(z.n, panel)
	for _, at := range list {
		if err := z.factor(h, at); err != nil {
			return ops.Note{}, err
		}
	}
	note := ops.Note{Text: fmt.Sprintf("panels of %d columns, refined %d times", min(panel, z.n), refinements-1)}
	all := region.Whole(ops.Type{Dims: z.sides}.Shape()...)
	for turn := range refinements {
		count := 0
		if turn > 0 {
			count = z.n
		}
		if err := z.box(h, callLeft, region.Interval{}, region.Interval{Hi: count}, append(slices.Clone(all), region.Interval{Hi: z.n})); err != nil {
			return ops.Note{}, err
		}
		for _, at := range list {
			if err := z.substitute(h, callDown, all, at, region.Interval{Hi: at.Lo}); err != nil {
				return ops.Note{}, err
			}
		}
		for _, at := range slices.Backward(list) {
			if err := z.substitute(h, callUp, all, at, region.Interval{Lo: at.Hi, Hi: z.n}); err != nil {
				return ops.Note{}, err
			}
		}
		if turn > 0 {
			if err := h.Launch(callSizes); err != nil {
				return ops.Note{}, err
			}
			sizes, err := h.Values(luSizes)
			if err != nil {
				return ops.Note{}, err
			}
			note.Warnings = z.unsure(sizes)
		}
		if err := h.Launch(callAdd); err != nil {
			return ops.Note{}, err
		}
	}
	return note, nil
}

// sizes tells how much a solution may be trusted.
func (z general) sizes(l *ops.Lowering, is ops.Type, states []*ops.Stage) *ops.Stage {
	factors, n := states[luFactors], z.n
	least := math.Ldexp(float64(n), -53)
	if z.base == ir.F32 {
		least = math.Ldexp(float64(n), -24)
	}
	column := l.Stage("of.columns", ops.Type{Elem: ops.F64, Dims: factors.Type.Dims[1:]}, []*ops.Stage{factors}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return ops.Real(b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Largest}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			size := b.Abs(b.Cast(ir.F64, factors.At(b, k, i[0]).Re))
			return []*ir.Node{b.Max(acc[0], b.Select(b.Lt(i[0], k), b.F64(0), size))}, nil
		})[0])
	})
	return l.Stage("largest", is, []*ops.Stage{states[luX], states[luMore], factors, column}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		first := b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.I32(n)}, Monoid: ir.Smallest}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			rounding := b.Le(b.Abs(b.Cast(ir.F64, factors.At(b, k, k).Re)), b.Mul(b.F64(least), column.At(b, k).Re))
			return []*ir.Node{b.Min(acc[0], b.Select(rounding, k, b.I32(n)))}, nil
		})[0]
		numbers := []*ir.Node{largest(b, states[luMore], nil), largest(b, states[luX], nil), b.Cast(ir.F64, first)}
		return ops.Real(chosen(b, numbers, i[0]))
	})
}

// unsure warns of a solution that rounding may have made.
func (z general) unsure(sizes []float64) (out []problem.Problem) {
	const but = "but for rounding, there is no one solution: "
	switch k := int(sizes[2]); {
	case k < z.n:
		out = append(out, problem.Wrong(problem.Singular, "a", "", but+"pivot %d is as small as what rounding leaves in its column", k))
	case sizes[0] > uncertain*sizes[1]:
		out = append(out, problem.Wrong(problem.Singular, "a", "", but+"what is found changes by %.2g of itself where it is solved once more for what it leaves", sizes[0]/sizes[1]))
	}
	for i := range out {
		out[i].Warning = true
	}
	return out
}

// largest is the largest size of the elements behind some indices.
func largest(b *ops.Body, s *ops.Stage, index []*ir.Node) *ir.Node {
	d := len(index)
	if d == len(s.Type.Dims) {
		return b.Abs(b.Cast(ir.F64, s.At(b, index...).Re))
	}
	return b.Fold(ir.FoldSpec{Name: s.Type.Dims[d].Name, Lo: b.I32(0), Hi: b.I32(s.Type.Dims[d].Size), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Largest}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Max(acc[0], largest(b, s, append(slices.Clone(index), k)))}, nil
	})[0]
}

// box makes a call for the panel at some columns, from what is there in others.
func (z general) box(h ops.Host, call int, at, known region.Interval, box region.Region) error {
	if err := h.Set(luAt, 0, float64(at.Lo), float64(known.Lo), float64(known.Len())); err != nil {
		return err
	}
	return h.Box(call, box)
}

// factor finds a panel of columns, and that of rows beside it.
func (z general) factor(h ops.Host, at region.Interval) error {
	width, below := region.Interval{Hi: at.Len()}, region.Interval{Lo: at.Lo, Hi: z.n}
	known := region.Interval{Hi: at.Lo}
	if err := z.box(h, callColumns, at, known, region.Region{below, width}); err != nil {
		return err
	}
	err := h.Edit(func(of [][]float64) error { return z.permuting(of[0], of[1], of[2], at) },
		ops.StateBox{State: luColumns, Box: region.Region{below, width}}, ops.StateBox{State: luFactors, Box: region.Region{below, at}}, ops.StateBox{State: luSwaps, Box: region.Region{{Hi: panel}}})
	if err == nil {
		err = z.swap(h, at)
	}
	beside := region.Interval{Lo: at.Hi, Hi: z.n}
	if err != nil || beside.Empty() {
		return err
	}
	if err := z.box(h, callRows, at, known, region.Region{width, beside}); err != nil {
		return err
	}
	if err := z.inverse(h, at, true); err != nil {
		return err
	}
	return h.Box(callBeside, region.Region{at, beside})
}

// permuting factors a panel of columns, of which the largest come in front.
func (z general) permuting(left, factors, swaps []float64, at region.Interval) error {
	rows, columns := z.n-at.Lo, at.Len()
	pivots := make([]int, columns)
	lapack64.Getrf(blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: left}, pivots)
	for k, p := range pivots {
		if v := left[k*columns+k]; v == 0 || !finite([]float64{v}) {
			return problem.Wrong(problem.Singular, "a", "leave out rows that follow from others, or add a little to the diagonal", "there is no one solution: pivot %d is %.3g", at.Lo+k, v)
		}
		swaps[k] = float64(p)
	}
	copy(factors, left)
	return nil
}

// swap has rows change places as a panel asks.
func (z general) swap(h ops.Host, at region.Interval) error {
	swaps, err := h.Values(luSwaps)
	if err != nil {
		return err
	}
	now := map[int]int{} // which row is where, of those that have moved
	was := func(r int) int {
		if v, ok := now[r]; ok {
			return v
		}
		return r
	}
	for k := range at.Len() {
		p, q := at.Lo+k, at.Lo+int(swaps[k])
		now[p], now[q] = was(q), was(p)
	}
	var rows []int
	place := map[int]int{}
	for r, v := range now {
		if r != v {
			rows = append(rows, r)
		}
	}
	slices.Sort(rows)
	if len(rows) == 0 {
		return nil
	}
	var boxes []ops.StateBox
	for i, r := range rows {
		place[r] = i
		one := region.Interval{Lo: r, Hi: r + 1}
		boxes = append(boxes, ops.StateBox{State: luOrder, Box: region.Region{one}})
		if at.Lo > 0 {
			boxes = append(boxes, ops.StateBox{State: luFactors, Box: region.Region{one, {Hi: at.Lo}}})
		}
	}
	each := len(boxes) / len(rows)
	return h.Edit(func(of [][]float64) error {
		before := slices.Clone(of)
		for i, r := range rows {
			for j := range each {
				of[i*each+j] = before[place[now[r]]*each+j]
			}
		}
		return nil
	}, boxes...)
}

// inverse finds that of a triangle on the diagonal.
func (z general) inverse(h ops.Host, at region.Interval, lower bool) error {
	n := at.Len()
	return h.Edit(func(of [][]float64) error {
		clear(of[1])
		for r := range n {
			lo, hi := r, n
			if lower {
				lo, hi = 0, r
			}
			copy(of[1][r*panel+lo:r*panel+hi], of[0][r*n+lo:r*n+hi])
		}
		t := blas64.Triangular{N: n, Stride: panel, Data: of[1], Uplo: blas.Upper, Diag: blas.NonUnit}
		if lower {
			for r := range n {
				of[1][r*panel+r] = 1
			}
			t.Uplo = blas.Lower
		}
		lapack64.Trtri(t)
		return nil
	}, ops.StateBox{State: luFactors, Box: region.Region{at, at}}, ops.StateBox{State: luInverse, Box: region.Region{{Hi: panel}, {Hi: panel}}})
}

// substitute finds some of the unknowns from those that are known.
func (z general) substitute(h ops.Host, call int, sides region.Region, at, known region.Interval) error {
	if err := z.box(h, call, at, known, append(slices.Clone(sides), region.Interval{Hi: at.Len()})); err != nil {
		return err
	}
	if err := z.inverse(h, at, call == callDown); err != nil {
		return err
	}
	return h.Box(callFound, append(slices.Clone(sides), at))
}

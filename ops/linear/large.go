package linear

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// large is what is made of one matrix of any size, by panels of columns. All of it is substitution: with a triangular matrix t, the x for which x t^T is b is
// found a panel after the other: v = b - x t^T by what is there of x, and x = v d in the panel, where d is the inverse of the block of t^T on its diagonal.
// In a triangular root t is x itself, and its block is the root of that of v. Golub and Van Loan, Matrix Computations, 4th edition, 3.1.4 and 4.2.
type large struct {
	ops.Gives
	a        ops.Type
	row, col int // its dims
	n        int
	does     task
	rhs      int  // the dim of b that is that of rows; -1: right sides are those of the inverse
	upper    bool // a is taken to be an upper triangle, where it is taken to be a triangle
	sides    []ops.Dim
	base     ir.DType
	right    bool   // tiles of a root are found right-looking
	known    string // of a, why it is taken to be what it is, where that was not said
}

// task is what is wanted.
type task int

const (
	findRoot      task = iota // the triangular root
	solveTriangle             // solutions, or the inverse, for a triangle
	solveDefinite             // the same for a symmetric matrix, by its root
	solveGeneral              // solutions for any matrix
)

const (
	panel = 128       // columns found at a time: blocks on the diagonal are the host's, and take a time that grows with the square of it
	group = 4 * panel // right sides of an inverse for which what is known to be zero is left out together
)

// newLarge is a use of an operator on a matrix too large for its steps to be written out.
func newLarge(c *ops.Call, name string, s *small, does task) (*large, error) {
	a := c.Type("a")
	if len(a.Dims) != 2 {
		return nil, problem.Wrong(problem.WrongDims, "a", "take one of them", "`%s` of matrices of %d rows takes one at a time, and this is %s", name, s.n, a)
	}
	return &large{Gives: ops.One(s.out), a: a, row: s.row, col: s.column, n: s.n, does: does, rhs: -1, sides: a.Dims[s.row : s.row+1], base: s.out.Elem.Base}, nil
}

// The state. The root, its panel and what tells whether the matrix is symmetric are there where solutions are found by it, what columns before a tile, and before a
// panel of it, take from it where a root is found tile by tile.
const (
	stateX = iota
	statePanel
	stateInverse // of the block on the diagonal
	stateAt      // see numbers
	stateRootX
	stateRootPanel
	stateBothWays
	stateBefore = stateRootX
	stateTile   = stateRootPanel
)

// callSymmetric is the program behind those of the substitutions, where solutions are found by a root.
const callSymmetric = 5

// The numbers of stateAt.
const (
	atColumn  = iota // where the panel begins
	atFrom           // the column from which what is there counts
	atCount          // how many columns count
	atInverse        // where the inverse is
	atTileRow        // where the tile begins
	atTileColumn
	numbers
)

// pass is one substitution: the state that it fills and its panel, its programs, and where the triangle comes from.
type pass struct {
	x, panel     int
	sides        []ops.Dim
	update, done int // programs: what is left of the right sides, and the solution
	block        int // program that fetches a block of the triangle; -1: it is in a state
	of           int // that state
	factors      bool
	up           bool // the last columns are found first
	sparse       bool // right sides are those of the inverse
}

// passes are the substitutions, in the order of programs.
func (z *large) passes() []pass {
	one := pass{x: stateX, panel: statePanel, sides: z.sides, update: 0, done: 1, block: 2, up: z.upper, sparse: z.rhs < 0}
	switch z.does {
	case findRoot:
		one.factors, one.sparse, one.block, one.of = true, false, -1, stateX
		return []pass{one}
	case solveTriangle:
		return []pass{one}
	}
	root := pass{x: stateRootX, panel: stateRootPanel, sides: z.a.Dims[z.row : z.row+1], update: 2, done: 3, block: -1, of: stateRootX, factors: true}
	down, back := one, one
	down.block, down.of, down.up = -1, stateRootX, false
	back.block, back.of, back.up, back.update, back.sparse = -1, stateRootX, true, 4, false
	return []pass{root, down, back}
}

// place is where a state has the unknown k of a right side. A square result lies as the matrix does.
func place[T any](z *large, p pass, side []T, k T) []T {
	if len(side) != 1 || p.x == stateX && z.rhs >= 0 {
		return append(slices.Clone(side), k)
	}
	out := make([]T, 2)
	out[z.row], out[z.col] = side[0], k
	return out
}

// Programs are, for each substitution, what is left of the right sides of a panel and its solution.
func (z *large) Programs(l *ops.Lowering) ops.Drive {
	a, n, base := l.In("a"), z.n, z.base
	tile := z.rootTile(l.Room)
	width, along := ops.Dim{Name: "column", Size: panel}, ops.Dim{Name: "k", Size: max(panel, tile)}
	real := func(dims ...ops.Dim) ops.Type { return ops.Type{Elem: ops.ElemType{Base: base}, Dims: dims} }
	rows := z.sides // of panels
	if tile > 0 {
		rows = []ops.Dim{{Name: "row", Size: tile}}
	}
	states := []*ops.Stage{
		l.State("x", z.Gives[0].Type), l.State("panel", real(slices.Concat(rows, []ops.Dim{width})...)),
		l.State("inverse", real(along, width)), l.State("at", ops.Type{Elem: ops.I32, Dims: []ops.Dim{{Name: "number", Size: numbers}}}),
	}
	if tile > 0 {
		taken := ops.Type{Elem: ops.F64, Dims: []ops.Dim{rows[0], {Name: "column", Size: tile}}}
		if states = append(states, l.State("before", taken)); tile > sumBlock {
			states = append(states, l.State("tile", taken))
		}
	}
	if z.does == solveDefinite {
		states = append(states, l.State("root", real(z.a.Dims...)), l.State("root.panel", real(z.a.Dims[z.row], width)),
			l.State("both.ways", ops.Type{Elem: ops.F64, Dims: []ops.Dim{{Name: "number", Size: 3}}}))
	}
	at := states[stateAt]
	number := func(b *ops.Body, i int) *ir.Node { return b.Max(b.I32(0), b.Min(at.At(b, b.I32(i)).Re, b.I32(n))) }
	stage := func(name string, like *ops.Stage, inputs []*ops.Stage, elem func(b *ops.Body, i []*ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, like.Type, inputs, func(b *ops.Body, i []*ir.Node) ops.Elem { return ops.Real(elem(b, i)) })
	}
	given := func(b *ops.Body, r, c *ir.Node) *ir.Node {
		i := make([]*ir.Node, 2)
		i[z.row], i[z.col] = r, c
		return b.Cast(base, a.At(b, i...).Re)
	}
	// sum is of products: where floats are short, of those rounded to them, as sums of products are elsewhere.
	sum := func(b *ops.Body, start, count *ir.Node, term func(k *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: count, Init: []*ir.Node{start}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, term(k)))}, nil
		})[0]
	}
	work := z.work(l.Room)
	var calls []ops.Program
	add := func(which int, name string, state int, s *ops.Stage) {
		if which < len(calls) { // two substitutions share it
			return
		}
		next := make([]*ops.Stage, len(states))
		next[state] = s
		calls = append(calls, ops.Program{Name: name, Next: next, Most: work[which].calls, Boxed: true, Fraction: work[which].fraction()})
	}
	list := z.passes()
	slices.SortStableFunc(list, func(p, q pass) int { return p.update - q.update })
	for _, p := range list {
		x, v, inverse := states[p.x], states[p.panel], states[stateInverse]
		name := map[bool]string{true: "root"}[p.factors && p.x != stateX]
		triangle, from := given, a
		switch {
		case p.factors:
			triangle, from = func(b *ops.Body, r, c *ir.Node) *ir.Node { return x.At(b, place(z, p, []*ir.Node{r}, c)...).Re }, x
		case p.block < 0:
			from = states[p.of]
			triangle = func(b *ops.Body, r, c *ir.Node) *ir.Node {
				if p.up {
					r, c = c, r
				}
				i := make([]*ir.Node, 2)
				i[z.row], i[z.col] = r, c
				return from.At(b, i...).Re
			}
		}
		inTile := func(b *ops.Body, i *ir.Node, from int) *ir.Node {
			return b.Max(b.I32(0), b.Min(b.Sub(i, number(b, from)), b.I32(tile-1)))
		}
		right := func(b *ops.Body, side []*ir.Node, r *ir.Node) *ir.Node {
			switch {
			case p.factors:
				return given(b, side[0], r)
			case p.block < 0 && p.up:
				return x.At(b, place(z, p, side, r)...).Re
			case z.rhs < 0:
				return b.Select(b.Alu(ir.Eq, side[0], r), b.Const(base, 1), b.Const(base, 0))
			}
			return b.Cast(base, l.In("b").At(b, slices.Insert(slices.Clone(side), z.rhs, r)...).Re)
		}
		inputs := []*ops.Stage{a, x, at}
		if from != a && from != x {
			inputs = append(inputs, from)
		}
		if z.rhs >= 0 {
			inputs = append(inputs, l.In("b"))
		}
		known := func(b *ops.Body, start *ir.Node, side []*ir.Node, r *ir.Node) *ir.Node {
			first := number(b, atFrom)
			return sum(b, start, b.Min(at.At(b, b.I32(atCount)).Re, b.I32(n)), func(k *ir.Node) *ir.Node {
				k = b.Add(first, k)
				return b.Mul(x.At(b, place(z, p, side, k)...).Re, triangle(b, r, k))
			})
		}
		less := func(b *ops.Body, right, is *ir.Node) *ir.Node { return b.Cast(base, b.Sub(b.Cast(ir.F64, right), is)) }
		last := len(v.Type.Dims) - 1
		leftOf := func(name string, call int, taken *ops.Stage) {
			add(call, name, p.panel, stage(name, v, append(inputs, taken), func(b *ops.Body, i []*ir.Node) *ir.Node {
				row, column := b.Add(number(b, atTileRow), i[0]), b.Add(number(b, atColumn), i[1])
				return less(b, given(b, row, column), known(b, taken.At(b, i[0], inTile(b, column, atTileColumn)).Re, []*ir.Node{row}, column))
			}))
		}
		if tile > 0 {
			leftOf("left", p.update, states[stateBefore])
		}
		add(p.update, name+"left", p.panel, stage("left"+name, v, inputs, func(b *ops.Body, i []*ir.Node) *ir.Node {
			side, r := i[:last], b.Add(number(b, atColumn), i[last])
			return less(b, right(b, side, r), known(b, b.F64(0), side, r))
		}))
		add(p.done, name+"solution", p.x, stage("solution"+name, x, []*ops.Stage{v, inverse, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
			side, k := slices.Clone(i[:len(i)-1]), i[len(i)-1]
			if p.x != stateX || z.rhs < 0 {
				side, k = []*ir.Node{i[z.row]}, i[z.col]
			}
			if tile > 0 {
				side = []*ir.Node{inTile(b, side[0], atTileRow)}
			}
			c := b.Max(b.I32(0), b.Min(b.Sub(k, number(b, atColumn)), b.I32(panel-1)))
			first := b.I32(0)
			if along.Size > panel {
				first = b.Max(first, b.Min(number(b, atInverse), b.I32(along.Size-panel)))
			}
			return b.Cast(base, sum(b, b.F64(0), b.I32(panel), func(k *ir.Node) *ir.Node {
				return b.Mul(v.At(b, append(slices.Clone(side), k)...).Re, inverse.At(b, b.Add(first, k), c).Re)
			}))
		}))
		if tile > 0 {
			taken := func(name string, call, state int, start func(b *ops.Body, i []*ir.Node, row, column *ir.Node) *ir.Node, more ...*ops.Stage) {
				s := stage(name, states[state], slices.Concat(inputs, more), func(b *ops.Body, i []*ir.Node) *ir.Node {
					row, column := b.Add(number(b, atTileRow), i[0]), b.Add(number(b, atTileColumn), i[1])
					return known(b, start(b, i, row, column), []*ir.Node{row}, column)
				})
				s.Digits = base
				add(call, name, state, s)
			}
			before := states[stateBefore]
			taken("before", beforeCall, stateBefore, func(b *ops.Body, _ []*ir.Node, row, column *ir.Node) *ir.Node {
				if !z.right {
					return b.F64(0)
				}
				return b.Cast(ir.F64, x.At(b, place(z, p, []*ir.Node{row}, column)...).Re)
			})
			if tile > sumBlock {
				taken("tile", tileCall, stateTile, func(b *ops.Body, i []*ir.Node, _, _ *ir.Node) *ir.Node { return before.At(b, i...).Re }, before)
				leftOf("later", laterCall, states[stateTile])
			}
			if z.right {
				add(takenCall(tile), "taken", p.x, stage("taken", x, []*ops.Stage{before, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
					row, column := i[z.row], i[z.col]
					so := before.At(b, inTile(b, row, atTileRow), inTile(b, column, atTileColumn)).Re
					return b.Select(b.Alu(ir.Lt, row, column), b.Const(base, 0), b.Cast(base, so))
				}))
			}
		}
		if p.block >= 0 {
			add(p.block, "block", stateInverse, stage("block", inverse, []*ops.Stage{a, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
				first := number(b, atColumn)
				return given(b, b.Add(first, i[1]), b.Add(first, i[0]))
			}))
		}
	}
	if z.does == solveDefinite {
		next := make([]*ops.Stage, len(states))
		next[stateBothWays] = z.products(l, a, states[stateBothWays])
		calls = append(calls, ops.Program{Name: "symmetric", Next: next, Most: 1})
	}
	start := make([]*ops.Stage, len(states))
	for i, s := range states {
		start[i] = stage("start."+s.Name, s, nil, func(b *ops.Body, _ []*ir.Node) *ir.Node { return b.Const(s.Type.Elem.Base, 0) })
	}
	d := ops.Drive{State: states, Start: start, Calls: calls}
	if tile > 0 {
		start[stateX], d.Tasks = nil, z.rooting(tile, l.Room, a, states[stateX])
	} else if b := z.tile(l.Room); b > 0 {
		start[stateX], d.Tasks = nil, z.substitutions(b, l, states[stateX])
	}
	return d
}

// Drive makes the substitutions one after the other.
func (z *large) Drive(h ops.Host) (ops.Note, error) {
	root, b := z.rootTile(h.Room()), z.tile(h.Room())
	switch {
	case root > 0:
		return z.tiled(h, root)
	case b > 0:
		return z.substituted(h, b)
	case z.does == solveDefinite:
		if err := z.symmetric(h); err != nil {
			return ops.Note{}, err
		}
	}
	for _, p := range z.passes() {
		for i := range (z.n + panel - 1) / panel {
			begin := i * panel
			if p.up {
				begin = (z.n - 1 - begin) / panel * panel
			}
			all := region.Whole(ops.Type{Dims: p.sides}.Shape()...)
			if p.factors {
				all[0].Lo = begin
			}
			if err := z.columns(h, p, region.Interval{Lo: begin, Hi: min(begin+panel, z.n)}, all); err != nil {
				return ops.Note{}, err
			}
		}
	}
	return ops.Note{Text: fmt.Sprintf("panels of %d columns", min(panel, z.n)) + z.known}, nil
}

// columns finds a panel for some right sides.
func (z *large) columns(h ops.Host, p pass, at region.Interval, sides region.Region) error {
	there := region.Interval{Hi: at.Lo}
	if p.up {
		there = region.Interval{Lo: at.Hi, Hi: z.n}
	}
	parts := []region.Region{sides}
	if p.sparse {
		parts = nil
		some := region.Interval{Hi: at.Hi}
		if p.up {
			some = region.Interval{Lo: at.Lo, Hi: z.n}
		}
		for lo := 0; lo < z.n; lo += group {
			if part := some.Intersect(region.Interval{Lo: lo, Hi: lo + group}).Intersect(sides[0]); !part.Empty() {
				parts = append(parts, region.Region{part})
			}
		}
	}
	if parts == nil { // zeros, which are there
		return nil
	}
	width := region.Interval{Hi: at.Len()}
	for _, part := range parts {
		of := there
		if p.sparse && p.up {
			of.Hi = max(of.Lo, part[0].Hi)
		} else if p.sparse {
			of.Lo = min(of.Hi, z.begins(part[0].Lo, sides[0].Lo))
		}
		if err := h.Set(stateAt, 0, float64(at.Lo), float64(of.Lo), float64(of.Len()), 0); err != nil {
			return err
		}
		if err := h.Box(p.update, append(slices.Clone(part), width)); err != nil {
			return err
		}
	}
	if err := z.diagonal(h, p, at, width, 0, 0); err != nil {
		return err
	}
	for _, part := range parts {
		if p.factors {
			part = region.Region{{Lo: at.Hi, Hi: z.n}}
		}
		if part.Empty() {
			continue
		}
		if err := h.Box(p.done, place(z, p, part, at)); err != nil {
			return err
		}
		if z.does == solveTriangle {
			if err := z.solved(h, p, part, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// diagonal finds the inverse of a block on the diagonal of the triangle, and before that, in a root, the block. It is kept from a row on; the panel
// begins with a row.
func (z *large) diagonal(h ops.Host, p pass, at, width region.Interval, first, begin int) error {
	inverse := ops.StateBox{State: stateInverse, Box: region.Region{{Lo: first, Hi: first + panel}, {Hi: panel}}}
	block := ops.StateBox{State: p.of, Box: place(z, pass{x: stateRootX}, region.Region{at}, at)}
	switch {
	case p.factors:
		left := ops.StateBox{State: p.panel, Box: region.Region{{Lo: at.Lo - begin, Hi: at.Hi - begin}, width}}
		return h.Edit(func(of [][]float64) error { return z.rooted(of[0], of[1], of[2], at) }, left, block, inverse)
	case p.block < 0:
		return h.Edit(func(of [][]float64) error {
			clear(of[1])
			for r := range at.Len() {
				for c := range r + 1 {
					v := of[0][z.flat(r, c, at.Len())]
					if p.up { // t^T is the root itself
						of[1][r*panel+c] = v
					} else {
						of[1][c*panel+r] = v
					}
				}
			}
			return inverted(of[1], at, p.up)
		}, block, inverse)
	}
	if err := h.Box(p.block, region.Region{width, width}); err != nil {
		return err
	}
	return h.Edit(func(of [][]float64) error {
		if err := z.numbers(of[0], at); err != nil {
			return err
		}
		return inverted(of[0], at, z.upper)
	}, inverse)
}

// flat is where a block that lies as the matrix does has row r and column c.
func (z *large) flat(r, c, n int) int {
	if z.row < z.col {
		return r*n + c
	}
	return c*n + r
}

package linear

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

var evidenceSpec = &ops.Spec{
	Name: "evidence", Doc: "How well data agree with a curve times a sum of terms, whatever the factors of the terms.", Group: "linear algebra",
	Long: "With s the terms times the curve, at the points of a dimension, and a the factors with which their sum is nearest to the data: the sum of the squares " +
		"of what is left of the data, and the logarithm of the determinant of the sums of products of s. Where data and curve are in units of the errors of the " +
		"data, that is -2 log of their likelihood, marginalised over all factors, but for a constant. Sums are made in the type of the curve over about 64 points at a " +
		"time, then in float64 (with `block`, those with terms all in the type of the curve), in one kernel, in which curves may be made that are " +
		"nowhere stored. Data should be what a rough fit leaves: squares of large numbers lose what is left of " +
		"them. With `block`, a whole number of points, sums are made of the first four moments of blocks of at most so many points, as divide them if they can: much less work, and almost " +
		"the same where the terms are smooth and a block is a small part of what they vary over. At most 20 terms. NaN where terms do not differ.",
	Returns: "an array of float64 over the other dimensions of data and curve, joined by name.",
	Error:   ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5},
	Params: []ops.Param{
		ops.In("data", "what was seen: real"), ops.In("curve", "what each term is multiplied by: real"),
		ops.In("terms", "the terms, over the points and a dimension that numbers them"),
		{Name: "along", Doc: "the dimension of the points", Accept: ops.KSymbol},
		{Name: "term", Doc: "the dimension that numbers the terms", Accept: ops.KSymbol},
		ops.Num("block", "", "points whose moments are taken; 1 for none").Whole().AtLeast(1).Or(ops.Integer(1)),
	},
	Examples: []ops.Example{{Title: "A line", Code: "x = axis(x, -1 .. 1 in 9)\nterm = axis(term, 0 .. 1 in 2)\n" +
		"show(evidence(2 + x + 0.1 * cos(9 * x), 1 + 0 * x, where(term == 0, 1, x), along: x, term: term))"}},
	Bind: bindEvidence,
}

const (
	chunk   = 64 // points whose sums are made in the type of the curve
	moments = 4  // of a block

	fullVectors = 16 // lanes of the widest vectors
)

// evidence is the operator bound: data, curve and terms, whose dims of points and terms are set apart.
type evidence struct {
	data, curve                 operand.Operand
	dataPoint, curvePoint       int // which dim is that of the points
	points, terms, block, chunk int
	termFirst                   bool // of the dims of terms
	out                         ops.Type
	base                        ir.DType
	first, second               []float64 // of each pair of terms
}

func bindEvidence(c *ops.Call) (ops.Op, error) {
	e := &evidence{data: operand.New("data", c.Args["data"]), curve: operand.New("curve", c.Args["curve"]), block: c.Int("block")}
	terms := c.Type("terms")
	along, term := terms.Dim(c.Symbol("along")), terms.Dim(c.Symbol("term"))
	var errs []error
	for arg, d := range map[string]int{"along": along, "term": term} {
		if d < 0 {
			errs = append(errs, operand.UnknownDim(arg, c.Symbol(arg), terms))
		}
	}
	e.dataPoint, e.curvePoint = e.data.Type.Dim(c.Symbol("along")), e.curve.Type.Dim(c.Symbol("along"))
	for _, x := range []operand.Operand{e.data, e.curve, operand.New("terms", c.Args["terms"])} {
		switch t := x.Type; {
		case t.Elem.Complex || t.Elem.Base == ir.Bool:
			errs = append(errs, problem.Wrong(problem.WrongElementType, x.Name, "", "`evidence` needs real numbers, and this is %s", t))
		case t.Dim(c.Symbol("along")) < 0:
			errs = append(errs, operand.UnknownDim(x.Name, c.Symbol("along"), t))
		case !t.Unit.Plain():
			errs = append(errs, problem.Wrong(problem.UnitMismatch, x.Name, "divide by the errors of the data", "`evidence` adds squares to a logarithm, and this is in %s", t.Unit))
		case x.Name != "terms" && t.Dim(c.Symbol("term")) >= 0:
			errs = append(errs, problem.Wrong(problem.DuplicateDim, x.Name, "rename it", "only terms have the dimension %s", c.Symbol("term")))
		}
	}
	if errors.Join(errs...) != nil {
		return nil, errors.Join(errs...)
	}
	e.terms, e.points, e.termFirst = terms.Dims[term].Size, terms.Dims[along].Size, term == 0
	if e.block > 1 {
		e.block = divisor(e.points, e.block)
	}
	switch {
	case along == term:
		return nil, problem.Wrong(problem.DuplicateDim, "term", "name the other one", "points and terms are both %s", c.Symbol("term"))
	case len(terms.Dims) != 2:
		return nil, problem.Wrong(problem.WrongDims, "terms", "terms are the same for all data", "`evidence` needs terms over %s and %s alone, and these are %s", c.Symbol("term"), c.Symbol("along"), terms)
	case e.terms > mostSmall:
		return nil, problem.Wrong(problem.OutOfBounds, "terms", "", "`evidence` is for at most %d terms, and these are %d", mostSmall, e.terms)
	}
	joined := []operand.Operand{{Name: "terms", Type: ops.Type{Dims: []ops.Dim{terms.Dims[along]}}}, e.data, e.curve}
	if _, err := operand.Broadcast("evidence", joined); err != nil { // the points are the same
		return nil, err
	}
	e.base = ops.Inexact(ops.Promote(e.data.Type.Elem, e.curve.Type.Elem).Base)
	e.chunk = even(e.points, chunk, fullVectors)
	xs := []operand.Operand{e.data, e.curve}
	xs[0].Type.Dims = operand.Without(xs[0].Type.Dims, []int{e.dataPoint})
	xs[1].Type.Dims = operand.Without(xs[1].Type.Dims, []int{e.curvePoint})
	dims, err := operand.Broadcast("evidence", xs)
	e.out = ops.Type{Elem: ops.F64, Dims: dims}
	e.data.Pick, e.curve.Pick = xs[0].Pick, xs[1].Pick
	for i := range e.terms {
		for j := range i + 1 {
			e.first, e.second = append(e.first, float64(i)), append(e.second, float64(j))
		}
	}
	return e, err
}

// even is how many points blocks have that are all alike, from half to one and a half of so many: multiples of step, if there are such. Else it is so many.
func even(points, about, step int) int {
	for ; step > 0; step /= fullVectors {
		for d := range about/2 + 1 {
			for _, n := range []int{about + d, about - d} {
				if n > 0 && n%step == 0 && points%n == 0 {
					return n
				}
			}
		}
	}
	return min(about, points)
}

// divisor is the most points, from three quarters of so many on, that blocks have which are all alike, or else so many: blocks that are shorter cost more than the one
// that overlaps.
func divisor(points, most int) int {
	for n := most; 4*n > 3*most; n-- {
		if points%n == 0 {
			return n
		}
	}
	return min(most, points)
}

// Outputs is one array.
func (e *evidence) Outputs() []ops.Output { return ops.One(e.out) }

// at is an element of data or curve at a point.
func at(b *ops.Body, in *ops.Stage, x operand.Operand, point int, index []*ir.Node, p *ir.Node) *ir.Node {
	return in.At(b, slices.Insert(operand.Picked(index, x.Pick), point, p)...).Re
}

// pairs are the products of two terms, then the terms, at each point.
func (e *evidence) pairs(l *ops.Lowering) *ops.Stage {
	in := l.In("terms")
	dims := []ops.Dim{{Name: "pair", Size: len(e.first) + e.terms}, {Name: "point", Size: e.points}}
	first := append(slices.Clone(e.first), sequence(e.terms)...)
	second := append(slices.Clone(e.second), slices.Repeat([]float64{-1}, e.terms)...)
	one, two := l.Table("first", ir.I32, first, dims[0]), l.Table("second", ir.I32, second, dims[0])
	return l.Stage("pairs", ops.Type{Elem: ops.ElemType{Base: e.base}, Dims: dims}, []*ops.Stage{in, one, two}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		other := two.At(b, i[0]).Re
		alone := b.Lt(other, b.I32(0))
		x := b.Mul(e.term(b, in, one.At(b, i[0]).Re, i[1]), b.Select(alone, b.F64(1), e.term(b, in, b.Max(other, b.I32(0)), i[1])))
		return ops.Real(normal(b, e.base, x, 1))
	})
}

// rows are the terms at each point, 0 where they are so small that products of two are no numbers with all their digits.
func (e *evidence) rows(l *ops.Lowering) *ops.Stage {
	in := l.In("terms")
	dims := []ops.Dim{{Name: "term", Size: e.terms}, {Name: "point", Size: e.points}}
	return l.Stage("rows", ops.Type{Elem: ops.ElemType{Base: e.base}, Dims: dims}, []*ops.Stage{in}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return ops.Real(normal(b, e.base, e.term(b, in, i[0], i[1]), 2))
	})
}

// term is an element of the terms, in float64.
func (e *evidence) term(b *ops.Body, in *ops.Stage, term, point *ir.Node) *ir.Node {
	index := []*ir.Node{point, term}
	if e.termFirst {
		slices.Reverse(index)
	}
	return b.Cast(ir.F64, in.At(b, index...).Re)
}

// normal is a number of the type, 0 where it to a power is too small to be one with all its digits, for which some processors take long.
func normal(b *ops.Body, t ir.DType, x *ir.Node, power int) *ir.Node {
	least := -126
	if t == ir.F64 {
		least = -1022
	}
	return b.Cast(t, b.Select(b.Lt(b.Abs(x), b.F64(math.Ldexp(1, least/power))), b.F64(0), x))
}

func sequence(n int) (out []float64) {
	for i := range n {
		out = append(out, float64(i))
	}
	return out
}

// Lower makes all sums in one loop over the points.
func (e *evidence) Lower(l *ops.Lowering) []*ops.Stage {
	data, curve := l.In("data"), l.In("curve")
	var weights *ops.Stage
	if e.block <= 1 {
		weights = e.rows(l)
	}
	inputs := []*ops.Stage{data, curve, weights}
	if e.block > 1 {
		weights = e.maps(l, e.pairs(l))
		inputs = []*ops.Stage{data, curve, weights, l.Table("polynomials", e.base, polynomials(e.block), ops.Dim{Name: "moment", Size: moments}, ops.Dim{Name: "within", Size: e.block})}
	}
	stage := l.Stage("", e.out, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		get := func(p *ir.Node) (d, s *ir.Node) {
			return b.Cast(e.base, at(b, data, e.data, e.dataPoint, index, p)), b.Cast(e.base, at(b, curve, e.curve, e.curvePoint, index, p))
		}
		var sums []*ir.Node
		if e.block > 1 {
			sums = e.byMoments(b, get, weights, inputs[3])
		} else {
			sums = e.direct(b, get, weights)
		}
		m := make([][]*ir.Node, e.terms)
		for k := range e.first {
			i := int(e.first[k])
			m[i] = append(m[i], b.Cast(ir.F64, sums[1+k]))
		}
		for i := range m {
			m[i] = append(m[i], b.Cast(ir.F64, sums[1+len(e.first)+i]))
		}
		return ops.Real(b.Add(sums[0], marginal.build(b, m, nil)))
	})
	stage.Steps = []string{"evidence"}
	if e.block > 1 {
		stage.Steps = []string{fmt.Sprintf("by moments of %d points", e.block)}
	}
	return []*ops.Stage{stage}
}

// within goes through the points of each block, and adds up what they give, each sum in a type of its own.
func (e *evidence) within(b *ops.Body, block, n int, one func(k, p, j *ir.Node) []*ir.Node, joined func(k *ir.Node, sums []*ir.Node) []*ir.Node, total []ir.DType) []*ir.Node {
	zeros := func(types []ir.DType) (out []*ir.Node) {
		for _, t := range types {
			out = append(out, b.Const(t, 0))
		}
		return out
	}
	return b.Fold(ir.FoldSpec{Name: "block", Lo: b.I32(0), Hi: b.I32(e.blocks(block)), Init: zeros(total), Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		start, lo := e.start(b, k, block)
		sums := b.Fold(ir.FoldSpec{Name: "within", Lo: lo, Hi: b.I32(block), Init: zeros(slices.Repeat([]ir.DType{e.base}, n)), Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			next := one(k, b.Add(start, j), j)
			for i := range next {
				next[i] = b.Add(acc[i], next[i])
			}
			return next, nil
		})
		next := joined(k, sums)
		for i := range next {
			next[i] = b.Add(acc[i], next[i])
		}
		return next, nil
	})
}

// blocks is how many there are of so many points.
func (e *evidence) blocks(points int) int { return (e.points + points - 1) / points }

// start is the first point of a block, and which of its points is the first that no block before it has: all end within the points.
func (e *evidence) start(b *ops.Body, k *ir.Node, block int) (start, lo *ir.Node) {
	start = b.Mul(k, b.I32(block))
	if e.points%block == 0 {
		return start, b.I32(0)
	}
	last := b.I32(e.points - block)
	return b.Min(start, last), b.Max(b.Sub(start, last), b.I32(0))
}

// direct are the sum of the squares of the data, then of all products with pairs of terms and of data and terms.
func (e *evidence) direct(b *ops.Body, get func(p *ir.Node) (d, s *ir.Node), rows *ops.Stage) []*ir.Node {
	n := 1 + len(e.first) + e.terms
	return e.within(b, e.chunk, n, func(_, p, _ *ir.Node) []*ir.Node {
		d, s := get(p)
		terms := make([]*ir.Node, e.terms)
		for k := range terms {
			terms[k] = b.Mul(s, rows.At(b, b.I32(k), p).Re)
		}
		out := []*ir.Node{b.Mul(d, d)}
		for k := range e.first {
			out = append(out, b.Mul(terms[int(e.first[k])], terms[int(e.second[k])]))
		}
		for _, t := range terms {
			out = append(out, b.Mul(t, d))
		}
		return out
	}, func(_ *ir.Node, sums []*ir.Node) []*ir.Node {
		out := make([]*ir.Node, len(sums))
		for i, x := range sums {
			out[i] = b.Cast(ir.F64, x)
		}
		return out
	}, slices.Repeat([]ir.DType{ir.F64}, n))
}

// byMoments are the same sums, of the moments of blocks.
func (e *evidence) byMoments(b *ops.Body, get func(p *ir.Node) (d, s *ir.Node), maps, table *ops.Stage) []*ir.Node {
	n := len(e.first) + e.terms
	return e.within(b, e.block, 1+2*moments, func(_, p, j *ir.Node) []*ir.Node {
		d, s := get(p)
		square, cross := b.Mul(s, s), b.Mul(s, d)
		out := []*ir.Node{b.Mul(d, d)}
		for q := range moments {
			f := table.At(b, b.I32(q), j).Re
			out = append(out, b.Mul(square, f), b.Mul(cross, f))
		}
		return out
	}, func(k *ir.Node, sums []*ir.Node) []*ir.Node {
		out := []*ir.Node{b.Cast(ir.F64, sums[0])}
		for r := range n {
			kind := 1
			if r >= len(e.first) {
				kind = 2
			}
			x := b.Const(e.base, 0)
			for q := range moments {
				x = b.Add(x, b.Mul(sums[kind+2*q], maps.At(b, k, b.I32(q), b.I32(r)).Re))
			}
			out = append(out, x)
		}
		return out
	}, append([]ir.DType{ir.F64}, slices.Repeat([]ir.DType{e.base}, n)...))
}

// maps are what the moments of each block of points are multiplied by for the sum with a pair of terms, or with a term.
func (e *evidence) maps(l *ops.Lowering, pairs *ops.Stage) *ops.Stage {
	dims := []ops.Dim{{Name: "block", Size: e.blocks(e.block)}, {Name: "moment", Size: moments}, pairs.Type.Dims[0]}
	table := l.Table("polynomial", ir.F64, polynomials(e.block), ops.Dim{Name: "moment", Size: moments}, ops.Dim{Name: "within", Size: e.block})
	return l.Stage("maps", ops.Type{Elem: pairs.Type.Elem, Dims: dims}, []*ops.Stage{pairs, table}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		start, _ := e.start(b, i[0], e.block)
		x := b.Fold(ir.FoldSpec{Name: "within", Lo: b.I32(0), Hi: b.I32(e.block), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			f := b.Mul(table.At(b, i[1], j).Re, b.Cast(ir.F64, pairs.At(b, i[2], b.Add(start, j)).Re))
			return []*ir.Node{b.Add(acc[0], f)}, nil
		})
		return ops.Real(normal(b, e.base, x[0], 1))
	})
}

// polynomials are orthonormal over the points of a block: the rows of a table.
func polynomials(block int) []float64 {
	out := make([]float64, moments*block)
	for q := range min(moments, block) {
		line := out[q*block:][:block]
		for j := range line {
			line[j] = math.Pow((2*float64(j)+1)/float64(block)-1, float64(q))
		}
		for k := range q {
			other := out[k*block:][:block]
			dot := 0.0
			for j := range line {
				dot += line[j] * other[j]
			}
			for j := range line {
				line[j] -= dot * other[j]
			}
		}
		norm := 0.0
		for _, x := range line {
			norm += x * x
		}
		for j := range line {
			line[j] /= math.Sqrt(norm)
		}
	}
	return out
}

// Reference makes the sums point by point.
func (e *evidence) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(false, e.out.Shape()...)
	value := func(name string, x operand.Operand, point int, index []int, p int) float64 {
		d, k := in[name], 0
		for i, j := range slices.Insert(operand.Picked(index, x.Pick), point, p) {
			k += j * d.Strides()[i]
		}
		return d.Re[k]
	}
	terms := in["terms"]
	term := func(t, p int) float64 {
		if e.termFirst {
			return terms.Re[t*e.points+p]
		}
		return terms.Re[p*e.terms+t]
	}
	for o, index := range ops.Indices(out.Shape) {
		m, rights := make([][]float64, e.terms), make([]float64, e.terms)
		squares := 0.0
		for i := range m {
			m[i] = make([]float64, e.terms)
		}
		for p := range e.points {
			d, s := value("data", e.data, e.dataPoint, index, p), value("curve", e.curve, e.curvePoint, index, p)
			squares += d * d
			for i := range m {
				rights[i] += term(i, p) * s * d
				for j := range m {
					m[i][j] += term(i, p) * s * term(j, p) * s
				}
			}
		}
		out.Re[o] = squares + marginal.value(m, rights, nil)
	}
	return []ops.Dense{out}, nil
}

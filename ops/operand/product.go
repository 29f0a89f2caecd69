package operand

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
)

// Product is what is known of a sum of products of two arrays over a dim of both, from what is known of these.
type Product struct {
	Turns         []Turns
	Rows, Columns string // where it is the product of an array with its own transpose: of the matrices, which are symmetric, and of which a half is found; or else empty
}

// Turns are those of the sum whose products may not be zero: none before, or none behind, the place along another dim, or but those of blocks that are there.
type Turns struct {
	Dim      string
	From, To bool
	Blocks   *matrix.Blocks // of rows along Dim; nil: it goes by places
	Because  string
}

// worthHalf is from how many rows, and terms of each sum, half of a product takes less time with a pass over its result than all of it: that pass takes as long as about a
// hundred terms.
const worthHalf = 256

// mostHalf are the elements of such a product at most: where its arrays do not fit the memory, both of what is mirrored would have to be there for each of its rows.
const mostHalf = 1 << 27

func sizeOf(x Operand, dim string) int { return x.Type.Dims[x.Type.Dim(dim)].Size }

// Renamer is an operator whose result is what it is given, though dims may have other names and another order: names tells which, where they have.
type Renamer interface {
	Renames(c *ops.Call) (a ops.Array, names map[string]string, ok bool)
}

// ProductOf finds what is known of a product; nil: nothing that makes it less work.
func ProductOf(xs []Operand, over string) *Product {
	p := &Product{}
	for at, x := range xs {
		a, ok := x.Value.(ops.Array)
		if !ok {
			continue
		}
		s := matrix.StructureOf(a)
		other := s.Columns
		if s.Columns == over {
			other = s.Rows
		}
		s = s.Over(other, over)
		d, k := x.Type.Dim(other), x.Type.Dim(over)
		if d < 0 || k < 0 {
			continue
		}
		if s.Blocks.Narrows() {
			p.Turns = append(p.Turns, Turns{Dim: other, Blocks: s.Blocks, Because: x.Name + " is made of blocks"})
		}
		if x.Type.Dims[d].Size != x.Type.Dims[k].Size {
			continue
		}
		for _, is := range []matrix.Property{matrix.Diagonal, matrix.Lower, matrix.Upper} {
			if trust := s.Is[is]; trust > matrix.Unknown {
				name := matrix.PropertyNames[is]
				turned := matrix.StructureOf(a).Rows == over // as it was said of its own rows
				if trust == matrix.Derived {
					turned = at > 0 // as products are written: rows times columns
				}
				if turned && is != matrix.Diagonal {
					name = matrix.PropertyNames[matrix.Lower+matrix.Upper-is]
				}
				p.Turns = append(p.Turns, Turns{Dim: other, From: is != matrix.Lower, To: is != matrix.Upper, Because: fmt.Sprintf("%s is %s: %s", x.Name, name, trust)})
				break
			}
		}
	}
	if len(xs) == 2 {
		if rows, columns := transposes(xs[0], xs[1], over); rows != "" && min(sizeOf(xs[0], rows), sizeOf(xs[0], over)) >= worthHalf && sizeOf(xs[0], rows)*sizeOf(xs[0], rows) <= mostHalf {
			p.Rows, p.Columns = rows, columns
		}
	}
	if len(p.Turns) == 0 && p.Rows == "" {
		return nil
	}
	return p
}

// Ends cuts the turns of a loop of the sum: those from a start (nil: the first one of all), for an element of the result. No end: it is the one turn that begins.
func (p *Product) Ends(b *ops.Body, dims []ops.Dim, index []*ir.Node, start, lo, hi *ir.Node) (from, to *ir.Node) {
	at := func(dim string) *ir.Node {
		return index[slices.IndexFunc(dims, func(d ops.Dim) bool { return d.Name == dim })]
	}
	cut := false // before
	for _, t := range p.Turns {
		first := at(t.Dim)
		behind := b.Add(first, b.I32(1))
		if t.Blocks != nil {
			t.From, t.To = true, true
			first, behind = blockEnds(b, t.Blocks, first)
		}
		if start != nil {
			first, behind = b.Sub(first, start), b.Sub(behind, start)
		}
		plain := start == nil && !cut // which is a turn
		if plain && t.From && t.To && t.Blocks == nil && len(p.Turns) == 1 && p.Rows == "" {
			return first, nil
		}
		switch {
		case t.From && plain:
			lo = first
		case t.From:
			lo = b.Max(lo, first)
		}
		switch {
		case t.To && plain:
			hi = behind
		case t.To:
			hi = b.Min(hi, behind)
		}
		cut = true
	}
	if p.Rows != "" {
		hi = b.Select(b.Le(at(p.Columns), at(p.Rows)), hi, b.I32(0))
	}
	return lo, hi
}

// blockEnds are from where to where the blocks go that are there of the row of blocks in which a row is.
func blockEnds(b *ops.Body, blocks *matrix.Blocks, row *ir.Node) (from, to *ir.Node) {
	for r := len(blocks.Rows) - 1; r >= 0; r-- {
		lo, hi := blocks.Span(r)
		if from == nil {
			from, to = b.I32(lo), b.I32(hi)
			continue
		}
		in := b.Lt(row, b.I32(blocks.Rows[r]))
		from, to = b.Select(in, b.I32(lo), from), b.Select(in, b.I32(hi), to)
	}
	return from, to
}

// Steps say what makes the sum less work.
func (p *Product) Steps() (out []string) {
	if p == nil {
		return nil
	}
	for _, t := range p.Turns {
		switch {
		case t.Blocks != nil:
			out = append(out, "blocks of "+t.Dim)
		case t.From && t.To:
			out = append(out, "one product")
		case t.From:
			out = append(out, "from "+t.Dim)
		default:
			out = append(out, "to "+t.Dim)
		}
		out[len(out)-1] += " (" + t.Because + ")"
	}
	if p.Rows != "" {
		out = append(out, fmt.Sprintf("half of it, where %s <= %s", p.Columns, p.Rows))
	}
	return out
}

// In is the product as it is found best in a lowering.
func (p *Product) In(l *ops.Lowering) *Product {
	if p == nil || p.Rows == "" || !l.Blocks {
		return p
	}
	if len(p.Turns) == 0 {
		return nil
	}
	return &Product{Turns: p.Turns}
}

// Half is what the stage of the sum is called whose whole is to have a name.
func (p *Product) Half(name string) string {
	if p == nil || p.Rows == "" {
		return name
	}
	return "half"
}

// Whole is all of a symmetric product, of its half.
func (p *Product) Whole(l *ops.Lowering, name string, half *ops.Stage) *ops.Stage {
	if p == nil || p.Rows == "" {
		return half
	}
	row, column := half.Type.Dim(p.Rows), half.Type.Dim(p.Columns)
	s := l.Stage(name, half.Type, []*ops.Stage{half}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		at := slices.Clone(index)
		at[row], at[column] = b.Max(index[row], index[column]), b.Min(index[row], index[column])
		return half.At(b, at...)
	})
	s.Steps, s.Mirrored = []string{"mirrored"}, true
	return s
}

// transposes tells which dims are the other way round in two arrays that are the same but for that.
func transposes(x, y Operand, over string) (rows, columns string) {
	a, isA := x.Value.(ops.Array)
	b, isB := y.Value.(ops.Array)
	if !isA || !isB {
		return "", ""
	}
	a, named := origin(a)
	b, other := origin(b)
	if a.Of != b.Of || a.Out != b.Out {
		return "", ""
	}
	for _, d := range a.Type().Dims {
		one, two := named(d.Name), other(d.Name)
		switch {
		case one == two:
		case rows == "" && one != over && two != over && x.Type.Dim(two) < 0 && y.Type.Dim(one) < 0:
			rows, columns = one, two
		default:
			return "", ""
		}
	}
	return rows, columns
}

// origin is the array that one is but for names, and what its dims are called in that one.
func origin(a ops.Array) (ops.Array, func(string) string) {
	var steps []map[string]string
	for a.Of != nil {
		r, ok := a.Of.Bound.(Renamer)
		if !ok {
			break
		}
		from, names, ok := r.Renames(a.Of.Call)
		if !ok || a.Out != 0 {
			break
		}
		steps, a = append(steps, names), from
	}
	slices.Reverse(steps)
	return a, func(name string) string {
		for _, names := range steps {
			if to := names[name]; to != "" {
				name = to
			}
		}
		return name
	}
}

package linear

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/operand"
	"weft/ops/problem"
)

const (
	rounding = 1e-6 // what an element may be beside what it should be, of the largest one
	probes   = 16   // elements of each row that are looked at where a matrix is only said to be something

	vectorsAssumed = 1 // of which an orthogonal matrix makes others of the same length, where it is only said to be one
	vectorsOfAll   = 8 // where it is to be verified: what is wrong stays unseen in fewer than one of 2^8
)

// The numbers that tell of elements that are not as they should be.
const (
	wrongCount = iota
	wrongFirst // the number of the row of the first one among those of all matrices, times the turns in a row, and its turn, times the columns, and its column
	wrongNumbers
)

// Doubt implements ops.Doubtful: of what is to be verified, all elements are looked at, or as many of each row as was said; of what is assumed, some of each row, where the
// matrix is in memory anyway, or the run is a strict one. Some of each row are taken out first where the matrix goes by in blocks of rows, with those across the diagonal.
func (z *assumed) Doubt(l *ops.Lowering) (*ops.Stage, ops.Op) {
	a := l.In("a")
	if z.why != matrix.Verified && (l.Room.Bytes > 0 || l.Blocks) && !l.Strict || slices.ContainsFunc(a.Type.Dims, func(d ops.Dim) bool { return d.Count != nil }) {
		return nil, nil
	}
	dims, n := a.Type.Dims, a.Type.Dims[z.col].Size
	batch := operand.Without(dims, []int{z.row, z.col})
	element := func(b *ops.Body, batch []*ir.Node, r, c *ir.Node) *ir.Node {
		var index []*ir.Node
		for d := range dims {
			switch d {
			case z.row:
				index = append(index, r)
			case z.col:
				index = append(index, c)
			default:
				index, batch = append(index, batch[0]), batch[1:]
			}
		}
		return b.Cast(ir.F64, a.At(b, index...).Re)
	}
	if z.is == matrix.Orthogonal {
		return z.doubtOrthogonal(l, batch, element)
	}
	turns := n
	if z.looks > 0 {
		turns = min(n, z.looks)
	}
	if z.is == matrix.UnitDiagonal {
		turns = 1
	}
	var some probing
	if turns < n {
		some = probe(n, turns)
	}
	// column is where a turn looks in a row.
	column := func(b *ops.Body, r, k *ir.Node) *ir.Node {
		if z.is == matrix.UnitDiagonal {
			return r
		}
		if turns == n {
			return k
		}
		return some.column(b, r, k)
	}
	// Each matrix is looked at by itself; of a single one, each row.
	parts, within := batch, []ops.Dim{dims[z.row], {Name: "turn", Size: turns}}
	if len(parts) == 0 {
		parts, within = within[:1], within[1:]
	}
	place := func(i, inner []*ir.Node) (batch []*ir.Node, r, k *ir.Node) {
		all := slices.Concat(i, inner)
		last := len(all) - 2
		return all[:last], all[last], all[last+1]
	}
	stage := func(name string, of []ops.Dim, inputs []*ops.Stage, elem func(b *ops.Body, i []*ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, ops.Type{Elem: ops.F64, Dims: of}, inputs, func(b *ops.Body, i []*ir.Node) ops.Elem { return ops.Real(elem(b, i)) })
	}
	from := []*ops.Stage{a}
	found := func(b *ops.Body, batch []*ir.Node, r, k *ir.Node) *ir.Node {
		return element(b, batch, r, column(b, r, k))
	}
	across := func(b *ops.Body, batch []*ir.Node, r, k *ir.Node) *ir.Node {
		return element(b, batch, column(b, r, k), r)
	}
	if turns < n && (l.Blocks || l.Room.Bytes > 0) {
		held := slices.Concat(batch, []ops.Dim{dims[z.row], {Name: "turn", Size: turns}})
		take := func(name string, elem func(b *ops.Body, batch []*ir.Node, r, k *ir.Node) *ir.Node) func(*ops.Body, []*ir.Node, *ir.Node, *ir.Node) *ir.Node {
			s := stage(name, held, []*ops.Stage{a}, func(b *ops.Body, i []*ir.Node) *ir.Node {
				return elem(b, i[:len(batch)], i[len(batch)], i[len(batch)+1])
			})
			s.Partial = true // rows of the matrix go by once
			from = append(from, s)
			return func(b *ops.Body, batch []*ir.Node, r, k *ir.Node) *ir.Node {
				return s.At(b, append(slices.Clone(batch), r, k)...).Re
			}
		}
		from = nil
		found = take("found", found)
		if z.is == matrix.Antisymmetric || z.is == matrix.Symmetric || z.is == matrix.PositiveDefinite {
			mirrored := take("mirrored", func(b *ops.Body, batch []*ir.Node, r, k *ir.Node) *ir.Node {
				return element(b, batch, r, some.row(b, r, k))
			})
			across = func(b *ops.Body, batch []*ir.Node, r, k *ir.Node) *ir.Node {
				return mirrored(b, batch, column(b, r, k), k)
			}
		}
	}
	most := stage("largest.of.parts", parts, from, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return eachOf(b, within, nil, 0, ir.Largest, b.Max, func(inner []*ir.Node) *ir.Node {
			batch, r, k := place(i, inner)
			return b.Abs(found(b, batch, r, k))
		})
	})
	largest := stage("largest", nil, []*ops.Stage{most}, func(b *ops.Body, _ []*ir.Node) *ir.Node {
		return eachOf(b, parts, nil, 0, ir.Largest, b.Max, func(i []*ir.Node) *ir.Node { return most.At(b, i...).Re })
	})
	wrong := func(b *ops.Body, i, inner []*ir.Node) (so, c *ir.Node) {
		batch, r, k := place(i, inner)
		c = column(b, r, k)
		x, beside := found(b, batch, r, k), b.True()
		switch z.is {
		case matrix.Diagonal:
			beside = b.Alu(ir.Ne, r, c)
		case matrix.Lower:
			beside = b.Lt(r, c)
		case matrix.Upper:
			beside = b.Lt(c, r)
		case matrix.UnitDiagonal:
			x = b.Sub(x, b.F64(1))
		case matrix.Antisymmetric:
			x = b.Add(x, across(b, batch, r, k))
		case matrix.Symmetric, matrix.PositiveDefinite:
			x = b.Sub(x, across(b, batch, r, k))
		}
		fine := b.Le(b.Abs(x), b.Mul(b.F64(rounding), largest.At(b).Re)) // not so where it is no number
		return b.And(beside, b.Alu(ir.Eq, b.Select(fine, b.I32(1), b.I32(0)), b.I32(0))), b.Cast(ir.F64, c)
	}
	looked := append(slices.Clone(from), largest)
	many := stage("wrong", parts, looked, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return counted(b, within, func(inner []*ir.Node) *ir.Node { so, _ := wrong(b, i, inner); return so })
	})
	first := stage("wrong.first", parts, looked, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return foremost(b, within, float64(n), func(inner []*ir.Node) (so, c *ir.Node) { return wrong(b, i, inner) })
	})
	told := stage("told", []ops.Dim{{Name: "number", Size: wrongNumbers}}, []*ops.Stage{many, first}, func(b *ops.Body, index []*ir.Node) *ir.Node {
		numbers := [wrongNumbers]*ir.Node{
			wrongCount: eachOf(b, parts, nil, 0, ir.Sum, b.Add, func(i []*ir.Node) *ir.Node { return many.At(b, i...).Re }),
			wrongFirst: foremost(b, parts, float64(n*ops.Type{Dims: within}.Len()), func(i []*ir.Node) (so, number *ir.Node) {
				number = first.At(b, i...).Re
				return b.Le(b.F64(0), number), number
			}),
		}
		return chosen(b, numbers[:], index[0])
	})
	return told, verified{z, append(slices.Clone(batch), dims[z.row]), turns}
}

// doubtOrthogonal looks whether the transpose makes some vectors again of what the matrix makes of them. In them are ones and minus ones, so that no element that is
// wrong counts for less than another.
func (z *assumed) doubtOrthogonal(l *ops.Lowering, batch []ops.Dim, element func(b *ops.Body, batch []*ir.Node, r, c *ir.Node) *ir.Node) (*ops.Stage, ops.Op) {
	a, n := l.In("a"), z.Gives[0].Type.Dims[z.col].Size
	vectors := ops.Dim{Name: "vector", Size: z.looks}
	if vectors.Size == 0 {
		vectors.Size = vectorsOfAll
	}
	sign := func(b *ops.Body, p, i *ir.Node) *ir.Node {
		x := b.Mul(b.Cast(ir.F64, b.Add(b.Mul(p, b.I32(n)), b.Add(i, b.I32(1)))), b.F64(math.Phi-1))
		return b.Select(b.Lt(b.Sub(x, b.Alu(ir.Floor, x)), b.F64(0.5)), b.F64(-1), b.F64(1))
	}
	sum := func(b *ops.Body, term func(k *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], term(k))}, nil
		})[0]
	}
	stage := func(name string, of []ops.Dim, inputs []*ops.Stage, elem func(b *ops.Body, i []*ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, ops.Type{Elem: ops.F64, Dims: of}, inputs, func(b *ops.Body, i []*ir.Node) ops.Elem { return ops.Real(elem(b, i)) })
	}
	with := func(d ops.Dim) []ops.Dim { return slices.Concat(batch, []ops.Dim{vectors, d}) }
	parts := func(i []*ir.Node) (of []*ir.Node, p, k *ir.Node) {
		return i[:len(batch)], i[len(batch)], i[len(batch)+1]
	}
	made := stage("made", with(z.Gives[0].Type.Dims[z.row]), []*ops.Stage{a}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		of, p, r := parts(i)
		return sum(b, func(k *ir.Node) *ir.Node { return b.Mul(element(b, of, r, k), sign(b, p, k)) })
	})
	columns := with(z.Gives[0].Type.Dims[z.col])
	again := stage("again", columns, []*ops.Stage{a, made}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		of, p, c := parts(i)
		return b.Sub(sum(b, func(k *ir.Node) *ir.Node {
			return b.Mul(element(b, of, k, c), made.At(b, append(slices.Clone(of), p, k)...).Re)
		}), sign(b, p, c))
	})
	wrong := func(b *ops.Body, i []*ir.Node) *ir.Node {
		fine := b.Le(b.Abs(again.At(b, i...).Re), b.F64(rounding*math.Sqrt(float64(n)))) // not so where it is no number
		return b.Alu(ir.Eq, b.Select(fine, b.I32(1), b.I32(0)), b.I32(0))
	}
	told := stage("told", []ops.Dim{{Name: "number", Size: wrongNumbers}}, []*ops.Stage{again}, func(b *ops.Body, index []*ir.Node) *ir.Node {
		numbers := [wrongNumbers]*ir.Node{
			wrongCount: counted(b, columns, func(i []*ir.Node) *ir.Node { return wrong(b, i) }),
			wrongFirst: foremost(b, columns[:len(columns)-1], float64(n), func(i []*ir.Node) (so, number *ir.Node) {
				first := foremost(b, columns[len(columns)-1:], 1, func(c []*ir.Node) (so, number *ir.Node) {
					return wrong(b, append(slices.Clone(i), c...)), b.F64(0)
				})
				return b.Le(b.F64(0), first), first
			}),
		}
		return chosen(b, numbers[:], index[0])
	})
	return told, verified{z, append(slices.Clone(batch), vectors), 1}
}

// verified takes what is told of the elements.
type verified struct {
	of    *assumed
	rows  []ops.Dim
	turns int // in each row
}

// Outputs are none.
func (verified) Outputs() []ops.Output { return nil }

// Inner implements ops.Inner: nothing leaves the program by it.
func (verified) Inner() {}

// Take stops where an element is not as it should be.
func (v verified) Take(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	told := func(i int) float64 { return in[0].Float(i) }
	if told(wrongCount) == 0 {
		return ops.Note{}, nil
	}
	if v.of.is == matrix.Orthogonal {
		return ops.Note{}, v.notOrthogonal(int(told(wrongFirst)))
	}
	across, first := v.of.Gives[0].Type.Dims[v.of.col], int(told(wrongFirst))
	where := fmt.Sprintf("%s, %s %d", placeOf(first/across.Size/v.turns, v.rows), across.Name, first%across.Size)
	return ops.Note{}, problem.Wrong(problem.NotMet, "is", "", "the matrix is not %s: of the elements that were looked at, %.0f are not as they should be; the first one is at %s", matrix.PropertyNames[v.of.is], told(wrongCount), where)
}

// notOrthogonal says where the transpose did not make a vector again.
func (v verified) notOrthogonal(first int) error {
	across := v.of.Gives[0].Type.Dims[v.of.col]
	where := fmt.Sprintf("%s %d", across.Name, first%across.Size)
	if matrices := v.rows[:len(v.rows)-1]; len(matrices) > 0 {
		where = placeOf(first/across.Size/v.rows[len(matrices)].Size, matrices) + ", " + where
	}
	return problem.Wrong(problem.NotMet, "is", "", "the matrix is not orthogonal: of what it makes of a vector, its transpose makes another one; the first element that is not as it was is that of %s", where)
}

// placeOf says where a number in C order is, by dims.
func placeOf(number int, dims []ops.Dim) string {
	var where []string
	for _, d := range slices.Backward(dims) {
		where = append([]string{fmt.Sprintf("%s %d", d.Name, number%d.Size)}, where...)
		number /= d.Size
	}
	return strings.Join(where, ", ")
}

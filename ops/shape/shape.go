package shape

import (
	"errors"
	"fmt"
	"slices"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

func shapeSpecs() []*ops.Spec {
	const grid = "x = axis(x, 0 mm .. 3 mm in 4)\ny = axis(y, 0 mm .. 2 mm in 3)\n"
	input := ops.In("input", "array")
	return []*ops.Spec{
		remapSpec(&ops.Spec{
			Name: "transpose", Doc: "Order of the dimensions.", Group: groupShape, Counts: true,
			Returns:  "the array with its dimensions in the given order.",
			Params:   []ops.Param{input, ops.Names("order", "all dimensions, outermost first")},
			Examples: []ops.Example{{Title: "y before x", Code: grid + "x + y | transpose(order: [y, x]) | show"}},
		}, planTranspose),
		remapSpec(&ops.Spec{
			Name: "reverse", Doc: "Turn dimensions round, with their coordinates.", Group: groupShape,
			Returns:  "an array of the same dimensions.",
			Params:   []ops.Param{input, ops.Names("dim", "a dimension or a list of dimensions")},
			Examples: []ops.Example{{Title: "From large to small", Code: "axis(x, 0 mm .. 3 mm in 4) | reverse(x) | show"}},
		}, planReverse),
		remapSpec(&ops.Spec{
			Name: "reshape", Doc: "The same elements, in C order, over other dimensions.", Group: groupShape,
			Long:    "One extent may be -1: it follows from the others. Dimensions that keep name, extent and place keep their coordinates.",
			Returns: "an array over the dimensions given.",
			Params: []ops.Param{input, ops.Names("dims", "names of the new dimensions").New(),
				{Name: "extents", Doc: "their extents", Accept: ops.KList | ops.KNumber}},
			Examples: []ops.Example{{Title: "Cut a line into rows", Code: "axis(i, 0 .. 11 in 12) | reshape(dims: [row, column], extents: [3, -1]) | show"}},
		}, planReshape),
		remapSpec(&ops.Spec{
			Name: "rename", Doc: "Give dimensions other names.", Group: groupShape, Counts: true,
			Returns:  "the same array with renamed dimensions.",
			Params:   []ops.Param{input, ops.Names("from", "dimensions to rename"), ops.Names("to", "their new names").New()},
			Examples: []ops.Example{{Title: "Outer product of a line with itself", Code: "x = axis(x, 0 mm .. 3 mm in 4)\nshow(x * rename(x, from: x, to: y))"}},
		}, planRename),
		remapSpec(&ops.Spec{
			Name: "with_coordinates", Doc: "Give a dimension coordinates.", Group: groupShape,
			Returns: "the same array with other coordinates.",
			Params: []ops.Param{input, {Name: "dim", Doc: "dimension", Accept: ops.KSymbol},
				ops.Span("at", "*", "first and last coordinate; a number of points must be that of the dimension; or a list of all of them").Also(ops.KList)},
			Examples: []ops.Example{{Title: "Sample times", Code: "a = axis(sample, 0 .. 63 in 64)\na | with_coordinates(sample, 0 us .. 21 us) | show"}},
		}, planCoordinates),
	}
}

func planTranspose(c *ops.Call) (remap, error) {
	t := c.Type("input")
	order, err := operand.DimsNamed(c, "order", t, false)
	if err != nil {
		return remap{}, err
	}
	dims := make([]ops.Dim, len(order))
	for i, d := range order {
		dims[i] = t.Dims[d]
	}
	if missing := operand.Without(t.Dims, order); len(missing) > 0 {
		return remap{}, problem.Wrong(problem.MissingDim, "order", "name every dimension once", "`order` leaves out %s", missing[0].Name)
	}
	return remap{
		out:   widened(t, dims),
		at:    func(_ *ops.Body, index []*ir.Node) []*ir.Node { return permuted(index, order) },
		ref:   func(index []int) []int { return permuted(index, order) },
		names: map[string]string{},
	}, nil
}

// permuted puts index[i] at place order[i].
func permuted[T any](index []T, order []int) []T {
	out := make([]T, len(index))
	for i, d := range order {
		out[d] = index[i]
	}
	return out
}

func planReverse(c *ops.Call) (remap, error) {
	t := c.Type("input")
	turned, err := operand.DimsNamed(c, "dim", t, true)
	if err != nil {
		return remap{}, err
	}
	dims := slices.Clone(t.Dims)
	for _, d := range turned {
		dims[d].Coords = slices.Clone(dims[d].Coords)
		slices.Reverse(dims[d].Coords)
	}
	return remap{
		out: widened(t, dims),
		at: func(b *ops.Body, index []*ir.Node) []*ir.Node {
			at := slices.Clone(index)
			for _, d := range turned {
				at[d] = b.Sub(b.I32(dims[d].Size-1), index[d])
			}
			return at
		},
		ref: func(index []int) []int {
			at := slices.Clone(index)
			for _, d := range turned {
				at[d] = dims[d].Size - 1 - index[d]
			}
			return at
		},
	}, nil
}

func planRename(c *ops.Call) (remap, error) {
	t := c.Type("input")
	from, err1 := operand.DimsNamed(c, "from", t, false)
	to, err2 := c.Names("to")
	if err := errors.Join(err1, err2); err != nil {
		return remap{}, err
	}
	if len(from) != len(to) {
		return remap{}, problem.Wrong(problem.DimsCount, "to", "name as many", "`from` names %d dimensions, and `to` names %d", len(from), len(to))
	}
	dims, names := slices.Clone(t.Dims), map[string]string{}
	for i, d := range from {
		names[dims[d].Name], dims[d].Name = to[i], to[i]
	}
	m := same(widened(t, dims))
	m.names = names
	return m, operand.Distinct("to", dims)
}

func planCoordinates(c *ops.Call) (remap, error) {
	t := c.Type("input")
	name := c.Symbol("dim")
	i := t.Dim(name)
	if i < 0 {
		return remap{}, operand.UnknownDim("dim", name, t)
	}
	d := &t.Dims[i]
	if l, ok := c.Args["at"].(ops.List); ok {
		return listed(t, i, l)
	}
	r := c.Args["at"].(ops.Range)
	if r.N == 0 && r.Step == 0 {
		r.N = d.Size
	}
	points, err := operand.Points("at", r)
	if err != nil {
		return remap{}, err
	}
	if len(points) != d.Size {
		return remap{}, problem.Wrong(problem.ExtentMismatch, "at", "if none is missing, leave out the number of points", "dimension %s has %d points, %s has %d", name, d.Size, r, len(points))
	}
	dims := slices.Clone(t.Dims)
	dims[i].Coords, dims[i].Unit = points, r.From.Unit
	return same(widened(t, dims)), nil
}

// listed gives a dim coordinates one by one.
func listed(t ops.Type, i int, l ops.List) (remap, error) {
	dims := slices.Clone(t.Dims)
	if d := &dims[i]; len(l) != d.Size {
		return remap{}, problem.Wrong(problem.ExtentMismatch, "at", "list one for each point", "dimension %s has %d points, and these are %d coordinates", d.Name, d.Size, len(l))
	}
	dims[i].Coords = make([]float64, len(l))
	for k, v := range l {
		n, ok := v.(ops.Number)
		switch {
		case !ok:
			return remap{}, problem.Wrong(problem.NotANumber, fmt.Sprintf("at.%d", k), "", "a coordinate is a number, and this is %s", v)
		case k == 0:
			dims[i].Unit = n.Unit
		case !n.Unit.Same(dims[i].Unit):
			return remap{}, problem.Wrong(problem.UnitMismatch, fmt.Sprintf("at.%d", k), "", "the first coordinate is %s, and this is %s", dims[i].Unit.Describe(), n.Unit.Describe())
		}
		dims[i].Coords[k] = n.V
	}
	return same(widened(t, dims)), nil
}

func planReshape(c *ops.Call) (remap, error) {
	t := c.Type("input")
	dims, open, product, err := operand.NewDims(c, t.Len())
	if err != nil {
		return remap{}, err
	}
	if open >= 0 {
		dims[open].Size = t.Len() / product
		product *= dims[open].Size
	}
	if product != t.Len() {
		return remap{}, problem.Wrong(problem.BadReshape, "extents", "the extents must multiply to "+fmt.Sprint(t.Len())+"; -1 stands for what is left", "the array has %d elements, and these extents make %d", t.Len(), product)
	}
	groups := regroup(t.Dims, dims)
	for _, g := range groups {
		if a, b := g.oldEnd-g.old, g.newEnd-g.new; a == 1 && b == 1 && t.Dims[g.old].Name == dims[g.new].Name {
			dims[g.new] = t.Dims[g.old]
		}
	}
	return remap{
		out: widened(t, dims),
		at: func(b *ops.Body, index []*ir.Node) []*ir.Node {
			at := make([]*ir.Node, 0, len(t.Dims))
			for _, g := range groups {
				at = append(at, g.nodes(b, t.Dims, dims, index)...)
			}
			return at
		},
		ref: func(index []int) []int {
			n := 0
			for i, d := range dims {
				n = n*d.Size + index[i]
			}
			at := make([]int, len(t.Dims))
			for i, d := range slices.Backward(t.Dims) {
				at[i] = n % d.Size
				n /= d.Size
			}
			return at
		},
	}, nil
}

// group is a run of old dims that has as many elements as a run of new ones.
type group struct{ old, oldEnd, new, newEnd int }

// regroup cuts two lists of dims of the same total into the shortest such runs, so that dims which stay need no division.
func regroup(from, to []ops.Dim) []group {
	var out []group
	i, j := 0, 0
	for i < len(from) || j < len(to) {
		g := group{old: i, new: j}
		a, b := 1, 1
		if i < len(from) {
			a, i = from[i].Size, i+1
		} else { // what remains has one element each
			b, j = to[j].Size, j+1
		}
		for a != b {
			if a > b {
				b, j = b*to[j].Size, j+1
			} else {
				a, i = a*from[i].Size, i+1
			}
		}
		g.oldEnd, g.newEnd = i, j
		out = append(out, g)
	}
	return out
}

// nodes are the indices of the old dims of a group.
func (g group) nodes(b *ops.Body, from, to []ops.Dim, index []*ir.Node) []*ir.Node {
	n := b.I32(0)
	for k := g.new; k < g.newEnd; k++ {
		n = b.Add(b.Mul(n, b.I32(to[k].Size)), index[k])
	}
	at := make([]*ir.Node, g.oldEnd-g.old)
	for k := g.oldEnd - 1; k >= g.old; k-- {
		if k == g.old {
			at[0] = n
			break
		}
		size := b.I32(from[k].Size)
		at[k-g.old] = b.Alu(ir.Mod, n, size)
		n = b.Div(n, size)
	}
	return at
}

package array

import (
	"errors"
	"maps"
	"slices"
	"weft/ops/operand"

	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/problem"
)

func dotSpec() *ops.Spec {
	return &ops.Spec{
		Name: "dot", Doc: "Product of arrays, summed over dimensions that both have: matrix products, and batches of them.", Group: groupReduce, Error: operand.Rounded,
		Long: "The same as sum(a * b, over: ...). What is known to be zero of a factor, beside a triangle or a diagonal (`assume`, `verify`, `where(k <= i, a, 0)`) or where blocks are not there (`block`), is left out, whatever it is multiplied with, and of the product of an array of many rows and columns with its " +
			"own transpose (`rename`) half is found, and mirrored. Dimensions that both have and that are not summed stay: they number the products of a batch. " +
			"Unlike there, whole numbers are multiplied in i64. " +
			nanSums + " " + accumulates + ".",
		Returns: "an array over the remaining dimensions, joined by name; a single value when none remains.",
		Params:  []ops.Param{ops.In("a", "first array"), ops.In("b", "second array"), ops.Names("over", "a dimension or a list of dimensions to sum over, which both have"+partDoc).Also(ops.KSegment)},
		Examples: []ops.Example{
			{Title: "A matrix product", Code: "i = axis(i, 0 .. 1 in 3)\nk = axis(k, 0 .. 1 in 4)\nj = axis(j, 0 .. 1 in 2)\nshow(dot(i + k, k * j, over: k))"},
			{Title: "A product a frame", Code: "t = axis(t, 0 .. 1 in 2)\ni = axis(i, 0 .. 1 in 3)\nk = axis(k, 0 .. 1 in 4)\nshow(dot(t + i * k, t * k, over: k))"},
		},
		Bind: bindDot,
	}
}

// dot is a product and its sum, with nothing stored between them.
type dot struct {
	product *pointwise
	*reduce
}

func bindDot(c *ops.Call) (ops.Op, error) {
	multiply := &arithmetic[slices.IndexFunc(arithmetic, func(e elementwise) bool { return e.name == "mul" })]
	sum := &reductions[slices.IndexFunc(reductions, func(r reduction) bool { return r.name == "sum" })]
	p, err := multiply.typed(c)
	if err != nil {
		return nil, err
	}
	if !p.out.Elem.Base.Float() {
		p.compute, p.out.Elem = ops.I64, ops.I64 // as their sum is: products of integers do not wrap before it
	}
	over, part, err := overOf(c, p.out)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, d := range over {
		name := p.out.Dims[d].Name
		for _, x := range p.xs {
			if x.Type.Dim(name) < 0 {
				errs = append(errs, problem.Wrong(problem.UnknownDim, "over", "sum the array that has it before", "%s has no dimension %s", x.Name, name))
			}
		}
	}
	r, err := sum.of(p.out, over)
	if r.part = part; part != nil {
		r.out.Dims = part.Dims
	}
	if err == nil {
		r.multiplies(p)
	}
	return &dot{p, r}, errors.Join(append(errs, err)...)
}

// Structure implements matrix.Structured.
func (d *dot) Structure(*ops.Call, int) (s matrix.Structure) {
	if len(d.over) == 1 {
		s = operand.ProductStructure(d.product.xs, d.product.out.Dims[d.over[0]].Name)
	}
	return s
}

// Lower folds the product as sum does.
func (d *dot) Lower(l *ops.Lowering) []*ops.Stage {
	return []*ops.Stage{d.stages(l, "", d.product.stage(l, "product"), d.over, d.out, d.part, d.of)}
}

// Reference multiplies, and collects the elements of each group and adds them up.
func (d *dot) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	p, err := d.product.Reference(in)
	if err != nil {
		return nil, err
	}
	in = maps.Clone(in)
	in["a"] = p[0]
	return d.reduce.Reference(in)
}

// Package eigen finds eigenvalues of matrices, of which it needs no more than products with vectors.
package eigen

import (
	"errors"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/problem"
)

// Specs are the operators of this package.
func Specs() []*ops.Spec { return []*ops.Spec{eigen} }

const springs = "i = axis(i, 0 .. 7 in 8)\nj = axis(j, 0 .. 7 in 8)\nk = where(i == j, 2, where(abs(i - j) == 1, -1, 0)) | assume(symmetric)\n"

var eigen = &ops.Spec{
	Name: "eigen", Doc: "Some eigenvalues of a matrix, and their vectors.", Group: "linear algebra",
	Long: "lanczos is for matrices that are symmetric, or hermitian if they are complex; arnoldi is for any real matrix, and gives complex values and vectors, " +
		"pairs of conjugates with the one of positive imaginary part first. Both make an orthonormal basis, of a few tens of vectors, from products of the matrix with block vectors at a time, " +
		"in float64; in it the matrix is small, and when it is full, it is begun anew with the best of what was found (Stewart, SIAM Journal on " +
		"Matrix Analysis 23, 2002). In each pass a matrix that does not fit the memory is read, or computed, anew, for all vectors of the block at once: larger blocks " +
		"take fewer passes, but more products, and find values that are there several times sooner. Values are the same but for the tolerance; " +
		"which block is taken follows from how many bytes the matrix has, not from the memory. dense is for matrices of a few hundred rows: it takes all of it into memory, as float64. " +
		"Where no method is said, it is dense where that is predicted to take no longer, and else lanczos for what is known to be symmetric (see `assume`) and for complex matrices, arnoldi for others; " +
		"explain says which it is, and why. A last pass multiplies what was found by the matrix; from that are values and residuals. " +
		"power is the power method: v is multiplied by the matrix and scaled to length 1, over and over, until no element changes by more than tolerance. It finds " +
		"the eigenvalue of largest magnitude, where there is one, in the type of the matrix, and is the quicker the more that stands out: errors shrink by the ratio of the next " +
		"one's magnitude to it in each call. The first vectors are the same in every run. Golub and Van Loan, Matrix Computations, 4th edition, " +
		"7.3, 7.5 and 10.",
	Returns: "value, in the unit of the matrix, and vector, over its first dimension, of length 1; for a count above 1 both over eigenvalue too. " +
		"All methods but power also give residual, the length of A v - value v, for each value, and passes, how often the matrix was gone through.",
	Error: ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-4},
	Params: []ops.Param{
		ops.In("input", "matrix: over two dimensions of one extent"),
		ops.Count("count", "eigenvalues to find").Within(1, 100).Or(ops.Integer(1)),
		ops.Choose("method", "how they are found", "lanczos", "arnoldi", "dense", "power").Opt(),
		ops.Choose("which", "the largest in magnitude, or those of the highest or lowest real part", orders...).Or(ops.Symbol("largest")),
		ops.Count("most", "passes at most").Within(1, 1e9).Or(ops.Integer(1000)),
		ops.Num("tolerance", "", "where to stop: lanczos and arnoldi, at the part of A v that is not along v, beside the value; power, at the largest change of an element; 0: not before the last pass").AtLeast(0).Or(ops.Number{V: 1e-6}),
		ops.Count("block", "vectors that are multiplied in one pass: of lanczos and arnoldi").Within(1, 32).Opt(),
	},
	Examples: []ops.Example{{Title: "A line of springs", Code: springs + "e = eigen(k)\nshow(e.value)\nshow(e.vector)"},
		{Title: "Its three largest", Code: springs + "show(eigen(k, count: 3).value)"},
		{Title: "A turn by 30 degrees has no real ones", Code: "i = axis(i, 0 .. 1 in 2)\nj = axis(j, 0 .. 1 in 2)\na = where(i == j, cos(30 deg), (j - i) * sin(30 deg))\nshow(eigen(a, count: 2).value)"}},
	Bind: bind,
}

// asked is what a use of eigen asks for.
type asked struct {
	matrix    ops.Type
	count     int
	which     string
	most      int
	tolerance float64
	said      bool     // to be symmetric, in place of a method
	says      []string // of what was chosen
}

func bind(c *ops.Call) (ops.Op, error) {
	t := c.Type("input")
	var errs []error
	if len(t.Dims) != 2 || t.Dims[0].Size != t.Dims[1].Size || t.Dims[0].Size == 0 {
		errs = append(errs, problem.Wrong(problem.WrongDims, "input", "take a square part of it", "`eigen` needs a square matrix, and the input is %s", t))
	}
	if t.Elem.Base == ir.Bool {
		errs = append(errs, problem.Wrong(problem.WrongElementType, "input", "", "`eigen` needs numbers, and the input is %s", t))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	a := asked{matrix: t, count: c.Int("count"), which: c.Symbol("which"), most: c.Int("most"), tolerance: c.Number("tolerance")}
	n, method := t.Dims[0].Size, ""
	if c.Has("method") {
		method = c.Symbol("method")
	}
	x, _ := c.Array("input")
	symmetric := !t.Elem.Complex && matrix.StructureOf(x).Over(t.Dims[0].Name, t.Dims[1].Name).Is[matrix.Symmetric] > matrix.Unknown
	a.said = symmetric && method == ""
	krylov := method == "" || method == "lanczos" || method == "arnoldi"
	switch {
	case a.count > n:
		return nil, problem.Wrong(problem.OutOfBounds, "count", "", "%s has %d eigenvalues", t, n)
	case c.Has("block") && !krylov:
		return nil, problem.Wrong(problem.CannotHonour, "block", "use method: lanczos or arnoldi, or leave block out", "method: %s multiplies no blocks of vectors", method)
	case c.Has("block") && c.Int("block") > n:
		return nil, problem.Wrong(problem.OutOfBounds, "block", "", "a block of %d is more vectors than %s has rows", c.Int("block"), t)
	case t.Elem.Complex && (method == "arnoldi" || method == "power"):
		return nil, problem.Wrong(problem.WrongElementType, "input", "a hermitian matrix has method: lanczos", "method: %s needs real numbers, and the input is %s", method, t)
	case method == "power" && a.count > 1:
		return nil, problem.Wrong(problem.CannotHonour, "count", "use another method, or leave it out", "method: power finds one eigenvalue, not %d", a.count)
	case method == "power" && a.which != "largest":
		return nil, problem.Wrong(problem.CannotHonour, "which", "use another method, or leave it out", "method: power finds the largest eigenvalue, not the %s", a.which)
	case method == "power":
		return newPower(t, ops.ElemType{Base: ops.Inexact(t.Elem.Widen().Base)}, a.most, a.tolerance)
	}
	if err := reachable(a.tolerance, ir.F64, 1); err != nil {
		return nil, err
	}
	block := 0
	if c.Has("block") {
		block = c.Int("block")
	}
	return a.choose(method, block, symmetric), nil
}

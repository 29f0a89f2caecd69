package linear

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"weft/kernels/region"
	"weft/ops/problem"
)

// rooted puts the triangular root of a block on the diagonal in its place, and the inverse of its transpose beside it.
func (z *large) rooted(left, block, inverse []float64, at region.Interval) error {
	n := at.Len()
	was := append([]float64(nil), left...)
	if _, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: left, Uplo: blas.Lower}); !ok {
		k, v := pivot(was, n)
		if v != v {
			return problem.Wrong(problem.Singular, "a", fmt.Sprintf("an element of row %d, up to the diagonal, is NaN or infinite, or overflows: is_nan finds those that are NaN", at.Lo+k),
				"the matrix is not positive definite: pivot %d is not a number", at.Lo+k)
		}
		return problem.Wrong(problem.Singular, "a", "a little added to the diagonal makes a matrix positive definite that is so but for rounding",
			"the matrix is not positive definite: pivot %d is %.3g", at.Lo+k, v)
	}
	clear(inverse)
	for r := range n {
		for c := range n {
			v := left[r*n+c]
			if c > r {
				v = 0
			}
			block[z.flat(r, c, n)], inverse[c*panel+r] = v, v
		}
	}
	return inverted(inverse, at, false)
}

// pivot is the first one that is not positive, or the least where rounding decides, and what it is.
func pivot(a []float64, n int) (int, float64) {
	least, at := math.Inf(1), 0
	for k := range n {
		for i := k; i < n; i++ {
			for j := range k {
				a[i*n+k] -= a[i*n+j] * a[k*n+j]
			}
		}
		v := a[k*n+k]
		if v < least || v != v {
			least, at = v, k
		}
		if !(v > 0) {
			break
		}
		for i := k; i < n; i++ {
			a[i*n+k] /= math.Sqrt(v)
		}
	}
	return at, least
}

// inverted puts the inverse of a triangle, the first n rows and columns of a block, in its place; zeros are all beside it.
func inverted(m []float64, at region.Interval, lower bool) error {
	n := at.Len()
	side := blas.Upper
	if lower {
		side = blas.Lower
	}
	for r := range panel {
		for c := range panel {
			if r >= n || c >= n || lower && c > r || !lower && c < r {
				m[r*panel+c] = 0
			}
		}
	}
	for k := range n {
		if v := m[k*panel+k]; v == 0 || v != v || math.IsInf(v, 0) {
			return problem.Wrong(problem.Singular, "a", "", "there is no one solution: the diagonal of the triangle is %g in row %d", v, at.Lo+k)
		}
	}
	lapack64.Trtri(blas64.Triangular{N: n, Stride: panel, Data: m, Uplo: side, Diag: blas.NonUnit})
	return nil
}

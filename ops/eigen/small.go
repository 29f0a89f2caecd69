package eigen

import (
	"cmp"
	"errors"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// orders are what eigenvalues are sought, and orderOf says which of two comes first.
var orders = []string{"largest", "highest", "lowest"}

func orderOf(which string) func(a, b complex128) int {
	switch which {
	case "highest":
		return func(a, b complex128) int { return cmp.Compare(real(b), real(a)) }
	case "lowest":
		return func(a, b complex128) int { return cmp.Compare(real(a), real(b)) }
	}
	return func(a, b complex128) int { return cmp.Compare(cmplx.Abs(b), cmplx.Abs(a)) }
}

// pairs are eigenvalues, with their vectors: those that are sought first.
type pairs struct {
	values  []complex128
	vectors [][]complex128
}

func (p pairs) sorted(which string) pairs {
	order := make([]int, len(p.values))
	for i := range order {
		order[i] = i
	}
	by := orderOf(which)
	slices.SortStableFunc(order, func(a, b int) int { return by(p.values[a], p.values[b]) })
	var out pairs
	for _, from := range order {
		out.values, out.vectors = append(out.values, p.values[from]), append(out.vectors, p.vectors[from])
	}
	return out
}

// small is a matrix as it is in a basis: a column for each vector of it that was multiplied, of what all have of the product. With k of these, the
// rows behind the first k are what the matrix does beside the space of these vectors.
type small struct {
	rows    int
	columns [][]complex128
}

// add is a column from its parts.
func (s *small) add(entry []float64) {
	column := make([]complex128, s.rows)
	for i := range column {
		column[i] = complex(entry[i], 0)
		if len(entry) > s.rows {
			column[i] += complex(0, entry[s.rows+i])
		}
	}
	s.columns = append(s.columns, column)
}

// skew is by how much of the largest element a matrix that no basis was begun anew for differs from its conjugate transpose.
func (s *small) skew() float64 {
	largest, skew := 0.0, 0.0
	for i := range s.columns {
		for j := range i + 1 {
			a, b := s.columns[i][j], s.columns[j][i]
			largest, skew = max(largest, cmplx.Abs(a), cmplx.Abs(b)), max(skew, cmplx.Abs(a-cmplx.Conj(b)))
		}
	}
	if skew == 0 {
		return 0
	}
	return skew / largest
}

// pairs are those of the small matrix. One that is hermitian is what is above its diagonal.
func (s *small) pairs(hermitian bool, which string) (pairs, error) {
	k := len(s.columns)
	at := func(i, j int) complex128 { return s.columns[j][i] }
	var found pairs
	var err error
	if hermitian {
		found, err = hermitianPairs(k, at)
	} else {
		found, err = generalPairs(k, at)
	}
	return found.sorted(which), err
}

// worst is what is left of A v that is not along v, beside the value, of the first few; what is as small as rounding beside the largest value does not count.
func (s *small) worst(found pairs, count int) float64 {
	largest := 0.0
	for _, v := range found.values {
		largest = max(largest, cmplx.Abs(v))
	}
	worst, k := 0.0, len(s.columns)
	for c := range min(count, k) {
		sum := 0.0
		for r := k; r < s.rows; r++ {
			var x complex128
			for j, y := range found.vectors[c] {
				x += s.columns[j][r] * y
			}
			sum += real(x)*real(x) + imag(x)*imag(x)
		}
		if left := math.Sqrt(sum); left > 0x1p-51*largest {
			worst = max(worst, left/cmplx.Abs(found.values[c]))
		}
	}
	return worst
}

// restart keeps the space of about as many vectors, and gives what these, and the block that is multiplied next, are of the basis.
func (s *small) restart(found pairs, hermitian bool, which string, keep, block int) (mix [][]complex128, err error) {
	k := len(s.columns)
	diagonal := func(i, j int) complex128 {
		if i == j {
			return found.values[i]
		}
		return 0
	}
	mix = found.vectors[:min(keep, k)]
	if !hermitian {
		if mix, diagonal, err = schur(k, func(i, j int) float64 { return real(s.columns[j][i]) }, which, keep); err != nil {
			return nil, err
		}
	}
	columns := make([][]complex128, len(mix))
	for c, q := range mix {
		columns[c] = make([]complex128, s.rows)
		for r := range mix {
			columns[c][r] = diagonal(r, c)
		}
		for p := range block {
			for j, y := range q {
				columns[c][len(mix)+p] += s.columns[j][k+p] * y
			}
		}
	}
	s.columns = columns
	mix = slices.Clone(mix)
	for p := range block {
		row := make([]complex128, s.rows)
		row[k+p] = 1
		mix = append(mix, row)
	}
	return mix, nil
}

var errSmall = errors.New("the eigenvalues of a small matrix were not found")

// hermitianPairs are those of a hermitian matrix, from what is above its diagonal.
func hermitianPairs(n int, at func(i, j int) complex128) (pairs, error) {
	turn, diagonal, beside := tridiagonal(n, at)
	m := mat.NewSymDense(n, nil)
	if turn == nil {
		for i := range n {
			for j := i; j < n; j++ {
				m.SetSym(i, j, real(at(i, j)))
			}
		}
	} else {
		for i, d := range diagonal {
			m.SetSym(i, i, d)
		}
		for i, e := range beside {
			m.SetSym(i, i+1, e)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(m, true) {
		return pairs{}, errSmall
	}
	var v mat.Dense
	e.VectorsTo(&v)
	var out pairs
	for c, value := range e.Values(nil) {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(v.At(i, c), 0)
		}
		if turn != nil {
			y := make([]complex128, n)
			for i := range y {
				for j, v := range x {
					y[i] += turn[i*n+j] * v
				}
			}
			x = y
		}
		out.values, out.vectors = append(out.values, complex(value, 0)), append(out.vectors, x)
	}
	return out, nil
}

// tridiagonal turns a hermitian matrix that has an imaginary part into a real one of three diagonals, by reflections: the matrix is turn times that times
// turn^H. turn is nil for one that is real.
func tridiagonal(n int, at func(i, j int) complex128) (turn []complex128, diagonal, beside []float64) {
	a, real64 := make([]complex128, n*n), true
	for i := range n {
		for j := i; j < n; j++ {
			v := at(i, j)
			if real64 = real64 && imag(v) == 0; i == j {
				v = complex(real(v), 0)
			}
			a[i*n+j], a[j*n+i] = v, cmplx.Conj(v)
		}
	}
	if real64 {
		return nil, nil, nil
	}
	turn = make([]complex128, n*n)
	for i := range n {
		turn[i*n+i] = 1
	}
	v, w := make([]complex128, n), make([]complex128, n)
	for k := 0; k < n-2; k++ {
		length := 0.0
		for i := k + 1; i < n; i++ {
			v[i] = a[i*n+k]
			length = math.Hypot(length, cmplx.Abs(v[i]))
		}
		if length == 0 {
			continue
		}
		phase := complex(1, 0)
		if v[k+1] != 0 {
			phase = v[k+1] / complex(cmplx.Abs(v[k+1]), 0)
		}
		v[k+1] += phase * complex(length, 0)
		size := 0.0
		for _, x := range v[k+1:] {
			size = math.Hypot(size, cmplx.Abs(x))
		}
		for i := k + 1; i < n; i++ {
			v[i] /= complex(size, 0)
		}
		// Both sides: I - 2 v v^H. Of what is turned already, only column k is beside zero.
		reflect := func(m []complex128, columns bool, from int) {
			for i := from; i < n; i++ {
				var x complex128
				for j := k + 1; j < n; j++ {
					if columns {
						x += m[i*n+j] * v[j]
					} else {
						x += m[j*n+i] * cmplx.Conj(v[j])
					}
				}
				w[i] = 2 * x
			}
			for j := k + 1; j < n; j++ {
				for i := from; i < n; i++ {
					if columns {
						m[i*n+j] -= w[i] * cmplx.Conj(v[j])
					} else {
						m[j*n+i] -= w[i] * v[j]
					}
				}
			}
		}
		reflect(a, false, k)
		reflect(a, true, k)
		reflect(turn, true, 0)
	}
	phase := complex(1, 0)
	for k := range n {
		for i := range n {
			turn[i*n+k] *= phase
		}
		if diagonal = append(diagonal, real(a[k*n+k])); k+1 < n {
			e := a[(k+1)*n+k]
			if beside = append(beside, cmplx.Abs(e)); e != 0 {
				phase *= e / complex(cmplx.Abs(e), 0)
			}
		}
	}
	return turn, diagonal, beside
}

// generalPairs are those of a real matrix.
func generalPairs(n int, at func(i, j int) complex128) (pairs, error) {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			m.Set(i, j, real(at(i, j)))
		}
	}
	var e mat.Eigen
	if !e.Factorize(m, mat.EigenRight) {
		return pairs{}, errSmall
	}
	var v mat.CDense
	e.VectorsTo(&v)
	out := pairs{values: e.Values(nil)}
	for c := range n {
		x := make([]complex128, n)
		for i := range x {
			x[i] = v.At(i, c)
		}
		out.vectors = append(out.vectors, x)
	}
	return out, nil
}

// schur gives orthonormal vectors of the space of about as many eigenvalues, those that are sought, and what the matrix is in it. Conjugates stay together.
func schur(n int, at func(i, j int) float64, which string, keep int) (vectors [][]complex128, inside func(i, j int) complex128, err error) {
	var lp lapackgonum.Implementation
	h, q := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			h[i*n+j] = at(i, j)
		}
	}
	tau, work := make([]float64, max(n-1, 1)), make([]float64, 64*n)
	wr, wi := make([]float64, n), make([]float64, n)
	lp.Dgehrd(n, 0, n-1, h, n, tau, work, len(work))
	copy(q, h)
	for i := 2; i < n; i++ {
		clear(h[i*n : i*n+i-1]) // which is what it was turned by
	}
	lp.Dorghr(n, 0, n-1, q, n, tau, work, len(work))
	if lp.Dhseqr(lapack.EigenvaluesAndSchur, lapack.SchurOrig, n, 0, n-1, h, n, wr, wi, q, n, work, len(work)) > 0 {
		return nil, nil, errSmall
	}
	by := orderOf(which)
	value := func(i int) complex128 { // the first of a pair
		if i+1 < n && h[(i+1)*n+i] != 0 {
			return complex(h[i*n+i], math.Sqrt(math.Abs(h[(i+1)*n+i]))*math.Sqrt(math.Abs(h[i*n+i+1])))
		}
		return complex(h[i*n+i], 0)
	}
	wide := func(i int) int {
		if i+1 < n && h[(i+1)*n+i] != 0 {
			return 2
		}
		return 1
	}
	got := 0
	for got < keep {
		best := got
		for i := got; i < n; i += wide(i) {
			if by(value(i), value(best)) < 0 {
				best = i
			}
		}
		if got+wide(best) >= n && got > 0 {
			break
		}
		if best != got {
			if _, _, ok := lp.Dtrexc(lapack.UpdateSchur, n, h, n, q, n, best, got, work); !ok {
				break // two are too close to change places: those that are in front go on
			}
		}
		got += wide(got)
	}
	if got == 0 {
		return nil, nil, errSmall
	}
	for c := range got {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(q[i*n+c], 0)
		}
		vectors = append(vectors, x)
	}
	return vectors, func(i, j int) complex128 { return complex(h[i*n+j], 0) }, nil
}

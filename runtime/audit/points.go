package audit

import (
	"cmp"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"weft/kernels/region"
	"weft/ops"
)

// DefaultSeed picks the elements unless a caller says otherwise, so that two runs look at the same.
const DefaultSeed = 20240229

// Enough elements find that 1 % of all are wrong with a chance of 0.99; Finds is the chance of others.
const Enough = 459

// Points picks points of a region, at most n: corners first, at most half of them, then one at random from each of
// equal stretches of it in C order, so that no part is left out.
func Points(over region.Region, n int, seed uint64) [][]int {
	shape, total := over.Shape(), int(over.Points())
	for _, along := range over {
		seed += uint64(along.Lo)
	}
	n = min(n, total)
	seen := map[int]bool{}
	var points [][]int
	add := func(flat int) (isNew bool) {
		if isNew = !seen[flat]; isNew {
			seen[flat] = true
			points = append(points, PointOf(flat, over))
		}
		return isNew
	}
	for flat := 0; n == total && flat < n; flat++ { // all of them
		add(flat)
	}
	for c := 0; c < 1<<min(len(shape), 8) && len(points) < n/2; c++ {
		add(corner(c, shape))
	}
	random := rand.New(rand.NewPCG(seed, uint64(total)))
	rest := n - len(points)
	for i := range rest {
		lo, hi := i*total/rest, (i+1)*total/rest
		for at, left := random.IntN(hi-lo), hi-lo; left > 0 && !add(lo+at); left-- { // a corner: the next one
			at = (at + 1) % (hi - lo)
		}
	}
	return points
}

// corner is the element whose index is 0 or the last along each dim, by the bits of c.
func corner(c int, shape []int) int {
	flat := 0
	for i, s := range shape {
		flat *= s
		if c>>i&1 == 1 {
			flat += s - 1
		}
	}
	return flat
}

// PointOf is the point of a region that has a number in C order.
func PointOf(flat int, over region.Region) []int {
	p := make([]int, len(over))
	for i := len(over) - 1; i >= 0; i-- {
		p[i] = over[i].Lo + flat%over[i].Len()
		flat /= over[i].Len()
	}
	return p
}

// spare is how many points are drawn for each one that is wanted where a metric looks at elements above a level only.
const spare = 16

// Pick is Points of a kernel that stores some arrays. Of an array that is judged by its level those above a level are taken, as far as
// enough points fall on them: the others say nothing. peak is the largest magnitude of an array, as it is stored.
func Pick(arrays []Array, peak func(Array) float64, over region.Region, n int, seed uint64) (out [][]int) {
	var quiet []func(p []int) bool
	for _, a := range arrays {
		if a.Rule().Metric == ops.Level {
			least := Quietest * peak(a)
			quiet = append(quiet, func(p []int) bool { return cmplx.Abs(a.stored(p)) < least })
		}
	}
	for _, p := range Drawn(arrays, over, n, seed) {
		if len(out) < n && !slices.ContainsFunc(quiet, func(is func([]int) bool) bool { return is(p) }) {
			out = append(out, p)
		}
	}
	return out
}

// Drawn are the points among which Pick chooses.
func Drawn(arrays []Array, over region.Region, n int, seed uint64) [][]int {
	if slices.ContainsFunc(arrays, func(a Array) bool { return a.Rule().Metric == ops.Level }) {
		n *= spare
	}
	return Points(over, n, seed)
}

// Flat is the number of an element in C order.
func Flat(point, shape []int) int {
	flat := 0
	for i, s := range shape {
		flat = flat*s + point[i]
	}
	return flat
}

// Finds is the chance that n points at random find a fault that 1 % of all elements have.
func Finds(n, all int) float64 {
	if n >= all {
		return 1
	}
	return 1 - math.Pow(0.99, float64(n))
}

// Scattered orders n things so that the first few lie all over: by the fractional parts of multiples of the golden ratio.
func Scattered(n int) []int {
	place := func(i int) float64 { _, f := math.Modf(float64(i) * math.Phi); return f }
	rank := make([]int, n)
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	out := make([]int, n)
	for i, at := range rank {
		out[at] = i
	}
	return out
}

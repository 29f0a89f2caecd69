package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// DefaultSeed picks the elements unless a caller says otherwise, so that two runs look at the same.
const DefaultSeed = 20240229

// Enough elements find that 1 % of all are wrong with a chance of 0.99; Finds is the chance of others.
const Enough = 459

// Points picks elements of an array, at most n: corners first, at most half of them, then one at random from each of
// equal stretches of the array in C order, so that no region is left out.
func Points(shape []int, n int, seed uint64) [][]int {
	total := 1
	for _, s := range shape {
		total *= s
	}
	n = min(n, total)
	seen := map[int]bool{}
	var points [][]int
	add := func(flat int) (isNew bool) {
		if isNew = !seen[flat]; isNew {
			seen[flat] = true
			points = append(points, unflatten(flat, shape))
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

func unflatten(flat int, shape []int) []int {
	p := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		p[i] = flat % shape[i]
		flat /= shape[i]
	}
	return p
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

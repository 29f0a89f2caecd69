package runtime

import (
	"math"
	"math/rand/v2"
)

// What a kernel stores is checked at as many points as a budget of scalar operations allows, within these bounds. The
// interpreter takes 5 to 10 ns for each, compiled definitions a fifteenth of that, so that checking stays within a tenth of a second,
// or a small part of what a long kernel takes; a single dear point may take seconds, and one beyond that is not checked.
//
// Wrong results in one stretch of the array of 1/n of it are always found, since every such stretch has its point. How likely n points
// find wrong results anywhere is finds; what is too dear for enough of them is filled up with echoes.
const (
	fewestSamples = 8
	enoughSamples = 459 // find that 1 % is wrong with a chance of 0.99
	mostSamples   = 512
	sampleBudget  = 16e6
	innerBudget   = 1e6  // of a kernel that makes only what others read on: its faults show in what they make
	sampleShare   = 1e-3 // operations of the float64 check for each of the kernel's
	dearestSample = 3e8
)

// sampleSize is how many points are checked when one costs that many operations and the whole kernel takes some more.
func sampleSize(cost, kernel float64, inner bool) int {
	if cost > dearestSample {
		return 0
	}
	budget := max(sampleBudget, sampleShare*kernel)
	if inner {
		budget = innerBudget
	}
	least := max(1, min(fewestSamples, dearestSample/max(1, cost)))
	return int(max(least, min(mostSamples, budget/max(1, cost))))
}

// samplePoints picks elements of an array, at most n: corners first, at most half of them, then one at random from each of
// equal stretches of the array in C order, so that no region is left out.
func samplePoints(shape []int, n int, seed uint64) [][]int {
	total := 1
	for _, s := range shape {
		total *= s
	}
	n = min(n, total)
	seen := map[int]bool{}
	var points [][]int
	add := func(flat int) {
		if !seen[flat] {
			seen[flat] = true
			points = append(points, unflatten(flat, shape))
		}
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
		add(lo + random.IntN(hi-lo))
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

func flatten(point, shape []int) int {
	flat := 0
	for i, s := range shape {
		flat = flat*s + point[i]
	}
	return flat
}

// finds is the chance that n points at random find a fault that 1 % of all elements have.
func finds(n, all int) float64 {
	if n >= all {
		return 1
	}
	return 1 - math.Pow(0.99, float64(n))
}

package eigen

import (
	"fmt"
	"math"

	"weft/ops"
	"weft/ops/amount"
)

// What passes and small matrices take, as measured on two cores of a server: to choose between ways that give the same values. None of it is of the machine or the
// memory at hand, so that what is found has the same bits in any.
const (
	inCache    = 16 << 20 // bytes of a matrix that stays in the caches from pass to pass
	inMemory   = 1 << 30  // bytes beyond which a matrix is read from disk, or computed, in each pass, as a rule
	cacheRate  = 40e9     // bytes/s of a matrix in a pass, from the caches,
	memoryRate = 10e9     // from memory,
	diskRate   = 1e9      // and from disk
	basisRate  = 35e9     // bytes/s of the basis
	passFlops  = 45e9     // flops/s of products, however many vectors there are
	denseFlops = 8e9      // flops/s of all eigenvalues and vectors of a small matrix, 9 n^3 of a symmetric one
	perCall    = 6e-5     // s of a call of a few kernels
	fewer      = 0.45     // passes of a block are those of one vector by its size to this power
)

// blocks are the sizes that are weighed.
var blocks = []int{1, 2, 4, 8, 16, 32}

// passesOf is about how many there are until a few eigenvalues are found, which nobody knows: as many as three times the basis has vectors.
func (a asked) passesOf(block int) float64 {
	return math.Ceil(3 * float64(basisRows(a.count, 1, a.matrix.Dims[0].Size)) / math.Pow(float64(block), fewer))
}

// takes is what these passes take, in s.
func (a asked) takes(block int) float64 {
	n := float64(a.matrix.Dims[0].Size)
	scalars := float64(a.matrix.Elem.Scalars())
	pass := max(float64(a.bytes())/a.rate(), 2*scalars*scalars*n*n*float64(block)/passFlops)
	basis := 8 * scalars * n * float64(basisRows(a.count, block, int(n))+block)
	// A vector is taken apart from the basis twice, which reads it twice; then it is copied.
	return a.passesOf(block) * (perCall + pass + float64(block)*(perCall+6*basis/basisRate))
}

// roomy says whether the basis is small beside a matrix that may not fit the memory.
func (a asked) roomy(block int) bool {
	n := a.matrix.Dims[0].Size
	basis := 8 * a.matrix.Elem.Scalars() * n * (basisRows(a.count, block, n) + block)
	return a.bytes() <= inMemory || int64(basis) <= a.bytes()/200
}

func (a asked) bytes() int64 {
	n := int64(a.matrix.Dims[0].Size)
	return n * n * int64(a.matrix.Elem.Size())
}

func (a asked) rate() float64 {
	switch bytes := a.bytes(); {
	case bytes <= inCache:
		return cacheRate
	case bytes <= inMemory:
		return memoryRate
	}
	return diskRate
}

// choose gives the way that takes least time, but for what was asked for.
func (a asked) choose(method string, block int, symmetric bool) ops.Op {
	n, hermitian := float64(a.matrix.Dims[0].Size), symmetric || a.matrix.Elem.Complex
	says := func(format string, v ...any) { a.says = append(a.says, fmt.Sprintf(format, v...)) }
	best, why := block, "as was asked for"
	if block == 0 {
		best = 1
		for _, b := range blocks {
			if b <= int(n) && a.roomy(b) && a.takes(b) < a.takes(best) {
				best = b
			}
		}
		from := map[float64]string{cacheRate: "stay in the caches", memoryRate: "go through the memory", diskRate: "are read from disk or computed, as a rule,"}[a.rate()]
		why = fmt.Sprintf("as %s %s in each pass: %s", amount.Bytes(a.bytes()), from, a.foretold(best))
		if best > 1 {
			why += ", and " + a.foretold(1)
		}
	}
	if method == "" {
		work, kind := 9.0, "symmetric"
		switch {
		case a.matrix.Elem.Complex:
			work, kind = 50, "taken to be hermitian, as it is complex"
		case !symmetric:
			work, kind = 23, "not known to be symmetric"
		}
		if method = "arnoldi"; hermitian {
			method = "lanczos"
		}
		dense := work * n * n * n / denseFlops
		if passes := a.takes(best); dense <= passes && block == 0 {
			says("method: dense, as the matrix is %s and small: predicted to take %s, and %s %s", kind, amount.Seconds(dense), method, amount.Seconds(passes))
			method = "dense"
		} else {
			says("method: %s, as the matrix is %s: predicted to take %s, and dense %s", method, kind, amount.Seconds(passes), amount.Seconds(dense))
		}
	}
	if method == "dense" {
		return newDense(a, hermitian)
	}
	says("block: %d, %s", best, why)
	return newKrylov(a, method == "lanczos", best)
}

func (a asked) foretold(block int) string {
	vectors := fmt.Sprintf("%d vectors", block)
	if block == 1 {
		vectors = "1 vector"
	}
	return fmt.Sprintf("%.0f passes of %s would take %s", a.passesOf(block), vectors, amount.Seconds(a.takes(block)))
}

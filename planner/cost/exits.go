package cost

import (
	"math"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
)

// Folds whose end is not known before they run: how many of their iterations are taken to be executed. Nothing here is fitted
// to a program. What decides is how soon an answer comes, and of that not even the scale is known: it is as likely between 10 and 20
// iterations as between 100 and 200.

// executedShares gives for every fold the part of its longest run that is executed on average.
func (c *counter) executedShares() map[*ir.Fold]float64 {
	shares := map[*ir.Fold]float64{}
	ends, blocks := schedule.EndsEarly(c.k), schedule.CulledBlock(c.k)
	for _, f := range c.folds {
		most := count.MostTrips(f)
		if most < 1 {
			shares[f] = 1
			continue
		}
		n := meanTrips(f, most)
		if ends(f) {
			left := open(n, c.together())
			if block := blocks(f); block > 0 {
				left = min(left, culled(n, float64(block)))
			}
			n = left
		}
		shares[f] = n / most
	}
	return shares
}

// together is how many points leave a fold at once.
func (c *counter) together() int {
	if len(c.layout.Lanes) == 0 {
		return 1
	}
	return c.p.Lanes * max(1, c.layout.Flight)
}

// meanTrips is how often a fold turns: on average where its end comes from a table of known numbers, else at most.
func meanTrips(f *ir.Fold, most float64) float64 {
	hi := f.Hi
	for hi.Kind == ir.KAlu && hi.Op == ir.Cast {
		hi = hi.Args[0]
	}
	if hi.Kind != ir.KLoad || hi.Buf.Facts.Data == nil || f.Lo.Kind != ir.KConst {
		return most
	}
	return min(most, max(0, hi.Buf.Facts.Data.Mean-float64(f.Lo.I)))
}

// open is the mean number of iterations, at most n, of a fold that is left when all of so many lanes have their answers. An
// answer comes with the same probability 1/s in every iteration, and s is of any scale from 1 to n, with density 1/(s ln n). The
// last of the lanes then has its answer after s (1 + 1/2 + ... + 1/lanes) = s h iterations, and the mean of min(n, s h) is this.
func open(n float64, lanes int) float64 {
	if n <= math.E {
		return n
	}
	h := 0.0
	for j := range lanes {
		h += 1 / float64(j+1)
	}
	return min(n, (n*(1+math.Log(h))-h)/math.Log(n))
}

// culled is the mean number of iterations of a fold that leaves out blocks in which nothing is as large as what it is compared
// with. The vectors in flight leave together, so late that only blocks count. A threshold that moves away in proportion to the
// iterations leaves, of things of any scale, one in j that reach it after j blocks: n/block blocks run 1 + 1/1 + 1/2 + ... of them.
func culled(n, block float64) float64 {
	blocks := 1.0
	for j := 1.0; j < n/block; j++ {
		blocks += 1 / j
	}
	return min(n, block*blocks)
}

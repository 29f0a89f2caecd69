package cost

import (
	"math"

	"weft/kernels/ir"
	"weft/kernels/render"
)

// Folds whose end is not known before they run: how many of their iterations are taken to be executed. Nothing here is fitted
// to a program. What decides is where the answer lies, and of that only the scale is unknown: it is as likely between 10 and 20
// iterations as between 100 and 200.

// executedShares gives for every fold the part of its longest run that is executed on average.
func (c *counter) executedShares() map[*ir.Fold]float64 {
	shares := map[*ir.Fold]float64{}
	ends := render.EndsEarly(c.k)
	for _, f := range c.folds {
		most := c.trips(f.IndexBind)
		if most < 1 {
			shares[f] = 1
			continue
		}
		n := meanTrips(f, most)
		if ends(f) {
			if block := culledBlock(f); block > 0 {
				n = culled(n, block)
			} else {
				n = open(n)
			}
		}
		shares[f] = n / most
	}
	return shares
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

// open is the mean number of iterations of a fold that is left at its answer, when that lies on any scale up to n with the same
// probability: of k iterations the density is 1/(k ln n), so the mean is (n-1)/ln n.
func open(n float64) float64 {
	if n <= math.E {
		return n
	}
	return (n - 1) / math.Log(n)
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

// culledBlock is the smallest block of iterations that a fold may leave out, by tables of largest values; 0: none.
func culledBlock(f *ir.Fold) float64 {
	least := math.Inf(1)
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind == ir.KLoad && n.Buf.Facts.Max != nil {
			for _, t := range n.Buf.Facts.Max.Tables {
				least = min(least, float64(t.Block))
			}
		}
	})
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

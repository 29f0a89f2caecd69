package form

import (
	"math"

	"weft/kernels/ir"
)

// Roots are the roots and quotients in the steps of a fold, without those in folds within.
func Roots(f *ir.Fold) (list []*ir.Node) {
	seen := map[*ir.Node]bool{}
	var walk func(*ir.Node)
	walk = func(n *ir.Node) {
		if seen[n] || n.Kind == ir.KFold {
			return
		}
		seen[n] = true
		for _, a := range n.Args {
			walk(a)
		}
		if (n.Op == ir.Sqrt || n.Op == ir.Div) && n.Type.Float() {
			list = append(list, n)
		}
	}
	for _, n := range f.Step {
		walk(n)
	}
	return list
}

// Gathers reports a fold whose turns load at places that they compute.
func Gathers(f *ir.Fold) bool {
	_, loads := Gathering(f)
	return len(loads) > 0
}

// Fills reports whether a fold's turns are known to fill vectors.
func Fills(f *ir.Fold, lanes int) bool {
	return f.Lo.Kind == ir.KConst && f.Hi.Kind == ir.KConst && (f.Hi.I-f.Lo.I)%int64(lanes) == 0
}

// fewTurns is the largest angle whose product with a constant is rounded by less than sines in half turns are off by.
const fewTurns = 4 * math.Pi

// Multiple is the function of the prelude for the sine or cosine of a product with a constant, and its second argument; empty: there is none. near: the
// product may be beyond an eighth of a turn, up to reach.
func Multiple(c float64, near bool, reach float64) (by float64, name string) {
	switch size := math.Abs(c); {
	case near && reach > fewTurns:
		return c / math.Pi, "half_turns"
	case near:
		return c * 2 / math.Pi, "turns"
	case size < 1e-4 || size > 1e4: // of which the eighth power is not a usual float32
		return 0, ""
	}
	return c, "part"
}

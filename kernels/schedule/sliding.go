package schedule

import (
	"weft/kernels/ir"
	"weft/kernels/ir/moved"
)

// Points beside each other load much of the same where these are their neighbours. Slid rows are vectors in flight that have it in common: of 5 x 5 neighbours
// four rows load 40 vectors, not 100. More rows take more registers: eight took 1.15 of the time on Zen 4, where rows collide in the cache.
const (
	slidRows   = 4
	leastSlid  = 2.5 // loads of a point that are so saved
	fewestSlid = 0.4 // and their share of all
)

// Slides reports loads of which slid rows along an axis have many in common.
func Slides(loads []*ir.Node, axis *ir.Node) bool { return slid(loads, axis) > 0 }

// slid is how many loads of a point slid rows along an axis save; 0: too few.
func slid(loads []*ir.Node, axis *ir.Node) float64 {
	along := moved.Along(loads, axis)
	least := max(leastSlid, fewestSlid*float64(len(along)))
	if float64(len(along))*(slidRows-1) < least*slidRows { // as many as there could be
		return 0
	}
	if saved := moved.Saved(along, axis, slidRows); saved >= least {
		return saved
	}
	return 0
}

// slidAxis is an axis other than the lanes' for vectors in flight that load much of the same, and how many loads of a point they save; 0: there is none.
func (s *survey) slidAxis(lanes int) (axis int, most float64) {
	var loads []*ir.Node
	for _, n := range s.nodes {
		if n.Kind == ir.KLoad && s.vary(n).Meets(s.k.Axes[lanes].Bind()) {
			loads = append(loads, n)
		}
	}
	for u, x := range s.k.Axes {
		if u != lanes && x.Extent >= slidRows {
			if saved := slid(loads, x); saved > most {
				axis, most = u, saved
			}
		}
	}
	return axis, most
}

package report

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
	"weft/kernels/schedule/sums"
	"weft/lang/diag"
	"weft/planner/bound"
)

// access counts the loads of a kernel: by class, as the host has it, or those of a turn of the loop that takes most, which a thread of a device makes.
func (t *printer) access(k *bound.Kernel) {
	if k.Place.Accelerates() {
		if f, loads := schedule.Turn(k.IR); f != nil {
			inner, each := perTurn(k.IR, f, loads)
			if inner != nil {
				t.field("access", fmt.Sprintf("%s for a point in each turn of %s: %.3g for each of %s", diag.Plural(loads, "load"), f.Index.Name, each, inner.Index.Name))
				return
			}
			t.field("access", diag.Plural(loads, "load")+" for a point in each turn of "+f.Index.Name)
		}
		return
	}
	var loads []string
	for _, l := range k.Loads {
		loads = append(loads, fmt.Sprintf("%d %s", l.N, l.Name))
	}
	if k.Tables > 0 {
		loads = append(loads, diag.Plural(k.Tables, "table"))
	}
	if n := sums.Carried(k.IR); n > 0 {
		loads = append(loads, fmt.Sprintf("%d handed on from turn to turn", n))
	}
	if loads != nil {
		t.field("access", strings.Join(loads, ", "))
	}
}

// perTurn is the loop in the turns of one that loads so much that loads most, and how much is loaded for each of its own turns, a share of what is loaded around it
// included; nil: there is none, or nobody knows how many turns it takes.
func perTurn(k *ir.Kernel, f *ir.Fold, around int) (inner *ir.Fold, each float64) {
	loads := map[*ir.Fold]int{}
	var folds []*ir.Fold
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold && n.Free().Meets(f.Binders()) {
			folds = append(folds, n.Fold)
		}
	})
	k.Walk(func(n *ir.Node) {
		for _, g := range folds {
			if n.Kind == ir.KLoad && n.Free().Meets(g.Binders()) {
				loads[g]++
			}
		}
	})
	for _, g := range folds {
		if turns, ok := count.KnownTrips(g); ok && turns > 1 && (inner == nil || loads[g] > loads[inner]) {
			inner, each = g, float64(loads[g])+float64(around)/turns
		}
	}
	return inner, each
}

// each says how many bytes a kernel moves for a point of its axes.
func each(k *bound.Kernel) string {
	points := 1.0
	for _, a := range k.Axes {
		points *= float64(a.Extent)
	}
	if points < 2 {
		return ""
	}
	if b := float64(k.Bytes) / points; b < 1024 {
		return fmt.Sprintf(" (%.3g B a point)", b)
	}
	return fmt.Sprintf(" (%s a point)", size(int64(float64(k.Bytes)/points)))
}

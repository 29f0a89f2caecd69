package report

import (
	"fmt"
	"strings"

	"weft/kernels/schedule"
	"weft/kernels/schedule/sums"
	"weft/lang/diag"
	"weft/planner/bound"
)

// access counts the loads of a kernel: by class, as the host has it, or those of a turn of the loop that takes most, which a thread of a device makes.
func (t *printer) access(k *bound.Kernel) {
	if k.Place.Accelerates() {
		if f, loads := schedule.Turn(k.IR); f != nil {
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

package bound

import (
	"fmt"
	"slices"

	"weft/ops/amount"
	"weft/planner/plan"
)

// Elsewhere is why a plan cannot run as it is on a machine: by another weft, for other vectors, with devices that are not there, or with
// less memory. Nothing is said where it can. placed tells whether kernels have to be placed again.
func Elsewhere(v *plan.Plan, weft string, here plan.Machine, memory int64) (why []string, placed bool) {
	say := func(format string, a ...any) { why = append(why, fmt.Sprintf(format, a...)) }
	if v.Weft != weft {
		say("it was made by weft %s, and this is %s", v.Weft, weft)
	}
	if was := v.Machine; was.Kind != here.Kind || was.Detail != here.Detail {
		say("it was made for %s (%s), and this is %s (%s)", was.Kind, was.Detail, here.Kind, here.Detail)
	}
	v.Walk(func(s *plan.Step) {
		if s.Kernel == nil {
			return
		}
		for _, d := range s.Kernel.Place.Devices {
			if !slices.Contains(here.Accelerators, d) {
				say("%s, where %s is to run, is not here", d, s.ID)
				placed = true
			}
		}
	})
	takes := v.Totals.PeakBytes
	if v.Stream != nil {
		takes = v.Stream.PeakBytes
	}
	if memory > 0 && takes > memory {
		say("it takes %s, and there are %s", amount.Bytes(takes), amount.Bytes(memory))
	}
	return why, placed
}

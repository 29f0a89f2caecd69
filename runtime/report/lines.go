package report

import (
	"fmt"
	"strings"

	"weft/planner/bound"
)

// Line is what a line of a program is predicted to take.
type Line struct {
	Line int
	Says string // 1.2 ms, 40 %; or with which lines it is computed
}

// Lines are those that take something worth telling, in order.
func Lines(p *bound.Plan) (out []Line) {
	t := &printer{plan: p}
	o := &outline{printer: t}
	o.collect()
	home := map[string]int{} // the line of a kernel
	for _, r := range o.rows {
		for _, q := range r.parts {
			home[q.step.ID] = r.line
		}
	}
	for _, r := range o.rows {
		says := ""
		switch s := r.seconds(); {
		case r.line == 0:
			continue
		case len(r.parts) > 0 && o.of > 0 && s >= leastShare*o.of:
			says = fmt.Sprintf("%s, %.0f %%", seconds(s), 100*s/o.of)
		case len(r.parts) == 0 && len(r.within) > 0:
			var with []string
			for _, id := range r.within {
				if l := fmt.Sprint(home[id]); len(with) == 0 || with[len(with)-1] != l {
					with = append(with, l)
				}
			}
			says = "within line " + strings.Join(with, ", ")
		default:
			continue
		}
		out = append(out, Line{r.line, says})
	}
	return out
}

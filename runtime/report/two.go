package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/planner/bound"
	"weft/planner/plan"
)

// mostPairs is of how many kernels an outline tells that they stay apart from others because one kernel would be slower.
const mostPairs = 3

// pair are two kernels that stay two, and why.
type pair struct {
	first, second, between string
	fused, stored          float64 // ms of a call as one, and as two, beyond what both share
	gain                   float64 // seconds of all calls
}

// pairs are the kernels of a plan and its drives that are two because one would take longer.
func (t *printer) pairs(p *bound.Plan, calls float64) (out []pair) {
	outer := t.plan
	t.plan = p
	defer func() { t.plan = outer }()
	for _, e := range p.Edges {
		if e.Code != plan.Costly && e.Code != plan.Apart && e.Code != plan.WantedBySink && e.Code != plan.Sooner || e.FusedMs <= e.StoredMs {
			continue
		}
		for i := range p.Steps {
			reader := &p.Steps[i]
			if reader.Kernel == nil || !slices.ContainsFunc(reader.Kernel.Stages, func(f plan.Fused) bool { return f.Name == e.To }) {
				continue
			}
			for _, id := range reader.Reads {
				if maker := p.Maker(id); p.Buffer(id).Stage == e.From && maker != nil && maker.Kernel != nil && maker.ID != reader.ID {
					out = append(out, pair{maker.ID, reader.ID, t.name(id), e.FusedMs, e.StoredMs, 1e-3 * calls * (e.FusedMs - e.StoredMs)})
				}
			}
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		for j, program := range s.Programs {
			of := s.Drive.Programs[j]
			out = append(out, t.pairs(program, calls*float64(of.Most)*of.Works())...)
		}
	}
	return out
}

// two says which kernels stay two because they take less time so than one would, those first that gain most by it.
func (o *outline) two() {
	all := slices.DeleteFunc(o.pairs(o.plan, 1), func(p pair) bool { return p.gain < leastShare*o.of })
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.gain, a.gain) })
	for told := 0; len(all) > 0 && told < mostPairs; told++ {
		p, readers := all[0], []string(nil)
		all = slices.DeleteFunc(all, func(q pair) bool {
			if q.first == p.first && !slices.Contains(readers, q.second) {
				readers = append(readers, q.second)
			}
			return q.first == p.first
		})
		second := readers[0]
		switch n := len(readers); {
		case n > 3:
			second = fmt.Sprintf("each of %s, %s and %d more", readers[0], readers[1], n-2)
		case n > 1:
			second = "each of " + strings.Join(readers, ", ")
		}
		o.line("%s", clip(fmt.Sprintf("%s and %s stay two kernels: %s with %s stored in between, %s as one", p.first, second, millis(p.stored), p.between, millis(p.fused)), outlineWidth))
	}
}

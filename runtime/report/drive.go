package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/planner/bound"
	"weft/planner/plan"
)

// repeated are the totals of a plan with those of all calls that its drives may make.
func repeated(p *bound.Plan) plan.Totals {
	sum := p.Totals
	for i := range p.Steps {
		s := &p.Steps[i]
		for j, program := range s.Programs {
			each, of := repeated(program), s.Drive.Programs[j]
			calls := float64(of.Most) * of.Works()
			sum.Kernels += each.Kernels
			sum.Flops += calls * each.Flops
			sum.Bytes += int64(calls * float64(each.Bytes))
			sum.SavedBytes += int64(calls * float64(each.SavedBytes))
		}
		if s.Drive != nil {
			sum.Predicted += s.Expected()
		}
	}
	return sum
}

// states is the memory of a drive's state: as it was, and as it will be, or of all there is where calls store boxes of it.
func states(p *bound.Plan, s *bound.Step) string {
	if len(s.Drive.Single) == len(s.Drive.Start) {
		sum := int64(0)
		for _, id := range s.Drive.Start {
			if !s.Drive.OnDisk(id) {
				sum += p.Buffer(id).Bytes
			}
		}
		return fmt.Sprintf("a state of %s, of which each call stores a box", size(sum))
	}
	bytes := func(of int, ids []string, besides []string) (sum int64) {
		for _, id := range ids {
			if b := s.Programs[of].Buffer(id); b != nil && !slices.Contains(besides, id) {
				sum += b.Bytes
			}
		}
		return sum
	}
	now, next := int64(0), int64(0) // of the program that has most of it
	for i, of := range s.Drive.Programs {
		if n, x := bytes(i, of.Now, nil), bytes(i, of.Next, of.Now); n+x > now+next {
			now, next = n, x
		}
	}
	return fmt.Sprintf("a state of %s, and %s of the next one", size(now), size(next))
}

// movedTiles says which tiles a drive reads or writes.
func movedTiles(p *bound.Plan, list []plan.MovedTiles) string {
	var out []string
	for _, m := range list {
		b := p.Buffer(m.Buffer)
		out = append(out, fmt.Sprintf("%d of %s (%d bytes)", m.Tiles, cmp.Or(b.Label, b.Stage), m.Bytes))
	}
	return cmp.Or(strings.Join(out, " and "), "nothing")
}

// around are the arrays that a drive's programs have from around it, made once.
func around(s *bound.Step) (ids []string) {
	for _, id := range s.Reads {
		if slices.ContainsFunc(s.Programs, func(p *bound.Plan) bool {
			return slices.ContainsFunc(p.Buffers, func(b bound.Buffer) bool { return b.Around == id })
		}) {
			ids = append(ids, id)
		}
	}
	return ids
}

// expected is how long a drive takes that makes all the calls it may, in ms: as runs of the plan taught, where there were any.
func (t *printer) expected(s *bound.Step) float64 {
	for _, b := range t.plan.Totals.Besides {
		if b.What == s.ID {
			return b.Ms
		}
	}
	return s.Expected()
}

// calls are those of a drive, program by program.
func (t *printer) calls(s *bound.Step) string {
	var out []string
	learned := t.expected(s) / max(s.Expected(), 1e-9)
	for i, program := range s.Drive.Programs {
		each, _ := s.Call(i)
		out = append(out, fmt.Sprintf("at most %d times %s, %s each", program.Most, program.Name, millis(each*learned)))
	}
	return strings.Join(out, ", ")
}

// programs writes the plans of a drive's programs.
func (t *printer) programs(s *bound.Step) {
	outer := t.plan
	for i, p := range s.Programs {
		t.plan = p
		t.line("")
		t.line("%s of %s, %s", s.Drive.Programs[i].Name, s.ID, s.Name)
		t.numbers()
		t.stream()
		t.chains()
		for j := range p.Steps {
			if step := &p.Steps[j]; step.Kind != plan.SinkStep { // which is the drive itself
				t.step(step)
			}
		}
		t.edges()
		for j := range p.Steps {
			t.programs(&p.Steps[j])
		}
	}
	t.plan = outer
}

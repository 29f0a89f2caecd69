// Package pages puts what sinks print into the order of the file, whichever is ready first.
package pages

import (
	"bytes"
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// Pages are what the sinks of a plan print on a terminal.
type Pages struct {
	to   ops.Terminal
	left []int                 // sinks that have not printed yet, by the numbers of their uses
	kept map[int]*bytes.Buffer // what was printed before its turn
}

// New is of a plan of which nothing is printed yet; without a terminal nobody looks.
func New(p *bound.Plan, to ops.Terminal) *Pages {
	out := &Pages{to: to, kept: map[int]*bytes.Buffer{}}
	if to == nil {
		return out
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Kind == plan.SinkStep && s.Op.File() == "" {
			out.left = append(out.left, s.Op.ID)
		}
	}
	slices.Sort(out.left)
	return out
}

// Print gives a sink what to print on.
func (p *Pages) Print(sink *bound.Step, onto func(ops.Terminal) error) error {
	n := sink.Op.ID
	i := slices.Index(p.left, n)
	if i <= 0 {
		if err := onto(p.to); err != nil || i < 0 {
			return err
		}
		p.left = p.left[1:]
		return p.flush(false)
	}
	p.kept[n] = &bytes.Buffer{}
	return onto(p.to.To(p.kept[n]))
}

// Rest prints what is still kept, of a run that ends early.
func (p *Pages) Rest() error { return p.flush(true) }

// flush prints what was kept as far as its turn has come, or all of it.
func (p *Pages) flush(all bool) error {
	for len(p.left) > 0 {
		text, ready := p.kept[p.left[0]]
		if !ready && !all {
			return nil
		}
		p.left = p.left[1:]
		if ready {
			if _, err := p.to.Write(text.Bytes()); err != nil {
				return err
			}
		}
	}
	return nil
}

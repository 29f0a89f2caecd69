package runtime

import (
	"bytes"
	"errors"
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// pages are what sinks print: on the terminal they stand in the order of the file, whichever is ready first.
type pages struct {
	to   ops.Terminal
	left []int                 // sinks that have not printed yet, by the numbers of their uses
	kept map[int]*bytes.Buffer // what was printed before its turn
}

func newPages(p *bound.Plan, to ops.Terminal) *pages {
	out := &pages{to: to, kept: map[int]*bytes.Buffer{}}
	if to == nil { // nobody looks
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

// print gives a sink what to print on.
func (p *pages) print(sink *bound.Step, onto func(ops.Terminal) error) error {
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

// flush prints what was kept as far as its turn has come, or all of it.
func (p *pages) flush(all bool) error {
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

// last prints what is still kept when a run ends early, unless all is to be done again.
func (p *pages) last(err error) error {
	var again *beyond
	if err == nil || errors.As(err, &again) {
		return err
	}
	if unprinted := p.flush(true); unprinted != nil {
		return errors.Join(err, unprinted)
	}
	return err
}

package serve

import (
	"encoding/json"
	"maps"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/runtime/notebook"
	"weft/runtime/result"
)

// again is a program that has run, for requests that differ from its own in the elements of arrays alone, as those for one frame after another do:
// they run its plan.
type again struct {
	*program
	asked        string
	ran, checked float64 // seconds that its runs have taken, and of these to compare samples with float64
}

// mostChecked is the share of the time of a program that runs again and again that comparing samples with float64 may take: it takes many times what a
// frame does. The first run is compared, and then one every so often.
const mostChecked = 0.1

// due reports whether the next run is compared.
func (a *again) due() bool { return a == nil || a.checked <= mostChecked*a.ran }

// asks is a request but for the elements of its arrays and the memory for results. ok is false where more may have changed: values of a session, and files.
func asks(q request) (text string, ok bool) {
	if q.Session != "" {
		return "", false
	}
	q.Spare = nil
	q.Arrays = maps.Clone(q.Arrays)
	for name, a := range q.Arrays {
		a.Path, a.Offset = "", 0
		q.Arrays[name] = a
	}
	b, err := json.Marshal(q)
	return string(b), err == nil
}

// looks reports whether a text looks at files.
func looks(text *syntax.File) (yes bool) {
	for _, s := range text.Statements {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Use:
				yes = yes || n.Path != nil
			case *syntax.Name:
				yes = yes || n.Text == "read"
			}
			return !yes
		})
	}
	return yes
}

// renewed is the program of the last request with the arrays of this one; nil: it asks for another, or what was found of the last one by its elements does not
// hold for these.
func (s *Server) renewed(q request) *program {
	last := s.last
	if last == nil {
		return nil
	}
	if asked, ok := asks(q); !ok || asked != last.asked {
		return nil
	}
	for name, a := range q.Arrays {
		v, _, err := a.input(name, s.mapped)
		if err != nil || !notebook.Renewed(last.inputs[name], v) {
			return nil
		}
	}
	last.Found, last.results = diag.List{}, make([]*array, len(last.arrays))
	last.Found.Add(last.warned...)
	return last.program
}

// remember keeps a program that has run, without the elements of its arrays; before is what it was kept as, if it has run before.
func (s *Server) remember(q request, p *program, before *again, done *result.Result) {
	asked, ok := asks(q)
	if !ok || p.plan == nil || looks(p.Tree) {
		return
	}
	for _, a := range p.inputs {
		notebook.Released(a)
	}
	s.last = &again{program: p, asked: asked, ran: done.Wall, checked: done.VerifyS}
	if before != nil {
		s.last.ran, s.last.checked = s.last.ran+before.ran, s.last.checked+before.checked
	}
}

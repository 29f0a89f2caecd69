package check

import (
	"slices"

	"weft/lang/diag"
	"weft/ops"
	"weft/ops/problem"
)

// where is a span as operators know it.
func (c *checker) where(s diag.Span) problem.Where {
	file := c.program.File
	if c.program.isData(s) {
		file = s.Source.Name
	} else if s.Source != c.program.Source && len(c.frames) > 0 {
		s = c.frames[0].at // of a function of another file: where it was called
	}
	p := s.Position()
	return problem.Where{File: file, Line: p.Line, Col: p.Column, Start: s.Start, End: s.End}
}

// asked is where a person asked for what is being written out: in a file of values, at the outermost call or, where there is none, at a place.
func (c *checker) asked(at diag.Span) diag.Span {
	if len(c.frames) == 0 {
		return at
	}
	for _, f := range slices.Backward(c.frames) {
		if c.program.isData(f.at) {
			return f.at
		}
	}
	return c.frames[0].at
}

// isData reports a place in a file of values.
func (p *Program) isData(s diag.Span) bool {
	return s.Source != nil && p.data[s.Source.Name] == s.Source
}

// within is the outermost call of a function that is being written out; nil: none is.
func (c *checker) within() *ops.Scope {
	if len(c.frames) == 0 {
		return nil
	}
	outer := c.frames[0]
	return &ops.Scope{Function: outer.f.name, Where: c.where(outer.at)}
}

// Span is the place in the program's text, or in a file of values that it uses, that an instance came from.
func (p *Program) Span(w problem.Where) diag.Span {
	source := p.Source
	if data := p.data[w.File]; data != nil {
		source = data
	}
	return diag.Span{Source: source, Start: w.Start, End: w.End}
}

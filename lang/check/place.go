package check

import (
	"weft/lang/diag"
	"weft/ops"
	"weft/ops/problem"
)

// where is a span as operators know it.
func (c *checker) where(s diag.Span) problem.Where {
	if s.Source != c.program.Source && len(c.frames) > 0 {
		s = c.frames[0].at // of a function of another file: where it was called
	}
	p := s.Position()
	return problem.Where{File: c.program.File, Line: p.Line, Col: p.Column, Start: s.Start, End: s.End}
}

// within is the outermost call of a function that is being written out; nil: none is.
func (c *checker) within() *ops.Scope {
	if len(c.frames) == 0 {
		return nil
	}
	outer := c.frames[0]
	return &ops.Scope{Function: outer.f.name, Where: c.where(outer.at)}
}

// Span is the place in the program's text that an instance came from.
func (p *Program) Span(w problem.Where) diag.Span {
	return diag.Span{Source: p.Source, Start: w.Start, End: w.End}
}

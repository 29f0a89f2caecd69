package check

import (
	"weft/lang/diag"
	"weft/ops"
)

// where is a span as operators know it.
func (c *checker) where(s diag.Span) ops.Where {
	p := s.Position()
	return ops.Where{File: c.program.File, Line: p.Line, Col: p.Column, Start: s.Start, End: s.End}
}

// Span is the place in the program's text that an instance came from.
func (p *Program) Span(w ops.Where) diag.Span {
	return diag.Span{Source: p.Source, Start: w.Start, End: w.End}
}

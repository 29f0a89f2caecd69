package check

import (
	"strconv"
	"strings"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
)

// argument is an evaluated argument of a call.
type argument struct {
	value ops.Value
	names ops.Value    // for a function: see bound
	expr  syntax.Expr  // where it was written; nil for the result of a stage
	name  *syntax.Name // nil: by position
	at    diag.Span
	piped bool
	unset bool                 // nobody gave it: a default
	parts map[string]diag.Span // where the items of a selection stand, by dimension
}

// span is where the argument was written or, for one that comes through a pipe, what made it.
func (a argument) span() diag.Span {
	if a.expr != nil && !a.piped {
		return a.expr.Span()
	}
	return a.at
}

// part is where an item of the argument stands: of a list by its place, of a selection or a record by its name, of a segment by its end.
func (a argument) part(item string) diag.Span {
	if s, ok := a.parts[item]; ok {
		return s
	}
	place, rest, _ := strings.Cut(item, ".")
	i, err := strconv.Atoi(place)
	e := syntax.Unparen(orNothing(a.expr))
	if l, ok := e.(*syntax.List); ok && err == nil && i < len(l.Items) {
		a.expr = l.Items[i]
		return a.part(rest)
	}
	if r, ok := e.(*syntax.Record); ok && !a.piped {
		for _, part := range r.List {
			if part.Name != nil && part.Name.Text == item {
				return part.Value.Span()
			}
		}
	}
	if s, ok := e.(*syntax.Segment); ok && !a.piped {
		ends := s.Ends.(*syntax.Range)
		switch item {
		case "from":
			return ends.Start.Span()
		case "to":
			return ends.End.Span()
		}
	}
	return a.span()
}

// site is where an operator is used: the name or sign that asks for it, which messages point at.
type site struct {
	name diag.Span
	sign string // of an operator between values; empty for one that is called
}

// origin is the name or sign that made a value.
func origin(e syntax.Expr) diag.Span {
	switch x := syntax.Unparen(e).(type) {
	case *syntax.Call:
		return x.Callee.Span()
	case *syntax.Pipeline:
		if len(x.Stages) == 0 {
			return origin(x.Head)
		}
		return x.Stages[len(x.Stages)-1].Operator.Span()
	case *syntax.Binary:
		return x.Operator.Span()
	case *syntax.Unary:
		return x.Operator.Span()
	case *syntax.Index:
		return x.Selection.Span()
	}
	return e.Span()
}

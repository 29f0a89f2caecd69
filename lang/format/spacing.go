package format

import (
	"strings"

	"weft/lang/syntax"
)

// roles tells tokens of one spelling apart by their byte offsets.
type roles struct {
	signs   map[int]bool // - before its operand
	callers map[int]bool // brackets of calls and indices, which follow their operator directly
	joined  map[int]bool // parts of units behind the first, which follow the one before
}

// rolesOf collects the roles of the tokens of a statement.
func rolesOf(statement syntax.Statement) roles {
	r := roles{signs: map[int]bool{}, callers: map[int]bool{}, joined: map[int]bool{}}
	syntax.Walk(statement, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Unary:
			r.signs[n.Operator.Span().Start] = n.Operator.Text == "-"
		case *syntax.Arguments, *syntax.Selection, *syntax.Parameters:
			r.callers[n.Span().Start] = true
		case *syntax.Constraint:
			for at := n.Span().Start + 1; n.Choices == nil && at < n.Span().End; at++ {
				r.joined[at] = true
			}
		case *syntax.Limit:
			if at := strings.IndexByte(n.Span().Text(), '-'); n.Minus {
				r.signs[n.Span().Start+at] = true
			}
		case *syntax.Parameter:
			if n.Dims != nil {
				r.callers[n.Dims.Span().Start] = true
			}
		}
		return true
	})
	return r
}

// gap is the number of blanks between two tokens on a line.
func (r roles) gap(before, t syntax.Token) int {
	switch {
	case r.joined[t.Start], t.Kind == syntax.UnitJoin, t.Kind == syntax.UnitPower, before.Kind == syntax.UnitJoin:
		return 0
	case isQuantity(before) && (isSign(t, ".") || r.callers[t.Start]):
		return 1 // joined, they would read as another number, or the unit as a name
	case isSign(t, ",", ")", "]", ":", "."), isSign(before, "(", "[", ".", "@"):
		return 0
	case r.signs[before.Start], r.callers[t.Start]:
		return 0
	case isSign(t, "@"):
		return 2
	}
	return 1
}

// isQuantity reports whether a token is a number or the end of a unit.
func isQuantity(t syntax.Token) bool {
	return t.Kind == syntax.Numeral || t.Kind == syntax.UnitWord || t.Kind == syntax.UnitPower
}

func isSign(t syntax.Token, signs ...string) bool {
	if t.Kind != syntax.Punctuation {
		return false
	}
	for _, s := range signs {
		if t.Text == s {
			return true
		}
	}
	return false
}

// spelling is the text of a token without the blanks it may hold.
func spelling(t syntax.Token) string {
	if t.Kind == syntax.UnitPower {
		return strings.Join(strings.Fields(t.Text), "")
	}
	return t.Text
}

package syntax

import (
	"strconv"
	"strings"

	"weft/lang/diag"
)

// Children returns the parts of a node in the order of the source.
func Children(n Node) []Node {
	var out []Node
	switch n := n.(type) {
	case *Use:
		add(&out, n.Path)
		add(&out, n.Library)
	case *Param:
		add(&out, n.Name)
		add(&out, n.Kind)
		add(&out, n.Limits...)
		out = append(out, n.Value)
	case *Function:
		add(&out, n.Name)
		add(&out, n.Parameters)
		out = append(out, n.Result())
	case *Parameters:
		add(&out, n.List...)
	case *Parameter:
		add(&out, n.Name)
		add(&out, n.Dims)
		add(&out, n.Kind)
		add(&out, n.Limits...)
		if n.Default != nil {
			out = append(out, n.Default)
		}
	case *Dims:
		add(&out, n.Names...)
	case *Constraint:
		add(&out, n.Choices)
	case *Limit:
		add(&out, n.Number)
	case *Block:
		for _, s := range n.Statements {
			out = append(out, s)
		}
	case *Lambda:
		add(&out, n.Parameters...)
		out = append(out, n.Body)
	case *If:
		out = append(out, n.Condition, n.Then, n.Else)
	case *Record:
		add(&out, n.List...)
	case *Segment:
		out = append(out, n.Dim, n.Ends)
	case *Assign:
		add(&out, n.Name)
		out = append(out, n.Value)
	case *Sink:
		out = append(out, n.Value)
	case *Bad:
		add(&out, n.Name)
	case *Pipeline:
		out = append(out, n.Head)
		add(&out, n.Annotations...)
		add(&out, n.Stages...)
	case *Stage:
		add(&out, n.Operator)
		add(&out, n.Arguments)
		add(&out, n.Annotations...)
	case *Path:
		add(&out, n.Names...)
	case *Annotation:
		add(&out, n.Name)
		add(&out, n.Arguments)
	case *Arguments:
		add(&out, n.List...)
	case *Selection:
		add(&out, n.List...)
	case *Argument:
		add(&out, n.Name)
		out = append(out, n.Value)
	case *Binary:
		out = append(out, n.Left, n.Operator, n.Right)
	case *Unary:
		out = append(out, n.Operator, n.Operand)
	case *Range:
		out = append(out, n.Start, n.End)
		for _, e := range []Expr{n.Count, n.Step} {
			if e != nil {
				out = append(out, e)
			}
		}
	case *Call:
		out = append(out, n.Callee, n.Arguments)
	case *Index:
		out = append(out, n.Base, n.Selection)
	case *Field:
		out = append(out, n.Base, n.Name)
	case *Number:
		add(&out, n.Unit)
	case *Unit:
		add(&out, n.Factors...)
	case *UnitFactor:
		add(&out, n.Name)
	case *List:
		for _, e := range n.Items {
			out = append(out, e)
		}
	case *Paren:
		out = append(out, n.Inner)
	}
	return out
}

// add appends the nodes that are present.
func add[T any, P interface {
	*T
	Node
}](out *[]Node, nodes ...P) {
	for _, n := range nodes {
		if n != nil {
			*out = append(*out, n)
		}
	}
}

// Walk visits a node and, while visit returns true, its parts.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	for _, c := range Children(n) {
		Walk(c, visit)
	}
}

// finish fills the fields that the grammar does not, in a whole statement.
func finish(src *diag.Source, statement Node) {
	Walk(statement, func(n Node) bool {
		place := n.extents()
		first, last := place.Tokens[0], place.Tokens[len(place.Tokens)-1]
		place.span = diag.Span{Source: src, Start: first.Pos.Offset, End: last.Pos.Offset + len(last.Value)}
		place.Tokens = nil
		switch n := n.(type) {
		case *Number:
			n.Value, n.Whole = numberValue(n.Text)
		case *String:
			n.Value = unquote(n.Text)
		case *Bool:
			n.Value = n.Text == "true"
		case *UnitFactor:
			n.Exponent = exponent(n)
		}
		return true
	})
}

// exponent reads the power of a unit, negative behind a division. The scanner has checked it.
func exponent(f *UnitFactor) int {
	power := 1
	if f.Power != "" {
		digits := strings.Map(func(r rune) rune {
			if r == '-' || '0' <= r && r <= '9' {
				return r
			}
			return -1
		}, f.Power)
		power, _ = strconv.Atoi(digits)
	}
	if f.Join == "/" {
		return -power
	}
	return power
}

// unquote reads the value of a string. The scanner has checked its escapes.
func unquote(text string) string {
	text = text[1 : len(text)-1]
	var b strings.Builder
	for text != "" {
		n := 1
		if text[0] == '\\' {
			n = escapeLength(text)
			if plain, ok := escapes[text[1]]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(hexRune(text[2:n]))
			}
		} else {
			b.WriteByte(text[0])
		}
		text = text[n:]
	}
	return b.String()
}

// hexRune reads a character by its hexadecimal number.
func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 32)
	return rune(n)
}

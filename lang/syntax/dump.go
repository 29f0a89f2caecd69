package syntax

import (
	"fmt"
	"strings"
)

// Dump writes the tree of a file as nested lists, a statement a line, without places. Two files with one dump
// mean the same.
func Dump(f *File) string {
	var b strings.Builder
	for _, s := range f.Statements {
		dump(&b, s)
		b.WriteByte('\n')
	}
	return b.String()
}

func dump(b *strings.Builder, n Node) {
	if text, ok := leaf(n); ok {
		b.WriteString(text)
		return
	}
	b.WriteByte('(')
	b.WriteString(label(n))
	for _, c := range Children(n) {
		b.WriteByte(' ')
		dump(b, c)
	}
	b.WriteByte(')')
}

// leaf is the text of a node without parts.
func leaf(n Node) (string, bool) {
	switch n := n.(type) {
	case *Name:
		return n.Text, true
	case *UnitName:
		return n.Text, true
	case *Operator:
		return n.Text, true
	case *Bool:
		return n.Text, true
	case *String:
		return fmt.Sprintf("%q", n.Value), true
	case *Number:
		text := fmt.Sprintf("%v", n.Value)
		if !n.Whole {
			text += "f"
		}
		if n.Unit != nil {
			text += unitText(n.Unit)
		}
		return text, true
	}
	return "", false
}

func unitText(u *Unit) string {
	var b strings.Builder
	for _, f := range u.Factors {
		fmt.Fprintf(&b, "·%s^%d", f.Name.Text, f.Exponent)
	}
	return b.String()
}

// label names the kind of a node, and which of its optional parts are present where the parts alone do not tell.
func label(n Node) string {
	name := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax."))
	switch n := n.(type) {
	case *Constraint:
		if n.Choices == nil {
			return name + ":" + strings.Join(n.Unit, "")
		}
	case *Limit:
		if n.Minus {
			return name + ":" + n.Sign + "-"
		}
		return name + ":" + n.Sign
	case *Parameter:
		if n.Default != nil {
			return name + ":default"
		}
	case *Range:
		if n.Count != nil {
			return name + ":in"
		}
		if n.Step != nil {
			return name + ":by"
		}
	case *Argument:
		if n.Name != nil {
			return name + ":" + n.Name.Text
		}
	}
	return name
}

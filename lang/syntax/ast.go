package syntax

import (
	"path"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"weft/lang/diag"
)

// Node is a part of the tree.
type Node interface {
	// Span is where the node stands in its source.
	Span() diag.Span

	extents() *extent
}

// extent is the place of a node. participle fills Tokens; Parse makes the span of it and lets the tokens go.
type extent struct {
	Tokens []lexer.Token
	span   diag.Span
}

func (e *extent) Span() diag.Span  { return e.span }
func (e *extent) extents() *extent { return e }

// File is a pipeline file.
type File struct {
	Source     *diag.Source
	Statements []Statement
}

// Statement is a *Use, *Param, *Assign, *Function, *Sink or *Bad.
type Statement interface {
	Node
	statement()
}

func (*Use) statement()      {}
func (*Param) statement()    {}
func (*Assign) statement()   {}
func (*Function) statement() {}
func (*Sink) statement()     {}
func (*Bad) statement()      {}

// Bad stands for a statement with syntax errors. They are reported; what uses the name of the statement is not to
// be blamed for them.
type Bad struct {
	extent
	Name *Name // the name that the statement would define, or nil
}

// Expr is a *Pipeline, *Binary, *Unary, *Range, *Call, *Index, *Field, *Name, *Number, *String, *Bool, *List,
// *Paren, *Record, *Lambda, *If, *Segment or, as what a function computes, a *Block.
type Expr interface {
	Node
	expr()
}

func (*Pipeline) expr() {}
func (*Binary) expr()   {}
func (*Unary) expr()    {}
func (*Range) expr()    {}
func (*Call) expr()     {}
func (*Index) expr()    {}
func (*Field) expr()    {}
func (*Name) expr()     {}
func (*Number) expr()   {}
func (*String) expr()   {}
func (*Bool) expr()     {}
func (*List) expr()     {}
func (*Paren) expr()    {}
func (*Record) expr()   {}
func (*Lambda) expr()   {}
func (*If) expr()       {}
func (*Segment) expr()  {}
func (*Block) expr()    {}

// Name is what the file is known by: the name of a library, or that of a file without its folder and ending.
func (u *Use) Name() *Name {
	if u.Library != nil {
		return u.Library
	}
	base := path.Base(u.Path.Value)
	return &Name{extent: u.Path.extent, Text: strings.TrimSuffix(base, path.Ext(base))}
}

// Result is what the function computes.
func (f *Function) Result() Expr {
	if f.Block != nil {
		return f.Block
	}
	return f.Body
}

// Operator is the sign or word of an operator, such as "+" or "and", and where it stands.
type Operator struct {
	extent
	Text string
}

// Binary is left operator right, for every operator between two values but the range and the pipe.
type Binary struct {
	extent
	Operator    *Operator
	Left, Right Expr
}

// Unary is -operand or not operand.
type Unary struct {
	extent
	Operator *Operator
	Operand  Expr
}

// Range is start .. end, with a number of points (in) or a step (by). Both ends belong to it.
type Range struct {
	extent
	Start, End Expr
	Count      Expr // behind in, or nil
	Step       Expr // behind by, or nil
}

// Call is callee(arguments).
type Call struct {
	extent
	Callee    Expr
	Arguments *Arguments
}

// Index is base[selectors].
type Index struct {
	extent
	Base      Expr
	Selection *Selection
}

// Field is base.name: an output of a record, or a part of the dotted name of an operator.
type Field struct {
	extent
	Base Expr
	Name *Name
}

// String is the path as written, without blanks.
func (p *Path) String() string {
	parts := make([]string, len(p.Names))
	for i, n := range p.Names {
		parts[i] = n.Text
	}
	return strings.Join(parts, ".")
}

// PathOf reads a name, or fields of a name, as a dotted name.
func PathOf(e Expr) (*Path, bool) {
	switch e := e.(type) {
	case *Name:
		return &Path{extent: extent{span: e.Span()}, Names: []*Name{e}}, true
	case *Field:
		p, ok := PathOf(e.Base)
		if ok {
			p.Names = append(p.Names, e.Name)
			p.span = e.Span()
		}
		return p, ok
	}
	return nil, false
}

// Unparen removes parentheses around an expression.
func Unparen(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.Inner
	}
}

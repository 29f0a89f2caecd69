package codegen

import (
	"fmt"
	"strconv"
	"strings"

	"weft/kernels/ir"
)

// Expr is an expression of a target: of scalars, or of one register of vectors.
type Expr struct {
	form form
	text string   // a name, function, operator or type
	lit  *ir.Node // a constant, or the launch's scalar
	args []*Expr
	wrap string // of arithmetic on integers: the function that does the same where overflow is undefined
}

type form uint8

const (
	atom      form = iota // text
	constant              // lit
	launchArg             // the launch's scalar lit, by its number
	call                  // text(args)
	infix                 // args[0] text args[1]
	prefix                // text args[0]
	choice                // args[0] ? args[1] : args[2]
	cast                  // (text)args[0]
	element               // args[0][args[1]]
	braces                // (text){args}
)

// Name is a variable, or anything that stands alone.
func Name(text string) *Expr { return &Expr{text: text} }

// Int is a whole number.
func Int[T int | int64](n T) *Expr { return &Expr{text: strconv.FormatInt(int64(n), 10)} }

// Lit is a constant.
func Lit(n *ir.Node) *Expr { return &Expr{form: constant, lit: n} }

// Call calls a function of the prelude.
func Call(f string, args ...*Expr) *Expr { return &Expr{form: call, text: f, args: args} }

// Bin joins two operands by an operator.
func Bin(op string, a, b *Expr) *Expr { return &Expr{form: infix, text: op, args: []*Expr{a, b}} }

// All joins any operands by an operator, from the left.
func All(op string, list ...*Expr) *Expr {
	out := list[0]
	for _, x := range list[1:] {
		out = Bin(op, out, x)
	}
	return out
}

// Pre puts an operator before an operand.
func Pre(op string, a *Expr) *Expr { return &Expr{form: prefix, text: op, args: []*Expr{a}} }

// Choose is c ? a : b.
func Choose(c, a, b *Expr) *Expr { return &Expr{form: choice, args: []*Expr{c, a, b}} }

// Cast converts to a type.
func Cast(to string, a *Expr) *Expr { return &Expr{form: cast, text: to, args: []*Expr{a}} }

// At is an element of an array.
func At(a, i *Expr) *Expr { return &Expr{form: element, args: []*Expr{a, i}} }

// Vector is a vector of numbers, of a type; of none it is all zeros.
func Vector(t string, n ...int) *Expr {
	e := &Expr{form: braces, text: t}
	for _, x := range n {
		e.args = append(e.args, Int(x))
	}
	return e
}

// Deref is what a pointer of a type points to.
func Deref(t string, p *Expr) *Expr { return Pre("*", Cast(t+" *", p)) }

// Add is a + b; nothing is added to or of zero.
func Add(a, b *Expr) *Expr {
	if b.text == "0" {
		return a
	}
	return Bin("+", a, b)
}

// Times is a * n.
func Times(a *Expr, n int64) *Expr {
	if n == 1 {
		return a
	}
	return Bin("*", a, Int(n))
}

// binding is how tightly operators bind, of expressions in C.
var binding = map[string]int{
	"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7, "==": 6, "!=": 6,
	"&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}

const unary = 11

// String is the expression in C, for people and as a key: equal text is an equal value.
func (e *Expr) String() string { return (&Dialect{}).text(e) }

func (d *Dialect) text(e *Expr) string {
	var out strings.Builder
	d.expr(&out, e, 0)
	return out.String()
}

// expr writes an expression, in parentheses where it binds less tightly than what is around it.
func (d *Dialect) expr(out *strings.Builder, e *Expr, outer int) {
	if e.wrap != "" && d.Wraps {
		e = Call(e.wrap, e.args...)
	}
	inner := unary + 1
	switch e.form {
	case infix:
		inner = binding[e.text]
	case choice:
		inner = 0
	case prefix, cast:
		inner = unary
	}
	if inner < outer {
		out.WriteByte('(')
		defer out.WriteByte(')')
	}
	switch e.form {
	case atom:
		out.WriteString(e.text)
	case constant:
		out.WriteString(d.literal(e.lit))
	case launchArg:
		fmt.Fprintf(out, d.Arg[e.lit.Type.Float()], e.text)
	case call:
		out.WriteString(e.text)
		out.WriteByte('(')
		d.list(out, e.args)
		out.WriteByte(')')
	case infix:
		left, right := inner, inner+1
		if inner < 6 && inner != 2 || inner == 8 { // bits, shifts and ||: where C's precedences surprise
			left, right = unary, unary
			if a := e.args[0]; a.form == infix && a.text == e.text {
				left = inner
			}
		}
		d.expr(out, e.args[0], left)
		out.WriteString(" " + e.text + " ")
		d.expr(out, e.args[1], right)
	case prefix:
		out.WriteString(e.text)
		if e.args[0].form == prefix {
			inner++
		}
		d.expr(out, e.args[0], inner)
	case choice:
		d.expr(out, e.args[0], 1)
		out.WriteString(" ? ")
		d.expr(out, e.args[1], 1)
		out.WriteString(" : ")
		d.expr(out, e.args[2], 1)
	case cast:
		out.WriteString("(" + e.text + ")")
		d.expr(out, e.args[0], unary)
	case element:
		d.expr(out, e.args[0], unary+1)
		out.WriteByte('[')
		d.expr(out, e.args[1], 0)
		out.WriteByte(']')
	case braces:
		out.WriteString("(" + e.text + "){")
		d.list(out, e.args)
		out.WriteByte('}')
	}
}

func (d *Dialect) list(out *strings.Builder, args []*Expr) {
	for i, a := range args {
		if i > 0 {
			out.WriteString(", ")
		}
		d.expr(out, a, 0)
	}
}

// Package tree is what the program is made of that a kernel becomes, the same for all targets: typed values, expressions and statements,
// and how a dialect spells them.
package tree

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/kernels/ir"
)

// Expr is an expression of a target: of scalars, or of one register of vectors.
type Expr struct {
	form form
	Text string   // a name, function, operator or type
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
func Name(text string) *Expr { return &Expr{Text: text} }

// Int is a whole number.
func Int[T int | int64](n T) *Expr { return &Expr{Text: strconv.FormatInt(int64(n), 10)} }

// Lit is a constant.
func Lit(n *ir.Node) *Expr { return &Expr{form: constant, lit: n} }

// Call calls a function of the prelude.
func Call(f string, args ...*Expr) *Expr { return &Expr{form: call, Text: f, args: args} }

// Bin joins two operands by an operator.
func Bin(op string, a, b *Expr) *Expr { return &Expr{form: infix, Text: op, args: []*Expr{a, b}} }

// Apply is an operator before one operand or between two; wrap is the function that does the same where overflow is undefined, if it matters.
func Apply(op, wrap string, args ...*Expr) *Expr {
	form := infix
	if len(args) == 1 {
		form = prefix
	}
	return &Expr{form: form, Text: op, args: args, wrap: wrap}
}

// Arg is the launch's scalar of a number.
func Arg(n *ir.Node, number int) *Expr {
	return &Expr{form: launchArg, Text: strconv.Itoa(number), lit: n}
}

// Operand is one of those that an operator joins.
func (e *Expr) Operand(i int) *Expr { return e.args[i] }

// All joins any operands by an operator, from the left.
func All(op string, list ...*Expr) *Expr {
	out := list[0]
	for _, x := range list[1:] {
		out = Bin(op, out, x)
	}
	return out
}

// Pre puts an operator before an operand.
func Pre(op string, a *Expr) *Expr { return &Expr{form: prefix, Text: op, args: []*Expr{a}} }

// Choose is c ? a : b.
func Choose(c, a, b *Expr) *Expr { return &Expr{form: choice, args: []*Expr{c, a, b}} }

// Cast converts to a type.
func Cast(to string, a *Expr) *Expr { return &Expr{form: cast, Text: to, args: []*Expr{a}} }

// At is an element of an array.
func At(a, i *Expr) *Expr { return &Expr{form: element, args: []*Expr{a, i}} }

// Numbers is a vector of whole numbers, of a type; of none it is all zeros.
func Numbers(t string, n ...int) *Expr {
	e := &Expr{form: braces, Text: t}
	for _, x := range n {
		e.args = append(e.args, Int(x))
	}
	return e
}

// Deref is what a pointer of a type points to.
func Deref(t string, p *Expr) *Expr { return Pre("*", Cast(t+" *", p)) }

// Add is a + b; nothing is added to or of zero.
func Add(a, b *Expr) *Expr {
	if b.Text == "0" {
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
func (e *Expr) String() string { return (&Dialect{}).Text(e) }

// Text is an expression in the dialect.
func (d *Dialect) Text(e *Expr) string {
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
		inner = binding[e.Text]
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
		out.WriteString(e.Text)
	case constant:
		out.WriteString(d.literal(e.lit))
	case launchArg:
		fmt.Fprintf(out, d.Arg[e.lit.Type.Float()], e.Text)
	case call:
		out.WriteString(e.Text)
		out.WriteByte('(')
		d.list(out, e.args)
		out.WriteByte(')')
	case infix:
		left, right := inner, inner+1
		if inner < 6 && inner != 2 || inner == 8 { // bits, shifts and ||: where C's precedences surprise
			left, right = unary, unary
			if a := e.args[0]; a.form == infix && a.Text == e.Text {
				left = inner
			}
		}
		d.expr(out, e.args[0], left)
		out.WriteString(" " + e.Text + " ")
		d.expr(out, e.args[1], right)
	case prefix:
		out.WriteString(e.Text)
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
		out.WriteString("(" + e.Text + ")")
		d.expr(out, e.args[0], unary)
	case element:
		d.expr(out, e.args[0], unary+1)
		out.WriteByte('[')
		d.expr(out, e.args[1], 0)
		out.WriteByte(']')
	case braces:
		out.WriteString("(" + e.Text + "){")
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

// literal is a constant in the dialect.
func (d *Dialect) literal(n *ir.Node) string {
	switch n.Type {
	case ir.F32:
		return d.float(float64(float32(n.F)), "%.9ef", 0)
	case ir.F64:
		return d.float(n.F, "%.17e", 1)
	case ir.I64:
		if n.I == math.MinInt64 {
			return "(-9223372036854775807LL-1)"
		}
		return fmt.Sprintf("%dLL", n.I)
	}
	if n.I == math.MinInt32 {
		return "(-2147483647-1)"
	}
	return fmt.Sprint(n.I)
}

func (d *Dialect) float(x float64, format string, wide int) string {
	text := fmt.Sprintf(format, math.Abs(x))
	switch {
	case math.IsNaN(x):
		return d.NaN[wide]
	case math.IsInf(x, 0):
		text = d.Inf[wide]
	}
	if math.Signbit(x) {
		return "(-" + text + ")"
	}
	return text
}

// Dialect is how a target language spells what languages spell differently.
type Dialect struct {
	Arg      map[bool]string // format of the launch's scalar by its number: of float types (true), and of others
	Inf, NaN [2]string       // of float32 and float64
	Wraps    bool            // arithmetic on integers goes by functions, since overflow of operators is undefined
	Shared   string          // qualifier of arrays that threads share
	Barrier  string
	Unroll   string // format, by their number, of what has a loop's turns written one behind the other; empty: compilers are left to it
}

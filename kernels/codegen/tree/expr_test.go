package tree

import (
	"math"
	"testing"

	"weft/kernels/ir"
)

func lit(t ir.DType, f float64, i int64) *Expr {
	return Lit(&ir.Node{Kind: ir.KConst, Type: t, F: f, I: i})
}

// Parentheses stand where C needs them, or where its precedences surprise, and nowhere else; grouping is kept where it matters.
func TestExpressions(t *testing.T) {
	a, b, c := Name("a"), Name("b"), Name("c")
	sum := Bin("+", a, b)
	wrapped := &Expr{form: infix, Text: "-", args: []*Expr{a, b}, wrap: "s_sub_i"}
	c99 := &Dialect{Inf: [2]string{"INFF", "INF"}, NaN: [2]string{"NANF", "NAN"}, Arg: map[bool]string{true: "farg[%s]", false: "iarg[%s]"}}
	cuda := &Dialect{Inf: [2]string{"X", "Y"}, Wraps: true}
	for _, x := range []struct {
		d    *Dialect
		e    *Expr
		want string
	}{
		{c99, Bin("*", sum, c), "(a + b) * c"},
		{c99, Bin("+", Bin("*", a, b), c), "a * b + c"},
		{c99, Bin("+", sum, c), "a + b + c"},
		{c99, Bin("+", a, Bin("+", b, c)), "a + (b + c)"},
		{c99, Bin("-", a, Bin("-", b, c)), "a - (b - c)"},
		{c99, Bin("&", Bin("<", a, b), c), "(a < b) & c"},
		{c99, Bin("&", Bin("&", a, b), c), "a & b & c"},
		{c99, Bin("|", Bin("&", a, b), c), "(a & b) | c"},
		{c99, Bin(">>", sum, Int(3)), "(a + b) >> 3"},
		{c99, Bin("&&", Bin("<", a, b), Bin("==", b, c)), "a < b && b == c"},
		{c99, Pre("-", Pre("-", a)), "-(-a)"},
		{c99, Pre("!", Bin("|", a, b)), "!(a | b)"},
		{c99, Cast("float", sum), "(float)(a + b)"},
		{c99, Deref("vf_u", Bin("+", a, Int(8))), "*(vf_u *)(a + 8)"},
		{c99, At(sum, Int(1)), "(a + b)[1]"},
		{c99, Bin("+", Choose(a, b, c), Int(1)), "(a ? b : c) + 1"},
		{c99, Call("f", Choose(a, b, c), Numbers("vi", 0, 1)), "f(a ? b : c, (vi){0, 1})"},
		{c99, Bin("*", wrapped, c), "(a - b) * c"},
		{cuda, Bin("*", wrapped, c), "s_sub_i(a, b) * c"},
		{c99, lit(ir.F32, math.Inf(-1), 0), "(-INFF)"},
		{cuda, lit(ir.F64, math.Inf(1), 0), "Y"},
		{c99, lit(ir.F64, math.NaN(), 0), "NAN"},
		{c99, lit(ir.F32, math.Copysign(0, -1), 0), "(-0.000000000e+00f)"},
		{c99, lit(ir.F64, -1.5, 0), "(-1.50000000000000000e+00)"},
		{c99, lit(ir.I32, 0, math.MinInt32), "(-2147483647-1)"},
		{c99, lit(ir.I64, 0, 7), "7LL"},
		{c99, &Expr{form: launchArg, Text: "2", lit: &ir.Node{Type: ir.F64}}, "farg[2]"},
	} {
		if got := x.d.Text(x.e); got != x.want {
			t.Errorf("%s, want %s", got, x.want)
		}
	}
}

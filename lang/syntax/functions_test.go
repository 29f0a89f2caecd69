package syntax

import (
	"strings"
	"testing"

	"weft/lang/diag"
)

func TestFunctionsParse(t *testing.T) {
	for text, want := range map[string]string{
		"fn f(x in m, w in m/s^2 = 1 m) = x":         "(function f (parameters (parameter x (constraint:m)) (parameter:default w (constraint:m/s^2) 1·m^1)) x)",
		"fn f(a[p, q], k in [one, two] = one) = a":   "(function f (parameters (parameter a (dims p q)) (parameter:default k (constraint (dims one two)) one)) a)",
		"fn f() {\n  # why\n\n  a = 1\n  a\n | g\n}": "(function f (parameters) (block (assign a 1) (sink (pipeline a (stage (path g))))))",
		"fn f() { 1 }": "(function f (parameters) (block (sink 1)))",
		"fn f() {\n  a = [1,\n 2]\n  fn g(x) {\n x\n }\n  g(a)\n    | h\n}\nb = 2": "(function f (parameters) (block (assign a (list 1 2)) (function g (parameters (parameter x)) (block (sink x))) " +
			"(sink (pipeline (call g (arguments (argument a))) (stage (path h))))))\n(assign b 2)",
		"g = x -> x + 1":             "(assign g (lambda x (binary x + 1)))",
		"f(() -> 1, (x, y) -> x, z)": "(sink (call f (arguments (argument (lambda 1)) (argument (lambda x y x)) (argument z))))",
		"(a: 1, b: x -> x,)":         "(sink (record (argument:a a 1) (argument:b b (lambda x x))))",
		"if a then b else c | d":     "(sink (if a b (pipeline c (stage (path d)))))",
		"1 + (if a\nthen b else\nc)": "(sink (binary 1 + (paren (if a b c))))",
		"x -> y -> x":                "(sink (lambda x (lambda y x)))",
	} {
		var diags diag.List
		file := Parse(diag.NewSource("f", text), testUnits, &diags)
		if got := strings.TrimSpace(Dump(file)); diags.Len() > 0 || got != want {
			t.Errorf("%q:\n got  %s\n want %s\n%s", text, got, want, &diags)
		}
	}
}

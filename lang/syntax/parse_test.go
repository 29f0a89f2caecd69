package syntax

import (
	"strings"
	"sync"
	"testing"

	"weft/lang/diag"
)

func parse(text string) (*File, *diag.List) {
	var diags diag.List
	return Parse(diag.NewSource("f.weft", text), testUnits, &diags), &diags
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// Statements.
		{"param c = 1540 m/s", "(param c 1540·m^1·s^-1)"},
		{"a = b", "(assign a b)"},
		{"fn f(a, b,) = a", "(function f (parameters (parameter a) (parameter b)) a)"},
		{"fn f() = 1", "(function f (parameters) 1)"},
		{"a", "(sink a)"},
		{"a == b", "(sink (binary a == b))"},
		{"# only a comment\n\n", ""},
		{"\ufeffa\r\nb\r\n", "(sink a)\n(sink b)"},

		// Precedence, from the weakest operator to the strongest.
		{"a or b and c", "(sink (binary a or (binary b and c)))"},
		{"not a and b", "(sink (binary (unary not a) and b))"},
		{"not a == b", "(sink (unary not (binary a == b)))"},
		{"not not a", "(sink (unary not (unary not a)))"},
		{"a < b + c", "(sink (binary a < (binary b + c)))"},
		{"a + 1 .. b * 2", "(sink (range (binary a + 1) (binary b * 2)))"},
		{"a - b - c", "(sink (binary (binary a - b) - c))"},
		{"a + b * c", "(sink (binary a + (binary b * c)))"},
		{"a / b / c", "(sink (binary (binary a / b) / c))"},
		{"-a ^ b", "(sink (unary - (binary a ^ b)))"},
		{"a ^ -b", "(sink (binary a ^ (unary - b)))"},
		{"a ^ b ^ c", "(sink (binary a ^ (binary b ^ c)))"},
		{"a ^ -b ^ c", "(sink (binary a ^ (unary - (binary b ^ c))))"},
		{"a * -b", "(sink (binary a * (unary - b)))"},
		{"- -a - b", "(sink (binary (unary - (unary - a)) - b))"},
		{"(a + b) * c", "(sink (binary (paren (binary a + b)) * c))"},

		// Ranges.
		{"0 .. 9", "(sink (range 0 9))"},
		{"0..9", "(sink (range 0 9))"},
		{"-10 mm .. 10 mm in 64", "(sink (range:in (unary - 10·mm^1) 10·mm^1 64))"},
		{"10 mm .. 10 mm in 64", "(sink (range:in 10·mm^1 10·mm^1 64))"},
		{"0 .. 1 by 1/2", "(sink (range:by 0 1 (binary 1 / 2)))"},

		// Pipes.
		{"a | f", "(sink (pipeline a (stage (path f))))"},
		{"a | f | g(x: 1)", "(sink (pipeline a (stage (path f)) (stage (path g) (arguments (argument:x x 1)))))"},
		{"a + b | f", "(sink (pipeline (binary a + b) (stage (path f))))"},
		{"a\n # why\n\n  | f\n | g", "(sink (pipeline a (stage (path f)) (stage (path g))))"},
		{"b = a | simulate.echoes(probe)", "(assign b (pipeline a (stage (path simulate echoes) (arguments (argument probe)))))"},
		{"f(a | g, (b | h))", "(sink (call f (arguments (argument (pipeline a (stage (path g)))) (argument (paren (pipeline b (stage (path h))))))))"},

		// Annotations.
		{"a | f @keep @tile(z: 8) | g", "(sink (pipeline a (stage (path f) (annotation keep) (annotation tile (arguments (argument:z z 8)))) (stage (path g))))"},
		{"a = b @keep", "(assign a (pipeline b (annotation keep)))"},

		// Calls, indices, fields.
		{"f()", "(sink (call f (arguments)))"},
		{"f(1, x: 2,)", "(sink (call f (arguments (argument 1) (argument:x x 2))))"},
		{"f(\n 1,\n # why\n x: 2\n)", "(sink (call f (arguments (argument 1) (argument:x x 2))))"},
		{"simulate.echoes(p)", "(sink (call (field simulate echoes) (arguments (argument p))))"},
		{"v[x: 3, z: 1 mm .. 5 mm]", "(sink (index v (selection (argument:x x 3) (argument:z z (range 1·mm^1 5·mm^1)))))"},
		{"f(a)[x: 0].b(c)", "(sink (call (field (index (call f (arguments (argument a))) (selection (argument:x x 0))) b) (arguments (argument c))))"},

		// Atoms.
		{"[]", "(sink (list))"},
		{"[1, 2 mm, \"a\", true, [b],]", "(sink (list 1 2·mm^1 \"a\" true (list b)))"},
		{`"a \"b\" \\ \n \t \u00e9 # no comment"`, `(sink "a \"b\" \\ \n \t é # no comment")`},
		{"1.5", "(sink 1.5f)"}, {".5", "(sink 0.5f)"}, {"1e-3", "(sink 0.001f)"}, {"1_000", "(sink 1000)"}, {"1E3", "(sink 1000f)"},

		// Units bind tighter than operators, and are told from names by the table alone.
		{"0.3mm", "(sink 0.3f·mm^1)"},
		{"5 m/s", "(sink 5·m^1·s^-1)"},
		{"5 m / s", "(sink (binary 5·m^1 / s))"},
		{"5 m/s * h", "(sink (binary 5·m^1·s^-1 * h))"},
		{"5 m/ s", "(sink (binary 5·m^1 / s))"},
		{"a = b +\n c", "(assign a (binary b + c))"},
		{"a =\n\n # why\n c", "(assign a c)"},
		{"a = b and\nnot\nc", "(assign a (binary b and (unary not c)))"},
		{"(5 m) / s", "(sink (binary (paren 5·m^1) / s))"},
		{"9.81 m/s^2", "(sink 9.81f·m^1·s^-2)"},
		{"5 kg*m^-3 * 2", "(sink (binary 5·kg^1·m^-3 * 2))"},
		{"5 m / x", "(sink (binary 5·m^1 / x))"},
		{"5 m / s(x)", "(sink (binary 5·m^1 / (call s (arguments (argument x)))))"},
		{"5 m / s.x", "(sink (binary 5·m^1 / (field s x)))"},
		{"5 m ^ x", "(sink (binary 5·m^1 ^ x))"},
		{"2 * 3 m ^ 2", "(sink (binary 2 * 3·m^2))"},
		{"5eV", "(sink 5·eV^1)"},
		{"2 µs", "(sink 2·µs^1)"},
		{"2 * m", "(sink (binary 2 * m))"},
		{"[2\n, m]", "(sink (list 2 m))"},
	} {
		file, diags := parse(tt.text)
		if diags.Len() > 0 {
			t.Errorf("%q:\n%s", tt.text, diags)
			continue
		}
		if got := strings.TrimSuffix(Dump(file), "\n"); got != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestSpans(t *testing.T) {
	text := "param c = 1540 m/s # comment\n" +
		"v = read(iq, dims: [x, y]) @keep\n" +
		"  | a.b(c: -1 mm .. 2 mm in 3)  # why\n" +
		"v[x: 0].y ^ 2 | show\n"
	file, diags := parse(text)
	if diags.Len() > 0 {
		t.Fatal(diags)
	}
	seen := map[string]bool{}
	for _, s := range file.Statements {
		Walk(s, func(n Node) bool {
			seen[label(n)+" "+n.Span().Text()] = true
			for _, c := range Children(n) {
				if c.Span().Start < n.Span().Start || c.Span().End > n.Span().End {
					t.Errorf("%q is outside %q", c.Span().Text(), n.Span().Text())
				}
			}
			return true
		})
	}
	for _, want := range []string{
		"param param c = 1540 m/s",
		"number 1540 m/s",
		"unit m/s",
		"unitfactor /s",
		"unitname s",
		"list [x, y]",
		"argument:dims dims: [x, y]",
		"arguments (iq, dims: [x, y])",
		"call read(iq, dims: [x, y])",
		"annotation @keep",
		"path a.b",
		"range:in -1 mm .. 2 mm in 3",
		"unary -1 mm",
		"stage a.b(c: -1 mm .. 2 mm in 3)",
		"index v[x: 0]",
		"selection [x: 0]",
		"field v[x: 0].y",
		"binary v[x: 0].y ^ 2",
		"operator ^",
		"sink v[x: 0].y ^ 2 | show",
	} {
		if !seen[want] {
			t.Errorf("no node %q", want)
		}
	}
}

func TestPathOf(t *testing.T) {
	file, _ := parse("a.b.c\nf(x).y")
	path, ok := PathOf(file.Statements[0].(*Sink).Value)
	if !ok || path.String() != "a.b.c" || path.Span().Text() != "a.b.c" {
		t.Errorf("got %v, %v", path, ok)
	}
	if _, ok := PathOf(file.Statements[1].(*Sink).Value); ok {
		t.Error("a call is no path")
	}
}

func TestUnparen(t *testing.T) {
	file, _ := parse("((a))")
	if n, ok := Unparen(file.Statements[0].(*Sink).Value).(*Name); !ok || n.Text != "a" {
		t.Errorf("got %T", n)
	}
}

// TestFilesAreParsedSideBySide parses in several goroutines at once: the trees are those that one at a time gives.
func TestFilesAreParsedSideBySide(t *testing.T) {
	text := "fn f(x, y = 2 mm) = x + y * 3\na = f(1 mm) | show\n" + strings.Repeat("b = ((1 + 2) * 3) # deep\n", 50)
	dump := func() string {
		var diags diag.List
		return Dump(Parse(diag.NewSource("t.weft", text), testUnits, &diags))
	}
	want := dump()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if got := dump(); got != want {
					t.Errorf("the tree differs: %s", got)
				}
			}
		})
	}
	group.Wait()
}

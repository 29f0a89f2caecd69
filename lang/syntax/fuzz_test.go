package syntax_test

import (
	"slices"
	"testing"

	"weft/lang/diag"
	"weft/lang/diag/diagtest"
	"weft/lang/format"
	"weft/lang/syntax"
)

var fuzzUnits = syntax.Units{
	IsUnit: func(name string) bool { return slices.Contains([]string{"m", "mm", "s", "MHz", "dB"}, name) },
	Names:  func() []string { return []string{"m", "mm", "s", "MHz", "dB"} },
}

// FuzzParse checks that no text breaks the parser, that every place it reports or keeps lies in the text and in order,
// that tokens cover the text, and that formatting a text without mistakes keeps its tree.
func FuzzParse(f *testing.F) {
	diagtest.Seeds(f, "../../pipelines/*/*.weft")
	for _, seed := range []string{
		"a = f(x: 5 m / s ^ 2, [1, 2 mm]) | g.h @keep @tile(z: 8)\n  # why\n | i",
		"fn f(a[y, x], n in whole >= 0 = 1, s > 0 = 2 mm, o in [near, \"far\"] = near) = a\nfn _g(a[..., t], r >= 0 and < 1) = a",
		"fn f(a, b,) = -a ^ -b .. 3 in 4 and not c[x: 1 .. 2 by 3].d",
		"\"\\u00e9\\n\" 1.2.3 1e 1_ 1__0 ' \xff ((]) param fn",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := diag.NewSource("f.weft", text)
		var diags diag.List
		file := syntax.Parse(src, fuzzUnits, &diags)
		end := 0
		for _, s := range file.Statements {
			if s.Span().Start < end {
				t.Errorf("statement %q overlaps the one before", s.Span().Text())
			}
			end = s.Span().End
			syntax.Walk(s, func(n syntax.Node) bool {
				checkSpan(t, src, n.Span())
				for _, c := range syntax.Children(n) {
					if c.Span().Start < n.Span().Start || c.Span().End > n.Span().End {
						t.Errorf("%T %q lies outside %T %q", c, c.Span().Text(), n, n.Span().Text())
					}
				}
				return true
			})
		}
		for _, d := range diags.Sorted() {
			checkSpan(t, src, d.Span)
		}
		_ = diags.String()
		end = 0
		for _, token := range syntax.Scan(src, fuzzUnits, &diag.List{}) {
			if token.Start < end || token.Text == "" || text[token.Start:token.End()] != token.Text {
				t.Errorf("token %q at %d", token.Text, token.Start)
			}
			end = token.End()
		}

		formatted, ok := format.Source(src, fuzzUnits, &diag.List{})
		if ok != !diags.HasErrors() {
			t.Fatalf("formatted: %v, with\n%s", ok, &diags)
		}
		if !ok {
			return
		}
		again := syntax.Parse(diag.NewSource("f.weft", formatted), fuzzUnits, &diags)
		if diags.HasErrors() {
			t.Fatalf("the format has mistakes:\n%s%s", formatted, &diags)
		}
		if a, b := syntax.Dump(file), syntax.Dump(again); a != b {
			t.Errorf("formatting changes\n%s\nto\n%s", a, b)
		}
	})
}

func checkSpan(t *testing.T, src *diag.Source, s diag.Span) {
	t.Helper()
	if s.Source != src || s.Start < 0 || s.End < s.Start || s.End > len(src.Text) {
		t.Errorf("span %d..%d of a text of %d bytes", s.Start, s.End, len(src.Text))
	}
}

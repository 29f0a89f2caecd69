package syntax

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"

	"weft/lang/diag"
	"weft/ops"
)

// What ships is parsed by hand, to the trees that the grammar gives. With a token left out, doubled or moved it is parsed so only where the
// grammar finds no mistake either.
func TestPlainlyAsByTheGrammar(t *testing.T) {
	texts := []string{
		"a = f(x: 5 m / s ^ 2, [1, 2 mm],) | g.h @keep @tile(z: 8) | i\nuse urban\nuse \"lib.weft\"\nparam p in m/s^2 > -1 m < 3 = 2 m\n[]\n",
		"fn f(a[y, x,], n in whole >= 0 = 1, o in [near, far] = near,) {\n  b = (p: a, q: true,)\n  fn g() = () -> not b.p\n  (k, l,) -> k[x: l in 1 .. 2]\n}\n",
	}
	for _, pattern := range []string{"../library/*.weft", "../../pipelines/*/*.weft"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	g := new(grammar)
	g.build()
	mistakes := 0
	for _, text := range texts {
		src, diags := diag.NewSource("f.weft", text), new(diag.List)
		for _, s := range split(src, Scan(src, syntaxUnits, diags), diags) {
			if !sameTree(t, g, src, s.tokens) {
				t.Errorf("by hand there is a mistake in %s", bad(src, s.tokens).Span().Text())
			}
			if len(s.tokens) > 60 {
				continue
			}
			for i := range s.tokens {
				for _, other := range [][]Token{
					slices.Delete(slices.Clone(s.tokens), i, i+1),
					slices.Insert(slices.Clone(s.tokens), i, s.tokens[i]),
					slices.Insert(slices.Delete(slices.Clone(s.tokens), i, i+1), i/2, s.tokens[i]),
				} {
					if len(other) > 0 && !sameTree(t, g, src, other) {
						mistakes++
					}
				}
			}
		}
		if diags.Len() > 0 {
			t.Fatal(diags)
		}
	}
	if mistakes < 1000 {
		t.Errorf("only %d statements with mistakes were tried", mistakes)
	}
}

var syntaxUnits = Units{IsUnit: ops.IsUnit}

// sameTree compares both ways to parse a statement; it reports whether that is done by hand.
func sameTree(t *testing.T, g *grammar, src *diag.Source, tokens []Token) bool {
	t.Helper()
	lex, err := lexer.Upgrade(&feed{tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	start := lex.MakeCheckpoint()
	plain, ok := g.plainly(lex)
	if !ok {
		return false
	}
	lex.LoadCheckpoint(start)
	g.depth = 0
	of, err := g.statements.ParseFromLexer(lex)
	if err != nil {
		t.Errorf("the grammar finds %v in %s", err, bad(src, tokens).Span().Text())
		return true
	}
	finish(src, plain)
	finish(src, *of)
	if !reflect.DeepEqual(plain, *of) {
		t.Errorf("by hand %s is another tree:\n%s\n%s", plain.Span().Text(), Dump(&File{Statements: []Statement{plain}}), Dump(&File{Statements: []Statement{*of}}))
	}
	return true
}

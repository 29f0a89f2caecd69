package syntax

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the grammar into the documentation")

const (
	document = "../../docs/grammar.md"
	fence    = "```ebnf\n"
)

func TestDocumentedGrammarIsTheGrammar(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), fence)
	block, after, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("%s has no block of ebnf", document)
	}
	if block == EBNF() {
		return
	}
	if !*update {
		t.Fatalf("%s differs from the grammar; run go test ./lang/syntax -update\n%s", document, EBNF())
	}
	if err := os.WriteFile(document, []byte(before+fence+EBNF()+"```"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGrammarDefinesWhatItUses(t *testing.T) {
	defined, used := map[string]bool{}, map[string]bool{"File": true}
	terminals := regexp.MustCompile(`"[^"]*"|<[a-z]+>`)
	names := regexp.MustCompile(`[A-Z][A-Za-z]*`)
	for line := range strings.Lines(EBNF()) {
		name, production, ok := strings.Cut(terminals.ReplaceAllString(line, ""), " = ")
		if !ok || defined[name] {
			t.Errorf("bad line %q", line)
		}
		defined[name] = true
		for _, n := range names.FindAllString(production, -1) {
			used[n] = true
		}
	}
	for n := range used {
		if !defined[n] {
			t.Errorf("%s is used and not defined", n)
		}
	}
	for n := range defined {
		if !used[n] {
			t.Errorf("%s is defined and not used", n)
		}
	}
}

func TestEveryKeywordAndSignIsInTheGrammar(t *testing.T) {
	grammar := EBNF()
	for _, text := range append(append([]string{}, keywords...), punctuation...) {
		if !strings.Contains(grammar, `"`+text+`"`) {
			t.Errorf("%s is in no production", text)
		}
	}
}

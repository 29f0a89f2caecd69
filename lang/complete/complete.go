// Package complete tells what a word that somebody is writing may become, at a prompt or in an editor.
package complete

import (
	"slices"
	"strings"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/library"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/catalogue"
)

// Offer is what a word may become, and what that is.
type Offer struct{ Text, Doc string }

// Word is the word that ends a text, and what it may become: a unit behind a number, an argument of the call that is open, a dim within brackets, a
// name of the program, a library behind `use`, an operator, or a function of a library that the program has.
func Word(text string, names, dims []string) (word string, out []Offer) {
	start := len(text)
	for start > 0 && wordByte(text[start-1]) {
		start--
	}
	word = text[start:]
	tokens := syntax.Scan(diag.NewSource("", text[:start]), check.Units(), new(diag.List))
	if n := len(tokens); n > 0 && tokens[n-1].Kind == syntax.Numeral {
		for _, u := range ops.AllUnitNames() {
			out = append(out, Offer{u, "unit"})
		}
		return word, Begins(out, word)
	}
	if n := len(tokens); n > 0 && tokens[n-1].Kind == syntax.Keyword && tokens[n-1].Text == "use" {
		for _, n := range library.Names() {
			out = append(out, Offer{n, "library"})
		}
		return word, Begins(out, word)
	}
	callee, bracket, _ := Open(tokens)
	if bracket == "[" {
		for _, d := range dims {
			out = append(out, Offer{d + ":", "dimension"})
		}
	}
	cat := catalogue.Standard()
	if spec := cat.Lookup(callee); spec != nil {
		for _, p := range spec.Params {
			out = append(out, Offer{p.Name + ":", p.Doc})
		}
	}
	for _, n := range names {
		out = append(out, Offer{n, "defined here"})
	}
	for _, n := range cat.Names() {
		out = append(out, Offer{n, cat.Lookup(n).Doc})
	}
	functions, docs := library.Functions()
	for i, n := range functions {
		if family, _, _ := strings.Cut(n, "."); slices.Contains(names, family) {
			out = append(out, Offer{n, docs[i]})
		}
	}
	return word, Begins(out, word)
}

// Begins are the offers that begin with a word, each once.
func Begins(list []Offer, word string) (out []Offer) {
	for _, o := range list {
		if strings.HasPrefix(o.Text, word) && !slices.ContainsFunc(out, func(x Offer) bool { return x.Text == o.Text }) {
			out = append(out, o)
		}
	}
	return out
}

func wordByte(b byte) bool {
	return b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// Open is the innermost bracket that is open at the end of some tokens, the name of what is called by it, and how many commas stand behind it.
func Open(tokens []syntax.Token) (callee, bracket string, commas int) {
	depth := 0
	for i, t := range slices.Backward(tokens) {
		switch t.Text {
		case ")", "]", "}":
			depth++
		case ",":
			if depth == 0 {
				commas++
			}
		case "(", "[", "{":
			if depth--; depth < 0 {
				for j := i - 1; j >= 0 && (tokens[j].Kind == syntax.Ident || tokens[j].Text == "."); j-- {
					callee = tokens[j].Text + callee
				}
				return callee, t.Text, commas
			}
		}
	}
	return "", "", 0
}

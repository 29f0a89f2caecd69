// Package complete tells what a word that somebody is writing may become, at a prompt or in an editor.
package complete

import (
	"maps"
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
// name of the program or a part of a record, a library behind `use`, an operator, or a function of a library that the program has. Names of the
// program come with what they are; nil: a function, a library, or what is wrong.
func Word(text string, defined map[string]ops.Value) (word string, out []Offer) {
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
		for _, d := range dims(defined) {
			out = append(out, Offer{d + ":", "dimension"})
		}
	}
	cat := catalogue.Standard()
	if spec := cat.Lookup(callee); spec != nil {
		for _, p := range spec.Params {
			out = append(out, Offer{p.Name + ":", p.Doc})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(defined)) {
		out = append(out, named(n, defined[n], word)...)
	}
	for _, n := range cat.Names() {
		out = append(out, Offer{n, cat.Lookup(n).Doc})
	}
	functions, docs := library.Functions()
	for i, n := range functions {
		if family, _, _ := strings.Cut(n, "."); has(defined, family) {
			out = append(out, Offer{n, docs[i]})
		}
	}
	return word, Begins(out, word)
}

// named is a name of the program and, where the word goes on behind it, the parts of its record.
func named(name string, v ops.Value, word string) (out []Offer) {
	switch v := v.(type) {
	case nil:
		return []Offer{{name, "defined here"}}
	case ops.Array:
		return []Offer{{name, v.Type().String()}}
	case ops.Record:
		if strings.HasPrefix(word, name+".") {
			for _, part := range v.Names {
				out = append(out, named(name+"."+part, v.Fields[part], word)...)
			}
			return out
		}
		return []Offer{{name, "a record of " + strings.Join(v.Names, ", ")}}
	}
	return []Offer{{name, v.String()}}
}

// dims are the names of the dims of all arrays.
func dims(defined map[string]ops.Value) (out []string) {
	var collect func(v ops.Value)
	collect = func(v ops.Value) {
		switch v := v.(type) {
		case ops.Array:
			out = append(out, v.Type().DimNames()...)
		case ops.Record:
			for _, part := range v.Fields {
				collect(part)
			}
		}
	}
	for _, v := range defined {
		collect(v)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func has(defined map[string]ops.Value, name string) bool { _, ok := defined[name]; return ok }

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

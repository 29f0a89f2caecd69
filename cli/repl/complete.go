package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/library"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/catalogue"
)

// offer is what a word may become.
type offer struct{ text, doc string }

// complete lists what the word that ends a text may become: a command, a file within quotes, a unit behind a number, an argument of the call
// that is open, a dim within brackets, a name, an operator or a function.
func (c *Console) complete(text string) (word string, out []offer) {
	if rest, ok := strings.CutPrefix(text, ":"); ok && !strings.Contains(rest, " ") {
		for _, k := range commands {
			out = append(out, offer{":" + k.name, k.doc})
		}
		return text, begins(out, text)
	}
	if quote := strings.LastIndexByte(text, '"'); strings.Count(text, `"`)%2 == 1 {
		return text[quote+1:], filesOf(text[quote+1:])
	}
	start := len(text)
	for start > 0 && wordByte(text[start-1]) {
		start--
	}
	word = text[start:]
	tokens := syntax.Scan(diag.NewSource("", text[:start]), check.Units(), new(diag.List))
	if n := len(tokens); n > 0 && tokens[n-1].Kind == syntax.Numeral {
		for _, u := range ops.AllUnitNames() {
			out = append(out, offer{u, "unit"})
		}
		return word, begins(out, word)
	}
	callee, bracket := open(tokens)
	if bracket == "[" {
		for _, d := range c.dims() {
			out = append(out, offer{d + ":", "dimension"})
		}
	}
	cat := catalogue.Standard()
	if spec := cat.Lookup(callee); spec != nil {
		for _, p := range spec.Params {
			out = append(out, offer{p.Name + ":", p.Doc})
		}
	}
	for _, n := range c.Notebook.Names() {
		out = append(out, offer{n, "defined here"})
	}
	for _, n := range cat.Names() {
		out = append(out, offer{n, cat.Lookup(n).Doc})
	}
	names, docs := library.Functions()
	for i, n := range names {
		if family, _, _ := strings.Cut(n, "."); slices.Contains(c.Notebook.Names(), family) {
			out = append(out, offer{n, docs[i]})
		}
	}
	if len(tokens) == 1 && tokens[0].Kind == syntax.Keyword && tokens[0].Text == "use" {
		out = nil
		for _, n := range library.Names() {
			out = append(out, offer{n, "library"})
		}
	}
	return word, begins(out, word)
}

// begins are the offers that begin with a word, each once.
func begins(list []offer, word string) (out []offer) {
	for _, o := range list {
		if strings.HasPrefix(o.text, word) && !slices.ContainsFunc(out, func(x offer) bool { return x.text == o.text }) {
			out = append(out, o)
		}
	}
	return out
}

func wordByte(b byte) bool {
	return b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// open is the innermost bracket that is open at the end of some tokens, and the name of what is called by it.
func open(tokens []syntax.Token) (callee, bracket string) {
	depth := 0
	for i, t := range slices.Backward(tokens) {
		switch t.Text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth < 0 {
				for j := i - 1; j >= 0 && (tokens[j].Kind == syntax.Ident || tokens[j].Text == "."); j-- {
					callee = tokens[j].Text + callee
				}
				return callee, t.Text
			}
		}
	}
	return "", ""
}

// dims are the dims of all arrays that are defined.
func (c *Console) dims() (out []string) {
	for _, d := range c.Notebook.Values() {
		if a, ok := d.Value.(ops.Array); ok {
			for _, dim := range a.Type().Dims {
				if !slices.Contains(out, dim.Name) {
					out = append(out, dim.Name)
				}
			}
		}
	}
	return out
}

// filesOf are the files and folders that a path may become.
func filesOf(path string) (out []offer) {
	found, err := filepath.Glob(globEscape(path) + "*")
	if err != nil {
		return nil
	}
	for _, f := range found {
		info, err := os.Stat(f)
		switch {
		case err != nil:
		case info.IsDir():
			out = append(out, offer{f + "/", "folder"})
		default:
			out = append(out, offer{f, "file"})
		}
	}
	return out
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

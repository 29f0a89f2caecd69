package check

import (
	"strings"
	"testing"

	"weft/lang/diag/diagtest"
	"weft/lang/library"
	"weft/ops/catalogue"
)

// FuzzCheck checks that no text breaks the checker, and that what it reports lies in the text. Its seeds are the examples of operators, libraries
// and codes.
func FuzzCheck(f *testing.F) {
	cat := catalogue.Standard()
	for _, name := range cat.Names() {
		for _, e := range cat.Lookup(name).Examples {
			f.Add(e.Code)
		}
	}
	names, _ := library.Functions()
	for _, name := range names {
		f.Add(library.Example(name))
	}
	diagtest.Seeds(f, "../../pipelines/*/*.weft")
	f.Add("x = axis(x, 0 .. 2 foo)\nshow(axis(k, 1 .. 4 in 4) | fold((s, k) -> s * x + k, along: k, from: 0))") // what is wrong in a fold's function
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "read(") || strings.Contains(text, "use \"") || strings.Contains(text, "skyview") {
			return // files, and what looks at them
		}
		_, list := File("f.weft", []byte(text), cat, Options{})
		for _, d := range list.Sorted() {
			if s := d.Span; s.Source != nil && (s.Start < 0 || s.End < s.Start || s.End > len(s.Source.Text)) {
				t.Errorf("%s at %d to %d of %d bytes", d.Message, s.Start, s.End, len(s.Source.Text))
			}
		}
		_ = list.String()
	})
}

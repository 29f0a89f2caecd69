package library_test

import (
	"strings"
	"testing"

	"weft/lang/check"
	"weft/lang/library"
	"weft/ops/catalogue"
)

// Every function that ships is documented, and every library is a program without mistakes.
func TestLibraries(t *testing.T) {
	names, docs := library.Functions()
	for i, name := range names {
		if strings.TrimSpace(docs[i]) == "" {
			t.Errorf("%s has no documentation", name)
		}
		if text, _ := library.Doc(name); library.Example(name) == "" || !strings.Contains(text, "For example:") {
			t.Errorf("%s has no example", name)
		}
	}
	for _, name := range library.Names() {
		text, _ := library.Text(name)
		if _, list := check.File(name, []byte(text+"\nshow(1)\n"), catalogue.Standard(), check.Options{}); list.HasErrors() {
			t.Errorf("%s: %v", name, list.Sorted())
		}
	}
}

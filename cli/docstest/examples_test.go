package docstest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
	"weft/lang/library"
	"weft/ops/catalogue"
	"weft/ops/files/npy"
)

// Every example in the documentation of an operator runs as it stands, every element of its results within tolerance.
// They run on the interpreter, which needs no compiler and starts at once.
func TestExamples(t *testing.T) {
	cachetest.Use(t)
	t.Setenv("WEFT_CC", "no-such-compiler")
	dir := t.TempDir()
	t.Chdir(dir)
	iq := make([]complex64, 560*1024)
	if err := npy.Save("iq.npy", []int{560, 1024}, iq); err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, name, title, code string) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "example.weft")
			if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			if exit := cli.Run(t.Context(), []string{"run", file}, nil, &out, &errs); exit != 0 || bytes.Contains(out.Bytes(), []byte("EXCEEDED")) {
				t.Errorf("example of %s (%s):\n%s\nexit %d\n%s%s", name, title, code, exit, errs.String(), out.String())
			}
			if bytes.Contains(errs.Bytes(), []byte("warning[")) && strings.Contains(name, ".") {
				t.Errorf("example of %s warns:\n%s\n%s", name, code, errs.String())
			}
		})
	}
	cat := catalogue.Standard()
	for _, name := range cat.Names() {
		for _, e := range cat.Lookup(name).Examples {
			run(t, name, e.Title, e.Code)
		}
	}
	names, _ := library.Functions()
	for _, name := range names {
		run(t, name, "of a library", library.Example(name))
	}
}

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"weft/ops/catalogue"
	"weft/ops/files/npy"
)

// Every example in the documentation of an operator runs as it stands, every element of its results within tolerance.
// They run on the interpreter, which needs no compiler and starts at once.
func TestExamples(t *testing.T) {
	t.Setenv("WEFT_CC", "no-such-compiler")
	t.Setenv("WEFT_CACHE", compiled)
	dir := t.TempDir()
	t.Chdir(dir)
	iq := make([]complex64, 560*1024)
	if err := npy.Save("iq.npy", []int{560, 1024}, iq); err != nil {
		t.Fatal(err)
	}
	cat := catalogue.Standard()
	for _, name := range cat.Names() {
		for i, e := range cat.Lookup(name).Examples {
			t.Run(name, func(t *testing.T) {
				file := filepath.Join(dir, "example.weft")
				if err := os.WriteFile(file, []byte(e.Code), 0o644); err != nil {
					t.Fatal(err)
				}
				var out, errs bytes.Buffer
				if code := Run(t.Context(), []string{"run", file}, nil, &out, &errs); code != 0 || bytes.Contains(out.Bytes(), []byte("EXCEEDED")) {
					t.Errorf("example %d of %s (%s):\n%s\nexit %d\n%s%s", i+1, name, e.Title, e.Code, code, errs.String(), out.String())
				}
			})
		}
	}
}

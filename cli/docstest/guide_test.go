// Package docstest runs what the pages show, and the examples of operators and library functions.
package docstest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
)

// TestMain: predictions are the same on every machine, and compilers do not optimise.
func TestMain(m *testing.M) {
	cachetest.OptimiseLittle()
	os.Setenv("WEFT_PROFILE", "default")
	os.Exit(m.Run())
}

// literatePages are those whose programs run, and show what stands below them; `weft literate` writes that.
var literatePages = []string{"language.md", "tutorial.md", "ultrasound.md", "cities.md", "radiotherapy.md", "spectra.md", "matrices.md"}

func TestGuide(t *testing.T) {
	for _, page := range literatePages {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile("../../docs/" + page)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(text, []byte("```weft")); n < 8 {
				t.Errorf("only %d programs are found", n)
			}
			tables, err := filepath.Abs("../../docs")
			if err != nil {
				t.Fatal(err)
			}
			cachetest.Use(t)
			t.Chdir(t.TempDir()) // to which programs may write
			if err := copyTables(tables); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir("img", 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(page, text, 0o666); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			if exit := cli.Run(t.Context(), []string{"literate", "--check", page}, nil, &out, &errs); exit != 0 || strings.Contains(errs.String(), "warning[") {
				t.Errorf("exit %d\n%s%s", exit, out.String(), errs.String())
			}
		})
	}
}

// copyTables puts the tables that pages read beside them.
func copyTables(from string) error {
	paths, err := filepath.Glob(filepath.Join(from, "*.csv"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		table, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Base(path), table, 0o666); err != nil {
			return err
		}
	}
	return nil
}

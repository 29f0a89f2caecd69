// Package diagtest helps to test what reads texts.
package diagtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/lang/diag"
)

// Seeds begins a fuzz test of texts with the examples of all codes, and the files that a pattern names.
func Seeds(f *testing.F, pattern string) {
	f.Helper()
	for _, c := range diag.Codes() {
		f.Add(c.Wrong)
		f.Add(c.Right)
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
}

// Pipelines are the files that ship, under their folder, and need nothing else: a file that does says so in a line that begins with "# Needs".
func Pipelines(t *testing.T, folder string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*", "*.weft"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains("\n"+string(text), "\n# Needs ") {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		t.Fatal("no pipelines under ", folder)
	}
	return files
}

// Package diagtest helps to test what reads texts.
package diagtest

import (
	"os"
	"path/filepath"
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

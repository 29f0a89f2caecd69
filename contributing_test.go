package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestExamplesOfContributingAreReal: what CONTRIBUTING shows as added stands in the files it names, but for the file format, which is in a test.
func TestExamplesOfContributingAreReal(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := func(of string) (out []string) {
		for line := range strings.Lines(of) {
			out = append(out, strings.TrimSpace(line))
		}
		return out
	}
	var file []string
	added := 0
	for line := range strings.Lines(string(text)) {
		name, isFile := strings.CutPrefix(strings.TrimSpace(line), "+++ b/")
		switch {
		case isFile && strings.HasPrefix(name, "ops/files/"), strings.HasPrefix(line, "```"):
			file = nil
		case isFile:
			there, err := os.ReadFile(name)
			if err != nil {
				t.Error(err)
			}
			file = lines(string(there))
		case file != nil && strings.HasPrefix(line, "+"):
			if added++; !slices.Contains(file, strings.TrimSpace(line[1:])) {
				t.Errorf("CONTRIBUTING adds a line that is in no file: %s", line)
			}
		}
	}
	if added < 15 {
		t.Errorf("CONTRIBUTING shows %d added lines only", added)
	}
}

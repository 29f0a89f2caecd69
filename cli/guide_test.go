package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The programs of docs/language.md run, and show what stands below them; -update writes that.
func TestGuide(t *testing.T) {
	t.Setenv("WEFT_CC", "no-such-compiler")
	t.Setenv("WEFT_CACHE", compiled)
	page, err := filepath.Abs("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	programs := 0
	want := regexp.MustCompile("(?s)```weft\n(.*?)```\n(\n```text\n.*?```\n)?").ReplaceAllStringFunc(string(text), func(part string) string {
		programs++
		code, _, _ := strings.Cut(strings.TrimPrefix(part, "```weft\n"), "```")
		if err := os.WriteFile("page.weft", []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if exit := Run(t.Context(), []string{"run", "page.weft"}, nil, &out, &errs); exit != 0 || bytes.Contains(errs.Bytes(), []byte("warning[")) {
			t.Errorf("%s\nexit %d\n%s", code, exit, errs.String())
		}
		return "```weft\n" + code + "```\n\n```text\n" + out.String() + "```\n"
	})
	switch {
	case programs < 8:
		t.Errorf("only %d programs are found", programs)
	case want == string(text) || t.Failed():
	case *update:
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what its programs show; `go test ./cli -run TestGuide -update` writes it", page)
	}
}

package format

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/lang/diag"
	"weft/lang/diag/diagtest"
	"weft/lang/syntax"
)

var unitNames = []string{"m", "mm", "s", "us", "MHz", "dB", "deg", "kg"}

var units = syntax.Units{IsUnit: func(name string) bool { return slices.Contains(unitNames, name) }}

func format(text string) (string, bool, *diag.List) {
	var diags diag.List
	out, ok := Source(diag.NewSource("f.weft", text), units, &diags)
	return out, ok, &diags
}

// Each file in testdata is a source and its format, divided by a line of dashes.
func TestFormat(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source, want, ok := strings.Cut(string(text), "----\n")
		if !ok {
			t.Fatalf("%s has no line of dashes", path)
		}
		got, ok, diags := format(source)
		if !ok {
			t.Errorf("%s:\n%s", path, diags)
			continue
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
		}
		if again, _, _ := format(got); again != got {
			t.Errorf("%s: formatted twice\n%s\nonce\n%s", path, again, got)
		}
	}
}

func TestMistakesLeaveTheTextAlone(t *testing.T) {
	const text = "a   =   1\nb = = 2\n"
	got, ok, diags := format(text)
	if ok || got != text || !diags.HasErrors() {
		t.Errorf("got %q, %v, %v", got, ok, diags)
	}
}

func TestEmptyFiles(t *testing.T) {
	for text, want := range map[string]string{"": "", "\n\n\n": "", "  \t\r\n": "", "\ufeff# a\r\n": "# a\n", "a": "a\n"} {
		if got, ok, _ := format(text); !ok || got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestLongLinesAreQuick(t *testing.T) {
	start := time.Now()
	if _, ok, diags := format("show([" + strings.Repeat("1.5 mm, ", 16000) + "1])"); !ok {
		t.Fatal(diags)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("a line of 16,000 numbers took %v", d)
	}
}

func FuzzFormat(f *testing.F) {
	diagtest.Seeds(f, "testdata/*.txt")
	f.Fuzz(func(t *testing.T, text string) {
		once, ok, _ := format(text)
		if !ok {
			return
		}
		twice, ok, diags := format(once)
		if !ok {
			t.Fatalf("the format of %q has mistakes:\n%s%s", text, once, diags)
		}
		if once != twice {
			t.Errorf("formatted once\n%s\ntwice\n%s", once, twice)
		}
		if a, b := meaning(text), meaning(once); a != b {
			t.Errorf("formatting changes\n%s\nto\n%s", a, b)
		}
	})
}

// meaning is the tree of a text, and its comments in order, each with how many statements begin before it, and whether one ends on its line.
func meaning(text string) string {
	src := diag.NewSource("f.weft", text)
	file := syntax.Parse(src, units, &diag.List{})
	out := syntax.Dump(file)
	for _, t := range syntax.Scan(src, units, &diag.List{}) {
		if t.Kind != syntax.Comment {
			continue
		}
		before, beside := 0, false
		for _, s := range file.Statements {
			if s.Span().Start > t.Start {
				break
			}
			before++
			beside = s.Span().End <= t.Start && !strings.Contains(text[s.Span().End:t.Start], "\n") // lines within a statement are the formatter's to join
		}
		out += fmt.Sprintln(before, beside, t.Text)
	}
	return out
}

package diag

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTableIsSortedAndComplete(t *testing.T) {
	form := regexp.MustCompile(`^E0[1-7]\d\d$`)
	titles := map[string]string{}
	previous := ""
	for _, c := range Codes() {
		if c.Code <= previous {
			t.Errorf("%s stands behind %s", c.Code, previous)
		}
		previous = c.Code
		if !form.MatchString(c.Code) {
			t.Errorf("%s is no code", c.Code)
		}
		for what, text := range map[string]string{
			"title": c.Title, "explanation": c.Explanation, "wrong example": c.Wrong, "right example": c.Right,
		} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: empty %s", c.Code, what)
			}
		}
		if c.Wrong == c.Right {
			t.Errorf("%s: both examples are the same", c.Code)
		}
		if !strings.HasSuffix(c.Explanation, ".") {
			t.Errorf("%s: explanation is no sentence", c.Code)
		}
		if other, ok := titles[c.Title]; ok {
			t.Errorf("%s and %s have one title", c.Code, other)
		}
		titles[c.Title] = c.Code
		if !slices.ContainsFunc(Ranges, func(r Range) bool { return strings.HasPrefix(c.Code, r.Prefix) }) {
			t.Errorf("%s is in no range", c.Code)
		}
	}
}

// TestEveryCodeIsExplained compares the codes that the program knows with the table.
func TestEveryCodeIsExplained(t *testing.T) {
	text, err := os.ReadFile("../../ops/problem/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	known := regexp.MustCompile(`E\d{4}`).FindAllString(string(text), -1)
	var explained []string
	for _, c := range Codes() {
		explained = append(explained, c.Code)
	}
	if !slices.Equal(known, explained) {
		t.Errorf("the program has the codes\n%v\nand the table\n%v", known, explained)
	}
}

func TestLookup(t *testing.T) {
	for _, c := range Codes() {
		got, ok := Lookup(strings.ToLower(c.Code))
		if !ok || got.Title != c.Title {
			t.Errorf("Lookup(%s) = %q, %v", c.Code, got.Title, ok)
		}
	}
	for _, code := range []string{"", "E", "E0000", "E9999", "E01", "E01011"} {
		if _, ok := Lookup(code); ok {
			t.Errorf("Lookup(%q) finds something", code)
		}
	}
}

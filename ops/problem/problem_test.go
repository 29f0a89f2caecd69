package problem

import (
	"errors"
	"slices"
	"testing"
)

func TestEach(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	if got := Each(errors.Join(a, errors.Join(b, nil), errors.Join(errors.Join(c)))); !slices.Equal(got, []error{a, b, c}) {
		t.Errorf("got %v", got)
	}
	if got := Each(a); !slices.Equal(got, []error{a}) {
		t.Errorf("of one error: %v", got)
	}
	if got := Each(nil); got != nil {
		t.Errorf("of none: %v", got)
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{"a\tb\n": "a\tb\n", "\x1b[31m": `\u001b[31m`, "日本\xff": `日本\xff`, "\u202e": `\u202e`, "\u009b": `\u009b`} {
		if got := Printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
}

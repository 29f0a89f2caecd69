package diag

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	operators := []string{"beamform", "envelope", "decibel", "demodulate", "read", "real", "write", "show", "sum", "max", "min"}
	for _, tt := range []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"beamfrom", operators, []string{"beamform"}},
		{"envelop", operators, []string{"envelope"}},
		{"rea", operators, []string{"read", "real"}},
		{"Show", operators, []string{"show"}},
		{"shwo", operators, []string{"show"}},
		{"zzz", operators, nil},
		{"read", operators, []string{"real"}},
		{"elemnt", []string{"sample", "element"}, []string{"element"}},
		{"mhz", []string{"MHz", "m", "kHz"}, []string{"MHz"}},
		{"x", []string{"y", "z"}, nil},
		{"X", []string{"x", "y"}, []string{"x"}},
		{"", operators, nil},
		{"pich", []string{"pitch", "pich", "pitch"}, []string{"pitch"}},
		{"größe", []string{"grösse", "grüße", "grese"}, []string{"grüße"}},
	} {
		if got := Nearest(tt.name, tt.candidates); !slices.Equal(got, tt.want) {
			t.Errorf("Nearest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := distance([]rune(tt.a), []rune(tt.b), 9); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance([]rune(tt.b), []rune(tt.a), 9); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

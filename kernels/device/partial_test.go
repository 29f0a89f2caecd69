package device

import (
	"slices"
	"testing"
)

func TestJoinSpans(t *testing.T) {
	for _, c := range []struct{ in, want []Span }{
		{nil, nil},
		{[]Span{{3, 3}, {5, 4}}, nil},
		{[]Span{{8, 9}, {0, 4}, {4, 6}}, []Span{{0, 6}, {8, 9}}},
		{[]Span{{0, 10}, {2, 3}, {9, 12}}, []Span{{0, 12}}},
	} {
		in := slices.Clone(c.in)
		if got := JoinSpans(c.in); !slices.Equal(got, c.want) || !slices.Equal(c.in, in) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
}

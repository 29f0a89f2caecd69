package device

import (
	"slices"
	"testing"

	"weft/kernels/ir"
)

// A view lies within what it takes, with its margins, wherever the part begins, and its addresses agree with those of the buffer.
func TestViewsLieInWhatTheyTake(t *testing.T) {
	b := &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{5000}}
	margin := int64(MarginBytes(b))
	for from := int64(0); from < 3*ViewStep; from++ {
		for _, n := range []int64{0, 1, ViewStep - 1, ViewStep, ViewStep + 1, 2000} {
			part := Span{From: from, To: from + n}
			first, takes := ViewFirst(b, part), ViewBytes(b, n)
			if lo, hi := first+part.From-margin, first+part.To+margin; lo < 0 || hi > takes || first%ViewStep != 0 || takes%ViewStep != 0 {
				t.Fatalf("%v: bytes %d to %d of %d, the buffer's first at %d", part, lo, hi, takes, first)
			}
		}
	}
	takes := ViewBytes(b, 1000)
	for _, c := range []struct {
		part     Span
		at, room int64
		ok       bool
	}{
		{Span{From: 700, To: 1700}, 0, takes, true}, {Span{From: 19000, To: 20000}, ViewStep, takes + ViewStep, true},
		{Span{From: 700, To: 1700}, ViewStep, takes, false}, {Span{From: 700, To: 1700}, 4, takes + ViewStep, false}, {Span{From: 700, To: 1700}, -ViewStep, takes, false},
		{Span{From: -1, To: 10}, 0, takes, false}, {Span{From: 10, To: 9}, 0, takes, false}, {Span{From: 19001, To: 20001}, 0, takes, false},
	} {
		if err := CheckView(b, c.part, c.at, c.room); (err == nil) != c.ok {
			t.Errorf("%v at %d of %d: %v", c.part, c.at, c.room, err)
		}
	}
}

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

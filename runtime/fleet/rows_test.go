package fleet

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Sets of rows against a plain array of booleans.
func TestRowSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 40
	for range 200 {
		var set rowSet
		var plain [n]bool
		for range 30 {
			lo := r.IntN(n)
			rows := region.Interval{Lo: lo, Hi: lo + r.IntN(n-lo+1)}
			var missing rowSet
			for i := rows.Lo; i < rows.Hi; i++ {
				if !plain[i] {
					missing = missing.with(region.Interval{Lo: i, Hi: i + 1})
				}
			}
			if got := set.missing(rows); !slices.Equal(got, missing) || !rows.Empty() && set.holds(rows) != (missing == nil) {
				t.Fatalf("%v lacks %v of %v, not %v", set, missing, rows, got)
			}
			add := r.IntN(2) == 0
			for i := rows.Lo; i < rows.Hi; i++ {
				plain[i] = add
			}
			if add {
				set = set.with(rows)
			} else {
				set = set.without(rows)
			}
			for i := range n {
				if plain[i] != slices.ContainsFunc(set, func(x region.Interval) bool { return x.Lo <= i && i < x.Hi }) {
					t.Fatalf("row %d of %v", i, set)
				}
			}
			for i := range set {
				if set[i].Empty() || i > 0 && set[i-1].Hi >= set[i].Lo {
					t.Fatalf("%v is out of order", set)
				}
			}
		}
	}
}

// Rows of buffers lie where their elements lie, padding included, in one piece.
func TestSpansOfRows(t *testing.T) {
	pad := ir.Pad{Before: 1, After: 2, Value: 9}
	for _, c := range []struct {
		name  string
		shape []int
		pad   ir.Pad
		rows  region.Interval
		want  []device.Span
	}{
		{"rows", []int{5, 4}, pad, region.Interval{Lo: 1, Hi: 3}, []device.Span{{From: 28, To: 84}}},
		{"planes", []int{5, 3, 4}, pad, region.Interval{Lo: 1, Hi: 2}, []device.Span{{From: 84, To: 168}}},
		{"all", []int{5, 4}, pad, region.Interval{Hi: 5}, []device.Span{{From: 0, To: 140}}},
		{"elements", []int{5}, pad, region.Interval{Lo: 1, Hi: 3}, []device.Span{{From: 8, To: 16}}},
		{"the first element", []int{5}, pad, region.Interval{Hi: 1}, []device.Span{{From: 0, To: 8}}},
		{"the last element", []int{5}, pad, region.Interval{Lo: 4, Hi: 5}, []device.Span{{From: 20, To: 32}}},
		{"a single value", nil, ir.Pad{}, region.Interval{Hi: 1}, []device.Span{{From: 0, To: 4}}},
		{"no rows", []int{5, 4}, pad, region.Interval{Lo: 3, Hi: 3}, nil},
	} {
		a := Array{Buf: &ir.Buffer{Type: ir.F32, Shape: c.shape, Pad: c.pad}}
		if got := a.spans(ops.RowsOf(a.Buf, c.rows)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		mem, err := device.NewHostMemory(a.Buf)
		if err != nil {
			t.Fatal(err)
		}
		a.Data = make([]byte, a.Buf.Bytes())
		for _, s := range a.spans(region.Whole(c.shape...)) {
			clear(a.Data[s.From:s.To])
		}
		for lo := range a.rows().Hi {
			ops.FillPadding(a.Buf, ops.RowsOf(a.Buf, region.Interval{Lo: lo, Hi: lo + 1}), a.Data)
		}
		if !slices.Equal(a.Data, mem.Host()) {
			t.Errorf("%s: padded %v, want %v", c.name, a.Data, mem.Host())
		}
		mem.Free()
	}
}

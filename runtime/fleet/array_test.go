package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Parts of rows, in columns of any width, cover every byte of an array with its padding once, and each has its padding.
func TestPartsOfRows(t *testing.T) {
	pad := ir.Pad{Before: 2, After: 3, Value: 7}
	for _, c := range []struct {
		shape []int
		at    region.Region
		want  []device.Span
	}{
		{[]int{3, 8}, region.Region{{Lo: 1, Hi: 2}, {Lo: 3, Hi: 5}}, []device.Span{{From: 72, To: 80}}},
		{[]int{3, 8}, region.Region{{Lo: 0, Hi: 2}, {Lo: 0, Hi: 5}}, []device.Span{{From: 0, To: 28}, {From: 52, To: 80}}},
		{[]int{3, 8}, region.Region{{Lo: 0, Hi: 2}, {Lo: 0, Hi: 8}}, []device.Span{{From: 0, To: 104}}},
		{[]int{2, 4, 5}, region.Region{{Lo: 1, Hi: 2}, {Lo: 2, Hi: 3}, {Lo: 0, Hi: 5}}, []device.Span{{From: 240, To: 280}}},
	} {
		a := Array{Buf: &ir.Buffer{Type: ir.F32, Shape: c.shape, Pad: pad}}
		if got := a.spans(c.at); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.at, got, c.want)
		}
		mem, err := device.NewHostMemory(a.Buf)
		if err != nil {
			t.Fatal(err)
		}
		for wide := 1; wide <= c.shape[1]; wide++ {
			a.Data = make([]byte, a.Buf.Bytes())
			seen := make([]int, len(a.Data))
			for row := range c.shape[0] {
				for at := 0; at < c.shape[1]; at += wide {
					made := ops.RowsOf(a.Buf, region.Interval{Lo: row, Hi: row + 1}).Along(1, region.Interval{Lo: at, Hi: min(at+wide, c.shape[1])})
					for _, s := range a.spans(made) {
						for i := s.From; i < s.To; i++ {
							seen[i]++
						}
					}
					ops.FillPadding(a.Buf, made, a.Data)
				}
			}
			if slices.Min(seen) != 1 || slices.Max(seen) != 1 || !slices.Equal(a.Data, mem.Host()) {
				t.Errorf("%v, %d wide: bytes are in %d to %d parts; padded %v, want %v", c.shape, wide, slices.Min(seen), slices.Max(seen), a.Data, mem.Host())
			}
		}
		mem.Free()
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
		for lo := range max(1, append(c.shape, 1)[0]) {
			ops.FillPadding(a.Buf, ops.RowsOf(a.Buf, region.Interval{Lo: lo, Hi: lo + 1}), a.Data)
		}
		if !slices.Equal(a.Data, mem.Host()) {
			t.Errorf("%s: padded %v, want %v", c.name, a.Data, mem.Host())
		}
		mem.Free()
	}
}

// The elements of a region are in lines without padding, each once, in as few as its dims allow.
func TestElementsOfARegion(t *testing.T) {
	pad := ir.Pad{Before: 2, After: 3}
	for _, c := range []struct {
		shape []int
		pad   ir.Pad
		at    region.Region
		lines int
	}{
		{nil, ir.Pad{}, nil, 1},
		{[]int{7}, pad, region.Region{{Lo: 2, Hi: 5}}, 1},
		{[]int{4, 5, 6}, ir.Pad{}, region.Whole(4, 5, 6), 1},
		{[]int{4, 5, 6}, pad, region.Whole(4, 5, 6), 1},
		{[]int{4, 5, 6}, pad, region.Region{{Lo: 1, Hi: 3}, {Hi: 5}, {Lo: 2, Hi: 6}}, 1},
		{[]int{4, 5, 6}, pad, region.Region{{Lo: 1, Hi: 4}, {Lo: 3, Hi: 5}, {Hi: 6}}, 3},
		{[]int{3, 4, 5, 6}, ir.Pad{}, region.Region{{Hi: 2}, {Lo: 1, Hi: 3}, {Lo: 4, Hi: 5}, {Hi: 6}}, 4},
	} {
		b := &ir.Buffer{Name: "b", Type: ir.I16, Shape: c.shape, Pad: c.pad}
		want, got := map[int64]bool{}, map[int64]bool{}
		for index := range c.at.Indices() {
			cell := c.pad.Before
			for d, stride := range b.Strides() {
				cell += index[d] * stride
			}
			want[int64(2*cell)] = true
		}
		lines, ok := elements(b, c.at)
		for _, l := range lines {
			l.Each(func(at int64, _ int) {
				for i := 0; i < l.Width; i += 2 {
					if got[at+int64(i)] {
						t.Errorf("%v of %v: %d twice", c.at, c.shape, at)
					}
					got[at+int64(i)] = true
				}
			})
		}
		if !ok || len(lines) != c.lines || !maps.Equal(got, want) {
			t.Errorf("%v of %v: %+v", c.at, c.shape, lines)
		}
	}
	b := &ir.Buffer{Name: "b", Type: ir.I16, Shape: []int{mostLines + 1, 2, 2}}
	if lines, ok := elements(b, region.Region{{Hi: mostLines + 1}, {Hi: 1}, {Hi: 2}}); ok {
		t.Errorf("%d lines", len(lines))
	}
}

// What is seen is copied in portions of so many spans and bytes, in order, and each byte once.
func TestPortionsOfPieces(t *testing.T) {
	a, b := Array{Buf: &ir.Buffer{Name: "a"}}, Array{Buf: &ir.Buffer{Name: "b"}}
	of := []piece{{a, []device.Span{{From: 0, To: 3}, {From: 5, To: 6}, {From: 9, To: 30}}}, {b, []device.Span{{From: 2, To: 4}, {From: 7, To: 8}}}}
	var text []string
	for _, p := range portions(of, 3, 10) {
		for _, q := range p {
			text = append(text, fmt.Sprint(q.array.Buf.Name, q.spans))
		}
		text = append(text, "|")
	}
	if got := strings.Join(text, " "); got != "a[{0 3} {5 6} {9 15}] | a[{15 25}] | a[{25 30}] b[{2 4} {7 8}] |" {
		t.Error(got)
	}
	if got := portions(of, 100, 1000); len(got) != 1 || len(got[0]) != 2 || len(portions(nil, 1, 1)) != 0 {
		t.Errorf("%+v", got)
	}
}

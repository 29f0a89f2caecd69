package fleet

import (
	"slices"
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

// Rows of which a device made all parts are there; what was forgotten in between is not.
func TestPartsMakeRows(t *testing.T) {
	a := Array{Buf: &ir.Buffer{Type: ir.F32, Shape: []int{4, 10}}}
	part := func(row, lo, hi int) region.Region {
		return region.Region{{Lo: row, Hi: row + 1}, {Lo: lo, Hi: hi}}
	}
	r := &replica{}
	r.computed(a, part(1, 0, 4))
	r.computed(a, part(2, 5, 10))
	r.computed(a, part(1, 4, 10))
	r.forget(region.Interval{Lo: 2, Hi: 3})
	r.computed(a, part(2, 0, 5))
	r.computed(a, part(3, 0, 10))
	if want := (rowSet{{Lo: 1, Hi: 2}, {Lo: 3, Hi: 4}}); !slices.Equal(r.valid, want) {
		t.Errorf("%v, want %v", r.valid, want)
	}
	r.computed(a, part(2, 5, 10))
	if want := (rowSet{{Lo: 1, Hi: 4}}); !slices.Equal(r.valid, want) || len(r.partly) != 0 {
		t.Errorf("%v, want %v; %v", r.valid, want, r.partly)
	}
}

// Few rows are cut along the second axis, in steps, so that every device has enough of them; many, given ones and joined ones are not.
func TestGrid(t *testing.T) {
	b := ir.NewBuilder()
	y, x := b.Axis("y", 5), b.Axis("x", 1000)
	out := &ir.Buffer{Type: ir.F32, Shape: []int{5, 1000}}
	turned := &ir.Buffer{Type: ir.F32, Shape: []int{1000, 5}}
	job := func(change func(*Job)) *Job {
		j := &Job{Over: region.Region{{Hi: 5}, {Hi: x.Extent}}, Kernel: &ir.Kernel{Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}}}},
			Writes: []Array{{Buf: out}}}
		change(j)
		return j
	}
	for name, c := range map[string]struct {
		change  func(*Job)
		devices int
		steps   []int
		want    [3]int // high, wide, across
	}{
		"few":      {func(*Job) {}, 2, []int{1, 8}, [3]int{1, 32, 32}},
		"of steps": {func(*Job) {}, 2, []int{2, 50}, [3]int{2, 50, 20}},
		"short":    {func(*Job) {}, 2, []int{1, 1024}, [3]int{1, 1, 1}},
		"joined":   {func(j *Job) { j.Whole = true }, 2, []int{1, 8}, [3]int{1, 1, 1}},
		"given":    {func(j *Job) { j.Cuts = [][]region.Region{{j.Kernel.Domain()}} }, 2, []int{1, 8}, [3]int{1, 1, 1}},
		"turned outputs": {func(j *Job) {
			j.Kernel.Stores[0] = ir.Store{Buf: turned, Index: []*ir.Node{x, y}}
			j.Writes[0].Buf = turned
		}, 2, []int{1, 8}, [3]int{1, 1, 1}},
	} {
		if g := newGrid(job(c.change), c.devices, c.steps); [3]int{g.high, g.wide, g.across} != c.want {
			t.Errorf("%s: %d rows of %d in %d, want %v", name, g.high, g.wide, g.across, c.want)
		}
	}
}

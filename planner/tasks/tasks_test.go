package tasks

import (
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// strips are the tasks of a matrix of t x t tiles, each from those on its left and on the left of the diagonal.
func strips(t, b int) ops.Tasks {
	var list []ops.Task
	a, x := &ops.Stage{Name: "a"}, &ops.Stage{Name: "x", State: true}
	box := func(i, j int) region.Region {
		return region.Region{{Lo: i * b, Hi: (i + 1) * b}, {Lo: j * b, Hi: (j + 1) * b}}
	}
	for j := range t {
		for i := j; i < t; i++ {
			k := ops.Task{Reads: []ops.Tile{{Of: a, Box: box(i, j)}}, Makes: []ops.Tile{{Of: x, Box: box(i, j)}}}
			for l := range j {
				k.Reads = append(k.Reads, ops.Tile{Of: x, Box: box(j, l)})
				if i > j {
					k.Reads = append(k.Reads, ops.Tile{Of: x, Box: box(i, l)})
				}
			}
			list = append(list, k)
		}
	}
	return ops.Tasks{Of: []*ops.Stage{a, x}, Count: len(list), At: func(k int) ops.Task { return list[k] }}
}

// A tile is read when a task needs it that the one before did not have, and memory is that of the tiles, of whole rows or of pages.
func TestTilesAreCounted(t *testing.T) {
	const n, b = 16, 512 // a page of doubles
	buf := &ir.Buffer{Type: ir.F64, Shape: []int{n * b, n * b}}
	of := func(*ops.Stage) *ir.Buffer { return buf }
	list := strips(n, b)
	x := list.Of[1]
	o := Lay(list, of)
	for _, m := range o.Read {
		want := n * (n + 1) / 2
		if m.Of == x {
			want = n*n + n*(n-1)*(n-2)/6 - want - (n - 1)
		}
		if m.Tiles != want || m.Elements != int64(want)*b*b {
			t.Errorf("%d tiles of %s are read, %d elements; want %d", m.Tiles, m.Of.Name, m.Elements, want)
		}
	}
	if m := o.Made; len(m) != 1 || m[0].Tiles != n*(n+1)/2 {
		t.Errorf("written: %v", m)
	}
	const tile = 8 * b * b
	l := layout{list: list, bufs: of, numbers: map[string]int{}}
	fine, held := int64(0), int64(0)
	l.each(func(_ numbered, _ bool, there []int) {
		fine, held = max(fine, l.fine(there)), max(held, l.bytes(there))
	})
	if fine != (3*(n-3)+4)*tile || held != fine {
		t.Errorf("%d tiles at once that hold %d, want those of three strips, two that are made or were, and two of a", fine/tile, held/tile)
	}
	if !o.Rows || o.Peak != (3*n+2)*tile {
		t.Errorf("%d tiles of rows at once, rows: %v", o.Peak/tile, o.Rows)
	}
	buf = &ir.Buffer{Type: ir.F64, Shape: []int{8 * n, 8 * n}}
	narrow := strips(n, 8)
	l = layout{list: narrow, bufs: of, numbers: map[string]int{}}
	rows := int64(0)
	l.each(func(_ numbered, _ bool, there []int) { rows = max(rows, l.rows(there)) })
	if o := Lay(narrow, of); o.Peak < rows {
		t.Errorf("pages that tiles do not fill are not counted: %d bytes", o.Peak)
	}
}

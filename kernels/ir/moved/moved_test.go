package moved

import (
	"testing"

	"weft/kernels/ir"
)

// Values of points are the same where they come to the same places of the same arrays: by other sums, held at the same ends, under the same conditions; and
// where it is not known how far an axis goes, or a value depends on a fold that differs from point to point, they are not known to be.
func TestSamePlaces(t *testing.T) {
	b := ir.NewBuilder()
	y, x := b.Axis("y", 20), b.Axis("x", 30)
	a, c := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{20, 30}}, &ir.Buffer{Name: "c", Type: ir.F32, Shape: []int{20, 30}}
	up := func(n *ir.Node, by int) *ir.Node { return b.Add(n, b.I32(by)) }
	held := func(n *ir.Node) *ir.Node { return b.Max(b.I32(0), b.Min(b.I32(19), n)) }
	inside := func(n *ir.Node) *ir.Node { return b.Lt(n, b.I32(20)) }
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(3), Init: []*ir.Node{b.I32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(i, y))}, nil
	})[0]
	for name, p := range map[string]struct {
		one, next *ir.Node // at a point, and at the next one along y
		same      bool
	}{
		"the row before":         {b.Load(a, up(y, 1), x), b.Load(a, y, x), true},
		"another row":            {b.Load(a, y, x), b.Load(a, y, x), false},
		"another array":          {b.Load(a, up(y, 1), x), b.Load(c, y, x), false},
		"another column":         {b.Load(a, up(y, 1), x), b.Load(a, y, up(x, 1)), false},
		"held":                   {b.Load(a, held(up(y, 2)), x), b.Load(a, held(up(y, 1)), x), true},
		"held and not":           {b.Load(a, held(up(y, 1)), x), b.Load(a, y, x), false},
		"under a condition":      {b.LoadOr(a, inside(up(y, 1)), b.F32(0), up(y, 1), x), b.LoadOr(a, inside(y), b.F32(0), y, x), true},
		"under another":          {b.LoadOr(a, inside(up(y, 1)), b.F32(0), up(y, 1), x), b.LoadOr(a, inside(up(y, 1)), b.F32(0), y, x), false},
		"every third row":        {b.Load(a, up(b.Mul(y, b.I32(3)), 3), x), b.Load(a, b.Mul(y, b.I32(3)), x), true},
		"backward":               {b.Load(a, b.Sub(b.I32(18), y), x), b.Load(a, b.Sub(b.I32(19), y), x), true},
		"at a place from a fold": {b.Load(a, sum, x), b.Load(a, sum, x), false},
		"on all rows":            {b.Load(a, b.I32(1), x), b.Load(a, b.I32(1), x), true},
	} {
		values := NewValues()
		at := func(by int64, known bool) *Point {
			return values.Point(func(axis *ir.Node) (int64, bool) {
				if axis == y {
					return by, known
				}
				return 0, true
			}, func(n *ir.Node) bool { return n.Free().Meets(y.Bind()) })
		}
		if got := at(0, true).Of(p.one) == at(1, true).Of(p.next); got != p.same {
			t.Errorf("%s: %v, want %v", name, got, p.same)
		}
		if p.one.Free().Meets(y.Bind()) && at(0, false).Of(p.one) == at(1, false).Of(p.next) {
			t.Errorf("%s: the same, however far apart points are", name)
		}
	}
}

// Of three by three neighbours four rows have 18 in common of 36: each saves four and a half.
func TestSaved(t *testing.T) {
	b := ir.NewBuilder()
	y, x := b.Axis("y", 20), b.Axis("x", 30)
	a := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{22, 32}}
	var loads []*ir.Node
	for j := range 3 {
		for i := range 3 {
			loads = append(loads, b.Load(a, b.Add(y, b.I32(j)), b.Add(x, b.I32(i))))
		}
	}
	for axis, want := range map[*ir.Node][2]float64{y: {4.5, 9}, x: {}} {
		along := Along(loads, axis)
		if saved, all := Saved(along, axis, 4), float64(len(along)); saved != want[0] || all != want[1] {
			t.Errorf("along %s: %v of %v, want %v", axis.Name, saved, all, want)
		}
	}
}

package bounds

import (
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// What is found once, of indices that are an axis or go with none, is what their ranges say of every region.
func TestSteadyIndices(t *testing.T) {
	b := ir.NewBuilder()
	buf := func(name string, shape ...int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: shape} }
	i, j := b.Axis("i", 40), b.Axis("j", 30)
	sum := func(hi *ir.Node, term func(k *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: hi, Monoid: ir.Sum, Init: []*ir.Node{b.F32(0)}}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], term(k))}, nil
		})[0]
	}
	place := b.Load(&ir.Buffer{Name: "place", Type: ir.I32, Shape: []int{40}}, i)
	single := b.Load(&ir.Buffer{Name: "single", Type: ir.I32, Shape: []int{1}}, b.I32(0))
	below := b.Alu(ir.Lt, i, b.I32(25))
	values := []*ir.Node{
		b.Load(buf("axes", 40, 30), i, j),
		b.Load(buf("narrower", 20, 30), i, j),
		b.Load(buf("apart", 50), b.Add(i, b.I32(7))), b.Load(buf("apart", 50), i),
		b.Load(buf("fixed", 30, 4), j, b.I32(3)),
		sum(b.I32(6), func(k *ir.Node) *ir.Node { return b.Load(buf("turns", 40, 6), i, k) }),
		sum(b.Add(i, b.I32(1)), func(k *ir.Node) *ir.Node { return b.Load(buf("rising", 40), k) }),
		b.Load(buf("placed", 64), place), b.Load(buf("one", 64), single),
		b.Select(below, b.Load(buf("chosen", 40, 9), i, b.I32(2)), b.F32(0)),
		b.Select(b.Alu(ir.Lt, single, b.I32(5)), b.Load(buf("few", 64), single), b.F32(0)),
	}
	value := values[0]
	for _, v := range values[1:] {
		value = b.Add(value, v)
	}
	k := &ir.Kernel{Axes: []*ir.Node{i, j}, Stores: []ir.Store{{Buf: buf("out", 40, 30), Index: []*ir.Node{i, j}, Value: value}}}
	told := Values{place.Buf: {3, 11}, single.Buf: {1, 12}}
	for name, loads := range map[string]*Loads{"needed": Needed(k).Where(told), "executed": Executed(k, told)} {
		for _, over := range []region.Region{k.Domain(), {{Lo: 5, Hi: 9}, {Lo: 2, Hi: 3}}, {{Lo: 30, Hi: 40}, {Lo: 0, Hi: 30}}, {{Lo: 5, Hi: 9}}, {}, {{Lo: 5, Hi: 5}, {Lo: 1, Hi: 2}}} {
			got := loads.Of(over)
			want := map[*ir.Buffer]region.Region{}
			for _, c := range loads.under {
				ranges := ir.RangesWhere(c.holds, loads.known(over))
				for _, n := range c.loads {
					at := make(region.Region, len(n.Buf.Shape))
					for i := range at {
						if at[i] = n.along(i, ranges); over.Empty() {
							at[i] = region.Interval{}
						}
					}
					want[n.Buf] = want[n.Buf].Hull(at)
				}
			}
			for b, w := range want {
				if g := got[b]; !g.Equal(w) && !(g.Empty() && w.Empty()) {
					t.Errorf("%s, %v: %s is read at %v, want %v", name, over, b.Name, g, w)
				}
			}
		}
	}
	if n := len(Needed(k).steady()); n < len(values) {
		t.Errorf("%d loads, want %d", n, len(values))
	}
}

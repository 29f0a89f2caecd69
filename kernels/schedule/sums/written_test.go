package sums

import (
	"slices"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/schedule"
)

// Folds over neighbours at places that are known are written out, and rows beside each other share what they load; folds at places that are not known, over
// more neighbours than a kernel may have operations for, and along rows alone stay. Results have the bits that they had.
func TestWritten(t *testing.T) {
	const rows, columns = 12, 40
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{rows, columns}}
	data := make([]float64, rows*columns)
	for i := range data {
		data[i] = float64(float32(1/float64(i*i%97+3) - 0.1))
	}
	for name, c := range map[string]struct {
		reach, flat int
		unknown     bool // places
		cast        bool // they are float32
		largest     bool
		wide        bool // sums
		loads       int  // of a point; 0: there are folds
	}{
		"five by five":         {reach: 2, loads: 25},
		"largest":              {reach: 2, largest: true, loads: 25},
		"in float64":           {reach: 1, wide: true, loads: 9},
		"at float places":      {reach: 1, cast: true, loads: 9},
		"at places in a file":  {reach: 2, unknown: true},
		"nine by nine":         {reach: 4},
		"along rows alone":     {reach: 3, flat: 1},
		"across rows, of five": {reach: 2, flat: 2, loads: 5},
	} {
		b := ir.NewBuilder()
		y, x := b.Axis("y", rows), b.Axis("x", columns)
		n := 2*c.reach + 1
		table := &ir.Buffer{Name: "places", Type: ir.I32, Shape: []int{n}}
		if c.cast {
			table.Type = ir.F32
		}
		places := make([]float64, n)
		for i := range places {
			places[i] = float64(i - c.reach)
		}
		places[0], places[1] = places[1], places[0] // in any order
		if !c.unknown {
			table.Facts.Data = ir.DataFactsOf(places, n)
		}
		typ, monoid, join, init := ir.F32, ir.Sum, ir.Add, 0.0
		if c.wide {
			typ = ir.F64
		}
		if c.largest {
			monoid, join, init = ir.Largest, ir.Max, -1e9
		}
		fold := func(name string, term func(i *ir.Node) *ir.Node) *ir.Node {
			spec := ir.FoldSpec{Name: name, Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.Const(typ, init)}, Monoid: monoid}
			return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Alu(join, acc[0], term(i))}, nil
			})[0]
		}
		at := func(axis *ir.Node, extent int, i *ir.Node) *ir.Node {
			return b.Max(b.I32(0), b.Min(b.I32(extent-1), b.Add(axis, b.Cast(ir.I32, b.Load(table, i)))))
		}
		element := func(j, i *ir.Node) *ir.Node { return b.Cast(typ, b.Load(in, j, i)) }
		var value *ir.Node
		switch c.flat {
		case 1:
			value = fold("dx", func(i *ir.Node) *ir.Node { return element(y, at(x, columns, i)) })
		case 2:
			value = fold("dy", func(j *ir.Node) *ir.Node { return element(at(y, rows, j), x) })
		default:
			value = fold("dy", func(j *ir.Node) *ir.Node {
				return fold("dx", func(i *ir.Node) *ir.Node { return element(at(y, rows, j), at(x, columns, i)) })
			})
		}
		out := ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{rows, columns}}, Index: []*ir.Node{y, x}, Value: b.Cast(ir.F32, value)}
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{y, x}, Stores: []ir.Store{out}, Contract: true}
		got := Written(k)
		if err := rules.Check(got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		loads := 0
		got.Walk(func(n *ir.Node) {
			if n.Kind == ir.KLoad && n.Buf == in {
				loads++
			}
		})
		if got.Folds() > 0 {
			loads = 0
		}
		if loads != c.loads {
			t.Errorf("%s: %d loads without folds, want %d\n%s", name, loads, c.loads, got)
		}
		if loads > 0 {
			if s := schedule.Default(got, schedule.AVX512); len(s.Unroll) != 1 || s.Unroll[0].Axis != 0 {
				t.Errorf("%s: %s, want rows in flight", name, s.Text(got))
			}
		}
		inputs := map[*ir.Buffer][]float64{in: data, table: places}
		if want, is := everywhere(t, k, inputs), everywhere(t, got, inputs); !slices.Equal(want, is) {
			t.Errorf("%s: %v, want %v", name, is, want)
		}
	}
}

// everywhere is what a kernel over rows and columns stores.
func everywhere(t *testing.T, k *ir.Kernel, inputs map[*ir.Buffer][]float64) (values []float64) {
	p, err := interp.Compile(k, interp.Exact)
	if err != nil {
		t.Fatal(err)
	}
	for y := range k.Axes[0].Extent {
		for x := range k.Axes[1].Extent {
			samples, err := p.Eval(t.Context(), interp.Inputs{Host: inputs}, [][]int{{y, x}})
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, samples[0][0].F)
		}
	}
	return values
}

package sums

import (
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// Sums of few products are kept in float32, nested ones as a whole; sums of many, of what was loaded, and those that are to be added term
// by term in float64 or are in a kernel whose operations round by themselves stay.
func TestFew(t *testing.T) {
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{128}}
	data := make([]float64, 128)
	for i := range data {
		data[i] = float64(float32(1 / float64(i+3)))
	}
	for name, c := range map[string]struct {
		rows, columns int
		loaded, terms bool
		few           bool
		each          bool // operation rounds by itself
	}{
		"five by five":   {rows: 5, columns: 5, few: true},
		"one row":        {rows: 1, columns: 64, few: true},
		"65":             {rows: 1, columns: 65},
		"nine by nine":   {rows: 9, columns: 9},
		"what is loaded": {rows: 3, columns: 3, loaded: true},
		"term by term":   {rows: 3, columns: 3, terms: true},
		"each by itself": {rows: 5, columns: 5, each: true},
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", 4)
		sum := func(n int, term func(i *ir.Node) *ir.Node) *ir.Node {
			spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}
			return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(acc[0], term(i))}, nil
			})[0]
		}
		total := sum(c.rows, func(i *ir.Node) *ir.Node {
			return sum(c.columns, func(j *ir.Node) *ir.Node {
				v := b.Load(in, b.Add(x, b.Add(i, j)))
				if !c.loaded {
					v = b.Mul(v, b.Load(in, b.Add(i, j)))
				}
				return b.Cast(ir.F64, v)
			})
		})
		out := ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{4}}, Index: []*ir.Node{x}, Value: b.Cast(ir.F32, total)}
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{x}, Stores: []ir.Store{out}, Termwise: c.terms, Contract: !c.each}
		few := Few(k)
		if err := rules.Check(few); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wide := false
		few.Walk(func(n *ir.Node) { wide = wide || n.Type == ir.F64 })
		if wide == c.few {
			t.Errorf("%s: float64 is there: %v\n%s", name, wide, few)
		}
		want, got := at(t, k, in, data), at(t, few, in, data)
		if d := want - got; d > 3e-6*want || -d > 3e-6*want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// at is what a kernel of one input stores at its second point.
func at(t *testing.T, k *ir.Kernel, in *ir.Buffer, data []float64) float64 {
	return evaluated(t, k, map[*ir.Buffer][]float64{in: data})
}

func evaluated(t *testing.T, k *ir.Kernel, inputs map[*ir.Buffer][]float64) float64 {
	p, err := interp.Compile(k, interp.Exact)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := p.Eval(t.Context(), interp.Inputs{Host: inputs}, [][]int{{1}})
	if err != nil {
		t.Fatal(err)
	}
	return samples[0][0].F
}

// A sum of few turns through neighbours of the place where a loop stands is written out, in float32 where its terms are; one of many turns is not, nor
// one that goes through other elements in each turn.
func TestFewTurnsWithinALoop(t *testing.T) {
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{128}}
	data := make([]float64, 128)
	for i := range data {
		data[i] = float64(float32(1 / float64(i+3)))
	}
	for name, c := range map[string]struct {
		turns, folds int
		wide, apart  bool // terms; what turns of the loop load
		inner        ir.DType
	}{
		"eleven diagonals": {turns: 11, folds: 1, inner: ir.F32},
		"in float64":       {turns: 11, folds: 1, wide: true, inner: ir.F64},
		"many":             {turns: 20, folds: 2},
		"apart":            {turns: 8, folds: 2, apart: true},
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", 4)
		sum := func(n int, term func(i *ir.Node) *ir.Node) *ir.Node {
			return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(acc[0], term(i))}, nil
			})[0]
		}
		total := sum(90, func(i *ir.Node) *ir.Node {
			seen := sum(c.turns, func(j *ir.Node) *ir.Node {
				at := b.Add(x, b.Add(i, j))
				if c.apart {
					at = b.Add(b.Mul(b.Alu(ir.Mod, i, b.I32(8)), b.I32(8)), j)
				}
				v, w := b.Load(in, at), b.Load(in, j)
				if c.wide {
					return b.Mul(b.Cast(ir.F64, v), b.Cast(ir.F64, w))
				}
				return b.Cast(ir.F64, b.Mul(v, w))
			})
			return b.Cast(ir.F64, b.Mul(b.Cast(ir.F32, seen), b.Cast(ir.F32, seen))) // no sum of the terms
		})
		out := ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{4}}, Index: []*ir.Node{x}, Value: total}
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{x}, Stores: []ir.Store{out}, Contract: true}
		few := Few(k)
		if err := rules.Check(few); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if few.Folds() != c.folds {
			t.Errorf("%s: %d loops, want %d\n%s", name, few.Folds(), c.folds, few)
		}
		sums := map[ir.DType]int{} // that have a product among their terms
		few.Walk(func(n *ir.Node) {
			if n.Op == ir.Add && n.Args[1].Op == ir.Mul {
				sums[n.Type]++
			}
		})
		if c.folds == 1 && sums[c.inner] < c.turns-1 {
			t.Errorf("%s: %v sums of products, want those of %d turns in %v\n%s", name, sums, c.turns, c.inner, few)
		}
		want, got := at(t, k, in, data), at(t, few, in, data)
		if d := want - got; d > 3e-6*want || -d > 3e-6*want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

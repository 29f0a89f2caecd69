package interp_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/contraction"
)

// tree evaluates nodes as the language defines them, one by one and where they stand: nothing is moved out of a loop.
type tree struct {
	c    conformance.Case
	data map[*ir.Buffer][]interp.Value
	vars map[*ir.Node]interp.Value
	once *contraction.Rule
	memo []map[*ir.Node][]interp.Value // by open fold iteration
}

func newTree(c conformance.Case) *tree {
	t := &tree{c: c, data: map[*ir.Buffer][]interp.Value{}, vars: map[*ir.Node]interp.Value{}, once: contraction.Of(c.Kernel), memo: []map[*ir.Node][]interp.Value{{}}}
	for _, in := range c.Inputs {
		cell := make([]byte, in.Buf.Type.Size())
		for i := range in.Buf.Len() {
			fill(in, cell, 0, i)
			v := interp.Value{F: device.Float(in.Buf.Type, cell, 0)}
			if !in.Buf.Type.Float() {
				v = interp.Value{I: device.Int(in.Buf.Type, cell, 0)}
			}
			t.data[in.Buf] = append(t.data[in.Buf], v)
		}
	}
	return t
}

// fill sets cell at of memory to element i of an input.
func fill(in conformance.Input, host []byte, at, i int) {
	if in.F != nil {
		device.SetFloat(in.Buf.Type, host, at, in.F[i])
	} else {
		device.SetInt(in.Buf.Type, host, at, in.I[i])
	}
}

func (t *tree) value(n *ir.Node) interp.Value {
	if n.Kind == ir.KGet {
		return t.values(n.Args[0])[n.I]
	}
	return t.values(n)[0]
}

// values are all results of a fold, or the one of another node.
func (t *tree) values(n *ir.Node) []interp.Value {
	for _, m := range t.memo {
		if v, ok := m[n]; ok {
			return v
		}
	}
	var v []interp.Value
	if n.Kind == ir.KFold {
		v = t.fold(n.Fold)
	} else {
		v = []interp.Value{t.compute(n)}
	}
	t.memo[len(t.memo)-1][n] = v
	return v
}

func (t *tree) compute(n *ir.Node) interp.Value {
	switch n.Kind {
	case ir.KConst:
		if n.Type == ir.F32 {
			return interp.Value{F: float64(float32(n.F))}
		}
		return interp.Value{F: n.F, I: n.I}
	case ir.KArg:
		a, _ := device.ScalarOf(t.c.Args, n)
		if n.Type == ir.F32 {
			a.F = float64(float32(a.F))
		}
		return interp.Value{F: a.F, I: a.I}
	case ir.KAxis:
		return t.vars[n]
	case ir.KLoad:
		if guard, other := n.Guard(); guard != nil && t.value(guard).I == 0 {
			return t.value(other)
		}
		at := 0
		for d, i := range n.Index() {
			at = at*n.Buf.Shape[d] + int(t.value(i).I)
		}
		return t.data[n.Buf][at]
	}
	if at, ok := t.once.Product(n); ok {
		x, y, z := t.value(n.Args[at].Args[0]).F, t.value(n.Args[at].Args[1]).F, t.value(n.Args[1-at]).F
		if n.Op == ir.Sub && at == 0 {
			z = -z
		} else if n.Op == ir.Sub {
			x = -x
		}
		return interp.Value{F: roundedOnce(n.Type, x, y, z)}
	}
	args := make([]interp.Value, len(n.Args))
	for i, a := range n.Args {
		args[i] = t.value(a)
	}
	return interp.Apply(n, args)
}

// roundedOnce is x*y+z, computed exactly and rounded to a type.
func roundedOnce(typ ir.DType, x, y, z float64) float64 {
	if plain := x*y + z; math.IsNaN(plain) || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) {
		return plain
	}
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(6000).SetFloat64(v) }
	sum := exact(0).Mul(exact(x), exact(y))
	switch sum.Add(sum, exact(z)); {
	case sum.Sign() == 0:
		return float64(x*y) + z // of signed zeros
	case typ == ir.F32:
		v, _ := sum.Float32()
		return float64(v)
	}
	v, _ := sum.Float64()
	return v
}

func (t *tree) fold(f *ir.Fold) []interp.Value {
	acc := make([]interp.Value, len(f.Accs))
	for k, n := range f.Init {
		acc[k] = t.value(n)
	}
	lo, hi := t.value(f.Lo).I, t.value(f.Hi).I
	level := len(t.memo)
	t.memo = append(t.memo, nil)
	for i := lo; i < hi; i++ {
		t.memo[level] = map[*ir.Node][]interp.Value{}
		t.vars[f.Index] = interp.Value{I: i}
		for k, a := range f.Accs {
			t.vars[a] = acc[k]
		}
		if f.While != nil && t.value(f.While).I == 0 {
			break
		}
		next := make([]interp.Value, len(acc))
		for k, n := range f.Step {
			next[k] = t.value(n)
		}
		acc = next
	}
	t.memo = t.memo[:level]
	return acc
}

// TestTree compares compiled programs with the tree at random points of every conformance kernel.
func TestTree(t *testing.T) {
	for _, c := range conformance.Cases() {
		if c.Kernel.Points() == 0 {
			continue
		}
		p, err := interp.Compile(c.Kernel, interp.Exact)
		if err != nil {
			t.Fatal(err)
		}
		in := interp.Inputs{Mem: map[*ir.Buffer]device.Memory{}, Args: c.Args}
		for _, i := range c.Inputs {
			m, err := device.NewHostMemory(i.Buf)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Free)
			device.Rows(i.Buf, func(packed, cell, n int) {
				for j := range n {
					fill(i, m.Host(), cell+j, packed+j)
				}
			})
			in.Mem[i.Buf] = m
		}
		rng := rand.New(rand.NewPCG(3, 4))
		var points [][]int
		for range 3 {
			var point []int
			for _, a := range c.Kernel.Axes {
				point = append(point, rng.IntN(a.Extent))
			}
			points = append(points, point)
		}
		if !c.Kernel.Pointwise() {
			continue // there is no value of a store at a point
		}
		got, err := p.Eval(context.Background(), in, points)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		w := newTree(c)
		for n, point := range points {
			w.memo = []map[*ir.Node][]interp.Value{{}}
			for d, a := range c.Kernel.Axes {
				w.vars[a] = interp.Value{I: int64(point[d])}
			}
			for k, s := range c.Kernel.Stores {
				if written := s.Guard == nil || w.value(s.Guard).I != 0; written != got[n][k].Written {
					t.Errorf("%s: store %d at %v: written %v", c.Name, k, point, !written)
				} else if !written {
					continue
				}
				v := w.value(s.Value)
				if g := got[n][k]; g.I != v.I || g.F != v.F && !(math.IsNaN(g.F) && math.IsNaN(v.F)) {
					t.Errorf("%s: store %d at %v: %v %v, want %v", c.Name, k, point, g.F, g.I, v)
				}
			}
		}
	}
}

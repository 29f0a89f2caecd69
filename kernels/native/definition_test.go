package native

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
)

// inputsOf puts a case's inputs in memory, those of float types as plain values if asked to.
func inputsOf(t *testing.T, c conformance.Case, plain bool) interp.Inputs {
	in := interp.Inputs{Mem: map[*ir.Buffer]device.Memory{}, Host: map[*ir.Buffer][]float64{}, Args: c.Args}
	for _, x := range c.Inputs {
		if plain && x.F != nil {
			in.Host[x.Buf] = x.F
			continue
		}
		m, err := device.NewHostMemory(x.Buf)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		in.Mem[x.Buf] = m
		if x.F != nil {
			device.SetFloats(x.Buf, m.Host(), x.F)
			continue
		}
		row := x.Buf.Row()
		width := 1
		if n := len(x.Buf.Shape); n > 0 {
			width = x.Buf.Shape[n-1]
		}
		for i, v := range x.I {
			device.SetInt(x.Buf.Type, m.Host(), x.Buf.Pad.Before*min(1, len(x.Buf.Shape))+i/width*row+i%width, v)
		}
	}
	return in
}

// pointsIn are some points of a kernel, all if it has few.
func pointsIn(k *ir.Kernel) (points [][]int) {
	random := rand.New(rand.NewPCG(5, 1))
	total := int(k.Points())
	for i := range min(total, 60) {
		flat := i
		if total > 60 {
			flat = random.IntN(total)
		}
		p := make([]int, len(k.Axes))
		for d := len(p) - 1; d >= 0; d-- {
			p[d], flat = flat%k.Axes[d].Extent, flat/k.Axes[d].Extent
		}
		points = append(points, p)
	}
	return points
}

// near allows a transcendental function of the C library to differ from Go's in the last bits.
func near(a, b float64, mode interp.Mode) bool {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	unit := 0x1p-52
	if mode == interp.Exact {
		unit = 0x1p-23
	}
	return math.Abs(a-b) <= 64*unit*max(1, math.Abs(a), math.Abs(b)) // of functions' values about 1, which may cancel
}

// The compiled definition of every conformance kernel is what the interpreter makes of it, in both arithmetics, to the bit where no
// transcendental function takes part.
func TestDefinitionsAreTheInterpreters(t *testing.T) {
	d := quick(t, "")
	for _, mode := range []interp.Mode{interp.Exact, interp.Wide} {
		for _, plain := range []bool{false, true} {
			if plain != (mode == interp.Wide) && os.Getenv("WEFT_LONG") == "" {
				continue
			}
			cases := slices.DeleteFunc(conformance.Cases(), func(c conformance.Case) bool { return !c.Kernel.Pointwise() })
			var programs []*interp.Program
			host := map[*ir.Buffer][]float64{}
			var ins []interp.Inputs
			for _, c := range cases {
				p, err := interp.Compile(c.Kernel, mode)
				if err != nil {
					t.Fatal(err)
				}
				in := inputsOf(t, c, plain)
				maps.Copy(host, in.Host)
				programs, ins = append(programs, p), append(ins, in)
			}
			all, err := d.Definitions(t.Context(), programs, host)
			if err != nil {
				t.Fatal(err)
			}
			different := 0
			for i, c := range cases {
				points := pointsIn(c.Kernel)
				want, err := programs[i].Eval(t.Context(), ins[i], points)
				if err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				got, err := all[i].Eval(t.Context(), ins[i], points)
				if err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				transcends := false
				c.Kernel.Walk(func(n *ir.Node) { transcends = transcends || n.Op >= ir.Exp && n.Op <= ir.Pow })
				for j := range want {
					for k, w := range want[j] {
						g := got[j][k]
						same := g.F == w.F || math.IsNaN(g.F) && math.IsNaN(w.F)
						if g.Written != w.Written || g.I != w.I || !same && !(transcends && near(g.F, w.F, mode)) {
							t.Fatalf("%s, %s, plain %v: at %v store %d: %+v, the interpreter has %+v", c.Name, mode, plain, points[j], k, g, w)
						}
						if !same {
							different++
						}
						for x, v := range w.Index {
							if g.Index[x] != v {
								t.Fatalf("%s: at %v index %v, the interpreter has %v", c.Name, points[j], g.Index, w.Index)
							}
						}
					}
				}
			}
			t.Logf("%s, plain %v: %d kernels, %d values differ in the last bits", mode, plain, len(cases), different)
		}
	}
}

// An index out of range is reported as the interpreter reports it, not read.
func TestDefinitionsStayInRange(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 40)
	in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{30}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{40}}
	k := &ir.Kernel{Name: "beyond", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: b.Load(in, x)}}}
	p, err := interp.Compile(k, interp.Wide)
	if err != nil {
		t.Fatal(err)
	}
	inputs := interp.Inputs{Host: map[*ir.Buffer][]float64{in: make([]float64, 30)}}
	dir := t.TempDir()
	defs, err := quickIn(t, "", dir).Definitions(t.Context(), []*interp.Program{p}, inputs.Host)
	if err != nil {
		t.Fatal(err)
	}
	made := len(objects(t, dir))
	again, err := quickIn(t, "", dir).Definitions(t.Context(), []*interp.Program{p}, inputs.Host)
	if now := len(objects(t, dir)); err != nil || len(again) != 1 || now != made || made == 0 {
		t.Errorf("a warm start compiles: %d objects, then %d, %v", made, now, err)
	}
	if _, err := defs[0].Eval(t.Context(), inputs, [][]int{{29}}); err != nil {
		t.Error(err)
	}
	_, err = defs[0].Eval(t.Context(), inputs, [][]int{{3}, {30}})
	if e, ok := errors.AsType[*interp.IndexError](err); !ok || e.Buffer != "in" || e.Index[0] != 30 {
		t.Errorf("index 30 of 30 elements: %v", err)
	}
	if _, err = defs[0].Eval(t.Context(), interp.Inputs{}, [][]int{{1}}); err == nil {
		t.Error("no input, and no error")
	}
	if _, err = defs[0].Eval(t.Context(), inputs, [][]int{{40}}); err == nil {
		t.Error("a point outside the axes, and no error")
	}
}

// A fold over indices of a buffer ends where the buffer does, and says so, unless it has settled before.
func TestFoldsOfDefinitionsStayInRange(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 40)
	in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{30}}, &ir.Buffer{Name: "out", Type: ir.Bool, Shape: []int{40}}
	found := b.Fold(ir.FoldSpec{Name: "k", Lo: b.Sub(x, b.I32(5)), Hi: x, Init: []*ir.Node{b.False()}, Monoid: ir.Any}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Or(acc[0], b.Lt(b.F32(0), b.Load(in, k)))}, nil
	})[0]
	p, err := interp.Compile(&ir.Kernel{Name: "found", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: found}}}, interp.Wide)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, 30)
	values[29] = 1
	inputs := interp.Inputs{Host: map[*ir.Buffer][]float64{in: values}}
	defs, err := quick(t, "").Definitions(t.Context(), []*interp.Program{p}, inputs.Host)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int]int64{5: 0, 29: 0, 30: 1, 33: 1, 34: 1, 4: -1, 0: -1, 35: -1, 39: -1} { // -1: out of range
		got, err := defs[0].Eval(t.Context(), inputs, [][]int{{at}})
		_, wrong := errors.AsType[*interp.IndexError](err)
		if wrong != (want < 0) || !wrong && (err != nil || got[0][0].I != want) {
			t.Errorf("at %d: %v, %v", at, got, err)
		}
	}
}

// objects are the compiled ones in a cache.
func objects(t *testing.T, dir string) []string {
	found, err := filepath.Glob(filepath.Join(dir, "objects", "*.so"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

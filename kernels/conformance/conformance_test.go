package conformance

import (
	"math"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
)

func TestCasesAreWellFormed(t *testing.T) {
	names := map[string]bool{}
	cases := Cases()
	if len(cases) < 80 {
		t.Errorf("only %d cases", len(cases))
	}
	again := Cases()
	for i, c := range cases {
		if names[c.Name] {
			t.Errorf("two cases are called %q", c.Name)
		}
		names[c.Name] = true
		if err := ir.Check(c.Kernel); err != nil {
			t.Error(err)
		}
		if ir.Hash(c.Kernel) != ir.Hash(again[i].Kernel) {
			t.Errorf("%s: another kernel the second time", c.Name)
		}
	}
}

// The interpreter agrees with itself, in tiles too.
func TestInterpreter(t *testing.T) { Run(t, interp.New(interp.Options{})) }

// The suite covers every operation and every storage type.
func TestCoverage(t *testing.T) {
	ops, types := map[ir.Op]bool{}, map[ir.DType]bool{}
	for _, c := range Cases() {
		c.Kernel.Walk(func(n *ir.Node) { ops[n.Op] = true })
		for _, b := range c.Kernel.Buffers() {
			types[b.Type] = true
		}
	}
	for op := ir.Add; op <= ir.Pow; op++ {
		if !ops[op] {
			t.Errorf("no case uses %s", op)
		}
	}
	for typ := ir.Bool; typ <= ir.F64; typ++ {
		if !types[typ] {
			t.Errorf("no case stores %s", typ)
		}
	}
}

// Outputs that are the same everywhere, rightly: nothing is stored or read, or the value does not depend on the axes.
var uniform = []string{
	"extent 0/", "guarded stores/never", "guards that never hold/", "/shift -100", "/shift 90", "windows wholly out of range/",
	"/negative zero", "exact sum a row/int", "product a row/wrapping", "extremes a row/integer", "argmin and argmax a row/l", "random",
}

// A case whose output is the same everywhere would not notice much.
func TestCasesComputeSomething(t *testing.T) {
	for _, c := range Cases() {
		p, err := interp.Compile(c.Kernel, interp.Exact)
		if err != nil {
			t.Fatal(err)
		}
		a := c.setUp(t, interp.New(interp.Options{}))
		if err := a.launch(p, []device.Tile{device.Whole(c.Kernel)}); err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		for _, b := range a.outputs {
			name := c.Name + "/" + b.Name
			if b.Len() < 9 || slices.ContainsFunc(uniform, func(s string) bool { return strings.Contains(name, s) }) {
				continue
			}
			if v := device.Floats(b, a.mem[b].Host()); constant(v) {
				t.Errorf("%s is %v everywhere", name, v[0])
			}
		}
	}
}

func constant(v []float64) bool {
	for _, w := range v {
		if w != v[0] && !(math.IsNaN(w) && math.IsNaN(v[0])) {
			return false
		}
	}
	return true
}

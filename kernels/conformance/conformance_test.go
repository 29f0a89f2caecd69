package conformance

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/region"
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
		if err := rules.Check(c.Kernel); err != nil {
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
		a, err := c.define()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		defer a.free()
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

// wrongProgram is a program with a fault in its launches.
type wrongProgram struct {
	device.Program
	fault func(k *ir.Kernel, b device.Bindings, run func(region.Region) error) func(region.Region) error
}

func (p wrongProgram) Bind(b device.Bindings) (func(region.Region) error, error) {
	run, err := p.Program.Bind(b)
	return p.fault(p.Kernel(), b, run), err
}

// The suite notices a device that does a little too much, too little, or in another precision.
func TestFaultsAreNoticed(t *testing.T) {
	type launch = func(region.Region) error
	good := func(_ *ir.Kernel, _ device.Bindings, run launch) launch { return run }
	poke := func(at func(host []byte) *byte, pick func(k *ir.Kernel) *ir.Buffer) func(*ir.Kernel, device.Bindings, launch) launch {
		return func(k *ir.Kernel, b device.Bindings, run launch) launch {
			return func(tile region.Region) error {
				*at(b.Mem[pick(k)].Host()) ^= 0x55
				return run(tile)
			}
		}
	}
	output := func(k *ir.Kernel) *ir.Buffer { return k.Outputs()[0] }
	input := func(k *ir.Kernel) *ir.Buffer { return k.Inputs()[0] }
	first := func(host []byte) *byte { return &host[0] }
	for _, c := range []struct {
		name, kernel string
		mode         interp.Mode
		fault        func(*ir.Kernel, device.Bindings, launch) launch
		want         string
	}{
		{"none", "extent 33", interp.Exact, good, ""},
		{"float64 for float32", "extent 33", interp.Wide, good, "v["},
		{"a point too few", "extent 33", interp.Exact, func(_ *ir.Kernel, _ device.Bindings, run launch) launch {
			return func(tile region.Region) error { return run(region.Region{{Lo: tile[0].Lo, Hi: tile[0].Hi - 1}}) }
		}, "v[32]"},
		{"a store twice", "histogram", interp.Exact, func(_ *ir.Kernel, _ device.Bindings, run launch) launch {
			return func(tile region.Region) error { return errors.Join(run(tile), run(tile)) }
		}, "counts["},
		{"padding", "stores to padded buffers", interp.Exact, poke(first, output), "zero[0 -16]"},
		{"margin", "extent 33", interp.Exact, poke(func(host []byte) *byte {
			return (*byte)(unsafe.Add(unsafe.Pointer(&host[0]), -1))
		}, output), "written outside of its memory"},
		{"input", "extent 33", interp.Exact, poke(first, input), "was written to"},
		{"unguarded", "guarded stores", interp.Exact, func(k *ir.Kernel, b device.Bindings, run launch) launch {
			return func(tile region.Region) error {
				device.SetFloat(ir.F32, b.Mem[k.Outputs()[3]].Host(), 5, 1)
				return run(tile)
			}
		}, "never[5]"},
	} {
		for _, k := range Cases() {
			if k.Name != c.kernel {
				continue
			}
			dev := interp.New(interp.Options{Mode: c.mode})
			p, err := dev.Compile(t.Context(), []*ir.Kernel{k.Kernel}, device.Options{})
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(k.compare(dev, wrongProgram{p[0], c.fault}, Policy{})...)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.want)
			}
		}
	}
}

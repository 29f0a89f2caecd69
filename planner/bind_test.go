package planner_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/lang/check"
	"weft/lang/diag/diagtest"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
)

const blurred = `x = axis(row, 0 .. 1 in 4000)
y = axis(col, 0 .. 1 in 3000)
a = sin(x * y + y) @keep
near = sqrt(abs(a)) + mean(a, over: col)
near | write("near.npy")
near - mean(a) | write("out.npy")
`

// programs are texts to plan, those that ship among them.
func programs(t *testing.T) map[string]string {
	out := map[string]string{"blurred": blurred, "params": "param c = 1.5 m/s\nparam n = 4\n" +
		"x = axis(x, 0 m .. 1 m in 1000)\nt = x / c\nt | write(\"t.npy\")\nsin(t * (c / 3 m)) / n | write(\"s.npy\")\n",
		// in a chain, in a drive and by itself, kernels store past the caches
		"large": "x = axis(i, 0 .. 1 in 4000) * axis(j, 0 .. 1 in 8001)\ny = exp(x) @precision(f64)\ny | write(\"y.npy\")\n" +
			"u = axis(y, 0 .. 4 in 4096) * axis(x, 0 .. 9 in 4096)\nu | iterate(v -> v[y: here - 1, outside: 0] + v, at_most: 3) | write(\"u.npy\")\n"}
	for _, f := range diagtest.Pipelines(t, "../pipelines") {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(text)
	}
	return out
}

func checked(t testing.TB, text string) *check.Program {
	t.Helper()
	p, found := check.File("p.weft", []byte(text), catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatalf("%s\n%s", text, found.Summary())
	}
	return p
}

// avx2 is a device that says how it would run kernels.
func avx2(t testing.TB) *native.Device {
	t.Helper()
	d, err := native.Describing("avx2")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// made plans a text for a machine that is always the same.
func made(t *testing.T, text string, memory int64) *bound.Plan {
	t.Helper()
	p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{File: "p.weft", Weft: "test", Threads: 4, Memory: memory,
		Program: plan.Program{Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A plan that is written, read and bound to its program is the same plan, compiled or not.
func TestPlansAreReadBack(t *testing.T) {
	for name, text := range programs(t) {
		limited := int64(256 << 20)
		if name == "blurred" {
			limited = 64 << 20
		}
		for _, memory := range []int64{0, limited} {
			p := made(t, text, memory)
			if (p.Stream != nil) != (name == "blurred" && memory > 0) {
				t.Errorf("%s within %d bytes: %+v", name, memory, p.Stream)
			}
			if name != "blurred" { // how kernels are rendered does not depend on it, and takes a while
				if err := compile(t, p, 4); err != nil {
					t.Fatal(err)
				}
			}
			for _, write := range []func(io.Writer, any) error{plan.YAML, plan.JSON} {
				readBack(t, p, write)
			}
		}
	}
}

// readBack makes sure that a plan that is written, read and bound to its program is the same one.
func readBack(t *testing.T, p *bound.Plan, write func(io.Writer, any) error) {
	t.Helper()
	var text, again bytes.Buffer
	if err := write(&text, p.Value()); err != nil {
		t.Fatal(err)
	}
	v, err := plan.Read(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	back, err := bound.Bind(v, checked(t, v.Program.Text).Sinks, nil)
	if err != nil {
		t.Fatalf("%v of\n%s", err, p.Program.Text)
	}
	if err := write(&again, back.Value()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text.Bytes(), again.Bytes()) {
		t.Errorf("%s\nis read back as another: %s", p.Program.Text, difference(text.String(), again.String()))
	}
	if back.Identity() != p.Identity() {
		t.Errorf("%s\nread back computes something else", p.Program.Text)
	}
}

// compile tells a plan's kernels how they would be compiled.
func compile(t *testing.T, p *bound.Plan, threads int) error {
	dev := avx2(t)
	for _, s := range p.Kernels() {
		programs, err := dev.Compile(t.Context(), []*ir.Kernel{s.Kernel.IR}, device.Options{Describe: true})
		if err != nil {
			return err
		}
		s.Kernel.Compiled(dev.Info(), programs[0].Report(), programs[0].Step(), threads)
	}
	p.SumPredictions()
	return nil
}

func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + " / " + y[i]
		}
	}
	return "one is longer"
}

// A value does not change with the plan that it was taken from.
func TestValuesStand(t *testing.T) {
	p := made(t, blurred, 0)
	var before, after bytes.Buffer
	v := p.Value()
	if err := plan.YAML(&before, v); err != nil {
		t.Fatal(err)
	}
	if err := compile(t, p, 1); err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(v, p.Value()) {
		t.Error("nothing became of the plan")
	}
	if err := plan.YAML(&after, v); err != nil || !bytes.Equal(before.Bytes(), after.Bytes()) {
		t.Errorf("%v: %s", err, difference(before.String(), after.String()))
	}
}

// What does not fit its program, or was damaged, is an error that says so.
func TestDamagedPlansAreRefused(t *testing.T) {
	var text strings.Builder
	if err := plan.YAML(&text, made(t, blurred, 64<<20).Value()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"format: 5", "format: 2\nearlier: 1", "a plan of format 2"},
		{"format: 5", "fromat: 4", "not a plan"},
		{"kind: sink", "kind: sunk", "no kind of step"},
		{"reads: [b1, ", "reads: [b77, ", "there is none of"},
		{"key: ", "key: 99.", "there is none of"},
		{"key: ", "interleaved: true\n    key: ", "is no part of"},
		{"bytes: 48128000", "bytes: 48128004", "bytes"},
		{"4000, col", "4001, col", "and now"},
		{"instance: ", "instance: 7", "the program has"},
		{"tile: ", "tile: -", "cut into parts"},
		{"block_rows: ", "block_rows: -", "blocks of"},
		{"bytes: 48128000", "held: 7\n    bytes: 48128000", "elements of its rows"},
		{"add f32 ", "sub f32 ", "hash"},
		{"contract", "", "hash"},
		{"sin(x", "cos(x", "none of"},
		{"store b3 ordered", "store b3 sum", "adds to what"},
		{"axis \"row\" 4000", "axis \"row\" 5000", "hash"},
		{"kind: kernel", "kind: drive", "drive"},
		{"- id: k2", "- id: k1", "twice"},
	} {
		damaged := strings.Replace(text.String(), c.old, c.new, 1)
		if damaged == text.String() {
			t.Errorf("%q is not in the plan", c.old)
			continue
		}
		v, err := plan.Read([]byte(damaged))
		if err == nil {
			p, found := check.File("p.weft", []byte(v.Program.Text), catalogue.Standard(), check.Options{})
			if found.HasErrors() {
				t.Fatal(found.Summary())
			}
			var joined *bound.Plan
			if joined, err = bound.Bind(v, p.Sinks, nil); err == nil {
				_, err = blocks.Lay(joined)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in place of %q: %v", c.new, c.old, err)
		}
	}
}

// No plan, however damaged, makes weft panic, or is taken for what it is not.
func TestSpoiltPlans(t *testing.T) {
	const text = "a = axis(x, 0 .. 1 in 64)\nb = sin(a) @keep\nsum(b * a) | write(\"s.npy\")\n"
	var out bytes.Buffer
	p := made(t, text, 0)
	if err := plan.YAML(&out, p.Value()); err != nil {
		t.Fatal(err)
	}
	sinks, r, read := checked(t, text).Sinks, rand.New(rand.NewPCG(1, 2)), 0
	for range 2000 {
		d := bytes.Clone(out.Bytes())
		for range 1 + r.IntN(3) {
			i := r.IntN(len(d))
			switch r.IntN(3) {
			case 0:
				d[i] = byte(r.IntN(256))
			case 1:
				d[i] = "0123456789-"[r.IntN(11)]
			case 2:
				d = slices.Delete(d, i, min(len(d), i+r.IntN(20)))
			}
		}
		v, err := plan.Read(d)
		if err != nil {
			continue
		}
		read++
		if back, err := bound.Bind(v, sinks, nil); err == nil && back.Identity() != p.Identity() {
			t.Fatalf("bound to another plan:\n%s", d)
		}
	}
	if read < 50 {
		t.Errorf("only %d of the plans could be read", read)
	}
}

package planner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/lang/check"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
)

// withParams plans a text with some of its params given.
func withParams(t *testing.T, text string, given map[string]string) *bound.Plan {
	t.Helper()
	prog, found := check.File("p.weft", []byte(text), catalogue.Standard(), check.Options{Params: given})
	if found.HasErrors() {
		t.Fatalf("%s\n%s", text, found.String())
	}
	var params []ops.Number
	for _, p := range prog.Params {
		if n, ok := p.Value.(ops.Number); ok {
			params = append(params, n)
		}
	}
	p, err := planner.Build(prog.Sinks, avx2(t).Info(), planner.Options{Threads: 2, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hashes are those of the kernels of a plan.
func hashes(p *bound.Plan) (out []string) {
	for _, s := range p.Kernels() {
		out = append(out, s.Kernel.Hash)
	}
	return out
}

// TestArguments: which numbers kernels are given when they are launched, and why others are not; kernels of the former are the same for
// another value, and what is computed is not.
func TestArguments(t *testing.T) {
	const x = "param c = 3.5\nx = axis(x, 0 .. 1 in 1000)\n"
	for _, c := range []struct {
		text  string
		want  string // numbers of the plan, with why they are fixed
		other string // value of c for which the kernels are the same; empty: for none
	}{
		{x + "show(x * c)", "c", "4.5"},
		{x + "show(x * c)", "c", "16"},
		{x + "show(x + sqrt(2 * c - 1))", "sqrt(((2 * c) - 1))", "8.25"},
		{x + "show(x * -c)", "-c", "-2.5"},
		{x + "show(decibel(x, reference: c))", "c", "5"},
		{x + "fn f(v) = v * c\nshow(f(x) + f(1.5))", "(1.5 * c); c", "5"},
		{x + "show(where(x > c, x, c))", "c", "0.5"},
		{x + "show(x / c)", "c", "5"},
		{x + "show(x ^ c)", "c", "2.5"},
		// what is cheaper as a constant
		{x + "show(x * (c - 2.5))", "(c - 2.5): " + graph.Trivial, ""},
		{x + "show(x / (c + 0.5))", "(c + 0.5): " + graph.Divides, ""},
		// what plans and schedules follow from
		{x + "show(any(x > c))", "c: " + graph.Controls, ""},
		{x + "y = x * c\nshow(all(y < 1))", "c: " + graph.Controls, ""},
		{x + "show(axis(y, 0 .. c in 100))", "c: " + planner.ReadNow, ""},
		{"param c = 4\nx = axis(x, 0 .. 1 in 1000)\nshow(x ^ c)", "c: " + planner.ReadNow, ""},
	} {
		p := withParams(t, c.text, nil)
		var got []string
		for _, n := range p.Numbers {
			if n.Fixed != "" {
				n.Name += ": " + n.Fixed
			}
			got = append(got, n.Name)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		args := 0
		for _, s := range p.Kernels() {
			s.Kernel.IR.Walk(func(n *ir.Node) {
				if n.Kind == ir.KArg {
					args++
				}
			})
		}
		if (args > 0) != (c.other != "") {
			t.Errorf("%q: kernels have %d arguments", c.text, args)
		}
		if c.other == "" {
			continue
		}
		q := withParams(t, c.text, map[string]string{"c": c.other})
		if !slices.Equal(hashes(p), hashes(q)) {
			t.Errorf("%q: other kernels for c = %s", c.text, c.other)
		}
		if p.Hash == q.Hash || p.Identity() == q.Identity() {
			t.Errorf("%q: the plan for c = %s passes for the one it was made for", c.text, c.other)
		}
	}
}

// TestNamesOfArguments: numbers that are derived without end are constants.
func TestNamesOfArguments(t *testing.T) {
	text := "param c = 0.5\nfn f(v) = v * v\nx = axis(x, 0 .. 1 in 1000)\n"
	p := withParams(t, text+fmt.Sprintf("show(x * %sc%s)\n", strings.Repeat("f(", 8), strings.Repeat(")", 8)), nil)
	if len(p.Numbers) != 1 || p.Numbers[0].Fixed != planner.ReadNow {
		t.Errorf("%+v", p.Numbers)
	}
}

// TestNumbersOfOperators: what operators compute of their arguments are arguments of kernels too, and tables may hold other values, where no index
// follows from them.
func TestNumbersOfOperators(t *testing.T) {
	const text = `param fc = 3 MHz
param fs = 12 MHz
param noise = -60 dB
probe = matrix_probe(nx: 8, ny: 8, pitch: 0.3 mm, width: 0.25 mm)
grid = box(x: -2 mm .. 2 mm in 8, y: -2 mm .. 2 mm in 8, z: 20 mm .. 30 mm in 16)
iq = simulate.echoes(probe, [point(z: 25 mm)], fc: fc, fs: fs, samples: 560, start: 15 us, noise: noise, seed: 7)
iq | beamform(probe, grid, fc: fc, fs: fs, start: 15 us) | abs | write("out.npy")
`
	p := withParams(t, text, nil)
	for _, c := range []struct {
		name, value string
		same        bool
	}{{"noise", "-40 dB", true}, {"fc", "3.1 MHz", true}, {"fs", "12.5 MHz", false}} {
		q := withParams(t, text, map[string]string{c.name: c.value})
		if same := slices.Equal(hashes(p), hashes(q)); same != c.same {
			t.Errorf("%s: the same kernels: %v", c.name, same)
		}
		if p.Identity() == q.Identity() || p.Hash == q.Hash {
			t.Errorf("%s: the same plan", c.name)
		}
	}
	i := slices.IndexFunc(p.Numbers, func(n plan.Number) bool { return n.Name == "beamform 2: start(fc, fs)" })
	if i < 0 || p.Numbers[i].Fixed != graph.Controls {
		t.Errorf("%+v", p.Numbers)
	}
}

// TestArgumentsOfDrives: the programs of a drive have arguments of their own.
func TestArgumentsOfDrives(t *testing.T) {
	const text = "param width = 0.2\nfn turn(x) = sin(x / width) + 1\naxis(i, 0 .. 1 in 50) | iterate(turn, at_most: 9) | write(\"v.npy\")\n"
	p, q := withParams(t, text, nil), withParams(t, text, map[string]string{"width": "0.3"})
	if len(p.Numbers) > 0 || !slices.Equal(hashes(p), hashes(q)) || p.Hash == q.Hash || p.Identity() == q.Identity() {
		t.Errorf("%+v, %+v", p.Numbers, q.Numbers)
	}
	inner := 0
	for _, s := range p.Steps {
		for _, program := range s.Programs {
			inner += len(program.Arguments())
		}
	}
	if inner == 0 {
		t.Error("no program of the drive has an argument")
	}
}

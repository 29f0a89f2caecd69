package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/profile"
	"weft/ops"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/module"
)

// references builds the references of all kernels as a run asks for them.
func references(p *bound.Plan, see func(*bound.Step, bound.Reference)) {
	alive := map[*ops.Stage]bool{}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, id := range append(s.Reads, s.Writes...) {
			alive[p.Buffer(id).Array] = true
		}
		if s.Kernel != nil {
			see(s, p.Reference(s.Kernel.Roots, func(x *ops.Stage) bool { return alive[x] }, 0))
		}
		for _, id := range s.Frees {
			delete(alive, p.Buffer(id).Array)
		}
	}
}

// What is compared with float64 costs what was allowed for it, and no more: what another kernel stored is computed again where that is
// cheap, and loaded elsewhere.
func TestReferencesStayCheap(t *testing.T) {
	for name, text := range programs(t) {
		references(made(t, text, 0), func(s *bound.Step, r bound.Reference) {
			own := count.CostOf(s.Kernel.IR).Flops / float64(max(1, s.Kernel.IR.Domain().Points())) // of a long sum
			if r.Cost > max(2e6, 8*own) {
				t.Errorf("%s: one element of %s takes %g operations, and the kernel %g", name, s.Name, r.Cost, own)
			}
		})
	}
}

// steps are programs that repeat something n times.
var steps = map[string]func(n int) string{
	"pointwise": func(n int) string {
		return "x0 = axis(t, 0 .. 1 in 1000)\n" + times(n, "x%d = x%d * 2 + 1\n") + fmt.Sprintf("x%d | write(\"x.npy\")\n", n)
	},
	"diamonds": func(n int) string {
		return "x0 = axis(t, 0 .. 1 in 1000)\n" + times(n, "x%d = sin(x%d) * x%[2]d\n") + fmt.Sprintf("x%d | write(\"x.npy\")\n", n)
	},
	"means": func(n int) string {
		return "fn s(x) = x - mean(x * x) * x\nx0 = axis(t, 0 .. 1 in 64) + axis(u, 0 .. 1 in 32)\n" + times(n, "x%d = x%d | s\n") + fmt.Sprintf("x%d | write(\"x.npy\")\n", n)
	},
	"gradients": func(n int) string {
		return "A = sin(axis(m, 0 .. 1 in 40) * axis(n, 0 .. 1 in 30))\ny = axis(m, 0 .. 1 in 40)\nfn f(x) = x - 0.01 * sum(A * (sum(A * x, over: n) - y), over: m)\n" +
			"x0 = axis(n, 0 .. 1 in 30)\n" + times(n, "x%d = x%d | f\n") + fmt.Sprintf("x%d | write(\"x.npy\")\n", n)
	},
	"kept": func(n int) string {
		return "x0 = axis(t, 0 .. 1 in 1000)\n" + times(n, "x%d = sqrt(x%d * 2) @keep\n") + fmt.Sprintf("x%d | write(\"x.npy\")\n", n)
	},
	"written": func(n int) string {
		return "x0 = axis(t, 0 .. 1 in 1000)\n" + times(n, "x%d = sqrt(x%d + 1)\nx%[1]d | write(\"x%[1]d.npy\")\n")
	},
}

func times(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i+1, i)
	}
	return b.String()
}

// The work of planning, and of building what results are checked against, grows with the number of stages and no faster: counted in stages
// that are written into kernels.
func TestPlanningIsLinear(t *testing.T) {
	for name, text := range steps {
		work := func(n int) float64 {
			dev := avx2(t).Info()
			p, err := planner.Build(checked(t, text(n)).Sinks, dev, planner.Options{Threads: 4,
				Cost: &cost.Model{Profile: profile.Default(4), Kind: "native", Rules: dev.Rules, Threads: 4}})
			if err != nil {
				t.Fatal(err)
			}
			if n <= 200 { // to see that they are, too, without taking the time
				references(p, func(*bound.Step, bound.Reference) {})
			}
			return float64(p.Graph.Lowered) / float64(len(p.Graph.Stages))
		}
		few, some, many := work(50), work(200), work(500)
		t.Logf("%-10s %.1f stages written for each of 50, %.1f of 200, and %.1f of 500", name, few, some, many)
		if most := 1.5*few + 30; some > most || many > most {
			t.Errorf("%s: %g stages are written for each of 50, %g of 200, and %g of 500", name, few, some, many)
		}
	}
}

// Kernels that differ in numbers alone are scheduled once to be weighed, and those that are the same are built once.
func TestEqualKernelsAreWeighedOnce(t *testing.T) {
	weighed := func(n int) (work int) {
		var built, asked int
		text := "probe = linear_probe(n: 16, pitch: 0.3 mm)\ngrid = box(x: -4 mm .. 4 mm in 8, y: -1 mm .. 1 mm in 8, z: 8 mm .. 20 mm in 16)\n" +
			"iq = simulate.echoes(probe, [point(z: 10 mm)], fc: 5 MHz, fs: 20 MHz, samples: 512)\n"
		for i := range n {
			text += fmt.Sprintf("iq | beamform(probe, grid, fc: 5 MHz, fs: 20 MHz, c: %d m/s) | write(\"x%d.npy\")\n", 1500+i, i)
		}
		dev := avx2(t).Info()
		_, err := planner.Build(checked(t, text).Sinks, dev, planner.Options{Threads: 4,
			Cost: &cost.Model{Profile: profile.Default(4), Kind: "native", Rules: dev.Rules, Threads: 4},
			Request: planner.Request{After: func(pass string, m *module.Module) error {
				work, built, asked = m.Verdicts.Scheduled, m.Verdicts.Built, m.Verdicts.Asked
				return nil
			}}})
		if err != nil {
			t.Fatal(err)
		}
		if t.Logf("%d kernels built of %d asked for", built, asked); 10*built > 9*asked && n > 1 {
			t.Errorf("%d kernels are built where %d are asked for: the same ones are built again", built, asked)
		}
		return work
	}
	one, many := weighed(1), weighed(97)
	t.Logf("%d kernels scheduled to weigh one beamformer, %d for 97", one, many)
	if one < 4 || many > 5*one {
		t.Errorf("%d kernels are scheduled to weigh one beamformer, and %d for 97", one, many)
	}
}

// No kernel holds more values or reads more arrays than a compiler takes in reasonable time, however many a text joins, and even if it asks
// for that.
func TestKernelsOfManyArraysAreSplit(t *testing.T) {
	for _, each := range []string{"x * %d", "(x * %d @fuse)", "(x * %d @keep)"} {
		var items []string
		for i := range 400 {
			items = append(items, fmt.Sprintf(each, i+1))
		}
		p := made(t, "x = axis(x, 0 .. 1 in 1000)\ns = stack(["+strings.Join(items, ", ")+"], dim: part)\ns | write(\"s.npy\")\n", 0)
		for _, s := range p.Steps {
			if s.Kernel == nil {
				continue
			}
			values := 0
			s.Kernel.IR.Walk(func(*ir.Node) { values++ })
			if values > 1000 || len(s.Reads) > 100 {
				t.Errorf("%s: kernel %s reads %d arrays and has %d values", each, s.Name, len(s.Reads), values)
			}
		}
	}
}

package session

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/ir"
	"weft/lang/check"
	"weft/ops"
	"weft/ops/array"
	"weft/ops/beam"
	"weft/ops/catalogue"
	"weft/ops/files"
	"weft/ops/shape"
	"weft/planner/bound"
	"weft/runtime"
)

// delays is delay-and-sum up to the place in the record of each point's and element's echo.
const delays = `t = axis(sample, 15 us .. 61.58333333 us in 560)
e = axis(element, 0 .. 1 in 1024)
iq = complex(sin(e * t * 6 MHz), cos(e * t * 4 MHz))
x = axis(x, -10 mm .. 10 mm in 8)
y = axis(y, -10 mm .. 10 mm in 8)
z = axis(z, 20 mm .. 40 mm in 32)
way = sqrt((x - element_at(x)) ^ 2 + (y - element_at(y)) ^ 2 + z ^ 2)
tau = (min(way, over: element) + way) / (1540 m/s)
place = (tau - 15 us) * 12 MHz
`

// primitives are what operators of the domains do, written with arithmetic, places and sums.
var primitives = map[string]struct {
	text  string
	fused []string // in the main kernel
}{
	"delay and sum": {delays + `rows = iq @keep
turn = 2 * 3.141592653589793 * 3 MHz * tau
sum(take(rows, place, dim: sample) * complex(cos(turn), sin(turn)), over: element) | write("out.npy")
`, []string{"take", "sin", "cos", "sum"}},
	"sky view factor": {`dsm = 20 m * sin(axis(y, 0 .. 30 in 64) * axis(x, 0 .. 1 in 64)) @keep
step = axis(step, 1 .. 40 in 40)
azimuth = axis(patch, 0 deg .. 350 deg in 36)
s = sin(azimuth)
c = cos(azimuth)
long = where(abs(s) > abs(c), abs(s), abs(c))
top = around(dsm, -round(step * c / long), round(step * s / long)) - step / long * 0.5 m
lit = not any(top > dsm, over: step)
sum(where(lit, 1 / 36, 0), over: patch) | write("out.npy")
`, []string{"around", "any", "sum"}},
}

func TestPrimitives(t *testing.T) {
	for name, c := range primitives {
		t.Run(name, func(t *testing.T) {
			p, _ := planned(t, c.text)
			for _, s := range p.Steps {
				if s.Kernel == nil || !slices.ContainsFunc(s.Kernel.Inside, func(in *ops.Stage) bool { return in.Name == c.fused[0] }) {
					continue
				}
				for _, name := range c.fused[1:] {
					if !slices.ContainsFunc(s.Kernel.Inside, func(in *ops.Stage) bool { return in.Name == name }) {
						t.Errorf("%s is not computed in the kernel of %s", name, c.fused[0])
					}
				}
			}
		})
	}
}

// Sums that are written apart are made by one loop, to the same bits.
func TestSumsApart(t *testing.T) {
	text := `a = sin(axis(term, 0 .. 1 in 11) * axis(pixel, 0 .. 9 in 50) + axis(v, 0 .. 1 in 40)) @keep
normal(a, terms: 11, how: HOW) | write("out.npy")
`
	var outputs [][]byte
	for _, how := range []string{"apart", "together"} {
		p, out := planned(t, string(bytes.ReplaceAll([]byte(text), []byte("HOW"), []byte(how))))
		folds := 0
		p.Steps[len(p.Steps)-2].Kernel.IR.Walk(func(n *ir.Node) {
			if n.Kind == ir.KFold {
				folds++
			}
		})
		if folds != 1 {
			t.Errorf("%s: %d loops", how, folds)
		}
		outputs = append(outputs, out)
	}
	if !bytes.Equal(outputs[0], outputs[1]) {
		t.Error("sums that are written apart differ from those of one loop")
	}
}

// planned plans and runs a text that may use operators of tests, and gives what it wrote. The sample is compared with float64.
func planned(t *testing.T, text string) (*bound.Plan, []byte) {
	t.Helper()
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, found := check.File("a.weft", []byte(text), catalogue.New(array.Specs(), shape.Specs(), files.Specs(), beam.Specs(), places), check.Options{})
	prog := &Program{Program: p, Found: found, Origin: ops.Origin{Text: text}}
	made, err := s.Plan(t.Context(), prog, PlanOptions{})
	if err != nil {
		t.Fatal(err, prog.Found.String())
	}
	if _, err := s.Run(t.Context(), prog, made, runtime.Options{Verify: true, Strict: true}); err != nil {
		t.Fatal(err, prog.Found.String())
	}
	out, err := os.ReadFile("out.npy")
	if err != nil {
		t.Fatal(err)
	}
	return made, out
}

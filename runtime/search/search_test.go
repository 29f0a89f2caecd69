package search

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/kernels/cache/cachetest"
	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/lang/check"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/ops/problem"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/exec"
)

// counting is a device that counts launches.
type counting struct {
	device.Device
	launches atomic.Int64
}

func (c *counting) Compile(ctx context.Context, ks []*ir.Kernel, opt device.Options) ([]device.Program, error) {
	ps, err := c.Device.Compile(ctx, ks, opt)
	for i := range ps {
		ps[i] = &counted{ps[i], c}
	}
	return ps, err
}

type counted struct {
	device.Program
	by *counting
}

func (p *counted) Bind(b device.Bindings) (func(region.Region) error, error) {
	launch, err := p.Program.Bind(b)
	return func(t region.Region) error { p.by.launches.Add(1); return launch(t) }, err
}

func TestMain(m *testing.M) {
	cachetest.Quick()
	os.Exit(m.Run())
}

func cpu(t *testing.T) *counting {
	t.Helper()
	dev, err := native.New(native.Config{Cache: cachetest.Folder()})
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &counting{Device: dev}
}

// program checks a text and gives what plans it.
func program(t *testing.T, dev device.Device, text string) func(plan.Choices) (*bound.Plan, error) {
	t.Helper()
	p, found := check.File("test.weft", []byte(text), catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatal(found.Summary(), found)
	}
	return func(c plan.Choices) (*bound.Plan, error) {
		return planner.Build(p.Sinks, dev.Info(), planner.Options{Threads: 2, Precision: c})
	}
}

// find searches in a plan of a text.
func find(t *testing.T, dev device.Device, text, cache string) (*bound.Plan, error) {
	t.Helper()
	build := program(t, dev, text)
	base, err := build(nil)
	if err != nil {
		t.Fatal(err)
	}
	return Find(t.Context(), base, Options{Build: build, Device: dev, Threads: 2, Cache: cache, Programs: &exec.Programs{}})
}

// level pretends that everything takes as long as before.
func level(t *testing.T) {
	was := stopwatch
	stopwatch = func(f func() error) (_, _ time.Duration, err error) { return 0, time.Millisecond, f() }
	t.Cleanup(func() { stopwatch = was })
}

// blurred reads a stored array many times: storing it in fewer bits is worth trying.
const blurred = `x = axis(x, 0 .. 1 in 2000)
y = axis(y, 0 .. 1 in 50)
a = sin(x * 7) * cos(y * 5) * 100 @keep
total = sum(a * a, over: [x]) @tolerance(TOLERANCE)
total | show
`

func withTolerance(v string) string { return strings.Replace(blurred, "TOLERANCE", v, 1) }

func verdicts(p *bound.Plan) map[string]string {
	out := map[string]string{}
	for _, c := range p.Search.Candidates {
		out[c.Name] = c.Verdict
	}
	return out
}

func TestChoosesWhatIsExactEnough(t *testing.T) {
	level(t)
	dev := cpu(t)
	for _, c := range []struct {
		tolerance string
		storage   ir.DType
		said      map[string]string // part of the verdict by type
	}{
		{"0.5", ir.F16, map[string]string{"f16": "chosen", "bf16": "another is faster or as fast and more exact"}},
		{"1e-4", ir.F16, map[string]string{"f16": "chosen", "bf16": "not tried: its error", "u16": "not tried: f16 is exact enough"}},
		{"1e-6", ir.F32, map[string]string{"f16": "of the tolerance, more than 50 %", "u16": "of the tolerance, more than 50 %"}},
		{"3e-7", ir.F32, map[string]string{"f16": "not tried: f32 leaves no room"}},
	} {
		t.Run(c.tolerance, func(t *testing.T) {
			p, err := find(t, dev, withTolerance(c.tolerance), "")
			if err != nil {
				t.Fatal(err)
			}
			said := verdicts(p)
			for name, part := range c.said {
				if !strings.Contains(said[name], part) {
					t.Errorf("%s: %q, want %q", name, said[name], part)
				}
			}
			for _, b := range p.Buffers {
				if b.Role == plan.FromKernel && b.Pinned == "" && b.Storage() != c.storage {
					t.Errorf("%s is stored as %s, want %s; %v", b.Stage, b.Storage(), c.storage, said)
				}
			}
			if part := strain(p.Search.Proofs); part > 1 || len(p.Search.Choices) > 0 && part > safety {
				t.Errorf("the proof takes %g of the tolerance", strain(p.Search.Proofs))
			}
		})
	}
}

// Few numbers are large: roots keep the others where multiples of one unit and f16 lose too much, and numbers below 0 have none.
func TestRoots(t *testing.T) {
	level(t)
	dev := cpu(t)
	text := strings.Replace(withTolerance("1e-5"), "sin(x * 7) * cos(y * 5) * 100", "exp(-30 * x) * (1 + y)", 1)
	for _, c := range []struct{ text, said, stored string }{
		{text, "chosen", "u16"}, {strings.Replace(text, "exp(-30 * x)", "(exp(-30 * x) - 0.001)", 1), "not tried: numbers below 0 have no root", "f32"},
	} {
		p, err := find(t, dev, c.text, "")
		if err != nil {
			t.Fatal(err)
		}
		if said := verdicts(p)["u16 of roots"]; said != c.said {
			t.Errorf("%s: %q, want %q; all: %v", c.text, said, c.said, verdicts(p))
		}
		for _, b := range p.Buffers {
			if b.Role == plan.FromKernel && b.Pinned == "" && b.Storage().String() != c.stored {
				t.Errorf("%s is stored as %s", b.Stage, b.Storage())
			}
		}
	}
}

// One element of many is off by more than is allowed, and samples do not meet it: all are compared.
func TestEveryElementIsCompared(t *testing.T) {
	level(t)
	p, err := find(t, cpu(t), `x = axis(x, 0 .. 199999 in 200000)
a = where(x == 77777, 4097.5, 1) @keep
b = sqrt(a * a + a[x: here - 1, outside: 1]) @tolerance(1e-4)
b | show
`, "")
	if err != nil {
		t.Fatal(err)
	}
	if said := verdicts(p)["f16"]; !strings.HasPrefix(said, "beyond the tolerance at elements that are no samples") {
		t.Errorf("f16: %q", said)
	}
}

func TestSlowerTypesAreNotChosen(t *testing.T) {
	was := stopwatch
	turn := 0
	stopwatch = func(f func() error) (_, _ time.Duration, err error) { // the plan as it is goes first, and is faster
		turn++
		return 0, time.Duration(1+turn%2) * time.Millisecond, f()
	}
	t.Cleanup(func() { stopwatch = was })
	turn = 1
	p, err := find(t, cpu(t), withTolerance("1e-4"), "")
	if err != nil {
		t.Fatal(err)
	}
	if v := verdicts(p)["f16"]; !strings.HasPrefix(v, "slower by 100 %") {
		t.Errorf("f16: %q", v)
	}
	if len(p.Search.Choices) > 0 || p.Narrowed() {
		t.Errorf("chosen all the same: %v", p.Search.Choices)
	}
}

func TestFoundOnce(t *testing.T) {
	level(t)
	dev, folder := cpu(t), t.TempDir()
	first, err := find(t, dev, withTolerance("2e-3"), folder)
	if err != nil {
		t.Fatal(err)
	}
	if dev.launches.Load() == 0 || first.Search.Cached || first.Search.Seconds <= 0 {
		t.Errorf("first: %d launches, %+v", dev.launches.Load(), first.Search)
	}
	dev.launches.Store(0)
	second, err := find(t, dev, withTolerance("2e-3"), folder)
	if err != nil {
		t.Fatal(err)
	}
	if dev.launches.Load() != 0 || !second.Search.Cached || second.Hash != first.Hash {
		t.Errorf("second: %d launches, cached %v, plans %s and %s", dev.launches.Load(), second.Search.Cached, first.Hash, second.Hash)
	}
	other, err := find(t, dev, withTolerance("0.5"), folder)
	if err != nil {
		t.Fatal(err)
	}
	if other.Search.Cached {
		t.Error("another tolerance was not searched for")
	}
}

// Where a comparison of what is equal takes another branch than float64, that is a tie and no reason to look for wider types.
func TestTiesAreNoErrors(t *testing.T) {
	p, err := find(t, cpu(t), `x = axis(x, 0 .. 1 in 2000)
y = axis(y, 0 .. 1 in 50)
one = sin(x * y) * sin(x * y) + cos(x * y) * cos(x * y)
out = where(one < 1, one - 1, one) @tolerance(1e-3)
out | show
`, "")
	if err != nil {
		t.Fatal(err)
	}
	proof := p.Search.Proofs[0]
	if len(p.Search.Choices) > 0 || proof.Max > 1e-4 || proof.Ties == 0 {
		t.Errorf("%v: %+v", p.Search.Choices, proof)
	}
}

func TestUpward(t *testing.T) {
	dev := cpu(t)
	const mean = `x = axis(x, 0 .. 1 in 100000)
y = x + 1000
total = y - 1000 @tolerance(TOLERANCE)
total | show
`
	p, err := find(t, dev, strings.Replace(mean, "TOLERANCE", "1e-6", 1), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Search.Choices) == 0 || !within(p.Search.Proofs, 1) {
		t.Errorf("%+v", p.Search)
	}
	_, err = find(t, dev, strings.Replace(mean, "TOLERANCE", "1e-30", 1), "")
	var w problem.Problem
	if !errors.As(err, &w) || w.Code != "E0605" || w.At.Line != 3 {
		t.Errorf("error %v at %+v", err, w.At)
	}
}

func TestSkips(t *testing.T) {
	p, err := find(t, interp.New(interp.Options{}), withTolerance("2e-3"), "")
	if err != nil || !strings.Contains(p.Search.Skipped, "interpreter") {
		t.Errorf("%v, %+v", err, p.Search)
	}
	p, err = find(t, cpu(t), strings.Replace(withTolerance("1"), "@tolerance(1)", "", 1), "")
	if err != nil || p.Search != nil {
		t.Errorf("without a tolerance: %v, %+v", err, p.Search)
	}
}

// TestRepairs runs a plan whose choice was good for other data: the run goes on in wider types.
func TestRepairs(t *testing.T) {
	level(t)
	dev := cpu(t)
	const text = `x = axis(x, 0 .. 1 in 2000)
y = axis(y, 0 .. 1 in 50)
a = sin(x * 7) * cos(y * 5) * 1e9 @keep
total = sum(a * a, over: [x]) @tolerance(2e-3)
total | show
`
	build := program(t, dev, text)
	base, err := build(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &finder{base: base, opt: Options{Build: build, Device: dev, Threads: 2}}
	f.outputs = outputsOf(base)
	choices := plan.Choices{}
	for _, b := range base.Buffers {
		if b.Role == plan.FromKernel && b.Pinned == "" {
			choices[graph.Key(b.Array)] = plan.Choice{Storage: ir.F16}
		}
	}
	p, err := f.plan(choices)
	if err != nil {
		t.Fatal(err)
	}
	p.Search = &plan.Search{Choices: choices}
	var wider []runtime.Wider
	names, types := Wider(p)
	for i, name := range names {
		wider = append(wider, runtime.Wider{Types: name, Plan: func() (*bound.Plan, error) { return build(types[i]) }})
	}
	r, err := runtime.Run(t.Context(), p, runtime.Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Terminal: silent{}, Wider: wider})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Repairs) != 1 || r.Repairs[0].Wider != "f32" {
		t.Errorf("repairs %+v", r.Repairs)
	}
	for _, c := range r.Parity {
		if !c.OK {
			t.Errorf("%s is still beyond its tolerance", c.Value)
		}
	}
}

type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }
func (silent) Size() (columns, rows int)   { return 80, 24 }
func (silent) Rich() bool                  { return false }
func (s silent) To(io.Writer) ops.Terminal { return s }

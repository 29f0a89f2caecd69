package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
	"weft/runtime/audit"
	"weft/runtime/result"
	"weft/runtime/trace"
)

// chain is a ramp, thirds of it, divided by their sum: two kernels with a barrier between them, and a complex one aside.
func chain(w *world) []*ops.Instance {
	r := w.ramp(matrix(40, 37))
	v := w.third(r)
	s := w.total(v)
	return []*ops.Instance{w.keep("share", w.over(v, s)), w.keep("spin", w.spin(r))}
}

// checkChain compares what the sinks got with the same in float64.
func checkChain(t *testing.T, w *world) {
	t.Helper()
	const n = 40 * 37
	values, sum := make([]float64, n), 0.0
	for i := range n {
		values[i] = float64(i)/3 + float64(i%37)/7
		sum += values[i]
	}
	for i := range n {
		if got := w.got["share"].Re[i]; math.Abs(got-values[i]/sum) > 1e-8 {
			t.Fatalf("share[%d] = %g, want %g", i, got, values[i]/sum)
		}
		re, im := w.got["spin"].Re[i], w.got["spin"].Im[i]
		if math.Abs(re-math.Cos(float64(i))) > 1e-6 || math.Abs(im-math.Sin(float64(i))) > 1e-6 {
			t.Fatalf("spin[%d] = %g + %gi", i, re, im)
		}
	}
}

func TestRun(t *testing.T) {
	w := newWorld()
	w.warn = []problem.Problem{{Code: "E0512", Message: "3 values are NaN", Warning: true}}
	dev := newFaulty("native")
	path := filepath.Join(t.TempDir(), "trace.json")
	tracer, err := trace.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	p := w.plan(t, dev, chain(w)...)
	r, err := Run(context.Background(), p, Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Trace: tracer})
	if err != nil {
		t.Fatal(err)
	}
	checkChain(t, w)
	if *dev.alive != 0 {
		t.Errorf("%d buffers were not freed", *dev.alive)
	}
	if len(r.Kernels) != p.Totals.Kernels || len(r.Kernels) < 2 {
		t.Fatalf("%d kernels, planned %d", len(r.Kernels), p.Totals.Kernels)
	}
	tiles := 0
	for _, k := range r.Kernels {
		tiles += k.Tiles
		if k.Wall <= 0 || k.Tiles == 0 || k.Device != "native-device" || k.TurnaroundMean <= 0 || k.TurnaroundP95 < k.TurnaroundMean/2 {
			t.Errorf("kernel %+v", k)
		}
	}
	if tiles <= len(r.Kernels) {
		t.Error("nothing was cut into tiles")
	}
	if len(r.Parity) < 3 {
		t.Errorf("%d arrays checked", len(r.Parity))
	}
	for _, c := range r.Parity {
		if !c.OK || c.MaxRel == 0 || c.MaxRel > 1e-5 || c.Samples == 0 || c.Seed != audit.DefaultSeed || c.Peak == 0 {
			t.Errorf("parity %+v", c)
		}
	}
	if len(r.Warnings) != 1 || r.Warnings[0].Where.Line != 1 {
		t.Errorf("warnings %+v", r.Warnings)
	}
	if len(r.Fallbacks) != 0 || len(r.Sinks) != 2 || len(r.Sources) != 1 || r.PeakRSS == 0 || r.PeakBuffers > p.Totals.PeakBytes {
		t.Errorf("result %+v", r)
	}
	if !slices.Equal(w.read, []string{"ramp", "keep share", "keep spin"}) && !slices.Equal(w.read, []string{"ramp", "keep spin", "keep share"}) {
		t.Errorf("sources and sinks: %q", w.read)
	}
	if err := tracer.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"cat":"compile"`, `"cat":"read"`, `"cat":"kernel"`, `"cat":"tile"`, `"cat":"sink"`, `"cat":"verify"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the trace", want)
		}
	}
}

func TestReportHoldsWhatWasPromised(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	dev.compile = func(k *ir.Kernel) error { return errors.New("no") }
	second := newFaulty("interp")
	r, err := Run(context.Background(), w.plan(t, dev, chain(w)...), Options{Devices: []device.Device{dev, second}, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Weft      *string
		PlanHash  string  `json:"plan_hash"`
		Wall      float64 `json:"wall_s"`
		Kernels   []map[string]any
		Parity    []map[string]any
		Fallbacks []map[string]any
		PeakRSS   int64 `json:"peak_rss_bytes"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Weft == nil || got.PlanHash == "" || got.Wall <= 0 || got.PeakRSS <= 0 {
		t.Errorf("report %s", text)
	}
	for name, c := range map[string]struct {
		list []map[string]any
		keys []string
	}{
		"kernels":   {got.Kernels, []string{"id", "ops", "device", "tiles", "wall_s", "cpu_s", "flops", "bytes", "precision"}},
		"parity":    {got.Parity, []string{"value", "samples", "max_abs", "max_rel", "tolerance", "ok"}},
		"fallbacks": {got.Fallbacks, []string{"stage", "reason", "count"}},
	} {
		if len(c.list) == 0 {
			t.Errorf("no %s", name)
			continue
		}
		for _, k := range c.keys {
			if _, ok := c.list[0][k]; !ok {
				t.Errorf("%s without %s", name, k)
			}
		}
	}
}

func TestFallback(t *testing.T) {
	isTotal := func(k *ir.Kernel) bool { return strings.HasPrefix(k.Name, "total") }
	for _, c := range []struct {
		name   string
		break_ func(*faulty)
		want   int // kernels that fell back
		reason string
	}{
		{"one kernel does not compile", func(f *faulty) {
			f.compile = func(k *ir.Kernel) error {
				if isTotal(k) {
					return errors.New("compiler says no")
				}
				return nil
			}
		}, 1, "compiler says no"},
		{"no kernel compiles", func(f *faulty) {
			f.compile = func(k *ir.Kernel) error { return errors.New("compiler says no") }
		}, -1, "compiler says no"},
		{"a tile fails to launch", func(f *faulty) {
			f.launch = func(k *ir.Kernel, tile region.Region) error {
				if !isTotal(k) && tile[0].Lo > 10 {
					return fmt.Errorf("lost the device in %s", k.Name)
				}
				return nil
			}
		}, -2, "lost the device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				w := newWorld()
				first, second := newFaulty("native"), newFaulty("interp")
				c.break_(first)
				log := &logbook{}
				p := w.plan(t, first, chain(w)...)
				r, err := Run(context.Background(), p, Options{Devices: []device.Device{first, second}, Threads: 2, Strict: strict, Verify: true, Progress: log})
				if *first.alive != 0 {
					t.Errorf("%d buffers were not freed", *first.alive)
				}
				var problem problem.Problem
				if strict {
					if !errors.As(err, &problem) || problem.Code != "E0703" {
						t.Errorf("under Strict: %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				checkChain(t, w)
				want := c.want
				if want < 0 {
					want += p.Totals.Kernels + 1
				}
				if len(r.Fallbacks) != want {
					t.Fatalf("%d fallbacks, want %d: %+v", len(r.Fallbacks), want, r.Fallbacks)
				}
				for _, f := range r.Fallbacks {
					if f.Count == 0 || f.Device != "CPU" || !strings.Contains(f.Reason, c.reason) {
						t.Errorf("fallback %+v", f)
					}
					if !log.holds(fmt.Sprintf("[CPU] %s failed: %s. interpreter fallback.", f.Stage, f.Reason)) {
						t.Errorf("not logged: %+v in %q", f, log.lines)
					}
				}
			}
		})
	}
}

func TestMissingDeviceIsCounted(t *testing.T) {
	w := newWorld()
	dev := newFaulty("interp")
	log := &logbook{}
	opt := Options{Devices: []device.Device{dev}, Missing: []Missing{{"native", "no C compiler"}}, Progress: log}
	p := w.plan(t, dev, chain(w)...)
	r, err := Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	checkChain(t, w)
	if len(r.Fallbacks) != p.Totals.Kernels || !log.holds("failed: no C compiler. interpreter fallback.") {
		t.Errorf("fallbacks %+v, log %q", r.Fallbacks, log.lines)
	}
	opt.Strict = true
	if _, err := Run(context.Background(), w.plan(t, dev, chain(newWorld())...), opt); err == nil {
		t.Error("Strict takes a missing device")
	}
}

func TestNoDeviceLeft(t *testing.T) {
	fail := errors.New("compiler says no")
	for _, c := range []struct {
		name   string
		break_ func(*faulty)
		code   string
	}{
		{"compile", func(f *faulty) { f.compile = func(*ir.Kernel) error { return fail } }, "E0705"},
		{"launch", func(f *faulty) { f.launch = func(*ir.Kernel, region.Region) error { return fail } }, ""},
		{"memory", func(f *faulty) { f.memory = fail }, "E0708"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			dev := newFaulty("native")
			c.break_(dev)
			r, err := Run(context.Background(), w.plan(t, dev, chain(w)...), Options{Devices: []device.Device{dev}})
			var stage *result.StageError
			if !errors.As(err, &stage) || stage.Stage == "" || stage.Where.Line == 0 || !strings.Contains(err.Error(), "compiler says no") {
				t.Errorf("error %v (%+v)", err, stage)
			}
			var problem problem.Problem
			if c.code != "" && (!errors.As(err, &problem) || problem.Code != c.code) {
				t.Errorf("code %s, want %s", problem.Code, c.code)
			}
			if r == nil || *dev.alive != 0 {
				t.Errorf("result %v, %d buffers alive", r, *dev.alive)
			}
		})
	}
}

func TestWrongResultsAreFound(t *testing.T) {
	for _, strict := range []bool{false, true} {
		w := newWorld()
		dev := newFaulty("native")
		dev.after = func(k *ir.Kernel, b device.Bindings, _ region.Region) {
			if !strings.HasPrefix(k.Name, "total") {
				return
			}
			out := k.Stores[0].Buf
			device.SetFloat(out.Type, b.Mem[out].Host(), 0, 1.001*device.Float(out.Type, b.Mem[out].Host(), 0))
		}
		r, err := Run(context.Background(), w.plan(t, dev, chain(w)...), Options{Devices: []device.Device{dev}, Verify: true, Strict: strict})
		if strict {
			var problem problem.Problem
			if !errors.As(err, &problem) || problem.Code != "E0704" {
				t.Errorf("under Strict: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var wrong []string
		for _, p := range r.Parity {
			if p.OK {
				continue
			}
			wrong = append(wrong, p.Value)
			if math.Abs(p.Worst-1e-3) > 1e-5 {
				t.Errorf("parity %+v", p)
			}
		}
		// What is made from it is said to be wrong.
		w.got = map[string]ops.Dense{}
		sinks := chain(w)
		for _, s := range sinks {
			s.Bound = filed{s.Bound.(optest.Taken)}
		}
		again, err := Run(context.Background(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Verify: true})
		if err != nil || len(w.got) == 0 || len(again.Warnings) != 3 || !slices.ContainsFunc(again.Warnings, func(w result.Warning) bool {
			return w.Code == "E0704" && strings.HasPrefix(w.Message, "out.npy was not written") && w.Where == sinks[0].Where
		}) {
			t.Errorf("%v, warnings %+v", err, again.Warnings)
		}
		// The reference of what was made from the wrong total does not use it, so the error shows there too.
		if !slices.Equal(wrong, []string{"total", "over"}) || len(r.Warnings) != 2 || r.Warnings[0].Code != "E0704" {
			t.Errorf("wrong: %q, warnings %+v", wrong, r.Warnings)
		}
	}
}

func TestNonFiniteWhereFloat64IsFiniteIsFound(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	dev.after = func(k *ir.Kernel, b device.Bindings, _ region.Region) {
		out := k.Stores[0].Buf
		device.SetFloat(out.Type, b.Mem[out].Host(), 0, math.NaN())
	}
	r, err := Run(context.Background(), w.plan(t, dev, w.keep("v", w.third(w.ramp(matrix(3, 4))))), Options{Devices: []device.Device{dev}, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Parity[0]; p.OK || p.Mismatched != 1 || !slices.Equal(p.At, []int{0, 0}) {
		t.Errorf("parity %+v", p)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestCancelledRunStopsAndFrees(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	ctx, cancel := context.WithCancel(context.Background())
	dev.launch = func(*ir.Kernel, region.Region) error { cancel(); return nil }
	r, err := Run(ctx, w.plan(t, dev, chain(w)...), Options{Devices: []device.Device{dev}, Verify: true})
	var stage *result.StageError
	if !errors.Is(err, context.Canceled) || errors.As(err, &stage) {
		t.Errorf("error %v", err)
	}
	if *dev.alive != 0 || len(w.got) != 0 || len(r.Kernels) != 1 {
		t.Errorf("%d buffers alive, sinks got %d arrays, %d kernels", *dev.alive, len(w.got), len(r.Kernels))
	}
}

func TestFailingSourceNamesItsPlace(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	a := w.ramp(matrix(3, 4))
	a.Of.Bound = optest.Filled(func(context.Context, ops.HostArray) (ops.Note, error) {
		return ops.Note{}, problem.Wrong("E0506", "path", "", "cut short")
	})
	_, err := Run(context.Background(), w.plan(t, dev, w.keep("v", w.third(a))), Options{Devices: []device.Device{dev}})
	var stage *result.StageError
	var problem problem.Problem
	if !errors.As(err, &stage) || stage.Where.Line != 1 || !errors.As(err, &problem) || problem.Code != "E0506" {
		t.Errorf("error %v", err)
	}
}

// filed is a sink that takes its array as a whole into a file.
type filed struct{ optest.Taken }

func (filed) File() string { return "out.npy" }

package planner

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/place"
	"weft/planner/plan"
)

// gpu is a device 1000 times as fast as the host of these tests, with a link of some bytes a second.
func gpu(name string, speed, link float64, memory int64) place.DeviceModel {
	return place.DeviceModel{
		Info:  device.Info{Name: name, Kind: "emulated", Limits: device.Limits{Memory: memory}},
		Rates: device.Rates{Flops: speed, Bandwidth: speed, Launch: 5e-6, LinkIn: link, LinkOut: link, LinkLatency: 1e-6},
	}
}

// placing plans with the given devices on a host of 1 Gflop/s.
func placing(devices []place.DeviceModel, asked string, sinks ...*ops.Instance) (*bound.Plan, error) {
	return Build(sinks, device.Info{Name: "cpu"}, Options{
		Request: Request{FuseLimit: new(0)}, Rates: plan.Rates{Flops: 1e9, Bandwidth: 1e9}, Accelerators: devices, Device: asked,
	})
}

// placesOf are where the kernels of a plan run, in order.
func placesOf(p *bound.Plan) string {
	var out []string
	for _, s := range p.Steps {
		if s.Kernel != nil {
			at := strings.Join(s.Kernel.Place.Devices, "+")
			if at == "" {
				at = "cpu"
			}
			out = append(out, s.Name+" "+at)
		}
	}
	return strings.Join(out, ", ")
}

func TestPlacement(t *testing.T) {
	const n = 1 << 16
	quick := gpu("fast:0", 1e12, 10e9, 8<<30)
	slow := gpu("slow:0", 0.5e12, 10e9, 8<<30)
	distant := gpu("far:0", 1e12, 1e6, 8<<30)
	crawling := gpu("lame:0", 1e3, 10e9, 8<<30)
	chain := func(w *world) *ops.Instance { return w.sink(w.double(w.dear(w.double(w.ramp(n))))) }
	on := func(w *world, name string, in ops.Array) ops.Array {
		in.Of.Hints = ops.Hints{Device: name, At: map[string]problem.Where{"device": {Line: in.Of.ID}}}
		return in
	}
	cases := []struct {
		name    string
		devices []place.DeviceModel
		asked   string
		build   func(w *world) *ops.Instance
		want    string
	}{
		{"no devices", nil, "", chain, "ramp cpu, double cpu, dear cpu, double cpu"},
		{"dear work goes to the device, and what lies next to it along with it", []place.DeviceModel{quick}, "", chain,
			"ramp fast:0, double fast:0, dear fast:0, double fast:0"},
		{"over a slow link cheap work stays", []place.DeviceModel{distant}, "", func(w *world) *ops.Instance {
			return w.sink(w.double(w.ramp(n)))
		}, "ramp cpu, double cpu"},
		{"a slow device gets nothing", []place.DeviceModel{crawling}, "", chain, "ramp cpu, double cpu, dear cpu, double cpu"},
		{"a slow device helps no fast one", []place.DeviceModel{crawling, quick}, "", chain, "ramp fast:0, double fast:0, dear fast:0, double fast:0"},
		{"two devices share what is dear", []place.DeviceModel{slow, quick}, "", func(w *world) *ops.Instance { return w.sink(w.dear(w.ramp(n * 16))) },
			"ramp fast:0, dear fast:0+slow:0"}, // nobody waits for the first, as for what two have
		{"the command line puts all on the CPU", []place.DeviceModel{quick}, "cpu", chain, "ramp cpu, double cpu, dear cpu, double cpu"},
		{"or on a GPU", []place.DeviceModel{distant}, "gpu", chain, "ramp far:0, double far:0, dear far:0, double far:0"},
		{"or on devices by name", []place.DeviceModel{quick, distant, crawling}, "far:0,fast:0", chain,
			"ramp fast:0+far:0, double fast:0+far:0, dear fast:0+far:0, double fast:0+far:0"},
		{"or by kind", []place.DeviceModel{quick, distant}, "emulated", chain,
			"ramp fast:0+far:0, double fast:0+far:0, dear fast:0+far:0, double fast:0+far:0"},
		{"the command line goes before the text", []place.DeviceModel{quick}, "cpu", func(w *world) *ops.Instance {
			return w.sink(on(w, "gpu", w.dear(w.ramp(n))))
		}, "ramp cpu, dear cpu"},
		{"the text puts a stage on the CPU", []place.DeviceModel{quick}, "", func(w *world) *ops.Instance {
			return w.sink(on(w, "cpu", w.double(w.dear(w.ramp(n)))))
		}, "ramp fast:0, dear fast:0, double cpu"},
		{"and on a device where it is slower", []place.DeviceModel{distant}, "", func(w *world) *ops.Instance {
			return w.sink(w.double(on(w, "far:0", w.double(w.ramp(n)))))
		}, "ramp far:0, double far:0, double cpu"},
		{"on a family of devices", []place.DeviceModel{quick, distant}, "", func(w *world) *ops.Instance {
			return w.sink(on(w, "far", w.ramp(n)))
		}, "ramp far:0"},
		{"a device of unknown speed gets nothing", []place.DeviceModel{{Info: device.Info{Name: "cuda:0", Kind: "cuda"}, Unrated: true}}, "", chain,
			"ramp cpu, double cpu, dear cpu, double cpu"},
		{"but what is asked to be there", []place.DeviceModel{{Info: device.Info{Name: "cuda:0", Kind: "cuda"}, Unrated: true}}, "gpu", chain,
			"ramp cuda:0, double cuda:0, dear cuda:0, double cuda:0"},
		{"a device without room has nothing", []place.DeviceModel{gpu("tiny:0", 1e12, 10e9, 100)}, "", chain, "ramp cpu, double cpu, dear cpu, double cpu"},
		{"not when all was put there either", []place.DeviceModel{gpu("tiny:0", 1e12, 10e9, 100)}, "gpu", chain, "ramp cpu, double cpu, dear cpu, double cpu"},
		{"rows that fit are enough for dear work", []place.DeviceModel{gpu("small:0", 1e12, 10e9, 8192)}, "", chain, "ramp cpu, double cpu, dear small:0, double cpu"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := placing(c.devices, c.asked, c.build(&world{}))
			if err != nil {
				t.Fatal(err)
			}
			if got := placesOf(p); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			for _, s := range p.Steps {
				if s.Kernel == nil {
					continue
				}
				sum := 0.0
				for _, w := range s.Kernel.Place.Weights {
					sum += w
				}
				if n := len(s.Kernel.Place.Devices); n != len(s.Kernel.Place.Weights) || n > 0 && math.Abs(sum-1) > 1e-9 {
					t.Errorf("%s: weights %v of %v", s.ID, s.Kernel.Place.Weights, s.Kernel.Place.Devices)
				}
				if (s.Kernel.Place.Why == "") != (len(c.devices) == 0) {
					t.Errorf("%s: why %q with %d devices", s.ID, s.Kernel.Place.Why, len(c.devices))
				}
				t.Log(s.Name, s.Kernel.Place.Why)
			}
		})
	}
}

// Devices of different speed take shares of dear work in proportion.
func TestWeightsFollowRates(t *testing.T) {
	w := &world{}
	p, err := placing([]place.DeviceModel{gpu("a:0", 1e12, 0, 0), gpu("b:0", 3e12, 0, 0)}, "", w.sink(w.dear(w.ramp(1<<22))))
	if err != nil {
		t.Fatal(err)
	}
	last := p.Steps[len(p.Steps)-2].Kernel.Place
	if !slices.Equal(last.Devices, []string{"b:0", "a:0"}) || math.Abs(last.Weights[0]-0.75) > 0.02 {
		t.Errorf("shares %v of %v", last.Weights, last.Devices)
	}
	if last.Accelerated <= 0 || last.Accelerated >= last.Host {
		t.Errorf("takes %g ms, the host %g", last.Accelerated, last.Host)
	}
}

// Stages that were put in different places are not fused, also where another lies between them.
func TestPlacesKeepStagesApart(t *testing.T) {
	w := &world{}
	on := func(name string, in ops.Array) ops.Array {
		in.Of.Hints.Device = name
		return in
	}
	sink := w.sink(on("gpu", w.double(w.double(on("cpu", w.double(w.ramp(100)))))))
	p, err := Build([]*ops.Instance{sink}, device.Info{Name: "cpu"}, Options{Accelerators: []place.DeviceModel{gpu("g:0", 1e12, 1e9, 0)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := placesOf(p); got != "ramp + double cpu, double g:0" {
		t.Error(got)
	}
	if e := p.Edges[len(p.Edges)-1]; e.Code != plan.OtherDevice {
		t.Errorf("the edge between them is %s", e.Code)
	}
}

// What cannot be had is a problem at the annotation, or of the command line.
func TestPlacesThatCannotBeHad(t *testing.T) {
	tiny := []place.DeviceModel{gpu("tiny:0", 1e12, 1e9, 100)}
	cases := []struct {
		name, note, asked string
		devices           []place.DeviceModel
		code, message     string
	}{
		{"no GPU", "gpu", "", nil, "E0611", "@device(gpu): there is no GPU"},
		{"unknown", "big:1", "", tiny, "E0611", "@device(\"big:1\"): there is no device big:1"},
		{"no room", "gpu", "", tiny, "E0602", "@device(gpu) cannot be honoured: one row of it takes 2.01 KiB with what it reads, and tiny:0 has 100 B"},
		{"run without GPU", "", "gpu", nil, "E0611", "--device gpu: there is no GPU"},
		{"run on both", "", "cpu,tiny:0", tiny, "E0611", "--device cpu,tiny:0: cpu stands alone"},
		{"run on nothing", "", "tiny:0,", tiny, "E0611", "--device tiny:0,: a name is missing"},
		{"run on unknown", "", "tiny:0,big:1", tiny, "E0611", "--device tiny:0,big:1: there is no device big:1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			a := w.double(w.ramp(1000))
			where := problem.Where{}
			if c.note != "" {
				where = problem.Where{Line: 7}
				a.Of.Hints = ops.Hints{Device: c.note, At: map[string]problem.Where{"device": where}}
			}
			_, err := placing(c.devices, c.asked, w.sink(a))
			var p problem.Problem
			if !errors.As(err, &p) || p.Code != c.code || p.Message != c.message || p.At != where || p.Help == "" {
				t.Errorf("%v: %+v", err, p)
			}
		})
	}
}

// A plan that is made again has its kernels where they were, whatever is faster by then, or says which device is missing.
func TestPlacesAreKept(t *testing.T) {
	build := func(devices []place.DeviceModel, decided *plan.Decisions) (*bound.Plan, error) {
		w := &world{}
		sink := w.sink(w.double(w.dear(w.double(w.ramp(1 << 16)))))
		return Build([]*ops.Instance{sink}, device.Info{Name: "cpu"}, Options{
			Request: Request{FuseLimit: new(0), Decided: decided}, Rates: plan.Rates{Flops: 1e9, Bandwidth: 1e9}, Accelerators: devices,
		})
	}
	near, far := []place.DeviceModel{gpu("g:0", 1e12, 3e8, 0)}, []place.DeviceModel{gpu("g:0", 1e12, 1e3, 0)}
	first, err := build(near, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := build(far, &first.Decided)
	if err != nil {
		t.Fatal(err)
	}
	afresh, err := build(far, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Place(again, far, place.Placing{}); err != nil {
		t.Fatal(err)
	}
	if why := again.Steps[len(again.Steps)-2].Kernel.Place.Why; !strings.Contains(why, ": as in the plan that is made again") {
		t.Error(why)
	}
	if placesOf(first) != placesOf(again) || placesOf(first) == placesOf(afresh) {
		t.Errorf("first %s\nagain %s\nafresh %s", placesOf(first), placesOf(again), placesOf(afresh))
	}
	var p problem.Problem
	if _, err := build(nil, &first.Decided); !errors.As(err, &p) || p.Code != "E0611" || !strings.Contains(p.Message, "the plan that is made again has k") || !strings.Contains(p.Help, "--resume") {
		t.Error(err)
	}
}

// Real devices tell their peaks, of which kernels reach a part; described ones are taken by their word.
func TestPeaksAreNotReached(t *testing.T) {
	takes := func(kind string) float64 {
		d := gpu("g:0", 1e12, 0, 0)
		d.Info.Kind = kind
		w := &world{}
		p, err := placing([]place.DeviceModel{d}, "gpu", w.sink(w.dear(w.ramp(1<<22))))
		if err != nil {
			t.Fatal(err)
		}
		return p.Steps[len(p.Steps)-2].Kernel.Place.Accelerated
	}
	if described, real := takes("emulated"), takes("cuda"); math.Abs(real/described-4) > 0.2 {
		t.Errorf("%g ms by description, %g ms by peaks", described, real)
	}
}

// A program of hundreds of kernels is placed among several devices in well under a second.
func BenchmarkPlace(b *testing.B) {
	w := &world{}
	var sinks []*ops.Instance
	for range 97 {
		sinks = append(sinks, w.sink(w.double(w.dear(w.ramp(1<<12)))))
	}
	devices := []place.DeviceModel{gpu("a:0", 1e12, 1e10, 8<<30), gpu("a:1", 1e12, 1e10, 8<<30), gpu("b:2", 3e11, 1e10, 8<<30), gpu("b:3", 3e11, 1e10, 8<<30), gpu("c:4", 1e11, 1e9, 1<<30)}
	p, err := placing(devices, "", sinks...)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := place.Place(p, devices, place.Placing{}); err != nil {
			b.Fatal(err)
		}
	}
}

package codegen_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	render "weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// bench is a device for tests: it renders kernels under the schedules a function chooses.
type bench struct {
	t      testing.TB
	target schedule.Target
	choose func(k *ir.Kernel) schedule.CPU
	edit   func(source string) string // nil: as rendered
}

func (d *bench) Info() device.Info {
	return device.Info{Name: "render", Kind: "native", Detail: d.target.ISA, Threads: 1}
}

func (d *bench) Alloc(buf *ir.Buffer) (device.Memory, error) { return device.NewHostMemory(buf) }

// Compile makes one object of all kernels.
func (d *bench) Compile(_ context.Context, kernels []*ir.Kernel, _ device.Options) ([]device.Program, error) {
	out := make([]device.Program, len(kernels))
	text, all := "", make([]*launchable, len(kernels))
	for i, k := range kernels {
		s := d.choose(k)
		name := fmt.Sprintf("kernel%d", i)
		o, err := render.Render(k, s, d.target, name, render.Way{})
		if err != nil {
			return nil, fmt.Errorf("%s under %s: %w", k.Name, s, err)
		}
		small, err := render.Render(k, s, d.target, name+"_small", render.Way{Small: true})
		if err != nil {
			return nil, fmt.Errorf("%s under %s: %w", k.Name, s, err)
		}
		if d.edit != nil {
			o.Source, small.Source = d.edit(o.Source), d.edit(small.Source)
		}
		text += o.Source + small.Source
		all[i] = &launchable{k: k, out: o, s: s}
		out[i] = all[i]
	}
	lib, err := d.compile(text)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.sym, err = functions(lib, p.out.Name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *bench) compile(text string) (uintptr, error) {
	dir := d.t.TempDir()
	if keep := os.Getenv("RENDER_KEEP"); keep != "" {
		dir = keep
	}
	src, so := filepath.Join(dir, d.target.ISA+".c"), filepath.Join(d.t.TempDir(), "k.so")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		return 0, err
	}
	args := append(flags(d.t, d.target), "-shared", "-o", so, src, "-lm")
	if msg, err := exec.Command(compiler(d.t), args...).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, msg)
	}
	return purego.Dlopen(so, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// launchable is a kernel of the test device.
type launchable struct {
	k   *ir.Kernel
	s   schedule.CPU
	out render.Output
	sym [2]uintptr // see functions
}

func (p *launchable) Kernel() *ir.Kernel { return p.k }
func (p *launchable) Step() []int        { return p.out.Step }
func (p *launchable) Report() device.Report {
	return device.Report{Schedule: p.s.Text(p.k), Loads: p.out.Loads, Tables: p.out.Tables, Source: p.out.Source}
}

func (p *launchable) Bind(b device.Bindings) (func(region.Region) error, error) {
	bufs := make([]unsafe.Pointer, len(p.out.Bufs)+1)
	for i, buf := range p.out.Bufs {
		m := b.Mem[buf]
		if m == nil {
			return nil, fmt.Errorf("no memory for %s", buf.Name)
		}
		bufs[i] = unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.Host())), buf.Pad.Before*buf.Type.Size())
	}
	farg, iarg := make([]float64, len(p.out.Args)+1), make([]int64, len(p.out.Args)+1)
	for i, n := range p.out.Args {
		s, _ := device.ScalarOf(b.Args, n)
		farg[i], iarg[i] = s.F, s.I
	}
	return func(t region.Region) error {
		lo, hi := make([]int32, len(t)+1), make([]int32, len(t)+1)
		for i, x := range t {
			lo[i], hi[i] = int32(x.Lo), int32(x.Hi)
		}
		run(p.out, p.sym, bufs, farg, iarg, lo, hi)
		runtime.KeepAlive(b)
		return nil
	}, nil
}

// outputs runs tiles on zeroed buffers with the given contents and returns the bytes of what is stored, by name.
func (p *launchable) outputs(t *testing.T, in map[string][]float64, tiles []region.Region) map[string][]byte {
	t.Helper()
	b := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}}
	for _, buf := range p.out.Bufs {
		m, err := device.NewHostMemory(buf)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := in[buf.Name]; ok {
			device.SetFloats(buf, m.Host(), v)
		}
		b.Mem[buf] = m
	}
	launch, err := p.Bind(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, tile := range tiles {
		if err := launch(tile); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string][]byte{}
	for _, buf := range p.k.Outputs() {
		out[buf.Name] = b.Mem[buf].Host()
	}
	return out
}

// anySchedule draws a legal schedule.
func anySchedule(rng *rand.Rand, k *ir.Kernel, t schedule.Target) schedule.CPU {
	for {
		s := schedule.CPU{Order: rng.Perm(len(k.Axes)), Every: rng.IntN(4) * 3, Skip: rng.IntN(2) == 0, AccMajor: rng.IntN(3) == 0}
		switch {
		case len(k.Axes) > 0 && rng.IntN(8) > 0:
			for left := t.Lanes; left > 1; {
				n := 1 << rng.IntN(int(math.Log2(float64(left)))+1)
				if n == 1 && len(s.Lanes) > 0 {
					n = left
				}
				s.Lanes = append(s.Lanes, schedule.AxisN{Axis: rng.IntN(len(k.Axes)), N: n})
				left /= n
			}
		case rng.IntN(3) > 0:
			s.FoldLanes, s.Flight = true, rng.IntN(5)
			if rng.IntN(2) == 0 {
				s.Flight, s.Group, s.Window = 0, 1+rng.IntN(3), 16<<rng.IntN(2)
			}
		}
		if len(s.Lanes) > 0 && rng.IntN(3) == 0 { // and turns of what is the same on all lanes
			s.FoldLanes, s.Flight = true, rng.IntN(5)
		}
		for range rng.IntN(3) {
			if len(k.Axes) > 0 && s.Group == 0 {
				s.Unroll = append(s.Unroll, schedule.AxisN{Axis: rng.IntN(len(k.Axes)), N: 1 + rng.IntN(4)})
			}
		}
		if rng.IntN(2) == 0 {
			s.Table = t.Lanes * (1 + rng.IntN(3))
			if rng.IntN(3) > 0 {
				s.Window, s.Guard = 16<<rng.IntN(2), true
			}
		}
		if s.FoldLanes && s.Table == 0 && rng.IntN(2) == 0 {
			s.AccBlock = 1 + rng.IntN(9)
		}
		if rng.IntN(6) == 0 {
			s = schedule.CPU{Flat: 1 + rng.IntN(4), Split: rng.IntN(3) * 2, Every: s.Every, AccMajor: s.AccMajor}
		}
		if len(s.Lanes) > 0 && rng.IntN(3) > 0 { // in chunks of a few steps, where the kernel has a fold to split
			c := s
			c.Split, c.Pack, c.Table, c.Window, c.Guard, c.Skip = 1+rng.IntN(9), rng.IntN(3) > 0, 0, 0, false, false
			if rng.IntN(2) == 0 {
				c.AccBlock = c.Split
			}
			for _, a := range s.Order[rng.IntN(len(s.Order)):] {
				c.Chunk = append(c.Chunk, schedule.AxisN{Axis: a, N: s.Step(a) * (1 + rng.IntN(3))})
			}
			if c.Check(k, t) == nil {
				return c
			}
		}
		if s.Check(k, t) == nil {
			return s
		}
	}
}

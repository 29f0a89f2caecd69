package native

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// shifted is out[i] = exp(x[i]) + c.
type shifted struct {
	kernel *ir.Kernel
	x, out *ir.Buffer
}

func newShifted(name string, n int) shifted {
	b := ir.NewBuilder()
	s := shifted{x: &ir.Buffer{Name: "x", Type: ir.F32, Shape: []int{n}}, out: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{n}}}
	i := b.Axis("i", n)
	v := b.Add(b.Alu(ir.Exp, b.Load(s.x, i)), b.Arg(ir.F32, "c"))
	s.kernel = &ir.Kernel{Name: name, Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: s.out, Index: []*ir.Node{i}, Value: v}}}
	return s
}

// bindings allocates the buffers with x[i] = i/n and the given c.
func (s shifted) bindings(t testing.TB, d device.Device, c float64) device.Bindings {
	t.Helper()
	b := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}, Args: map[string]device.Scalar{"c": {F: c}}}
	for _, buf := range []*ir.Buffer{s.x, s.out} {
		m, err := d.Alloc(buf)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		b.Mem[buf] = m
	}
	x := device.View[float32](b.Mem[s.x].Host(), ir.F32)
	for i := range x {
		x[i] = float32(i) / float32(len(x))
	}
	return b
}

func (s shifted) check(t *testing.T, b device.Bindings, c float64) {
	t.Helper()
	x, out := device.View[float32](b.Mem[s.x].Host(), ir.F32), device.View[float32](b.Mem[s.out].Host(), ir.F32)
	for i := range out {
		if want := math.Exp(float64(x[i])) + c; math.Abs(float64(out[i])-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("out[%d] = %v, want %v", i, out[i], want)
		}
	}
}

func compileOne(t testing.TB, d *Device, k *ir.Kernel, opt device.Options) device.Program {
	t.Helper()
	p, err := d.Compile(context.Background(), []*ir.Kernel{k}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p[0]
}

// TestKernelsOfOneName compiles kernels that share a name, contracted and not, in one go.
func TestKernelsOfOneName(t *testing.T) {
	d := open(t, "")
	sizes := []int{100, 200, 300, 100}
	var cases []shifted
	var kernels []*ir.Kernel
	for i, n := range sizes {
		s := newShifted("same", n)
		s.kernel.Contract = i%2 == 0
		cases, kernels = append(cases, s), append(kernels, s.kernel)
	}
	programs, err := d.Compile(context.Background(), kernels, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range programs {
		if p.Kernel() != kernels[i] {
			t.Fatalf("program %d is of another kernel", i)
		}
		b := cases[i].bindings(t, d, float64(i))
		launch, err := p.Bind(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := launch(kernels[i].Domain()); err != nil {
			t.Fatal(err)
		}
		cases[i].check(t, b, float64(i))
	}
}

// TestConcurrentLaunches runs more launches at once than a binding has frames, each on a tile of its own.
func TestConcurrentLaunches(t *testing.T) {
	d := open(t, "")
	const tiles, width = 4 * maxFrames, 100
	s := newShifted("many", tiles*width)
	b := s.bindings(t, d, -1)
	launch, err := compileOne(t, d, s.kernel, device.Options{}).Bind(b)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	start := make(chan struct{})
	for i := range tiles {
		group.Go(func() {
			<-start
			if err := launch(region.Region{{Lo: i * width, Hi: (i + 1) * width}}); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	group.Wait()
	s.check(t, b, -1)
}

// TestFramesRunOut claims every frame and launches nevertheless.
func TestFramesRunOut(t *testing.T) {
	d := open(t, "")
	s := newShifted("full", 64)
	p := compileOne(t, d, s.kernel, device.Options{}).(*program)
	b := s.bindings(t, d, 2)
	c, err := newCall(p.variants[0], b)
	if err != nil {
		t.Fatal(err)
	}
	for c.take() >= 0 {
	}
	if err := c.launch(s.kernel.Domain()); err != nil {
		t.Fatal(err)
	}
	s.check(t, b, 2)
}

func TestObjectsAreFound(t *testing.T) {
	d := fresh(t)
	s := newShifted("cached", 50)
	if compileOne(t, d, s.kernel, device.Options{}).Report().Cached {
		t.Error("the first compilation claims to come from the cache")
	}
	sources, _ := filepath.Glob(filepath.Join(d.store.dir, "*.c"))
	if len(sources) != 1 {
		t.Errorf("%d sources beside the objects, want 1", len(sources))
	}
	next := newShifted("cached", 50) // the same kernel from another builder, in another process
	again := openWith(t, Config{Cache: filepath.Dir(d.store.dir)})
	p := compileOne(t, again, next.kernel, device.Options{})
	if !p.Report().Cached {
		t.Error("the second compilation did not find the object")
	}
	if !strings.Contains(p.Report().Source, "weft_args") {
		t.Error("the report has no source")
	}
}

// TestDamagedObjects damages the cache in each way a crash or a careless hand may, and expects the kernel to run.
func TestDamagedObjects(t *testing.T) {
	all := func(dir, pattern string, damage func(string) error) error {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, f := range files {
			if err := damage(f); err != nil {
				return err
			}
		}
		return nil
	}
	garbage := func(f string) error { return os.WriteFile(f, []byte("garbage"), 0o644) }
	halve := func(f string) error {
		info, err := os.Stat(f)
		if err != nil {
			return err
		}
		return os.Truncate(f, info.Size()/2)
	}
	for _, c := range []struct {
		name, pattern string
		damage        func(string) error
	}{
		{"object truncated", "*.so", halve},
		{"object replaced", "*.so", garbage},
		{"object lost", "*.so", os.Remove},
		{"reference garbage", "*.ref", garbage},
		{"reference lost", "*.ref", os.Remove},
	} {
		t.Run(c.name, func(t *testing.T) {
			// The damaged object is written by one device and read by another that never had it loaded.
			from, d := fresh(t), fresh(t)
			s := newShifted("damaged", 40)
			compileOne(t, from, s.kernel, device.Options{})
			if err := os.CopyFS(d.store.dir, os.DirFS(from.store.dir)); err != nil {
				t.Fatal(err)
			}
			if err := all(d.store.dir, c.pattern, c.damage); err != nil {
				t.Fatal(err)
			}
			p := compileOne(t, d, s.kernel, device.Options{})
			if p.Report().Cached {
				t.Error("a damaged object was used")
			}
			b := s.bindings(t, d, 3)
			launch, err := p.Bind(b)
			if err != nil {
				t.Fatal(err)
			}
			if err := launch(s.kernel.Domain()); err != nil {
				t.Fatal(err)
			}
			s.check(t, b, 3)
			if _, _, ok := d.store.find(p.(*program).rule); !ok {
				t.Error("the cache was not mended")
			}
		})
	}
}

// TestDamagedHeader damages the prelude in the cache and expects new kernels to compile.
func TestDamagedHeader(t *testing.T) {
	for name, damage := range map[string]func(f string, size int64) error{
		"garbage":   func(f string, _ int64) error { return os.WriteFile(f, []byte("garbage"), 0o644) },
		"truncated": func(f string, size int64) error { return os.Truncate(f, size/2) },
		"lost":      func(f string, _ int64) error { return os.Remove(f) },
	} {
		t.Run(name, func(t *testing.T) {
			d := fresh(t)
			compileOne(t, d, newShifted("before", 10).kernel, device.Options{})
			files, _ := filepath.Glob(filepath.Join(d.store.dir, "prelude-*"))
			if len(files) != 1 {
				t.Fatalf("%d preludes, want 1", len(files))
			}
			info, err := os.Stat(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > 250_000 { // all that gcc 12 includes is four times as much
				t.Errorf("a prelude of %d bytes", info.Size())
			}
			if err := damage(files[0], info.Size()); err != nil {
				t.Fatal(err)
			}
			again := openWith(t, Config{Cache: filepath.Dir(d.store.dir)})
			compileOne(t, again, newShifted("after", 11).kernel, device.Options{})
		})
	}
}

// TestManyCompileAtOnce has two devices on one cache, as two processes have, compile the same kernels from many goroutines.
func TestManyCompileAtOnce(t *testing.T) {
	a := fresh(t)
	b := openWith(t, Config{Cache: filepath.Dir(a.store.dir)})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			d := []*Device{a, b}[i%2]
			s := newShifted("shared", 30+i/4)
			p, err := d.Compile(context.Background(), []*ir.Kernel{s.kernel}, device.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			bind := s.bindings(t, d, 1)
			launch, err := p[0].Bind(bind)
			if err == nil {
				err = launch(s.kernel.Domain())
			}
			if err != nil {
				t.Error(err)
				return
			}
			s.check(t, bind, 1)
		})
	}
	group.Wait()
	if left, _ := filepath.Glob(filepath.Join(a.store.dir, "tmp-*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// TestCancelledClaimIsTakenOver cancels a compilation that another caller waits for: the other then does it itself.
func TestCancelledClaimIsTakenOver(t *testing.T) {
	d := open(t, "")
	s := newShifted("abandoned", 60)
	p, err := d.plan(s.kernel, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.loaded.claim(p.variants)
	done := make(chan error)
	go func() {
		_, err := d.Compile(context.Background(), []*ir.Kernel{s.kernel}, device.Options{})
		done <- err
	}()
	d.loaded.settle(p.variants[0], 0, context.Canceled)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebitengine/purego"

	"weft/kernels/codegen/c"
	"weft/kernels/conformance"
	"weft/kernels/cuda/driver"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/ir"
)

// Without a driver there is no device, and the reason is a short one. With one, every GPU passes the suite.
func TestConformance(t *testing.T) {
	_, missing := purego.Dlopen(driver.Library, purego.RTLD_NOW)
	devices, err := Devices(Config{Cache: t.TempDir()})
	if missing != nil {
		if err == nil || err.Error() != "libcuda.so.1 not found" {
			t.Errorf("got %v", err)
		}
		t.Skip("no NVIDIA driver on this machine: not run on a GPU")
	}
	if len(devices) == 0 {
		t.Skipf("no GPU: %v", err)
	}
	for _, d := range devices {
		t.Run(d.Info().Name, func(t *testing.T) {
			t.Log(d.Info().Detail)
			conformance.Run(t, d)
		})
	}
}

// fakeDriver is set in a test process that runs on testdata/driver.c instead of a driver.
const fakeDriver = "WEFT_TEST_FAKE_DRIVER"

// oldDriver is set where that is one without graphs.
const oldDriver = "WEFT_TEST_OLD_DRIVER=1"

// TestFakeDriver runs the tests named TestOnFake... in processes that find the fake driver.
func TestFakeDriver(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler on this machine")
	}
	library(t)
	build := func(flags ...string) (dir string) {
		dir = t.TempDir()
		args := append(flags, "-O1", "-shared", "-fPIC", "-o", filepath.Join(dir, driver.Library), "testdata/driver.c", "-ldl")
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return dir
	}
	dir, old := build(), build("-DNO_GRAPHS")
	for _, c := range []struct{ test, setting string }{
		{"TestOnFakeConformance", ""},
		{"TestOnFakeMemory", "FAKE_CUDA_MEMORY=100000"},
		{"TestOnFakeLoss", "FAKE_CUDA_FAILS=2"},
		{"TestOnFakeViews", "FAKE_CUDA_MEMORY=2000000"},
		{"TestOnFakePool", "FAKE_CUDA_MEMORY=2000000"},
		{"TestOnFakeEngines", "FAKE_CUDA_SLOW=60"},
		{"TestOnFakeRates", ""},
		{"TestOnFakeLine", "FAKE_CUDA_SLOW=40"},
		{"TestOnFakeGather", "FAKE_CUDA_SLOW=40"},
		{"TestOnFakePeak", "FAKE_CUDA_SLOW=5"},
		{"TestOnFakeLineLost", "FAKE_CUDA_FAILS=3"},
		{"TestOnFakePeers", "FAKE_CUDA_DEVICES=2"},
		{"TestOnFakeGraph", "FAKE_CUDA_SLOW=40"},
		{"TestOnFakeGraphLost", "FAKE_CUDA_FAILS=4"},
		{"TestOnFakeWithoutGraphs", oldDriver},
	} {
		t.Run(c.test, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+c.test+"$", "-test.v")
			lib := dir
			if c.setting == oldDriver {
				lib = old
			}
			cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+lib, fakeDriver+"="+cc, c.setting)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS: "+c.test) {
				t.Errorf("%v\n%s", err, out[max(0, len(out)-4000):])
			}
		})
	}
}

// onFake is the fake GPU; its kernels are compiled for the CPU.
func onFake(t *testing.T) *Device {
	t.Helper()
	cc := os.Getenv(fakeDriver)
	if cc == "" {
		t.Skip("TestFakeDriver runs this")
	}
	devices, err := Devices(Config{Cache: t.TempDir()})
	if err != nil || len(devices) != 1 {
		t.Fatalf("%d devices, %v", len(devices), err)
	}
	d := devices[0].(*Device)
	if i := d.Info(); i.Name != "cuda:0" || !strings.HasPrefix(i.Detail, "Fake GPU; capability 9.0, 1 multiprocessors; driver for CUDA 12.4; NVRTC") {
		t.Errorf("%+v", i)
	}
	d.compiler = hostBuilder{cc, t.TempDir()}
	return d
}

// hostBuilder compiles CUDA for the fake driver: one shared object for all, whose name is the image.
type hostBuilder struct{ cc, dir string }

func (h hostBuilder) build(ctx context.Context, codes []*launch.Code, _ nvrtc.Target) ([]nvrtc.Image, error) {
	images := make([]nvrtc.Image, len(codes))
	for i := 0; i < len(codes); {
		part := codes[i:min(i+24, len(codes))]
		seen := map[string]bool{}
		var distinct []*launch.Code
		params := ""
		for _, c := range part {
			if !seen[c.Out.Name] {
				seen[c.Out.Name] = true
				distinct = append(distinct, c)
				params += fmt.Sprintf("int %s_params = %d;\n", c.Out.Name, len(c.Out.ParamTypes()))
			}
		}
		source := filepath.Join(h.dir, part[0].Out.Name+".c")
		if err := os.WriteFile(source, []byte(emulated.Text(distinct)+params), 0o644); err != nil {
			return nil, err
		}
		object := strings.TrimSuffix(source, ".c") + ".so"
		args := append(c.Flags(), "-shared", "-fPIC", "-o", object, source, "-lm")
		if out, err := exec.CommandContext(ctx, h.cc, args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, out)
		}
		for range part {
			images[i] = nvrtc.Image{Data: []byte(object)}
			i++
		}
	}
	return images, nil
}

// source compiles a kernel of pointers and numbers, whose threads may wait for each other.
func (h hostBuilder) source(name, text string, _ nvrtc.Target) (nvrtc.Image, error) {
	file, object := filepath.Join(h.dir, name+".c"), filepath.Join(h.dir, name+".so")
	_, list, _ := strings.Cut(text, name+"(")
	list, _, _ = strings.Cut(list, ")")
	params := strings.Split(list, ",")
	n := len(params)
	for i, p := range params {
		params[i] = fmt.Sprintf("*(long long *)&p[%d]", i)
		if strings.Contains(p, "*") {
			params[i] = fmt.Sprintf("p[%d]", i)
		}
	}
	how := fmt.Sprintf("void **p = l->params;\nweft_dims(l);\nWEFT_BLOCKS(l) WEFT_ALONE(l) %s_entry(p);\nreturn 0;", name)
	if strings.Contains(text, "s_block_") {
		how = fmt.Sprintf("return weft_run_together(l, %s_entry);", name)
	}
	run := fmt.Sprintf("int %s_params = %d;\nstatic void %s_entry(void **p) { %s(%s); }\nint %s_run(const weft_launch *l) {\n%s\n}\n", name, n, name, name, strings.Join(params, ", "), name, how)
	if err := os.WriteFile(file, []byte(emulated.Text(nil)+text+run), 0o644); err != nil {
		return nvrtc.Image{}, err
	}
	if out, err := exec.Command(h.cc, append(c.Flags(), "-shared", "-fPIC", "-o", object, file, "-lm")...).CombinedOutput(); err != nil {
		return nvrtc.Image{}, fmt.Errorf("%w\n%s", err, out)
	}
	return nvrtc.Image{Data: []byte(object)}, nil
}

func TestOnFakeConformance(t *testing.T) {
	d := onFake(t)
	conformance.Run(t, d)
	if u := d.Usage(); u.Launches == 0 || u.BytesIn == 0 || u.BytesOut == 0 || u.Compute == 0 || u.Upload == 0 || u.Download == 0 || u.Peak == 0 || u.Allocated != 0 {
		t.Errorf("usage %+v", u)
	}
}

// Page-locked memory and refusals of memory; freed memory is given back.
func TestOnFakeMemory(t *testing.T) {
	d := onFake(t)
	buf := &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{20000}}
	m, err := d.Alloc(buf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(buf); !errors.Is(err, device.ErrMemory) {
		t.Errorf("beyond the limit: %v", err)
	}
	data, free, err := d.Pin(80000)
	if err != nil {
		t.Fatal(err)
	}
	data[5] = 9
	got := make([]byte, 8)
	if err := errors.Join(device.Write(t.Context(), m, 0, data), device.Read(t.Context(), m, got, 3)); err != nil || got[2] != 9 {
		t.Errorf("%v, %v", got, err)
	}
	lines := device.Lines{Offset: 100, Pitch: 1000, Width: 4, Count: 2}
	if err := m.(device.Pitched).CopyLinesIn(t.Context(), lines, []byte("abcdefgh")); err != nil {
		t.Error(err)
	}
	err = errors.Join(device.Read(t.Context(), m, got[:4], 1100), m.(device.Pitched).CopyLinesOut(t.Context(), got[4:], device.Lines{Offset: 102, Pitch: 1000, Width: 2, Count: 2}))
	if err != nil || string(got) != "efghcdgh" {
		t.Errorf("%q, %v", got, err)
	}
	free()
	if err := device.Write(t.Context(), m, 79999, got); err == nil {
		t.Error("a copy beyond the end")
	}
	m.Free()
	m.Free()
	if err := device.Write(t.Context(), m, 0, got); err == nil || !strings.Contains(err.Error(), "freed") {
		t.Errorf("a copy to freed memory: %v", err)
	}
	if m, err = d.Alloc(buf); err != nil {
		t.Error(err)
	} else {
		m.Free()
	}
}

// A launch that breaks the context loses the device: it says so from then on.
func TestOnFakeLoss(t *testing.T) {
	d := onFake(t)
	b := ir.NewBuilder()
	x := b.Axis("x", 10)
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{10}}
	k := &ir.Kernel{Name: "count", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: x}}}
	programs, err := d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := programs[0].Report(); r.Architecture != "sm_90" || r.Registers != 32 || r.Shared != 256 || r.Spill != 0 {
		t.Errorf("%+v", r.Resources)
	}
	m, err := d.Alloc(out)
	if err != nil {
		t.Fatal(err)
	}
	run, err := programs[0].Bind(device.Bindings{Mem: map[*ir.Buffer]device.Memory{out: m}})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(k.Domain()); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 40)
	if err := device.Read(t.Context(), m, got, 0); err != nil || device.View[int32](got, ir.I32)[7] != 7 {
		t.Errorf("%v, %v", got, err)
	}
	for range 2 {
		if err := run(k.Domain()); !errors.Is(err, device.ErrLost) {
			t.Errorf("got %v", err)
		}
	}
	if err := device.Read(t.Context(), m, got, 0); !errors.Is(err, device.ErrLost) {
		t.Errorf("a copy: %v", err)
	}
	// With a new context all is there but what was in the one before.
	if err := d.Reopen(); err != nil {
		t.Fatal(err)
	}
	if err := run(k.Domain()); err == nil {
		t.Error("a launch on memory that is no more")
	}
	if err := device.Read(t.Context(), m, got, 0); err == nil || errors.Is(err, device.ErrLost) {
		t.Errorf("a copy of memory that is no more: %v", err)
	}
	m.Free()
	if programs, err = d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{}); err != nil {
		t.Fatal(err)
	}
	if m, err = d.Alloc(out); err != nil {
		t.Fatal(err)
	}
	if run, err = programs[0].Bind(device.Bindings{Mem: map[*ir.Buffer]device.Memory{out: m}}); err != nil {
		t.Fatal(err)
	}
	clear(got)
	if err := errors.Join(run(k.Domain()), device.Read(t.Context(), m, got, 0)); err != nil || device.View[int32](got, ir.I32)[7] != 7 {
		t.Errorf("%v, %v", got, err)
	}
	m.Free()
	if u := d.Usage(); u.Allocated != 0 {
		t.Errorf("%+v", u)
	}
}

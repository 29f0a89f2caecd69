package codegen_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	render "weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// compiled is a rendered kernel, loaded.
type compiled struct {
	out render.Output
	sym [2]uintptr // see functions
}

// compiler is the C compiler tests use, or a skip.
func compiler(t testing.TB) string {
	for _, cc := range []string{"cc", "gcc", "clang"} {
		if p, err := exec.LookPath(cc); err == nil {
			return p
		}
	}
	t.Skip("no C compiler on this machine")
	return ""
}

// runs reports whether this machine executes code for a target.
func runs(t testing.TB, target schedule.Target) bool {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || target.ISA == "portable" {
		return target.ISA == "portable"
	}
	flag := map[string]string{"avx512": " avx512dq ", "avx2": " avx2 "}[target.ISA]
	return strings.Contains(string(text), flag)
}

// long reports whether a run is asked to take its time.
func long() bool { return os.Getenv("WEFT_LONG") != "" }

// effort is how much a compiler optimises what tests run: not at all, which takes half the time of the little it otherwise
// does; package native tests what is optimised.
func effort() string {
	if long() {
		return "-O2"
	}
	return "-O0"
}

// flags are the compiler's, and have it read the prelude, which is compiled once for each set of flags.
func flags(t testing.TB, target schedule.Target) []string {
	t.Helper()
	out := append(append(render.Flags(), render.March(target)...), "-Wall", "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-fPIC")
	if _, test := t.(*testing.T); test {
		out = append(out, effort())
	}
	name := filepath.Join(preludes, fmt.Sprintf("%s-%T.h", target.ISA, t))
	made, _ := prepared.LoadOrStore(name, sync.OnceValue(func() error {
		if err := os.WriteFile(name, []byte(render.Prelude(target)), 0o644); err != nil {
			return err
		}
		msg, err := exec.Command(compiler(t), append(slices.Clone(out), "-x", "c-header", "-o", name+".gch", name)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, msg)
		}
		return nil
	}))
	if err := made.(func() error)(); err != nil {
		t.Fatal(err)
	}
	return append(out, "-include", name)
}

// preludes is a folder of preludes, and of what the compiler prepared of them; prepared has a function by name that sees to it.
var (
	preludes string
	prepared sync.Map
)

// compileAll compiles kernels for a target, each under the schedule that is chosen for it.
func compileAll(t *testing.T, kernels []*ir.Kernel, target schedule.Target, choose func(*ir.Kernel) schedule.CPU) []device.Program {
	t.Helper()
	p, err := (&bench{t: t, target: target, choose: choose}).Compile(t.Context(), kernels, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func build(t testing.TB, k *ir.Kernel, s schedule.CPU, target schedule.Target) *compiled {
	t.Helper()
	return buildEdited(t, k, s, target, func(c string) string { return c })
}

func buildEdited(t testing.TB, k *ir.Kernel, s schedule.CPU, target schedule.Target, edit func(c string) string) *compiled {
	t.Helper()
	out, err := render.Render(k, s, target, "kernel", render.Way{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	src, so := filepath.Join(dir, "k.c"), filepath.Join(dir, "k.so")
	small, err := render.Render(k, s, target, "kernel_small", render.Way{Small: true})
	if err != nil {
		t.Fatal(err)
	}
	text := edit(out.Source) + edit(small.Source)
	if keep := os.Getenv("RENDER_KEEP"); keep != "" {
		os.WriteFile(filepath.Join(keep, strings.ReplaceAll(t.Name(), "/", "_")+".c"), []byte(text), 0o644)
	}
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(flags(t, target), "-shared", "-o", so, src, "-lm")
	if msg, err := exec.Command(compiler(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, msg, out.Source)
	} else if len(msg) > 0 {
		t.Logf("%s", msg)
	}
	h, err := purego.Dlopen(so, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	c := &compiled{out: out}
	if c.sym, err = functions(h, out.Name); err != nil {
		t.Fatal(err)
	}
	return c
}

// functions are those of a kernel, for large tiles and for small ones.
func functions(lib uintptr, name string) (out [2]uintptr, err error) {
	for i, ending := range []string{"", "_small"} {
		if out[i], err = purego.Dlsym(lib, name+ending); err != nil {
			return out, err
		}
	}
	return out, nil
}

// memory is a buffer's elements with padding and margins.
type memory struct {
	buf   *ir.Buffer
	bytes []byte
	first int // of element 0 of row 0, in bytes
}

func alloc(b *ir.Buffer) *memory {
	size := b.Type.Size()
	raw := make([]byte, b.Cells()*size+2*device.Margin*size+128)
	off := device.Margin*size + b.Pad.Before*size
	off += int(-(uintptr(unsafe.Pointer(&raw[0])) + uintptr(off)) & 63)
	m := &memory{b, raw, off}
	if b.Pad.Value != 0 {
		for i := -b.Pad.Before; i < b.Cells()-b.Pad.Before; i++ {
			m.f32(i)[0] = float32(b.Pad.Value)
		}
	}
	return m
}

func (m *memory) pointer() unsafe.Pointer { return unsafe.Pointer(&m.bytes[m.first]) }

// f32 is the elements from index i on.
func (m *memory) f32(i int) []float32 {
	at := m.first + 4*i
	return unsafe.Slice((*float32)(unsafe.Pointer(&m.bytes[at])), (len(m.bytes)-at)/4)
}

// call runs a tile.
func (c *compiled) call(mem map[*ir.Buffer]*memory, lo, hi []int32) {
	bufs := make([]unsafe.Pointer, len(c.out.Bufs)+1)
	for i, b := range c.out.Bufs {
		bufs[i] = mem[b].pointer()
	}
	run(c.out, c.sym, bufs, make([]float64, 16), make([]int64, 16), lo, hi)
	runtime.KeepAlive(mem)
}

// given counts launches that went on with what another gave them.
var given atomic.Int64

// run calls a function, and again for what it gives away where it shares. All that weft_args points to is pinned: the addresses in it are mere numbers, and
// what they point to may lie on a stack, which grows and moves. With the bounds of a tile left behind, a loop may run for ever.
func run(out render.Output, functions [2]uintptr, bufs []unsafe.Pointer, farg []float64, iarg []int64, lo, hi []int32) {
	sym, scratch := functions[0], out.Scratch
	if !out.Takes(func(axis int) int { return int(hi[axis] - lo[axis]) }) {
		sym = functions[1]
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	frame := func(lo, hi []int32) *render.Args {
		a := &render.Args{Buf: pinned(&pin, bufs), Farg: pinned(&pin, farg), Iarg: pinned(&pin, iarg), Lo: pinned(&pin, lo), Hi: pinned(&pin, hi), Part: render.Beginning}
		if scratch > 0 {
			own := make([]byte, scratch+63)
			a.Scratch = (pinned(&pin, own) + 63) &^ 63
		}
		pin.Pin(a)
		return a
	}
	a := frame(lo, hi)
	for left := 3; a != nil; left-- { // each but the last is asked for a part of what it does
		asks, other := make([]uint64, 1), (*render.Args)(nil)
		if out.Shares && left > 0 {
			other = frame(make([]int32, len(lo)), make([]int32, len(hi)))
			asks[0] = uint64(uintptr(unsafe.Pointer(other)))
		}
		a.Asks = pinned(&pin, asks)
		purego.SyscallN(sym, uintptr(unsafe.Pointer(a)))
		if a = other; a != nil && a.Given == 0 {
			return
		} else if a != nil {
			given.Add(1)
		}
	}
}

func pinned[T any](pin *runtime.Pinner, list []T) uintptr {
	pin.Pin(unsafe.SliceData(list))
	return uintptr(unsafe.Pointer(unsafe.SliceData(list)))
}

// TestMain prints what every goroutine does when the tests of this package take far longer than they should: which of them hangs, and where.
func TestMain(m *testing.M) {
	patience := 8 * time.Minute // more than a run on a loaded machine has taken
	if long() {
		patience = time.Hour
	}
	watch := time.AfterFunc(patience, func() {
		fmt.Fprintf(os.Stderr, "the tests of kernels/codegen still run after %v:\n", patience)
		pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
	})
	defer watch.Stop()
	dir, err := os.MkdirTemp("", "weft-codegen-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	preludes = dir
	m.Run()
}

func maxDiff(a, b []float32) (worst, peak float64) {
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i])-float64(b[i])))
		peak = max(peak, math.Abs(float64(b[i])))
	}
	return worst, peak
}

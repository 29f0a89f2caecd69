package native

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"weft/kernels/cache"
	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Device is the CPU with a C compiler.
type Device struct {
	compiler *compiler
	target   schedule.Target
	march    []string
	prelude  string        // digest of what functions rely on
	detail   func() string // of Info
	store    store
	headers  headers
	loaded   loaded
	most     int64 // bytes that launches may take for themselves together, and each of them; 0: any
	each     int64
}

var _ device.Device = (*Device)(nil)

// New finds a compiler and the processor's best instruction set. Without a usable compiler the error matches
// ErrNoCompiler and says what was tried.
func New(c Config) (*Device, error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	cc, err := findCompiler(context.Background(), c.candidates(), probeCache{dir})
	if err != nil {
		return nil, err
	}
	target, march, err := chooseTarget(c.ISA, cc.Macros)
	if err != nil {
		return nil, err
	}
	if gathers() && target.ISA != schedule.Portable.ISA {
		march = append(march, fastGather)
	}
	march = append(march, cc.flags()...)
	limit := c.CacheLimit
	if limit == 0 {
		limit = DefaultCacheLimit
	}
	d := newDevice(cc, target, march)
	d.store = store{filepath.Join(dir, "objects"), limit}
	d.headers.ready = map[string]bool{}
	d.loaded.functions = map[string]*function{}
	d.most, d.each = c.Scratch, each(c.Scratch, cmp.Or(c.Threads, runtime.GOMAXPROCS(0)))
	return d, nil
}

// Describing is a device for any instruction set that only describes kernels, see device.Options: it needs no compiler, and what
// it says is the same on every machine.
func Describing(isa string) (*Device, error) {
	cc := &compiler{Version: "no compiler", Macros: map[string]string{}}
	for _, name := range interesting() {
		cc.Macros[name] = ""
	}
	target, march, err := chooseTarget(isa, cc.Macros)
	return newDevice(cc, target, march), err
}

var errDescribing = errors.New("native: kernels are described for another machine here, and not built")

// Info names the processor, the compiler and the instruction set.
func (d *Device) Info() device.Info {
	return device.Info{Name: "cpu", Kind: "native", Detail: d.detail(), Threads: runtime.GOMAXPROCS(0), Rules: rules{d.target}}
}

// newDevice is a device that compiles so.
func newDevice(cc *compiler, target schedule.Target, march []string) *Device {
	d := &Device{compiler: cc, target: target, march: march, prelude: cache.Digest(c.Prelude(target))}
	d.detail = sync.OnceValue(func() string { // Info is asked at each launch
		isa := target.ISA
		if cc.CPU != "" && len(march) > 0 && march[0] == "-march=native" {
			isa += ", " + cc.CPU
		}
		if slices.Contains(march, fastGather) {
			isa += ", gathers"
		}
		return strings.Join([]string{processorName(), cc.Version, isa}, "; ")
	})
	return d
}

// rules are those of code for a target.
type rules struct{ target schedule.Target }

func (r rules) Transposed(k *ir.Kernel) []*ir.Buffer { return schedule.Transposed(k, r.target) }

func (r rules) Layout(k *ir.Kernel) device.Layout {
	s := c.Within(k, schedule.Default(k, r.target))
	return layoutOf(k, r.target, s, s.Window > 0)
}

// Target is the instruction set code is generated for.
func (d *Device) Target() schedule.Target { return d.target }

// processorName is the model as Linux reports it, or the architecture.
var processorName = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
})

// Alloc gives host memory outside the Go heap.
func (d *Device) Alloc(buf *ir.Buffer) (device.Memory, error) { return device.NewHostMemory(buf) }

// Compile renders the kernels and compiles those that are not in the cache, as few compiler runs side by side as there are
// processors. A kernel appears in an error by its name.
func (d *Device) Compile(ctx context.Context, kernels []*ir.Kernel, opt device.Options) ([]device.Program, error) {
	var all []*variant
	programs := make([]*program, len(kernels))
	for i, k := range kernels {
		for _, a := range k.Axes {
			if a.Extent < 0 || a.Extent > math.MaxInt32 {
				return nil, fmt.Errorf("native: kernel %s: axis %s of %d points; at most %d", k.Name, a.Name, a.Extent, math.MaxInt32)
			}
		}
		p, err := d.plan(k, opt)
		if err != nil {
			return nil, err
		}
		programs[i] = p
		all = append(all, p.variants...)
		if opt.Small {
			small, err := d.smalls(p.variants)
			if err != nil {
				return nil, err
			}
			all = append(all, small...)
		}
	}
	switch {
	case opt.Describe:
	case d.compiler.Command == nil:
		return nil, errDescribing
	default:
		if err := d.build(ctx, all, opt.Built); err != nil {
			return nil, err
		}
	}
	out := make([]device.Program, len(programs))
	for i, p := range programs {
		out[i] = p
	}
	return out, nil
}

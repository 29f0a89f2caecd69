package native

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
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

// variant is a kernel under one schedule.
type variant struct {
	kernel   *ir.Kernel
	schedule schedule.CPU
	out      c.Output
	key      string // digest of all that its code depends on
	function *function
	cached   bool   // the object was found, not made
	weight   int    // how long the compiler takes, see weigh
	level    string // the compiler's flag for it, see levelOf
	most     int64  // that launches may take for themselves together; 0: any
	layout   func() device.Layout
	small    func() (*variant, error) // for tiles of less than out.Least, compiled when first asked for
}

// flags are the compiler's, all of them but the level of a variant.
func (d *Device) flags() []string {
	return append(slices.Clone(d.march), c.Flags()...)
}

// render makes a variant, not compiled yet. Its symbol tells it from every other in an object.
func (d *Device) render(k *ir.Kernel, s schedule.CPU, way c.Way) (*variant, error) {
	s = c.Within(k, s)
	held := []int{} // how rows lie that go by in strips, which changes nothing of what is computed
	for _, b := range k.Buffers() {
		held = append(held, b.Held)
	}
	out, err := c.Render(k, s, d.target, "weft_"+cache.Digest(ir.Hash(k), fmt.Sprintf("%+v%+v%v%v", s, way, k.Past, held))[:16], way)
	if err != nil {
		return nil, err
	}
	v := &variant{kernel: k, schedule: s, out: out, level: levelOf(out.Source), most: d.most}
	v.key = cache.Digest(append(append(d.flags(), d.compiler.optimised(v.level)...), out.Source, d.prelude, d.compiler.ID, strings.Join(d.compiler.Command, " "))...)
	v.layout = sync.OnceValue(func() device.Layout { return layoutOf(k, d.target, s, out.Loads["window"] > 0) })
	v.small = sync.OnceValues(func() (*variant, error) {
		way.Small = true
		small, err := d.render(k, s, way)
		if err != nil {
			return nil, err
		}
		return small, d.build(context.Background(), []*variant{small}, nil)
	})
	return v, nil
}

// longSource is how many characters a source has of which the compiler optimises the first level alone. Long sources are vectors that the renderer has
// written out, in which the other passes find little: first runs of scans take about four fifths of the compiler's time, and their main kernels 0.78 to 1.07
// of what they took, least where there are most terms. Short kernels that are launched often take up to 6 % more so.
const longSource = 25_000

// firstLevel has the compiler optimise least, but for not at all.
const firstLevel = "-O1"

// levelOf is the flag that says how much of a source the compiler optimises.
func levelOf(source string) string {
	if len(source) > longSource {
		return firstLevel
	}
	return "-O2"
}

// function is a loaded kernel, or one on its way.
type function struct {
	ready   chan struct{} // closed once address or err is set
	address uintptr
	err     error
}

// loaded are the functions of a device by key, so that a kernel is compiled and loaded once.
type loaded struct {
	mu        sync.Mutex
	functions map[string]*function
}

// claim returns the variants that the caller must bring; the others are ready or on their way elsewhere.
func (l *loaded) claim(variants []*variant) (mine []*variant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range variants {
		f := l.functions[v.key]
		v.cached = f != nil
		if f == nil {
			f = &function{ready: make(chan struct{})}
			l.functions[v.key] = f
			mine = append(mine, v)
		}
		v.function = f
	}
	return mine
}

// settle hands out the result of a claim; a failure is forgotten, so that it may be tried again.
func (l *loaded) settle(v *variant, address uintptr, err error) {
	if err != nil {
		l.mu.Lock()
		delete(l.functions, v.key)
		l.mu.Unlock()
	}
	v.function.address, v.function.err = address, err
	close(v.function.ready)
}

// build brings the code of all variants into memory: from the cache, or by compiling.
func (d *Device) build(ctx context.Context, variants []*variant, built func(done, of int)) error {
	for len(variants) > 0 {
		again, err := d.attempt(ctx, variants, built)
		if err != nil {
			return err
		}
		variants = again
	}
	return nil
}

// attempt is build, save that variants which another caller claimed and then gave up, being cancelled, are returned.
func (d *Device) attempt(ctx context.Context, variants []*variant, built func(done, of int)) (again []*variant, err error) {
	var missing []*variant
	for _, v := range d.loaded.claim(variants) {
		if address, ok := d.fetch(v); ok {
			v.cached = true
			d.loaded.settle(v, address, nil)
			continue
		}
		v.weight = weigh(v.out.Source)
		missing = append(missing, v)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	done := 0
	if built != nil && len(missing) > 0 {
		built(0, len(missing))
	}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, u := range byLevel(missing, cap(slots)) {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			d.make(ctx, u)
			if built == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			done += len(u)
			built(done, len(missing))
		})
	}
	group.Wait()
	if len(missing) > 0 {
		if err := d.store.tidy(); err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, v := range variants {
		select {
		case <-v.function.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch err := v.function.err; {
		case errors.Is(err, context.Canceled) && ctx.Err() == nil:
			again = append(again, v)
		case err != nil && !slices.Contains(errs, err):
			errs = append(errs, err)
		}
	}
	return again, errors.Join(errs...)
}

// fetch loads a variant from the cache. One that does not load is not there.
func (d *Device) fetch(v *variant) (address uintptr, ok bool) {
	object, symbol, ok := d.store.find(v.key)
	if !ok {
		return 0, false
	}
	address, err := load(object, symbol)
	return address, err == nil
}

// unit is what one run of the compiler takes.
type unit []*variant

// unitSize is how many kernels a unit holds at most: each reads the prelude once more, and one bad kernel fails its unit.
const unitSize = 32

// unitWeight is about how heavy a unit of more than one kernel may be: the memory and the time of a compiler grow faster than its text.
const unitWeight = 1 << 20

// inlined are calls of functions of the prelude whose code is long.
var inlined = sync.OnceValue(func() *regexp.Regexp {
	var names []string
	for op := range ir.Ops {
		if op.Info().Cost.Transcendental() {
			names = append(names, op.String())
		}
	}
	return regexp.MustCompile(`\b(?:v_(?:` + strings.Join(names, "|") + `)|gather\d*)_\w+\(`)
})

// weigh is how long the compiler takes for a source, in characters of plain code.
func weigh(source string) int {
	const each = 500
	return len(source) + each*len(inlined().FindAllStringIndex(source, -1))
}

func (u unit) weight() (sum int) {
	for _, v := range u {
		sum += v.weight
	}
	return sum
}

// divide spreads variants over units, parts of them if there are not too many variants; what takes longest comes first.
func divide(variants []*variant, parts int) []unit {
	variants = slices.Clone(variants)
	slices.SortStableFunc(variants, func(a, b *variant) int { return b.weight - a.weight })
	n := min(len(variants), max(parts, (len(variants)+unitSize-1)/unitSize, (unit(variants).weight()+unitWeight-1)/unitWeight))
	units, length := make([]unit, n), make([]int, n)
	for _, v := range variants {
		i := slices.Index(length, slices.Min(length))
		units[i] = append(units[i], v)
		length[i] += v.weight
	}
	slices.SortStableFunc(units, func(a, b unit) int { return b.weight() - a.weight() })
	return units
}

// byLevel is divide, apart for variants of each level, which have as many of the parts as they take of the time.
func byLevel(variants []*variant, parts int) (units []unit) {
	levels := map[string][]*variant{}
	for _, v := range variants {
		levels[v.level] = append(levels[v.level], v)
	}
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		share := float64(unit(levels[level]).weight()) / float64(unit(variants).weight())
		units = append(units, divide(levels[level], max(1, int(math.Round(share*float64(parts)))))...)
	}
	slices.SortStableFunc(units, func(a, b unit) int { return b.weight() - a.weight() })
	return units
}

// make compiles a unit, records it in the cache, loads it and settles its variants.
func (d *Device) make(ctx context.Context, u unit) {
	object, err := d.compile(ctx, u)
	for _, v := range u {
		var address uintptr
		e := err
		if e == nil {
			address, e = load(object, v.out.Name)
		}
		d.loaded.settle(v, address, e)
	}
}

// compile makes the object of a unit and its references in the cache.
func (d *Device) compile(ctx context.Context, u unit) (object string, err error) {
	slices.SortFunc(u, func(a, b *variant) int { return strings.Compare(a.key, b.key) })
	flags := d.flags()
	header, err := d.header(ctx, flags)
	if err != nil {
		return "", err
	}
	source, keys, symbols := fmt.Sprintf("#include %q\n", header), make([]string, len(u)), map[string]string{}
	for i, v := range u {
		source += "\n" + v.out.Source
		keys[i], symbols[v.key] = v.key, v.out.Name
	}
	name := cache.Digest(keys...)
	path := d.store.path(name, ".c")
	if err := cache.Write(path, []byte(source)); err != nil {
		return "", err
	}
	object = d.store.path(name, ".so")
	err = d.compiler.compile(ctx, append(flags, d.compiler.optimised(u[0].level)...), path, object)
	if ce, failed := errors.AsType[*CompileError](err); failed {
		for _, v := range u {
			ce.Kernels = append(ce.Kernels, v.kernel.Name)
		}
	}
	if err != nil {
		return "", err
	}
	return object, d.store.refer(name, symbols)
}

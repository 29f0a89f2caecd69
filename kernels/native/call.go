package native

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	source "weft/kernels/codegen/c"
	"weft/kernels/codegen/tally"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// call is a variant with its buffers and scalars: what launches need, laid out for C in one pinned block of words. First
// the buffers' addresses, then the scalars as floats, then as integers, then frames, one for each launch under way.
type call struct {
	v      *variant
	mem    []device.Memory // keeps the buffers alive
	words  []uint64
	frames int                   // where the frames start
	size   int                   // words a frame takes
	counts int                   // of them, what a launch counts
	tally  *device.Tally         // takes it
	small  func() (*call, error) // for tiles that the variant is not for
	free   atomic.Uint64         // a bit set for each free frame
	shares shares
}

// argWords is the size of source.Args in words.
const argWords = int(unsafe.Sizeof(source.Args{}) / 8)

const countsPerFold = tally.PerFold

// maxFrames is how many launches of one binding run at once without allocating.
const maxFrames = 32

func newCall(v *variant, b device.Bindings) (*call, error) {
	mem, err := memories(v, b)
	if err != nil {
		return nil, err
	}
	nb, na, axes := len(mem), len(v.out.Args), len(v.kernel.Axes)
	c := &call{v: v, mem: mem, frames: nb + 2*na, counts: countsPerFold * len(v.out.Counted)}
	c.size = argWords + axes + 1 + c.counts
	c.small = sync.OnceValues(func() (*call, error) {
		small, err := v.small()
		if err != nil {
			return nil, err
		}
		other, err := newCall(small, b)
		if err == nil {
			other.tally = c.tally
		}
		return other, err
	})
	frames := min(max(4, 2*runtime.GOMAXPROCS(0)), maxFrames)
	c.words = make([]uint64, max(1, c.frames+frames*c.size))
	c.free.Store(1<<frames - 1)
	for i, buf := range v.out.Bufs {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(mem[i].Host())))
		c.words[i] = uint64(first) + uint64(buf.Pad.Before*buf.Type.Size())
	}
	for i, a := range v.out.Args {
		s, ok := device.ScalarOf(b.Args, a)
		if !ok {
			return nil, fmt.Errorf("native: kernel %s: no value for its argument %s", v.kernel.Name, a.Name)
		}
		*(*float64)(unsafe.Pointer(&c.words[nb+i])) = s.F
		*(*int64)(unsafe.Pointer(&c.words[nb+na+i])) = s.I
	}
	for i := range frames {
		at := c.frames + i*c.size
		c.frame(c.words[at : at+c.size])
	}
	pin := new(runtime.Pinner)
	pin.Pin(&c.words[0])
	runtime.AddCleanup(c, (*runtime.Pinner).Unpin, pin)
	return c, nil
}

// frame fills in a launch's arguments, the tile apart. The words are pinned or about to be.
func (c *call) frame(w []uint64) {
	nb, na := len(c.mem), len(c.v.out.Args)
	lo, asks := address(w[argWords:]), argWords+len(c.v.kernel.Axes)
	w[asks] = closed
	*(*source.Args)(unsafe.Pointer(&w[0])) = source.Args{
		Buf:   address(c.words),
		Farg:  address(c.words[nb:]),
		Iarg:  address(c.words[nb+na:]),
		Lo:    lo,
		Hi:    lo + uintptr(4*len(c.v.kernel.Axes)),
		Asks:  address(w[asks:]),
		Count: address(w[asks+1:]),
		Part:  source.Beginning,
	}
}

// launch runs the kernel over a tile that lies within its axes.
func (c *call) launch(t region.Region) error {
	if err := checkTile(c.v.kernel, t); err != nil {
		return err
	}
	if t.Points() == 0 {
		return nil
	}
	if !c.v.out.Takes(func(axis int) int { return t[axis].Hi - t[axis].Lo }) {
		small, err := c.small()
		if err != nil {
			return err
		}
		return small.launch(t)
	}
	for i, m := range c.mem {
		if b := c.v.out.Bufs[i]; len(m.Host()) < int(b.Bytes()) {
			return fmt.Errorf("native: kernel %s: buffer %s has been freed", c.v.kernel.Name, b.Name)
		}
	}
	i := c.take()
	if i < 0 {
		return c.launchApart(t)
	}
	at := c.frames + i*c.size
	defer c.free.Or(1 << i)
	return c.run(i, c.words[at:at+c.size], t)
}

// take claims a free frame; -1 when all are in use.
func (c *call) take() int {
	for {
		free := c.free.Load()
		if free == 0 {
			return -1
		}
		if c.free.CompareAndSwap(free, free&(free-1)) {
			return bits.TrailingZeros64(free)
		}
	}
}

// launchApart runs a launch in a frame of its own.
func (c *call) launchApart(t region.Region) error {
	w := make([]uint64, c.size)
	var pin runtime.Pinner
	pin.Pin(&w[0])
	defer pin.Unpin()
	c.frame(w)
	return c.run(-1, w, t)
}

// run launches over a tile, in a frame by its number or, of -1, in one that others cannot ask.
func (c *call) run(frame int, w []uint64, t region.Region) error {
	if n := c.v.out.Scratch; n > 0 {
		m, err := scratch.take(n, c.v.most)
		if err != nil {
			return fmt.Errorf("native: kernel %s: %w", c.v.kernel.Name, err)
		}
		defer scratch.give(m)
		(*source.Args)(unsafe.Pointer(&w[0])).Scratch = uintptr(unsafe.Pointer(unsafe.SliceData(m.Host())))
	}
	if len(t) > 0 {
		bounds := unsafe.Slice((*int32)(unsafe.Pointer(&w[argWords])), 2*len(t))
		for i, r := range t {
			bounds[i], bounds[len(t)+i] = int32(r.Lo), int32(r.Hi)
		}
	}
	c.start(frame, w)
	return nil
}

// start launches what a frame says.
func (c *call) start(frame int, w []uint64) {
	counts := w[len(w)-c.counts:]
	clear(counts)
	if c.v.out.Shares {
		if frame >= 0 {
			c.open(frame)
			defer c.shut(frame)
		} else {
			w[len(w)-c.counts-1] = 0
		}
	}
	invoke(c.v.function.address, uintptr(unsafe.Pointer(&w[0])))
	if c.tally != nil {
		c.collect(counts)
	}
	runtime.KeepAlive(c)
}

// checkTile reports a tile that is not within the kernel's axes.
func checkTile(k *ir.Kernel, t region.Region) error {
	if len(t) != len(k.Axes) {
		return fmt.Errorf("native: kernel %s has %d axes, the tile %d", k.Name, len(k.Axes), len(t))
	}
	for i, r := range t {
		if a := k.Axes[i]; r.Lo < 0 || r.Hi < r.Lo || r.Hi > a.Extent {
			return fmt.Errorf("native: kernel %s: tile %d..%d is outside axis %s of %d points", k.Name, r.Lo, r.Hi, a.Name, a.Extent)
		}
	}
	return nil
}

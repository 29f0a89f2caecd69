package native

import (
	"sync/atomic"
	"time"
	"unsafe"

	source "weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/region"
)

// shares are launches under way that may give others a part of what is left of them.
type shares struct {
	running atomic.Uint64 // a bit set for the frame of each
	begun   [maxFrames]atomic.Int64
	count   atomic.Int64
}

// askAgain is how long a thread waits before it looks again whether it was given something, or whom it may ask: a part of a fold takes a millisecond.
const askAgain = 50 * time.Microsecond

var _ device.Shared = (*program)(nil)

// BindShared implements device.Shared.
func (p *program) BindShared(b device.Bindings) (launch func(region.Region) error, assist func() bool, err error) {
	w := p.decided()
	if w == nil || !w.out.Shares {
		launch, err = p.Bind(b)
		return launch, nil, err
	}
	c, err := newCall(w, b)
	if err != nil {
		return nil, nil, err
	}
	return c.launch, c.assist, nil
}

// open lets others ask the launch in a frame for a part of it.
func (c *call) open(frame int) {
	atomic.StoreUint64(c.asks(frame), 0)
	c.shares.begun[frame].Store(c.shares.count.Add(1))
	c.shares.running.Or(1 << frame)
}

// shut ends that: who asked and was given nothing is told so.
func (c *call) shut(frame int) {
	c.shares.running.And(^uint64(1 << frame))
	if at := atomic.SwapUint64(c.asks(frame), closed); at != 0 {
		first := uint64(address(c.words[c.frames:]))
		atomic.StoreInt64(&c.args(int(at-first)/8/c.size).Given, nothing)
	}
}

// What is in Asks of frames without a launch, and in Given of who was given nothing.
const (
	closed  = 1
	nothing = 2
)

// args are a frame's.
func (c *call) args(frame int) *source.Args {
	return (*source.Args)(unsafe.Pointer(&c.words[c.frames+frame*c.size]))
}

// asks is the word of a frame in which stands who asks it for a part.
func (c *call) asks(frame int) *uint64 { return &c.words[c.frames+(frame+1)*c.size-c.counts-1] }

// assist implements device.Shared: it asks the launch that began last, which has most left.
func (c *call) assist() bool {
	own := c.take()
	if own < 0 {
		return false
	}
	defer c.free.Or(1 << own)
	m, err := scratch.spared(c.v.out.Scratch, c.v.most)
	if m == nil || err != nil {
		return false // the launches under way do it themselves
	}
	defer scratch.give(m)
	w := c.words[c.frames+own*c.size:][:c.size]
	args := c.args(own)
	args.Scratch = uintptr(unsafe.Pointer(unsafe.SliceData(m.Host())))
	for {
		running := c.shares.running.Load()
		if running == 0 {
			return false
		}
		if asked := c.lastBegun(running); asked >= 0 {
			atomic.StoreInt64(&args.Given, 0)
			if atomic.CompareAndSwapUint64(c.asks(asked), 0, uint64(address(w))) && c.await(args) {
				c.start(own, w)
				args.Part = source.Beginning
				return true
			}
		}
		time.Sleep(askAgain)
	}
}

// await reports whether something was given.
func (c *call) await(args *source.Args) bool {
	for {
		switch atomic.LoadInt64(&args.Given) {
		case 0:
			time.Sleep(askAgain)
		case nothing:
			return false
		default:
			return true
		}
	}
}

// lastBegun is the frame of the launch, of those running, that began last and that nobody asks; -1: there is none.
func (c *call) lastBegun(running uint64) int {
	last, begun := -1, int64(0)
	for i := range maxFrames {
		if n := c.shares.begun[i].Load(); running&(1<<i) != 0 && n > begun && atomic.LoadUint64(c.asks(i)) == 0 {
			last, begun = i, n
		}
	}
	return last
}

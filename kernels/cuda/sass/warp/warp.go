// Package warp executes machine code of NVIDIA's GPUs for single warps, to count what they issue on real data. It knows the instructions of
// kernels up to where threads join what they have, and stops at others.
package warp

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/cuda/sass"
)

// Lanes are the threads of a warp.
const Lanes = 32

// Launch is what all threads of a kernel are given.
type Launch struct {
	Grid, Block [3]int
	Params      []uint64 // 8 bytes each
	Memory      []Piece
}

// Piece is memory from an address on.
type Piece struct {
	At   uint64
	Data []byte
}

// Program is a kernel ready to be executed.
type Program struct {
	code []operation
	name []string
}

// operation is an instruction of a thread.
type operation struct {
	do    func(l *lane) error
	guard func(l *lane) bool // nil: there is none
	jump  func(l *lane) bool // whether it goes on at to; nil: it is no jump
	to    int
	exit  bool
}

// lane is a thread. Registers that a warp has in common are each thread's own here: where they are set, all that read them have the same.
type lane struct {
	regs     [256]uint32
	uniform  [64]uint32
	preds    [8]bool
	upreds   [8]bool
	thread   [3]int
	block    [3]int
	launch   *Launch
	at       int
	accessed uint64 // address of the instruction's access to memory, behind pieces' beginnings; 0: there was none
}

// Count is what a warp did.
type Count struct {
	Times    []int // how often it was issued each instruction, whichever of its threads took part
	Requests int   // loads and stores
	Sectors  int   // of 32 bytes that these touched
}

// New prepares a kernel.
func New(k sass.Kernel) (*Program, error) {
	p := &Program{}
	for at, i := range k.Code {
		o, err := translate(i)
		if err != nil {
			return nil, fmt.Errorf("instruction %d, %s %s: %w", at, i.Name, strings.Join(i.Operands, ", "), err)
		}
		p.code, p.name = append(p.code, o), append(p.name, i.Name+" "+strings.Join(i.Operands, ", "))
	}
	return p, nil
}

// Run executes a warp of a block to its end: the one whose first thread has a number in the block. Threads that parted go on together where
// the one that is behind arrives, as they do where code is laid out in order.
func (p *Program) Run(l *Launch, block [3]int, first int) (c Count, err error) {
	lanes := make([]*lane, 0, Lanes)
	for t := first; t < min(first+Lanes, l.Block[0]*l.Block[1]*l.Block[2]); t++ {
		lanes = append(lanes, &lane{launch: l, block: block, thread: [3]int{t % l.Block[0], t / l.Block[0] % l.Block[1], t / l.Block[0] / l.Block[1]}})
	}
	var touched []uint64
	c.Times = make([]int, len(p.code))
	for len(lanes) > 0 {
		at := lanes[0].at
		for _, x := range lanes[1:] {
			at = min(at, x.at)
		}
		if at >= len(p.code) {
			return c, fmt.Errorf("a thread goes on behind the end")
		}
		o, ended := &p.code[at], false
		c.Times[at]++
		touched = touched[:0]
		for _, x := range lanes {
			if x.at != at {
				continue
			}
			x.at++
			if o.guard != nil && !o.guard(x) {
				continue
			}
			switch {
			case o.exit:
				x.at, ended = -1, true
			case o.jump != nil:
				if o.jump(x) {
					x.at = o.to
				}
			case o.do != nil:
				x.accessed = 0
				if err := o.do(x); err != nil {
					return c, fmt.Errorf("instruction %d, %s: %w", at, p.name[at], err)
				}
				if x.accessed > 0 {
					touched = append(touched, x.accessed/32)
				}
			}
		}
		if len(touched) > 0 {
			slices.Sort(touched)
			c.Requests++
			c.Sectors += len(slices.Compact(touched))
		}
		if ended {
			lanes = slices.DeleteFunc(lanes, func(x *lane) bool { return x.at < 0 })
		}
	}
	return c, nil
}

// memory is what lies at an address.
func (l *lane) memory(address uint64, n int) ([]byte, error) {
	for _, p := range l.launch.Memory {
		if address >= p.At && address+uint64(n) <= p.At+uint64(len(p.Data)) {
			l.accessed = address
			return p.Data[address-p.At:][:n], nil
		}
	}
	return nil, fmt.Errorf("nothing is at %#x", address)
}

// bank is the bank of constants at an offset: the block's and the grid's extents, and the parameters.
func (l *lane) bank(offset int) uint32 {
	switch {
	case offset < 0x18:
		return uint32(append(l.launch.Block[:], l.launch.Grid[:]...)[offset/4])
	case offset >= firstParam && (offset-firstParam)/8 < len(l.launch.Params):
		return uint32(l.launch.Params[(offset-firstParam)/8] >> (offset % 8 * 8))
	}
	return 0
}

const firstParam = 0x210 // of compute capability 9.0

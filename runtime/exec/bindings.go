package exec

import (
	"slices"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// mostBound is how many bindings of a kernel are kept: a loop gives each turn the arrays of the turn before the last.
const mostBound = 4

// bindings are launches of one kernel with arrays that it had before.
type bindings struct {
	buffers []*ir.Buffer
	kept    []binding
	next    int // of those kept, the one to be replaced
}

// binding is a program with its arrays: where they lie, as memory that slides lies elsewhere from block to block.
type binding struct {
	program device.Program
	at      []place
	Bound
}

// Bound is a program with its arrays.
type Bound struct {
	Launch func(region.Region) error
	Assist func() bool // as device.Shared has it; nil: launches give nothing away
}

// place is where memory begins, and how long it is; nothing of what is not on the host, or freed.
type place struct {
	first *byte
	bytes int
}

func placeOf(m device.Memory) place {
	if m == nil {
		return place{}
	}
	return place{unsafe.SliceData(m.Host()), len(m.Host())}
}

// Bind gives a program the arrays in mem, unless it has them already: bind does it.
func (s *Sweep) Bind(program device.Program, mem map[*ir.Buffer]device.Memory, bind func() (Bound, error)) (Bound, error) {
	b := &s.bound
	if b.buffers == nil {
		k := program.Kernel()
		b.buffers = slices.Concat(k.Inputs(), k.Outputs())
	}
	if i := slices.IndexFunc(b.kept, func(x binding) bool { return x.program == program && x.has(b.buffers, mem) }); i >= 0 {
		return b.kept[i].Bound, nil
	}
	bound, err := bind()
	if err != nil {
		return Bound{}, err
	}
	x := binding{program: program, Bound: bound}
	for _, buf := range b.buffers {
		x.at = append(x.at, placeOf(mem[buf]))
	}
	if len(b.kept) < mostBound {
		b.kept = append(b.kept, x)
	} else {
		b.kept[b.next] = x
		b.next = (b.next + 1) % mostBound
	}
	return bound, nil
}

// has reports whether the arrays in mem lie where those of a binding lie.
func (x binding) has(buffers []*ir.Buffer, mem map[*ir.Buffer]device.Memory) bool {
	for i, b := range buffers {
		if at := placeOf(mem[b]); at.bytes == 0 || at != x.at[i] {
			return false
		}
	}
	return true
}

package sass

import (
	"math"
	"slices"
)

// Counts are how many instructions there are of each pipe of a multiprocessor. All of them take a slot in which to be issued.
type Counts struct {
	Float   int // FMA, 32 lanes of a quarter of a multiprocessor
	Integer int // 16 lanes
	Special int // roots, reciprocals, conversions: 4 lanes
	Memory  int
	Double  int
	Other   int // jumps, and what is the same for a warp
}

// Total is all of them.
func (c Counts) Total() int {
	return c.Float + c.Integer + c.Special + c.Memory + c.Double + c.Other
}

// Plus are these and so many times others.
func (c Counts) Plus(o Counts, times int) Counts {
	for _, p := range pipes {
		*p.to(&c) += times * *p.to(&o)
	}
	c.Integer += times * o.Integer
	return c
}

var pipes = []struct {
	to    func(*Counts) *int
	names []string
}{
	{func(c *Counts) *int { return &c.Float }, []string{"FFMA", "FMUL", "FADD", "FFMA32I", "FMUL32I", "FADD32I", "IMAD", "HADD2", "HMUL2", "HFMA2"}},
	{func(c *Counts) *int { return &c.Special }, []string{"MUFU", "F2I", "I2F", "FRND", "F2F", "POPC", "FLO", "BREV"}},
	{func(c *Counts) *int { return &c.Memory }, []string{"LDG", "LDS", "LDL", "LDC", "LD", "STG", "STS", "STL", "ST", "SHFL", "ATOM", "ATOMG", "RED"}},
	{func(c *Counts) *int { return &c.Double }, []string{"DADD", "DMUL", "DFMA", "DSETP", "DMNMX"}},
	{func(c *Counts) *int { return &c.Other }, []string{"BRA", "BRX", "JMP", "EXIT", "CALL", "RET", "BSSY", "BSYNC", "BREAK", "WARPSYNC", "BAR", "YIELD", "BMOV", "R2UR", "VOTEU",
		"ULDC", "UIADD3", "UIMAD", "ULOP3", "USHF", "UMOV", "UISETP", "ULEA", "USEL", "UPLOP3", "UPRMT", "UFLO", "UPOPC"}},
}

func (c *Counts) add(i Instruction) {
	for _, p := range pipes {
		if i.Is(p.names...) {
			*p.to(c)++
			return
		}
	}
	c.Integer++
}

// Part is some of a kernel's instructions.
type Part []Instruction

// Count counts them by pipe.
func (p Part) Count() (c Counts) {
	for _, i := range p {
		c.add(i)
	}
	return c
}

// Number is how many of these there are.
func (p Part) Number(names ...string) (n int) {
	for _, i := range p {
		if i.Is(names...) {
			n++
		}
	}
	return n
}

// Bytes are what a thread loads or stores by instructions of a name.
func (p Part) Bytes(name string) (n int) {
	for _, i := range p {
		if i.Is(name) {
			n += i.Bytes()
		}
	}
	return n
}

// Loops are the turns of the innermost loops, the longest first. What calls a function is left out: it does so for operands beyond the usual, such
// as roots of subnormal numbers.
func (k Kernel) Loops() (loops []Part) {
	type span struct{ from, to int }
	var all []span
	for at, i := range k.Code {
		if i.Jump >= 0 && i.Jump < at {
			all = append(all, span{i.Jump, at})
		}
	}
	rare := k.rare()
	for _, s := range all {
		if slices.ContainsFunc(all, func(o span) bool { return o != s && s.from <= o.from && o.to <= s.to }) {
			continue
		}
		var p Part
		for at := s.from; at <= s.to; at++ {
			if !rare[at] {
				p = append(p, k.Code[at])
			}
		}
		loops = append(loops, p)
	}
	slices.SortStableFunc(loops, func(a, b Part) int { return len(b) - len(a) })
	return loops
}

// rare are the instructions of blocks that end with a call.
func (k Kernel) rare() []bool {
	rare := make([]bool, len(k.Code))
	starts := k.starts()
	from := 0
	for at, i := range k.Code {
		if starts[at] {
			from = at
		}
		if i.Is("CALL") {
			for j := from; j <= at; j++ {
				rare[j] = true
			}
		}
	}
	return rare
}

// starts are the instructions with which a block of instructions begins that are executed together.
func (k Kernel) starts() map[int]bool {
	starts := map[int]bool{0: true}
	for at, i := range k.Code {
		if i.Jump >= 0 {
			starts[i.Jump], starts[at+1] = true, true
		}
		if i.Is("CALL", "EXIT", "RET") {
			starts[at+1] = true
		}
	}
	return starts
}

// Through is the shortest way from a kernel's beginning to its end by way of an instruction, such as its widest store; nil: there is none.
func (k Kernel) Through(by int) Part {
	to := k.way([]int{0}, func(at int) bool { return at == by })
	back := k.way([]int{by}, func(at int) bool { return k.Code[at].Is("EXIT") && at > by || k.Code[at].Is("EXIT") && !k.Code[at].May })
	if to == nil || back == nil {
		return nil
	}
	return append(to, back[1:]...)
}

// Around is the shortest way from an instruction back to it, which is a turn of the loop that it is in; nil: it is in none.
func (k Kernel) Around(by int) Part { return k.way(k.next(by), func(at int) bool { return at == by }) }

// way is the shortest one from some instructions to another; nil: there is none.
func (k Kernel) way(from []int, arrived func(at int) bool) Part {
	rare := k.rare()
	distance, before := make([]int, len(k.Code)), make([]int, len(k.Code))
	for at := range distance {
		distance[at], before[at] = math.MaxInt, -1
	}
	next := slices.Clone(from)
	for _, at := range from {
		distance[at] = 0
	}
	for len(next) > 0 { // breadth first: all steps are one instruction
		at := next[0]
		next = next[1:]
		if arrived(at) {
			var p Part
			for ; at >= 0; at = before[at] {
				p = append(p, k.Code[at])
			}
			slices.Reverse(p)
			return p
		}
		for _, t := range k.next(at) {
			if distance[t] == math.MaxInt && !rare[t] {
				distance[t], before[t] = distance[at]+1, at
				next = append(next, t)
			}
		}
	}
	return nil
}

// next are the instructions that may follow one.
func (k Kernel) next(at int) (to []int) {
	i := k.Code[at]
	if i.Jump >= 0 {
		to = append(to, i.Jump)
	}
	if (i.May || i.Jump < 0 && !i.Is("EXIT", "RET", "CALL")) && at+1 < len(k.Code) {
		to = append(to, at+1)
	}
	return to
}

// Widest is the instruction of a name that moves most bytes, by number; -1: there is none.
func (k Kernel) Widest(name string) int {
	best := -1
	for at, i := range k.Code {
		if i.Is(name) && (best < 0 || i.Bytes() > k.Code[best].Bytes()) {
			best = at
		}
	}
	return best
}

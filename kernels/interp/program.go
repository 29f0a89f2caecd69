package interp

import (
	"sync"

	"weft/kernels/ir"
)

// maxRegisters is how many values of each kind, float and integer, a program can hold.
const maxRegisters = 1 << 16

// Program is a compiled kernel. It is safe for concurrent use.
type Program struct {
	kernel *ir.Kernel
	mode   Mode

	levels  [][]instruction // levels[d] runs when the d outermost axes have new values; levels[0] once
	axes    []register      // integer registers of the axes
	folds   []loop
	loads   []load
	stores  []store      // of points, in order
	puts    []store      // of folds
	buffers []*ir.Buffer // what loads and stores number, in ir.Kernel.Buffers order
	args    []argument
	floats  []constant[float64]
	ints    []constant[int64]

	floatClass, intClass []class // by register
}

// register is the number of a float or an integer register, by context.
type register = uint16

type instruction struct {
	op         opcode
	d, a, b, c register
}

// loop is a fold: while is nil, or ends with the condition in register cond. body ends with the moves of the steps.
type loop struct {
	lo, hi, index register
	init          []instruction
	while         []instruction
	cond          register
	guarded       bool // there is a while
	body          []instruction
	settles       []register // accumulators of Any and All: once all are settled nothing changes them any more
	settled       int64
}

// load reads buffer buf. Registers of index, guard are integer ones, other is of the load's kind.
type load struct {
	buf     int
	index   []register
	guarded bool
	guard   register
	other   register
}

type store struct {
	buf     int
	index   []register
	value   register
	float   bool
	guarded bool
	guard   register
	adds    bool
}

type argument struct {
	node *ir.Node
	at   register
}

// constant is a register's value before a program runs.
type constant[T any] struct {
	at register
	v  T
}

// Kernel is what was compiled.
func (p *Program) Kernel() *ir.Kernel { return p.kernel }

// Mode is the arithmetic it was compiled for.
func (p *Program) Mode() Mode { return p.mode }

// machine is the state of one run.
type machine struct {
	f       [maxRegisters]float64
	i       [maxRegisters]int64
	program *Program
	buffers []binding
	err     error
}

// machines are shared by all programs: they are large, and a program sets what it reads.
var machines = sync.Pool{New: func() any { return new(machine) }}

// machine takes a machine, with constants and launch scalars in place.
func (p *Program) machine(in *bound) *machine {
	m := machines.Get().(*machine)
	for _, of := range [][]constant[float64]{p.floats, in.floats} {
		for _, c := range of {
			m.f[c.at] = c.v
		}
	}
	for _, of := range [][]constant[int64]{p.ints, in.ints} {
		for _, c := range of {
			m.i[c.at] = c.v
		}
	}
	m.program, m.buffers, m.err = p, in.buffers, nil
	return m
}

func (m *machine) release() {
	m.program, m.buffers = nil, nil
	machines.Put(m)
}

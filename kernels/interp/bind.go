package interp

import (
	"errors"
	"fmt"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Inputs give a program its buffers and launch scalars. A buffer is memory or plain values.
type Inputs struct {
	Mem  map[*ir.Buffer]device.Memory
	Host map[*ir.Buffer][]float64 // elements in C order without padding, not rounded to the buffer's type
	Args map[string]device.Scalar
}

// binding is where a buffer's elements are: element (i, j, ..) at origin + i*stride[0] + ...
type binding struct {
	buf    *ir.Buffer
	shape  []int
	stride []int
	origin int

	mem []byte
	f32 []float32 // mem, if the buffer is F32
	f64 []float64 // mem, if it is F64

	host  []float64
	round func(float64) float64 // host values as the program's mode sees them; nil: as they are
}

// bound is a program with its buffers and scalars.
type bound struct {
	p       *Program
	buffers []binding
	floats  []constant[float64]
	ints    []constant[int64]
}

// bind finds every buffer and scalar; all that is missing or of the wrong size is reported. Outputs are needed only to write.
func (p *Program) bind(in Inputs, write bool) (*bound, error) {
	b := &bound{p: p, buffers: make([]binding, len(p.buffers))}
	var problems []error
	outputs := map[*ir.Buffer]bool{}
	for _, o := range p.kernel.Outputs() {
		outputs[o] = true
	}
	for i, buf := range p.buffers {
		b.buffers[i] = binding{buf: buf, shape: buf.Shape}
		if outputs[buf] && !write {
			continue
		}
		if err := b.buffers[i].attach(in, p.mode); err != nil {
			problems = append(problems, fmt.Errorf("kernel %s: %w", p.kernel.Name, err))
		}
	}
	for _, a := range p.args {
		v, ok := device.ScalarOf(in.Args, a.node)
		if !ok {
			problems = append(problems, fmt.Errorf("kernel %s: launch scalar %s is not given", p.kernel.Name, a.node.Name))
		}
		b.argument(a, v)
	}
	return b, errors.Join(problems...)
}

// argument rounds a scalar as its type and the mode ask.
func (b *bound) argument(a argument, v device.Scalar) {
	switch classOf(a.node.Type, b.p.mode) {
	case f32:
		b.floats = append(b.floats, constant[float64]{a.at, float64(float32(v.F))})
	case f64:
		b.floats = append(b.floats, constant[float64]{a.at, v.F})
	case i32:
		b.ints = append(b.ints, constant[int64]{a.at, int64(int32(v.I))})
	case boolean:
		b.ints = append(b.ints, constant[int64]{a.at, truth(v.I != 0)})
	default:
		b.ints = append(b.ints, constant[int64]{a.at, v.I})
	}
}

func (b *binding) attach(in Inputs, mode Mode) error {
	if host, ok := in.Host[b.buf]; ok {
		return b.attachHost(host, mode)
	}
	m, ok := in.Mem[b.buf]
	if !ok {
		return fmt.Errorf("buffer %s is not bound", b.buf.Name)
	}
	mem := m.Host()
	if int64(len(mem)) != b.buf.Bytes() {
		return fmt.Errorf("buffer %s: memory of %d bytes that the host can read, want %d", b.buf.Name, len(mem), b.buf.Bytes())
	}
	b.mem, b.stride = mem, b.buf.Strides()
	if len(b.shape) > 0 {
		b.origin = b.buf.Pad.Before
	}
	switch b.buf.Type {
	case ir.F32:
		b.f32 = device.View[float32](mem, ir.F32)
	case ir.F64:
		b.f64 = device.View[float64](mem, ir.F64)
	}
	return nil
}

func (b *binding) attachHost(host []float64, mode Mode) error {
	if err := fits(b.buf, host); err != nil {
		return err
	}
	b.host, b.stride = host, plain(b.buf).Strides()
	if !unrounded(b.buf, mode) {
		b.round = rounding(b.buf.Type)
	}
	return nil
}

// fits finds fault with plain values for a buffer.
func fits(b *ir.Buffer, host []float64) error {
	if len(host) != b.Len() {
		return fmt.Errorf("buffer %s %v: %d values, want %d", b.Name, b.Shape, len(host), b.Len())
	}
	return nil
}

// plain is a buffer without padding.
func plain(b *ir.Buffer) *ir.Buffer {
	out := *b
	out.Pad, out.Held = ir.Pad{}, 0
	return &out
}

// unrounded reports whether plain values of a buffer enter a program as they are.
func unrounded(b *ir.Buffer, mode Mode) bool {
	return b.Type == ir.F64 || mode == Wide && b.Type.Float()
}

// rounding converts a value to what an element of type t would hold.
func rounding(t ir.DType) func(float64) float64 {
	if t == ir.F32 {
		return func(v float64) float64 { return float64(float32(v)) }
	}
	return func(v float64) float64 {
		var cell [8]byte
		device.SetFloat(t, cell[:t.Size()], 0, v)
		return device.Float(t, cell[:t.Size()], 0)
	}
}

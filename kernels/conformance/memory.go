package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// arena is the memory of one run of a case on one device.
type arena struct {
	c       Case
	mem     map[*ir.Buffer]device.Memory
	shadow  map[*ir.Buffer]*device.HostMemory // what memory that the host cannot address holds, as last copied
	outputs []*ir.Buffer
	before  map[*ir.Buffer]snapshot
}

// snapshot is a buffer's memory with its margins.
type snapshot struct{ before, cells, after []byte }

func snap(b *ir.Buffer, host []byte) snapshot {
	if len(host) == 0 {
		return snapshot{}
	}
	n := device.Margin * b.Type.Size()
	first := unsafe.Pointer(unsafe.SliceData(host))
	return snapshot{
		before: slices.Clone(unsafe.Slice((*byte)(unsafe.Add(first, -n)), n)),
		cells:  slices.Clone(host),
		after:  slices.Clone(unsafe.Slice((*byte)(unsafe.Add(first, len(host))), n)),
	}
}

// setUp allocates and fills every buffer of a case. Outputs start from values that no case computes, so that a store too
// few is seen as well as one too many.
func (c Case) setUp(dev device.Device) (*arena, error) {
	a := &arena{c: c, mem: map[*ir.Buffer]device.Memory{}, shadow: map[*ir.Buffer]*device.HostMemory{}, before: map[*ir.Buffer]snapshot{}, outputs: c.Kernel.Outputs()}
	for _, in := range c.Inputs {
		host, err := a.alloc(dev, in.Buf)
		if err != nil {
			return a, err
		}
		in.fill(host)
	}
	for _, b := range a.outputs {
		host, err := a.alloc(dev, b)
		if err != nil {
			return a, err
		}
		device.Rows(b, func(packed, cell, n int) {
			for i := range n {
				device.SetFloat(b.Type, host, cell+i, float64((packed+i)%5+40))
			}
		})
	}
	for b := range a.mem {
		a.before[b] = snap(b, a.host(b))
	}
	return a, a.shadows(upload)
}

// host is a buffer's contents in host memory.
func (a *arena) host(b *ir.Buffer) []byte {
	if s := a.shadow[b]; s != nil {
		return s.Host()
	}
	return a.mem[b].Host()
}

// shadows copies every shadow to or from its memory, in two parts that meet in the middle of an element.
func (a *arena) shadows(copying func(m device.Memory, offset int64, host []byte) error) error {
	for b, s := range a.shadow {
		host := s.Host()
		half := len(host)/2 | min(1, len(host))
		if err := errors.Join(copying(a.mem[b], int64(half), host[half:]), copying(a.mem[b], 0, host[:half])); err != nil {
			return fmt.Errorf("buffer %s: %w", b.Name, err)
		}
	}
	return nil
}

func upload(m device.Memory, offset int64, host []byte) error {
	return device.Write(context.Background(), m, offset, host)
}

func download(m device.Memory, offset int64, host []byte) error {
	return device.Read(context.Background(), m, host, offset)
}

// alloc takes memory for b and checks what the allocator promises.
func (a *arena) alloc(dev device.Device, b *ir.Buffer) ([]byte, error) {
	m, err := dev.Alloc(b)
	if err != nil {
		return nil, err
	}
	a.mem[b] = m
	if m.Host() == nil && b.Bytes() > 0 {
		if a.shadow[b], err = device.NewHostMemory(b); err != nil {
			return nil, err
		}
		clear(a.shadow[b].Host())
		if err := download(m, 0, a.shadow[b].Host()); err != nil {
			return nil, err
		}
	}
	host := a.host(b)
	if int64(len(host)) != b.Bytes() {
		return nil, fmt.Errorf("buffer %s: the host sees %d bytes of memory, want %d", b.Name, len(host), b.Bytes())
	}
	return host, paddingHolds(b, host)
}

// free gives all memory back.
func (a *arena) free() {
	for _, m := range a.mem {
		m.Free()
	}
	for _, s := range a.shadow {
		s.Free()
	}
}

// fill writes an input to memory.
func (in Input) fill(host []byte) {
	device.Rows(in.Buf, func(packed, cell, n int) {
		for i := range n {
			if in.F != nil {
				device.SetFloat(in.Buf.Type, host, cell+i, in.F[packed+i])
			} else {
				device.SetInt(in.Buf.Type, host, cell+i, in.I[packed+i])
			}
		}
	})
}

// paddingHolds checks the allocator's promise.
func paddingHolds(b *ir.Buffer, host []byte) error {
	inside := make([]bool, b.Cells())
	device.Rows(b, func(_, cell, n int) {
		for i := range n {
			inside[cell+i] = true
		}
	})
	for i, own := range inside {
		got, want := device.Float(b.Type, host, i), device.PadFloat(b)
		if !own && got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			return fmt.Errorf("buffer %s: padding at cell %d is %v, want %v", b.Name, i, got, want)
		}
	}
	return nil
}

func (a *arena) launch(p device.Program, tiles []region.Region) error {
	run, err := p.Bind(device.Bindings{Mem: a.mem, Args: a.c.Args})
	if err != nil {
		return err
	}
	for _, tile := range tiles {
		if err := run(tile); err != nil {
			return fmt.Errorf("tile %v: %w", tile, err)
		}
	}
	return a.shadows(download)
}

// differences lists what is not as the interpreter left it: outputs within the tolerance, all else bit by bit.
func (a *arena) differences(want *arena, within Tolerance) (problems []string) {
	for _, in := range a.c.Inputs {
		problems = append(problems, a.untouched(in.Buf)...)
	}
	for _, b := range a.outputs {
		now, ref := snap(b, a.host(b)), want.host(b)
		if was := a.before[b]; !bytes.Equal(now.before, was.before) || !bytes.Equal(now.after, was.after) {
			problems = append(problems, fmt.Sprintf("output %s: written outside of its memory", b.Name))
		}
		for i := range b.Cells() {
			if msg := within.compare(b.Type, now.cells, ref, i); msg != "" {
				problems = append(problems, fmt.Sprintf("%s%v: %s", b.Name, coordinates(b, i), msg))
			}
		}
	}
	return problems
}

func (a *arena) untouched(b *ir.Buffer) []string {
	now, was := snap(b, a.host(b)), a.before[b]
	if bytes.Equal(now.cells, was.cells) && bytes.Equal(now.before, was.before) && bytes.Equal(now.after, was.after) {
		return nil
	}
	return []string{fmt.Sprintf("input %s was written to", b.Name)}
}

// coordinates are the index of a cell; in the padding the innermost lies outside of the shape.
func coordinates(b *ir.Buffer, cell int) []int {
	index := make([]int, len(b.Shape))
	if len(b.Shape) == 0 {
		return index
	}
	for d, s := range b.Strides() {
		if d == len(b.Shape)-1 {
			index[d] = cell - b.Pad.Before
			break
		}
		index[d] = cell / s
		cell %= s
	}
	return index
}

// compare is empty if cell i of got is right.
func (w Tolerance) compare(t ir.DType, got, want []byte, i int) string {
	if !t.Float() {
		if g, r := device.Int(t, got, i), device.Int(t, want, i); g != r {
			return fmt.Sprintf("%d, want %d", g, r)
		}
		return ""
	}
	g, r := device.Float(t, got, i), device.Float(t, want, i)
	switch {
	case math.IsNaN(g) && math.IsNaN(r), g == r && math.Signbit(g) == math.Signbit(r), g == r && w != Tolerance{}:
		return ""
	case math.IsNaN(g) || math.IsNaN(r) || math.IsInf(g, 0) || math.IsInf(r, 0) || w == Tolerance{}:
		return fmt.Sprintf("%v, want %v", g, r)
	}
	unit := ulp(t, r)
	if d := math.Abs(g - r); d > w.ULP*unit+w.Abs {
		return fmt.Sprintf("%v, want %v: off by %.3g, %.1f units in the last place", g, r, d, d/unit)
	}
	return ""
}

// ulp is the distance between neighbouring values of type t at v.
func ulp(t ir.DType, v float64) float64 {
	digits := map[ir.DType]int{ir.F16: 10, ir.BF16: 7, ir.F32: 23, ir.F64: 52}[t]
	least := map[ir.DType]int{ir.F16: -14, ir.BF16: -126, ir.F32: -126, ir.F64: -1022}[t]
	_, e := math.Frexp(v)
	if v == 0 {
		e = least
	}
	return math.Ldexp(1, max(e-1, least)-digits)
}

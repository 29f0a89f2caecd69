package exec

import (
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Memory is of any type, also of one whose values cannot be compared.
type fakeMemory struct{ host []byte }

func (m fakeMemory) Host() []byte { return m.host }
func (m fakeMemory) Free()        {}

type fakeProgram struct {
	device.Program
	k *ir.Kernel
}

func (p fakeProgram) Kernel() *ir.Kernel { return p.k }

// A launch is bound once for all turns in which its arrays lie where they lay, and again where they moved, or where another program takes over.
func TestArraysAreBoundOnce(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 4)
	in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{4}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{4}}
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: b.Load(in, x)}}}
	one, two := fakeMemory{make([]byte, 16)}, fakeMemory{make([]byte, 16)}
	var s Sweep
	count := 0
	bind := func(p device.Program, read, stored device.Memory) {
		t.Helper()
		if _, err := s.Bind(p, map[*ir.Buffer]device.Memory{in: read, out: stored}, func() (Bound, error) {
			count++
			return Bound{Launch: func(region.Region) error { return nil }}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	p := &fakeProgram{k: k}
	for range 10 {
		bind(p, one, two)
		bind(p, two, one)
	}
	if count != 2 {
		t.Errorf("bound %d times, want 2", count)
	}
	one.host = make([]byte, 16) // it moved
	bind(p, one, two)
	bind(&fakeProgram{k: k}, one, two)
	if count != 4 {
		t.Errorf("bound %d times, want 4", count)
	}
	away := fakeMemory{} // not on the host: nobody knows whether it is the same
	bind(p, away, two)
	bind(p, away, two)
	if count != 6 {
		t.Errorf("bound %d times, want 6", count)
	}
	for range 2 * mostBound {
		bind(p, fakeMemory{make([]byte, 16)}, two)
	}
	if len(s.bound.kept) != mostBound {
		t.Errorf("%d are kept, want %d", len(s.bound.kept), mostBound)
	}
}

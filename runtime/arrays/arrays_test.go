package arrays

import (
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// TestReadBesideSwaps lets a window grow, as a source is read beside the computation, while that has what it carries change places.
func TestReadBesideSwaps(t *testing.T) {
	const rows = 4000
	rowsOf := func(name string) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{rows}} }
	read, before, after := rowsOf("read"), rowsOf("before"), rowsOf("after")
	at := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "y", Size: rows}}}
	p := &bound.Plan{Buffers: []bound.Buffer{{Buffer: plan.Buffer{ID: "b1"}, Bufs: []*ir.Buffer{read}, Array: &ops.Stage{}, Layout: at}}}
	a := New(p, nil, nil)
	a.Windowed["b1"] = true
	if err := a.Need("b1", false); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*ir.Buffer{before, after} {
		m, err := device.NewHostMemory(b)
		if err != nil {
			t.Fatal(err)
		}
		a.Memory[b] = m
	}
	was := a.Memory[before]
	done := make(chan error)
	go func() {
		var err error
		for i := 0; i < 50*rows && err == nil; i++ {
			a.Extend("b1", region.Region{{Lo: i / 50, Hi: i/50 + 1}})
			_, err = a.Host("b1")
		}
		done <- err
	}()
	for swaps := 0; ; swaps++ {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			if swaps%2 == 1 {
				a.Swap(before, after)
			}
			if a.Memory[before] != was {
				t.Error("two swaps are not none")
			}
			return
		default:
			a.Swap(before, after)
		}
	}
}

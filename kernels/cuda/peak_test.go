//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// The largest finite magnitude is found on the device, of each type, without padding, of real elements and of complex ones, behind a launch in line; nothing is left over.
func TestOnFakePeak(t *testing.T) {
	d := onFake(t)
	if len(peakTypes) != int(ir.F64)+1 {
		t.Errorf("%d types", len(peakTypes))
	}
	find := func(of device.Lines, re, im device.Memory) (float64, error) {
		p, err := re.(device.Peaking).EnqueuePeak(t.Context(), of, im)
		if err != nil {
			return 0, err
		}
		_, err = p.Wait()
		return p.Found(), err
	}
	for _, of := range peakTypes {
		const rows, columns = 30, 1100
		buf := &ir.Buffer{Name: of.String(), Type: of, Shape: []int{rows, columns}, Pad: ir.Pad{Before: 2, After: 1, Value: 99}}
		data, size := make([]byte, buf.Bytes()), of.Size()
		for i := range buf.Cells() {
			device.SetFloat(of, data, i, 99) // beside the elements
		}
		most := 0.0
		for i := range rows {
			for j := range columns {
				cell := i*buf.Row() + 2 + j
				if device.SetFloat(of, data, cell, float64((i*7+j*3)%40)); i == 20 && j == 1050 {
					device.SetFloat(of, data, cell, 61)
				}
				if of.Float() && j == 5 {
					device.SetFloat(of, data, cell, []float64{math.NaN(), math.Inf(1), math.Inf(-1), -70}[min(i, 3)])
				}
				if v := math.Abs(device.Float(of, data, cell)); !of.Float() {
					most = max(most, math.Abs(float64(device.Int(of, data, cell))))
				} else if v <= math.MaxFloat64 {
					most = max(most, v)
				}
			}
		}
		m, err := d.Alloc(buf)
		if err != nil {
			t.Fatal(err)
		}
		before := d.Usage().Allocated
		if err := device.Write(t.Context(), m, 0, data); err != nil {
			t.Fatal(err)
		}
		lines := device.Lines{Offset: int64(2 * size), Pitch: int64(buf.Row() * size), Width: columns * size, Count: rows}
		want := map[bool]float64{true: 70, false: 61}[of.Float()]
		if of == ir.Bool {
			want = 1
		}
		if got, err := find(lines, m, nil); err != nil || got != want || got != most {
			t.Errorf("%s: %g, not %g and %g; %v", of, got, want, most, err)
		}
		lines.Count = 0
		if got, err := find(lines, m, nil); err != nil || got != 0 {
			t.Errorf("%s: the largest of nothing is %g, %v", of, got, err)
		}
		if u := d.Usage(); u.Launches != 0 || u.Allocated != before {
			t.Errorf("%+v, before it %d allocated", u, before)
		}
		m.Free()
	}
	buf := &ir.Buffer{Name: "z", Type: ir.F32, Shape: []int{5000}}
	var parts [2]device.Memory
	for i, values := range [2]map[int]float32{{7: 3e20, 9: -2e20, 4000: float32(math.Inf(1))}, {7: 1e20, 9: 2.5e20, 4000: 1e30}} {
		data := make([]byte, buf.Bytes())
		for at, v := range values {
			device.View[float32](data, ir.F32)[at] = v
		}
		m, err := d.Alloc(buf)
		if err != nil {
			t.Fatal(err)
		}
		if err := device.Write(t.Context(), m, 0, data); err != nil {
			t.Fatal(err)
		}
		parts[i] = m
	}
	lines := device.Lines{Width: 20000, Count: 1}
	x, y := float64(float32(-2e20)), float64(float32(2.5e20))
	if got, err := find(lines, parts[0], parts[1]); err != nil || got != math.Sqrt(x*x+y*y) {
		t.Errorf("%g, %v", got, err)
	}
	lines.Width += 4
	if _, err := find(lines, parts[0], parts[1]); err == nil {
		t.Error("elements beyond the end")
	}
	for _, m := range parts {
		m.Free()
	}
	if _, err := find(device.Lines{Width: 4, Count: 1}, parts[0], nil); err == nil {
		t.Error("freed memory")
	}
	k, program, m := counting(t, d, 100000)
	launch, err := program.Enqueue(device.Bindings{Mem: map[*ir.Buffer]device.Memory{k.Stores[0].Buf: m}})
	if err != nil {
		t.Fatal(err)
	}
	pending, err := launch(k.Domain())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := find(device.Lines{Offset: 8, Width: 4 * 100000, Count: 1}, m, nil); err != nil || got != 99999 {
		t.Error(fmt.Sprint(got), err)
	}
	if _, err := pending.Wait(); err != nil {
		t.Error(err)
	}
	m.Free()
}

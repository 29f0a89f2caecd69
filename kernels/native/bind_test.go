package native

import (
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// fixed is memory of given bytes.
type fixed []byte

func (f fixed) Host() []byte { return f }
func (f fixed) Free()        {}

func TestBindErrors(t *testing.T) {
	d := open(t, "")
	s := newShifted("bind", 32)
	p := compileOne(t, d, s.kernel, device.Options{})
	good := s.bindings(t, d, 0)
	mem := func(change func(m map[*ir.Buffer]device.Memory)) device.Bindings {
		m := map[*ir.Buffer]device.Memory{s.x: good.Mem[s.x], s.out: good.Mem[s.out]}
		change(m)
		return device.Bindings{Mem: m, Args: good.Args}
	}
	freed, err := d.Alloc(s.x)
	if err != nil {
		t.Fatal(err)
	}
	freed.Free()
	for _, c := range []struct {
		name string
		b    device.Bindings
		want string
	}{
		{"no buffer", mem(func(m map[*ir.Buffer]device.Memory) { delete(m, s.x) }), "no memory for its buffer x"},
		{"nil buffer", mem(func(m map[*ir.Buffer]device.Memory) { m[s.out] = nil }), "no memory for its buffer out"},
		{"device memory", mem(func(m map[*ir.Buffer]device.Memory) { m[s.x] = fixed(nil) }), "not on the host"},
		{"freed", mem(func(m map[*ir.Buffer]device.Memory) { m[s.x] = freed }), "freed"},
		{"too small", mem(func(m map[*ir.Buffer]device.Memory) { m[s.x] = fixed(make([]byte, 127)) }), "takes 128 bytes, its memory has 127"},
		{"unaligned", mem(func(m map[*ir.Buffer]device.Memory) { m[s.x] = fixed(make([]byte, 256)[1:]) }), "not aligned"},
		{"shared", mem(func(m map[*ir.Buffer]device.Memory) { m[s.x] = m[s.out] }), "memory that buffer x uses too"},
		{"no scalar", device.Bindings{Mem: good.Mem}, "no value for its argument c"},
	} {
		if _, err := p.Bind(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestTileErrors(t *testing.T) {
	d := open(t, "")
	s := newShifted("tile", 32)
	b := s.bindings(t, d, 0)
	launch, err := compileOne(t, d, s.kernel, device.Options{}).Bind(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tile region.Region
		want string
	}{
		{region.Region{}, "has 1 axes, the tile 0"},
		{region.Region{{Lo: -1, Hi: 3}}, "outside axis i"},
		{region.Region{{Lo: 0, Hi: 33}}, "outside axis i of 32"},
		{region.Region{{Lo: 5, Hi: 4}}, "tile 5..4"},
		{region.Region{{Lo: 0, Hi: 1 << 33}}, "outside axis i"},
	} {
		if err := launch(c.tile); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("tile %v: got %v, want %q", c.tile, err, c.want)
		}
	}
	if err := launch(region.Region{{Lo: 32, Hi: 32}}); err != nil {
		t.Errorf("an empty tile: %v", err)
	}
	b.Mem[s.x].Free()
	if err := launch(s.kernel.Domain()); err == nil || !strings.Contains(err.Error(), "x has been freed") {
		t.Errorf("launch on freed memory: %v", err)
	}
}

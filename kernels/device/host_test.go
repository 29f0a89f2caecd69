package device

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"weft/kernels/ir"
)

func allocated(t *testing.T, b *ir.Buffer) *HostMemory {
	t.Helper()
	m, err := NewHostMemory(b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Free)
	return m
}

func TestHostMemoryLayout(t *testing.T) {
	for typ := ir.Bool; typ <= ir.F64; typ++ {
		b := &ir.Buffer{Name: "b", Type: typ, Shape: []int{3, 5}, Pad: ir.Pad{Before: 2, After: 4, Value: 1}}
		m := allocated(t, b)
		host := m.Host()
		if len(host) != 3*11*typ.Size() {
			t.Fatalf("%s: %d bytes", typ, len(host))
		}
		if at := uintptr(unsafe.Pointer(&host[0])); at%64 != 0 {
			t.Errorf("%s: first element at %#x", typ, at)
		}
		for i := range 33 {
			want := 0.0
			if c := i % 11; c < 2 || c >= 7 {
				want = 1
			}
			if got := Float(typ, host, i); got != want {
				t.Errorf("%s: cell %d is %v, want %v", typ, i, got, want)
			}
		}
		// The margins are readable: a fault would end the test.
		base := unsafe.Pointer(&host[0])
		for i := 1; i <= Margin*typ.Size(); i++ {
			before, after := *(*byte)(unsafe.Add(base, -i)), *(*byte)(unsafe.Add(base, len(host)+i-1))
			if before != 0 || after != 0 {
				t.Fatalf("%s: margins are not zero", typ)
			}
		}
	}
}

func TestHostMemoryShapes(t *testing.T) {
	for _, shape := range [][]int{{}, {1}, {0}, {0, 7}, {7, 0}, {2, 3, 4}} {
		b := &ir.Buffer{Name: "b", Type: ir.F32, Shape: shape, Pad: ir.Pad{Before: 1, After: 2, Value: 9}}
		m := allocated(t, b)
		if got := len(m.Host()); got != int(b.Bytes()) {
			t.Errorf("%v: %d bytes, want %d", shape, got, b.Bytes())
		}
		src := make([]float64, b.Len())
		for i := range src {
			src[i] = float64(i + 1)
		}
		SetFloats(b, m.Host(), src)
		for i, v := range Floats(b, m.Host()) {
			if v != src[i] {
				t.Errorf("%v: element %d is %v", shape, i, v)
			}
		}
		packed := make([]byte, b.Len()*4)
		CopyOut(b, packed, m.Host())
		n := allocated(t, b)
		CopyIn(b, n.Host(), packed)
		if string(n.Host()) != string(m.Host()) {
			t.Errorf("%v: copying out and in changes the memory", shape)
		}
	}
}

func TestHostMemoryErrors(t *testing.T) {
	for _, c := range []struct {
		buf  ir.Buffer
		want string
	}{
		{ir.Buffer{Name: "huge", Type: ir.F64, Shape: []int{1 << 22, 1 << 22}}, "huge"},
		{ir.Buffer{Name: "overflow", Type: ir.F64, Shape: []int{1 << 40, 1 << 40}}, "overflow"},
		{ir.Buffer{Name: "negative", Type: ir.F32, Shape: []int{-1}}, "negative"},
	} {
		if _, err := NewHostMemory(&c.buf); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.buf.Name, err)
		}
	}
}

func TestHostMemoryFreeTwice(t *testing.T) {
	m := allocated(t, &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{1 << 21}})
	View[float32](m.Host(), ir.F32)[1<<20] = 1
	m.Free()
	m.Free()
	if m.Host() != nil {
		t.Error("freed memory is still there")
	}
}

func TestSmallFloatsDecodeEncode(t *testing.T) {
	for _, f := range []struct {
		name   string
		decode func(uint16) float32
		encode func(float64) uint16
	}{
		{"f16", FloatFromHalf, HalfFromFloat},
		{"bf16", FloatFromBrain, BrainFromFloat},
	} {
		previous := math.Inf(-1)
		for i := range 1 << 16 {
			h := uint16(i)
			v := float64(f.decode(h))
			if math.IsNaN(v) {
				if !math.IsNaN(float64(f.decode(f.encode(v)))) {
					t.Fatalf("%s: NaN %#x is lost", f.name, h)
				}
				continue
			}
			if f.encode(v) != h {
				t.Fatalf("%s: %#x is %v is %#x", f.name, h, v, f.encode(v))
			}
			// Halfway between neighbours the even one wins; a little to either side the nearer.
			if i > 0 && i < 1<<15 && !math.IsInf(v, 0) {
				mid := (previous + v) / 2
				if got := f.encode(mid); got != h&^1 {
					t.Fatalf("%s: tie below %#x gives %#x", f.name, h, got)
				}
				if f.encode(math.Nextafter(mid, v)) != h || f.encode(math.Nextafter(mid, previous)) != h-1 {
					t.Fatalf("%s: near the tie below %#x", f.name, h)
				}
			}
			previous = v
		}
	}
	for _, c := range []struct {
		v    float64
		half uint16
	}{{65504, 0x7bff}, {65519.9, 0x7bff}, {65520, 0x7c00}, {-1e9, 0xfc00}, {math.Copysign(0, -1), 0x8000}, {0x1p-25, 0}, {0x1.8p-25, 1}, {1, 0x3c00}} {
		if got := HalfFromFloat(c.v); got != c.half {
			t.Errorf("half of %v is %#x, want %#x", c.v, got, c.half)
		}
	}
}

func TestSetWraps(t *testing.T) {
	cell := make([]byte, 8)
	SetInt(ir.I8, cell, 0, 200)
	if got := Int(ir.I8, cell, 0); got != -56 {
		t.Errorf("200 as i8 is %d", got)
	}
	SetFloat(ir.U16, cell, 0, 3.9)
	if got := Int(ir.U16, cell, 0); got != 3 {
		t.Errorf("3.9 as u16 is %d", got)
	}
	SetFloat(ir.Bool, cell, 0, 0.5)
	if got := Int(ir.Bool, cell, 0); got != 1 {
		t.Errorf("0.5 as bool is %d", got)
	}
}

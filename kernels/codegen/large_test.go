package codegen_test

import (
	"syscall"
	"testing"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// TestBeyond32Bits reads and writes buffers of more than 2^31 elements, of which only a few pages are ever touched.
func TestBeyond32Bits(t *testing.T) {
	const rows, cols, n, far = 3_000_000, 1000, 40, 70_001
	big := f32("big", rows, cols)
	out := f32("out", rows, cols)
	b := ir.NewBuilder()
	x := b.Axis("x", n)
	r := b.Mul(x, b.I32(far))
	gathered := b.Load(big, r, b.Alu(ir.Mod, x, b.I32(7)))
	along := b.Load(big, b.I32(rows-1), x)
	k := &ir.Kernel{Name: "large", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{r, x}, Value: b.Add(gathered, along)}}}
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		for _, s := range []schedule.CPU{{}, {Lanes: []schedule.AxisN{{Axis: 0, N: target.Lanes}}}} {
			d := &bench{t: t, target: target, choose: func(*ir.Kernel) schedule.CPU { return s }}
			p, err := d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
			if err != nil {
				t.Fatal(err)
			}
			mem := map[*ir.Buffer]device.Memory{}
			for _, buf := range []*ir.Buffer{big, out} {
				const noReserve = 0x4000
				m, err := syscall.Mmap(-1, 0, int(buf.Bytes()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|noReserve)
				if err != nil {
					t.Skipf("no address space for %d bytes: %v", buf.Bytes(), err)
				}
				defer syscall.Munmap(m)
				mem[buf] = hostMemory(m)
			}
			at := func(buf *ir.Buffer, row, col int) *float32 {
				return (*float32)(unsafe.Pointer(&mem[buf].Host()[4*(row*cols+col)]))
			}
			for i := range n {
				*at(big, rows-1, i) = float32(i)
				*at(big, i*far, i%7) = float32(100 * i)
			}
			launch, err := p[0].Bind(device.Bindings{Mem: mem})
			if err != nil {
				t.Fatal(err)
			}
			if err := launch(k.Domain()); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if got, want := *at(out, i*far, i), float32(101*i); got != want {
					t.Fatalf("%s %s: row %d holds %g, want %g", target.ISA, s, i*far, got, want)
				}
			}
		}
	}
}

type hostMemory []byte

func (m hostMemory) Host() []byte { return m }
func (m hostMemory) Free()        {}

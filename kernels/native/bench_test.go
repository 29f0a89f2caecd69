package native

import (
	"context"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// BenchmarkLaunch is the cost of a launch over one point, from one goroutine and from all processors.
func BenchmarkLaunch(b *testing.B) {
	d := open(b, "")
	s := newShifted("point", 1024)
	launch, err := compileOne(b, d, s.kernel, device.Options{}).Bind(s.bindings(b, d, 0))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := launch(region.Region{{Lo: 5, Hi: 6}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := launch(region.Region{{Lo: 7, Hi: 8}}); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func BenchmarkBind(b *testing.B) {
	d := open(b, "")
	s := newShifted("bind", 1024)
	p := compileOne(b, d, s.kernel, device.Options{})
	bindings := s.bindings(b, d, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Bind(bindings); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart is a new device and one kernel, ready to launch: cold, with compiler and prelude known, and with the object
// there.
func BenchmarkStart(b *testing.B) {
	start := func(b *testing.B, cache string) {
		d := openWith(b, Config{Cache: cache})
		compileOne(b, d, newShifted("start", 1024).kernel, device.Options{})
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			start(b, b.TempDir())
		}
	})
	b.Run("next-kernel", func(b *testing.B) {
		cache := b.TempDir()
		n := 1000
		for b.Loop() {
			n++
			compileOne(b, openWith(b, Config{Cache: cache}), newShifted("next", n).kernel, device.Options{})
		}
	})
	b.Run("warm", func(b *testing.B) {
		cache := b.TempDir()
		start(b, cache)
		b.ResetTimer()
		for b.Loop() {
			start(b, cache)
		}
	})
}

// BenchmarkCompile8 compiles eight kernels that are in no cache, together and one after another.
func BenchmarkCompile8(b *testing.B) {
	kernels := make([]*ir.Kernel, 8)
	for i := range kernels {
		kernels[i] = newShifted("eight", 1000+i).kernel
	}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			if _, err := fresh(b).Compile(context.Background(), kernels, device.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("apart", func(b *testing.B) {
		for b.Loop() {
			d := fresh(b)
			for _, k := range kernels {
				compileOne(b, d, k, device.Options{})
			}
		}
	})
}

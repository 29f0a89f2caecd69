package codegen_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weft/kernels/conformance"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// beam is the kernel of delay and sum, for a matrix probe or any.
type beam struct{ *conformance.Beam }

func newBeam(nx, ny, nz, rows, cols int, flat bool) *beam {
	return &beam{conformance.NewBeam(nx, ny, nz, rows, cols, flat)}
}

// data are coordinates in samples of a probe of 0.3 mm pitch above a box, and noise for signals.
func (m *beam) data() map[*ir.Buffer]*memory {
	rng := rand.New(rand.NewPCG(1, 2))
	mem := map[*ir.Buffer]*memory{}
	for _, b := range []*ir.Buffer{m.T, m.X, m.Y, m.Z, m.EX, m.EY, m.O} {
		mem[b] = alloc(b)
	}
	const perMetre = 12e6 / 1540
	grid := func(b *ir.Buffer, lo, hi float64) {
		n := b.Shape[0]
		for i := range n {
			mem[b].f32(i)[0] = float32(perMetre * (lo + (hi-lo)*float64(i)/float64(max(1, n-1))))
		}
	}
	grid(m.X, -10e-3, 10e-3)
	grid(m.Y, -10e-3, 10e-3)
	grid(m.Z, 20e-3, 40e-3)
	for e := range m.EX.Shape[0] {
		c := e % m.Cols
		mem[m.EX].f32(e)[0] = float32(perMetre * 0.3e-3 * (float64(c) - float64(m.Cols-1)/2))
	}
	for e := range m.EY.Shape[0] {
		r := e
		if m.Flat {
			r = e / m.Cols
		}
		mem[m.EY].f32(e)[0] = float32(perMetre * 0.3e-3 * (float64(r) - float64(m.Rows-1)/2))
	}
	for row := range m.Rows * m.Cols * 4 {
		cells := mem[m.T].f32(row * m.T.Row())
		for n := range m.Samples {
			cells[n] = rng.Float32() - 0.5
		}
	}
	return mem
}

func (m *beam) schedule(v int) schedule.CPU {
	return schedule.CPU{Order: []int{0, 1, 2}, Lanes: []schedule.AxisN{{Axis: 0, N: 4}, {Axis: 1, N: 4}}, Unroll: []schedule.AxisN{{Axis: 2, N: v}}, Window: 16, Guard: true, Table: 32}
}

// TestBeamAgreesWithScalar takes a tile of no whole number of steps from a grid as fine as real ones, so that windows
// serve nearly all loads; and once without the copy of the body that gathers, to show that they do.
func TestBeamAgreesWithScalar(t *testing.T) {
	lo, hi := []int32{24, 30, 5}, []int32{33, 37, 18}
	for _, flat := range []bool{false, true} {
		m := newBeam(64, 64, 128, 8, 8, flat)
		mem := m.data()
		out := mem[m.O].f32(0)[:m.O.Len()]
		build(t, m.Kernel, schedule.CPU{}, schedule.Portable).call(mem, lo, hi)
		want := append([]float32{}, out...)
		for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
			if !runs(t, target) {
				continue
			}
			rule := schedule.Default(m.Kernel, target)
			gather := rule
			gather.Window, gather.Guard, gather.Table = 0, false, 0
			for name, c := range map[string]*compiled{
				"rule": build(t, m.Kernel, rule, target), "gather": build(t, m.Kernel, gather, target),
				"only windows": buildEdited(t, m.Kernel, rule, target, func(c string) string {
					return regexp.MustCompile(`__builtin_expect\(v_any\(w\d+\), 0\)`).ReplaceAllString(c, "0")
				}),
			} {
				clear(out)
				c.call(mem, lo, hi)
				d, peak := maxDiff(out, want)
				if !(d < 1e-4*peak) {
					t.Errorf("%s flat=%v %s: off by %g of %g", target.ISA, flat, name, d, peak)
				}
			}
		}
	}
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)*1e-6
}

// BenchmarkBeam runs 64 x 64 x 128 voxels of 1024 elements on two goroutines over tiles.
func BenchmarkBeam(b *testing.B) {
	if !runs(b, schedule.AVX512) {
		b.Skip("no AVX-512")
	}
	m := newBeam(64, 64, 128, 32, 32, false)
	mem := m.data()
	gather := m.schedule(4)
	gather.Window, gather.Guard, gather.Table = 0, false, 0
	for _, c := range []struct {
		name string
		s    schedule.CPU
	}{{"window8", m.schedule(8)}, {"window4", m.schedule(4)}, {"gather", gather}} {
		b.Run(c.name, func(b *testing.B) {
			k := build(b, m.Kernel, c.s, schedule.AVX512)
			pairs := float64(m.NX*m.NY*m.NZ) * float64(m.Rows*m.Cols)
			b.ResetTimer()
			var walls, cpus []float64
			for range b.N {
				begin, cpu := time.Now(), cpuSeconds()
				var next atomic.Int32
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						for {
							x := next.Add(4) - 4
							if int(x) >= m.NX {
								return
							}
							k.call(mem, []int32{x, 0, 0}, []int32{x + 4, int32(m.NY), int32(m.NZ)})
						}
					})
				}
				wg.Wait()
				walls, cpus = append(walls, time.Since(begin).Seconds()), append(cpus, cpuSeconds()-cpu)
			}
			slices.Sort(walls)
			slices.Sort(cpus)
			b.ReportMetric(pairs/walls[len(walls)/2]/1e9, "Gpair/s")
			b.ReportMetric(pairs/cpus[len(cpus)/2]/1e9, "Gpair/cpu-s")
			b.ReportMetric(pairs/cpus[0]/1e9, "best-Gpair/cpu-s")
		})
	}
}

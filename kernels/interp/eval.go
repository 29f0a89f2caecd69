package interp

import (
	"context"
	"fmt"

	"weft/kernels/device"
	"weft/kernels/region"
)

// Sample is what a store would write at a point.
type Sample struct {
	Written bool // its guard holds; otherwise the rest is unset
	Index   []int
	F       float64 // value of a float type
	I       int64   // value of an integer type or Bool
}

// Evaluator computes what the stores of a kernel would write at points of its axes.
type Evaluator interface {
	Eval(ctx context.Context, in Inputs, points [][]int) ([][]Sample, error)
}

var _ Evaluator = (*Program)(nil)

// CheckPoints reports inputs that are missing or of the wrong size, and points outside of the kernel's axes.
func (p *Program) CheckPoints(in Inputs, points [][]int) error {
	if _, err := p.bind(in, false); err != nil {
		return err
	}
	for _, point := range points {
		if err := p.checkPoint(point); err != nil {
			return err
		}
	}
	return nil
}

// Eval computes what every store would write at the given points of the kernel's axes, without rounding to the type of the
// store's buffer and without touching memory. Outputs need not be bound. The result is by point, then by store.
func (p *Program) Eval(ctx context.Context, in Inputs, points [][]int) ([][]Sample, error) {
	b, err := p.bind(in, false)
	if err != nil {
		return nil, err
	}
	if p.puts != nil {
		return nil, fmt.Errorf("kernel %s stores in folds, which has no value at a point", p.kernel.Name)
	}
	m := p.machine(b)
	defer m.release()
	out := make([][]Sample, len(points))
	each, rank := len(p.stores), 0
	for _, s := range p.stores {
		rank += len(s.index)
	}
	all, places := make([]Sample, each*len(points)), make([]int, rank*len(points))
	for n, point := range points {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.checkPoint(point); err != nil {
			return nil, err
		}
		for d, v := range point {
			m.i[p.axes[d]] = int64(v)
		}
		// Levels outside the first axis that changed still hold.
		first := 0
		if n > 0 {
			first = firstChange(points[n-1], point) + 1
		}
		for _, code := range p.levels[first:] {
			if !m.run(code) {
				return nil, fmt.Errorf("at point %v: %w", point, m.err)
			}
		}
		out[n] = all[n*each:][:each:each]
		if err := m.samples(out[n], places[n*rank:][:rank]); err != nil {
			return nil, fmt.Errorf("at point %v: %w", point, err)
		}
	}
	return out, nil
}

func (p *Program) checkPoint(point []int) error {
	if len(point) != len(p.axes) {
		return fmt.Errorf("kernel %s has %d axes, point %v has %d", p.kernel.Name, len(p.axes), point, len(point))
	}
	for d, v := range point {
		if a := p.kernel.Axes[d]; v < 0 || v >= a.Extent {
			return fmt.Errorf("kernel %s: point %v is outside of axis %s, which has extent %d", p.kernel.Name, point, a.Name, a.Extent)
		}
	}
	return nil
}

// firstChange is the first axis on which two points differ, or how many axes there are.
func firstChange(a, b []int) int {
	for d := range a {
		if a[d] != b[d] {
			return d
		}
	}
	return len(a)
}

// samples are what stores would write; their indices take what places holds.
func (m *machine) samples(out []Sample, places []int) error {
	for k := range out {
		s := &m.program.stores[k]
		if s.guarded && m.i[s.guard] == 0 {
			continue
		}
		b := &m.buffers[s.buf]
		v := Sample{Written: true, Index: places[:len(s.index):len(s.index)]}
		places = places[len(s.index):]
		for d, r := range s.index {
			if uint64(m.i[r]) >= uint64(b.shape[d]) {
				return m.indexError(b, s.index, true)
			}
			v.Index[d] = int(m.i[r])
		}
		if s.float {
			v.F = m.f[s.value]
		} else {
			v.I = m.i[s.value]
		}
		out[k] = v
	}
	return nil
}

// launch runs the kernel over one tile, axis by axis.
func (b *bound) launch(tile region.Region) error {
	p := b.p
	if len(tile) != len(p.axes) {
		return fmt.Errorf("kernel %s has %d axes, the tile has %d", p.kernel.Name, len(p.axes), len(tile))
	}
	for d, r := range tile {
		if a := p.kernel.Axes[d]; r.Lo < 0 || r.Hi > a.Extent || r.Lo > r.Hi {
			return fmt.Errorf("kernel %s: tile %v is outside of axis %s, which has extent %d", p.kernel.Name, tile, a.Name, a.Extent)
		}
	}
	if tile.Points() == 0 {
		return nil
	}
	m := p.machine(b)
	defer m.release()
	if !m.nest(tile, 0) {
		return m.err
	}
	return nil
}

// nest runs a level and the axes inside it.
func (m *machine) nest(tile region.Region, level int) bool {
	p := m.program
	if !m.run(p.levels[level]) {
		return false
	}
	if level == len(tile) {
		for k := range p.stores {
			if !m.store(&p.stores[k]) {
				return false
			}
		}
		return true
	}
	for v := tile[level].Lo; v < tile[level].Hi; v++ {
		m.i[p.axes[level]] = int64(v)
		if !m.nest(tile, level+1) {
			return false
		}
	}
	return true
}

var _ device.Program = (*Program)(nil)

// Bind implements device.Program.
func (p *Program) Bind(b device.Bindings) (func(region.Region) error, error) {
	in, err := p.bind(Inputs{Mem: b.Mem, Args: b.Args}, true)
	if err != nil {
		return nil, err
	}
	return in.launch, nil
}

// Step implements device.Program: points are run one by one.
func (p *Program) Step() []int {
	s := make([]int, len(p.axes))
	for i := range s {
		s[i] = 1
	}
	return s
}

// Report implements device.Program.
func (p *Program) Report() device.Report {
	return device.Report{Loads: map[string]int{"scalar": len(p.loads)}}
}

package fleet

import (
	"context"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// mostLines is how many launches look for the largest element of what a device holds of an array.
const mostLines = 64

// Peaks finds the largest finite magnitudes of arrays, as they are stored, where devices hold all of them: each device looks at what it holds, beside what it has in line. The parts
// of an array are one, or real and imaginary ones in float32, whose magnitudes are the same to the bit then as the host's. False where devices cannot. It may be called while jobs
// are put in line.
func (f *Fleet) Peaks(ctx context.Context, stage string, of [][]*ir.Buffer) (peaks []float64, found bool, err error) {
	looks := make([][]search, len(f.members))
	for i, parts := range of {
		missing := region.Set{region.Whole(parts[0].Shape...)}
		for j, m := range f.members {
			for _, at := range m.holding(parts) {
				for _, box := range slices.Clone(missing) {
					if both := at.Intersect(box); !both.Empty() {
						lines, ok := elements(parts[0], both)
						if !ok {
							return nil, false, nil
						}
						looks[j] = append(looks[j], search{i, m.memories(parts), lines})
						missing = missing.Without(both)
					}
				}
			}
		}
		if len(missing) > 0 {
			return nil, false, nil
		}
	}
	peaks = make([]float64, len(of))
	results, faults := make([][]float64, len(f.members)), make([]error, len(f.members))
	var all sync.WaitGroup
	for j, m := range f.members {
		if len(looks[j]) > 0 {
			all.Go(func() { results[j], faults[j] = m.search(ctx, stage, looks[j]) })
		}
	}
	all.Wait()
	for j := range f.members {
		if faults[j] != nil {
			return nil, true, faults[j]
		}
		for k, l := range looks[j] {
			peaks[l.array] = max(peaks[l.array], results[j][k])
		}
	}
	return peaks, true, nil
}

// search is for the largest element of a part of an array that a device holds.
type search struct {
	array int
	mem   []device.Memory
	lines []device.Lines
}

// holding is where a device holds all parts of an array, and can look for their largest element.
func (m *Member) holding(parts []*ir.Buffer) (at region.Set) {
	if m.isLost() || len(parts) > 2 || len(parts) == 2 && (parts[0].Type != ir.F32 || parts[1].Type != ir.F32 || !parts[0].Pad.Same(parts[1].Pad)) {
		return nil
	}
	for i, b := range parts {
		r := m.replica(b)
		if r == nil || b.Held > 0 {
			return nil
		}
		if _, ok := r.mem.(device.Peaking); !ok {
			return nil
		}
		r.mu.Lock()
		valid := slices.Clone(r.valid)
		r.mu.Unlock()
		if i == 0 {
			at = valid
			continue
		}
		var both region.Set
		for _, x := range at {
			for _, y := range valid {
				if box := x.Intersect(y); !box.Empty() {
					both = append(both, box)
				}
			}
		}
		at = both
	}
	return at
}

func (m *Member) memories(parts []*ir.Buffer) (out []device.Memory) {
	for _, b := range parts {
		out = append(out, m.replica(b).mem)
	}
	return out
}

func (m *Member) search(ctx context.Context, stage string, of []search) (peaks []float64, err error) {
	took, err := m.lanes[download].do(ctx, m.opt.Trace, stage, map[string]any{"peaks": len(of)}, func() (err error) {
		var line []device.Peak
		var ends []int
		for _, s := range of {
			var imaginary device.Memory
			if len(s.mem) > 1 {
				imaginary = s.mem[1]
			}
			for _, l := range s.lines {
				p, e := s.mem[0].(device.Peaking).EnqueuePeak(ctx, l, imaginary)
				if err = e; err != nil {
					break
				}
				line = append(line, p)
			}
			ends = append(ends, len(line))
			if err != nil {
				break
			}
		}
		for _, p := range slices.Backward(line) { // those before are over then
			if _, e := p.Wait(); err == nil {
				err = e
			}
		}
		if err != nil {
			return err
		}
		from := 0
		for _, to := range ends {
			peak := 0.0
			for _, p := range line[from:to] {
				peak = max(peak, p.Found())
			}
			peaks, from = append(peaks, peak), to
		}
		return nil
	})
	m.count(func(u *Usage) { u.add(download, took, 8*len(of), err) })
	return peaks, err
}

// elements are where those of a region lie, without padding; false where that is in too many pieces.
func elements(b *ir.Buffer, at region.Region) (out []device.Lines, ok bool) {
	size, last := b.Type.Size(), len(at)-1
	if last < 0 {
		return []device.Lines{{Width: size, Count: 1}}, true
	}
	strides, width := b.Strides(), at[last].Len()
	l := device.Lines{Pitch: int64(b.Row() * size), Width: width * size, Count: 1}
	outer := last // dims before it are in pieces of their own: of those behind it all rows are there
	for whole := true; outer > 0 && whole; {
		outer--
		l.Count *= at[outer].Len()
		whole = at[outer].Len() == b.Shape[outer]
	}
	if width == b.Row() { // rows touch
		l.Width, l.Count = l.Width*l.Count, 1
	}
	if at[:outer].Points() > mostLines {
		return nil, false
	}
	for index := range at[:outer].Indices() {
		first := b.Pad.Before
		for d, stride := range strides {
			if d < outer {
				first += index[d] * stride
			} else {
				first += at[d].Lo * stride
			}
		}
		l.Offset = int64(first * size)
		out = append(out, l)
	}
	return out, true
}

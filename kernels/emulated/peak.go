package emulated

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"weft/kernels/device"
)

var _ device.Peaking = (*memory)(nil)

// peak is a search in line.
type peak struct {
	*queued
	found float64
}

// Found is what the search came to.
func (p *peak) Found() float64 { return p.found }

// EnqueuePeak finds the largest finite magnitude, as a launch that reads the elements and a copy of one number behind it would, beside other launches.
func (m *memory) EnqueuePeak(ctx context.Context, of device.Lines, imaginary device.Memory) (device.Peak, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	parts, then := []*memory{m}, m.last.Load().ends()
	if imaginary != nil {
		im, ok := imaginary.(*memory)
		if !ok || im.dev != m.dev || im.buf.Type != m.buf.Type {
			return nil, fmt.Errorf("%s: %s has no imaginary part there", m.dev.info.Name, m.buf.Name)
		}
		if end := im.last.Load().ends(); end.After(then) {
			then = end
		}
		parts = append(parts, im)
	}
	d, p := m.dev, &peak{}
	const number = 8
	reading := device.Quotient(float64(len(parts)*of.Bytes()), d.description.Bandwidth)
	took := time.Duration(d.description.Launch) + max(time.Duration(d.description.Shortest), seconds(reading)) + d.transferTime(number, true)
	p.queued = d.put(onDownload, then, func(time.Duration) { d.meter.copied(onDownload, number, took) }, func() (time.Duration, error) {
		var err error
		p.found, err = peakOf(parts, of)
		return d.crowded(took, number), err
	})
	return p, nil
}

func peakOf(parts []*memory, of device.Lines) (most float64, err error) {
	m := parts[0]
	_, err = m.dev.fate.next(onDownload)
	for _, p := range parts {
		p.mu.RLock()
		defer p.mu.RUnlock()
		all := of.Span()
		switch {
		case err != nil:
		case p.give == nil:
			err = errors.New("it has been freed")
		default:
			err = errors.Join(device.CheckLines(of, of.Bytes()), p.holds(all.From, int(all.To-all.From)), p.intact())
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%s: looking for the largest of %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	row := make([]float64, of.Width/m.buf.Type.Size())
	sums := make([]float64, len(row))
	of.Each(func(at int64, _ int) {
		clear(sums)
		for _, p := range parts {
			device.Load(p.buf.Type, row, p.bytes(at, at+int64(of.Width)))
			for i, x := range row {
				sums[i] += x * x
				if len(parts) == 1 {
					sums[i] = math.Abs(x)
				}
			}
		}
		for _, x := range sums {
			if x <= math.MaxFloat64 && x > most {
				most = x
			}
		}
	})
	if len(parts) > 1 {
		most = math.Sqrt(most)
	}
	return most, nil
}

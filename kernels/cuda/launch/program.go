package launch

import (
	"fmt"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Program is compiled code on a device: what devices that run CUDA have in common.
type Program struct {
	Code      *Code
	Owner     device.Device                                                     // whose memory it takes
	Run       func(b *Bound, l Launch, t region.Region) error                   // launches and waits
	Queue     func(b *Bound, l Launch, t region.Region) (device.Pending, error) // launches
	Resources device.Resources
	Cached    bool
}

var _ device.Queued = (*Program)(nil)

// Kernel is what was compiled.
func (p *Program) Kernel() *ir.Kernel { return p.Code.Kernel }

// Step is what a block covers.
func (p *Program) Step() []int { return slices.Clone(p.Code.Out.Step) }

// Report describes the schedule and the CUDA source.
func (p *Program) Report() device.Report {
	r := p.Code.Report()
	r.Cached, r.Resources = p.Cached, p.Resources
	return r
}

// Bind returns the launch.
func (p *Program) Bind(b device.Bindings) (func(region.Region) error, error) {
	bound, err := p.bind(b)
	if err != nil {
		return nil, err
	}
	return func(t region.Region) error {
		l, ok, err := bound.At(t)
		if err == nil && ok {
			err = p.Run(bound, l, t)
		}
		return p.told(err)
	}, nil
}

// Enqueue returns the launch that is not waited for.
func (p *Program) Enqueue(b device.Bindings) (func(region.Region) (device.Pending, error), error) {
	bound, err := p.bind(b)
	if err != nil {
		return nil, err
	}
	return func(t region.Region) (device.Pending, error) {
		l, ok, err := bound.At(t)
		if err != nil || !ok {
			return over{}, p.told(err)
		}
		q, err := p.Queue(bound, l, t)
		if err != nil {
			return nil, p.told(err)
		}
		return pending{p, q}, nil
	}, nil
}

func (p *Program) bind(b device.Bindings) (*Bound, error) {
	bound, err := p.Code.Bind(p.Owner, b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Owner.Info().Name, err)
	}
	return bound, nil
}

// told says of an error what it happened to.
func (p *Program) told(err error) error {
	if err != nil {
		err = fmt.Errorf("%s: kernel %s: %w", p.Owner.Info().Name, p.Code.Kernel.Name, err)
	}
	return err
}

// pending is a launch of a program.
type pending struct {
	of *Program
	device.Pending
}

// Wait tells of the program, too.
func (p pending) Wait() (time.Duration, error) {
	took, err := p.Pending.Wait()
	return took, p.of.told(err)
}

// over is a launch of no points.
type over struct{}

// Wait does not.
func (over) Wait() (time.Duration, error) { return 0, nil }

package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Reopen opens devices once more that were lost, each once in a run. They hold nothing then: what they alone held is made again when somebody asks. What a device loses after that stays lost.
func (f *Fleet) Reopen(ctx context.Context) error {
	if f == nil {
		return nil
	}
	for _, m := range f.members {
		d, ok := m.dev.(device.Reopener)
		if !ok || m.reopened || !m.isLost() {
			continue
		}
		if err := f.settle(ctx); err != nil {
			return err
		}
		m.reopened = true
		f.empty(m)
		err := d.Reopen()
		if err == nil {
			err = m.reload(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.opt.Log(fmt.Sprintf("%s cannot be opened once more: %s", m.name, err))
			continue
		}
		m.opt.Log(fmt.Sprintf("%s is opened once more: %s", m.name, m.out()))
		m.mu.Lock()
		m.lost, m.left, m.inRow = false, "", 0
		m.mu.Unlock()
	}
	return nil
}

// empty gives up what a lost device held, and notes of what it alone held why that is to be made again.
func (f *Fleet) empty(m *Member) {
	for _, b := range m.resident() {
		if e, lacks := f.lacking(b, region.Whole(b.Shape...)); len(lacks) > 0 {
			e.lost = Failure{Device: m.name, Kind: m.kind, Reason: m.out()}
		}
		m.drop(b)
	}
	m.unpin()
}

// reload compiles the programs again that a device had.
func (m *Member) reload(ctx context.Context) error {
	kernels := slices.Collect(maps.Keys(m.programs))
	if len(kernels) == 0 {
		return nil
	}
	programs, err := m.dev.Compile(ctx, kernels, device.Options{})
	if err != nil {
		return err
	}
	m.programs = map[*ir.Kernel]device.Program{}
	for i, k := range kernels {
		m.programs[k] = programs[i]
	}
	return nil
}

package exec

import (
	"context"
	"fmt"
	"slices"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/planner/plan"
	"weft/runtime/fleet"
)

// Allocate gives an array memory on a device; a table gets its values too.
func Allocate(dev device.Device, b *bound.Buffer) (device.Memory, error) {
	m, err := dev.Alloc(b.IR)
	if err != nil {
		return nil, problem.Wrong(problem.OutOfMemory, "", "stop other programs, or use a smaller grid", "no memory for %s (%s, %s): %s",
			b.Stage, b.Type, plan.FormatBytes(b.Bytes), err)
	}
	if b.Role != plan.FromPlan {
		return m, nil
	}
	host := m.Host()
	switch {
	case host == nil:
		err = fmt.Errorf("the memory of %s cannot be reached from the host", dev.Info().Name)
	case len(b.Array.Data) != b.IR.Len():
		err = fmt.Errorf("table %s holds %d values for %s", b.Stage, len(b.Array.Data), b.Type)
	default:
		device.SetFloats(b.IR, host, b.Array.Data)
		return m, nil
	}
	m.Free()
	return nil, err
}

// Tiles launches a program that is bound over tiles, on several threads.
func Tiles(ctx context.Context, name string, launch func(region.Region) error, threads int, tiles []region.Region) error {
	s := &Sweep{Name: name, Launch: launch, Threads: threads}
	if err := s.Run(ctx, tiles); err != nil {
		return err
	}
	return s.Fault
}

// Part describes a part of a kernel's domain to devices with memory of their own; array finds those that it reads and stores.
func Part(step *bound.Step, over region.Region, loads *bounds.Loads, array func(id string) (fleet.Array, error)) (*fleet.Job, error) {
	k := step.Kernel
	j := &fleet.Job{Stage: step.Name, Kernel: k.IR, Over: over, Whole: !k.IR.Rowwise(), Need: loads.Of, Devices: k.Place.Devices, Weights: k.Place.Weights}
	for i, id := range slices.Concat(step.Reads, step.Writes) {
		a, err := array(id)
		if err != nil {
			return nil, err
		}
		to := &j.Reads
		if i >= len(step.Reads) {
			to = &j.Writes
		}
		*to = append(*to, a)
	}
	return j, nil
}

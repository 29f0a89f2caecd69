package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/runtime"
	"weft/runtime/exec"
	"weft/runtime/fleet"
)

// chunks is how many ranges of rows a kernel is cut into for a device that may not have the time for all of them.
const chunks = 16

// Accelerator is a device with memory of its own. It computes ranges of rows as a run would have it do.
func Accelerator(d device.Device) Subject {
	name := d.Info().Name
	return Subject{
		Name: name, Alloc: func(b *ir.Buffer) (device.Memory, error) { return device.NewHostMemory(b) },
		Variants: func(ctx context.Context, i *runtime.Inspection) ([]Variant, func(), error) {
			k := i.Step.Kernel
			programs, err := d.Compile(ctx, []*ir.Kernel{k.IR}, device.Options{})
			if err != nil {
				return nil, nil, err
			}
			f := fleet.New([]device.Device{d}, fleet.Options{})
			failures, err := f.Compile(ctx, []fleet.Target{{Stage: i.Step.Name, Kernel: k.IR, Devices: []string{name}}})
			if err == nil && len(failures) > 0 {
				err = errors.New(failures[0].Reason)
			}
			run := func(ctx context.Context, tiles []region.Region, own map[*ir.Buffer]device.Memory) error {
				for _, t := range tiles {
					job, err := alone(i, name, t, own)
					if err != nil {
						return err
					}
					if _, err := f.Run(ctx, job); err != nil {
						return err
					}
				}
				return nil
			}
			return []Variant{{Name: programs[0].Report().Schedule, Tiles: cut(k.IR.Domain(), !k.IR.Rowwise()), Run: run}}, f.ReleaseAll, err
		},
	}
}

// cut divides a domain into chunks along its first axis, where that may be.
func cut(domain region.Region, whole bool) (out []region.Region) {
	if whole || len(domain) == 0 || domain.Empty() {
		return []region.Region{domain}
	}
	n := domain[0].Hi
	per := (n + chunks - 1) / chunks
	for lo := 0; lo < n; lo += per {
		out = append(out, domain.Along(0, region.Interval{Lo: lo, Hi: min(lo+per, n)}))
	}
	return out
}

// alone is a part of the kernel for one device and nobody else.
func alone(i *runtime.Inspection, name string, over region.Region, own map[*ir.Buffer]device.Memory) (*fleet.Job, error) {
	mem := maps.Clone(i.Arrays.Memory)
	maps.Copy(mem, own)
	j, err := exec.Part(i.Step, over, exec.NeedsOf(i.Step.Kernel.IR), func(id string) (ops.HostArray, error) {
		return i.Plan.Buffer(id).In(mem), nil
	})
	if err != nil {
		return nil, err
	}
	j.Devices, j.Weights = []string{name}, []float64{1}
	j.Failed = func(f fleet.Failure) error { return errors.New(f.Reason) }
	j.Host = func(context.Context, region.Region) error {
		return fmt.Errorf("%s left rows of it to the host", name)
	}
	j.Done = func(int64, time.Duration) {}
	return j, nil
}

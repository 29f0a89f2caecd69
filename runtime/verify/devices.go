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
	"weft/planner/bounds"
	"weft/runtime/exec"
	"weft/runtime/fleet"
)

// Accelerator is a device with memory of its own. It computes ranges of rows as a run would have it do, spread over the kernel, for
// as long as there is time.
func Accelerator(d device.Device) Subject {
	return Subject{Name: d.Info().Name, Device: d, Alloc: func(b *ir.Buffer) (device.Memory, error) { return device.NewHostMemory(b) }}
}

// chunks is how many ranges of rows a kernel is cut into for a device that may not have the time for all of them.
const chunks = 16

// device computes the kernel on an accelerator. What goes wrong there is a row of its own: the other subjects go on.
func (t *trial) device(ctx context.Context, subject Subject) error {
	k := t.Step.Kernel
	own, free, err := t.outputs(subject)
	defer free()
	if err != nil {
		return err
	}
	schedule, done, err := t.ranges(ctx, subject.Device, own)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err != nil {
		t.skip(subject, schedule, err.Error(), false)
		return nil
	}
	t.compare(subject, schedule, own, done, points(done) == points([]region.Region{k.IR.Domain()}))
	return nil
}

func points(tiles []region.Region) (n int64) {
	for _, t := range tiles {
		n += t.Points()
	}
	return n
}

// ranges runs as many rows of the kernel on a device as there is time for, and says which.
func (t *trial) ranges(ctx context.Context, d device.Device, own map[*ir.Buffer]device.Memory) (schedule string, done []region.Region, err error) {
	k, name := t.Step.Kernel, d.Info().Name
	programs, err := d.Compile(ctx, []*ir.Kernel{k.IR}, device.Options{})
	if err != nil {
		return "", nil, err
	}
	schedule = programs[0].Report().Schedule
	f := fleet.New([]device.Device{d}, fleet.Options{})
	defer f.ReleaseAll()
	failures, err := f.Compile(ctx, []fleet.Target{{Stage: t.Step.Name, Kernel: k.IR, Devices: []string{name}}})
	if err == nil && len(failures) > 0 {
		err = errors.New(failures[0].Reason)
	}
	if err != nil {
		return schedule, nil, err
	}
	whole := k.IR.Domain()
	rows := region.Interval{Lo: 0, Hi: 1}
	if len(whole) > 0 {
		rows = whole[0]
	}
	order := scattered(cut(rows, !k.IR.Rowwise()))
	deadline := time.Now().Add(time.Duration(t.opt.Seconds * float64(time.Second)))
	for i, part := range order {
		if i > 0 && time.Now().After(deadline) {
			break
		}
		job, err := t.job(name, part[0], own)
		if err == nil {
			_, err = f.Run(ctx, job)
		}
		if err != nil {
			return schedule, nil, err
		}
		tile := append(region.Region{}, whole...)
		if len(tile) > 0 {
			tile[0] = part[0]
		}
		done = append(done, tile)
	}
	return schedule, done, nil
}

// cut divides rows into chunks; those of a kernel that adds to what is there stay together.
func cut(rows region.Interval, together bool) (out []region.Region) {
	n := rows.Hi - rows.Lo
	per := max(1, (n+chunks-1)/chunks)
	if together {
		per = max(1, n)
	}
	for lo := rows.Lo; lo < rows.Hi; lo += per {
		out = append(out, region.Region{{Lo: lo, Hi: min(lo+per, rows.Hi)}})
	}
	return out
}

// job is some rows of the kernel, for one device and nobody else.
func (t *trial) job(name string, rows region.Interval, own map[*ir.Buffer]device.Memory) (*fleet.Job, error) {
	mem := maps.Clone(t.Mem)
	maps.Copy(mem, own)
	j, err := exec.Part(t.Step, t.Step.Kernel.Over(rows), bounds.Needed(t.Step.Kernel.IR), func(id string) (ops.HostArray, error) {
		return t.Plan.Buffer(id).In(mem), nil
	})
	if err != nil {
		return nil, err
	}
	j.Devices, j.Weights = []string{name}, []float64{1}
	j.Failed = func(f fleet.Failure) error { return errors.New(f.Reason) }
	j.Host = func(context.Context, []region.Region) error {
		return fmt.Errorf("%s left rows of it to the host", name)
	}
	j.Done = func(int64, time.Duration) {}
	return j, nil
}

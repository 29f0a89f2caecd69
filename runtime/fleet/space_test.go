package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/planner/bounds"
	"weft/runtime"
	"weft/runtime/fleet"
)

// counted is a device that counts what it is asked for of its memory.
type counted struct {
	*emulated.Device
	allocs, views, cleared, pins atomic.Int64
	atFirst                      atomic.Int64 // views of parts that begin where their buffer does
}

func (c *counted) Alloc(b *ir.Buffer) (device.Memory, error) {
	c.allocs.Add(1)
	c.cleared.Add(1)
	return c.Device.Alloc(b)
}

func (c *counted) AllocBlank(b *ir.Buffer) (device.Memory, error) {
	c.allocs.Add(1)
	return c.Device.AllocBlank(b)
}

func (c *counted) AllocRoom(n int64) (device.Room, error) {
	c.allocs.Add(1)
	r, err := c.Device.AllocRoom(n)
	return countedRoom{r, c}, err
}

func (c *counted) Pin(n int) ([]byte, func(), error) {
	c.pins.Add(1)
	return c.Device.Pin(n)
}

type countedRoom struct {
	device.Room
	by *counted
}

func (r countedRoom) View(b *ir.Buffer, part device.Span, at int64, cleared bool) (device.Memory, error) {
	if r.by.views.Add(1); part.From == 0 {
		r.by.atFirst.Add(1)
	}
	if cleared {
		r.by.cleared.Add(1)
	}
	return r.Room.View(b, part, at, cleared)
}

// However many ranges a kernel has, a device is asked for memory as often: once where its arrays fit, or for all parts of them together, and nothing is cleared that the
// kernel stores.
func TestMemoryIsTakenOnce(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		for _, c := range []struct {
			name, device, tile string
			allocs             int64 // at most
		}{
			{"given ranges in parts", "{memory: 16 KiB}", "@tile(y: 8)", 1},
			{"ranges as are good, in parts", "{memory: 24 KiB}", "", 1},
			{"ranges as are good, of small parts", "{memory: 12 KiB}", "", 1},
			{"ranges for the sake of copies", "{flops: 1e7, link: {rate: 1e6}, pace: 1}", "", 2},
		} {
			var allocs, cleared, pins []int64
			var ranges []int
			for _, rows := range []int{96, 960} {
				text := strings.NewReplacer("95 mm in 96", fmt.Sprintf("%d mm in %d", rows-1, rows), "@tile(y: 8)", c.tile).Replace(twelve)
				want, _, err := run(t, program(t, text, cpu, 0), runtime.Options{Devices: chain(cpu)})
				if err != nil {
					t.Fatal(err)
				}
				devices := emulatedDevices(t, cpu, c.device)
				calls := &counted{Device: devices[0].(*emulated.Device)}
				devices[0] = calls
				p := program(t, text, cpu, 0)
				only(p, devices)
				got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
				if err != nil {
					t.Fatal(err)
				}
				if apart := got.apart(t, want); apart > 0 {
					t.Errorf("%s: %d rows are %g apart", c.name, rows, apart)
				}
				checkDevices(t, r, devices)
				if r.Devices[0].Retries > 0 {
					t.Errorf("%s: %+v", c.name, r.Devices[0])
				}
				allocs, cleared, pins = append(allocs, calls.allocs.Load()), append(cleared, calls.cleared.Load()), append(pins, calls.pins.Load())
				ranges = append(ranges, r.Devices[0].Ranges)
			}
			t.Logf("%s: %d allocations, %d of them cleared, %d of page-locked memory, for %d ranges", c.name, allocs, cleared, pins, ranges)
			if allocs[0] != allocs[1] || allocs[0] > c.allocs || cleared[0] != cleared[1] || pins[1] > 6 || ranges[0] < 3 || c.name != "ranges for the sake of copies" && ranges[1] < 5*ranges[0] {
				t.Errorf("%s: %d allocations, %d cleared, %d pins for %d ranges", c.name, allocs, cleared, pins, ranges)
			}
		}
	})(t)
}

// inRanges runs all of a kernel on one device that counts, in four ranges at least, of which it tells how many there were.
func inRanges(t *testing.T, cpu *native.Device, described string, job *fleet.Job) (calls *counted, ranges int64) {
	t.Helper()
	devices := emulatedDevices(t, cpu, described)
	calls = &counted{Device: devices[0].(*emulated.Device)}
	devices[0] = calls
	job.Stage, job.Over, job.Devices = job.Kernel.Name, job.Kernel.Domain(), []string{calls.Info().Name}
	job.Failed = func(f fleet.Failure) error { return errors.New(f.Reason) }
	job.Host = func(context.Context, region.Region) error { return errors.New("on the host") }
	job.Done = func(int64, time.Duration) {}
	f := fleet.New(devices, fleet.Options{})
	if failures, err := f.Compile(t.Context(), []fleet.Target{{Stage: job.Stage, Kernel: job.Kernel, Devices: job.Devices}}); err != nil || len(failures) > 0 {
		t.Fatal(failures, err)
	}
	shares, err := f.Run(t.Context(), job)
	f.ReleaseAll()
	if err != nil || len(shares) != 1 || shares[0].Ranges < 4 {
		t.Fatalf("%v, %+v", err, shares)
	}
	return calls, int64(shares[0].Ranges)
}

// What a kernel does not store is zero in parts, too, whatever ranges before left there.
func TestPartsAreClearedWhereTheyAreNotStored(t *testing.T) {
	cpu := host(t)
	const rows, columns = 60, 50
	b := ir.NewBuilder()
	y, x := b.Axis("y", rows), b.Axis("x", columns)
	in := &ir.Buffer{Name: "in", Type: ir.I32, Shape: []int{rows, columns}}
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{rows, columns}}
	v := b.Load(in, y, x)
	k := &ir.Kernel{Name: "some", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: v, Guard: b.Lt(b.I32(500), v)}}}
	from, to := fleet.Array{Buf: in, Data: make([]byte, in.Bytes())}, fleet.Array{Buf: out, Data: make([]byte, out.Bytes())}
	want := make([]int32, rows*columns)
	for i := range want {
		v := int32(i * 7919 % 1000)
		device.View[int32](from.Data, ir.I32)[i] = v
		if v > 500 {
			want[i] = v
		}
	}
	calls, n := inRanges(t, cpu, "{memory: 12 KiB}", &fleet.Job{Kernel: k, Reads: []fleet.Array{from}, Writes: []fleet.Array{to},
		Need: func(at region.Region) map[*ir.Buffer]region.Region { return map[*ir.Buffer]region.Region{in: at} }})
	if got := device.View[int32](to.Data, ir.I32); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if calls.views.Load() != 2*n || calls.cleared.Load() != n || calls.allocs.Load() != 1 {
		t.Errorf("%d views, %d cleared, %d allocations for %d ranges", calls.views.Load(), calls.cleared.Load(), calls.allocs.Load(), n)
	}
}

// What a kernel loads and throws away must have an address: of an array of which it loads the first row for what lies beyond the last, that is there too.
func TestWhatIsThrownAwayHasAnAddress(t *testing.T) {
	cpu := host(t)
	const rows, columns, ahead = 60, 50, 9
	b := ir.NewBuilder()
	y, x := b.Axis("y", rows), b.Axis("x", columns)
	in := &ir.Buffer{Name: "in", Type: ir.I32, Shape: []int{rows, columns}}
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{rows, columns}}
	there := b.Lt(y, b.I32(rows-ahead))
	v := b.Select(there, b.Load(in, b.Select(there, b.Add(y, b.I32(ahead)), b.I32(0)), x), b.I32(-1))
	k := &ir.Kernel{Name: "later", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: v}}}
	needed, executed := bounds.Needed(k), bounds.Executed(k, nil)
	if at := needed.Of(k.Domain().Along(0, region.Interval{Lo: 30, Hi: 31})); at[in][0] != (region.Interval{Lo: 39, Hi: 40}) {
		t.Fatalf("row 30 needs %v", at[in])
	}
	from, to := fleet.Array{Buf: in, Data: make([]byte, in.Bytes())}, fleet.Array{Buf: out, Data: make([]byte, out.Bytes())}
	want := make([]int32, rows*columns)
	for i := range want {
		device.View[int32](from.Data, ir.I32)[i] = int32(i)
		if want[i] = -1; i/columns < rows-ahead {
			want[i] = int32(i + ahead*columns)
		}
	}
	calls, n := inRanges(t, cpu, "{memory: 16 KiB}", &fleet.Job{Kernel: k, Reads: []fleet.Array{from}, Writes: []fleet.Array{to}, Need: needed.Of, Reach: executed.Of})
	if got := device.View[int32](to.Data, ir.I32); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if calls.views.Load() != 2*n || calls.atFirst.Load() < 2 { // of the output's first range one
		t.Errorf("%d views, %d of what comes first, for %d ranges", calls.views.Load(), calls.atFirst.Load(), n)
	}
}

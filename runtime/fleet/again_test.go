package fleet_test

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"testing"

	"weft/kernels/native"
	"weft/runtime"
	"weft/runtime/fleet"
	"weft/runtime/result"
	"weft/runtime/trace"
)

// byOne runs a program whose drives' kernels are on a device as it is, and with all launches made one by one, as for who traces them.
func byOne(t *testing.T, cpu *native.Device, text, description string) (results [2]*result.Result) {
	t.Helper()
	var got [2]seen
	for i := range results {
		devices := emulatedDevices(t, cpu, description)
		p := program(t, text, cpu, 0)
		inside(p, devices)
		opt := runtime.Options{Devices: chain(cpu), Accelerators: devices}
		if i == 1 {
			opt.Trace = trace.Record()
		}
		var err error
		if got[i], results[i], err = run(t, p, opt); err != nil {
			t.Fatalf("%s: %v", description, err)
		}
		checkDevices(t, results[i], devices)
	}
	if apart := got[0].apart(t, got[1]); apart > 0 {
		t.Errorf("%s: %g apart", description, apart)
	}
	return results
}

// did is what a report says of devices and kernels but for times.
func did(r *result.Result) (out string) {
	for _, u := range r.Devices {
		u.Compute, u.Upload, u.Download = 0, 0, 0
		out += fmt.Sprintf("%+v\n", u)
	}
	for _, k := range r.Kernels {
		shares := slices.Clone(k.Shares)
		for i := range shares {
			shares[i] = fleet.Share{Device: shares[i].Device, Ranges: shares[i].Ranges, Rows: shares[i].Rows}
		}
		out += fmt.Sprintf("%s: %d calls, %d tiles, %s, %+v\n", k.Name, k.Calls, k.Tiles, k.Device, shares)
	}
	return out + fmt.Sprintf("%+v", r.Fallbacks)
}

// Calls that go as they went are told of as those that are put in line one by one, whatever fails in any of them: of the same kernels, as often.
func TestCallsGoAsTheyWent(t *testing.T) {
	cpu := host(t)
	for name, text := range driven {
		text = fmt.Sprintf(text, 17)
		plain := byOne(t, cpu, text, "{}")
		if a, b := did(plain[0]), did(plain[1]); a != b {
			t.Errorf("%s: %s\nwhere it should be\n%s", name, a, b)
		}
		launches := int(plain[0].Devices[0].Launches)
		for _, failure := range []string{"at: %d", "at: %d, until: %[1]d", "at: %d, kind: memory", "at: %d, kind: lost", "at: %d, kind: lost, back: true"} {
			failed := 0
			for n := 8; n <= launches; n += 3 {
				r := byOne(t, cpu, text, "{failures: [{on: launch, "+fmt.Sprintf(failure, n)+"}]}")
				if a, b := did(r[0]), did(r[1]); a != b {
					t.Errorf("%s, launch "+failure+": %s\nwhere it should be\n%s", name, n, a, b)
				}
				failed += len(r[0].Fallbacks)
			}
			if failed < (launches-8)/3 {
				t.Errorf("%s, launch %s: %d failures are told of", name, failure, failed)
			}
		}
	}
}

// Of a turn that goes as it went little is made anew: nothing for each of its kernels but what their device makes.
func TestTurnsMakeLittle(t *testing.T) {
	cpu := host(t)
	made := func(turns int) uint64 {
		devices := emulatedDevices(t, cpu, "{}")
		p := program(t, fmt.Sprintf(several, turns), cpu, 0)
		inside(p, devices)
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		if _, _, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true}); err != nil {
			t.Fatal(err)
		}
		goruntime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	made(10)
	if each := float64(made(1100)-made(100)) / 1000; each > 40 {
		t.Errorf("a turn of three kernels allocates %.1f times", each)
	}
}

package fleet_test

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
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
	return out + kernels(r) + fmt.Sprintf("%+v", r.Fallbacks)
}

// kernels is what a report says of these, but for times.
func kernels(r *result.Result) (out string) {
	for _, k := range r.Kernels {
		shares := slices.Clone(k.Shares)
		for i := range shares {
			shares[i] = fleet.Share{Device: shares[i].Device, Ranges: shares[i].Ranges, Rows: shares[i].Rows}
		}
		out += fmt.Sprintf("%s: %d calls, %d tiles, %s, %+v\n", k.Name, k.Calls, k.Tiles, k.Device, shares)
	}
	return out
}

// Calls that go as they went are told of as those that are put in line one by one, whatever fails in any of them: of the same kernels, as often.
func TestCallsGoAsTheyWent(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) { // whose clock stands still: none has the host get the state because some time is over
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
	})(t)
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

// told is what a report says of kernels, and that failed; a device is left out for what failed in a graph, or for what did so behind that, which is of no matter.
func told(r *result.Result) (out string) {
	for _, f := range r.Fallbacks {
		if strings.Contains(f.Reason, "is left out") {
			f.Reason = ""
		}
		out += fmt.Sprintf("%+v\n", f)
	}
	return out + kernels(r)
}

// graphed is a device on which turns of several kernels are worth a graph.
const graphed = "{launch: 4us, shortest: 2us, graph: {launch: 4us, node: 1us}, failures: [%s]}"

// Turns that go as graphs are told of as those whose kernels are launched one by one, but for the time that they take: whichever launch of a graph fails, and whether there are graphs or not.
func TestTurnsGoAsGraphs(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) { // whose clock stands still: none has the host get the state because some time is over
		for _, name := range []string{"several kernels", "whole numbers"} {
			text := fmt.Sprintf(driven[name], 110)
			plain := byOne(t, cpu, text, fmt.Sprintf(graphed, ""))
			if a, b := plain[0].Devices[0].Compute, plain[1].Devices[0].Compute; a > 0.95*b {
				t.Errorf("%s: %g s as graphs, and %g", name, a, b)
			}
			for i, k := range plain[0].Kernels {
				if one := plain[1].Kernels[i]; len(k.Shares) > 0 && (k.Shares[0].Compute >= one.Shares[0].Compute || k.Shares[0].Compute < 0.5*one.Shares[0].Compute) {
					t.Errorf("%s: %s is told to compute %g s in graphs, %g without", name, k.Name, k.Shares[0].Compute, one.Shares[0].Compute)
				}
			}
			for _, f := range []string{"on: graph, at: 1, until: 9", "on: graph, at: 2"} {
				r := byOne(t, cpu, text, fmt.Sprintf(graphed, "{"+f+"}"))
				if a, b := did(r[0]), did(r[1]); a != b {
					t.Errorf("%s, %s: %s\nwhere it should be\n%s", name, f, a, b)
				}
			}
			for n := 262; n <= int(plain[0].Devices[0].Launches); n += 10 { // once some were waited for
				for _, kind := range []string{"", "kind: memory", "kind: lost", "kind: lost, back: true"} {
					r := byOne(t, cpu, text, fmt.Sprintf(graphed, fmt.Sprintf("{on: launch, at: %d, %s}", n, kind)))
					if a, b := told(r[0]), told(r[1]); a != b || len(r[0].Fallbacks) == 0 || r[0].Devices[0].Failures != 1 {
						t.Errorf("%s, launch %d, %s: %s, where it should be %s; %+v", name, n, kind, a, b, r[0].Devices[0])
					}
				}
				if r := byOne(t, cpu, text, fmt.Sprintf(graphed, fmt.Sprintf("{on: launch, at: %d, until: %d}", n, n+1))); len(r[0].Fallbacks) == 0 {
					t.Errorf("%s, two launches from %d on: nothing is told", name, n)
				}
			}
			r := byOne(t, cpu, text, fmt.Sprintf(graphed, "{on: graph, at: 1, kind: lost, back: true}"))
			if u := r[0].Devices[0]; u.Failures != 1 || len(r[0].Fallbacks) == 0 {
				t.Errorf("%s: lost as a graph is made: %+v, %+v", name, u, r[0].Fallbacks)
			}
		}
	})(t)
}

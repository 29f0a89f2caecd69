package fleet_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/native"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/place"
	"weft/runtime"
	"weft/runtime/result"
)

// tenth is a program of ten kernels behind one that the host has, of which only the last one's array is asked for.
var tenth = func() string {
	text := `
y = axis(y, 0 mm .. 255 mm in 256)
x = axis(x, 0 mm .. 511 mm in 512)
a0 = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep @device(cpu)
`
	for i := range 10 {
		text += fmt.Sprintf("a%d = a%d ^ 3 / (a%d + %d mm) ^ 2 + 1 mm @keep @device(gpu)\n", i+1, i, i, i+1)
	}
	return text + "show(a10)\n"
}()

// planned is a plan for devices, as the planner places it; on: where all of it is asked to be.
func planned(t *testing.T, text, on string, cpu *native.Device, devices []device.Device) *bound.Plan {
	t.Helper()
	prog, found := check.File("test.weft", []byte(text), catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatal(found.Summary(), found.String())
	}
	var models []place.DeviceModel
	for _, d := range devices {
		models = append(models, place.ModelOf(d))
	}
	p, err := planner.Build(prog.Sinks, cpu.Info(), planner.Options{Threads: 2, Accelerators: models, Device: on})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What kernels make on a device stays there: of ten, one after the other, the first one's input goes there and the last one's array comes back, to the
// byte as the plan says; a sample that is looked at adds little.
func TestWhatIsMadeStays(t *testing.T) {
	cpu := host(t)
	want, _, err := run(t, planned(t, strings.ReplaceAll(tenth, "(gpu)", "(cpu)"), "", cpu, nil), runtime.Options{Devices: chain(cpu)})
	if err != nil {
		t.Fatal(err)
	}
	for _, verify := range []bool{false, true} {
		devices := emulatedDevices(t, cpu, "{}")
		p := planned(t, tenth, "", cpu, devices)
		got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true, Verify: verify})
		if err != nil {
			t.Fatal(err)
		}
		if apart := got.apart(t, want); apart > 0 {
			t.Errorf("%g apart", apart)
		}
		checkDevices(t, r, devices)
		var in, out int64
		for _, s := range p.Steps {
			if s.Kernel != nil {
				in, out = in+s.Kernel.Place.BytesIn, out+s.Kernel.Place.BytesOut
			}
		}
		const array = 4 * 256 * 512
		u := r.Devices[0]
		t.Logf("verify %t: %d bytes in, %d out", verify, u.BytesIn, u.BytesOut)
		if u.Kernels != 10 || in != array || out != array || u.BytesIn != in || !verify && u.BytesOut != out || u.BytesOut < out || u.BytesOut > out+out/4 {
			t.Errorf("%d kernels, %d bytes in and %d out; planned %d, %d", u.Kernels, u.BytesIn, u.BytesOut, in, out)
		}
	}
}

// What the plan says is copied is copied, to the byte, also where the host reads in between, arrays are read twice, and rows have padding.
func TestCopiesAreAsPlanned(t *testing.T) {
	cpu := host(t)
	for name, text := range map[string]string{
		"the host in between": `
y = axis(y, 0 mm .. 95 mm in 96)
x = axis(x, 0 mm .. 49 mm in 50)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep @device(gpu)
b = a ^ 3 / (a + 1 mm) ^ 2 + 1 mm @keep @device(cpu)
c = b ^ 3 / (a + b) ^ 2 @keep @device(gpu)
show(c)
show(a)
`,
		"padding": `
y = axis(y, 0 mm .. 95 mm in 96)
x = axis(x, 0 mm .. 49 mm in 50)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep @device(gpu)
d = axis(d, -3 .. 3 in 7)
b = mean(a[x: here + d, outside: nearest], over: d) @keep @device(gpu)
show(mean(b[y: here + d, outside: nearest], over: d) @device(gpu))
`,
		"a beamformer": strings.ReplaceAll(focus, "@tile(x: 1)", "@device(gpu)"),
	} {
		t.Run(name, func(t *testing.T) {
			devices := emulatedDevices(t, cpu, "{}")
			p := planned(t, text, "", cpu, devices)
			_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			var in, out int64
			for _, s := range p.Steps {
				if s.Kernel != nil {
					in, out = in+s.Kernel.Place.BytesIn, out+s.Kernel.Place.BytesOut
					t.Log(s.Name, s.Kernel.Place.Devices, s.Kernel.Place.BytesIn, s.Kernel.Place.BytesOut)
				}
			}
			if u := r.Devices[0]; u.Kernels == 0 || u.BytesIn != in || u.BytesOut != out {
				t.Errorf("%d kernels: %d bytes in and %d out; planned %d, %d", u.Kernels, u.BytesIn, u.BytesOut, in, out)
			}
		})
	}
}

// stairs is a program of kernels of which each reads what two before it made, so that what is lost has to be made again from what was lost, too.
const stairs = `
y = axis(y, 0 mm .. 31 mm in 32)
x = axis(x, 0 mm .. 49 mm in 50)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep
b = a ^ 3 / (a + 1 mm) ^ 2 + 1 mm @keep
c = b ^ 3 / (a + b) ^ 2 + 2 mm @keep
d = c ^ 3 / (b + c) ^ 2 + 3 mm @keep
show(c ^ 3 / (c + d) ^ 2)
`

// Every kind of failure at every step, where devices alone hold what was made: results are the same bytes, and what was done again is counted.
func TestFailuresWhereDevicesAloneHold(t *testing.T) {
	cpu := host(t)
	want, _, err := run(t, program(t, stairs, cpu, 0), runtime.Options{Devices: chain(cpu)})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("one device", func(t *testing.T) { failEverywhere(t, cpu, want, true, "{name: bad, failures: [{%s}]}") })
	t.Run("in line", func(t *testing.T) { failEverywhere(t, cpu, want, false, "{name: bad, failures: [{%s}]}") })
	t.Run("two devices", described(func(t *testing.T, cpu *native.Device) {
		failEverywhere(t, cpu, want, true, "{name: bad, launch: 1ms, pace: 1, failures: [{%s}]}", "{name: good, launch: 1ms, pace: 1}")
	}))
}

func failEverywhere(t *testing.T, cpu *native.Device, want seen, verify bool, bad string, good ...string) {
	for _, failure := range []string{
		"on: launch, at: %d", "on: upload, at: %d", "on: download, at: %d",
		"on: launch, at: %d, kind: lost", "on: upload, at: %d, kind: lost", "on: download, at: %d, kind: lost", "on: alloc, at: %d, kind: lost",
		"on: launch, at: %d, until: 1000", "on: download, at: %d, until: 1000", "on: alloc, at: %d, until: 1000", "on: launch, at: %d, kind: wrong",
	} {
		if !verify && strings.Contains(failure, "wrong") {
			continue // nobody looks
		}
		happened := 0
		for n := 1; n <= 40; n++ {
			devices := emulatedDevices(t, cpu, append([]string{fmt.Sprintf(bad, fmt.Sprintf(failure, n))}, good...)...)
			log := &logbook{}
			got, r, err := run(t, program(t, stairs, cpu, 0, devices...), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: verify, Progress: log})
			if err != nil {
				t.Fatalf("%s, %d: %v", failure, n, err)
			}
			if apart := got.apart(t, want); apart > 0 {
				t.Errorf("%s, %d: %g apart", failure, n, apart)
			}
			checkDevices(t, r, devices)
			u, fell := r.Devices[0], 0
			for _, f := range r.Fallbacks {
				fell += f.Count
			}
			if lost := strings.Contains(failure, "lost"); lost && u.Failures > 0 && u.Quarantined == "" {
				t.Errorf("%s, %d: %+v", failure, n, u)
			}
			if u.Failures == 0 && u.Retries == 0 { // there are no more such steps
				if fell > 0 {
					t.Errorf("%s, %d: %d fell back", failure, n, fell)
				}
				break
			}
			if fell == 0 && u.Retries == 0 && !log.holds("does not take part") {
				t.Errorf("%s, %d: nothing is counted; %+v, %q", failure, n, u, log.lines)
			}
			happened++
		}
		if happened == 0 {
			t.Errorf("%s never happened", failure)
		}
		t.Logf("%s: at %d steps", failure, happened)
	}
}

// Kernels that follow each other on a device are not waited for one by one: of ten, the host waits for the copy in, for nine launches together, for the last one, whose array is asked for, and for the copy out,
// and none of them is later for it.
func TestChainsAreNotWaitedFor(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		devices := emulatedDevices(t, cpu, "{pace: 1, sms: 132, launch: 4us, shortest: 2us, sync: 25us, flops: 30e12, bandwidth: 4.3e12, link: {rate: 50e9, latency: 8us}}")
		_, r, err := run(t, planned(t, tenth, "", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		u, wall := r.Devices[0], 0.0
		for _, k := range r.Kernels {
			if len(k.Shares) > 0 {
				wall += k.Wall
				if s := k.Shares[0]; s.Compute <= 0 || s.Ranges != 1 {
					t.Errorf("%s: %+v", k.Name, s)
				}
			}
		}
		t.Logf("%d launches, %d waits of the host, %.3g us computing, %.3g us in all", u.Launches, u.Waits, 1e6*u.Compute, 1e6*wall)
		if u.Launches != 10 || u.Waits > 4 || u.Ranges != 10 || u.Kernels != 10 {
			t.Errorf("%+v", u)
		}
		if alone := 10*25e-6 + u.Compute; wall > alone { // what waiting for each would take, without its copies
			t.Errorf("%g s in all, %g s if each were waited for", wall, alone)
		}
	})(t)
}

// What fails in line is told of the kernel that failed, under Strict too, and not of the one that found it.
func TestFailuresInLineAreAttributed(t *testing.T) {
	cpu := host(t)
	names := map[int]string{}
	for n := 1; n <= 10; n++ {
		devices := emulatedDevices(t, cpu, fmt.Sprintf("{failures: [{on: launch, at: %d}]}", n))
		p := planned(t, tenth, "", cpu, devices)
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices})
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, s := range p.Steps {
			if s.Kernel != nil && len(s.Kernel.Place.Devices) > 0 {
				if at++; at == n {
					names[n] = s.Name
				}
			}
		}
		if len(r.Fallbacks) != 1 || r.Fallbacks[0].Stage != names[n] || r.Fallbacks[0].Count != 1 || r.Devices[0].Failures != 1 || r.Devices[0].Quarantined != "" {
			t.Errorf("%d, %s: %+v; %+v", n, names[n], r.Fallbacks, r.Devices[0])
		}
		devices = emulatedDevices(t, cpu, fmt.Sprintf("{failures: [{on: launch, at: %d}]}", n))
		_, _, err = run(t, planned(t, tenth, "", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		var stage *result.StageError
		if !errors.As(err, &stage) || stage.Stage != names[n] || strings.Count(err.Error(), names[n]+": ") != 1 {
			t.Errorf("%d, %s, under Strict: %v", n, names[n], err)
		}
	}
}

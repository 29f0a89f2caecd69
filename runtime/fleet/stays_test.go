package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
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
	levels := strings.ReplaceAll(stairs, "@keep", "@keep @tolerance(0.1 dB)") // whose peaks are found on the device
	t.Run("one device", func(t *testing.T) { failEverywhere(t, cpu, stairs, want, true, "{name: bad, failures: [{%s}]}") })
	t.Run("levels", func(t *testing.T) { failEverywhere(t, cpu, levels, want, true, "{name: bad, failures: [{%s}]}") })
	t.Run("in line", func(t *testing.T) { failEverywhere(t, cpu, stairs, want, false, "{name: bad, failures: [{%s}]}") })
	t.Run("two devices", described(func(t *testing.T, cpu *native.Device) {
		failEverywhere(t, cpu, stairs, want, true, "{name: bad, launch: 1ms, pace: 1, failures: [{%s}]}", "{name: good, launch: 1ms, pace: 1}")
	}))
}

func failEverywhere(t *testing.T, cpu *native.Device, text string, want seen, verify bool, bad string, good ...string) {
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
			got, r, err := run(t, program(t, text, cpu, 0, devices...), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: verify, Progress: log})
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

// Kernels that follow each other on a device are not waited for one by one: of ten, the host waits for the copy in, for all launches together, and for the copy out,
// and none of them is later for it. Who looks at them does so beside that, and waits once for each; the run ends once all of them are looked at.
func TestChainsAreNotWaitedFor(t *testing.T) {
	for _, verify := range []bool{false, true} {
		described(func(t *testing.T, cpu *native.Device) {
			devices := emulatedDevices(t, cpu, "{pace: 1, sms: 132, launch: 4us, shortest: 2us, sync: 25us, flops: 30e12, bandwidth: 4.3e12, link: {rate: 50e9, latency: 8us}}")
			start := time.Now()
			p := planned(t, tenth, "", cpu, devices)
			_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true, Verify: verify})
			if err != nil {
				t.Fatal(err)
			}
			all := time.Since(start)
			predicted := time.Duration(0)
			for _, s := range p.Steps {
				if s.Kernel != nil && s.Kernel.Place.Accelerates() {
					predicted += time.Duration(s.Kernel.Place.Accelerated * float64(time.Millisecond))
				}
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
			t.Logf("verify %t: %d launches, %d waits of the host, %.3g us computing, %.3g us of kernels, %v in all, predicted %v", verify, u.Launches, u.Waits, 1e6*u.Compute, 1e6*wall, all, predicted)
			waits, most := int64(3), 200*time.Microsecond
			if verify {
				waits, most = 3+10, 800*time.Microsecond // of which a look takes 50 us, one after the other
			}
			if u.Launches != 10 || u.Ranges != 10 || u.Kernels != 10 || u.Waits > waits || all > most {
				t.Errorf("%v, %+v", all, u)
			}
			if alone := 10*25e-6 + u.Compute; wall > alone { // what waiting for each would take, without its copies
				t.Errorf("%g s in all, %g s if each were waited for", wall, alone)
			}
			if host := 10 * 40 * time.Microsecond; predicted < all && !verify || predicted > all+host { // of the host's, which the described clock does not count
				t.Errorf("%v were predicted", predicted)
			}
			looked := 0
			for _, p := range r.Parity {
				if p.Samples > 400 && p.OK {
					looked++
				}
			}
			if verify && looked != 11 || !verify && looked > 0 {
				t.Errorf("%d arrays were looked at: %+v", looked, r.Parity)
			}
		})(t)
	}
}

// What fails in line, or is wrong, is told of the kernel that failed, under Strict too, and not of the one that found it; what follows from it is made again.
func TestFailuresInLineAreAttributed(t *testing.T) {
	cpu := host(t)
	want, _, err := run(t, planned(t, strings.ReplaceAll(tenth, "(gpu)", "(cpu)"), "", cpu, nil), runtime.Options{Devices: chain(cpu)})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"fail", "wrong", "wrong level"} {
		kind, level := strings.CutSuffix(kind, " level")
		tenth := map[bool]string{false: tenth, true: loud}[level]
		for n := 1; n <= 10; n++ {
			opt := runtime.Options{Devices: chain(cpu), Verify: kind == "wrong"}
			devices := func() []device.Device {
				return emulatedDevices(t, cpu, fmt.Sprintf("{failures: [{on: launch, at: %d, kind: %s}]}", n, kind))
			}
			opt.Accelerators = devices()
			p := planned(t, tenth, "", cpu, opt.Accelerators)
			got, r, err := run(t, p, opt)
			if err != nil {
				t.Fatal(err)
			}
			if apart := got.apart(t, want); apart > 0 {
				t.Errorf("%s, %d: %g apart", kind, n, apart)
			}
			name, at := "", 0
			for _, s := range p.Steps {
				if s.Kernel != nil && len(s.Kernel.Place.Devices) > 0 {
					if at++; at == n {
						name = s.Name
					}
				}
			}
			if len(r.Fallbacks) != 1 || r.Fallbacks[0].Stage != name || r.Fallbacks[0].Count != 1 || r.Devices[0].Failures != 1 || r.Devices[0].Quarantined != "" ||
				strings.HasPrefix(r.Fallbacks[0].Reason, "wrong result: ") != (kind == "wrong") {
				t.Errorf("%s, %d, %s: %+v; %+v", kind, n, name, r.Fallbacks, r.Devices[0])
			}
			for i, p := range r.Parity {
				if !p.OK {
					t.Errorf("%s, %d: parity %d: %+v", kind, n, i, p)
				}
			}
			opt.Accelerators, opt.Strict = devices(), true
			_, _, err = run(t, planned(t, tenth, "", cpu, opt.Accelerators), opt)
			var stage *result.StageError
			if !errors.As(err, &stage) || stage.Stage != name || strings.Count(err.Error(), name+": ") != 1 {
				t.Errorf("%s, %d, %s, under Strict: %v", kind, n, name, err)
			}
		}
	}
}

// speckled is a device that loses some rows of what its third launch makes.
type speckled struct {
	*emulated.Device
	launches int
}

type speckledProgram struct {
	device.Queued
	on *speckled
}

func (d *speckled) Compile(ctx context.Context, kernels []*ir.Kernel, opt device.Options) ([]device.Program, error) {
	out, err := d.Device.Compile(ctx, kernels, opt)
	for i, p := range out {
		out[i] = speckledProgram{p.(device.Queued), d}
	}
	return out, err
}

func (p speckledProgram) Enqueue(b device.Bindings) (func(region.Region) (device.Pending, error), error) {
	launch, err := p.Queued.Enqueue(b)
	return func(at region.Region) (device.Pending, error) {
		pending, err := launch(at)
		if p.on.launches++; p.on.launches == 3 && err == nil {
			const row = 4 * 512
			err = device.Write(context.Background(), b.Mem[p.Kernel().Stores[0].Buf], 100*row, make([]byte, 8*row))
		}
		return pending, err
	}, err
}

// What is wrong at a few elements, and what is made from these, is found by the samples, which are taken beside the run, and nothing is handed out before that is known.
func TestSamplesBesideTheRunCount(t *testing.T) {
	cpu := host(t)
	devices := func() []device.Device {
		return []device.Device{&speckled{Device: emulatedDevices(t, cpu, "{}")[0].(*emulated.Device)}}
	}
	opt := runtime.Options{Devices: chain(cpu), Accelerators: devices(), Verify: true}
	_, r, err := run(t, planned(t, tenth, "", cpu, opt.Accelerators), opt)
	if err != nil {
		t.Fatal(err)
	}
	var wrong, names []string
	for _, p := range r.Parity {
		if names = append(names, p.Value); !p.OK {
			wrong = append(wrong, p.Value)
		}
	}
	if fmt.Sprint(wrong) != "[a3 a4]" || fmt.Sprint(names) != "[a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10]" || len(r.Fallbacks) > 0 || len(r.Warnings) != 2 {
		t.Errorf("%v of %v are beyond their tolerance; %+v; %+v", wrong, names, r.Warnings, r.Fallbacks)
	}
	opt.Strict, opt.Accelerators = true, devices()
	handed, _, err := run(t, planned(t, tenth, "", cpu, opt.Accelerators), opt)
	var stage *result.StageError
	if !errors.As(err, &stage) || !strings.HasPrefix(err.Error(), stage.Stage+": a3 ") || len(handed) > 0 {
		t.Errorf("%d arrays are handed out under Strict: %v", len(handed), err)
	}
}

// Arrays that are kept to be looked at go where there is no room for them, and are not copied to the host for that.
func TestLooksGiveWay(t *testing.T) {
	cpu := host(t)
	const array = 4*256*512 + 2*4*device.Margin
	for _, arrays := range []float64{2, 3, 4.5} {
		devices := emulatedDevices(t, cpu, fmt.Sprintf("{memory: %d}", int(arrays*array)))
		_, r, err := run(t, planned(t, tenth, "", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		checkDevices(t, r, devices)
		if u := r.Devices[0]; u.Kernels != 10 || u.Retries > 0 || u.BytesIn != 4*256*512 || u.BytesOut > 4*256*512*5/4 {
			t.Errorf("room for %g arrays: %+v", arrays, u)
		}
	}
}

// A device that is lost is opened once more, without what it held: what that was is made again where it is asked for, told and counted, and later kernels run there. The second time it
// stays lost.
func TestLostDevicesAreOpenedOnceMore(t *testing.T) {
	cpu := host(t)
	small := strings.NewReplacer("in 256", "in 40", "in 512", "in 50").Replace(tenth)
	want, _, err := run(t, planned(t, strings.ReplaceAll(small, "(gpu)", "(cpu)"), "", cpu, nil), runtime.Options{Devices: chain(cpu)})
	if err != nil {
		t.Fatal(err)
	}
	// The host asks for what is made half-way, so that kernels follow a loss.
	text := strings.Replace(small, "+ 5 mm) ^ 2 + 1 mm @keep @device(gpu)", "+ 5 mm) ^ 2 + 1 mm @keep @device(cpu)", 1)
	for _, verify := range []bool{false, true} {
		for _, on := range []string{"launch", "upload", "download", "alloc"} {
			for n, happened := 1, true; happened; n++ {
				happened = false
				for again, failures := range map[bool]string{false: "{on: %s, at: %d, kind: lost, back: true}", true: "{on: %[1]s, at: %[2]d, kind: lost, back: true}, {on: %[1]s, at: %[3]d, kind: lost, back: true}"} {
					args := []any{on, n}
					if again {
						args = append(args, n+1)
					}
					devices := emulatedDevices(t, cpu, fmt.Sprintf("{failures: ["+failures+"]}", args...))
					log := &logbook{}
					got, r, err := run(t, planned(t, text, "", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: verify, Progress: log})
					if err != nil {
						t.Fatal(err)
					}
					if apart := got.apart(t, want); apart > 0 {
						t.Errorf("%s %d, again %t: %g apart", on, n, again, apart)
					}
					checkDevices(t, r, devices)
					u, back := r.Devices[0], log.holds("is opened once more: ")
					happened = happened || u.Failures > 0
					if u.Failures > 0 && len(r.Fallbacks) == 0 || back && u.Failures == 0 || !again && back == (u.Quarantined != "") && u.Failures > 0 {
						t.Errorf("%s %d, again %t, verify %t: %+v, %+v, %q", on, n, again, verify, u, r.Fallbacks, log.lines)
					}
					if on == "launch" && n == 1 && (!again && (u.Quarantined != "" || u.Ranges < 4) || again && u.Quarantined == "") {
						t.Errorf("again %t: %+v, %q", again, u, log.lines)
					}
				}
			}
		}
	}
}

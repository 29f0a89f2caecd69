package fleet_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/kernels/native"
	"weft/runtime"
	"weft/runtime/result"
)

// loud is ten kernels in a row that are judged by their level, as tenth's are relative to their peak.
var loud = strings.ReplaceAll(tenth, "@keep @device(gpu)", "@keep @device(gpu) @tolerance(0.1 dB)")

// spiked is kernels whose errors are small only beside an element that no sample has.
const spiked = `
y = axis(y, 0 .. 255 in 256)
x = axis(x, 0 .. 511 in 512)
a = where(abs(y - 131) + abs(x - 77) < 1, 5000, sqrt(0.3 * y + 0.7 * x) / 40) @keep @device(cpu)
b = a * 1.5 + 1000 @keep @device(gpu)
c = b - 1000 @keep @device(gpu)
d = (c + 1000) / 3 @keep @device(gpu)
e = d - 1000 / 3 @keep @device(gpu)
z = complex(e, c) @keep @device(gpu)
show(abs(z) @device(gpu))
`

// Kernels whose samples depend on the largest of all elements go in line as well: the device finds it, beside the work, and little but samples comes to the host. What is found
// of them is what a run on the processor finds.
func TestPeaksAreFoundOnDevices(t *testing.T) {
	for name, text := range map[string]string{"levels": loud, "spikes": spiked} {
		t.Run(name, described(func(t *testing.T, cpu *native.Device) {
			want, on, err := run(t, planned(t, strings.ReplaceAll(text, "(gpu)", "(cpu)"), "", cpu, nil), runtime.Options{Devices: chain(cpu), Verify: true, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			devices := emulatedDevices(t, cpu, "{pace: 1, sms: 132, launch: 4us, shortest: 2us, sync: 25us, flops: 30e12, bandwidth: 4.3e12, link: {rate: 50e9, latency: 8us}}")
			p := planned(t, text, "", cpu, devices)
			got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if apart := got.apart(t, want); apart > 0 {
				t.Errorf("%g apart", apart)
			}
			u := r.Devices[0]
			t.Logf("%d kernels, %d waits, %d bytes out", u.Kernels, u.Waits, u.BytesOut)
			const array, drawn = 4 * 256 * 512, 4 * 20 * 480 // of an array, and of the elements of one that are looked at, with what they are made from
			if looks := int64(len(r.Parity) - 1); u.Waits > 3+3*looks || u.BytesOut > array+looks*drawn || u.Kernels < 5 {
				t.Errorf("%d looks: %+v", looks, u)
			}
			if spike := r.Parity[len(r.Parity)-1].Peak; name == "spikes" && spike < 5000 {
				t.Errorf("the largest element of %s is %g", r.Parity[len(r.Parity)-1].Value, spike)
			}
			t.Log(figures(r))
			if alike := figures(r); alike != figures(on) {
				t.Errorf("found:\n%son the processor:\n%s", alike, figures(on))
			}
			checkDevices(t, r, devices)
		}))
	}
}

// An array that must hold a number is found to hold none where devices alone have it, at the kernel that makes it and before it is handed out; one that holds some is not brought to
// the host for that.
func TestVoidsAreFoundOnDevices(t *testing.T) {
	cpu := host(t)
	const text = `
y = axis(y, 199 m .. 0 m in 200)
x = axis(x, 0 m .. 199 m in 200)
h = HEIGHTS @keep @device(cpu)
sky = h | skyview(patches: 145, pixel: 1 m)
total = sky.total @keep
show(total * 2)
`
	devices := emulatedDevices(t, cpu, "{}")
	none := strings.Replace(text, "HEIGHTS", "sqrt(-1 m ^ 2 - y ^ 2 - x ^ 2)", 1)
	handed, _, err := run(t, planned(t, none, "gpu", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true})
	var stage *result.StageError
	if !errors.As(err, &stage) || stage.Stage != "skyview" || !strings.Contains(err.Error(), "holds no heights") || len(handed) > 0 {
		t.Errorf("%d arrays are handed out: %v", len(handed), err)
	}
	p := planned(t, strings.Replace(text, "HEIGHTS", "where(y > 20 m, (y + x) / 3, x)", 1), "gpu", cpu, devices)
	_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes out, %d kernels", r.Devices[0].BytesOut, len(r.Kernels))
	const array = 4 * 200 * 200 // of the samples, one comes as a whole
	if r.Devices[0].BytesOut > 5*array/2 {
		t.Errorf("%d bytes out", r.Devices[0].BytesOut)
	}
}

func figures(r *result.Result) string {
	var out strings.Builder
	for _, p := range r.Parity {
		fmt.Fprintf(&out, "%s: %s of %d samples within %g: %g, at %v; peak %g, %t\n", p.Value, p.Metric, p.Samples, p.Tolerance, p.Worst, p.At, p.Peak, p.OK)
	}
	return out.String()
}

// Looks at as much as several copies take, such as at all that a sum is made from, are taken beside the work too.
func TestLooksAtMuch(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		const text = `
y = axis(y, 0 .. 1 in 2048)
x = axis(x, 0 .. 1 in 1024)
a = y + x * x @keep @device(gpu)
show(sum(a, over: [y, x]) @device(gpu))
`
		devices := emulatedDevices(t, cpu, "{pace: 1, sms: 132, launch: 4us, shortest: 2us, sync: 25us, flops: 30e12, bandwidth: 4.3e12, link: {rate: 50e9, latency: 8us}}")
		p := planned(t, text, "", cpu, devices)
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		u := r.Devices[0]
		t.Logf("%d kernels, %d waits, %d bytes out", u.Kernels, u.Waits, u.BytesOut)
		if most := int64(4*2048*1024 + 64<<10); u.Kernels != 3 || u.Waits > 9 || u.BytesOut > most {
			t.Errorf("%+v", u)
		}
	})(t)
}

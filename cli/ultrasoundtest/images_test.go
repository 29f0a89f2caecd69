package ultrasoundtest

import (
	"bytes"
	"math"
	"math/cmplx"
	"os"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
	"weft/ops/files/npy"
)

const recorded = `use simulate
use ultrasound
probe = PROBE
i = indices(fill(0, dims: scatterer, extents: 20), scatterer)
points = (x: cast(simulate.uniform(i, 1) - 0.5, f32) * 8 mm, y: 0 mm, z: cast(simulate.uniform(i, 2), f32) * 8 mm + 11 mm, amplitude: 1 + 0.2 * i)
shot = indices(fill(0, dims: transmit, extents: 3), transmit)
angles = (shot - 1) * 8 deg
side = (shot - 1) * 1 mm
behind = (x: side, y: 0 mm, z: -8 mm)
focus = (x: side, y: 0 mm, z: 15 mm)
e = indices(probe.x, element)
send = SEND
clean = simulate.cine(probe, points, samples: 224, fc: 3 MHz, fs: 12 MHz, start: 12 us, send: send, heard: ultrasound.directivity(0.4 mm, fc: 3 MHz))
n = indices(clean, sample) * 16 + indices(clean, element) + 224 * 16 * indices(clean, transmit)
iq = clean + 0.05 * cast(complex(simulate.normal(n, 1), simulate.normal(n, 2)), c64) @keep
`

const imaged = `at = (x: axis(x, -3 mm .. 3 mm in 7), y: 0.5 mm, z: axis(z, 12 mm .. 18.5 mm in 9))
v = ultrasound.delayed(iq, probe, at, fc: 3 MHz, send: send, start: shot * 1 us, WEIGHT)
of = a -> transpose(stack([real(a), imag(a)], dim: part), [transmit, x, z, part])
transpose(stack([real(iq), imag(iq)], dim: part), [transmit, sample, element, part]) | write("iq.npy")
transpose(stack([real(clean), imag(clean)], dim: part), [transmit, sample, element, part]) | write("clean.npy")
points.x / (1 m) | write("px.npy")
points.z / (1 m) | write("pz.npy")
of(ultrasound.das(iq, probe, at, fc: 3 MHz, send: send, start: shot * 1 us, WEIGHT)) | write("das.npy")
of(complex(ultrasound.coherence_factor(v), 0)) | write("coherence.npy")
of(complex(ultrasound.generalized_coherence(v, 2), 0)) | write("generalized.npy")
of(ultrasound.dmas(v)) | write("dmas.npy")
of(complex(ultrasound.short_lag(v, 3), 0)) | write("lag.npy")
of(ultrasound.minimum_variance(v, 5, loading: 0.02)) | write("capon.npy")
`

func load(t *testing.T, name string) []float64 {
	t.Helper()
	v, _, err := npy.Load[float32](name + ".npy")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// pairs reads complex numbers written as their parts.
func pairs(t *testing.T, name string) []complex128 {
	t.Helper()
	v := load(t, name)
	out := make([]complex128, len(v)/2)
	for i := range out {
		out[i] = complex(v[2*i], v[2*i+1])
	}
	return out
}

func run(t *testing.T, text string) {
	t.Helper()
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("p.weft", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := cli.Run(t.Context(), []string{"run", "--no-verify", "p.weft"}, nil, &out, &out); code != 0 {
		t.Fatal(out.String())
	}
}

// near compares with what is wanted, relative to the largest of it.
func near(t *testing.T, name string, got, want []complex128, most float64) {
	t.Helper()
	peak, worst := 0.0, 0.0
	for i, w := range want {
		peak = math.Max(peak, cmplx.Abs(w))
		if d := cmplx.Abs(got[i] - w); d > worst || math.IsNaN(d) {
			worst = d
		}
	}
	if len(got) != len(want) || !(worst <= most*peak) || peak == 0 {
		t.Errorf("%s: off by %.2g of the peak %.3g", name, worst/peak, peak)
	}
	t.Logf("%s: %.1f dB", name, 20*math.Log10(worst/peak))
}

func TestImages(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	for _, k := range []struct {
		name, probe, send, weight string
		elements                  []element
		law                       law
		weigh                     weigher
	}{
		{"plane waves", "ultrasound.linear(16, 0.3 mm)", "ultrasound.plane(angles)", "fnumber: 1.2", linear(), plane, aperture},
		{"tilted, matrix", "ultrasound.matrix(4, 4, 0.3 mm)", "ultrasound.plane(angles, 5 deg)", "fnumber: 0", matrix(), tilted, all},
		{"diverging", "ultrasound.linear(16, 0.3 mm)", "ultrasound.diverging(behind)", "fnumber: 0", linear(), diverging, all},
		{"elements", "ultrasound.linear(16, 0.3 mm)", "single", "fnumber: 0", linear(), single, all},
		{"focused", "ultrasound.linear(16, 0.3 mm)", "ultrasound.focused(focus)", "weight: ultrasound.hourglass(focus, fnumber: 1.5)", linear(), focused, hourglass},
		{"delays", "ultrasound.linear(16, 0.3 mm)", "late", "fnumber: 0", linear(), fired, all},
		{"from the first", "ultrasound.curved(16, 0.5 mm, radius: 20 mm)", "ultrasound.from_first(ultrasound.plane(angles))", "weight: ultrasound.cone(1.1)", curved(), fromFirst(plane), cone},
	} {
		t.Run(k.name, func(t *testing.T) {
			send := k.send
			switch send {
			case "single":
				send = "ultrasound.diverging((x: probe.x[element: 5 * shot], y: 0 mm, z: 0 mm), from: (x: probe.x[element: 5 * shot], y: 0 mm, z: 0 mm))"
			case "late":
				send = "ultrasound.fired(e * (shot + 1) * 20 ns, weight: where(mod(e, 5) == shot, 0, 1))"
			}
			run(t, strings.NewReplacer("PROBE", k.probe, "SEND", send, "WEIGHT", k.weight).Replace(recorded+imaged))
			x, z := load(t, "px"), load(t, "pz")
			var want []complex128
			width := math.Sqrt(2*math.Ln2) / (math.Pi * 0.7 * fc)
			for shot := range shots {
				for n := range samples {
					for _, e := range k.elements {
						var s complex128
						for i := range x {
							at := vector{x[i], 0, z[i]}
							way := at.less(e.at).length()
							tau := (k.law(k.elements, shot, at) + way) / c
							u := (start + float64(n)/fs - tau) / width
							s += cmplx.Rect((1+0.2*float64(i))*10e-3/way*directivity(e, shot, at)*math.Exp(-u*u/2), -2*math.Pi*fc*tau)
						}
						want = append(want, s)
					}
				}
			}
			near(t, "echoes", pairs(t, "clean"), want, 2e-4)

			iq := pairs(t, "iq")
			images := map[string][]complex128{}
			for shot := range shots {
				for i := range 7 {
					for j := range 9 {
						at := vector{float64(i-3) * 1e-3, 0.5e-3, 12e-3 + float64(j)*6.5e-3/8}
						v := delayed(iq, k.elements, shot, at, k.law, k.weigh, float64(shot)*1e-6)
						for name, f := range map[string]func([]complex128) complex128{"das": sum, "coherence": coherence, "generalized": generalized, "dmas": multiplied, "lag": shortLag, "capon": capon} {
							if sum(v) == 0 {
								images[name] = append(images[name], 0)
							} else {
								images[name] = append(images[name], f(v))
							}
						}
					}
				}
			}
			for name, want := range images {
				near(t, name, pairs(t, name), want, 3e-4)
			}
		})
	}
}

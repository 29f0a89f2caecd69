package simulate

import (
	"math"

	"weft/ops"
)

const group = "simulation"

var echoes = &ops.Spec{
	Name:  "simulate.echoes",
	Doc:   "Echoes of point scatterers, as a probe would record them.",
	Group: group,
	Long: `iq[n, e] = sum over scatterers k of A_ke env(t_n - tau_ke) exp(-2 pi j fc tau_ke) + noise, with t_n = start + n/fs and the delay
tau = (d_tx(r_k) + |r_k - r_e|)/c of the transmit law. env is a Gaussian pulse whose spectrum has the given width at half its height (-6 dB),
in units of fc: env(t) = exp(-t^2 / (2 s^2)), s = sqrt(2 ln 2) / (pi bandwidth fc). The amplitude A = a (10 mm / r) D falls with the distance r
from the scatterer to the element and with the directivity of an element in a soft baffle, D = cos(theta) sinc(k w/2 sin(theta_x))
sinc(k h/2 sin(theta_y)), k = 2 pi fc / c (Selfridge, Kino and Khuri-Yakub 1980). There is one scattering, and no attenuation.
signal received gives the echoes before demodulation (RF): the real part of iq exp(2 pi j fc t).

noise is the rms of complex normal noise in every sample relative to the largest A of all, so -60 dB is far below an echo and 0 dB drowns
it. It is a function of seed and of the place in the array alone: the same on every machine.`,
	Params: []ops.Param{
		ops.Obj("probe", "the elements", "probe"),
		{Name: "scatterers", Doc: "points: point(x: ..., z: ..., amplitude: ...), or [x, y, z] of amplitude 1", Accept: ops.KList | ops.KObject, Unit: "m", Objects: []string{"scatterer"}},
		ops.Num("fc", "Hz", "centre frequency").Above0(),
		ops.Num("fs", "Hz", "sampling frequency").Above0(),
		ops.Count("samples", "length of the record"),
		ops.Num("start", "s", "time of the first sample").Or(ops.Quantity(0, "s")),
		ops.Num("bandwidth", "", "of the pulse, at -6 dB, in units of fc").Above0().Or(ops.Number{V: 0.7}),
		{Name: "noise", Doc: "level relative to the strongest echo, or none", Accept: ops.KNumber | ops.KSymbol, Unit: "dB", Choices: []string{"none"}, Default: ops.Symbol("none")},
		ops.Num("seed", "", "of the noise").Whole().Within(0, math.MaxUint32).Or(ops.Integer(1)),
		{Name: "transmit", Doc: "transmit law", Accept: ops.KSymbol | ops.KObject | ops.KList, Choices: []string{"first_arrival"}, Objects: []string{"transmit"}, Default: ops.Symbol("first_arrival")},
		ops.Choose("signal", "what is given: IQ, or what the elements receive", "demodulated", "received").Or(ops.Symbol("demodulated")),
		ops.Num("c", "m/s", "speed of sound").Above0().Or(ops.Quantity(1540, "m/s")),
	},
	Returns: "complex f32 (received: f32) [transmit (if there are several),] sample, element; sample has coordinates in us",
	Examples: []ops.Example{{Title: "two points in noise", Code: `probe = linear_probe(n: 16, pitch: 0.3 mm)
iq = simulate.echoes(probe, [point(z: 8 mm), point(x: 2 mm, z: 10 mm, amplitude: 0.5)], fc: 3 MHz, fs: 12 MHz, samples: 256, noise: -40 dB)
abs(iq) | show`}},
	Error: ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-4},
	Bind:  bindEchoes,
}

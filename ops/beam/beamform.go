package beam

import "weft/ops"

var beamform = &ops.Spec{
	Name:  "beamform",
	Doc:   "Delay and sum: focus demodulated echoes (IQ) on every point of a grid.",
	Group: group,
	Long: `For every point r of the grid, b(r) = sum over elements e (and transmits) of a_e(r) q_e(s) exp(2 pi j fc tau), with the delay
tau = (d_tx(r) + |r - r_e|) / c, the place s = (tau - start) fs in the record, and q_e(s) interpolated between samples. The phase
turns back by the physical time tau because demodulation turned it by exp(-2 pi j fc t). Sums are not normalised.

Samples outside the record: a pair of point and element contributes 0 unless all the samples its interpolation reads exist
(linear: floor(s) >= 0 and floor(s) + 1 < samples).

transmit is first_arrival, plane(...), diverging(...), a list of laws of one kind, or an array of arrival times. Several transmits
need the dim transmit in the input and are summed coherently (compounded). A dim frame gives one image a frame.

The aperture: with fnumber F > 0 an element counts for a point where |dx| <= |dz| / (2 F), and |dy| likewise if the probe extends
along y (rectangular, per axis, as PyMUST does; dx, dy, dz from element to point). Elements exactly on the edge count in every type and
on every device: up to eight millionths of the half width outside is still on it. The apodization window is taken over that aperture per axis, at |dx| 2 F / |dz|; with fnumber 0 over the whole probe, half a pitch beyond its outer elements.

weighting coherence_factor multiplies b by |sum v|^2 / (N sum |v|^2), v being the N summed terms that lie in the record and the
aperture (Mallart and Fink 1994).

Formulas: Perrot et al., "So you think you can DAS?", Ultrasonics 111 (2021).`,
	Params: []ops.Param{
		ops.In("input", "demodulated echoes: complex, dims sample and element, perhaps transmit and frame, in any order", "sample", "element"),
		ops.Obj("probe", "the elements, in the order of the input's element dim", "probe"),
		ops.Obj("grid", "where to focus", "grid"),
		ops.Num("fc", "Hz", "centre frequency, that of the demodulation").Above0(),
		ops.Num("fs", "Hz", "sampling frequency").Above0(),
		ops.Num("c", "m/s", "speed of sound").Above0().Or(ops.Quantity(1540, "m/s")),
		ops.Num("start", "s", "time of the first sample").Or(ops.Quantity(0, "s")),
		{Name: "transmit", Doc: "transmit law: first_arrival, plane(...), diverging(...), a list of them, or arrival times", Accept: ops.KSymbol | ops.KObject | ops.KList | ops.KArray, Unit: "s",
			Choices: []string{"first_arrival"}, Objects: []string{"transmit"}, Default: ops.Symbol("first_arrival")},
		ops.Choose("interpolation", "between samples", schemeNames...).Or(ops.Symbol("linear")),
		{Name: "apodization", Doc: "window over the aperture; tukey(...) as well", Accept: ops.KSymbol | ops.KObject,
			Choices: windowNames, Objects: []string{"window"}, Default: ops.Symbol("rect")},
		ops.Num("fnumber", "", "depth over width of the aperture; 0: the whole probe").AtLeast(0).Or(ops.Number{}),
		ops.Choose("weighting", "adaptive weight", "none", "coherence_factor").Or(ops.Symbol("none")),
	},
	Returns: "complex f32 over [frame,] and the dims of the grid with coordinates, in the unit of the input",
	Examples: []ops.Example{
		{Title: "a point 10 mm deep, seen by 16 elements", Code: `probe = linear_probe(n: 16, pitch: 0.3 mm)
echoes = simulate.echoes(probe, [point(z: 10 mm)], fc: 3 MHz, fs: 12 MHz, samples: 256)
echoes | beamform(probe, box(x: -2 mm .. 2 mm in 17, z: 8 mm .. 12 mm in 17), fc: 3 MHz, fs: 12 MHz) | abs | show`},
		{Title: "two plane waves compounded", Code: `probe = linear_probe(n: 16, pitch: 0.3 mm)
waves = plane(angle: [-5 deg, 5 deg])
echoes = simulate.echoes(probe, [point(z: 10 mm)], fc: 3 MHz, fs: 12 MHz, samples: 256, transmit: waves)
image = echoes | beamform(probe, box(x: -2 mm .. 2 mm in 17, z: 8 mm .. 12 mm in 17), fc: 3 MHz, fs: 12 MHz,
                          transmit: waves, apodization: hann, fnumber: 1.5)
image | abs | show`},
	},
	Error: ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-4},
	Bind:  bindBeamform,
}

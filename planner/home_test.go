package planner_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/profile"
	"weft/lang/library"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/plan"
)

// delayAndSum reads, for all points and elements, a time of flight twice: as a place and for its phase. Both ways end in one sum. The least, which is
// found for columns of points, is a kernel of its own, without powers.
const delayAndSum = `fn way(p, q) = sqrt((p.x - q.x)^2 + (p.y - q.y)^2 + (p.z - q.z)^2)
fn das(iq[sample, element], probe, at, fc in Hz, c in m/s = 1540 m/s) {
    dx   = at.x - probe.x
    dy   = at.y - probe.y
    tau  = (min(sqrt(dx * dx + dy * dy + at.z * at.z), over: element) + way(probe, at)) / c
    echo = iq[sample: tau, interpolation: linear, outside: 0]
    sum(echo * cis(2 * pi * fc * tau), over: element)
}
made = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm, width: 0.25 mm)
iq = simulate.echoes(made, [point(z: 30 mm)], fc: 3 MHz, fs: 12 MHz, samples: 560, start: 15 us) @keep
e = indices(iq, element)
probe = (x: (mod(e, 32) - 15.5) * 0.3 mm, y: (floor(e / 32) - 15.5) * 0.3 mm, z: 0 mm)
at = (x: axis(x, -10 mm .. 10 mm in 64), y: axis(y, -10 mm .. 10 mm in 64), z: axis(z, 20 mm .. 40 mm in 128))
das(iq, probe, at, fc: 3 MHz) | write("o.npy")
`

// What leads to a value with several readers, all of them computed in one kernel, is weighed in this kernel: stored, the squares would leave
// its places without bounds, and windows would become gathers. It follows where arithmetic is five times as dear as usual, too.
func TestValuesAreWeighedWhereTheirReadersMeet(t *testing.T) {
	described, err := native.Describing("avx512") // whose vectors have windows
	if err != nil {
		t.Fatal(err)
	}
	dev := described.Info()
	for _, slower := range []float64{0.5, 1, 2, 3, 5} {
		usual := profile.Default(2)
		for c := range usual.Ops {
			usual.Ops[c] *= slower
		}
		p, err := planner.Build(checked(t, delayAndSum).Sinks, dev, planner.Options{Threads: 2,
			Cost: &cost.Model{Profile: usual, Kind: "native", Rules: dev.Rules, Threads: 2}})
		if err != nil {
			t.Fatal(err)
		}
		squares := 0
		for _, e := range p.Edges {
			if e.From != "power" {
				continue
			}
			if squares++; !e.Code.Fused() {
				t.Errorf("arithmetic %g times as long: the squares of %s are stored: %+v", slower, e.To, e)
			}
		}
		if squares < 3 {
			t.Errorf("%d squares: nothing is tested", squares)
		}
	}
}

// The library's delay-and-sum computes squares where it looks for first arrivals, in columns of points: tables of them, which no first level
// holds, would be loaded line by line in every turn. With the opposite forced, it runs 4 to 12 % longer.
func TestTablesAreWeighedWithTheirLines(t *testing.T) {
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	dev := described.Info()
	for _, slower := range []float64{1, 1.5} {
		usual := profile.Default(2)
		for c := range usual.Ops {
			usual.Ops[c] *= slower
		}
		model := &cost.Model{Profile: usual, Kind: "native", Rules: dev.Rules, Threads: 2}
		build := func(forced map[string]bool) *bound.Plan {
			opt := planner.Options{Threads: 2, Cost: model}
			if forced != nil {
				opt.Decided = &plan.Decisions{Fused: forced}
			}
			p, err := planner.Build(checked(t, "use ultrasound\n"+strings.Replace(delayAndSum, "das(iq, probe", "ultrasound.das(iq, probe", 1)).Sinks, dev, opt)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := build(nil)
		squares := func(p *bound.Plan) (stored int) {
			for _, e := range p.Edges {
				if e.From == "power" && !e.Code.Fused() {
					stored++
				}
			}
			return stored
		}
		if n := squares(p); n > 0 {
			t.Errorf("arithmetic %g times as long: %d tables of squares", slower, n)
		}
		turned := 0
		for edge := range p.Decided.Fused {
			if !strings.Contains(edge, "power > ") {
				continue
			}
			turned++
			forced := maps.Clone(p.Decided.Fused)
			forced[edge] = false
			other := build(forced)
			if squares(other) == 0 {
				t.Errorf("%s: the opposite cannot be forced", edge)
			}
			if is, would := seconds(model, p), seconds(model, other); is > 1.001*would { // less cannot be told
				t.Errorf("arithmetic %g times as long: %g s, %g s if %s is stored", slower, is, would, edge)
			}
		}
		if turned < 4 {
			t.Errorf("%d squares are weighed", turned)
		}
	}
}

// seconds are those that the kernels of a plan are predicted to take one after the other.
func seconds(m *cost.Model, p *bound.Plan) (sum float64) {
	for _, s := range p.Kernels() {
		sum += m.Weigh(cost.Kernel{IR: s.Kernel.IR})
	}
	return sum
}

// A grid of few points computes the prepared record where it reads it, lanes along elements, which share the lines of its rows; of what the four
// values of a place have in common, it loads each once.
func TestFewPointsReadTheRecordAlongElements(t *testing.T) {
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"5", "8"} {
		p, err := planner.Build(checked(t, `made = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm, width: 0.25 mm)
iq = simulate.echoes(made, [point(z: 30 mm)], fc: 3 MHz, fs: 12 MHz, samples: 560, start: 15 us) @keep
grid = box(x: -10 mm .. 10 mm in `+n+`, y: -10 mm .. 10 mm in `+n+`, z: 20 mm .. 40 mm in `+n+`)
iq | beamform(made, grid, fc: 3 MHz, fs: 12 MHz, start: 15 us) | write("o.npy")
`).Sinks, described.Info(), planner.Options{Threads: 2, Cost: &cost.Model{Profile: profile.Default(2), Kind: "native", Rules: described.Info().Rules, Threads: 2}})
		if err != nil {
			t.Fatal(err)
		}
		main := p.Kernels()[len(p.Kernels())-1].Kernel.IR
		loads := map[string]int{}
		main.Walk(func(x *ir.Node) {
			if x.Kind == ir.KLoad {
				loads[x.Buf.Name]++
			}
		})
		record := 0
		for name, n := range loads {
			if strings.HasPrefix(name, "simulate.echoes") || strings.HasPrefix(name, "iq") {
				record += n
			}
		}
		if turns := loads["beamform.turn"]; record != 4 || turns != 3 {
			t.Errorf("%s: %d loads of the record, %d of turns: %v", n, record, turns, loads)
		}
		if !described.Info().Rules.Layout(main).FoldLanes {
			t.Errorf("%s: %+v", n, described.Info().Rules.Layout(main))
		}
	}
}

// Readers that take an array with its dims in another order read each element once, too: the places of the library's delay-and-sum are rounded
// for two arrays that lie so, and all of it is one kernel.
func TestReadersMeetWhateverTheOrderOfDims(t *testing.T) {
	text := strings.Replace(delayAndSum, "das(iq, probe", "ultrasound.das(iq, probe", 1)
	p, err := planner.Build(checked(t, "use ultrasound\n"+text).Sinks, avx2(t).Info(), planner.Options{Threads: 2, Cost: &cost.Model{
		Profile: profile.Default(2), Kind: "native", Rules: avx2(t).Info().Rules, Threads: 2}})
	if err != nil {
		t.Fatal(err)
	}
	rounded := false
	for _, e := range p.Edges {
		if e.To == "round" {
			rounded = true
			if e.Code != plan.Pointwise {
				t.Errorf("places are weighed as if they were computed for each reader: %+v", e)
			}
		}
	}
	if !rounded {
		t.Error("no place is rounded: nothing is tested")
	}
}

// spectra are made up, with templates of which each has a curve through thousands of knots.
const spectra = `
k = axis(knot, 0 .. 6534 in 6535)
line = axis(line, 1 .. 60 in 60)
t = axis(template, 0 .. 3 in 4)
s = axis(spectrum, 0 .. 15 in 16)
flux = 0.0001 * t - sum(0.5 * mod((line + t) * 0.37, 1) * exp(-((k - 6535 * mod(line * 0.618034, 1)) / 6) ^ 2), over: line)
lib = (flux: flux, wavelength: 3780 angstrom * exp(1.37e-4 * cast(k, f64)))
i = axis(pixel, 0 .. 3999 in 4000)
w = 3800 angstrom * exp(2.2e-4 * cast(i, f64))
star = (flux: 1 + 0.2 * sin(s + i / 700), ivar: 400 * (1 + 0.1 * mod(s, 7)) * (1 - 0.2 * i / 4000), wavelength: w)
`

// Where pixels lie in a template at each velocity is computed in the sums over pixels, in float32 and float64 alike, and where a spectrograph blurs: where places are
// stored nothing bounds them for windows, and what is stored for all pixels and velocities is loaded again for each spectrum from beyond the caches (in float64
// and not blurred, both are predicted to take the same within a hundredth).
func TestScansComputeTheirPlaces(t *testing.T) {
	text, _ := library.Text("fit")
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	dev, machine := described.Info(), profile.Default(2)
	machine.Lanes = 16
	maps.Copy(machine.Ops, map[profile.Class]float64{ // of a processor that gathers quickly
		profile.FMA: 0.02, profile.FMA64: 0.045, profile.Simple: 0.018, profile.Integer: 0.014, profile.Convert: 0.01, profile.Contiguous: 0.002,
		profile.Uniform: 0.002, profile.Window: 0.039, profile.Gather: 0.24, profile.GatherFar: 0.68})
	machine.Levels[0] = profile.Level{Name: "L2", Bytes: 2 << 20, Copy: profile.Rate{Core: 60e9, All: 120e9}, Triad: profile.Rate{Core: 60e9, All: 120e9}}
	machine.Levels[1].Copy = profile.Rate{Core: 12e9, All: 24e9}
	text += strings.NewReplacer("(line + t)", "(line + s)", "0 .. 15 in 16", "0 .. 63 in 64").Replace(spectra) // to each spectrum a template of its own
	for _, more := range []string{"", "type: f64", "resolution: 2000", "type: f64, resolution: 2000"} {
		p, err := planner.Build(checked(t, text+"show(likelihood(star, lib, axis(velocity, -1000 km/s .. 1000 km/s in 432), rbf(w, pixel, 10), "+more+"))").Sinks, dev, planner.Options{Threads: 2,
			Cost: &cost.Model{Profile: machine, Kind: "native", Rules: dev.Rules, Threads: 2}})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range p.Buffers {
			if d := b.Layout.Dims; len(d) == 2 && more != "type: f64" && d[0].Name == "pixel" && d[1].Name == "velocity" {
				t.Errorf("%q: %s is stored for all pixels and velocities", more, b.Stage)
			}
		}
		windows := slices.ContainsFunc(p.Steps, func(s bound.Step) bool {
			return s.Kernel != nil && slices.Contains(s.Kernel.Ops, "evidence") && dev.Rules.Layout(s.Kernel.IR).Windows
		})
		if !windows {
			t.Errorf("%q: no sums find templates through windows", more)
		}
	}
}

// What a reader takes that may never be stored hides no arithmetic: the coefficients of splines, of exponentials in float64, which a sum over pixels
// reads at hundreds of velocities, are stored without being told so, and the sum finds them through windows.
func TestNothingHidesBehindWhatMayNeverBeStored(t *testing.T) {
	text, _ := library.Text("fit")
	kept := regexp.MustCompile(`(?m)^    \(c0: .*@keep.*\)$`)
	if !kept.MatchString(text) {
		t.Fatal("the coefficients of the library's splines are kept in other words")
	}
	text = kept.ReplaceAllStringFunc(text, func(line string) string { return strings.ReplaceAll(line, " @keep", "") }) + spectra + "show(scan(star, lib, axis(velocity, -1000 km/s .. 1000 km/s in 432), rbf(w, pixel, 10)).velocity)"
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	dev := described.Info()
	for _, faster := range []float64{1, 4} {
		machine := profile.Default(2)
		for c := range machine.Ops {
			machine.Ops[c] /= faster
		}
		p, err := planner.Build(checked(t, text).Sinks, dev, planner.Options{Threads: 2,
			Cost: &cost.Model{Profile: machine, Kind: "native", Rules: dev.Rules, Threads: 2}})
		if err != nil {
			t.Fatal(err)
		}
		coefficients := 0
		for _, e := range p.Edges {
			if e.To != "take" || e.Reads < 100 {
				continue
			}
			if coefficients++; e.Code.Fused() {
				t.Errorf("arithmetic %g times as fast: coefficients are computed again for each velocity: %+v", faster, e)
			}
		}
		if coefficients < 4 {
			t.Errorf("%d coefficients are read: nothing is tested", coefficients)
		}
	}
}

// A single element that is known while planning has bounds, as longer tables have: places that follow from it need no others.
func TestKnownNumbersHaveBounds(t *testing.T) {
	p, err := planner.Build(checked(t, `k = sum(axis(q, 1 .. 40 in 40) * 2 + 1)
axis(x, 0 .. 1 in 100000) * k | write("o.npy")
`).Sinks, avx2(t).Info(), planner.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	loaded := false
	for _, s := range p.Kernels() {
		s.Kernel.IR.Walk(func(n *ir.Node) {
			if n.Kind == ir.KLoad && len(n.Buf.Shape) == 0 {
				loaded = true
				if lo, hi, ok := ir.SureRange(n, nil); !ok || lo != 1680 || hi != 1680 {
					t.Errorf("%s: %g to %g, %v", n.Buf.Name, lo, hi, ok)
				}
			}
		})
	}
	if !loaded {
		t.Error("no single element is loaded: nothing is tested")
	}
}

// scanned shifts templates to all velocities of a grid, each pixel taken at a place of its own.
const scanned = `use fit
k = axis(knot, 0 .. 6534 in 6535)
lib = (flux: -0.5 * exp(-((k - axis(template, 500 .. 6000 in 4)) / 6) ^ 2), wavelength: 3780 angstrom * exp(1.37e-4 * cast(k, f64)))
i = axis(pixel, 0 .. 3999 in 4000)
w = 3800 angstrom * exp(2.2e-4 * cast(i, f64))
s = axis(spectrum, 0 .. 15 in 16)
star = (flux: 1 + 0.2 * sin(s + i / 700), ivar: 400 * (1 + 0.1 * mod(s, 7)) * (1 - i / 20000), wavelength: w)
fit.scan(star, lib, axis(velocity, -1000 km/s .. 1000 km/s in 432), fit.rbf(w, pixel, 10)).velocity | write("o.npy")
`

// Places that several take elements at are weighed in the fold that all of these lead to, though what they lead through is weighed later: by itself
// a kernel of single elements may as well load them, and the fold would have no bounds of them. Nothing of pixels and velocities is stored.
func TestPlacesAreWeighedInTheFoldBehindThem(t *testing.T) {
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	dev := described.Info()
	wide := profile.Default(1)
	maps.Copy(wide.Ops, map[profile.Class]float64{"convert": 0.0087, "div": 0.142, "div.f64": 0.504, "exp": 0.121, "exp.f64": 0.325, "fma": 0.0091,
		"fma.f64": 0.0204, "half": 0.0175, "int": 0.0083, "load": 0.0088, "load.four": 0.274, "load.four.far": 0.658, "load.gather": 0.114,
		"load.gather.far": 0.596, "load.uniform": 0.0087, "load.window": 0.0346, "log": 0.218, "simple": 0.0089, "sqrt": 0.171}) // measured
	rate := func(core float64) profile.Rate { return profile.Rate{Core: core, All: core} }
	wide.Levels = []profile.Level{{Name: "L2", Bytes: 2 << 20, Copy: rate(102e9), Triad: rate(119e9)},
		{Name: "memory", Copy: rate(26e9), Triad: rate(23e9)}}
	wide.Lanes, wide.Touch, wide.TouchSmall = 16, rate(6.4e9), 6.5e9
	p, err := planner.Build(checked(t, scanned).Sinks, dev, planner.Options{Threads: 1,
		Cost: &cost.Model{Profile: wide, Kind: "native", Rules: dev.Rules, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range p.Buffers {
		if b.Layout.Len() >= 4000*432 {
			t.Errorf("%s of %d elements is stored", b.Stage, b.Layout.Len())
		}
	}
}

package beam

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// Transmit is how the probe sends: one law, for one shot or several.
type Transmit struct {
	Law
	text string
}

// Kind, TypeName and String make a Transmit an object of the language.
func (*Transmit) Kind() ops.Kind   { return ops.KObject }
func (*Transmit) TypeName() string { return "transmit" }
func (t *Transmit) String() string { return t.text }

// Law gives the way of the transmitted wave to a point.
type Law interface {
	Shots() int
	// Distance is the sound's way from time zero until the wave of a shot meets the point, in metres; negative if it
	// meets it before time zero.
	Distance(p *Probe, c float64, shot int, at [3]float64) float64

	// Fits returns a Problem about an argument transmit if the law is made for another probe.
	Fits(*Probe) error

	name() string
	append(Law) (Law, bool) // the shots of both, if the laws are of one kind
	lower(*arrival)
}

// firstArrival: every element e fires at its delay, and the first of these waves to arrive counts: min over e of
// c T_e + |r - r_e| (the law of PyMUST's dasmtx3). nil delays are zero.
type firstArrival struct{ delays [][]float64 }

func (firstArrival) name() string { return "first_arrival" }
func (f firstArrival) Shots() int { return len(f.delays) }

func (f firstArrival) Distance(p *Probe, c float64, shot int, at [3]float64) float64 {
	least := math.Inf(1)
	for e := range p.X {
		d := distance(at, p.Element(e))
		if t := f.delays[shot]; t != nil {
			d += c * t[e]
		}
		least = min(least, d)
	}
	return least
}

func (f firstArrival) append(l Law) (Law, bool) {
	g, ok := l.(firstArrival)
	return firstArrival{append(append([][]float64{}, f.delays...), g.delays...)}, ok
}

func (f firstArrival) Fits(p *Probe) error {
	for _, t := range f.delays {
		if t != nil && len(t) != p.Elements() {
			return problem.Wrong(problem.ExtentMismatch, "transmit", "list one delay an element", "first_arrival has %d delays, and the probe %d elements", len(t), p.Elements())
		}
	}
	return nil
}

// planeWave: a plane front that passes the origin at time zero: d = n . r.
type planeWave struct{ directions [][3]float64 }

func (planeWave) name() string { return "plane" }
func (w planeWave) Shots() int { return len(w.directions) }

func (w planeWave) Distance(_ *Probe, _ float64, shot int, at [3]float64) float64 {
	n := w.directions[shot]
	return n[0]*at[0] + n[1]*at[1] + n[2]*at[2]
}

func (w planeWave) append(l Law) (Law, bool) {
	v, ok := l.(planeWave)
	return planeWave{append(append([][3]float64{}, w.directions...), v.directions...)}, ok
}

func (planeWave) Fits(*Probe) error { return nil }

// virtualSource: a spherical front around the point v, which passes the origin at time zero. Behind the probe (v_z < 0) it
// diverges from v: d = |r - v| - |v|. In front it converges: d = |v| - |r - v| before the focus, |v| + |r - v| behind it.
type virtualSource struct{ points [][3]float64 }

func (virtualSource) name() string { return "diverging" }
func (s virtualSource) Shots() int { return len(s.points) }

func (s virtualSource) Distance(_ *Probe, _ float64, shot int, at [3]float64) float64 {
	v := s.points[shot]
	d, v0 := distance(at, v), distance(v, [3]float64{})
	switch {
	case v[2] < 0:
		return d - v0
	case at[2] < v[2]:
		return v0 - d
	}
	return v0 + d
}

func (s virtualSource) append(l Law) (Law, bool) {
	v, ok := l.(virtualSource)
	return virtualSource{append(append([][3]float64{}, s.points...), v.points...)}, ok
}

func (virtualSource) Fits(*Probe) error { return nil }

// simultaneous is first_arrival of elements that all fire at time zero.
func simultaneous() Law { return firstArrival{[][]float64{nil}} }

// ParseTransmit reads a transmit argument: the name first_arrival, an object, or a list of them, one or more a shot.
func ParseTransmit(name string, v ops.Value) (Law, error) {
	var p problems
	list, ok := v.(ops.List)
	if !ok {
		list = ops.List{v}
	}
	if len(list) == 0 {
		return nil, problem.Wrong(problem.ZeroExtent, name, "list at least one", "%s lists no transmits", name)
	}
	var all Law
	for _, item := range list {
		var law Law
		switch t := item.(type) {
		case *Transmit:
			law = t.Law
		case ops.Symbol:
			law = simultaneous()
		default:
			p.add(problem.WrongKind, name, "write first_arrival, plane(...) or diverging(...)", "%s holds %s, which is no transmit law", name, item)
			continue
		}
		if all == nil {
			all = law
			continue
		}
		joined, ok := all.append(law)
		if !ok {
			p.add(problem.MixedList, name, "take one law for all transmits", "%s mixes %s and %s", name, all.name(), law.name())
			continue
		}
		all = joined
	}
	if len(p) > 0 {
		return nil, p.err()
	}
	return all, nil
}

var firstArrivalLaw = &ops.Spec{
	Name:  "first_arrival",
	Doc:   "Transmit law: the first wave to arrive from any element counts.",
	Group: group,
	Long: "The way to a point r is the least of c T_e + |r - r_e| over the elements e, which fire at the delays T_e. Without\n" +
		"delays, all fire at time zero; the bare name first_arrival means the same.",
	Params: []ops.Param{
		{Name: "delays", Doc: "when each element fires", Accept: ops.KList, Unit: "s", Optional: true},
	},
	Returns:  "a transmit law of one shot",
	Examples: []ops.Example{{Title: "a pair of elements, the second 1 us later", Code: "first_arrival(delays: [0 us, 1 us]) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		if !c.Has("delays") {
			return &Transmit{simultaneous(), "first arrival"}, nil
		}
		t, err := Numbers(c, "delays", "s")
		if err != nil {
			return nil, err
		}
		if len(t) == 0 {
			return nil, problem.Wrong(problem.ZeroExtent, "delays", "list one delay an element", "delays lists no elements")
		}
		return &Transmit{firstArrival{[][]float64{t}}, fmt.Sprintf("first arrival of %d delayed elements", len(t))}, nil
	}),
}

var planeLaw = &ops.Spec{
	Name:  "plane",
	Doc:   "Transmit law: a plane wave, or several to compound.",
	Group: group,
	Long: "The front passes the origin at time zero and travels along n = (sin a cos e, sin e, cos a cos e) for the angle a\n" +
		"towards +x and the elevation e towards +y. Lists and ranges give one shot an item, in the order of the data's transmit dim.",
	Params: []ops.Param{
		ops.Num("angle", "deg", "steering towards +x").Also(ops.KList | ops.KRange).Or(ops.Quantity(0, "deg")),
		ops.Num("elevation", "deg", "steering towards +y").Also(ops.KList | ops.KRange).Or(ops.Quantity(0, "deg")),
	},
	Returns:  "a transmit law",
	Examples: []ops.Example{{Title: "five angles", Code: "plane(angle: -10 deg .. 10 deg in 5) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		var p problems
		v := shotLists(c, &p, "deg", "angle", "elevation")
		for i, name := range []string{"angle", "elevation"} {
			for _, a := range v[i] {
				if math.Abs(a) >= math.Pi/2 {
					p.add(problem.OutOfBounds, name, "take less than 90 deg either way", "a plane wave at %s does not travel away from the probe", ops.Number{V: a, Unit: ops.MustUnit("deg")})
				}
			}
		}
		if len(p) > 0 {
			return nil, p.err()
		}
		var w planeWave
		for i, a := range v[0] {
			e := v[1][i]
			w.directions = append(w.directions, [3]float64{math.Sin(a) * math.Cos(e), math.Sin(e), math.Cos(a) * math.Cos(e)})
		}
		return &Transmit{w, fmt.Sprintf("%d plane waves", w.Shots())}, nil
	}),
}

var divergingLaw = &ops.Spec{
	Name:  "diverging",
	Doc:   "Transmit law: a spherical wave around a virtual source behind the probe, or towards a focus in front of it.",
	Group: group,
	Long: "The front passes the origin at time zero. A source at z < 0 diverges; a source at z > 0 is a focus, behind which the\n" +
		"wave diverges again. Lists and ranges give one shot an item, in the order of the data's transmit dim.",
	Params: []ops.Param{
		ops.Num("x", "m", "virtual source").Also(ops.KList | ops.KRange).Or(ops.Quantity(0, "mm")),
		ops.Num("y", "m", "virtual source").Also(ops.KList | ops.KRange).Or(ops.Quantity(0, "mm")),
		ops.Num("z", "m", "virtual source: negative behind the probe").Also(ops.KList | ops.KRange),
	},
	Returns:  "a transmit law",
	Examples: []ops.Example{{Title: "a source 10 mm behind the probe", Code: "diverging(z: -10 mm) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		var p problems
		v := shotLists(c, &p, "m", "x", "y", "z")
		if len(p) > 0 {
			return nil, p.err()
		}
		var s virtualSource
		for i := range v[0] {
			s.points = append(s.points, [3]float64{v[0][i], v[1][i], v[2][i]})
		}
		return &Transmit{s, fmt.Sprintf("%d virtual sources", s.Shots())}, nil
	}),
}

// shotLists reads arguments of one item a shot; single ones are repeated.
func shotLists(c *ops.Call, p *problems, unit string, names ...string) [][]float64 {
	out := make([][]float64, len(names))
	shots := 1
	for i, name := range names {
		v, err := Numbers(c, name, unit)
		p.join(err)
		if err == nil && len(v) == 0 {
			p.add(problem.ZeroExtent, name, "list at least one", "%s lists no shots", name)
		}
		out[i] = v
		shots = max(shots, len(v))
	}
	if len(*p) > 0 {
		return out
	}
	for i, v := range out {
		switch len(v) {
		case shots:
		case 1:
			for range shots - 1 {
				out[i] = append(out[i], v[0])
			}
		default:
			p.add(problem.ExtentMismatch, names[i], "list one item a shot", "%s lists %d shots, and another list has %d", names[i], len(v), shots)
		}
	}
	return out
}

var arrivalsLaw = &ops.Spec{
	Name:  "arrivals",
	Doc:   "Transmit law: the time at which the wave meets each point of the grid, as an array.",
	Group: group,
	Long: "The array has the dims of the grid and, for several shots, transmit. NaN marks points that the wave does not reach:\n" +
		"they receive nothing. Here the times are only checked: beamform(transmit: times) takes the array as it is, too.",
	Params:   []ops.Param{ops.In("times", "arrival times").Of("s")},
	Returns:  "the times",
	Examples: []ops.Example{{Title: "a plane wave along z", Code: "z = axis(z, 20 mm .. 40 mm in 5)\narrivals(z / (1540 m/s)) | show"}},
	Error:    ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-6}, // of the times it passes on
	Bind: func(c *ops.Call) (ops.Op, error) {
		var p problems
		t := c.Type("times")
		checkTimes(&p, "times", t)
		if len(p) > 0 {
			return nil, p.err()
		}
		return passing{ops.One(t)}, nil
	},
}

// passing is a use of arrivals, which passes the times on.
type passing struct{ ops.Gives }

// Lower reads them.
func (passing) Lower(l *ops.Lowering) []*ops.Stage {
	in := l.In("times")
	return []*ops.Stage{l.Stage("", in.Type, []*ops.Stage{in}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		return in.At(b, index...)
	})}
}

// Reference is the same.
func (passing) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	return []ops.Dense{in["times"]}, nil
}

// checkTimes reports an array that does not hold times.
func checkTimes(p *problems, arg string, t ops.Type) {
	if t.Elem.Complex || !t.Elem.Base.Float() {
		p.add(problem.WrongElementType, arg, "", "arrival times are real numbers, and the array is %s", t.Elem)
	}
	if want := ops.MustUnit("s"); !t.Unit.Same(want) {
		p.add(problem.WrongUnit, arg, "multiply plain numbers by 1 s", "arrival times are in s, and the array is in %s", t.Unit.Describe())
	}
}

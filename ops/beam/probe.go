package beam

import (
	"fmt"
	"slices"

	"weft/ops"
	"weft/ops/problem"
)

// maxElements bounds a probe so that a slip of the pen does not fill memory while checking.
const maxElements = 1 << 20

// Probe is a set of transducer elements.
type Probe struct {
	X, Y, Z []float64 // centres, m

	// Columns > 0: the elements stand on a lattice of Columns x Rows, element e = column + Columns*row at
	// (X[column], Y[row's first element]): x and y separate.
	Columns, Rows int

	Width, Height float64 // size of an element along x and y, m; 0: a point, which radiates alike in all directions
	text          string
}

// Kind, TypeName and String make a Probe an object of the language.
func (*Probe) Kind() ops.Kind   { return ops.KObject }
func (*Probe) TypeName() string { return "probe" }
func (p *Probe) String() string { return p.text }

// Elements is how many elements the probe has.
func (p *Probe) Elements() int { return len(p.X) }

// Element is the centre of an element.
func (p *Probe) Element(e int) [3]float64 { return [3]float64{p.X[e], p.Y[e], p.Z[e]} }

// along are the coordinates of the elements on one of the three axes.
func (p *Probe) along(axis int) []float64 { return [3][]float64{p.X, p.Y, p.Z}[axis] }

// flat reports whether all elements share one depth.
func (p *Probe) flat() bool { return constant(p.Z) }

func constant(v []float64) bool { return slices.Min(v) == slices.Max(v) }

// lattice is a probe of nx by ny elements in the plane z = 0, centred on the origin.
func lattice(nx, ny int, dx, dy float64) *Probe {
	p := &Probe{Columns: nx, Rows: ny}
	for j := range ny {
		for i := range nx {
			p.X = append(p.X, (float64(i)-float64(nx-1)/2)*dx)
			p.Y = append(p.Y, (float64(j)-float64(ny-1)/2)*dy)
			p.Z = append(p.Z, 0)
		}
	}
	return p
}

func tooMany(p *problems, arg string, n int) bool {
	if n <= maxElements {
		return false
	}
	p.add(problem.ArrayTooLarge, arg, "", "a probe of %d elements is beyond the limit of %d", n, maxElements)
	return true
}

var matrixProbe = &ops.Spec{
	Name:  "matrix_probe",
	Doc:   "A matrix probe: nx by ny elements in the plane z = 0, centred on the origin.",
	Group: group,
	Long: "Elements are numbered with x fastest: e = ix + nx iy. The pitch is the distance between centres of neighbours, one for both\n" +
		"directions or one each. The width of an element, by default its pitch, matters to simulate.echoes and to what asks for it. .look is the way that\n" +
		"elements look, .width and .height are their size.",
	Params: []ops.Param{
		ops.Count("nx", "elements along x"),
		ops.Count("ny", "elements along y"),
		ops.Num("pitch", "m", "distance between centres, both ways").Above0().Opt(),
		ops.Num("pitch_x", "m", "distance between centres along x").Above0().Opt(),
		ops.Num("pitch_y", "m", "distance between centres along y").Above0().Opt(),
		ops.Num("width", "m", "width and height of an element; as the pitch when absent").Above0().Opt(),
	},
	Returns:  "a probe, whose parts .x, .y and .z say where its elements lie",
	Examples: []ops.Example{{Title: "1024 elements", Code: "matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		nx, ny := c.Int("nx"), c.Int("ny")
		dx, dy, err := pitches(c)
		var p problems
		p.join(err)
		if nx > maxElements || ny > maxElements {
			tooMany(&p, "nx", max(nx, ny))
		} else {
			tooMany(&p, "nx", nx*ny)
		}
		if len(p) > 0 {
			return nil, p.err()
		}
		probe := lattice(nx, ny, dx, dy)
		probe.Width, probe.Height = dx, dy
		if c.Has("width") {
			probe.Width, probe.Height = c.Number("width"), c.Number("width")
		}
		probe.text = fmt.Sprintf("matrix probe of %d x %d elements, pitch %s", nx, ny, millimetres(dx))
		if dx != dy {
			probe.text += " by " + millimetres(dy)
		}
		return probe, nil
	}),
}

// pitches resolves pitch, pitch_x and pitch_y.
func pitches(c *ops.Call) (dx, dy float64, err error) {
	each := c.Has("pitch_x") || c.Has("pitch_y")
	switch {
	case c.Has("pitch") && each:
		return 0, 0, problem.Wrong(problem.ContradictArguments, "pitch", "give pitch alone, or pitch_x and pitch_y", "pitch is for both directions, and pitch_x or pitch_y is given as well")
	case c.Has("pitch"):
		return c.Number("pitch"), c.Number("pitch"), nil
	case c.Has("pitch_x") && c.Has("pitch_y"):
		return c.Number("pitch_x"), c.Number("pitch_y"), nil
	case each:
		return 0, 0, problem.Wrong(problem.MissingArgument, "", "give both pitch_x and pitch_y, or pitch alone", "matrix_probe has a pitch in one direction only")
	}
	return 0, 0, problem.Wrong(problem.MissingArgument, "", "add pitch, such as pitch: 0.3 mm", "matrix_probe needs the pitch of its elements")
}

var linearProbe = &ops.Spec{
	Name:  "linear_probe",
	Doc:   "A linear probe: n elements along x at y = z = 0, centred on the origin.",
	Group: group,
	Params: []ops.Param{
		ops.Count("n", "elements"),
		ops.Num("pitch", "m", "distance between centres of neighbours").Above0(),
		ops.Num("width", "m", "width of an element, for simulate.echoes; as the pitch when absent").Above0().Opt(),
	},
	Returns:  "a probe, whose parts .x, .y and .z say where its elements lie",
	Examples: []ops.Example{{Title: "128 elements", Code: "linear_probe(n: 128, pitch: 0.3 mm) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		var p problems
		n, pitch := c.Int("n"), c.Number("pitch")
		if tooMany(&p, "n", n) {
			return nil, p.err()
		}
		probe := lattice(n, 1, pitch, pitch)
		probe.Width = pitch
		if c.Has("width") {
			probe.Width = c.Number("width")
		}
		probe.text = fmt.Sprintf("linear probe of %d elements, pitch %s", n, millimetres(pitch))
		return probe, nil
	}),
}

var customProbe = &ops.Spec{
	Name:  "custom_probe",
	Doc:   "A probe of any shape from lists of element coordinates.",
	Group: group,
	Long: "x, y and z list one coordinate an element, in the order of the data's element dim; a single length holds for all elements.\n" +
		"Elements are points that receive alike from all directions.",
	Params: []ops.Param{
		ops.Num("x", "m", "lateral coordinates").Also(ops.KList),
		ops.Num("y", "m", "elevation coordinates").Also(ops.KList).Or(ops.Quantity(0, "m")),
		ops.Num("z", "m", "depth coordinates").Also(ops.KList).Or(ops.Quantity(0, "m")),
	},
	Returns:  "a probe, whose parts .x, .y and .z say where its elements lie",
	Examples: []ops.Example{{Title: "three elements on an arc", Code: "custom_probe(x: [-5 mm, 0 mm, 5 mm], z: [-0.4 mm, 0 mm, -0.4 mm]) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		var p problems
		names := [3]string{"x", "y", "z"}
		var lists [3][]float64
		count := 1
		for i, name := range names {
			v, err := Numbers(c, name, "m")
			p.join(err)
			if err == nil && len(v) == 0 {
				p.add(problem.ZeroExtent, name, "list at least one length", "%s lists no elements", name)
			}
			lists[i] = v
			count = max(count, len(v))
		}
		if tooMany(&p, "x", count) || len(p) > 0 {
			return nil, p.err()
		}
		for i, name := range names {
			switch len(lists[i]) {
			case count:
			case 1:
				lists[i] = slices.Repeat(lists[i], count)
			default:
				p.add(problem.ExtentMismatch, name, "list one coordinate an element", "%s lists %d coordinates, and another list has %d", name, len(lists[i]), count)
			}
		}
		return &Probe{X: lists[0], Y: lists[1], Z: lists[2], text: fmt.Sprintf("probe of %d elements", count)}, p.err()
	}),
}

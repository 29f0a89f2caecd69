package beam

import (
	"strings"

	"weft/ops"
	"weft/ops/problem"
)

// Grid is a set of points: the product of its three axes.
type Grid struct{ Axes [3]Axis }

// Axis holds the places of a grid along x, y or z, in metres. A fixed axis has one, and the image no dim for it.
type Axis struct {
	Points []float64
	Fixed  bool
	at     ops.Value // as it was written: a range or a length
}

var axisNames = [3]string{"x", "y", "z"}

// Kind, TypeName and String make a Grid an object of the language.
func (*Grid) Kind() ops.Kind   { return ops.KObject }
func (*Grid) TypeName() string { return "grid" }
func (g *Grid) String() string {
	var s []string
	for i, a := range g.Axes {
		s = append(s, axisNames[i]+": "+a.at.String())
	}
	return "grid of " + strings.Join(s, ", ")
}

// Dims are the dims of an image on the grid, with coordinates.
func (g *Grid) Dims() []ops.Dim {
	var d []ops.Dim
	for i, a := range g.Axes {
		if !a.Fixed {
			d = append(d, ops.Dim{Name: axisNames[i], Size: len(a.Points), Coords: a.Points, Unit: ops.MustUnit("mm")})
		}
	}
	return d
}

// Len is the number of points.
func (g *Grid) Len() int {
	n := 1
	for _, a := range g.Axes {
		n *= len(a.Points)
	}
	return n
}

// Point is the i-th point in the order of the image: z fastest.
func (g *Grid) Point(i int) (p [3]float64) {
	for a := 2; a >= 0; a-- {
		points := g.Axes[a].Points
		p[a] = points[i%len(points)]
		i /= len(points)
	}
	return p
}

// sparse is a coarser grid over the same box: at most n points an axis, ends included.
func (g *Grid) sparse(n int) *Grid {
	s := &Grid{}
	for i, a := range g.Axes {
		m := min(n, len(a.Points))
		for k := range m {
			at := 0
			if m > 1 {
				at = k * (len(a.Points) - 1) / (m - 1)
			}
			s.Axes[i].Points = append(s.Axes[i].Points, a.Points[at])
		}
	}
	return s
}

const (
	maxAxis   = 1 << 24
	maxPoints = 1 << 40
)

var boxGrid = &ops.Spec{
	Name:  "box",
	Doc:   "A grid of points over a box, to beamform on.",
	Group: group,
	Long: "Each of x, y and z is a range with a number of points (ends included) or a step, or a single length: the image then lies\n" +
		"in that plane and has no such dim. y is 0 when left out, which gives a 2-D image over x and z.",
	Params: []ops.Param{
		ops.Span("x", "m", "lateral points").Also(ops.KNumber),
		ops.Span("y", "m", "elevation points").Also(ops.KNumber).Or(ops.Quantity(0, "mm")),
		ops.Span("z", "m", "depth points").Also(ops.KNumber),
	},
	Returns: "a grid with dims x, y, z, less those given as a single length",
	Examples: []ops.Example{
		{Title: "a volume", Code: "box(x: -10 mm .. 10 mm in 64, y: -10 mm .. 10 mm in 64, z: 20 mm .. 40 mm in 128) | show"},
		{Title: "an image in the plane y = 0", Code: "box(x: -10 mm .. 10 mm in 64, z: 20 mm .. 40 mm in 128) | show"},
	},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		g := &Grid{}
		var p problems
		for i, name := range axisNames {
			a, err := axis(name, c.Args[name])
			p.join(err)
			g.Axes[i] = a
		}
		if len(p) == 0 {
			n := 1.0
			for _, a := range g.Axes {
				n *= float64(len(a.Points))
			}
			if n > maxPoints {
				p.add(problem.ArrayTooLarge, "", "take fewer points", "a grid of %.3g points is too large", n)
			}
		}
		return g, p.err()
	}),
}

// axis reads one argument of box.
func axis(name string, v ops.Value) (Axis, error) {
	if n, ok := v.(ops.Number); ok {
		if !finite(n.V) {
			return Axis{}, problem.Wrong(problem.NotFiniteConstant, name, "", "%s is not finite", name)
		}
		return Axis{Points: []float64{n.V}, Fixed: true, at: n}, nil
	}
	r, ok := v.(ops.Range)
	if !ok {
		return Axis{}, problem.Wrong(problem.WrongKind, name, "write a range, such as -10 mm .. 10 mm in 64", "%s is no range", name)
	}
	if err := checkRange(name, r); err != nil {
		return Axis{}, err
	}
	return Axis{Points: r.Points(), at: r}, nil
}

// checkRange refuses ranges that hold no points, or not the points they seem to.
func checkRange(name string, r ops.Range) error {
	from, to := r.From.V, r.To.V
	switch {
	case !finite(from) || !finite(to) || !finite(r.Step):
		return problem.Wrong(problem.NotFiniteConstant, name, "", "the range of %s is not finite", name)
	case r.N < 0:
		return problem.Wrong(problem.ZeroExtent, name, "write a positive number of points", "%s has %d points", name, r.N)
	case r.N == 0 && r.Step == 0:
		return problem.Wrong(problem.RangeWithoutCount, name, "say how many points, such as "+r.String()+" in 64", "the range of %s has no number of points", name)
	case from > to:
		return problem.Wrong(problem.EmptyRange, name, "write "+ops.Range{From: r.To, To: r.From, N: r.N, Step: r.Step}.String(), "the range of %s runs backwards", name)
	case from == to:
		return problem.Wrong(problem.EmptyRange, name, "for one plane write "+name+": "+r.From.String(), "the range of %s has no extent: both ends are %s", name, r.From)
	case r.N == 1:
		return problem.Wrong(problem.EmptyRange, name, "ends are included: take 2 points or more, or a single length", "one point cannot be both ends of the range of %s", name)
	case r.Step < 0 || r.Step > to-from:
		return problem.Wrong(problem.BadStep, name, "", "the step of %s does not fit its range", name)
	case r.N > maxAxis || r.N == 0 && (to-from)/r.Step > maxAxis:
		return problem.Wrong(problem.ArrayTooLarge, name, "take fewer points", "%s has more than %d points", name, maxAxis)
	}
	return nil
}

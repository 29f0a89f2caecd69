package sky

import (
	"errors"
	"math"
	"strings"
	"testing"

	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

// placed is a raster type with coordinates.
func placed(rows, columns int, stepY, stepX float64, unit string) ops.Type {
	t := landType(rows, columns)
	for k, step := range []float64{stepY, stepX} {
		d := &t.Dims[k]
		d.Unit = ops.MustUnit(unit)
		for i := range d.Size {
			d.Coords = append(d.Coords, 100+step*float64(i))
		}
	}
	return t
}

func TestMistakes(t *testing.T) {
	plain := landType(5, 6)
	complex64s := plain
	complex64s.Elem = ops.C64
	seconds := plain
	seconds.Unit = ops.MustUnit("s")
	uneven := placed(5, 6, -1, 1, "m")
	uneven.Dims[1].Coords[3] += 0.4
	cube := ops.Type{Elem: ops.F32, Dims: optest.Dims("band", 3, "y", 5, "x", 6)}
	row := ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 6)}
	metre := ops.Quantity(1, "m")
	type args map[string]ops.Value
	with := func(input ops.Type, more args) args {
		out := args{"input": optest.Array(input), "pixel": metre}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	sun := args{"azimuth": deg(90), "altitude": deg(30)}
	inFeet := placed(5, 6, -1, 1, "ft")
	for i := range inFeet.Dims {
		for k := range inFeet.Dims[i].Coords {
			inFeet.Dims[i].Coords[k] *= 0.3048
		}
	}
	inFeet.Unit = ops.Unit{}
	for _, c := range []struct {
		name string
		spec *ops.Spec
		args args
		code string
		says string
	}{
		{"no size of pixels", skyview, args{"input": optest.Array(plain)}, problem.NoCoordinates, "how large"},
		{"two sizes of pixels", skyview, with(placed(5, 6, -2, 2, "m"), nil), problem.ContradictArguments, "2 m apart"},
		{"oblong pixels", skyview, args{"input": optest.Array(placed(5, 6, -2, 1, "m"))}, problem.ContradictArguments, "square"},
		{"nearly square pixels", skyview, args{"input": optest.Array(placed(5, 6, -2.50206, 2.50241, "m"))}, problem.UnplacedRaster, "squares of 2.5022"},
		{"hardly square pixels", skyview, args{"input": optest.Array(placed(5, 6, -2.5, 2.51, "m"))}, problem.ContradictArguments, "pixel: 2.505 m"},
		{"oblong pixels taken for squares", skyview, args{"input": optest.Array(placed(5, 6, -2.5, 2.51, "m")), "pixel": ops.Quantity(2.505, "m")}, problem.UnplacedRaster, "squares of 2.505 m"},
		{"a pixel of another size", skyview, args{"input": optest.Array(placed(5, 6, -2.5, 2.51, "m")), "pixel": ops.Quantity(2.6, "m")}, problem.ContradictArguments, "2.6 m"},
		{"a share of nothing", skyview, with(plain, args{"canopy": optest.Array(plain), "trunk": ops.Number{V: 25}}), problem.OutOfBounds, "25 percent"},
		{"heights in feet or metres", skyview, args{"input": optest.Array(inFeet)}, problem.UnplacedRaster, "unit: ft"},
		{"south up", skyview, args{"input": optest.Array(placed(5, 6, 1, 1, "m"))}, problem.ContradictArguments, "north"},
		{"mirrored", skyview, args{"input": optest.Array(placed(5, 6, -1, -1, "m"))}, problem.ContradictArguments, "west"},
		{"in degrees", skyview, args{"input": optest.Array(placed(5, 6, -1, 1, "deg"))}, problem.WrongUnit, "metres"},
		{"uneven", skyview, args{"input": optest.Array(uneven)}, problem.ContradictArguments, "evenly"},
		{"complex", skyview, with(complex64s, nil), problem.WrongElementType, "c64"},
		{"seconds", walls, with(seconds, nil), problem.WrongUnit, "in s"},
		{"three bands", skyview, with(cube, nil), problem.ExtraDim, "band"},
		{"one row without y", skyview, with(row, nil), problem.MissingDim, "dim y"},
		{"no pixels", skyview, with(landType(0, 6), nil), problem.EmptyArray, "no pixels"},
		{"patches", skyview, with(plain, args{"patches": ops.Integer(150)}), problem.UnknownChoice, "150"},
		{"canopy alone", skyview, with(plain, args{"canopy": optest.Array(plain)}), problem.MissingArgument, "trunk"},
		{"bush alone", skyview, with(plain, args{"bush": optest.Array(plain)}), problem.MissingArgument, "canopy"},
		{"another raster", skyview, with(plain, args{"canopy": optest.Array(landType(5, 7)), "trunk": optest.Array(plain)}), problem.ExtentMismatch, "7 pixels"},
		{"elsewhere", skyview, args{"input": optest.Array(placed(5, 6, -1, 1, "m")), "canopy": optest.Array(placed(5, 6, -1, 1.5, "m")), "trunk": optest.Array(plain)}, problem.CoordinateMismatch, "x"},
		{"no altitude for one", shadow, with(plain, args{"azimuth": ops.List{deg(1), deg(2)}, "altitude": deg(30)}), problem.ExtentMismatch, "2 azimuths"},
		{"below the nadir", shadow, with(plain, args{"azimuth": deg(1), "altitude": deg(130)}), problem.OutOfBounds, "130"},
		{"no sun", shadow, with(plain, args{"azimuth": ops.List{}, "altitude": ops.List{}}), problem.OutOfBounds, "position"},
		{"altitude in metres", shadow, with(plain, args{"azimuth": ops.List{deg(1)}, "altitude": ops.List{metre}}), problem.WrongUnit, "angle"},
		{"walls without aspect", shadow, with(plain, args{"azimuth": sun["azimuth"], "altitude": sun["altitude"], "wall_height": optest.Array(plain)}), problem.MissingArgument, "aspect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := c.spec.Bind(optest.Call(c.spec, c.args))
			for _, p := range problemsOf(err) {
				if p.Code == c.code && strings.Contains(p.Message+p.Help, c.says) && p.Warning == (out != nil) {
					return
				}
			}
			t.Errorf("got %v, want %s that says %q", err, c.code, c.says)
		})
	}
}

// problemsOf are the problems in an error.
func problemsOf(err error) (out []problem.Problem) {
	for _, e := range problem.Each(err) {
		var p problem.Problem
		if errors.As(e, &p) {
			out = append(out, p)
		}
	}
	return out
}

func TestRays(t *testing.T) {
	for azimuth := 0.0; azimuth < 360; azimuth += 7.5 {
		for _, altitude := range []float64{0.5, 6, 44, 78} {
			y := newRay(azimuth, altitude, 2, limit{rows: 90, columns: 120, relief: 70, reach: math.Inf(1)})
			for k := 1; k < len(y.row); k++ {
				dr, dc := y.row[k]-y.row[k-1], y.column[k]-y.column[k-1]
				if max(dr, -dr, dc, -dc) != 1 || y.rise[k] <= y.rise[k-1] || y.rise[k-1] >= 70 {
					t.Fatalf("azimuth %g, altitude %g, step %d: by %d, %d to %g m", azimuth, altitude, k, dr, dc, y.rise[k])
				}
				length := math.Hypot(float64(y.row[k]), float64(y.column[k])) * 2
				if angle := math.Atan2(y.rise[k], length) * 180 / math.Pi; k > 20 && math.Abs(angle-altitude) > 1 {
					t.Fatalf("azimuth %g: at step %d the ray stands at %g deg, not %g", azimuth, k, angle, altitude)
				}
			}
		}
	}
	if y := newRay(30, 10, 1, limit{rows: 900, columns: 900, relief: math.Inf(1), reach: 50}); len(y.row) < 40 || len(y.row) > 51 {
		t.Errorf("a ray of 50 m has %d steps", len(y.row))
	}
}

// Divisions have as many patches as they are called by.
func TestPatches(t *testing.T) {
	for _, n := range patchCounts() {
		if got := patches(n); len(got) != n || got[n-1].altitude != 90 {
			t.Errorf("a division of %d patches has %d, the last at %g deg", n, len(got), got[len(got)-1].altitude)
		}
	}
}

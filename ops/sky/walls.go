package sky

import (
	"math"

	"weft/ops"
)

var walls = &ops.Spec{
	Name:  "walls",
	Doc:   "Walls of an elevation raster: how high a wall rises beside each pixel, and where it looks.",
	Group: group,
	Long: `height is the highest of the four neighbours less the pixel itself, where that is limit or more; 0 elsewhere and along the edges of the
raster. So a wall stands on the lower side of a step.

aspect is the azimuth of the wall's outward normal, by Goodwin's filter: of the 180 lines through the pixel, a degree apart and about 9 m
long, the one that covers most wall pixels is the wall; of its two sides, it looks away from the higher one. Where no line fits in the raster
the aspect is that of the slope. Pixels without wall have aspect 0.

Source: Lindberg et al., Solar Energy 112 (2015); Goodwin et al. (2009).`,
	Params: []ops.Param{
		ops.In("input", "elevation of ground and buildings, m", "y", "x"),
		ops.Num("limit", "m", "the lowest step that is a wall").Above0().Or(ops.Quantity(1, "m")),
		pixelParam,
	},
	Returns: "a record of f32 over y and x: height in metres, and aspect as an angle.",
	Examples: []ops.Example{{Title: "walls that the evening sun reaches", Code: `city = simulate.city(y: 48, x: 48, seed: 1)
w = city.dsm | walls
light = city.dsm | shadow(azimuth: 270 deg, altitude: 20 deg, wall_height: w.height, wall_aspect: w.aspect)
light.wall_sun | show`}},
	Error: ops.ErrorRule{Metric: ops.Absolute, Tolerance: 1e-5},
	Bind:  bindWalls,
}

// walling is a use of walls.
type walling struct {
	raster
	limit float64
}

func bindWalls(c *ops.Call) (ops.Op, error) {
	var p problems
	w := &walling{resolveRaster(c, &p), c.Number("limit")}
	return bound(w, p)
}

// Outputs are the two maps.
func (w *walling) Outputs() []ops.Output {
	return []ops.Output{{Name: "height", Type: w.output(ops.F32, "m")}, {Name: "aspect", Type: w.output(ops.F32, "deg")}}
}

// offset is a pixel beside another.
type offset struct{ row, column int }

// direction is one of the lines that Goodwin's filter tries, and the pixels to its two sides.
type direction struct {
	line         []offset
	first, other []offset
}

// filterSize is the number of pixels along a line: about 9 m, odd and at least 3.
func filterSize(pixel float64) int {
	n := int(math.Floor((1/pixel + 1e-10) * 9))
	return max(3, n|1)
}

// directions are the lines of an n x n window, turned by 0 to 179 deg: the middle column resampled bilinearly and rounded half to
// even; its sides, the halves of the middle row, resampled to the nearest. Many values lie on the edge of rounding, so the
// order of the operations matters: it is that of scipy.ndimage.rotate, with which the filter is commonly computed (at 60 deg a
// pixel still comes out otherwise).
func directions(n int) []direction {
	half := n / 2
	out := make([]direction, 180)
	for turn := range out {
		d, at := &out[turn], newRotation(turn, n)
		for i := range n {
			for j := range n {
				here := offset{i - half, j - half}
				row, column := at.place(i, j)
				corner := (i == 0 || i == n-1) && (turn == 45 && i == j || turn == 135 && i+j == n-1)
				if corner || math.RoundToEven(onColumn(row, column, half, n)) == 1 {
					d.line = append(d.line, here)
				}
				if int(math.Floor(row+0.5)) != half || (turn == 30 || turn == 150) && j == n-1 {
					continue
				}
				switch c := int(math.Floor(column + 0.5)); {
				case c < half:
					d.first = append(d.first, here)
				case c > half:
					d.other = append(d.other, here)
				}
			}
		}
	}
	return out
}

// rotation takes a pixel of a turned window to where it lies in the window as it was.
type rotation struct{ sin, cos, row, column, last float64 }

func newRotation(turn, n int) rotation {
	r := rotation{last: float64(n - 1)}
	r.sin, r.cos = sinCosDegrees(turn)
	middle := r.last / 2
	r.row = middle - (float64(r.cos*middle) + float64(r.sin*middle))
	r.column = middle - (float64(-r.sin*middle) + float64(r.cos*middle))
	return r
}

// place is cut to the window. Conversions keep products from being fused with sums.
func (r rotation) place(i, j int) (row, column float64) {
	y, x := float64(i), float64(j)
	row = r.row + float64(y*r.cos) + float64(x*r.sin)
	column = r.column + float64(y*-r.sin) + float64(x*r.cos)
	return min(max(row, 0), r.last), min(max(column, 0), r.last)
}

// sinCosDegrees is exact along the axes.
func sinCosDegrees(turn int) (sin, cos float64) {
	switch turn {
	case 0:
		return 0, 1
	case 90:
		return 1, 0
	}
	return math.Sincos(float64(turn) * math.Pi / 180)
}

// onColumn interpolates between the pixels of an n x n window that are 1 in the column half and 0 elsewhere.
func onColumn(row, column float64, half, n int) float64 {
	top, left := math.Floor(row), math.Floor(column)
	down, right := row-top, column-left
	v := 0.0
	for _, y := range []float64{1 - down, down} {
		for k, x := range []float64{1 - right, right} {
			if int(left)+k == half {
				v += float64(y * x)
			}
		}
	}
	return v
}

// firstAzimuth is the normal of the line turned by 0 deg, away from its first side; turning it turns the normal back.
const firstAzimuth = 270

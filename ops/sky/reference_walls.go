package sky

import (
	"math"

	"weft/ops"
)

// Reference goes pixel by pixel.
func (w *walling) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	r := w.raster
	h := rowByRow[float64](r, r.t, in["input"])
	height, aspect := ops.NewDense(false, r.rows(), r.columns()), ops.NewDense(false, r.rows(), r.columns())
	for i := range h {
		height.Re[i] = stepAt(r, h, i/r.columns(), i%r.columns(), w.limit)
	}
	lines := directions(filterSize(r.pixel))
	for i := range h {
		switch {
		case math.IsNaN(h[i]):
			aspect.Re[i] = math.NaN()
		case height.Re[i] > 0.5:
			aspect.Re[i] = aspectAt(r, h, height.Re, lines, i/r.columns(), i%r.columns())
		}
	}
	return []ops.Dense{height, aspect}, nil
}

func stepAt(r raster, h []float64, y, x int, limit float64) float64 {
	self := h[y*r.columns()+x]
	switch {
	case math.IsNaN(self):
		return self
	case y == 0 || x == 0 || y == r.rows()-1 || x == r.columns()-1:
		return 0
	}
	step := 0.0
	for _, i := range []int{(y-1)*r.columns() + x, (y+1)*r.columns() + x, y*r.columns() + x - 1, y*r.columns() + x + 1} {
		if v := h[i] - self; v > step {
			step = v
		}
	}
	if step < limit {
		return 0
	}
	return step
}

func aspectAt(r raster, h, walls []float64, lines []direction, y, x int) float64 {
	n := filterSize(r.pixel)
	half := n / 2
	if y < half || x < half || y >= r.rows()-half-2 || x >= r.columns()-half-2 {
		return slopeAt(r, h, y, x)
	}
	sum := func(list []offset, value func(i int) float64) (s float64) {
		for _, o := range list {
			s += value((y+o.row)*r.columns() + x + o.column)
		}
		return s
	}
	best, azimuth := 0.0, 0
	for turn, d := range lines {
		score := sum(d.line, func(i int) float64 {
			if walls[i] > 0.5 {
				return 1
			}
			return 0
		})
		if score <= best {
			continue
		}
		best, azimuth = score, 270-turn
		if height := func(i int) float64 { return h[i] }; sum(d.first, height) > sum(d.other, height) {
			azimuth -= 180
		}
	}
	if azimuth = (azimuth + 360) % 360; azimuth == 0 {
		return slopeAt(r, h, y, x)
	}
	return float64(azimuth) * math.Pi / 180
}

func slopeAt(r raster, h []float64, y, x int) float64 {
	difference := func(i, n, at, stride int) float64 {
		before, after := max(i-1, 0), min(i+1, n-1)
		if before == after {
			return 0
		}
		return (h[at+(after-i)*stride] - h[at+(before-i)*stride]) / (float64(after-before) * r.pixel)
	}
	at := y*r.columns() + x
	angle := -math.Atan2(difference(x, r.columns(), at, 1), difference(y, r.rows(), at, r.columns()))
	if angle < 0 {
		angle += 2 * math.Pi
	}
	return angle
}

// rowByRow are the values of a raster of type t with y before x.
func rowByRow[F float32 | float64](r raster, t ops.Type, d ops.Dense) []F {
	rows, columns := r.rows(), r.columns()
	out := make([]F, rows*columns)
	for i := range out {
		at := i
		if t.Dim("y") == 1 {
			at = i%columns*rows + i/columns
		}
		out[i] = F(float32(d.Re[at]))
	}
	return out
}

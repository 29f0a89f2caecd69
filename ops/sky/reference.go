package sky

import (
	"math"

	"weft/ops"
)

// plain is the definition of the march pixel by pixel, in the arithmetic of F: float64 for references, float32 as kernels
// round.
type plain[F float32 | float64] struct {
	*scene
	ground, canopy, trunk, bush []F // row by row; canopy nil: no vegetation
}

func newPlain[F float32 | float64](s *scene, in map[string]ops.Dense) *plain[F] {
	out := &plain[F]{scene: s}
	out.ground = rowByRow[F](s.raster, s.t, in["input"])
	if s.canopy == nil {
		return out
	}
	layer := func(name string, t ops.Type) []F {
		values := rowByRow[F](s.raster, t, in[name])
		for i, v := range values {
			switch {
			case s.relative && v > 0:
				values[i] = F(float32(out.ground[i] + v))
			case s.relative:
				values[i] = 0
			}
		}
		return values
	}
	out.canopy = layer("canopy", *s.canopy)
	if s.trunk != nil {
		out.trunk = layer("trunk", *s.trunk)
	} else {
		out.trunk = make([]F, len(out.canopy))
		for i, top := range out.canopy {
			if g := out.ground[i]; top > g {
				out.trunk[i] = F(float32(g) + float32(float32(s.trunkShare)*float32(top-g)))
			}
		}
	}
	if s.bush != nil {
		out.bush = layer("bush", *s.bush)
		return out
	}
	out.bush = make([]F, len(out.canopy))
	for i, t := range out.trunk {
		if t == 0 || t != t {
			out.bush[i] = out.canopy[i]
		}
	}
	return out
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

// look follows a ray from a pixel: what hides its end, as marcher.hidden has it.
func (g *plain[F]) look(ray ray, row, column int) (walled, leaved, behind bool) {
	h := g.ground[row*g.columns()+column]
	seen := false // leaves since the pixel
	if g.canopy != nil && len(ray.row) > 0 {
		seen = g.bush[row*g.columns()+column] > 1
	}
	before := F(0)
	for k := range ray.row {
		y, x := row+ray.row[k], column+ray.column[k]
		rise := F(single(ray.rise[k]))
		if y >= 0 && y < g.rows() && x >= 0 && x < g.columns() {
			i := y*g.columns() + x
			walled = walled || g.ground[i]-rise > h
			if g.canopy != nil && !walled {
				n := 0
				for _, top := range []F{g.canopy[i] - rise, g.trunk[i] - rise, g.canopy[i] - before, g.trunk[i] - before} {
					if top > h {
						n++
					}
				}
				seen = seen || n >= 1 && n <= 3
			}
		}
		before = rise
	}
	return walled, seen && !walled, seen && walled
}

// Reference looks along every ray as far as the raster reaches.
func (v *view) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	far := *v
	far.relief = math.Inf(1)
	g := newPlain[float64](&far.scene, in)
	list := far.trace()
	var out []ops.Dense
	for _, o := range v.Outputs() {
		out = append(out, ops.NewDense(false, o.Type.Shape()...))
	}
	each := len(parts) + 1
	for i, h := range g.ground {
		for kind := range v.kinds() {
			trunk := kind > 0 && g.trunk[i] == g.trunk[i] && g.trunk[i] != 0
			v.finish(out[kind*each:][:each], i, h == h, trunk, func(p int) bool {
				walled, leaved, behind := g.look(list[p], i/v.columns(), i%v.columns())
				return []bool{walled, leaved, behind}[kind]
			})
		}
	}
	return out, nil
}

// finish sums up the patches that are not hidden from pixel i.
func (v *view) finish(out []ops.Dense, i int, known, trunk bool, hidden func(p int) bool) {
	if !known {
		for part := range parts {
			out[part].Re[i] = math.NaN()
		}
		return
	}
	for p, patch := range v.patches {
		if hidden(p) {
			continue
		}
		for part := range parts {
			out[part].Re[i] += patch.weight[part]
		}
		out[len(parts)].Re[i*v.bytes()+p/8] += math.Ldexp(1, p%8)
	}
	for part, x := range parts {
		if x.offset && !trunk {
			out[part].Re[i] += single(shareOfZenith)
		}
		out[part].Re[i] = min(out[part].Re[i], 1)
	}
}

package sky

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// caster is what the stages of shadow are made of. Its rays lead to the positions of the sun.
type caster struct {
	*day
	marcher
	up, azimuth *ops.Stage // of the sun by ray: whether it is above the horizon, and its azimuth in radians
	rise        *ops.Stage // of rays at every step, in float64
	crowns      surface    // canopy
	tables      []*ops.Stage
}

// Lower marches towards each position of the sun.
func (d *day) Lower(l *ops.Lowering) []*ops.Stage {
	c := &caster{day: d, marcher: newMarcher(l, &d.scene, d.rays())}
	up := make([]float64, len(d.altitude))
	for i, a := range d.altitude {
		if a > 0 {
			up[i] = 1
		}
	}
	ray := ops.Dim{Name: "ray", Size: len(up)}
	c.up = l.Table("up", ir.I32, up, ray)
	c.tables = append(c.marcher.inputs(), c.up)
	if d.walls {
		c.lowerWalls(l, ray)
	}
	define := map[string]func(*ops.Body, place) *ir.Node{
		"building": c.building, "canopy": c.shade, "both": c.both,
		"wall_sun":   func(b *ops.Body, at place) *ir.Node { return c.wall(b, at)[0] },
		"wall_shade": func(b *ops.Body, at place) *ir.Node { return c.wall(b, at)[1] },
	}
	var out []*ops.Stage
	for _, o := range d.Outputs() {
		s := l.Stage(o.Name, o.Type, c.tables, func(b *ops.Body, index []*ir.Node) ops.Elem {
			at := place{b.I32(0), index[len(index)-2], index[len(index)-1]}
			if d.listed {
				at.ray = index[0]
			}
			return ops.Real(b.Select(c.known(b, at.y, at.x), define[o.Name](b, at), b.F32(math.NaN())))
		})
		s.Exact = true
		s.Steps = append(c.steps(), o.Name)
		out = append(out, s)
	}
	return out
}

// place is a pixel at a position of the sun.
type place struct{ ray, y, x *ir.Node }

// masks are marcher.hidden, made once for all outputs.
func (c *caster) masks(b *ops.Body, at place) []*ir.Node {
	return b.Once(c, []*ir.Node{at.ray, at.y, at.x}, func() []*ir.Node { return c.hidden(b, at.ray, at.y, at.x) })
}

func (c *caster) dark(b *ops.Body, at place) *ir.Node {
	return b.Alu(ir.Eq, c.up.At(b, at.ray).Re, b.I32(0))
}

func (c *caster) building(b *ops.Body, at place) *ir.Node {
	return b.Select(b.Or(c.dark(b, at), c.masks(b, at)[0]), b.F32(0), b.F32(1))
}

func (c *caster) shade(b *ops.Body, at place) *ir.Node {
	return b.Select(c.masks(b, at)[1], b.F32(0), b.F32(1))
}

// both: where vegetation shades, no building does.
func (c *caster) both(b *ops.Body, at place) *ir.Node {
	return b.Select(c.masks(b, at)[1], b.Number(ir.F32, c.transmissivity), c.building(b, at))
}

func (c *caster) lowerWalls(l *ops.Lowering, ray ops.Dim) {
	azimuth := make([]float64, len(c.rays.list))
	width := max(c.rays.steps, 1)
	rise := make([]float64, len(azimuth)*width)
	for i, y := range c.rays.list {
		azimuth[i] = y.azimuth * math.Pi / 180
		copy(rise[i*width:], y.rise)
	}
	c.azimuth = l.Table("azimuth", ir.F64, azimuth, ray)
	c.rise = l.Table("rise64", ir.F64, rise, ray, ops.Dim{Name: "step", Size: width})
	c.tables = append(c.tables, c.azimuth, c.rise, l.In("wall_height"), l.In("wall_aspect"))
	if c.canopy == nil {
		return
	}
	c.crowns = newSurface(l, "crowns", c.raster, c.rays, false, c.readFor("canopy"), func(b *ops.Body, inside, y, x *ir.Node) *ir.Node {
		return c.layer(b, "canopy", inside, y, x)
	})
	c.tables = append(c.tables, c.crowns.inputs()...)
}

// volume is the top of the shadow of a surface above a pixel: the largest source less the rise of the ray, not below start.
func (c *caster) volume(b *ops.Body, s surface, start *ir.Node, at place) *ir.Node {
	spec := ir.FoldSpec{Init: []*ir.Node{start}, Monoid: ir.Largest}
	return c.rays.march(b, at.ray, 0, spec, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		v := b.Sub(b.Cast(ir.F64, s.along(b, at.ray, k, at.y, at.x)), c.rise.At(b, at.ray, k).Re)
		return []*ir.Node{b.Max(v, acc[0])}, nil
	})[0]
}

// wall is wallLight at a pixel: what of its wall is in the sun, and what is not.
func (c *caster) wall(b *ops.Body, at place) []*ir.Node {
	type owner struct{ *caster }
	return b.Once(owner{c}, []*ir.Node{at.ray, at.y, at.x}, func() []*ir.Node {
		input := func(name string) *ir.Node {
			s := c.in[name]
			index := make([]*ir.Node, 2)
			index[s.Type.Dim("y")], index[s.Type.Dim("x")] = at.y, at.x
			return b.Cast(ir.F64, s.At(b, index...).Re)
		}
		zero := b.F64(0)
		w, h := input("wall_height"), b.Cast(ir.F64, c.ground.at(b, at.y, at.x))
		stands := b.Lt(zero, w)
		sun := b.Max(b.Sub(w, b.Sub(c.volume(b, c.ground, h, at), h)), zero)
		away := c.turnedAway(b, input("wall_aspect"), c.azimuth.At(b, at.ray).Re)
		sun = b.Select(b.Or(away, c.dark(b, at)), zero, sun)
		shade := b.Sub(w, sun)
		if c.canopy != nil {
			leaf := b.Max(b.Sub(c.volume(b, c.crowns, b.F64(math.Inf(-1)), at), h), zero)
			leaf = b.Select(c.masks(b, at)[1], leaf, zero)
			wood := b.Select(stands, b.Min(b.Max(b.Sub(leaf, shade), zero), w), zero)
			sun = b.Max(b.Sub(sun, wood), zero)
		}
		return []*ir.Node{b.Cast(ir.F32, sun), b.Cast(ir.F32, shade)}
	})
}

// turnedAway is the function of that name as a node; angles in radians.
func (c *caster) turnedAway(b *ops.Body, aspect, azimuth *ir.Node) *ir.Node {
	turn, low, high := 2*math.Pi, -math.Pi/2, math.Pi/2
	bound := func(v float64) *ir.Node { return b.Add(azimuth, b.F64(v)) }
	not := func(above, upTo float64) *ir.Node {
		return b.Not(b.Or(b.Lt(bound(above+parallel), aspect), b.Le(aspect, bound(upTo+parallel))))
	}
	within := b.Or(b.Lt(aspect, bound(low-parallel)), b.Le(bound(high-parallel), aspect))
	past := not(low, high-turn)
	return b.Select(b.Lt(bound(low), b.F64(0)), not(low+turn, high), b.Select(b.Lt(bound(high), b.F64(turn)), within, past))
}

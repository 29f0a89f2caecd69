package sky

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// marcher tells what hides the ends of rays from a pixel.
type marcher struct {
	scene      *scene
	rays       *rays
	ground     surface
	leaves     surface // vegetation: the higher of canopy and trunk zone, NaN apart
	trunks     surface // the lower one; -Inf where one is missing
	vegetation bool
	in         map[string]*ops.Stage
}

func newMarcher(l *ops.Lowering, s *scene, list []ray) marcher {
	y := newRays(l, list)
	in := l.Inputs
	m := marcher{scene: s, rays: y, vegetation: s.canopy != nil, in: in}
	m.ground = newSurface(l, "ground", s.raster, y, true, []*ops.Stage{in["input"]}, func(b *ops.Body, inside, y, x *ir.Node) *ir.Node {
		return height(b, in["input"], inside, y, x)
	})
	m.ground.stage.Steps = []string{m.margin()}
	m.ground.stage.Tall.Top.Void = s.noHeights()
	if !m.vegetation {
		return m
	}
	both := m.readFor("canopy", "trunk")
	heights := func(b *ops.Body, inside, y, x *ir.Node) (canopy, trunk *ir.Node) {
		return m.layer(b, "canopy", inside, y, x), m.layer(b, "trunk", inside, y, x)
	}
	m.leaves = newSurface(l, "leaves", s.raster, y, true, both, func(b *ops.Body, inside, y, x *ir.Node) *ir.Node {
		canopy, trunk := heights(b, inside, y, x)
		return b.Max(canopy, b.Max(trunk, b.F32(math.Inf(-1))))
	})
	m.trunks = newSurface(l, "trunks", s.raster, y, false, both, func(b *ops.Body, inside, y, x *ir.Node) *ir.Node {
		canopy, trunk := heights(b, inside, y, x)
		lower := b.Min(canopy, b.Min(trunk, b.F32(math.Inf(1))))
		return b.Select(b.And(number(b, canopy), number(b, trunk)), lower, b.F32(math.Inf(-1)))
	})
	return m
}

func (m *marcher) inputs() []*ops.Stage {
	out := append(m.rays.tables(), m.ground.inputs()...)
	if !m.vegetation {
		return out
	}
	out = append(append(out, m.leaves.inputs()...), m.trunks.inputs()...)
	return append(out, m.readFor("canopy", "trunk", "bush")...)
}

// readFor are the inputs that layers are made of.
func (m *marcher) readFor(layers ...string) (out []*ops.Stage) {
	if m.scene.relative || m.in["trunk"] == nil {
		layers = append(layers, "input")
	}
	for _, arg := range layers {
		if m.in[arg] != nil {
			out = append(out, m.in[arg])
		}
	}
	return out
}

// layer is the elevation of a layer of vegetation at a pixel: 0 or NaN where there is none.
func (m *marcher) layer(b *ops.Body, name string, inside, y, x *ir.Node) *ir.Node {
	if in := m.in[name]; in != nil {
		v := height(b, in, inside, y, x)
		if !m.scene.relative {
			return v
		}
		return b.Select(b.Lt(b.F32(0), v), b.Add(height(b, m.in["input"], inside, y, x), v), b.F32(0))
	}
	ground, top := height(b, m.in["input"], inside, y, x), m.layer(b, "canopy", inside, y, x) // the trunk is a share of the canopy
	share := b.Mul(b.F32(m.scene.trunkShare), b.Sub(top, ground))
	return b.Select(b.Lt(ground, top), b.Add(ground, share), b.F32(0))
}

func (m *marcher) steps() []string {
	return []string{fmt.Sprintf("march (%s)", m.rays.describe())}
}

// margin says how wide the margin around the raster is, and why.
func (m *marcher) margin() string {
	why := fmt.Sprintf("where rays have risen by the relief of %.4g m", m.scene.relief)
	switch {
	case m.scene.full > 0:
		why = fmt.Sprintf("rays are cut at %g m of %.4g m, so what stands further away does not count: not exact", m.scene.reach, m.scene.full)
	case math.IsInf(m.scene.relief, 1):
		why = "as far as the raster reaches, since its relief is not known before the run"
	}
	return fmt.Sprintf("margin of %d x %d pixels: %s", m.rays.rows, m.rays.columns, why)
}

// known tells that a pixel has a height.
func (m *marcher) known(b *ops.Body, y, x *ir.Node) *ir.Node { return number(b, m.ground.at(b, y, x)) }

// number tells that a value is not NaN.
func number(b *ops.Body, v *ir.Node) *ir.Node { return b.Alu(ir.Eq, v, v) }

// hidden tells whether the end of ray p is hidden from a pixel: by buildings; with vegetation, also by leaves with no building
// on the way, and by leaves in front of a building.
func (m *marcher) hidden(b *ops.Body, p, y, x *ir.Node) []*ir.Node {
	if !m.vegetation {
		return []*ir.Node{m.walled(b, p, y, x)}
	}
	h := m.ground.at(b, y, x)
	upright := b.Alu(ir.Eq, m.rays.count.At(b, p).Re, b.I32(0))
	inBush := b.And(b.Not(upright), b.Lt(b.F32(1), m.bush(b, y, x)))
	spec := ir.FoldSpec{Init: []*ir.Node{b.Const(ir.Bool, 0), inBush}}
	// Nothing changes behind a building: renderers find out by themselves and leave.
	end := m.rays.march(b, p, 0, spec, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		now, before := m.rays.rises(b, p, k)
		above := func(s surface, rise *ir.Node) *ir.Node { return b.Lt(h, b.Sub(s.along(b, p, k, y, x), rise)) }
		walled := b.Or(acc[0], above(m.ground, now))
		leaved := b.And(above(m.leaves, before), b.Not(above(m.trunks, now)))
		return []*ir.Node{walled, b.Or(acc[1], b.And(leaved, b.Not(walled)))}, nil
	})
	return []*ir.Node{end[0], b.And(end[1], b.Not(end[0])), b.And(end[1], end[0])}
}

// walled tells whether a building hides the end of ray p.
func (m *marcher) walled(b *ops.Body, p, y, x *ir.Node) *ir.Node {
	h := m.ground.at(b, y, x)
	spec := ir.FoldSpec{Init: []*ir.Node{b.Const(ir.Bool, 0)}, Monoid: ir.Any}
	return m.rays.march(b, p, 1, spec, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		now, _ := m.rays.rises(b, p, k)
		return []*ir.Node{b.Or(acc[0], b.Lt(h, b.Sub(m.ground.along(b, p, k, y, x), now)))}, nil
	})[0]
}

// bush is the elevation of vegetation without trunk at a pixel.
func (m *marcher) bush(b *ops.Body, y, x *ir.Node) *ir.Node {
	if m.in["bush"] != nil {
		return m.layer(b, "bush", b.True(), y, x)
	}
	return b.Select(m.none(b, m.trunk(b, y, x)), m.layer(b, "canopy", b.True(), y, x), b.F32(0))
}

func (m *marcher) trunk(b *ops.Body, y, x *ir.Node) *ir.Node {
	return m.layer(b, "trunk", b.True(), y, x)
}

// none tells that a vegetation raster has nothing at a pixel: 0 or NaN.
func (m *marcher) none(b *ops.Body, v *ir.Node) *ir.Node {
	return b.Not(b.Or(b.Lt(v, b.F32(0)), b.Lt(b.F32(0), v)))
}

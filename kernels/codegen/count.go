package codegen

import (
	"slices"

	"weft/kernels/codegen/tally"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// counting starts to count a fold whose bounds are known: what they ask for is due.
func (g *gen) counting(c *loop) *tally.Tally {
	if g.Counts == nil {
		return nil
	}
	if !slices.Contains(g.Counts.Folds, c.f) {
		g.Counts.Folds = append(g.Counts.Folds, c.f)
	}
	t := &tally.Tally{Number: slices.Index(g.Counts.Folds, c.f), Lanes: len(c.copies), Index: c.index()}
	if c.vec {
		t.Lanes *= g.W
	}
	if !c.masked {
		trips := Cast("long long", c.call("s_max", Bin("-", c.hi, c.lo), Int(0)))
		c.sc.Add(t.Add("due", Bin("*", trips, g.points(c.f))))
		return t
	}
	for _, v := range c.copies {
		trips := Op(ir.Sub, c.f.Hi.Type, g.end(c, v), Scalar(c.f.Hi.Type, c.lo))
		trips = g.Name(c.sc, Op(ir.Max, trips.Type, trips, Scalar(trips.Type, Int(0))))
		c.sc.Add(t.Add("due", trips.Reduced("v_hsum")))
	}
	return t
}

// points is how many points of the axes that a fold differs along the lane tile is the first to compute.
func (g *gen) points(f *ir.Fold) *Expr {
	vary := g.Vary.Of(f.Node)
	if g.Schedule.Flat > 0 && vary.Meets(g.Lanes) {
		return Call("s_min_l", Int(g.W*g.V), Bin("-", Name("points"), Name("point")))
	}
	out := Int(1)
	for _, n := range g.Axes {
		step, x := g.Step(n), AxisName(n)
		if step == 1 || !vary.Meets(n.Bind()) {
			continue
		}
		along := Int(step)
		switch end := Name(x + "_end"); g.Tail {
		case tile.Overlap, tile.Inside:
			along = Call("s_min_i", along, Bin("-", end, Name(x+"_")))
		case tile.Cut:
			along = Call("s_min_i", along, Bin("-", end, Name(x)))
		}
		out = Bin("*", out, along)
	}
	return out
}

package codegen

import (
	"fmt"
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// CountsPerFold is how many numbers a counted fold adds to: iterations due, executed, and left out by culling.
const CountsPerFold = 3

// Counts numbers the folds of a function that may be left before their last iteration. Iterations are counted a lane: one
// of a vector counts as many times as the vector has lanes. What a lane tile at the edge of a tile repeats is executed, and not due
// where all lanes have the same bounds.
type Counts struct{ Folds []*ir.Fold }

var counters = [CountsPerFold]string{"due", "ran", "idle"}

// around declares the variables of all counted folds before statements, and hands them over after.
func (c *Counts) around(list []Stmt) []Stmt {
	if c == nil {
		return list
	}
	var declare, collect []Stmt
	for i := range c.Folds {
		for n, name := range counters {
			name = fmt.Sprint(name, i)
			declare = append(declare, Var("long long", name, Int(0)))
			collect = append(collect, Set{To: At(Name("a->count"), Int(i*CountsPerFold+n)), Op: "+", Value: Name(name)})
		}
	}
	return slices.Concat(declare, list, collect)
}

// tally is what writing a fold needs to count it. The nil tally counts nothing.
type tally struct {
	number int
	lanes  int // of all vectors in flight
	index  *Expr
}

// counting starts to count a fold whose bounds are known: what they ask for is due.
func (g *gen) counting(c *loop) *tally {
	if g.Counts == nil {
		return nil
	}
	if !slices.Contains(g.Counts.Folds, c.f) {
		g.Counts.Folds = append(g.Counts.Folds, c.f)
	}
	t := &tally{number: slices.Index(g.Counts.Folds, c.f), lanes: len(c.copies), index: c.index()}
	if c.vec {
		t.lanes *= g.W
	}
	if !c.masked {
		trips := Cast("long long", c.call("s_max", Bin("-", c.hi, c.lo), Int(0)))
		c.sc.add(t.add("due", Bin("*", trips, g.points(c.f))))
		return t
	}
	for _, v := range c.copies {
		trips := Op(ir.Sub, c.f.Hi.Type, g.end(c, v), Scalar(c.f.Hi.Type, c.lo))
		trips = g.name(c.sc, Op(ir.Max, trips.Type, trips, Scalar(trips.Type, Int(0))))
		c.sc.add(t.add("due", trips.Reduced("v_hsum")))
	}
	return t
}

func (t *tally) add(counter string, n *Expr) Stmt {
	return Set{To: Name(fmt.Sprint(counter, t.number)), Op: "+", Value: n}
}

// points is how many points of the axes that a fold differs along the lane tile is the first to compute.
func (g *gen) points(f *ir.Fold) *Expr {
	vary := g.vary.Of(f.Node)
	if g.s.Flat > 0 && vary.Meets(g.lanes) {
		return Call("s_min_l", Int(g.W*g.V), Bin("-", Name("points"), Name("point")))
	}
	out := Int(1)
	for _, n := range g.axes {
		step, x := g.step(n), axisName(n)
		if step == 1 || !vary.Meets(n.Bind()) {
			continue
		}
		along := Int(step)
		switch end := Name(x + "_end"); g.tail {
		case Overlap, Inside:
			along = Call("s_min_i", along, Bin("-", end, Name(x+"_")))
		case Cut:
			along = Call("s_min_i", along, Bin("-", end, Name(x)))
		}
		out = Bin("*", out, along)
	}
	return out
}

// ran counts vector iterations that run.
func (t *tally) ran(iterations *Expr) []Stmt {
	if t == nil {
		return nil
	}
	return []Stmt{t.add("ran", Bin("*", Cast("long long", iterations), Int(t.lanes)))}
}

// idle counts the iterations up to another as left out.
func (t *tally) idle(next *Expr) []Stmt {
	if t == nil {
		return nil
	}
	return []Stmt{t.add("idle", Bin("*", Cast("long long", Bin("-", next, t.index)), Int(t.lanes)))}
}

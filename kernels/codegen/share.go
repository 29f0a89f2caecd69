package codegen

import (
	. "weft/kernels/codegen/tree"
)

// A launch that runs a split fold over a chunk of many points may give some of these to a thread that asks for them: all that is known of a point between
// two parts of the fold are its parked accumulators, so that another launch can go on with it. Each point is summed as it would have been.

// fewestShared is how many parts of a fold must be left for points to be given away: less takes no longer than to hand it over.
const fewestShared = 2

// resumed is the loop over parts, of a function that shares: it begins where the launch is told to.
func (g *gen) resumed(parts Loop) Stmt {
	if g.chunk.shares {
		parts.Vars[0].Value = Call("s_max_i", parts.Vars[0].Value, Cast("int", Name("a->part")))
	}
	return parts
}

// share gives who asks for it the second half of the chunk's steps along its inner axis. Accumulators are parked at a place in scratch memory.
func (g *gen) share(saved int) []Stmt {
	if len(g.Schedule.Chunk) < 2 {
		return nil
	}
	outer, inner := g.Schedule.Chunk[0].Axis, g.Schedule.Chunk[1].Axis
	from, to := ChunkEnds(g.Axes[inner])
	asks, half, step := Name("asks"), Name("half"), Int(g.Schedule.Step(inner))
	middle := Bin("+", from, Bin("*", half, step))
	var give []Stmt
	for axis, n := range g.Axes {
		lo := Name(AxisName(n))
		hi := Add(lo, Int(1))
		switch {
		case axis == outer:
			lo, hi = ChunkEnds(n)
		case axis == inner:
			lo, hi = middle, to
		case g.Schedule.Step(axis) > 1:
			return nil
		}
		give = append(give, Do(Call("weft_give_range", asks, Int(axis), lo, hi)))
	}
	point := 4 * g.W * g.V * g.parted.kept
	row := point * g.steps(inner)
	given := Bin("*", Cast("long", half), Int(point))
	bytes := Bin("-", Bin("*", Cast("long", g.stepsIn(inner)), Int(point)), given)
	give = append(give,
		Do(Call("weft_give_sums", Add(Name("asks->scratch"), Int(saved)), Bin("+", Name("saved"), given), bytes, Int(row), g.stepsIn(outer))),
		Do(Call("weft_give", Name("a"), asks, Name("part"))),
		Set{To: to, Value: middle})
	left := Bin(">", Bin("-", g.parted.to, Name("part")), Int((fewestShared-1)*g.Schedule.Split))
	g.chunk.shares = true
	return []Stmt{
		Var("weft_args *const", asks.Text, Call("weft_asks", Name("a"))),
		If{Cond: All("&&", Bin("!=", asks, Int(0)), Bin("!=", Name("part"), g.parted.from), left), Rare: true, Then: []Stmt{
			Let("int", half.Text, Bin("/", Bin("/", Bin("-", to, from), step), Int(2))),
			If{Cond: Bin(">", half, Int(0)), Then: give},
		}},
	}
}

// stepsIn is how many steps the chunk under way has along an axis, the last one of which may be moved back.
func (g *gen) stepsIn(axis int) *Expr {
	from, to := ChunkEnds(g.Axes[axis])
	step := g.Schedule.Step(axis)
	return Bin("/", Add(Bin("-", to, from), Int(step-1)), Int(step))
}

package cost

import (
	"math"

	"weft/kernels/codegen/form"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/profile"
	"weft/kernels/schedule"
	"weft/kernels/schedule/exits"
)

// Folds whose end is not known before they run: how many of their iterations are taken to be executed. Nothing here is fitted
// to a program. What decides is how soon an answer comes, and of that not even the scale is known: it is as likely between 10 and 20
// iterations as between 100 and 200.

// executedShares gives for every fold the part of its longest run that is executed on average.
func (c *counter) executedShares() map[*ir.Fold]float64 {
	shares := map[*ir.Fold]float64{}
	ends, blocks := exits.EndsEarly(c.k), exits.CulledBlock(c.k)
	for _, f := range c.folds {
		most := count.MostTrips(f)
		if most < 1 {
			shares[f] = 1
			continue
		}
		n := c.told.meanTrips(f, most)
		if ends(f) && !c.k.Whole {
			left := open(n, c.together())
			if block := blocks(f); block > 0 {
				left = min(left, culled(n, float64(block)))
			}
			n = left
		}
		shares[f] = n / most
	}
	return shares
}

// turning counts what turns take besides what they compute: where they are scalar, an index that goes on and the test whether it is the last; where they are
// lanes of a fold that may be left, a test of all lanes. Either is as dear as two operations. And where a loop ends otherwise than the processor foresaw, once a
// run, all that it had begun beyond the end is lost, and nothing of the next turn is under way.
func (c *counter) turning(w *Work) {
	ends := exits.EndsEarly(c.k)
	for _, f := range c.folds {
		if !foreseen(f) {
			one := c.begun(f) * float64(c.p.Lanes) * c.p.Ops[profile.Next]
			w.add(profile.Next, f, one*surprised)
			w.starting += one * c.deep(f)
		}
		turns := c.trips(f.Binders().Or(f.Node.Free())) * c.shares[f]
		switch {
		case c.lanes.Empty():
			w.add(profile.Integer, f, turns*c.scalar()*2*c.p.Ops[profile.Integer])
		case f.IndexBind.Meets(c.turns) && ends(f):
			w.add(profile.Simple, f, turns*2*c.p.Ops[profile.Simple])
		case f.IndexBind.Meets(c.turns):
			whole := c.whole(f)
			w.add(profile.Simple, whole, c.executions(whole.Node)*c.joining(whole)*c.p.Ops[profile.Simple])
		}
	}
}

const (
	joined    = 12 // instructions to bring the lanes of a sum together: four halvings of a shuffle and an addition
	surprised = 5  // operations, each with what the one before it gives, while a processor finds the way again: 15 to 20 cycles
)

// joining is what a run of a fold takes whose turns are lanes when these end, in instructions.
func (c *counter) joining(f *ir.Fold) float64 { return joined * float64(len(f.Accs)) }

// foreseen reports whether a processor can tell where a fold will end, from where it did before: as no bound of its turns is looked up.
func foreseen(f *ir.Fold) bool {
	var n ir.Linear
	n.Add(f.Hi, 1)
	n.Add(f.Lo, -1)
	looked := false
	for _, t := range n.Terms {
		if t.Coef != 0 {
			ir.WalkNodes([]*ir.Node{t.N}, func(n *ir.Node) { looked = looked || n.Kind == ir.KLoad })
		}
	}
	return !looked
}

// deep is how many operations of a turn of a fold wait for each other.
func (c *counter) deep(f *ir.Fold) (most float64) {
	depth := &ir.Memo[float64]{}
	var of func(n *ir.Node) float64
	of = func(n *ir.Node) float64 {
		if n.Kind == ir.KFold || !n.Free().Meets(f.IndexBind) {
			return 0
		}
		if d, ok := depth.Of(n); ok {
			return d
		}
		d := 0.0
		for _, a := range n.Args {
			d = max(d, of(a))
		}
		if class, _ := c.classOf(n); class != "" {
			d++
		}
		depth.Put(n, d)
		return d
	}
	for _, step := range f.Step {
		most = max(most, of(step))
	}
	return most
}

// begun is how often the loop of a fold is begun: for the lanes of points and all vectors in flight together.
func (c *counter) begun(f *ir.Fold) float64 {
	loops := c.around(f.Node)
	times := c.turned(loops, 0) / c.scalar()
	if loops.Meets(c.points) {
		times /= float64(c.p.Lanes * max(1, c.layout.Flight))
	}
	return times
}

// whole is the outermost fold whose lanes are joined after all turns of one within it, to whose sums these add.
func (c *counter) whole(f *ir.Fold) *ir.Fold {
	for _, g := range c.folds { // inner ones first
		if schedule.Nested(g, c.p.Lanes) == f {
			f = g
		}
	}
	return f
}

// handOn notes the sums in whose turns nothing is added, since those within them go on with the same sums of lanes.
func (c *counter) handOn() {
	for _, f := range c.folds {
		if !f.IndexBind.Meets(c.turns) {
			continue
		}
		for _, g := range c.folds {
			in := schedule.Nested(g, c.p.Lanes)
			if in == nil || c.whole(in) != c.whole(f) {
				continue
			}
			for _, step := range g.Step {
				for n := step; n.Kind == ir.KAlu; { // the sum, and what rounds its term
					c.fused.Put(n, true)
					if n = n.Args[len(n.Args)-1]; n.Free().Meets(g.AccBind) {
						n = step.Args[0]
					}
				}
			}
		}
	}
}

// ragged is how many times more lanes than turns a run of a fold has whose turns are lanes: the last vector is not full.
func (c *counter) ragged(f *ir.Fold) float64 {
	lanes := float64(c.p.Lanes)
	if n, known := count.KnownTrips(f); known {
		return math.Ceil(n/lanes) * lanes / max(1, n)
	}
	n := count.MostTrips(f) * c.shares[f]
	return (n + (lanes-1)/2) / max(1, n)
}

// readOf gives the share of those buffers that a kernel loads in part: no more elements than it has loads of them, of which there are fewer where there are fewer turns, and where a
// few of these alone load, one here and one there, all units of so many bytes that they meet. What turns load again and again is loaded whole by a part of them.
func readOf(k *ir.Kernel, folds []*ir.Fold, turns func(*ir.Fold) float64, rare map[*ir.Node]float64, unit int) map[*ir.Buffer]float64 {
	read, some, times, parts := map[*ir.Buffer]float64{}, map[*ir.Buffer]float64{}, count.Trips(k), make([]float64, len(folds))
	for i, f := range folds {
		parts[i] = turns(f)
	}
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad {
			return
		}
		few := times(n.Free()) / float64(max(1, n.Buf.Len()))
		share := max(1, few)
		if part, ok := rare[n]; ok {
			share *= 1 - math.Pow(1-part, max(1, float64(unit/n.Buf.Type.Size())))
		}
		for i, f := range folds {
			if n.Free().Meets(f.Binders()) {
				share *= parts[i]
			}
		}
		if few < 1 { // loads of a few elements each are of others
			some[n.Buf] += few * share
			share = some[n.Buf]
		}
		read[n.Buf] = max(read[n.Buf], min(share, 1))
	})
	return read
}

// together is how many points leave a fold at once.
func (c *counter) together() int {
	if len(c.layout.Lanes) == 0 {
		return 1
	}
	return c.p.Lanes * max(1, c.layout.Flight)
}

// Told are the shares that Facts.Likely of some buffers guess at, where they are known.
type Told map[*ir.Buffer]float64

// of is the share of the most that they can be that numbers of a buffer which count probably are.
func (t Told) of(b *ir.Buffer) float64 {
	if share, ok := t[b]; ok {
		return share
	}
	return b.Facts.Likely
}

// ranges are where integers and conditions lie if each count is what counts probably are.
func (t Told) ranges() func(*ir.Node) (lo, hi float64, ok bool) {
	return ir.RangesWhere(nil, func(n *ir.Node) (lo, hi float64, ok bool) {
		if n.Kind != ir.KLoad || n.Buf.Facts.Each == 0 {
			return 0, 0, false
		}
		mean := t.of(n.Buf) * n.Buf.Facts.Each
		return mean, mean, true
	})
}

// probable is the share of a fold's turns that there probably are: all of them, unless its bounds follow from counts of what is not known while
// planning, or whether it turns at all does.
func (t Told) probable(f *ir.Fold) float64 {
	ranges := t.ranges()
	if f.While != nil && !f.While.Free().Meets(f.Binders()) {
		if _, most, _ := ranges(f.While); most == 0 {
			return 0
		}
	}
	share, counts, each := 0.0, false, false
	ir.WalkNodes([]*ir.Node{f.Lo, f.Hi}, func(n *ir.Node) {
		if n.Kind == ir.KLoad && n.Buf.Facts.Likely > 0 {
			share, counts, each = max(share, t.of(n.Buf)), true, each || n.Buf.Facts.Each > 0
		}
	})
	if most, near := count.Within(f); !counts || near && most <= count.MostTrips(f) { // how far it goes does not follow from how much there is
		return 1
	}
	from, low, _ := ranges(f.Lo)
	to, high, _ := ranges(f.Hi)
	if each && from == low && to == high {
		return min(1, max(0, to-from)/max(1, count.MostTrips(f)))
	}
	return share
}

// Asked counts what a kernel's definition asks for: loops over what is counted when it runs as often as they probably turn, and what is done in a branch as
// often as that is probably taken.
func Asked(k *ir.Kernel, told Told) count.Cost {
	return count.CostWhere(k, told.probable, Rarely(k))
}

// Read gives the share of the elements of those buffers that a kernel's definition asks for in a part of its turns alone.
func Read(k *ir.Kernel, told Told) map[*ir.Buffer]float64 {
	return readOf(k, foldsOf(k), told.probable, Rarely(k), 1)
}

// Rarely gives the part of the turns in which values are computed that are computed where something is kept alone.
func Rarely(k *ir.Kernel) map[*ir.Node]float64 { return rarely(k, foldsOf(k)) }

// foldsOf are the folds of a kernel, inner ones first.
func foldsOf(k *ir.Kernel) (out []*ir.Fold) {
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold {
			out = append(out, n.Fold)
		}
	})
	return out
}

// meanTrips is how often a fold turns: on average where its end comes from a table of known numbers, else at most.
func (t Told) meanTrips(f *ir.Fold, most float64) float64 {
	if share := t.probable(f); share < 1 {
		return most * share
	}
	hi := f.Hi
	for hi.Kind == ir.KAlu && hi.Op == ir.Cast {
		hi = hi.Args[0]
	}
	if hi.Kind != ir.KLoad || hi.Buf.Facts.Data == nil || f.Lo.Kind != ir.KConst {
		return most
	}
	return min(most, max(0, hi.Buf.Facts.Data.Mean-float64(f.Lo.I)))
}

// open is the mean number of iterations, at most n, of a fold that is left when all of so many lanes have their answers. An
// answer comes with the same probability 1/s in every iteration, and s is of any scale from 1 to n, with density 1/(s ln n). The
// last of the lanes then has its answer after s (1 + 1/2 + ... + 1/lanes) = s h iterations, and the mean of min(n, s h) is this.
func open(n float64, lanes int) float64 {
	if n <= math.E {
		return n
	}
	h := 0.0
	for j := range lanes {
		h += 1 / float64(j+1)
	}
	return min(n, (n*(1+math.Log(h))-h)/math.Log(n))
}

// culled is the mean number of iterations of a fold that leaves out blocks in which nothing is as large as what it is compared
// with. The vectors in flight leave together, so late that only blocks count. A threshold that moves away in proportion to the
// iterations leaves, of things of any scale, one in j that reach it after j blocks: n/block blocks run 1 + 1/1 + 1/2 + ... of them.
func culled(n, block float64) float64 {
	blocks := 1.0
	for j := 1.0; j < n/block; j++ {
		blocks += 1 / j
	}
	return min(n, block*blocks)
}

// rarely gives for values that turns compute in a branch alone, where they keep something, the part of these turns: as many are kept as of any scale up to
// all of them.
func rarely(k *ir.Kernel, folds []*ir.Fold) map[*ir.Node]float64 {
	out := map[*ir.Node]float64{}
	for _, f := range folds {
		branch, ok := form.BranchOf(k, f)
		if !ok {
			continue
		}
		n := count.MostTrips(f)
		share := open(n, 1) / max(1, n)
		besides, inside := []*ir.Node{branch.Cond}, []*ir.Node(nil)
		for q, step := range f.Step {
			if branch.Changes[q] != nil {
				inside = append(inside, step)
			} else {
				besides = append(besides, step)
			}
		}
		for i, s := range branch.Stores {
			inside = append(append(append(inside, s.Value), s.Index...), branch.Rest[i]...)
		}
		if f.While != nil {
			besides = append(besides, f.While)
		}
		needed := map[*ir.Node]bool{}
		ir.WalkNodes(besides, func(n *ir.Node) { needed[n] = true })
		ir.WalkNodes(inside, func(n *ir.Node) {
			if !needed[n] && n.Free().Meets(f.Binders()) {
				out[n] = share
			}
		})
	}
	return out
}

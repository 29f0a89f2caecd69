package cost

import (
	"cmp"
	"math"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/contraction"
	"weft/kernels/ir/count"
	"weft/kernels/profile"
	"weft/kernels/schedule"
	"weft/kernels/schedule/groups"
	"weft/kernels/schedule/sums"
)

// Work is what a kernel executes: nanoseconds of one core by class, under a layout.
type Work struct {
	ns    map[profile.Class]float64
	loops []loop
	evals float64 // of an interpreter

	starting float64 // nanoseconds of one core until what nothing foresaw is there: turns of loops that begin with nothing under way, lines far apart

	read map[*ir.Buffer]float64 // of buffers that are not loaded as a whole, the share of their cache lines that is
}

// loop is what runs in a loop and in none inside it, in nanoseconds. They are in the order in which they were met, so that sums of them are
// the same each time.
type loop struct {
	in                *ir.Fold // nil: that of the points
	packing           bool     // it lays out what another loop over the same turns reads
	arithmetic, loads float64
}

// add counts operations of a class in a loop.
func (w *Work) add(class profile.Class, in *ir.Fold, ns float64) { w.put(class, in, false, ns) }

// put is add, also in a loop that packs.
func (w *Work) put(class profile.Class, in *ir.Fold, packing bool, ns float64) {
	w.ns[class] += ns
	at := slices.IndexFunc(w.loops, func(l loop) bool { return l.in == in && l.packing == packing })
	if at < 0 {
		at = len(w.loops)
		w.loops = append(w.loops, loop{in: in, packing: packing})
	}
	l := &w.loops[at]
	if class.IsLoad() {
		l.loads += ns
	} else {
		l.arithmetic += ns
	}
}

// overlap is the part of the shorter of arithmetic and loads in a loop that a processor does not hide behind the longer: their units
// work side by side.
const overlap = 0.25

// total is the time of all operations together.
func (w Work) total() (sum float64) {
	for _, l := range w.loops {
		sum += max(l.arithmetic, l.loads) + overlap*min(l.arithmetic, l.loads)
	}
	return sum
}

// folds reports whether some of it is in loops of points.
func (w Work) folds() bool {
	return slices.ContainsFunc(w.loops, func(l loop) bool { return l.in != nil })
}

// heaviest is the class that takes most of the time.
func (w Work) heaviest() (class profile.Class, share float64) {
	most, sum := 0.0, 0.0
	for _, l := range w.loops {
		sum += l.arithmetic + l.loads
	}
	for c, v := range w.ns {
		if v > most || v == most && c < class {
			class, most = c, v
		}
	}
	return class, most / max(sum, 1e-30)
}

// usualFlight is how many vectors in flight are taken to share what does not differ between them before a schedule is known.
const usualFlight = 4

// counter walks a kernel.
type counter struct {
	k      *ir.Kernel
	told   Told
	p      *profile.Profile
	layout device.Layout
	beside map[*ir.Node][]*ir.Node // loads that are gathered together, and how many at a time
	vary   *ir.Vary
	trips  func(ir.Set) float64
	loops  func(ir.Set) ir.Set
	folds  []*ir.Fold           // inner ones first
	shares map[*ir.Fold]float64 // of the iterations that trips counts, those that are run
	fused  *ir.Memo[bool]
	ranges func(*ir.Node) (lo, hi float64, ok bool)
	points ir.Set               // the axes that lanes lie along
	turns  ir.Set               // the indices and accumulators of folds whose turns are lanes
	lanes  ir.Set               // both
	flight []flying             // vectors in flight
	along  []*ir.AffineIn       // the axes or fold indices that lanes lie along
	rare   map[*ir.Node]float64 // see rarely
	runs   map[ir.Set]float64   // memo of turned, where nothing is rare
	done   map[*ir.Set]float64  // memo of executions, where nothing is rare, by what values depend on
	inner  map[*ir.Set]*ir.Fold // memo of innermostAround
	lying  map[*ir.Node]lying   // memo of loaded
	narrow map[*ir.Node]bool    // of float64 sums that are float32 for many iterations
}

// flying is how many vectors in flight lie along an axis.
type flying struct {
	axis    ir.Set
	vectors int
}

// workOf gives the work of a kernel under a layout; nil: that of a device that does not say how it lays kernels out.
func workOf(k *ir.Kernel, p *profile.Profile, layout *device.Layout, told Told) Work {
	c := &counter{k: k, p: p, told: told, vary: ir.NewVary(), trips: count.Trips(k), ranges: ir.RangesWhere(nil, nil),
		runs: map[ir.Set]float64{}, done: map[*ir.Set]float64{}, inner: map[*ir.Set]*ir.Fold{}, lying: map[*ir.Node]lying{}}
	c.folds = foldsOf(k)
	if layout != nil {
		c.layout = *layout
	} else {
		c.layout = likely(k, p.Lanes, len(c.folds) > 0)
	}
	c.loops = count.Around(k, c.layout.Order)
	for _, a := range c.layout.Lanes {
		c.lanes = c.lanes.Or(k.Axes[a].Bind())
		c.along = append(c.along, c.vary.Along(k.Axes[a]))
	}
	for a, each := range c.layout.FlightOn {
		c.flight = append(c.flight, flying{k.Axes[a].Bind(), each})
	}
	c.points = c.lanes
	if c.layout.FoldLanes {
		for _, f := range c.innermost() {
			if !c.vary.Of(f.Node).Meets(c.points) {
				c.turns = c.turns.Or(binders(f))
				c.along = append(c.along, c.vary.Along(f.Index))
			}
		}
		c.lanes = c.lanes.Or(c.turns)
	}
	if !c.layout.Windows && !c.lanes.Empty() {
		c.beside = groups.Of(k, p.Lanes)
	}
	if c.layout.Narrow {
		c.narrow = sums.Narrowed(c.folds)
	}
	c.fused = contraction.Of(k).Absorbed(k)
	c.handOn()
	if c.shares = c.executedShares(); c.lanes.Empty() {
		c.rare = rarely(k, c.folds)
	}
	all := count.CostOf(k)
	w := Work{ns: map[profile.Class]float64{}, evals: all.NodeEvals}
	k.Walk(func(n *ir.Node) {
		class, times := c.classOf(n)
		packed, ok := c.layout.Packed[n]
		if times == 0 && !ok {
			return
		}
		runs, in := c.executions(n), c.innermostAround(n)
		if ok {
			if packed.Operand {
				w.add(profile.Contiguous, in, runs*p.Ops[profile.Contiguous])
			}
			runs /= float64(packed.Points) / c.sharing(n)
			if packed.Single {
				runs *= narrower * float64(p.Lanes)
			}
			if packed.Operand { // and stored
				w.put(profile.Contiguous, in, true, runs*max(p.Ops[profile.Contiguous], p.Ops[profile.Simple])*float64(schedule.Registers(n.Type)))
			}
		}
		if times == 0 {
			return
		}
		if ok && c.transposed(n, class, in) {
			class = profile.Contiguous
			w.put(profile.Simple, in, true, times*runs*math.Log2(float64(p.Lanes))*p.Ops[profile.Simple])
		}
		times *= runs
		if wide[class] && c.lanes.Empty() {
			times /= 2 // of these, a vector has half as many
		}
		w.put(class, in, ok, times*p.Ops[class])
		if lines := c.lines(n, class, in, times); lines > 0 {
			if ok && in != nil && c.stride(n, in) >= 2*lineBytes {
				lines *= 2 // processors fetch them in pairs
			}
			w.put(class, in, ok, times/float64(p.Lanes)*lines*c.line(n.Buf))
		} else if c.jumps(n, class, in) {
			w.starting += times / float64(p.Lanes) * c.line(n.Buf)
		}
	})
	c.turning(&w)
	w.read = readOf(k, c.folds, func(f *ir.Fold) float64 {
		if f.While == nil {
			return c.told.probable(f)
		}
		return c.shares[f]
	}, c.rare, lineBytes)
	for i := range k.Stores {
		c.stores(w, &k.Stores[i])
	}
	return w
}

// stores counts what is stored: whole vectors at points, and in the turns of a fold, where neighbouring lanes do not store to neighbours, one
// element after the other, with its place, its value and whether it is stored at all taken from memory if they are of lanes.
func (c *counter) stores(w Work, s *ir.Store) {
	least := c.p.Ops[profile.Simple] // loads may be measured as nothing, where arithmetic hides them; what is stored does not hide
	times, each, add := float64(c.k.Points()), max(c.p.Ops[profile.Contiguous], least), c.p.Ops[profile.FMA]
	if s.Adds {
		each += max(c.p.Ops[profile.Uniform], least)
	}
	if s.Buf.Type == ir.F64 { // of these, a vector has half as many
		if add = c.p.Ops[profile.FMA64]; c.lanes.Empty() {
			add /= 2
		} else {
			each *= 2
		}
	}
	if s.Adds {
		each += add
	}
	apart := c.lanes.Empty() || c.cut()
	if s.In == nil {
		times *= cmp.Or(c.layout.Waste, 1)
	} else {
		times = c.trips(s.In.Binders().Or(s.In.Node.Free())) * c.shares[s.In] * cmp.Or(c.rare[s.Value], 1)
		lanes, known := c.lanesLie(s.Buf, s.Index)
		apart = !known || !sideBySide(lanes)
	}
	if apart {
		if times *= narrower * float64(c.p.Lanes); !c.lanes.Empty() {
			each += 3 * c.p.Ops[profile.Uniform]
		}
	}
	w.add(profile.Contiguous, s.In, times*each)
}

// likely is a layout with lanes along the innermost axis long enough, along iterations where there is none.
func likely(k *ir.Kernel, lanes int, folds bool) device.Layout {
	for a := len(k.Axes) - 1; a >= 0; a-- {
		if k.Axes[a].Extent >= lanes {
			return device.Layout{Lanes: []int{a}, Flight: usualFlight, FlightOn: map[int]int{a: usualFlight}}
		}
	}
	return device.Layout{FoldLanes: folds}
}

// innermost are the folds that no other lies in.
func (c *counter) innermost() []*ir.Fold {
	var out []*ir.Fold
	for _, f := range c.folds {
		if !slices.ContainsFunc(c.folds, func(g *ir.Fold) bool { return g.Node.Free().Meets(binders(f)) }) {
			out = append(out, f)
		}
	}
	return out
}

func binders(f *ir.Fold) ir.Set { return f.IndexBind.Or(f.AccBind) }

// narrower is the time of a scalar operation, where that of a vector is 1: cores begin twice as many at once.
const narrower = 0.5

// scalar is how many times dearer an operation is where lanes are not used.
func (c *counter) scalar() float64 {
	if c.lanes.Empty() {
		return narrower * float64(c.p.Lanes)
	}
	return 1
}

// executions is how often a value is computed, in lanes: a value that differs between lanes in the innermost fold it belongs
// to as often as that fold turns, one that does not once for all vectors in flight.
func (c *counter) executions(n *ir.Node) float64 {
	if rare := c.rare[n]; rare != 0 {
		return c.executed(n, rare)
	}
	times, ok := c.done[n.Depends()]
	if !ok {
		times = c.executed(n, 0)
		c.done[n.Depends()] = times
	}
	return times
}

// executed is executions of a value that is computed in a share of the turns (0: all) of the loops around it.
func (c *counter) executed(n *ir.Node, rare float64) float64 {
	free := c.around(n)
	times := c.turned(free, rare)
	if c.lanes.Empty() {
		return times
	}
	times /= c.sharing(n)
	if free.Meets(c.points) && free.Meets(c.turns) && !c.vary.Of(n).Meets(c.points) { // turns for all lanes of points
		times /= float64(c.p.Lanes)
	}
	if c.vary.Of(n).Meets(c.lanes) || free.Meets(c.lanes) { // inside a loop that lanes divide, perhaps the same for all of them
		return times
	}
	return times * float64(c.p.Lanes) // a scalar operation takes the time of a vector's
}

// turned is how often what is computed in some loops is, in a share of their turns (0: all), by one lane of points or turns.
func (c *counter) turned(loops ir.Set, rare float64) float64 {
	if times, ok := c.runs[loops]; ok && rare == 0 {
		return times
	}
	share := cmp.Or(rare, 1)
	for _, f := range c.folds {
		if loops.Meets(binders(f)) {
			if share *= c.shares[f]; f.IndexBind.Meets(c.turns) {
				share *= c.ragged(f)
			}
		}
	}
	times := c.trips(loops) * share * c.scalar() * cmp.Or(c.layout.Waste, 1)
	if rare == 0 {
		c.runs[loops] = times
	}
	return times
}

// sharing is how many vectors in flight have a value in common: those along axes that it does not differ over, in loops that do.
func (c *counter) sharing(n *ir.Node) float64 {
	free, vary, share := c.around(n), c.vary.Of(n), 1
	if len(c.layout.FlightOn) == 0 && !vary.Meets(c.lanes) && free.Meets(c.lanes) {
		return float64(max(1, c.layout.Flight))
	}
	for _, f := range c.flight {
		if free.Meets(f.axis) && !vary.Meets(f.axis) {
			share *= f.vectors
		}
	}
	return float64(share)
}

// innermostAround is the innermost fold that a value is computed in; nil: none.
func (c *counter) innermostAround(n *ir.Node) *ir.Fold {
	f, ok := c.inner[n.Depends()]
	if !ok {
		loops := c.around(n)
		if i := slices.IndexFunc(c.folds, func(f *ir.Fold) bool { return loops.Meets(binders(f)) }); i >= 0 {
			f = c.folds[i]
		}
		c.inner[n.Depends()] = f
	}
	return f
}

// around are the loops that a value is computed in.
func (c *counter) around(n *ir.Node) ir.Set { return c.loops(n.Free()) }

// absorbed reports a product that is rounded with all that reads it.
func (c *counter) absorbed(n *ir.Node) bool {
	yes, _ := c.fused.Of(n)
	return yes
}

// classOf is the class of a node's operation and how many of the class's it takes; none for what costs nothing.
func (c *counter) classOf(n *ir.Node) (profile.Class, float64) {
	switch {
	case n.Kind == ir.KLoad:
		class := c.loadClass(n)
		return class, c.each(n, class)
	case n.Kind != ir.KAlu || c.absorbed(n):
		return "", 0
	}
	info := n.Op.Info()
	class, times := classes[info.Cost], info.Times
	if f := n.Form(c.ranges); f != nil {
		times *= f.Times
	}
	switch operand := operandType(n); {
	case c.lanes.Empty() && n.Type == ir.Bool && (n.Op == ir.And || n.Op == ir.Or || n.Op == ir.Not):
		return "", 0 // branches and flags
	case c.narrow[n] && n.Op == ir.Cast:
		return "", 0
	case c.narrow[n]:
		return class[0], times
	case operand == ir.F64 && class[1] != "":
		return class[1], times
	case operand == ir.F64 && !c.lanes.Empty(): // half as many
		return class[0], 2 * times
	case n.Type.Int() && (n.Op == ir.Div || n.Op == ir.Mod):
		return profile.Integer, c.division(n.Args[1])
	case n.Type.Int() && n.Op != ir.Cast:
		return profile.Integer, 1
	}
	return class[0], times
}

// division is how many operations an integer division takes: by a power of two a shift, by another constant a product of which the upper half is
// taken, else as long as of one lane after the other.
func (c *counter) division(by *ir.Node) float64 {
	switch scalar := 30.0; {
	case by.Kind == ir.KConst && by.I > 0 && by.I&(by.I-1) == 0:
		return 1
	case by.Kind == ir.KConst:
		return 8
	case c.lanes.Empty():
		return scalar
	default:
		return scalar * narrower * float64(c.p.Lanes)
	}
}

// wide are classes of float64.
var wide = map[profile.Class]bool{profile.FMA64: true, profile.Divide64: true, profile.Exp64: true}

// operandType is the type that decides what an operation costs.
func operandType(n *ir.Node) ir.DType {
	for _, a := range n.Args {
		if a.Type == ir.F64 {
			return ir.F64
		}
	}
	return n.Type
}

// classes are what the cost classes of operations are measured as, in float32 and float64; none where float64 takes two of float32.
// Integer arithmetic is Integer.
var classes = map[ir.CostClass][2]profile.Class{
	ir.CostNothing: {}, ir.CostSimple: {profile.Simple}, ir.CostFused: {profile.FMA, profile.FMA64}, ir.CostConvert: {profile.Convert},
	ir.CostDivide: {profile.Divide, profile.Divide64}, ir.CostRoot: {profile.SquareRt, profile.Divide64},
	ir.CostExp: {profile.Exp, profile.Exp64}, ir.CostLog: {profile.Log, profile.Exp64}, ir.CostSine: {profile.Sine, profile.Exp64},
	ir.CostAtan2: {profile.Atan2}, ir.CostPower: {profile.Power},
}

package fuse

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/plan"
)

// A stage that is computed in other kernels keeps below the first two, and a kernel with all that is computed in it below the others, so
// that it compiles in reasonable time and its loops can be told apart.
const (
	maxBinders  = ir.KernelBinders / 2
	maxNodes    = 500
	mostBinders = ir.KernelBinders * 3 / 4
	mostNodes   = 2 * maxNodes
)

// weighedNodes are how many values the kernels of two choices may hold that are built and predicted to compare them. Larger ones draw on a
// budget of so many values for each that the stages hold by themselves, and are compared by what their parts take when it is spent: planning
// is linear in stages.
const (
	weighedNodes = 400
	largerNodes  = 2
)

// fewElements leave threads idle: tiles are cut along elements, not along the loops within one.
const fewElements = 16

// Options of the verdicts.
type Options struct {
	Rates   plan.Rates
	Cost    *cost.Model     // nil: the rates decide
	Limit   int             // at most so many fusions; negative: no limit
	Largest int64           // bytes of an array that a limit of 0 is for, at most
	Mixed   bool            // kernels may run on devices of several kinds, whose arithmetic differs in last digits
	Decided map[string]bool // verdicts to repeat, of those that were weighed
	// Weights are the seconds that kernels take, by their loose hash: what plans of one model and device found, for others of these.
	Weights map[string]float64
}

// Verdicts are on all edges of a graph.
type Verdicts struct {
	Fused   map[graph.Edge]bool
	Edges   []plan.Edge
	Weighed map[string]bool // those that were weighed, by edge

	Asked, Scheduled int // kernels that were asked for to be weighed, and those that were scheduled for it, as a measure of the work
	Built            int // of those asked for, those that were built to know which they are
}

// Decide gives the verdicts, producers first.
func Decide(g *graph.Graph, opt Options) (*Verdicts, error) {
	f := &fuser{Options: opt, g: g, sizes: map[*ops.Stage]size{}, homes: map[*ops.Stage]*ops.Stage{}, ends: map[*ops.Stage]*ops.Stage{}, meets: map[*ops.Stage]*ops.Stage{},
		counts: map[*ops.Stage]*runs{}, before: map[*ops.Stage][]weighing{}, within: map[*ops.Stage][]*ir.Interval{}, along: map[*ops.Stage]bool{}, inOrder: map[*ops.Stage]*along{}, places: places{}, ways: map[*ops.Stage]bool{},
		budget: 16 * weighedNodes, Verdicts: Verdicts{Fused: map[graph.Edge]bool{}, Weighed: map[string]bool{}}}
	for _, p := range g.Stages {
		f.budget += largerNodes * g.Alone(p).Nodes
	}
	f.turning = f.budget
	for _, p := range g.Stages {
		f.decide(p)
	}
	f.weighTables()
	return &f.Verdicts, errors.Join(f.faults...)
}

type fuser struct {
	Options
	Verdicts
	g       *graph.Graph
	sizes   map[*ops.Stage]size
	homes   map[*ops.Stage]*ops.Stage
	ends    map[*ops.Stage]*ops.Stage
	meets   map[*ops.Stage]*ops.Stage
	counts  map[*ops.Stage]*runs
	before  map[*ops.Stage][]weighing
	within  map[*ops.Stage][]*ir.Interval // where the parts of what was predicted lie
	at      int                           // place of the stage whose edges are decided
	along   map[*ops.Stage]bool           // what is carried by the loops that read it
	inOrder map[*ops.Stage]*along         // what is made in order, as weighed
	places  places                        // that @device asks for
	budget  int                           // values that kernels of more than weighedNodes may still hold
	faults  []error

	turning int                 // as the budget, of kernels of folds behind places
	ways    map[*ops.Stage]bool // what was weighed as computed in the turns of a fold, with a stage before it

	tops  []topEdge // of tables of largest values
	blind bool      // predictions are without these
}

// flopsPerElement is the cost of one element of a stage as decided so far.
func (f *fuser) flopsPerElement(s *ops.Stage) float64 {
	switch known := f.sizeOf(s); {
	case graph.Given(s):
		return 0
	case !known.within(weighedNodes, mostBinders):
		return known.flops
	}
	return count.CostOf(f.g.KernelBuilder(f.readAsDecided()).KernelOf(s)).Flops / float64(max(1, s.Type.Len()))
}

// built reports whether the kernels that a choice about p is between are built to compare them.
func (f *fuser) built(p *ops.Stage, readers []*ops.Stage) bool {
	if f.Cost == nil {
		return false
	}
	stages, nodes := append([]*ops.Stage{p}, locator(f.home).of(readers)...), 0
	for _, s := range stages {
		nodes += max(f.sizeOf(s).nodes, f.runsIn(s).nodes)
	}
	if nodes <= weighedNodes {
		return true
	}
	nodes = 0
	for _, s := range stages {
		if known := f.sizeOf(s); known.estimated && f.budget > 0 {
			f.counted(s)
			f.budget -= min(f.sizeOf(s).nodes, weighedNodes)
		}
		nodes += max(f.sizeOf(s).nodes, f.runsIn(s).nodes)
	}
	f.budget -= 4 * nodes // with the stage and without it, and what shares these
	return f.budget > 0
}

// readAsDecided inlines along fused edges and loads along the others.
func (f *fuser) readAsDecided() graph.Reader {
	bufs := map[*ops.Stage][]*ir.Buffer{}
	return func(p, c *ops.Stage) []*ir.Buffer {
		if f.Fused[graph.Edge{From: p, To: c}] {
			return nil
		}
		if bufs[p] == nil {
			bufs[p] = f.g.Buffers(p)
		}
		return bufs[p]
	}
}

// producer is a stage whose readers get verdicts.
type producer struct {
	*fuser
	stage    *ops.Stage
	users    []*ops.Stage
	elements float64
	bytes    float64
	reads    float64 // of an element, by all readers
	sibling  bool    // a reader computes it and stores it too
	seconds  float64
	timed    bool
	margin   float64
	readers  []*ops.Stage // that compute it, or load it, each for itself
	choice   *[2]float64  // seconds of computing it everywhere, and of storing it
}

// decide gives the verdict on every edge that leaves p. Tables known while planning are operands, not stages a user wrote.
func (f *fuser) decide(p *ops.Stage) {
	users := f.g.Users[p]
	if len(users) == 0 || p.Data != nil {
		return
	}
	d := producer{fuser: f, stage: p, users: users, elements: float64(max(1, p.Type.Len())), bytes: float64(p.Type.Bytes())}
	f.at = f.g.Place[p]
	fits := graph.Given(p) || f.fits(p)
	for i, c := range users {
		if f.repeats(users[:i], c) {
			continue
		}
		if !f.joined(p) || !slices.Contains(locator(f.home).of(d.readers), f.home(c)) {
			d.reads += d.readsBy(c)
		}
		d.readers = append(d.readers, c)
	}
	for _, c := range users {
		reads := d.readsBy(c)
		e := plan.Edge{From: p.Name, To: c.Name, Reads: reads, Readers: len(users),
			Bytes: int64(d.bytes * (1 + math.Min(reads, 1))), Inner: p.Op == c.Op}
		switch e.Code = f.barred(p, c); {
		case e.Code == plan.InOrder && d.carry(&e), f.along[p]:
			e.Code, e.Bytes = plan.Carried, int64(d.bytes*(1/float64(len(users))+math.Min(reads, 1))) // it is stored once for all
		case e.Code == "" && !fits:
			e.Code = plan.Budget
		}
		switch {
		case e.Code != "":
		case f.g.Woven(p):
			e.Code = plan.Woven
		case f.g.Joined(p):
			e.Code = plan.Pointwise
		default:
			e.Code = d.weigh(c, &e)
		}
		f.settle(p, c, &e)
	}
}

// readsBy is how often a reader takes an element: in every turn of the loops around it where an element in place of that, computed in each,
// would be worth a kernel.
func (d *producer) readsBy(c *ops.Stage) float64 {
	reads, turns := d.fuser.reads(d.stage, c)/d.elements, d.g.Alone(c).Turns[d.stage]/d.elements
	if turns > reads && d.Cost != nil && d.barred(d.stage, c) == "" && (turns-reads)*d.compute() > d.Cost.Step() {
		return turns
	}
	return reads
}

// compute is how long it takes to compute all elements once, in seconds.
func (d *producer) compute() float64 {
	if !d.timed {
		d.timed, d.seconds = true, d.elements*d.flopsPerElement(d.stage)/d.Rates.Flops
	}
	return d.seconds
}

// weigh is the verdict on the edge to a reader that may compute the stage: what takes less time.
func (d *producer) weigh(c *ops.Stage, e *plan.Edge) plan.Code {
	f, p := d.fuser, d.stage
	if d.serial(c) {
		return plan.Serial
	}
	pointwise := !f.g.Alone(c).Elsewhere[p] && graph.SameShape(p, c)
	switch {
	case f.g.Wanted[p] && pointwise && !d.sibling && graph.SameShape(p, f.end(c)) && !f.g.LeadsAround(p, c):
		d.sibling = true
		return plan.Sibling
	case f.g.Wanted[p]:
		if h := f.home(c); !f.built(p, []*ops.Stage{c}) {
			e.FusedMs, e.StoredMs = 1e3*e.Reads*d.compute(), 1e3*d.bytes*e.Reads/f.Rates.Bandwidth
		} else {
			e.FusedMs, e.StoredMs = 1e3*f.predicted(h, p, f.home), 1e3*f.predicted(h, nil, f.home)
			e.Kernel = graph.Key(h)
		}
		return f.choose(p, c, e, plan.Recomputed, plan.WantedBySink)
	case d.reads <= once && !(f.doubtful(p, c) && f.built(p, d.readers)):
		return plan.Pointwise
	case f.g.Tabled(p): // a copy of the table would tell its readers less
		return plan.Recomputed
	}
	fused, stored := d.alternatives()
	e.FusedMs, e.StoredMs = 1e3*fused, 1e3*stored
	e.Margin = d.margin
	fuse, store := plan.Recomputed, plan.Costly
	if d.reads <= once {
		fuse, store = plan.Pointwise, plan.Apart
	}
	code := f.choose(p, c, e, fuse, store)
	if code == store && d.margin > 0 {
		e.Kernel = graph.Key(p)
	}
	return code
}

// alternatives are the seconds that two choices take: to compute it wherever it is read, or to store it.
func (d *producer) alternatives() (fused, stored float64) {
	if d.choice == nil {
		d.choice = &[2]float64{d.reads * d.compute(), d.compute() + d.bytes*(1+math.Min(d.reads, float64(len(d.users))))/d.Rates.Bandwidth}
		switch {
		case d.built(d.stage, d.readers):
			d.choice[0], d.choice[1] = d.fuser.alternatives(d.stage, d.readers)
			if d.margin = recomputeDoubt; d.reads <= once { // nothing is computed again
				d.margin = 1 / recomputeDoubt
			}
		case d.ways[d.stage]:
			d.choice[0] = 0 // it was weighed there
		}
	}
	return d.choice[0], d.choice[1]
}

// barred is the code of a rule that forbids computing p in c; empty: none does.
func (f *fuser) barred(p, c *ops.Stage) plan.Code {
	switch {
	case isTableOf(p, c):
		return plan.Bounding
	case p.Around:
		return plan.Invariant
	case graph.Given(p):
		return plan.Given
	case p.Hints().Keep:
		return plan.Kept
	case p.Put != nil:
		return plan.InOrder
	}
	return f.parted(p, c)
}

// parted is barred, but for how p is made and whether that is asked for.
func (f *fuser) parted(p, c *ops.Stage) plan.Code {
	switch {
	case slices.Contains(slices.Collect(maps.Values(f.g.Counts)), p):
		return plan.Counts
	case p.Partial:
		return plan.PartialSums
	case f.g.Varies[c] && !f.g.Varies[p] && !f.g.Woven(p) && !f.g.Decoded(p) && !f.g.Parting(p):
		return plan.Invariant
	case f.disagree(p, c):
		return plan.OtherTypes
	case !f.places.agree(p, c):
		return plan.OtherDevice
	case c.Exact && (c.Put != nil || f.g.Alone(c).Sites[p] > 1) && f.g.Alone(c).Elsewhere[p] && f.g.Approximate(p):
		return plan.Alike
	case p.Type.Len() < c.Type.Len() && f.reduces(p):
		return plan.Barrier // tiles run at the same time: each would reduce everything again
	}
	return ""
}

// disagree reports that two stages ask for different types, of sums only if both have some.
func (f *fuser) disagree(p, c *ops.Stage) bool {
	x, y := graph.ArithmeticOf(p), graph.ArithmeticOf(c)
	if !f.g.Alone(p).Folds || !f.g.Alone(c).Folds {
		x.Accumulate, y.Accumulate = 0, 0
	}
	return x != y
}

// serial reports whether a stage is a long reduction of reductions: fused into so few elements it would run on one thread, stored
// it does not.
func (d *producer) serial(c *ops.Stage) bool {
	const worthThreads = 50e-6 // seconds, well above the cost of one more launch
	f, p := d.fuser, d.stage
	points := ops.Type{Dims: f.g.Axes(c)}.Len()
	if !f.g.Alone(p).Folds || !f.g.Alone(c).Folds || points > fewElements || p.Type.Len() <= points {
		return false
	}
	read := 0.0
	for in, n := range f.g.Alone(p).Loads {
		read += n * float64(in.Type.Elem.Size())
	}
	return !f.weighed(p, c, max(d.compute(), read/f.Rates.Bandwidth) <= worthThreads)
}

// choose takes the faster of two choices, if the kernel of both stages is one that there may be.
func (f *fuser) choose(p, c *ops.Stage, e *plan.Edge, fused, stored plan.Code) plan.Code {
	if math.IsInf(e.FusedMs, 1) {
		e.FusedMs, e.StoredMs = 0, 0
		return plan.Budget
	}
	if f.weighed(p, c, e.FusedMs*cmp.Or(e.Margin, 1) < e.StoredMs && !f.culls(p)) {
		return fused
	}
	return stored
}

// settle applies what the user asked for and records the edge.
func (f *fuser) settle(p, c *ops.Stage, e *plan.Edge) {
	if p.Hints().Fuse && p.Op != c.Op {
		switch e.Code {
		case plan.Costly, plan.WantedBySink, plan.Apart:
			e.Code = plan.Forced
		}
	}
	switch {
	case !e.Code.Fused():
	case f.Limit == 0 && p.Type.Bytes() <= f.Largest:
		e.Code = plan.Limit
	case !f.takes(c, p) && !f.along[p]:
		e.Code = plan.Budget
	}
	if p.Hints().Fuse && p.Op != c.Op && !e.Code.Fused() {
		fault := problem.Wrong(problem.FusionRefused, "", "leave out @fuse; `weft explain` shows the verdicts",
			"%s cannot be fused into %s as @fuse asks: %s (%s)",
			p.Name, c.Name, strings.TrimPrefix(plan.Meaning[e.Code], "stored: "), e.Code)
		fault.At = p.Hints().At["fuse"]
		f.faults = append(f.faults, fault)
	}
	if e.Code.Fused() {
		if f.Limit > 0 {
			f.Limit--
		}
		f.Fused[graph.Edge{From: p, To: c}] = true
		f.places.join(p, c)
	}
	e.Change = change(*e)
	if e.Code == plan.Bounding && len(p.Type.Dims) == 0 {
		f.tops = append(f.tops, topEdge{len(f.Edges), c})
	}
	f.Edges = append(f.Edges, *e)
}

// change says what would turn a verdict that was weighed.
func change(e plan.Edge) string {
	switch e.Code {
	case plan.Recomputed:
		if e.FusedMs == 0 { // no factor of nothing is something
			return ""
		}
		return fmt.Sprintf("storing would win if computing were %.1f times dearer", e.StoredMs/math.Max(e.FusedMs*cmp.Or(e.Margin, 1), 1e-12))
	case plan.Carried, plan.Sooner:
		if e.FusedMs == 0 { // there was nothing to be weighed
			return ""
		}
		return fmt.Sprintf("%s would win if the loops that carry it took %.1f times what they do", map[bool]string{true: "storing", false: "fusing"}[e.Code.Fused()], e.StoredMs/(e.FusedMs*cmp.Or(e.Margin, 1)))
	case plan.Costly, plan.WantedBySink, plan.Apart:
		return fmt.Sprintf("fusing would win if computing were %.1f times cheaper", e.FusedMs*cmp.Or(e.Margin, 1)/math.Max(e.StoredMs, 1e-12))
	case plan.Kept:
		return "remove @keep"
	case plan.Limit:
		return "raise --fuse-limit"
	}
	return ""
}

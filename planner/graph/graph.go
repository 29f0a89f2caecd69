// Package graph is a program as stages: what reads what, how a stage is written into a kernel, and what the stages of a program ask of
// their planning. Stages do not change; how a planner sees them otherwise than their operators defined them stands beside them.
package graph

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
	"weft/ops/operand"
)

// Graph is the stages that the sinks of a program need.
type Graph struct {
	Stages []*ops.Stage // producers before consumers
	Sinks  []Sink
	Users  map[*ops.Stage][]*ops.Stage // stages that read a stage, in order
	Wanted map[*ops.Stage]bool         // handed to a sink
	Place  map[*ops.Stage]int          // in Stages
	Views  Views
	// Arguments are settled when there is a graph.
	Arguments Arguments
	loose     map[*ops.Stage]bool         // tables that kernels would be the same for if they held other values
	Varies    map[*ops.Stage]bool         // of a program: what differs from call to call
	Objects   string                      // of a program in rounds: the dim of its objects
	Counts    map[ops.Array]*ops.Stage    // how many elements there are along dims of which that is known only when it runs
	Around    map[*ops.Stage][]*ops.Stage // of what a drive gives: what its state is at first, and what its programs have from here
	Drives    map[*ops.Instance]*Drive
	Lends     map[*ops.Stage]bool         // that drives have, and no sink
	Doubted   bool                        // some of it is looked at, to find out whether it has an answer
	Takers    map[*ops.Stage]int          // sinks and drives that take one
	Units     map[*ops.Stage]retype.Units // of arrays stored as integers

	shared   map[*ops.Stage][]*ir.Buffer // of a program: arrays that lie around it
	lasts    map[*ops.Stage]bool         // see Lasts
	feeds    map[*ops.Stage][]*ops.Stage // what drives give that have a stage around them
	frames   map[Edge]framed             // what a stage reads in place of another
	knowns   map[*ops.Stage]bool         // memo of known
	works    map[*ops.Stage]work         // memo of work
	values   map[evaluation][]float64    // memo of evaluate
	formulas map[*ops.Stage]*formula     // memo of formula, dims as they are
	tabled   map[*ops.Stage]bool         // that read a table of their elements
	cores    map[*ops.Stage]*ops.Stage   // memo of Core
	loops    map[*ops.Stage]bool         // memo of looped
	holds    map[*ops.Stage]bool         // memo of Holds
	joined   map[*ops.Stage]bool         // memo of Joined

	alone   map[*ops.Stage]*Alone
	points  map[*ops.Stage]*Point
	calls   float64            // of a program: how many there may be
	shorter map[*ops.Stage]way // memo of shortest
	woven   map[string]bool    // of a program: see Woven
	Lowered int                // stages that were written into kernels, as a measure of the work
}

// Sink is a use of a sink operator and the stages it takes.
type Sink struct {
	Op     *ops.Instance
	Inputs []*ops.Stage
}

// Edge is a stage and one that reads it.
type Edge struct{ From, To *ops.Stage }

// Collect lowers every operator that a sink needs. What does not vary in a drive is made around it or, apart, in each of its programs. In less room than
// arrays take, unless it is 0, drives that can have them on disk do; with spill, what is made around them is stored there too.
// With strict, what is only said of arrays is looked at also where that takes a pass of its own.
func Collect(sinks []*ops.Instance, how How) *Graph {
	c := newCollector()
	c.how = how
	if how.Spill {
		c.spilled = newSpills(sinks)
	}
	c.findEnds(sinks)
	c.doubts = []Sink{}
	for _, op := range sinks {
		var in []*ops.Stage
		op.Call.Arrays(func(_ string, a ops.Array) { in = append(in, c.stageOf(a)) })
		c.sink(op, in)
	}
	c.Doubted = len(c.doubts) > 0
	for _, s := range c.doubts {
		c.sink(s.Op, s.Inputs)
	}
	return c.graph()
}

// How is what a graph is collected for: of a plan, what it says of these.
type How struct {
	Apart  bool  // see plan.Plan
	Room   int64 // the same
	Spill  bool  // what tiles are read of is stored on disk before
	Strict bool
	Blocks bool // it runs in blocks of rows
	Anew   bool // what is read from a file and has its dims renamed is read for that anew
}

// ByBlocks reports whether the program is another one where it runs in blocks of rows: less is found by mirroring, or looked at.
func (g *Graph) ByBlocks() bool { return g.Mirrors() || g.Doubted }

// Rereads reports whether there is an array from a file that is read along other dims, too, which could be by itself.
func (g *Graph) Rereads() bool {
	return slices.ContainsFunc(g.Stages, func(s *ops.Stage) bool {
		return fromFile(s) && len(g.Users[s]) > 1 && slices.ContainsFunc(g.Users[s], func(u *ops.Stage) bool { return renames(u.Op) })
	})
}

// renames reports an operator that gives what it is given, with dims of other names.
func renames(op *ops.Instance) bool {
	r, ok := op.Bound.(operand.Renamer)
	if !ok {
		return false
	}
	_, names, ok := r.Renames(op.Call)
	return ok && len(names) > 0
}

// Mirrors reports whether there is an array of which half is found and mirrored, which takes both halves of it at once.
func (g *Graph) Mirrors() bool {
	return slices.ContainsFunc(g.Stages, func(s *ops.Stage) bool { return s.Mirrored })
}

// collector lowers operators, each once.
type collector struct {
	*Graph
	made  map[*ops.Instance][]*ops.Stage
	ends  map[*ops.Instance]bool            // what the ends of parts of a dim are made from
	opens map[*ops.Instance][]*ops.Instance // memo of open

	doubts []Sink // see ops.Doubtful; nil: of programs of a drive none are looked at

	how     How
	readers int                         // that read anew
	bare    bool                        // drives outside all turns have no programs
	spilled *spills                     // nil: nothing is
	stored  map[ops.Array]*ops.Instance // what a program has from disk
}

// findEnds looks through all that some instances are made from.
func (c *collector) findEnds(of []*ops.Instance) {
	c.ends = map[*ops.Instance]bool{}
	ops.Walk(of, func(op *ops.Instance) {
		for name := range op.Call.Args {
			for _, v := range op.Call.List(name) {
				if s, ok := v.(ops.Segment); ok {
					s.Arrays(func(a ops.Array) { ops.Walk([]*ops.Instance{a.Of}, func(from *ops.Instance) { c.ends[from] = true }) })
				}
			}
		}
	})
}

// sourceFacts are what is known of an array from outside: where its elements lie, and the starts of rows that bounds may look up, in which
// the ends of these are found. Nothing is proved by their values: what has no window is read as it is.
func (c *collector) sourceFacts(op *ops.Instance, out int) (f ir.Facts) {
	if source, ok := op.Bound.(ops.Bounded); ok {
		if lo, hi, ok := source.Within(out); ok {
			f.Within = &ir.Interval{Lo: lo, Hi: hi}
		}
	}
	source, ok := op.Bound.(ops.Starter)
	if !ok || !c.ends[op] {
		return f
	}
	rows := source.Starts(out)
	if len(rows) == 0 {
		return f
	}
	mean := 0.0
	for _, x := range rows {
		mean += float64(x) / float64(len(rows))
	}
	f.Data = &ir.DataFacts{Least: math.MinInt64, Most: math.MaxInt64, Mean: mean, Rising: rows}
	return f
}

func newCollector() *collector {
	return &collector{made: map[*ops.Instance][]*ops.Stage{}, opens: map[*ops.Instance][]*ops.Instance{}, Graph: &Graph{
		Users: map[*ops.Stage][]*ops.Stage{}, Wanted: map[*ops.Stage]bool{}, Around: map[*ops.Stage][]*ops.Stage{},
		Drives: map[*ops.Instance]*Drive{}, Lends: map[*ops.Stage]bool{}, Takers: map[*ops.Stage]int{}, Units: map[*ops.Stage]retype.Units{}, shared: map[*ops.Stage][]*ir.Buffer{}, lasts: map[*ops.Stage]bool{}, feeds: map[*ops.Stage][]*ops.Stage{},
		Place: map[*ops.Stage]int{}, Views: Views{}, Counts: map[ops.Array]*ops.Stage{}, alone: map[*ops.Stage]*Alone{}, points: map[*ops.Stage]*Point{}, shorter: map[*ops.Stage]way{},
		frames: map[Edge]framed{}, knowns: map[*ops.Stage]bool{}, works: map[*ops.Stage]work{}, values: map[evaluation][]float64{}, formulas: map[*ops.Stage]*formula{}, tabled: map[*ops.Stage]bool{},
		cores: map[*ops.Stage]*ops.Stage{}, loops: map[*ops.Stage]bool{},
		Arguments: Arguments{Values: map[string]ops.Number{}, Fixed: map[string]string{}}}}
}

func (c *collector) stageOf(a ops.Array) *ops.Stage {
	if from := c.stored[a]; from != nil {
		return c.outputs(from)[0]
	}
	return c.outputs(a.Of)[a.Out]
}

// anew is the stage of an array for an operator that has it for itself: of what is read from a file, a copy.
func (c *collector) anew(a ops.Array) *ops.Stage {
	s := c.stageOf(a)
	if !fromFile(s) || slices.ContainsFunc(s.Type.Dims, func(d ops.Dim) bool { return d.Count != nil }) {
		return s
	}
	of, again := s.Op, *s
	c.readers++
	again.Op = &ops.Instance{ID: -c.readers, Spec: of.Spec, Call: of.Call, Bound: of.Bound, Out: of.Out, Label: of.Label, Where: of.Where, Within: of.Within, Whole: of.Whole, Own: of.Own, Hints: of.Hints}
	c.Stages = append(c.Stages, &again)
	return &again
}

func (c *collector) outputs(op *ops.Instance) (out []*ops.Stage) {
	if s, ok := c.made[op]; ok {
		return s
	}
	switch bound := op.Bound.(type) {
	case ops.Source, ops.Driver, ops.Carried:
		_, state := bound.(ops.Carried)
		var from []*ops.Stage
		if d, ok := bound.(ops.Driver); ok && !(c.bare && len(c.open(op)) == 0) {
			from = c.drive(op, d)
		}
		for i, o := range op.Out {
			out = append(out, &ops.Stage{Name: ops.StageName(op, o.Name), Type: o.Type, Op: op, Source: true, State: state, Out: i, Where: op.Where, Facts: c.sourceFacts(op, i)})
		}
		for _, s := range out {
			c.Around[s] = from
		}
		c.Stages = append(c.Stages, out...)
	case ops.Lowerer:
		in := c.stageOf
		if c.how.Anew && renames(op) {
			in = c.anew
		}
		l := ops.NewLowering(op, in)
		l.Room.Bytes, l.Strict, l.Blocks = c.how.Room, c.how.Strict, c.how.Blocks
		c.doubt(op, l) // told before what is made of answers is shown
		out = bound.Lower(l)
		c.Stages = append(c.Stages, l.Made()...)
	default:
		panic(fmt.Sprintf("planner: operator %s gives arrays but is neither lowered nor a source", op.Spec.Name))
	}
	c.made[op] = out
	for _, s := range out {
		for _, d := range s.Type.Dims {
			if d.Count != nil {
				c.Counts[*d.Count] = c.stageOf(*d.Count)
			}
		}
	}
	return out
}

// sink adds a use of a sink, which also takes how many elements there are.
func (c *collector) sink(op *ops.Instance, in []*ops.Stage) {
	for _, s := range slices.Clone(in) {
		for _, d := range s.Type.Dims {
			if d.Count != nil && !slices.Contains(in, c.Counts[*d.Count]) {
				in = append(in, c.Counts[*d.Count])
			}
		}
	}
	c.Sinks = append(c.Sinks, Sink{op, in})
	for _, s := range in {
		c.Wanted[s] = true
		c.Takers[s]++
	}
}

func (c *collector) graph() *Graph {
	c.link()
	c.lend()
	c.settleArguments()
	c.cull()
	c.prune()
	c.know()
	return c.Graph
}

// link keeps the stages that sinks need and records who reads whom.
func (g *Graph) link() {
	needed := map[*ops.Stage]bool{}
	clear(g.Users)
	clear(g.Place)
	clear(g.feeds)
	var need func(s *ops.Stage)
	need = ops.EachStage(func(s *ops.Stage) {
		needed[s] = true
		for _, in := range g.Around[s] {
			need(in)
		}
	})
	for _, s := range g.Sinks {
		for _, in := range s.Inputs {
			need(in)
		}
	}
	g.Stages = slices.DeleteFunc(g.Stages, func(s *ops.Stage) bool { return !needed[s] })
	for i, s := range g.Stages {
		g.Place[s] = i
		for _, in := range s.Inputs {
			if !slices.Contains(g.Users[in], s) {
				g.Users[in] = append(g.Users[in], s)
			}
		}
		for _, in := range g.Around[s] {
			g.feeds[in] = append(g.feeds[in], s)
		}
	}
}

// prune leaves out stages that definitions may read and none does, such as parts of a record, with what these alone are made from.
func (g *Graph) prune() {
	bounds, idle := map[*ops.Stage]bool{}, map[*ops.Stage]bool{}
	for _, s := range g.Stages {
		for _, t := range s.Tall.Stages() {
			bounds[t] = true
		}
	}
	for s, users := range g.Users {
		idle[s] = !Given(s) && !bounds[s] && !g.Wanted[s] && !slices.ContainsFunc(users, func(u *ops.Stage) bool {
			_, reads := g.Alone(u).Loads[s]
			return reads || u.Put != nil || u.Near != nil
		})
	}
	for _, s := range g.Stages {
		if slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return idle[in] }) {
			s.Inputs = slices.DeleteFunc(slices.Clone(s.Inputs), func(in *ops.Stage) bool { return idle[in] })
		}
	}
	if slices.Contains(slices.Collect(maps.Values(idle)), true) {
		g.link()
	}
}

// Leads reports whether there is a way from one stage to another along readers.
func (g *Graph) Leads(from, to *ops.Stage) bool {
	seen := map[*ops.Stage]bool{}
	var look func(s *ops.Stage) bool
	look = func(s *ops.Stage) bool {
		if seen[s] || g.Place[s] >= g.Place[to] { // readers come later
			return false
		}
		seen[s] = true
		return slices.ContainsFunc(g.next(s), func(u *ops.Stage) bool { return u == to || look(u) })
	}
	return look(from)
}

// LeadsAround reports whether there is a way from a stage to one of its readers through another reader.
func (g *Graph) LeadsAround(from, to *ops.Stage) bool {
	return slices.ContainsFunc(g.next(from), func(u *ops.Stage) bool { return u != to && g.Leads(u, to) })
}

// next are what is made from a stage: those that read it, and what drives give that have it.
func (g *Graph) next(s *ops.Stage) []*ops.Stage { return slices.Concat(g.Users[s], g.feeds[s]) }

// Lasts reports whether an array stays between calls of a drive, or is what one starts from: it then lies in memory as it is defined, since other
// programs go on with it.
func (g *Graph) Lasts(s *ops.Stage) bool {
	return s.State || g.lasts[s] || g.Varies != nil && g.Wanted[s]
}

// Given reports whether the elements of a stage exist before any kernel runs.
func Given(s *ops.Stage) bool { return s.Source || s.Data != nil }

// Pairs reports a complex stage whose parts may lie side by side: it is computed, or its source gives it so.
func Pairs(s *ops.Stage) bool {
	if !Given(s) || !s.Type.Elem.Complex {
		return s.Type.Elem.Complex
	}
	p, ok := s.Op.Bound.(ops.Pairer)
	return ok && s.Source && !s.State && !s.Around && p.Pairs(s.Out)
}

// Buffers lay a stage's array out in memory.
func (g *Graph) Buffers(s *ops.Stage) []*ir.Buffer {
	if bufs := g.shared[s]; bufs != nil {
		return slices.Clone(bufs)
	}
	bufs := buffersOf(s, g.Type(s))
	if g.loose[s] {
		bufs[0].Facts.Data = nil
	}
	return bufs
}

func buffersOf(s *ops.Stage, t ops.Type) []*ir.Buffer {
	bufs := t.Buffers(s.Name)
	if t.Format == nil {
		bufs[0].Facts = s.Facts
	}
	return bufs
}

// SameShape reports whether two stages have the same extents.
func SameShape(a, b *ops.Stage) bool { return SameSizes(a.Type.Dims, b.Type.Dims) }

// SameSizes reports whether dims have the same extents.
func SameSizes(a, b []ops.Dim) bool {
	return slices.EqualFunc(a, b, func(x, y ops.Dim) bool { return x.Size == y.Size })
}

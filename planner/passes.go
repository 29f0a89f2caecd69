package planner

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/schedule/sums"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/fuse"
	"weft/planner/graph"
	"weft/planner/layout"
	"weft/planner/module"
	"weft/planner/place"
	"weft/planner/plan"
	"weft/planner/precision"
)

// Request is what may be asked of the planning of a program.
type Request struct {
	FuseLimit *int            // at most so many fusions; nil, or negative: any number
	Largest   int64           // bytes of an array that a limit of 0 is for, at most
	Strict    bool            // what is only said of arrays is looked at also where that takes a pass of its own
	Decided   *plan.Decisions // of an earlier planning of the same program, to make its plan again, precision included; nil: weigh
	// After is called with the module after each pass.
	After func(pass string, m *module.Module) error
}

// Options of a planning.
type Options struct {
	Request
	File      string
	Weft      string       // version of weft, recorded in the plan
	Program   plan.Program // recorded in the plan too, which can then be read back
	Params    []ops.Number // of the program
	Threads   int          // launches at once, which tiles are cut for
	Memory    int64        // bytes that buffers may take together; 0: no limit
	Rates     plan.Rates
	Cost      *cost.Model  // of the device; nil: predictions from Rates alone
	Precision plan.Choices // that differ from what operators say; @precision goes first
	// Accelerators are what kernels may be placed on besides the host's processor; Device is what the whole run was asked to be on,
	// see place.Placing.
	Accelerators []place.DeviceModel
	Device       string
	Replace      bool // weigh places, also where other decisions are repeated

	taken   int64              // bytes of the memory asked for that a drive has besides its program
	within  string             // prefix of the steps of a drive's program; empty: a program of its own
	turns   *turns             // of it
	trial   bool               // nobody reads the error
	whole   bool               // what does not fit as a whole is of no use
	tries   *tries             // of a program with drives
	room    int64              // of the memory, what its drives' programs may take with what is beside them; 0: all
	beyond  *lack              // where it is noted what is missing around drives whose programs fit
	way     string             // what of its plans this is; empty: its graph depends on the memory
	weighed map[string]float64 // see fuse.Options.Weights
	build   func(*graph.Graph, device.Info, Options) (*bound.Plan, error)
}

// pass is a step of planning: from a program to the kernels that compute it, and from these to a plan.
type pass struct {
	name  string
	run   func(*module.Module, Options) error
	after []string // passes that must have run before
}

// passes in their order.
var passes = []pass{
	{name: "fuse", run: verdicts},
	{name: "kernels", run: kernels, after: []string{"fuse"}},
	{name: "transpose", run: func(m *module.Module, opt Options) error { return layout.Transpose(m, opt.Memory) }, after: []string{"kernels"}},
	{name: "interleave", run: only(layout.Interleave), after: []string{"kernels"}},
	{name: "crop", run: only(layout.Crop), after: []string{"transpose", "interleave"}}, // a box is of dims as they lie
	{name: "precision", run: types, after: []string{"crop"}},
	{name: "ranges", run: ranges, after: []string{"precision"}},                    // of what is stored, as it is rounded
	{name: "join", run: only(layout.Join), after: []string{"precision", "ranges"}}, // kernels as they are in the end
	{name: "pad", run: only(layout.Pad), after: []string{"precision"}},             // of arrays in the types they have in the end
	{name: "steps", run: steps, after: []string{"join", "pad"}},
	{name: "chains", run: chains, after: []string{"steps"}},
	{name: "lifetimes", run: lifetimes, after: []string{"chains"}},
	{name: "blocks", run: fitted, after: []string{"lifetimes"}},
	{name: "prefault", run: prefault, after: []string{"blocks"}}, // whole arrays alone
	{name: "place", run: placed, after: []string{"prefault"}},    // by what the host takes
	{name: "past", run: past, after: []string{"place"}},          // of the host's kernels
}

func init() {
	for i, p := range passes {
		for _, name := range p.after {
			if !slices.ContainsFunc(passes[:i], func(q pass) bool { return q.name == name }) {
				panic("planner: " + p.name + " has to run after " + name)
			}
		}
	}
}

// Passes are the names of the passes, in their order.
func Passes() (names []string) {
	for _, p := range passes {
		names = append(names, p.name)
	}
	return names
}

// Dump is an Options.After that prints the module after one pass.
func Dump(w io.Writer, name string) (func(string, *module.Module) error, error) {
	if !slices.Contains(Passes(), name) {
		return nil, fmt.Errorf("there is no pass %s; there are %v", name, Passes())
	}
	return func(pass string, m *module.Module) error {
		if pass != name {
			return nil
		}
		_, err := io.WriteString(w, m.String())
		return err
	}, nil
}

func only(run func(*module.Module) error) func(*module.Module, Options) error {
	return func(m *module.Module, _ Options) error { return run(m) }
}

// Build plans what the sinks of a program ask for. Kernels are not compiled yet.
func Build(sinks []*ops.Instance, dev device.Info, opt Options) (*bound.Plan, error) {
	if opt.Rates == (plan.Rates{}) {
		// One core of a current desktop or server, times the threads.
		opt.Rates = plan.Rates{Flops: 40e9 * float64(max(1, opt.Threads)), Bandwidth: 20e9}
		if opt.Cost != nil {
			all := opt.Cost.OfMachine()
			opt.Rates = plan.Rates{Flops: all.Flops(), Bandwidth: all.Bandwidth(), Doubt: all.Doubt()}
		}
	}
	opt.build = roomy
	if opt.weighed == nil {
		opt.weighed = map[string]float64{}
	}
	g := graph.Collect(sinks, graph.How{})
	if len(g.Drives) == 0 {
		p, err := build(g, dev, opt)
		beyond := problem.Has(err, problem.MemoryBudget)
		if later := err == nil && p.Stream != nil && g.Mirrors(); !beyond && !later { // blocks of rows would need columns of those that come later
			return p, err
		}
		var ways []graph.How
		if g.ByBlocks() {
			ways = append(ways, graph.How{Blocks: true, Strict: opt.Strict})
		}
		if beyond && g.Rereads() { // what is read twice at places that lie apart goes by in blocks of its own
			ways = append(ways, graph.How{Blocks: true, Strict: opt.Strict, Anew: true})
		}
		for _, how := range ways {
			all, fault := build(graph.Collect(sinks, how), dev, opt)
			switch {
			case fault == nil:
				all.Unmirrored, all.Strict, all.Anew = true, how.Strict, how.Anew
				return all, nil
			case beyond: // it takes less than the other way
				err = fault
			}
		}
		return p, err
	}
	if opt.tries == nil {
		opt.tries = newTries()
	}
	opt.tries.least, opt.tries.need = math.MaxInt64, 0
	opt.way = "whole"
	var whole, apart, blocks lack
	opt.beyond = &whole
	p, err := opt.tries.plan(opt, func() (*bound.Plan, error) { return build(g, dev, opt) })
	byBlocks := graph.How{Apart: true, Blocks: true, Strict: opt.Strict}
	less := func(way string, how graph.How, beyond lack) (*bound.Plan, bool) {
		opt := opt
		opt.way = way
		p, ok := narrowed(func() *graph.Graph { return graph.Collect(sinks, how) }, dev, opt, beyond)
		if ok {
			p.Apart, p.Unmirrored, p.Strict = how.Apart, how.Blocks, how.Strict
		}
		return p, ok
	}
	tight := problem.Problem{}
	if !errors.As(err, &tight) || tight.Code != problem.MemoryBudget {
		return p, err
	}
	defer collecting()()
	opt.tries.failed()
	if opt.trial { // whatever fits will do
		if p, ok := less("whole", graph.How{}, whole); ok {
			return p, nil
		}
		whole = lack{}
	}
	opt.way, opt.beyond = "apart", &apart
	// In blocks, each program makes what does not fit as a whole.
	alone, fault := opt.tries.plan(opt, func() (*bound.Plan, error) { return build(graph.Collect(sinks, graph.How{Apart: true}), dev, opt) })
	if fault == nil {
		alone.Apart = true
		return alone, nil
	}
	opt.tries.failed()
	if opt.way, opt.beyond = "blocks", &blocks; g.ByBlocks() {
		p, fault := opt.tries.plan(opt, func() (*bound.Plan, error) { return build(graph.Collect(sinks, byBlocks), dev, opt) })
		if fault == nil {
			p.Apart, p.Unmirrored, p.Strict = true, true, opt.Strict
			return p, nil
		}
		opt.tries.failed()
	}
	opt.way, opt.beyond = "", nil
	for _, spill := range []bool{false, true} {
		for room := opt.Memory; ; room = g.Takes() - 1 { // what is around tiles needs some, too
			if g = graph.Collect(sinks, graph.How{Apart: true, Room: room, Spill: spill, Strict: opt.Strict}); !g.Tiled() {
				break
			}
			if g.Least() > room {
				if room == opt.Memory { // it may be less of what is made from stored arrays
					opt.tries.need = g.Least()
					opt.tries.failed()
				}
				break
			}
			opt.tries.need = 0
			if p, err = build(g, dev, opt); err == nil {
				p.Apart, p.Room, p.Spills, p.Strict = true, room, spill, opt.Strict
				return p, nil
			}
			if opt.tries.failed(); !problem.Has(err, problem.MemoryBudget) {
				break
			}
		}
	}
	if p, ok := less("whole", graph.How{}, whole); ok {
		return p, nil
	}
	if p, ok := less("apart", graph.How{Apart: true}, apart); ok {
		return p, nil
	}
	if p, ok := less("blocks", byBlocks, blocks); ok {
		return p, nil
	}
	if !opt.trial && errors.As(err, &tight) { // what does not fit of one program says nothing of the others
		tight.Help = fmt.Sprintf("give --memory at least %s, or use smaller arrays", plan.SizeFor(enough(sinks, dev, opt)))
		err = tight
	}
	return p, err
}

// build is Build for a graph.
func build(g *graph.Graph, dev device.Info, opt Options) (*bound.Plan, error) {
	if opt.Decided != nil {
		opt.Precision, opt.FuseLimit = opt.Decided.Precision, opt.Decided.FuseLimit
	}
	m := &module.Module{Graph: g, Device: dev}
	if err := through(m, opt, passes); err != nil {
		return nil, err
	}
	if len(opt.Accelerators) > 0 && opt.within == "" && len(g.Drives) == 0 {
		if err := forPlaces(m, opt); err != nil {
			return nil, err
		}
	}
	return m.Plan, nil
}

// forPlaces lays arrays out for the devices that kernels have been placed on, unless other kernels are placed there then: of an array that is not cut by rows any more, a
// device may have too little memory.
func forPlaces(m *module.Module, opt Options) error {
	views, places := maps.Clone(m.Views), m.Plan.Decided.Places
	if !layout.Innermost(m) {
		return nil
	}
	laid := passes[slices.IndexFunc(passes, func(p pass) bool { return p.name == "crop" }):]
	err := through(m, opt, laid)
	switch {
	case err == nil && m.Plan.Stream == nil && maps.EqualFunc(places, m.Plan.Decided.Places, slices.Equal):
		return nil
	case err != nil && !problem.Has(err, problem.MemoryBudget):
		return err
	}
	m.Views = views
	m.Assemble()
	return through(m, opt, laid)
}

// through runs some passes.
func through(m *module.Module, opt Options, some []pass) error {
	for _, p := range some {
		if err := p.run(m, opt); err != nil {
			return err
		}
		if opt.After != nil {
			if err := opt.After(p.name, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func verdicts(m *module.Module, opt Options) (err error) {
	asked := fuse.Options{Rates: opt.Rates, Limit: -1, Mixed: len(opt.Accelerators) > 0, Weights: opt.weighed}
	if opt.Cost != nil {
		asked.Cost = opt.Cost.OfMachine()
	}
	if opt.FuseLimit != nil {
		asked.Limit, asked.Largest = *opt.FuseLimit, cmp.Or(opt.Largest, math.MaxInt64)
	}
	if opt.Decided != nil {
		asked.Decided = opt.Decided.Fused
	}
	m.Verdicts, err = decide(m, opt, asked)
	return err
}

func kernels(m *module.Module, _ Options) error {
	m.Assemble()
	return nil
}

func types(m *module.Module, opt Options) error {
	return precision.Retype(m, opt.Precision, opt.FuseLimit == nil || *opt.FuseLimit < 0)
}

// ranges notes where what kernels store is proved to lie: those that load it take cheaper forms of operations, and constants for what is the
// same everywhere. Sums of few terms become float32.
func ranges(m *module.Module, _ Options) error {
	for _, k := range m.Kernels {
		k.IR = sums.Ready(k.IR)
		ir.StoreRanges(k.IR)
	}
	return nil
}

// chains has kernels run by rows together, or by objects that are done each by itself. Accelerators have memory of their own.
func chains(m *module.Module, opt Options) error {
	if m.Device.Kind == native && len(opt.Accelerators) == 0 {
		blocks.Chains(m.Plan, opt.Threads, opt.turns.of(m.Plan))
	}
	return nil
}

// native is the kind of device whose kernels take a few rows at a time.
const native = "native"

// prefault marks kernels right behind sources: while these are read, which keeps one processor busy, what they store gets its pages. In
// blocks, arrays come and go by rows.
func prefault(m *module.Module, _ Options) error {
	m.Plan.Distances()
	for i, s := range m.Plan.Steps {
		if m.Plan.Stream == nil && s.Kernel != nil && i > 0 && m.Plan.Steps[i-1].Kind == plan.ReadStep {
			for j := range m.Plan.Together(i) {
				k := m.Plan.Steps[i+j].Kernel
				k.Prefault = true
				k.Predict()
			}
		}
	}
	m.Plan.SumPredictions()
	return nil
}

// past has kernels store arrays that caches lose before they are read past the caches: a line of it need not be read to be written. Blocks are
// small, and drives know what is in memory when a turn begins.
func past(m *module.Module, opt Options) error {
	if m.Device.Kind != native || m.Plan.Stream != nil || opt.turns != nil {
		return nil
	}
	for i := range m.Plan.Steps {
		s := &m.Plan.Steps[i]
		if s.Kernel != nil && s.Kernel.Kind == native && m.Plan.ChainOf(s.ID) == nil && blocks.Lost(m.Plan, s.Writes) {
			s.Kernel.StorePast()
			s.Kernel.Predict()
		}
	}
	m.Plan.SumPredictions()
	return nil
}

func placed(m *module.Module, opt Options) error {
	how := place.Placing{Device: opt.Device, Decided: opt.Decided, Cost: opt.Cost, Inner: opt.within != ""}
	if t := opt.turns; t != nil && t.whole {
		how.Turn = &plan.DriveProgram{Most: t.Most, Now: idsIn(m.Plan, t.State), Next: idsIn(m.Plan, t.Next), Once: t.once(m.Plan), Boxed: t.Boxed}
	}
	if opt.Replace {
		how.Decided = nil
	}
	return place.Place(m.Plan, opt.Accelerators, how)
}

// Check reports what is wrong with the kernels of a module; it is an Options.After.
func Check(pass string, m *module.Module) error {
	for _, k := range m.Kernels {
		if err := rules.Check(k.IR); err != nil {
			return fmt.Errorf("after %s: %w", pass, err)
		}
	}
	return nil
}

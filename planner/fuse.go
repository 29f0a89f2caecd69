package planner

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/cost"
)

// A fused kernel keeps below these, so that it compiles in reasonable time and its loops can be told apart.
const (
	maxBinders = ir.MaxBinders / 2
	maxNodes   = 6000
)

// fewElements leave threads idle: tiles are cut along elements, not along the loops within one.
const fewElements = 16

// fuser gives the verdicts.
type fuser struct {
	g      *graph
	rates  Rates
	limit  int // fusions still allowed; negative: any number
	fused  map[[2]*ops.Stage]bool
	edges  []Edge
	alone  map[*ops.Stage]isolated
	places places // that @device asks for
	faults []error

	cost      *cost.Model     // nil: rates decide
	decided   map[string]bool // verdicts to repeat, by edgeKey
	weighings map[string]bool // those that were weighed
}

// isolated is what building a stage from stored inputs tells.
type isolated struct {
	loads     map[*ops.Stage]float64 // executed loads of each input
	elsewhere map[[2]*ops.Stage]bool
	folds     bool
}

func (f *fuser) run() {
	for _, s := range f.g.stages {
		f.alone[s] = f.isolate(s)
	}
	for _, p := range f.g.stages {
		f.decide(p)
	}
}

// isolate builds a stage with every input loaded and counts.
func (f *fuser) isolate(s *ops.Stage) isolated {
	if given(s) {
		return isolated{}
	}
	bufs := map[*ops.Stage]*ir.Buffer{}
	l := newLowerer(func(p, _ *ops.Stage) *ir.Buffer {
		if bufs[p] == nil {
			bufs[p] = bufferOf(p, p.Name)
		}
		return bufs[p]
	})
	k := l.kernelOf(s)
	counted := ir.CostOf(k)
	out := isolated{loads: map[*ops.Stage]float64{}, elsewhere: l.elsewhere}
	for p, b := range bufs {
		out.loads[p] = counted.Loads[b] / float64(p.Type.Elem.Planes())
	}
	k.Walk(func(n *ir.Node) { out.folds = out.folds || n.Kind == ir.KFold })
	return out
}

// kernelOf builds the kernel that stores one stage.
func (l *lowerer) kernelOf(s *ops.Stage) *ir.Kernel {
	axes := l.axes(s.Axes())
	stores := l.storesOf(s, bufferOf(s, s.Name), axes)
	return &ir.Kernel{Name: s.Name, Axes: axes, Stores: stores, Contract: !l.exact()}
}

// flopsPerElement is the cost of one element of a stage as decided so far, and whether it still fits a kernel.
func (f *fuser) flopsPerElement(s *ops.Stage) (flops float64, fits bool) {
	l := newLowerer(f.readAsDecided())
	k := l.kernelOf(s)
	nodes := 0
	k.Walk(func(*ir.Node) { nodes++ })
	return ir.CostOf(k).Flops / float64(max(1, s.Type.Len())), nodes <= maxNodes && l.body.Binders() <= maxBinders
}

// readAsDecided inlines along fused edges and loads along the others.
func (f *fuser) readAsDecided() reader {
	bufs := map[*ops.Stage]*ir.Buffer{}
	return func(p, c *ops.Stage) *ir.Buffer {
		if f.fused[[2]*ops.Stage{p, c}] {
			return nil
		}
		if bufs[p] == nil {
			bufs[p] = bufferOf(p, p.Name)
		}
		return bufs[p]
	}
}

// decide gives the verdict on every edge that leaves p.
func (f *fuser) decide(p *ops.Stage) {
	users := f.g.users[p]
	if len(users) == 0 {
		return
	}
	if p.Data != nil {
		return // tables known while planning are operands, not stages a user wrote
	}
	n := float64(max(1, p.Type.Len()))
	size := float64(p.Type.Bytes())
	var flops float64
	fits := true
	if !given(p) {
		flops, fits = f.flopsPerElement(p)
	}
	compute := n * flops / f.rates.Flops
	var reads float64
	for _, c := range users {
		reads += f.alone[c].loads[p] / n
	}
	move := size * (1 + math.Min(reads, float64(len(users)))) / f.rates.Bandwidth
	fusedT, storedT := reads*compute, compute+move
	refusal := f.refusal(p, fits)
	sibling, compared := false, false
	for _, c := range users {
		r := f.alone[c].loads[p] / n
		e := Edge{From: p.Name, To: c.Name, Reads: r, Readers: len(users), Bytes: int64(size * (1 + math.Min(r, 1))), Inner: p.Op == c.Op}
		pointwise := !f.alone[c].elsewhere[[2]*ops.Stage{p, c}] && sameShape(p, c)
		e.FusedMs, e.StoredMs = 1e3*fusedT, 1e3*storedT
		switch {
		case isTableOf(p, c):
			e.Code, e.FusedMs, e.StoredMs = Bounding, 0, 0
		case refusal != "":
			e.Code = refusal
		case arithmeticOf(p) != arithmeticOf(c):
			e.Code = OtherTypes
		case !f.places.agree(p, c):
			e.Code = OtherDevice
		case f.alone[p].folds && p.Type.Len() < c.Type.Len():
			e.Code = Barrier // tiles run at the same time: each would reduce everything again
		case f.serial(p, c, n*flops):
			e.Code = Serial
		case f.g.wanted[p] && pointwise && !sibling && !f.g.leadsAround(p, c):
			e.Code, sibling = Sibling, true
		case f.g.wanted[p]:
			e.FusedMs, e.StoredMs = 1e3*r*compute, 1e3*size*r/f.rates.Bandwidth
			if f.cost != nil {
				e.FusedMs = 1e3 * f.predicted(c, func(s *ops.Stage) bool { return s == p })
				e.StoredMs = 1e3 * f.predicted(c, func(*ops.Stage) bool { return false })
			}
			e.Code = f.choose(p, c, e, WantedBySink)
		case reads <= 1+1e-9:
			e.Code = Pointwise
		default:
			if f.cost != nil && !compared {
				fusedT, storedT = f.alternatives(p, users)
				compared = true
			}
			e.FusedMs, e.StoredMs = 1e3*fusedT, 1e3*storedT
			if compared {
				e.Margin = recomputeDoubt
			}
			e.Code = f.choose(p, c, e, Costly)
		}
		f.settle(p, c, &e)
	}
}

// isTableOf reports whether p is a table of another stage that c reads.
func isTableOf(p, c *ops.Stage) bool {
	return slices.ContainsFunc(c.Inputs, func(in *ops.Stage) bool { return slices.Contains(in.Tall.Stages(), p) })
}

// serial reports a long reduction of reductions: fused into so few elements it would run on one thread, stored it does not.
func (f *fuser) serial(p, c *ops.Stage, flops float64) bool {
	const worthThreads = 50e-6 // seconds, well above the cost of one more launch
	if !f.alone[p].folds || !f.alone[c].folds || c.Type.Len() > fewElements || p.Type.Len() <= c.Type.Len() {
		return false
	}
	read := 0.0
	for in, n := range f.alone[p].loads {
		read += n * float64(in.Type.Elem.Size())
	}
	return !f.weighed(p, c, max(flops/f.rates.Flops, read/f.rates.Bandwidth) <= worthThreads)
}

// choose takes the faster of two choices.
func (f *fuser) choose(p, c *ops.Stage, e Edge, stored Code) Code {
	if f.weighed(p, c, e.FusedMs*max(1, e.Margin) < e.StoredMs && !f.culls(p)) {
		return Recomputed
	}
	return stored
}

// refusal is the code of a legality rule that forbids computing p in place.
func (f *fuser) refusal(p *ops.Stage, fits bool) Code {
	switch {
	case given(p):
		return Given
	case p.Hints().Keep:
		return Kept
	case !fits:
		return Budget
	}
	return ""
}

// settle applies what the user asked for and records the edge.
func (f *fuser) settle(p, c *ops.Stage, e *Edge) {
	if p.Hints().Fuse && p.Op != c.Op {
		switch e.Code {
		case Costly, WantedBySink:
			e.Code = Forced
		}
	}
	if e.Code.Fused() && f.limit == 0 {
		e.Code = Limit
	}
	if p.Hints().Fuse && p.Op != c.Op && !e.Code.Fused() {
		fault := problem.Wrong(problem.FusionRefused, "", "leave out @fuse; `weft explain` shows the verdicts", "%s cannot be fused into %s as @fuse asks: %s (%s)",
			p.Name, c.Name, strings.TrimPrefix(Meaning[e.Code], "stored: "), e.Code)
		fault.At = p.Hints().At["fuse"]
		f.faults = append(f.faults, fault)
	}
	if e.Code.Fused() {
		f.limit = max(f.limit-1, min(f.limit, -1))
		f.fused[[2]*ops.Stage{p, c}] = true
		f.places.join(p, c)
	}
	e.Change = change(*e)
	f.edges = append(f.edges, *e)
}

// change says what would turn a verdict that was weighed.
func change(e Edge) string {
	switch e.Code {
	case Recomputed:
		return fmt.Sprintf("storing would win if computing were %.1f times dearer", e.StoredMs/math.Max(e.FusedMs*max(1, e.Margin), 1e-12))
	case Costly, WantedBySink:
		return fmt.Sprintf("fusing would win if computing were %.1f times cheaper", e.FusedMs*max(1, e.Margin)/math.Max(e.StoredMs, 1e-12))
	case Kept:
		return "remove @keep"
	case Limit:
		return "raise --fuse-limit"
	}
	return ""
}

func sameShape(a, b *ops.Stage) bool { return sameSizes(a.Type.Dims, b.Type.Dims) }

func sameSizes(a, b []ops.Dim) bool {
	return slices.EqualFunc(a, b, func(x, y ops.Dim) bool { return x.Size == y.Size })
}

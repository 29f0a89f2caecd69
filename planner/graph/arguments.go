package graph

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// Why a number that follows from params is a constant of its kernels.
const (
	Controls = "where elements lie or how far a loop runs follows from it"
	Divides  = "dividing by a power of two is a product"
	Trivial  = "arithmetic with 0, 1 and -1 is cheaper"
	Unlike   = "several numbers have this name"
)

// Arguments are the numbers of a program that follow from its params and that stages use as such.
type Arguments struct {
	Values map[string]ops.Number // by how they follow
	Fixed  map[string]string     // why some are constants; the others are given when a kernel is launched

	settled bool // they do not change any more
}

// is reports whether a number is given at launch. Until they are settled, all are that nothing is known against.
func (a *Arguments) is(n ops.Number) bool {
	if a.settled {
		return a.Values[n.From].V == n.V && a.Fixed[n.From] == ""
	}
	if was, ok := a.Values[n.From]; ok && was.V != n.V {
		a.Fixed[n.From] = Unlike
	}
	a.Values[n.From] = n
	if n.V == 0 || math.Abs(n.V) == 1 {
		a.Fixed[n.From] = Trivial
	}
	return a.Fixed[n.From] == ""
}

// settleArguments finds the numbers that may be given at launch, and the tables that may hold others: no kernel would be another one
// for them.
func (g *Graph) settleArguments() {
	defer func() { g.Arguments.settled = true }()
	if !derived(g.Sinks) {
		return
	}
	controls := map[*ops.Stage]bool{} // stages whose elements decide where others lie, those they are made from among them
	var control func(s *ops.Stage)
	control = func(s *ops.Stage) {
		if controls[s] {
			return
		}
		if controls[s] = true; s.Put != nil { // it is read from memory, whatever lies there
			return
		}
		for _, in := range s.Inputs {
			control(in)
		}
		if k := g.Alone(s).Kernel; k != nil {
			for _, n := range k.Args() {
				g.Arguments.Fixed[n.Name] = Controls
			}
		}
	}
	for _, s := range g.Stages {
		if a := g.Alone(s); a.Kernel != nil {
			g.fix(a, control)
		}
	}
	g.loose = map[*ops.Stage]bool{}
	for _, s := range g.Stages {
		g.loose[s] = s.Data != nil && !controls[s]
	}
	for s, a := range g.alone { // as constants they make other kernels
		if a.Kernel != nil && fixes(a.Kernel, g.Arguments.Fixed) {
			delete(g.alone, s)
		}
	}
}

func fixes(k *ir.Kernel, fixed map[string]string) bool {
	for _, n := range k.Args() {
		if fixed[n.Name] != "" {
			return true
		}
	}
	return false
}

// fix finds the arguments that a stage by itself cannot be given at launch, and the stages that decide where its elements lie.
func (g *Graph) fix(a *Alone, decides func(*ops.Stage)) {
	var control []*ir.Node
	for _, s := range a.Kernel.Stores {
		control = append(control, s.Index...)
		if s.Guard != nil {
			control = append(control, s.Guard)
		}
	}
	a.Kernel.Walk(func(n *ir.Node) {
		switch {
		case n.Kind == ir.KLoad:
			control = append(control, n.Index()...)
			if guard, _ := n.Guard(); guard != nil {
				control = append(control, guard)
			}
		case n.Kind == ir.KFold:
			control = append(control, n.Fold.Lo, n.Fold.Hi)
			if n.Fold.While != nil {
				control = append(control, n.Fold.While)
			}
			if m := n.Fold.Monoid; m == ir.Any || m == ir.All { // what is culled follows from what is compared
				control = append(control, n.Fold.Step...)
			}
		case n.Kind == ir.KAlu && n.Op == ir.Div && n.Args[1].Kind == ir.KArg:
			if fraction, _ := math.Frexp(n.Args[1].F); math.Abs(fraction) == 0.5 {
				g.Arguments.Fixed[n.Args[1].Name] = Divides
			}
		}
	})
	ir.WalkNodes(control, func(n *ir.Node) {
		switch n.Kind {
		case ir.KArg:
			g.Arguments.Fixed[n.Name] = Controls
		case ir.KLoad:
			decides(a.Stages[n.Buf])
		}
	})
}

// derived reports whether an operator that sinks need takes a number that follows from params.
func derived(sinks []Sink) (found bool) {
	from := make([]*ops.Instance, len(sinks))
	for i, s := range sinks {
		from[i] = s.Op
	}
	ops.Walk(from, func(op *ops.Instance) {
		for _, v := range op.Call.Args {
			if n, ok := v.(ops.Number); ok && n.From != "" {
				found = true
			}
		}
	})
	return found
}

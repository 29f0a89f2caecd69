// Package module is a program while it is planned: its stages, what was decided of them, and the kernels that come of it.
package module

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/fuse"
	"weft/planner/graph"
)

// Module is what passes work on.
type Module struct {
	*graph.Graph
	Device   device.Info
	Verdicts *fuse.Verdicts
	Kernels  []*Kernel // in the order in which they run
	Arrays   graph.Arrays
	Pinned   map[*ops.Stage]string // why arrays keep their type
	Plan     *bound.Plan
}

// Kernel is a kernel to be: the stages it stores and those it computes on the way.
type Kernel struct {
	Roots  []*ops.Stage // stored, in the order of the graph
	Inside []*ops.Stage // computed, roots included, producers first
	Loads  []*ops.Stage
	IR     *ir.Kernel
	Types  retype.Types // what it was retyped to
	Why    []string     // it computes in the types it does

	longest int // position in the graph of the last root
}

func (k *Kernel) load(s *ops.Stage) {
	if !slices.Contains(k.Loads, s) {
		k.Loads = append(k.Loads, s)
	}
}

// Join makes a kernel also store what another did, which runs no more.
func (k *Kernel) Join(other *Kernel, both *ir.Kernel) {
	for _, s := range other.Loads {
		k.load(s)
	}
	for _, s := range k.Inside {
		if !slices.Contains(other.Inside, s) {
			other.Inside = append(other.Inside, s)
		}
	}
	k.Roots, k.Inside, k.IR = slices.Concat(other.Roots, k.Roots), other.Inside, both
	for _, why := range other.Why {
		if !slices.Contains(k.Why, why) {
			k.Why = append(k.Why, why)
		}
	}
}

// Assemble builds the kernels that the verdicts and the views ask for.
func (m *Module) Assemble() {
	m.Arrays = graph.NewArrays(m.Graph)
	a := &assembler{Module: m, byOp: map[*ops.Instance][]*ops.Stage{}, computed: map[graph.Edge]bool{}}
	for _, s := range m.Stages {
		a.byOp[s.Op] = append(a.byOp[s.Op], s)
		if of := m.Core(s).Op; of != s.Op {
			a.byOp[of] = append(a.byOp[of], s)
		}
	}
	m.Kernels = a.kernels()
}

// assembler builds kernels.
type assembler struct {
	*Module
	byOp     map[*ops.Instance][]*ops.Stage
	computed map[graph.Edge]bool // whether the kernel of a stage computes the core that leads to it
	several  []*Kernel           // kernels so far that store several stages
}

// String is the module as far as it is planned: views, verdicts, kernels and steps.
func (m *Module) String() string {
	var b strings.Builder
	for _, s := range m.Stages {
		fmt.Fprintf(&b, "stage %s %s", graph.Key(s), m.Type(s))
		if v, ok := m.Views[s]; ok {
			fmt.Fprintf(&b, " transposed %v innermost %d block %d interleaved %v box %v margin %v", v.Transposed, v.Innermost, v.Block, v.Interleaved, v.Box, v.Margin)
		}
		fmt.Fprintln(&b)
	}
	for _, e := range m.Verdicts.Edges {
		fmt.Fprintf(&b, "edge %s -> %s %s\n", e.From, e.To, e.Code)
	}
	for _, k := range m.Kernels {
		b.WriteString(k.IR.String())
	}
	if m.Plan != nil {
		for _, s := range m.Plan.Steps {
			fmt.Fprintf(&b, "step %s %s reads %v writes %v frees %v\n", s.ID, s.Name, s.Reads, s.Writes, s.Frees)
		}
	}
	return b.String()
}

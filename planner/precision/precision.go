// Package precision applies the types that were chosen or asked for to finished kernels, and says what pins the others.
package precision

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/graph"
	"weft/planner/module"
	"weft/planner/plan"
)

// retyper applies choices and @precision to kernels that are built.
type retyper struct {
	*module.Module
	given  plan.Choices
	pins   *pins
	stored map[*ir.Buffer]retype.Stored
	faults []error
}

// Retype gives kernels and arrays the types that were chosen for them or asked for, and records why others keep theirs. Types of sums are refused where there are
// none only if all is fused that should be: sums that a stage is made from may be kernels of their own otherwise.
func Retype(m *module.Module, given plan.Choices, fused bool) error {
	r := &retyper{Module: m, given: given, pins: findPins(m), stored: map[*ir.Buffer]retype.Stored{}}
	m.Pinned = r.pins.storage
	chosen := make([]plan.Choice, len(m.Kernels))
	for i, k := range m.Kernels {
		chosen[i] = r.arithmetic(k)
		for _, s := range k.Roots {
			r.storage(s)
			r.tables(k, s)
		}
	}
	if fused {
		r.sums()
	}
	r.widenTables(chosen)
	for i, k := range m.Kernels {
		c := chosen[i]
		k.Types = retype.Types{Compute: c.Compute, Accumulate: c.Accumulate, Stored: r.stored}
		if c != (plan.Choice{}) || r.touches(k) {
			k.IR = retype.Apply(k.IR, k.Types)
		}
	}
	for _, k := range m.Kernels {
		k.Why = r.pins.because(k)
	}
	return errors.Join(r.faults...)
}

func (r *retyper) touches(g *module.Kernel) bool {
	return slices.ContainsFunc(slices.Concat(g.IR.Inputs(), g.IR.Outputs()), func(b *ir.Buffer) bool { _, ok := r.stored[b]; return ok })
}

// arithmetic is what a kernel computes and sums in: as its stages ask (the planner does not fuse those that disagree), else
// as was chosen for one that it stores.
func (r *retyper) arithmetic(g *module.Kernel) plan.Choice {
	var out plan.Choice
	for _, s := range g.Roots {
		c := r.given[graph.Key(s)]
		out.Compute, out.Accumulate = cmp.Or(out.Compute, c.Compute), cmp.Or(out.Accumulate, c.Accumulate)
	}
	if out.Accumulate == ir.F32 && out.Compute == 0 { // as operators that may choose have it
		out.Accumulate = 0
	}
	for _, s := range g.Inside {
		asked := s.Hints().Precision
		if asked == (ops.Precision{}) {
			continue
		}
		out.Compute, out.Accumulate = asked.Compute, asked.Accumulate
		if why := r.pins.compute[g]; why != "" && graph.Narrower(asked.Compute) {
			r.refuse(s, "compute", asked.Compute, why)
		}
		if why := r.pins.sums[g]; why != "" && graph.Narrower(asked.Accumulate) {
			r.refuse(s, "accumulate", asked.Accumulate, why)
		}
		break
	}
	if out.Compute == ir.F32 { // which is how operators build kernels, but for what they ask f64 for
		out.Compute = 0
	}
	return out
}

// sums refuses types that were asked for sums of a use of an operator that has none.
func (r *retyper) sums() {
	obeyed := map[*ops.Instance]bool{}
	each := func(visit func(g *module.Kernel, s *ops.Stage, t ir.DType)) {
		for _, g := range r.Kernels {
			for _, s := range g.Inside {
				if t := s.Hints().Precision.Accumulate; t != 0 {
					visit(g, s, t)
				}
			}
		}
	}
	each(func(g *module.Kernel, s *ops.Stage, _ ir.DType) { obeyed[s.Op] = obeyed[s.Op] || retype.Sums(g.IR) })
	each(func(_ *module.Kernel, s *ops.Stage, t ir.DType) {
		if !obeyed[s.Op] {
			r.fault(s, "leave accumulate out", "%s cannot have accumulate: %s, because it has no sums of floats", s.Op.Spec.Name, t)
		}
	})
}

// storage finds the type in memory of an array that a kernel stores.
func (r *retyper) storage(s *ops.Stage) {
	c := r.given[graph.Key(s)]
	if asked := s.Hints().Precision; asked.Storage != 0 && c.Storage != ir.F32 { // chosen to see what it would be without
		c.Storage = asked.Storage
		if why := r.pins.storage[s]; why != "" && graph.Narrower(c.Storage) {
			if s.IsOutput() && asked.Parts && (!r.Wanted[s] || r.Lends[s]) {
				r.refuse(s, "storage", c.Storage, why)
			}
			return
		}
	}
	c.Storage = cmp.Or(c.Storage, s.Rounded)
	if c.Storage == 0 || c.Storage == r.Arrays.Bufs[s][0].Type || !s.Type.Elem.Base.Float() || r.Wanted[s] && !(r.Lends[s] && cmp.Or(s.Hints().Precision.Storage, s.Rounded) != 0) ||
		r.pins.storage[s] != "" && graph.Narrower(c.Storage) && c.Storage != s.Rounded {
		return
	}
	r.store(s, c)
}

// tables gives a table of sums that meet the type that was asked for sums.
func (r *retyper) tables(g *module.Kernel, s *ops.Stage) {
	asked := s.Hints().Precision.Accumulate
	for _, st := range g.IR.Stores {
		if buf := r.Arrays.Bufs[s][0]; st.Adds && st.Buf == buf && buf.Type.Float() && asked != buf.Type && (asked == ir.F32 || asked == ir.F64) {
			r.store(s, plan.Choice{Storage: asked})
		}
	}
}

// store gives an array another type in memory.
func (r *retyper) store(s *ops.Stage, c plan.Choice) {
	for i, buf := range r.Arrays.Bufs[s] {
		to := *buf
		to.Type = c.Storage
		r.stored[buf], r.Arrays.Bufs[s][i] = retype.Stored{Buf: &to, Units: c.Units}, &to
	}
	if c.Storage.Int() {
		r.Units[s] = c.Units
	}
}

// widenTables stores tables known while planning as f64 where a kernel computes in it; they are known that well.
func (r *retyper) widenTables(chosen []plan.Choice) {
	for i, g := range r.Kernels {
		for _, s := range g.Loads {
			if chosen[i].Compute == ir.F64 && s.Data != nil && r.Arrays.Bufs[s][0].Type == ir.F32 {
				r.store(s, plan.Choice{Storage: ir.F64})
			}
		}
	}
}

func (r *retyper) refuse(s *ops.Stage, part string, t ir.DType, why string) {
	help := fmt.Sprintf("leave %s at f32, or ask for another part only, as in @precision(storage: f16)", part)
	if part == "storage" {
		help = "leave it out; `weft explain` shows what is pinned"
	}
	r.fault(s, help, "%s cannot have %s: %s of %s is pinned at f32, because it %s", s.Op.Spec.Name, t, part, s.Name, why)
}

// fault is a mistake of @precision behind a stage's operator, told once.
func (r *retyper) fault(s *ops.Stage, help, format string, args ...any) {
	p := problem.Wrong(problem.UnsupportedPrecision, "", help, format, args...)
	p.At = s.Hints().At["precision"]
	if !slices.ContainsFunc(r.faults, func(e error) bool { return e.Error() == p.Error() }) {
		r.faults = append(r.faults, p)
	}
}

// Of reads the triple off a kernel: what it stores, computes with and accumulates in.
func Of(k *ir.Kernel, r retype.Types) plan.Precision {
	var storage, compute, acc []string
	add := func(list *[]string, t ir.DType) {
		if s := t.String(); !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, s := range k.Stores {
		add(&storage, s.Buf.Type)
	}
	k.Walk(func(n *ir.Node) {
		switch {
		case n.Kind == ir.KAlu && n.Type.Float() && n.Op != ir.Cast:
			add(&compute, n.Type)
		case n.Kind == ir.KFold && n.Fold.Monoid != ir.Ordered:
			for _, a := range n.Fold.Accs {
				add(&acc, a.Type)
			}
		}
	})
	if compute == nil {
		compute = storage
	}
	if graph.Narrower(r.Compute) {
		compute = []string{r.Compute.String()}
	}
	if graph.Narrower(r.Accumulate) {
		acc = []string{r.Accumulate.String()}
	}
	join := func(l []string) string { slices.Sort(l); return strings.Join(l, "+") }
	p := plan.Precision{Storage: join(storage), Compute: join(compute), Accumulate: join(acc)}
	for _, t := range []ir.DType{r.Compute, r.Accumulate} {
		if graph.Narrower(t) {
			p.Emulated = append(p.Emulated, fmt.Sprintf("%s arithmetic is emulated, slower than f32: every result of f32 is rounded to it", t))
			break
		}
	}
	return p
}

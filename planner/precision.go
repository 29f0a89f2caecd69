package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
	"weft/ops/problem"
)

// StageKey names a stage within its program, the same in every planning of it.
func StageKey(s *ops.Stage) string {
	if s.Op == nil {
		return s.Name
	}
	return fmt.Sprintf("%d.%s", s.Op.ID, s.Name)
}

// retyper applies choices and @precision to kernels that are built.
type retyper struct {
	a      *assembler
	groups []*group
	given  Choices
	pins   *pins
	faults []error
}

// retype gives kernels and arrays the types that were chosen for them or asked for, and records why others keep theirs.
func (b *builder) retype(groups []*group) error {
	r := &retyper{a: b.a, groups: groups, given: b.opt.Precision, pins: findPins(b.a, groups)}
	chosen := make([]Choice, len(groups))
	stored := map[*ir.Buffer]retype.Stored{}
	for i, g := range groups {
		chosen[i] = r.arithmetic(g)
		for _, s := range g.roots {
			r.storage(g, s, stored)
		}
	}
	r.widenTables(chosen, stored)
	for i, g := range groups {
		c := chosen[i]
		g.types = retype.Types{Compute: c.Compute, Accumulate: c.Accumulate, Stored: stored}
		if c != (Choice{}) || r.touches(g, stored) {
			g.kernel = retype.Apply(g.kernel, g.types)
		}
	}
	for _, g := range groups {
		for _, s := range slices.Concat(g.roots, g.loads) {
			if to, ok := stored[b.a.bufs[s]]; ok {
				b.a.bufs[s] = to.Buf
				if to.Buf.Type.Int() {
					b.scales[s] = to.Scale
				}
			}
		}
	}
	b.pins = r.pins
	return joinFaults(r.faults)
}

func (r *retyper) touches(g *group, stored map[*ir.Buffer]retype.Stored) bool {
	return slices.ContainsFunc(slices.Concat(g.kernel.Inputs(), g.kernel.Outputs()), func(b *ir.Buffer) bool { _, ok := stored[b]; return ok })
}

// arithmetic is what a kernel computes and sums in: as its stages ask (the planner does not fuse those that disagree), else
// as was chosen for one that it stores.
func (r *retyper) arithmetic(g *group) Choice {
	var out Choice
	for _, s := range g.roots {
		c := r.given[StageKey(s)]
		out.Compute, out.Accumulate = cmp.Or(out.Compute, c.Compute), cmp.Or(out.Accumulate, c.Accumulate)
	}
	for _, s := range g.inside {
		asked := s.Hints().Precision
		if asked == (ops.Precision{}) {
			continue
		}
		out.Compute, out.Accumulate = asked.Compute, asked.Accumulate
		if why := r.pins.compute[g]; why != "" && narrower(asked.Compute) {
			r.refuse(s, "compute", asked.Compute, why)
		}
		if why := r.pins.sums[g]; why != "" && narrower(asked.Accumulate) {
			r.refuse(s, "accumulate", asked.Accumulate, why)
		}
		break
	}
	if out.Compute == ir.F32 { // which is how operators build kernels, but for what they ask f64 for
		out.Compute = 0
	}
	if out.Accumulate == ir.F32 && out.Compute == 0 {
		out.Accumulate = 0
	}
	return out
}

// storage finds the type in memory of an array that a kernel stores.
func (r *retyper) storage(g *group, s *ops.Stage, stored map[*ir.Buffer]retype.Stored) {
	c := r.given[StageKey(s)]
	if asked := s.Hints().Precision; asked.Storage != 0 {
		c.Storage = asked.Storage
		if why := r.pins.storage[s]; why != "" && narrower(c.Storage) {
			if s.IsOutput() && asked.Parts && !r.a.g.wanted[s] {
				r.refuse(s, "storage", c.Storage, why)
			}
			return
		}
	}
	buf := r.a.bufs[s]
	if c.Storage == 0 || c.Storage == buf.Type || !s.Type.Elem.Base.Float() || r.a.g.wanted[s] || r.pins.storage[s] != "" && narrower(c.Storage) {
		return
	}
	to := *buf
	to.Type = c.Storage
	stored[buf] = retype.Stored{Buf: &to, Scale: c.Scale}
}

// widenTables stores tables known while planning as f64 where a kernel computes in it; they are known that well.
func (r *retyper) widenTables(chosen []Choice, stored map[*ir.Buffer]retype.Stored) {
	for i, g := range r.groups {
		for _, s := range g.loads {
			buf := r.a.bufs[s]
			if _, done := stored[buf]; done || chosen[i].Compute != ir.F64 || s.Data == nil || buf.Type != ir.F32 {
				continue
			}
			to := *buf
			to.Type = ir.F64
			stored[buf] = retype.Stored{Buf: &to}
		}
	}
}

func (r *retyper) refuse(s *ops.Stage, part string, t ir.DType, why string) {
	help := fmt.Sprintf("leave %s at f32, or ask for another part only, as in @precision(storage: f16)", part)
	if part == "storage" {
		help = "leave it out; `weft explain` shows what is pinned"
	}
	p := problem.Wrong(problem.UnsupportedPrecision, "", help,
		"%s cannot have %s: %s of %s is pinned at f32, because it %s", s.Op.Spec.Name, t, part, s.Name, why)
	p.At = s.Hints().At["precision"]
	if !slices.ContainsFunc(r.faults, func(e error) bool { return e.Error() == p.Error() }) {
		r.faults = append(r.faults, p)
	}
}

// narrower reports a type with fewer digits than f32.
func narrower(t ir.DType) bool { return t == ir.F16 || t == ir.BF16 || t.Int() }

// arithmeticOf is what an operator asks its arithmetic to be in: stages that disagree are not computed in one kernel.
func arithmeticOf(s *ops.Stage) Choice {
	asked := s.Hints().Precision
	c := Choice{Compute: asked.Compute, Accumulate: asked.Accumulate}
	if c.Compute == ir.F32 {
		c.Compute = 0
	}
	if c.Accumulate == ir.F32 {
		c.Accumulate = 0
	}
	return c
}

// precisionOf reads the triple off a kernel: what it stores, computes with and accumulates in.
func precisionOf(k *ir.Kernel, r retype.Types) Precision {
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
	if narrower(r.Compute) {
		compute = []string{r.Compute.String()}
	}
	if narrower(r.Accumulate) {
		acc = []string{r.Accumulate.String()}
	}
	join := func(l []string) string { slices.Sort(l); return strings.Join(l, "+") }
	p := Precision{Storage: join(storage), Compute: join(compute), Accumulate: join(acc)}
	for _, t := range []ir.DType{r.Compute, r.Accumulate} {
		if narrower(t) {
			p.Emulated = append(p.Emulated, fmt.Sprintf("%s arithmetic is emulated, slower than f32: every result of f32 is rounded to it", t))
			break
		}
	}
	return p
}

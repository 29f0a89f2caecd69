package precision

import (
	"cmp"
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/module"
)

// pins say what keeps its precision, and why, in words that follow "because it".
type pins struct {
	storage map[*ops.Stage]string       // arrays
	compute map[*module.Kernel]string   // arithmetic of a kernel
	sums    map[*module.Kernel]string   // sums of a kernel
	bufs    map[*ops.Stage][]*ir.Buffer // as they lie in memory, once types are chosen
	// hard are arrays whose reason reaches through what is computed from them: a position that is wrong reads another element,
	// while a comparison may go either way where its sides are that close.
	hard map[*ops.Stage]bool
}

// use is a way in which a value decides something: rounding it gives another answer, not a less exact one.
type use struct {
	hard  bool
	roots []*ir.Node
	why   string
}

// findPins follows values from loads to where they decide, readers before what they read.
func findPins(m *module.Module) *pins {
	p := &pins{storage: map[*ops.Stage]string{}, compute: map[*module.Kernel]string{}, sums: map[*module.Kernel]string{},
		hard: map[*ops.Stage]bool{}, bufs: m.Arrays.Bufs}
	stages := m.Arrays.Stages()
	for i := len(m.Kernels) - 1; i >= 0; i-- {
		g := m.Kernels[i]
		for _, u := range append(decisions(g, stages), p.inherited(g, stages)...) {
			p.follow(g, u, stages)
		}
		for _, s := range g.Inside {
			if s.Exact {
				p.exact(g, s)
			}
		}
	}
	for s := range m.Arrays.Bufs {
		if s.Tall != nil {
			p.pin(s, "is skipped over by the bounds of its values", true)
			for _, t := range s.Tall.Stages() {
				p.pin(t, "bounds "+s.Name, true)
			}
		}
	}
	return p
}

func (p *pins) pin(s *ops.Stage, why string, hard bool) {
	if p.storage[s] == "" {
		p.storage[s] = why
	}
	p.hard[s] = p.hard[s] || hard
}

// exact pins all that a stage whose every operation counts is made with.
func (p *pins) exact(g *module.Kernel, s *ops.Stage) {
	why := fmt.Sprintf("decides in %s, where every operation must round by itself", s.Name)
	p.compute[g], p.sums[g] = why, why
	for _, in := range g.Loads {
		p.pin(in, why, true)
	}
}

// inherited are the uses of a kernel's results whose reasons reach through arithmetic.
func (p *pins) inherited(g *module.Kernel, stages map[*ir.Buffer]*ops.Stage) (out []use) {
	for _, st := range g.IR.Stores {
		if s := stages[st.Buf]; p.hard[s] {
			out = append(out, use{true, []*ir.Node{st.Value}, fmt.Sprintf("makes %s, which %s", s.Name, p.storage[s])})
		}
	}
	return out
}

// decisions lists the uses of a kernel, those that are hard first.
func decisions(g *module.Kernel, stages map[*ir.Buffer]*ops.Stage) []use {
	var hard, soft []use
	in := "in " + g.IR.Name
	add := func(list *[]use, isHard bool, why string, roots ...*ir.Node) {
		*list = append(*list, use{isHard, roots, why})
	}
	for _, s := range g.IR.Stores {
		add(&hard, true, "feeds the index of "+stages[s.Buf].Name, s.Index...)
	}
	g.IR.Walk(func(n *ir.Node) {
		switch {
		case n.Kind == ir.KLoad:
			add(&hard, true, "feeds the index of "+stages[n.Buf].Name, n.Index()...)
		case n.Kind == ir.KFold:
			add(&hard, true, "feeds the bounds of a loop "+in, n.Fold.Lo, n.Fold.Hi)
			if n.Fold.While != nil {
				add(&hard, true, "decides when a loop "+in+" ends", n.Fold.While)
			}
		case n.Kind == ir.KAlu && n.Args[0].Type.Float():
			switch n.Op.Info().Gives {
			case ir.Other:
				if !n.Type.Float() {
					add(&soft, true, "becomes an integer "+in, n.Args...)
				}
			case ir.Whole:
				add(&soft, true, "becomes a whole number "+in, n.Args...)
			case ir.Truth:
				add(&soft, false, "decides a comparison "+in, n.Args...)
			}
		}
	})
	return append(hard, soft...)
}

// follow walks back from where a value decides to the arrays it was loaded from. What a comparison chose on the way, such as the place of the least
// element, depends on its sides as comparisons do.
func (p *pins) follow(g *module.Kernel, u use, stages map[*ir.Buffer]*ops.Stage) {
	type visit struct {
		node *ir.Node
		hard bool
	}
	seen := map[visit]bool{}
	var back func(n *ir.Node, hard bool)
	back = func(n *ir.Node, hard bool) {
		if n == nil || seen[visit{n, hard}] || seen[visit{n, true}] {
			return
		}
		seen[visit{n, hard}] = true
		if n.Type.Float() && n.Kind != ir.KConst && n.Kind != ir.KArg && n.Kind != ir.KFold && p.compute[g] == "" {
			p.compute[g] = u.why
		}
		switch n.Kind {
		case ir.KLoad:
			if s := stages[n.Buf]; n.Type.Float() && s != nil {
				p.pin(s, u.why, hard)
			}
		case ir.KAlu:
			hard = hard && !(n.Args[0].Type.Float() && n.Op.Info().Gives == ir.Truth)
			for _, a := range n.Args {
				back(a, hard)
			}
		case ir.KGet, ir.KAxis:
			if n.Role == ir.RoleIndex {
				back(n.Fold.Lo, hard)
				back(n.Fold.Hi, hard)
				return
			}
			if n.Kind == ir.KAxis && n.Role != ir.RoleAcc {
				return
			}
			f := n.Fold
			if n.Type.Float() && p.sums[g] == "" && (f.Monoid == ir.Sum || f.Monoid == ir.Ordered) {
				p.sums[g] = u.why
			}
			back(f.Init[n.I], hard)
			back(f.Step[n.I], hard)
		}
	}
	for _, n := range u.roots {
		back(n, u.hard)
	}
}

// because says why a kernel keeps what it keeps.
func (p *pins) because(g *module.Kernel) (why []string) {
	add := func(format string, a ...any) {
		if s := fmt.Sprintf(format, a...); !slices.Contains(why, s) {
			why = append(why, s)
		}
	}
	for _, s := range g.Loads {
		if w := p.storage[s]; w != "" && s.Type.Elem.Base.Float() && s.Data == nil {
			add("%s is %s: it %s", s.Name, pinned(s.Type.Elem.Base, p.bufs[s][0].Type), w)
		}
	}
	if w := p.compute[g]; w != "" {
		add("computing is %s: it %s", pinned(ir.F32, cmp.Or(g.Types.Compute, ir.F32)), w)
	}
	return why
}

// pinned says that a type must not be narrower, of what has it or a wider one.
func pinned(at, is ir.DType) string {
	if is == at {
		return fmt.Sprintf("pinned at %s", at)
	}
	return fmt.Sprintf("in %s, and could not be below %s", is, at)
}

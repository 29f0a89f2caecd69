package subst

import (
	"slices"

	"weft/kernels/ir"
)

// Along has folds that go from where one around them begins to its turn go along with that: it carries what they come to, and makes one turn of theirs in
// each of its own. What took as many turns as the square of its own takes these alone. Of folds that find the same there is then one.
// Values are the same to the bit, but for sums, as a fold that carries others goes in order, and for what renderers contract as it varies.
func Along(k *ir.Kernel) *ir.Kernel {
	for k.Pointwise() {
		f, behind := followed(k)
		b := ir.Extend(slices.Concat(k.Roots(), k.Axes))
		if f == nil || b.Binders()+mostMore(k, behind) > ir.MaxBinders {
			break
		}
		values, like := carrying(b, f, behind), map[*ir.Node]*ir.Node{}
		k.Walk(func(n *ir.Node) {
			if n.Kind == ir.KGet && n.Fold == f {
				like[n] = values[n.I]
			}
		})
		k = Kernel(k, Like(b, like), true)
	}
	return merge(k, (*survey).twice)
}

// mostMore is how many binders a kernel may take besides its own if folds go along with one around them.
func mostMore(k *ir.Kernel, behind []follower) int { return 2 * (len(behind) + k.Folds() + 1) }

// Crowded reports a kernel with folds that would go along with one around them, if that did not take more binders than there are.
func Crowded(k *ir.Kernel) bool {
	if !k.Pointwise() {
		return false
	}
	f, _ := followed(k)
	return f != nil
}

// follower is a fold that goes along with one around it, as far as before its turn, or through it.
type follower struct {
	*ir.Fold
	through bool
}

// followed is the first fold that others could go along with, with these; nil: there is none.
func followed(k *ir.Kernel) (f *ir.Fold, behind []follower) {
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KFold || f != nil {
			return
		}
		var folds []*ir.Fold
		inner := n.Fold.Binders()
		ir.WalkNodes(body(n.Fold), func(m *ir.Node) {
			if m.Kind == ir.KFold {
				folds, inner = append(folds, m.Fold), inner.Or(m.Fold.Binders())
			}
		})
		for _, g := range folds {
			if through, ok := follows(n.Fold, g, inner); ok {
				behind = append(behind, follower{g, through})
			}
		}
		if behind != nil {
			f = n.Fold
		}
	})
	return f, behind
}

// body are the nodes of a fold's turns.
func body(f *ir.Fold) []*ir.Node {
	if f.While != nil {
		return append(slices.Clone(f.Step), f.While)
	}
	return f.Step
}

// follows reports whether a fold goes from where another begins to its turn, and nothing else of it follows from that, nor from what is in its turns.
func follows(f, g *ir.Fold, inner ir.Set) (through, ok bool) {
	if g.Lo != f.Lo || g.Index.Type != f.Index.Type {
		return false, false
	}
	for _, n := range slices.Concat(g.Init, g.Step, []*ir.Node{g.Lo}) {
		if n.Free().Minus(g.Binders()).Meets(inner) {
			return false, false
		}
	}
	end, beyond := g.Hi, int64(0)
	if w := g.While; w != nil {
		if g.Hi != f.Hi || w.Kind != ir.KAlu || w.Op != ir.Le && w.Op != ir.Lt || w.Args[0] != g.Index {
			return false, false
		}
		if end = w.Args[1]; w.Op == ir.Le {
			beyond = 1
		}
	}
	var apart ir.Linear
	apart.Add(end, 1)
	apart.Add(f.Index, -1)
	if slices.ContainsFunc(apart.Terms, func(t ir.Term) bool { return t.Coef != 0 }) {
		return false, false
	}
	switch apart.C + beyond {
	case 0:
		return false, true
	case 1:
		return true, true
	}
	return false, false
}

// carrying is a fold that carries what others come to that go along with it, and the values that it ends with itself.
func carrying(b *ir.Builder, f *ir.Fold, behind []follower) []*ir.Node {
	spec := ir.FoldSpec{Name: f.Index.Name, Lo: f.Lo, Hi: f.Hi}
	for _, g := range behind {
		spec.Init = append(spec.Init, g.Init...)
	}
	own := len(spec.Init)
	spec.Init = append(spec.Init, f.Init...)
	values := b.Fold(spec, func(i *ir.Node, acc []*ir.Node) (step []*ir.Node, while *ir.Node) {
		within, with := map[*ir.Fold][]*ir.Node{}, map[*ir.Node]*ir.Node{f.Index: i}
		for q, a := range f.Accs {
			with[a] = acc[own+q]
		}
		for _, g := range behind {
			turn := map[*ir.Node]*ir.Node{g.Index: i}
			for q, a := range g.Accs {
				turn[a] = acc[len(step)+q]
			}
			after := New(b, turn).all(g.Step)
			if within[g.Fold] = acc[len(step):][:len(after)]; g.through {
				within[g.Fold] = after
			}
			step = append(step, after...)
		}
		ir.WalkNodes(body(f), func(n *ir.Node) {
			if n.Kind == ir.KGet && within[n.Fold] != nil {
				with[n] = within[n.Fold][n.I]
			}
		})
		s := New(b, with)
		if f.While != nil {
			while = s.Of(f.While)
		}
		return append(step, s.all(f.Step)...), while
	})
	return single(b, values)[own:]
}

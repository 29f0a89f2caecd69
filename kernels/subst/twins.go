package subst

import (
	"maps"
	"slices"

	"weft/kernels/ir"
)

// twins are accumulators of folds over one range that are the same in every turn: they begin alike, and step alike. Each stands for the first of its kind.
type twins struct {
	of   map[*ir.Node]*ir.Node // of an accumulator, and of what is bound within
	seen map[[2]*ir.Node]bool
}

func twinsOf(folds ...*ir.Fold) *twins {
	var accs, init, step []*ir.Node
	bound := map[*ir.Node]*ir.Node{}
	for _, f := range folds {
		bound[f.Index] = folds[0].Index
		accs, init, step = append(accs, f.Accs...), append(init, f.Init...), append(step, f.Step...)
	}
	first := func(alike func(i, j int) bool) (of []int) {
		for i := range accs {
			j := 0
			for j < i && !alike(j, i) {
				j++
			}
			of = append(of, j)
		}
		return of
	}
	for of := first(func(i, j int) bool { return init[i] == init[j] }); ; {
		t := &twins{maps.Clone(bound), map[[2]*ir.Node]bool{}}
		for i, j := range of {
			t.of[accs[i]] = accs[j]
		}
		next := first(func(i, j int) bool { return of[i] == of[j] && t.same(step[i], step[j]) })
		if slices.Equal(of, next) {
			return t
		}
		of = next
	}
}

// stands is what a variable stands for.
func (t *twins) stands(n *ir.Node) *ir.Node {
	if m := t.of[n]; m != nil {
		return m
	}
	return n
}

// same reports whether two values are the same as long as twins are.
func (t *twins) same(x, y *ir.Node) bool {
	if x == y || x.Kind == ir.KAxis || y.Kind == ir.KAxis {
		return t.stands(x) == t.stands(y)
	}
	if x.Kind != y.Kind || x.Type != y.Type || x.Op != y.Op || x.I != y.I || x.Buf != y.Buf || x.Guarded != y.Guarded || x.Name != y.Name || len(x.Args) != len(y.Args) {
		return false
	}
	at := [2]*ir.Node{x, y}
	if known, ok := t.seen[at]; ok {
		return known
	}
	ok := len(x.Args) > 0 || x.Kind == ir.KFold // others are the same nodes, or differ
	for i := range x.Args {
		ok = ok && t.same(x.Args[i], y.Args[i])
	}
	if ok && x.Kind == ir.KFold {
		ok = t.sameFold(x.Fold, y.Fold)
	}
	t.seen[at] = ok
	return ok
}

func (t *twins) sameFold(f, g *ir.Fold) bool {
	all := func(x, y []*ir.Node) bool { return slices.EqualFunc(x, y, t.same) }
	if f.Monoid != g.Monoid || (f.While == nil) != (g.While == nil) || !t.same(f.Lo, g.Lo) || !t.same(f.Hi, g.Hi) || !all(f.Init, g.Init) {
		return false
	}
	t.of[g.Index] = f.Index
	for q, a := range g.Accs {
		t.of[a] = f.Accs[q]
	}
	return all(body(f), body(g))
}

// meets reports whether an accumulator of a fold has a twin in another.
func meets(f, g *ir.Fold) bool {
	if !slices.ContainsFunc(g.Step, func(x *ir.Node) bool {
		return slices.ContainsFunc(f.Step, func(y *ir.Node) bool { return resemble(x, y, 6) })
	}) {
		return false
	}
	t := twinsOf(f, g)
	return slices.ContainsFunc(g.Accs, func(a *ir.Node) bool { return slices.Contains(f.Accs, t.of[a]) })
}

// resemble reports values that may be the same as long as twins are, by as many operations.
func resemble(x, y *ir.Node, deep int) bool {
	if x == y || deep == 0 || x.Kind == ir.KAxis && y.Kind == ir.KAxis {
		return true
	}
	return x.Kind == y.Kind && x.Type == y.Type && x.Op == y.Op && x.I == y.I && x.Buf == y.Buf && (len(x.Args) > 0 || x.Kind == ir.KFold) &&
		slices.EqualFunc(x.Args, y.Args, func(x, y *ir.Node) bool { return resemble(x, y, deep-1) })
}

// single is a fold, by the accumulators that it ends with, with one for all that are twins.
func single(b *ir.Builder, values []*ir.Node) (out []*ir.Node) {
	f := values[0].Fold
	t := twinsOf(f)
	spec := ir.FoldSpec{Name: f.Index.Name, Lo: f.Lo, Hi: f.Hi, Monoid: f.Monoid}
	var kept, step []*ir.Node
	for q, a := range f.Accs {
		if t.of[a] == a {
			kept, step, spec.Init = append(kept, a), append(step, f.Step[q]), append(spec.Init, f.Init[q])
		}
	}
	if len(kept) == len(f.Accs) {
		return values
	}
	ends := b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		with := map[*ir.Node]*ir.Node{f.Index: i}
		for _, a := range f.Accs {
			with[a] = acc[slices.Index(kept, t.of[a])]
		}
		s, while := New(b, with), f.While
		if while != nil {
			while = s.Of(while)
		}
		return s.all(step), while
	})
	for _, a := range f.Accs {
		out = append(out, ends[slices.Index(kept, t.of[a])])
	}
	return out
}

package subst

import (
	"maps"
	"slices"

	"weft/kernels/ir"
)

// mostAccumulators is how many a merged fold may have.
const mostAccumulators = 128

// mostOfProducts is how many a fold has that is made of sums of products of other arrays: more leave no registers to share what is loaded.
const mostOfProducts = 2

// alike is what folds have in common that may be one: the range, the way in which terms join, what they vary with, and how many folds deep
// what they need is, so that none needs another, nor another that is merged.
type alike struct {
	lo, hi *ir.Node
	monoid ir.Monoid
	free   ir.Set
	level  int
	twins  bool // they are one only where an accumulator of one is that of another
}

// choice is how a fold is like those that it may be one with, and whether there are any.
type choice func(*survey, *ir.Fold) (alike, bool)

// Merge makes one fold of those over the same range that load from the same buffers and do not need each other: what they load, and what they
// compute of it alike, is then computed once. Two sums of products become one too, as loops over blocks of points, which lay out what they read, have
// one fold. Accumulators take the same steps as before.
func Merge(k *ir.Kernel) *ir.Kernel { return merge(k, (*survey).sameWay) }

// merge makes one fold of those that a choice finds alike.
func merge(k *ir.Kernel, fits choice) *ir.Kernel {
	if slices.ContainsFunc(k.Stores, func(s ir.Store) bool { return s.In != nil }) {
		return k
	}
	b, roots := ir.Extend(k.Roots()), []*ir.Node{}
	for _, s := range k.Stores {
		roots = append(append(roots, s.Index...), s.Value)
		if s.Guard != nil {
			roots = append(roots, s.Guard)
		}
	}
	all := surveyOf(roots, ir.Set{}, fits)
	groups, rest := all.groups(), len(all.folds)
	for _, g := range groups {
		rest -= len(g)
	}
	if len(groups) == 0 || b.Binders()+2*len(groups)+4*rest > ir.MaxBinders { // others may have to be built anew, twice
		return k
	}
	roots = merged(b, roots, ir.Set{}, fits)
	out := k.Copy()
	for i := range out.Stores {
		st, n := &out.Stores[i], len(out.Stores[i].Index)
		st.Index, st.Value, roots = roots[:n:n], roots[n], roots[n+1:]
		if st.Guard != nil {
			st.Guard, roots = roots[0], roots[1:]
		}
	}
	return out
}

// survey is what a choice of folds to merge looks at.
type survey struct {
	folds []*ir.Fold // those after what they need
	level map[*ir.Fold]int
	loads map[*ir.Fold]map[*ir.Buffer]bool // buffers of loads that depend on the index
	fits  choice
}

// surveyOf looks at the folds that values are made of; of a scope, at those that depend on it.
func surveyOf(roots []*ir.Node, scope ir.Set, fits choice) *survey {
	s := &survey{level: map[*ir.Fold]int{}, loads: map[*ir.Fold]map[*ir.Buffer]bool{}, fits: fits}
	ir.WalkNodes(roots, func(n *ir.Node) {
		if n.Kind != ir.KFold || !scope.Empty() && !n.Free().Meets(scope) {
			return
		}
		f := n.Fold
		s.folds, s.loads[f] = append(s.folds, f), map[*ir.Buffer]bool{}
		var of []*ir.Node
		f.Operands(func(m *ir.Node) { of = append(of, m) })
		ir.WalkNodes(of, func(m *ir.Node) {
			if m.Kind == ir.KFold {
				s.level[f] = max(s.level[f], s.level[m.Fold]+1)
			}
			if m.Kind == ir.KLoad && m.Free().Meets(f.IndexBind) {
				s.loads[f][m.Buf] = true
			}
		})
	})
	return s
}

// merged are values with folds merged, those within others too.
func merged(b *ir.Builder, roots []*ir.Node, scope ir.Set, fits choice) []*ir.Node {
	all := surveyOf(roots, scope, fits)
	var inner ir.Set
	for _, f := range all.folds {
		inner = inner.Or(f.Binders())
	}
	gets := map[*ir.Fold][]*ir.Node{}
	ir.WalkNodes(roots, func(n *ir.Node) {
		if n.Kind == ir.KGet {
			gets[n.Fold] = append(gets[n.Fold], n)
		}
	})
	groups := all.groups()
	for _, f := range all.folds {
		alone := !slices.ContainsFunc(groups, func(g []*ir.Fold) bool { return slices.Contains(g, f) })
		if alone && len(surveyOf(f.Step, f.Binders(), fits).groups()) > 0 {
			groups = append(groups, []*ir.Fold{f})
		}
	}
	slices.SortStableFunc(groups, func(x, y []*ir.Fold) int { return all.level[x[0]] - all.level[y[0]] })
	with := map[*ir.Node]*ir.Node{}
	for _, g := range groups { // what they need first
		if g[0].Node.Free().Meets(inner) {
			continue // it is merged with what it is in
		}
		for f, values := range mergedFold(b, g, with, fits) {
			for _, n := range gets[f] {
				with[n] = values[n.I]
			}
		}
	}
	return New(b, with).all(roots)
}

// sameWay chooses folds that join terms in the same way.
func (s *survey) sameWay(f *ir.Fold) (alike, bool) {
	ok := f.While == nil && (f.Monoid == ir.Sum || f.Monoid == ir.Product || f.Monoid == ir.Smallest || f.Monoid == ir.Largest)
	return alike{f.Lo, f.Hi, f.Monoid, f.Node.Free(), s.level[f], false}, ok
}

// twice chooses folds that find the same as others.
func (s *survey) twice(f *ir.Fold) (alike, bool) {
	return alike{f.Lo, f.Hi, f.Monoid, f.Node.Free(), s.level[f], true}, f.While == nil && gathers(f.Monoid)
}

// gathers reports folds whose results are their accumulators as they are.
func gathers(m ir.Monoid) bool { return m == ir.Ordered || m == ir.Sum || m == ir.Product }

// groups are the folds that become one.
func (s *survey) groups() (out [][]*ir.Fold) {
	var kinds []alike
	byKind := map[alike][][]*ir.Fold{}
	for _, f := range s.folds {
		kind, ok := s.fits(s, f)
		if !ok {
			continue
		}
		if byKind[kind] == nil {
			kinds = append(kinds, kind)
		}
		if i := slices.IndexFunc(byKind[kind], func(g []*ir.Fold) bool { return s.joins(kind, f, g) }); i >= 0 {
			byKind[kind][i] = append(byKind[kind][i], f)
		} else {
			byKind[kind] = append(byKind[kind], []*ir.Fold{f})
		}
	}
	for _, kind := range kinds {
		for _, g := range byKind[kind] {
			if len(g) > 1 {
				out = append(out, g)
			}
		}
	}
	return out
}

// joins reports whether a fold loads from a buffer that one of a group does, or from several as one of it does, or finds what one of it does, and the
// group has room for its accumulators.
func (s *survey) joins(kind alike, f *ir.Fold, group []*ir.Fold) bool {
	accs, shares := len(f.Accs), false
	for _, g := range group {
		accs += len(g.Accs)
	}
	for _, g := range group {
		if kind.twins {
			shares = shares || meets(g, f)
			continue
		}
		for b := range s.loads[f] {
			shares = shares || s.loads[g][b]
		}
		shares = shares || accs <= mostOfProducts && len(s.loads[f]) > 1 && len(s.loads[g]) > 1
	}
	return shares && accs <= mostAccumulators
}

// mergedFold is one fold of several, after a replacement, and the values that it ends with for each.
func mergedFold(b *ir.Builder, group []*ir.Fold, with map[*ir.Node]*ir.Node, fits choice) map[*ir.Fold][]*ir.Node {
	first, before := group[0], New(b, with)
	spec := ir.FoldSpec{Name: first.Index.Name, Lo: before.Of(first.Lo), Hi: before.Of(first.Hi), Monoid: common(group)}
	for _, f := range group {
		for _, n := range f.Init {
			spec.Init = append(spec.Init, turned(b, f.Monoid, spec.Monoid, before.Of(n)))
		}
	}
	values := b.Fold(spec, func(i *ir.Node, acc []*ir.Node) (step []*ir.Node, while *ir.Node) {
		inside, scope := maps.Clone(with), i.Bind().Or(acc[0].Bind())
		for _, f := range group {
			inside[f.Index] = i
			for q, a := range f.Accs {
				inside[a] = acc[q]
			}
			acc = acc[len(f.Accs):]
		}
		s := New(b, inside)
		for _, f := range group {
			step = append(step, steps(b, f, spec.Monoid, s)...)
		}
		if first.While != nil { // it is alone
			step = append(step, s.Of(first.While))
		}
		if step = merged(b, step, scope, fits); first.While != nil {
			step, while = step[:len(step)-1], step[len(step)-1]
		}
		return step, while
	})
	if len(group) > 1 && gathers(spec.Monoid) {
		values = single(b, values)
	}
	out := map[*ir.Fold][]*ir.Node{}
	for _, f := range group {
		for range f.Accs {
			out[f], values = append(out[f], back(b, f.Monoid, spec.Monoid, values[0])), values[1:]
		}
	}
	return out
}

// Package subst replaces nodes of kernels.
package subst

import "weft/kernels/ir"

// Substitution replaces nodes: every key becomes its value, and whatever uses one is rebuilt. A fold that uses one is rebuilt
// with fresh binders; a fold that does not is shared. A fold's own variable among the keys is replaced inside that fold as
// well. What several nodes share stays shared.
type Substitution struct {
	b     *ir.Builder
	done  ir.Memo[*ir.Node]
	folds map[*ir.Fold][]*ir.Node      // values of rebuilt folds
	bound ir.Set                       // binders of folds that were rebuilt
	keys  ir.Memo[bool]                // whether a node reaches a key
	like  map[*ir.Node]*ir.Node        // keys that become what these become
	span  func(*ir.Fold, *ir.FoldSpec) // changes what a rebuilt fold is built from; nil: nothing does
}

// New prepares a replacement of nodes of builder b. The map is copied.
func New(b *ir.Builder, with map[*ir.Node]*ir.Node) *Substitution {
	s := &Substitution{b: b, folds: map[*ir.Fold][]*ir.Node{}}
	for k, v := range with {
		s.done.Put(k, v)
		s.keys.Put(k, true)
	}
	return s
}

// Like prepares a replacement by values that may use what folds around them bind, and what is replaced itself: it is replaced in them as well.
func Like(b *ir.Builder, like map[*ir.Node]*ir.Node) *Substitution {
	s := New(b, nil)
	s.like = like
	for k := range like {
		s.keys.Put(k, true)
	}
	return s
}

// Of is n after the replacement.
func (s *Substitution) Of(n *ir.Node) *ir.Node {
	if !n.Free().Meets(s.bound) && !s.reaches(n) {
		return n
	}
	m, _ := s.done.Of(n)
	if m != nil {
		return m
	}
	switch l := s.like[n]; {
	case l != nil:
		m = s.Of(l)
	case n.Kind == ir.KGet:
		m = s.fold(n.Fold)[n.I]
	default:
		m = s.b.Rebuild(n, s.all(n.Args))
	}
	s.done.Put(n, m)
	return m
}

func (s *Substitution) all(nodes []*ir.Node) []*ir.Node {
	out := make([]*ir.Node, len(nodes))
	for i, n := range nodes {
		out[i] = s.Of(n)
	}
	return out
}

// reaches reports a key among n and what it is made of.
func (s *Substitution) reaches(n *ir.Node) bool {
	if r, ok := s.keys.Of(n); ok {
		return r
	}
	r := false
	for _, a := range n.Args {
		r = r || s.reaches(a)
	}
	if n.Kind == ir.KFold {
		n.Fold.Operands(func(m *ir.Node) { r = r || s.reaches(m) })
	}
	s.keys.Put(n, r)
	return r
}

// fold rebuilds a fold once and returns the values it ends with.
func (s *Substitution) fold(f *ir.Fold) []*ir.Node {
	if out := s.folds[f]; out != nil {
		return out
	}
	spec := ir.FoldSpec{Name: f.Index.Name, Lo: s.Of(f.Lo), Hi: s.Of(f.Hi), Init: s.all(f.Init), Monoid: f.Monoid}
	if s.span != nil {
		s.span(f, &spec)
	}
	s.folds[f] = s.b.Fold(spec, func(i *ir.Node, acc []*ir.Node) (step []*ir.Node, while *ir.Node) {
		s.bound = s.bound.Or(f.IndexBind).Or(f.AccBind)
		s.rename(f.Index, i)
		for k, a := range f.Accs {
			s.rename(a, acc[k])
		}
		if f.While != nil {
			while = s.Of(f.While)
		}
		return s.all(f.Step), while
	})
	return s.folds[f]
}

// rename makes a variable of the old fold the new fold's, unless the caller replaces it.
func (s *Substitution) rename(old, fresh *ir.Node) {
	if m, _ := s.done.Of(old); m == nil {
		s.done.Put(old, fresh)
	}
}

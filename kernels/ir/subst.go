package ir

import "maps"

// Substitution replaces nodes: every key becomes its value, and whatever uses one is rebuilt. A fold that uses one is rebuilt
// with fresh binders; a fold that does not is shared. A fold's own variable among the keys is replaced inside that fold as
// well. What several nodes share stays shared.
type Substitution struct {
	b     *Builder
	done  map[*Node]*Node
	folds map[*Fold][]*Node // values of rebuilt folds
	bound Set               // binders of folds that were rebuilt
	keys  map[*Node]bool    // whether a node reaches a key
}

// NewSubstitution prepares a replacement of nodes of builder b. The map is copied.
func NewSubstitution(b *Builder, with map[*Node]*Node) *Substitution {
	s := &Substitution{b: b, done: maps.Clone(with), folds: map[*Fold][]*Node{}, keys: map[*Node]bool{}}
	if s.done == nil {
		s.done = map[*Node]*Node{}
	}
	for k := range with {
		s.keys[k] = true
	}
	return s
}

// Of is n after the replacement.
func (s *Substitution) Of(n *Node) *Node {
	if !n.free.Meets(s.bound) && !s.reaches(n) {
		return n
	}
	if m := s.done[n]; m != nil {
		return m
	}
	var m *Node
	if n.Kind == KGet {
		m = s.fold(n.Fold)[n.I]
	} else {
		m = s.b.rebuild(n, s.all(n.Args))
	}
	s.done[n] = m
	return m
}

func (s *Substitution) all(nodes []*Node) []*Node {
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		out[i] = s.Of(n)
	}
	return out
}

// reaches reports a key among n and what it is made of.
func (s *Substitution) reaches(n *Node) bool {
	if r, ok := s.keys[n]; ok {
		return r
	}
	r := false
	for _, a := range n.Args {
		r = r || s.reaches(a)
	}
	if n.Kind == KFold {
		n.Fold.Operands(func(m *Node) { r = r || s.reaches(m) })
	}
	s.keys[n] = r
	return r
}

// fold rebuilds a fold once and returns the values it ends with.
func (s *Substitution) fold(f *Fold) []*Node {
	if out := s.folds[f]; out != nil {
		return out
	}
	spec := FoldSpec{Name: f.Index.Name, Lo: s.Of(f.Lo), Hi: s.Of(f.Hi), Init: s.all(f.Init), Monoid: f.Monoid}
	s.folds[f] = s.b.Fold(spec, func(i *Node, acc []*Node) (step []*Node, while *Node) {
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
func (s *Substitution) rename(old, fresh *Node) {
	if s.done[old] == nil {
		s.done[old] = fresh
	}
}

// rebuild is n with other operands, of the same types.
func (b *Builder) rebuild(n *Node, args []*Node) *Node {
	switch {
	case n.Kind == KLoad && n.Guarded:
		k := len(args) - 2
		return b.LoadOr(n.Buf, args[k], args[k+1], args[:k]...)
	case n.Kind == KLoad:
		return b.Load(n.Buf, args...)
	case n.Op == Cast:
		return b.Cast(n.Type, args[0])
	case n.Op == Bits:
		return b.Reinterpret(n.Type, args[0])
	}
	return b.Alu(n.Op, args...)
}

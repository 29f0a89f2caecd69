package ir

// Vary tells over which binders values differ. That is more than Free: an accumulator is free only in its own fold, but its
// value differs over everything that fold depends on, and a fold's index differs over what its lower bound depends on.
// Answers are remembered; a Vary is for one goroutine.
type Vary struct {
	seen  met
	folds []varyFold
	memo  map[*Set]*Set // by where what values depend on lies
	even  map[*Node]bool
	last  struct{ free, where *Set }
}

// varyFold is a fold met so far: a value that has bind free also varies over more.
type varyFold struct{ bind, more Set }

// NewVary returns an empty Vary. The turns of some folds go by their own numbers for all points together, wherever one of them begins.
func NewVary(together ...*Fold) *Vary {
	v := &Vary{memo: map[*Set]*Set{}, even: map[*Node]bool{}}
	for _, f := range together {
		v.even[f.Index] = true
	}
	return v
}

// Of is the set of binders whose variables can change the value of n, conservatively.
func (v *Vary) Of(n *Node) Set {
	if v.discover(n) {
		clear(v.memo)
		v.last.free = nil
	}
	switch n.free {
	case nil:
		return Set{}
	case v.last.free:
	default:
		v.last.free, v.last.where = n.free, v.where(n.free)
	}
	return *v.last.where
}

// where is the set for values in which some binders are free, of folds met so far.
func (v *Vary) where(free *Set) *Set {
	if s := v.memo[free]; s != nil {
		return s
	}
	s := *free
	for grown := true; grown; {
		grown = false
		for _, f := range v.folds {
			if s.Meets(f.bind) && !f.more.Minus(s).Empty() {
				s, grown = s.Or(f.more), true
			}
		}
	}
	v.memo[free] = &s
	return &s
}

// discover records the folds that bind anything below n and reports whether there were new ones.
func (v *Vary) discover(n *Node) (found bool) {
	if !v.seen.first(n) {
		return false
	}
	for _, a := range n.Args {
		found = v.discover(a) || found
	}
	switch {
	case n.Kind == KFold:
		n.Fold.Operands(func(m *Node) { found = v.discover(m) || found })
	case v.even[n]:
		return v.discover(n.Fold.Lo) || true
	case n.Kind == KAxis && n.Role == RoleIndex:
		v.folds = append(v.folds, varyFold{n.Bind(), n.Fold.Lo.Free()})
		return v.discover(n.Fold.Lo) || true
	case n.Kind == KAxis && n.Role == RoleAcc && n.Fold.Node != nil:
		v.folds = append(v.folds, varyFold{n.Bind(), n.Fold.Node.Free().Or(n.Fold.IndexBind)})
		return v.discover(n.Fold.Node) || true
	}
	return found
}

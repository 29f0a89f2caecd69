package contraction

import "weft/kernels/ir"

// scopes tell into which accumulators of ordered folds the values of a kernel go. What one of these carries does not follow from what else a kernel
// makes of it, nor from what is carried beside it.
type scopes struct {
	number map[*ir.Node]int // of accumulators; beyond what a set holds they count as one
	into   []ir.Set         // by the number of a node
	reach  []ir.Set         // of an accumulator: into which it goes, itself among them
	states ir.Set           // those that others follow from, or that are stored turn by turn
}

func bit(i int) (s ir.Set) {
	s[i/64] = 1 << (i % 64)
	return s
}

// stored stands for what is stored turn by turn, among accumulators.
const stored = 0

// scopesOf looks through a kernel. nil: it has no ordered folds.
func scopesOf(k *ir.Kernel) *scopes {
	s := &scopes{number: map[*ir.Node]int{}}
	nodes, last := k.Ordered(), 0
	k.Walk(func(n *ir.Node) {
		last = max(last, n.ID())
		if n.Kind == ir.KFold && n.Fold.Monoid == ir.Ordered {
			for _, a := range n.Fold.Accs {
				s.number[a] = min(len(s.number)+1, ir.MaxBinders-1)
			}
		}
	})
	if len(s.number) == 0 {
		return nil
	}
	s.into = make([]ir.Set, last+1)
	put := func(n *ir.Node, into ir.Set) { s.into[n.ID()] = s.into[n.ID()].Or(into) }
	for _, st := range k.Stores {
		if st.In != nil {
			put(st.Value, bit(stored))
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		into := s.into[n.ID()]
		switch ordered := n.Fold != nil && n.Fold.Monoid == ir.Ordered; {
		case n.Kind == ir.KFold && ordered:
			f := n.Fold
			for _, m := range f.Ends() {
				put(m, into)
			}
			for q, a := range f.Accs {
				put(f.Init[q], bit(s.number[a]))
				put(f.Step[q], bit(s.number[a]))
			}
		case n.Kind == ir.KFold:
			n.Fold.Operands(func(m *ir.Node) { put(m, into) })
		case n.Kind == ir.KGet && ordered:
			put(n.Args[0], into)
			put(n.Fold.Accs[n.I], into)
		default:
			for _, a := range n.Args {
				put(a, into)
			}
		}
	}
	s.close()
	return s
}

// close has values go where the accumulators go into which they go.
func (s *scopes) close() {
	s.reach = make([]ir.Set, ir.MaxBinders)
	s.reach[stored] = bit(stored)
	for a, q := range s.number {
		s.reach[q] = s.reach[q].Or(bit(q)).Or(s.into[a.ID()])
	}
	for grown := true; grown; {
		grown = false
		for q, was := range s.reach {
			s.reach[q] = s.all(was)
			grown = grown || s.reach[q] != was
		}
	}
	for id, into := range s.into {
		s.into[id] = s.all(into)
	}
	for _, q := range s.number {
		for p := range s.reach[q].Members() {
			if !s.reach[p].Meets(bit(q)) {
				s.states = s.states.Or(bit(q))
			}
		}
	}
}

// all is a set with what its members go into.
func (s *scopes) all(into ir.Set) ir.Set {
	out := into
	for q := range into.Members() {
		out = out.Or(s.reach[q])
	}
	return out
}

// of is into what a value goes.
func (s *scopes) of(n *ir.Node) (into ir.Set) {
	if s != nil {
		into = s.into[n.ID()]
	}
	return into
}

// turn is into what an accumulator's turns go.
func (s *scopes) turn(f *ir.Fold, q int) ir.Set {
	if s != nil && f.Monoid == ir.Ordered {
		return s.reach[s.number[f.Accs[q]]]
	}
	return s.of(f.Node)
}

// counts reports whether a reader of a product, by what it goes into, counts for a sum: it goes into one of the states that the sum goes into, of which none follows
// from another. What is carried nowhere is one scope.
func (s *scopes) counts(reader ir.Set, sum *ir.Node) bool {
	into := s.of(sum)
	if into.Empty() {
		return true
	}
	if states := into.And(s.states); !states.Empty() {
		into = states
	}
	for q := range into.Members() {
		first := true
		for p := range into.Members() {
			first = first && (!s.reach[p].Meets(bit(q)) || s.reach[q].Meets(bit(p)))
		}
		if first && reader.Meets(bit(q)) {
			return true
		}
	}
	return false
}

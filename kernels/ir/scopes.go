package ir

// scopes tell into which accumulators of ordered folds the values of a kernel go. What one of these carries does not follow from what else a kernel
// makes of it, nor from what is carried beside it.
type scopes struct {
	number map[*Node]int // of accumulators; beyond what a set holds they count as one
	into   []Set         // by the number of a node
	reach  []Set         // of an accumulator: into which it goes, itself among them
	states Set           // those that others follow from, or that are stored turn by turn
}

// stored stands for what is stored turn by turn, among accumulators.
const stored = 0

// scopesOf looks through a kernel. nil: it has no ordered folds.
func scopesOf(k *Kernel) *scopes {
	s := &scopes{number: map[*Node]int{}}
	var nodes []*Node
	last := 0
	k.Walk(func(n *Node) {
		nodes, last = append(nodes, n), max(last, n.id)
		if n.Kind == KFold && n.Fold.Monoid == Ordered {
			for _, a := range n.Fold.Accs {
				s.number[a] = min(len(s.number)+1, MaxBinders-1)
			}
		}
	})
	if len(s.number) == 0 {
		return nil
	}
	s.into = make([]Set, last+1)
	put := func(n *Node, into Set) { s.into[n.id] = s.into[n.id].Or(into) }
	for _, st := range k.Stores {
		if st.In != nil {
			put(st.Value, bit(stored))
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		into := s.into[n.id]
		switch ordered := n.Fold != nil && n.Fold.Monoid == Ordered; {
		case n.Kind == KFold && ordered:
			f := n.Fold
			for _, m := range f.ends() {
				put(m, into)
			}
			for q, a := range f.Accs {
				put(f.Init[q], bit(s.number[a]))
				put(f.Step[q], bit(s.number[a]))
			}
		case n.Kind == KFold:
			n.Fold.Operands(func(m *Node) { put(m, into) })
		case n.Kind == KGet && ordered:
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
	s.reach = make([]Set, MaxBinders)
	s.reach[stored] = bit(stored)
	for a, q := range s.number {
		s.reach[q] = s.reach[q].Or(bit(q)).Or(s.into[a.id])
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
func (s *scopes) all(into Set) Set {
	out := into
	for q := range into.Members() {
		out = out.Or(s.reach[q])
	}
	return out
}

// of is into what a value goes.
func (s *scopes) of(n *Node) (into Set) {
	if s != nil {
		into = s.into[n.id]
	}
	return into
}

// turn is into what an accumulator's turns go.
func (s *scopes) turn(f *Fold, q int) Set {
	if s != nil && f.Monoid == Ordered {
		return s.reach[s.number[f.Accs[q]]]
	}
	return s.of(f.Node)
}

// counts reports whether a reader of a product, by what it goes into, counts for a sum: it goes into one of the states that the sum goes into, of which none follows
// from another. What is carried nowhere is one scope.
func (s *scopes) counts(reader Set, sum *Node) bool {
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

package ir

// Memo remembers something of nodes, of whatever builders. It finds them by their numbers, which takes a fraction of what a map does.
type Memo[V any] struct {
	places []remembered[V] // probed one behind the other; a power of two of them, at most half are taken
	count  int
}

type remembered[V any] struct {
	node *Node
	v    V
}

// Of is what is remembered of a node; ok is false where nothing is.
func (m *Memo[V]) Of(n *Node) (v V, ok bool) {
	if m.count == 0 {
		return v, false
	}
	p := &m.places[m.at(n)]
	return p.v, p.node == n
}

// Put remembers something of a node in place of what it was.
func (m *Memo[V]) Put(n *Node, v V) {
	if 2*m.count >= len(m.places) {
		old := m.places
		m.places = make([]remembered[V], max(16, 2*len(old)))
		for _, p := range old {
			if p.node != nil {
				m.places[m.at(p.node)] = p
			}
		}
	}
	p := &m.places[m.at(n)]
	if p.node == nil {
		m.count++
	}
	*p = remembered[V]{n, v}
}

// at is the place of a node, or where it belongs.
func (m *Memo[V]) at(n *Node) int {
	last := len(m.places) - 1
	at := int(mixed(uint64(n.id))) & last
	for m.places[at].node != nil && m.places[at].node != n {
		at = (at + 1) & last
	}
	return at
}

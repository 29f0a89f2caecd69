package ir

import (
	"hash/maphash"
	"math"
	"slices"
)

// table finds nodes by content. Places are probed one behind the other; a power of two of them, at most half are taken.
type table struct {
	nodes []*Node
	count int
}

var tableSeed = maphash.MakeSeed()

// find is the node that is like another, whose hash is its content, or the place where one like it belongs.
func (t *table) find(n *Node) (m *Node, at int) {
	if len(t.nodes) == 0 {
		t.grow(64)
	}
	last := len(t.nodes) - 1
	for at = int(n.hash) & last; t.nodes[at] != nil; at = (at + 1) & last {
		if t.nodes[at].hash == n.hash && alike(t.nodes[at], n) {
			return t.nodes[at], at
		}
	}
	return nil, at
}

// put has a node in a place that find gave.
func (t *table) put(n *Node, at int) {
	if t.nodes[at] == nil {
		t.count++
	}
	if t.nodes[at] = n; 2*t.count > len(t.nodes) {
		t.grow(2 * len(t.nodes))
	}
}

// grow makes room for half as many nodes as the least power of two that is no smaller than a number.
func (t *table) grow(least int) {
	places := 64
	for places < least {
		places *= 2
	}
	old := t.nodes
	t.nodes = make([]*Node, places)
	for _, n := range old { // no two are alike
		if n != nil {
			at := int(n.hash) & (places - 1)
			for ; t.nodes[at] != nil; at = (at + 1) & (places - 1) {
			}
			t.nodes[at] = n
		}
	}
}

// content is a number that nodes like each other have in common.
func content(n *Node) uint64 {
	h := mixed(bitsOf(n)) ^ uint64(n.Kind) ^ uint64(n.Op)<<8 ^ uint64(n.Type)<<16
	for _, a := range n.Args {
		h = mixed(h ^ uint64(a.id))
	}
	if n.Name != "" {
		h ^= maphash.String(tableSeed, n.Name)
	}
	if n.Buf != nil {
		h ^= maphash.Comparable(tableSeed, n.Buf)
	}
	return mixed(h)
}

// mixed has all bits of a number matter to the last ones.
func mixed(h uint64) uint64 {
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// bitsOf is the constant that a node is, as it is stored: one of 0 and -0 is not as good as the other.
func bitsOf(n *Node) uint64 {
	if n.Kind == KConst && n.Type.Float() {
		return math.Float64bits(n.F)
	}
	return uint64(n.I)
}

// alike reports nodes that one may stand for both of.
func alike(a, b *Node) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Type == b.Type && a.Guarded == b.Guarded && a.Name == b.Name && a.Buf == b.Buf &&
		bitsOf(a) == bitsOf(b) && slices.Equal(a.Args, b.Args)
}

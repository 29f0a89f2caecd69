package ir

import (
	"math"
	"slices"
)

// Settled gives what ranges prove a float of an Alu node to be at all points: a constant, which is neither NaN nor a zero of unknown sign, or that
// of the operands of Select, Min or Max which it always is. nil: they prove neither. Integers and conditions stay, since analyses of indices
// and guards go by how these are written.
func (b *Builder) Settled() func(n *Node) *Node {
	r := ranger{sure: true}
	return func(n *Node) *Node {
		if n.Kind != KAlu || !n.Type.Float() {
			return nil
		}
		s := r.of(n)
		if s.lo == s.hi && !s.nan && (s.lo != 0 || r.unsigned(n)) {
			return b.Const(n.Type, s.lo)
		}
		switch n.Op {
		case Select:
			if c := r.of(n.Args[0]); c.lo == c.hi {
				return chosen(c == truth, n.Args[1], n.Args[2])
			}
		case Min, Max:
			less, more := n.Args[0], n.Args[1]
			x, y := r.of(less), r.of(more)
			if x.hi > y.lo {
				less, more, x, y = more, less, y, x
			}
			if x.hi < y.lo && !x.nan && !y.nan {
				return chosen(n.Op == Min, less, more)
			}
		}
		return nil
	}
}

// unsigned reports a value that is never below zero, nor a negative zero.
func (r *ranger) unsigned(n *Node) bool {
	switch s := r.of(n); {
	case s.nan:
		return false
	case s.lo > 0:
		return true
	case n.Kind == KConst:
		return n.F == 0 && !math.Signbit(n.F)
	case n.Kind != KAlu:
		return false
	}
	switch n.Op {
	case Abs:
		return true
	case Add, Mul, Div, Sqrt:
		return !slices.ContainsFunc(n.Args, func(a *Node) bool { return !r.unsigned(a) })
	}
	return false
}

// Package contraction decides which products of a kernel are rounded with the sums that they are in.
package contraction

import (
	"slices"

	"weft/kernels/ir"
)

// Rule says which products of a kernel are rounded with sums that they are in, once. It follows from the kernel alone, whatever its
// schedule, its tiles and its device are: a renderer writes what it says, and compilers contract nothing. What might be stored between two kernels is rounded
// by itself in any case (Apart), so that results do not depend on what is fused.
//
// A product of floats whose every reader is a sum or a difference is rounded with each of these: with the last one where both operands are such
// products, and with none where both are the same product, whose difference is 0. It stays apart where the sum differs over axes or turns that it does
// not differ over: it may be computed once for these, or be an array or a table that another kernel made. An axis is one whatever its extent is. And
// it stays apart where the sum is one of a choice between adding and not, since lanes add 0 then.
//
// What an ordered fold carries is the same to the bit in every kernel that carries it, with what else it may carry: what an accumulator differs over
// follows from its own turns, and readers of a product count for the sums that go where they go (scopes).
type Rule struct {
	products []*ir.Node // by number
	readers  [][]ir.Set // of a product, that are no sums, by number: into what they go
	sums     []joined   // those that products are rounded with, by number
	vary     *ir.Vary
	scopes   *scopes
	accs     ir.Set              // of all folds
	over     map[*ir.Node]ir.Set // what values differ over that follow from accumulators
}

// joined is a sum, and which of its operands is rounded with it.
type joined struct {
	sum *ir.Node
	at  int
}

// nowhere is what readers go into where nothing is carried.
var nowhere = []ir.Set{{}}

// at is what a list by numbers has for a node.
func at[T any](list []T, n *ir.Node) (x T) {
	if n.ID() < len(list) {
		x = list[n.ID()]
	}
	return x
}

// Of looks through a kernel. No product is contracted unless Kernel.Contract is set.
func Of(k *ir.Kernel) *Rule {
	c := &Rule{vary: ir.NewVary(), over: map[*ir.Node]ir.Set{}}
	if !k.Contract {
		return c
	}
	roots, last := k.Roots(), 0
	for _, n := range roots {
		last = max(last, n.ID())
	}
	c.products, c.readers, c.sums = make([]*ir.Node, last+1), make([][]ir.Set, last+1), make([]joined, last+1)
	chosen := map[*ir.Node]bool{} // sums, by choices
	c.scopes = scopesOf(k)
	other := func(n *ir.Node, into ir.Set) {
		switch n = narrow(n); {
		case !isProduct(n):
		case c.scopes == nil: // all readers are alike
			c.readers[n.ID()] = nowhere
		default:
			c.readers[n.ID()] = append(c.readers[n.ID()], into)
		}
	}
	var sums []*ir.Node
	k.Walk(func(n *ir.Node) {
		switch {
		case n.Kind == ir.KFold:
			c.accs = c.accs.Or(n.Fold.AccBind)
			for _, m := range n.Fold.Ends() {
				other(m, c.scopes.of(n))
			}
			for q := range n.Fold.Accs {
				other(n.Fold.Init[q], c.scopes.turn(n.Fold, q))
				other(n.Fold.Step[q], c.scopes.turn(n.Fold, q))
			}
		case isSum(n):
			sums = append(sums, n)
		case n.Kind == ir.KAlu && (n.Op == ir.Apart || n.Op == ir.Cast && narrow(n) != n): // which is rounded all the same; as its readers read
		default:
			for _, a := range n.Args {
				other(a, c.scopes.of(n))
			}
		}
		if isProduct(n) {
			c.products[n.ID()] = n
		}
		if n.Kind == ir.KAlu && n.Op == ir.Select && isSum(n.Args[1]) && n.Args[1].Op == ir.Add && n.Args[1].Args[0] == n.Args[2] {
			chosen[n.Args[1]] = true
		}
	})
	for _, n := range roots {
		other(n, ir.Set{})
	}
	c.carry(k.Ordered())
	for _, n := range sums {
		x, y := n.Args[0], n.Args[1]
		switch {
		case chosen[n] || c.product(x, n) && c.product(y, n) && sameOperands(x, y):
		case c.joins(y, x, n):
			c.sums[n.ID()] = joined{n, 1}
		case c.joins(x, y, n):
			c.sums[n.ID()] = joined{n, 0}
		}
	}
	return c
}

// Product is which operand of a value is a product that is rounded with it; ok is false where none is.
func (c *Rule) Product(n *ir.Node) (operand int, ok bool) {
	j := at(c.sums, n)
	return j.at, j.sum == n
}

// Joins reports whether a value is a product that is rounded with its sum with an accumulator or a part of it.
func (c *Rule) Joins(n, acc *ir.Node) bool { return c.joins(n, acc, acc) }

// joins reports whether a value is a product that is rounded with its sum with another.
func (c *Rule) joins(n, other, sum *ir.Node) bool {
	return c.product(n, sum) && c.differs(other).Minus(c.differs(n)).Empty()
}

// product reports whether a value is a product, and a sum none that is rounded apart from it for another reader of it.
func (c *Rule) product(n, sum *ir.Node) bool {
	return at(c.products, n) == n && !slices.ContainsFunc(c.readers[n.ID()], func(into ir.Set) bool { return c.scopes.counts(into, sum) })
}

// Absorbed are the products that are rounded with all that reads them, and so never computed by themselves.
func (c *Rule) Absorbed(k *ir.Kernel) *ir.Memo[bool] {
	out := &ir.Memo[bool]{}
	for _, j := range c.sums {
		if j.sum != nil {
			out.Put(j.sum.Args[j.at], true)
		}
	}
	k.Walk(func(n *ir.Node) {
		for i, a := range n.Args {
			if a.Kind != ir.KAlu || a.Op != ir.Mul {
				continue
			}
			if in, _ := out.Of(a); !in {
				continue
			}
			if at, ok := c.Product(n); !ok || at != i {
				out.Put(a, false)
			}
		}
	})
	return out
}

// Apart is a value for those that read it as it is rounded by itself: no sum of theirs is rounded with it. What is no product stays as it is.
func Apart(b *ir.Builder, n *ir.Node) *ir.Node {
	if n == nil || !isProduct(narrow(n)) {
		return n
	}
	return b.Alu(ir.Apart, n)
}

func isSum(n *ir.Node) bool {
	return n.Kind == ir.KAlu && (n.Op == ir.Add || n.Op == ir.Sub) && n.Type.Float()
}

func isProduct(n *ir.Node) bool { return n.Kind == ir.KAlu && n.Op == ir.Mul && n.Type.Float() }

// narrow is the float32 product that a value is, widened: sums in float64 may be kept in float32 for a while.
func narrow(n *ir.Node) *ir.Node {
	if n.Kind == ir.KAlu && n.Op == ir.Cast && n.Type == ir.F64 && n.Args[0].Type == ir.F32 && isProduct(n.Args[0]) {
		return n.Args[0]
	}
	return n
}

// sameOperands reports whether two products are of the same factors.
func sameOperands(x, y *ir.Node) bool {
	return x.Args[0] == y.Args[0] && x.Args[1] == y.Args[1] || x.Args[0] == y.Args[1] && x.Args[1] == y.Args[0]
}

// carry finds what values that follow from accumulators differ over, among nodes whose operands come first. Folds over one range become one, which
// must not matter: an accumulator differs over what its own turns do, not over what the others' do.
func (c *Rule) carry(all []*ir.Node) {
	var nodes []*ir.Node // by which anything grows
	for _, n := range all {
		if n.Kind == ir.KFold || n.Kind != ir.KAxis && n.Free().Meets(c.accs) {
			nodes = append(nodes, n)
		}
	}
	for grown := true; grown; {
		grown = false
		grow := func(n *ir.Node, over ir.Set) {
			if was := c.over[n]; !over.Minus(was).Empty() {
				c.over[n], grown = was.Or(over), true
			}
		}
		for _, n := range nodes {
			if n.Kind == ir.KFold {
				f := n.Fold
				for q, acc := range f.Accs {
					grow(acc, f.IndexBind.Or(c.differs(f.Lo)).Or(c.differs(f.Init[q])).Or(c.differs(f.Step[q])))
				}
			}
			switch {
			case !n.Free().Meets(c.accs) || n.Kind == ir.KAxis:
			case n.Kind == ir.KFold:
				n.Fold.Operands(func(m *ir.Node) { grow(n, c.differs(m).Minus(n.Fold.IndexBind)) })
			default:
				for _, a := range n.Args {
					grow(n, c.differs(a))
				}
			}
		}
	}
}

// differs are the axes and turns that a value differs over.
func (c *Rule) differs(n *ir.Node) ir.Set {
	if n.Free().Meets(c.accs) {
		return c.over[n]
	}
	return c.vary.Of(n).Minus(c.accs)
}

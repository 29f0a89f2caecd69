package ir

// Contraction says which products of a kernel are rounded with sums that they are in, once. It follows from the kernel alone, whatever its
// schedule, its tiles and its device are: a renderer writes what it says, and compilers contract nothing. It is of the kernel as it is scheduled:
// what is stored between two kernels is rounded, so results may depend on what is fused, and on nothing behind that.
//
// A product of floats whose every reader is a sum or a difference is rounded with each of these: with the last one where both operands are such
// products, and with none where both are the same product, whose difference is 0. It stays apart where the sum differs over axes or turns that it does
// not differ over: it may be computed once for these, or be an array or a table that another kernel made. An axis is one whatever its extent is. And
// it stays apart where the sum is one of a choice between adding and not, since lanes add 0 then.
type Contraction struct {
	products []*Node  // that nothing but sums reads, by number
	sums     []joined // those that products are rounded with, by number
	vary     *Vary
	chains   map[*Node]Set // accumulators of sums, with the terms added so far, by what all of their own terms depend on
	accs     Set           // of all folds
}

// joined is a sum, and which of its operands is rounded with it.
type joined struct {
	sum *Node
	at  int
}

// at is what a list by numbers has for a node.
func at[T any](list []T, n *Node) (x T) {
	if n.id < len(list) {
		x = list[n.id]
	}
	return x
}

// ContractionOf looks through a kernel. No product is contracted unless Kernel.Contract is set.
func ContractionOf(k *Kernel) *Contraction {
	c := &Contraction{vary: NewVary(), chains: map[*Node]Set{}}
	if !k.Contract {
		return c
	}
	roots, last := k.Roots(), 0
	for _, n := range roots {
		last = max(last, n.id)
	}
	c.products, c.sums = make([]*Node, last+1), make([]joined, last+1)
	read, chosen := make([]bool, last+1), map[*Node]bool{} // products by other than sums, sums by choices
	other := func(n *Node) { read[narrow(n).id] = true }
	var sums []*Node
	k.Walk(func(n *Node) {
		c.vary.discover(n)
		switch {
		case n.Kind == KFold:
			c.chain(n.Fold)
			n.Fold.Operands(other)
		case isSum(n):
			sums = append(sums, n)
		case n.Kind == KAlu && n.Op == Cast && narrow(n) != n: // as its readers read
		default:
			for _, a := range n.Args {
				other(a)
			}
		}
		if isProduct(n) {
			c.products[n.id] = n
		}
		if n.Kind == KAlu && n.Op == Select && isSum(n.Args[1]) && n.Args[1].Op == Add && n.Args[1].Args[0] == n.Args[2] {
			chosen[n.Args[1]] = true
		}
	})
	for _, n := range roots {
		other(n)
	}
	for id, yes := range read {
		if yes {
			c.products[id] = nil
		}
	}
	for _, n := range sums {
		x, y := n.Args[0], n.Args[1]
		switch {
		case chosen[n] || isProduct(x) && isProduct(y) && sameOperands(x, y):
		case c.Joins(y, x):
			c.sums[n.id] = joined{n, 1}
		case c.Joins(x, y):
			c.sums[n.id] = joined{n, 0}
		}
	}
	return c
}

// Product is which operand of a value is a product that is rounded with it; ok is false where none is.
func (c *Contraction) Product(n *Node) (operand int, ok bool) {
	j := at(c.sums, n)
	return j.at, j.sum == n
}

// Joins reports whether a value is a product that is rounded with its sum with another, such as an accumulator or a part of it.
func (c *Contraction) Joins(n, other *Node) bool {
	return at(c.products, n) == n && c.differs(other).Minus(c.differs(n)).Empty()
}

// Absorbed are the products that are rounded with all that reads them, and so never computed by themselves.
func (c *Contraction) Absorbed(k *Kernel) map[*Node]bool {
	out := map[*Node]bool{}
	for _, j := range c.sums {
		if j.sum != nil {
			out[j.sum.Args[j.at]] = true
		}
	}
	k.Walk(func(n *Node) {
		for i, a := range n.Args {
			if a.Kind != KAlu || a.Op != Mul {
				continue
			}
			if at, ok := c.Product(n); !ok || at != i {
				delete(out, a)
			}
		}
	})
	return out
}

func isSum(n *Node) bool {
	return n.Kind == KAlu && (n.Op == Add || n.Op == Sub) && n.Type.Float()
}

func isProduct(n *Node) bool { return n.Kind == KAlu && n.Op == Mul && n.Type.Float() }

// narrow is the float32 product that a value is, widened: sums in float64 may be kept in float32 for a while.
func narrow(n *Node) *Node {
	if n.Kind == KAlu && n.Op == Cast && n.Type == F64 && n.Args[0].Type == F32 && isProduct(n.Args[0]) {
		return n.Args[0]
	}
	return n
}

// sameOperands reports whether two products are of the same factors.
func sameOperands(x, y *Node) bool {
	return x.Args[0] == y.Args[0] && x.Args[1] == y.Args[1] || x.Args[0] == y.Args[1] && x.Args[1] == y.Args[0]
}

// chain finds what the accumulators of a sum depend on. Folds over one range become one, which must not matter.
func (c *Contraction) chain(f *Fold) {
	c.accs = c.accs.Or(f.AccBind)
	for q, acc := range f.Accs {
		own := f.Step[q].free.Minus(f.AccBind).Or(f.Init[q].free).Or(f.IndexBind)
		for n := f.Step[q]; f.Monoid == Sum && n != acc && isSum(n); {
			c.chains[acc], c.chains[n] = own, own
			if x := n.Args[0]; x.free.Meets(f.AccBind) {
				n = x
			} else {
				n = n.Args[1]
			}
		}
	}
}

// differs are the axes and turns that a value differs over.
func (c *Contraction) differs(n *Node) Set {
	free, ok := c.chains[n]
	if !ok {
		free = n.free
	}
	return c.vary.of(free).Minus(c.accs)
}

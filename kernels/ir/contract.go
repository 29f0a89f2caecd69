package ir

// Contraction says which products of a kernel are rounded with sums that they are in, once. It follows from the kernel alone, whatever its
// schedule, its tiles and its device are: a renderer writes what it says, and compilers contract nothing. It is of the kernel as it is scheduled:
// what is stored between two kernels is rounded, so results may depend on what is fused, and on nothing behind that.
//
// A product of floats whose every reader is a sum or a difference is rounded with each of these: with the last one where both operands are such
// products, and with none where both are the same product, whose difference is 0. It stays apart where it is computed in a loop outside of the
// sum's, since it is computed once there, and where the sum is one of a choice between adding and not, since lanes add 0 then.
type Contraction struct {
	products map[*Node]bool // that nothing but sums reads
	operand  map[*Node]int
	homes    homes
}

// ContractionOf looks through a kernel. No product is contracted unless Kernel.Contract is set.
func ContractionOf(k *Kernel) *Contraction {
	c := &Contraction{products: map[*Node]bool{}, operand: map[*Node]int{}, homes: homes{of: map[Set]*Fold{}}}
	if !k.Contract {
		return c
	}
	read, chosen := map[*Node]bool{}, map[*Node]bool{} // products by other than sums, sums by choices
	other := func(n *Node) {
		if n != nil {
			read[narrow(n)] = true
		}
	}
	var sums []*Node
	k.Walk(func(n *Node) {
		switch {
		case n.Kind == KFold:
			c.homes.folds = append(c.homes.folds, n.Fold)
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
			c.products[n] = true
		}
		if n.Kind == KAlu && n.Op == Select && isSum(n.Args[1]) && n.Args[1].Op == Add && n.Args[1].Args[0] == n.Args[2] {
			chosen[n.Args[1]] = true
		}
	})
	for _, s := range k.Stores {
		for _, i := range s.Index {
			other(i)
		}
		other(s.Value)
		other(s.Guard)
	}
	for n := range read {
		delete(c.products, n)
	}
	for _, n := range sums {
		x, y := n.Args[0], n.Args[1]
		home := c.homes.at(n.free)
		switch {
		case chosen[n] || isProduct(x) && isProduct(y) && sameOperands(x, y):
		case c.joins(y, home):
			c.operand[n] = 1
		case c.joins(x, home):
			c.operand[n] = 0
		}
	}
	return c
}

// Product is which operand of a value is a product that is rounded with it; ok is false where none is.
func (c *Contraction) Product(n *Node) (operand int, ok bool) {
	operand, ok = c.operand[n]
	return operand, ok
}

// Term reports whether a term that a fold adds to an accumulator in its turns is a product that is rounded with the sum.
func (c *Contraction) Term(n *Node, f *Fold) bool { return c.joins(n, f) }

// joins reports whether a product is rounded with sums that are computed in the turns of a fold; nil: in none's.
func (c *Contraction) joins(n *Node, home *Fold) bool {
	return c.products[n] && c.homes.at(n.free) == home
}

// Absorbed are the products that are rounded with all that reads them, and so never computed by themselves.
func (c *Contraction) Absorbed(k *Kernel) map[*Node]bool {
	out := map[*Node]bool{}
	for n := range c.operand {
		out[n.Args[c.operand[n]]] = true
	}
	k.Walk(func(n *Node) {
		for i, a := range n.Args {
			if at, ok := c.operand[n]; !ok || at != i {
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

// homes finds the innermost fold in whose turns a value is computed, by what is free in it.
type homes struct {
	folds []*Fold
	of    map[Set]*Fold
}

func (h *homes) at(free Set) *Fold {
	if f, ok := h.of[free]; ok {
		return f
	}
	var in *Fold
	most := 0
	for _, f := range h.folds {
		if free.Meets(f.Binders()) {
			if d := h.depth(f); d > most {
				in, most = f, d
			}
		}
	}
	h.of[free] = in
	return in
}

// depth is in how many folds a fold is run, itself among them.
func (h *homes) depth(f *Fold) int {
	if f = h.at(f.Node.free); f == nil {
		return 1
	}
	return 1 + h.depth(f)
}

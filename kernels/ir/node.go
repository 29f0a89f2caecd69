package ir

import "slices"

// Kind is one of the seven node kinds.
type Kind uint8

const (
	KConst Kind = iota
	KArg        // a scalar given at launch
	KAxis       // a parallel axis, a fold's index, or a fold's accumulator
	KLoad
	KAlu
	KFold
	KGet // the final value of one accumulator of a fold
)

// Role tells the three uses of a KAxis node apart.
type Role uint8

const (
	RoleParallel Role = iota
	RoleIndex
	RoleAcc
)

// Node is one scalar value. Nodes are made by a Builder and never change.
type Node struct {
	Kind    Kind
	Type    DType
	Op      Op   // KAlu
	Guarded bool // KLoad: Args ends with guard (Bool) and other: the value is guard ? buffer[index] : other
	Role    Role // KAxis

	bind int16 // KAxis: the binder it is, from 1 on
	id   int

	// Args are the operands of KAlu; the index of KLoad, one an axis of the buffer, then guard and other if Guarded;
	// the KFold node of KGet.
	Args   []*Node
	Fold   *Fold   // KFold, KGet, and KAxis with RoleIndex or RoleAcc
	Buf    *Buffer // KLoad
	Extent int     // KAxis parallel: iterations, from 0

	F    float64 // KConst of a float type; KArg: what it is where a launch does not say, NaN: a launch must
	I    int64   // KConst of an integer type or Bool; KGet: which accumulator
	Name string  // KArg, KAxis

	free *Set   // nil: it is empty
	hash uint64 // what it has in common with nodes like it, where a builder made it to be found again
}

// Free is the set of binders whose variables the value depends on: it decides in which loop the value lives.
func (n *Node) Free() (s Set) {
	if n.free != nil {
		s = *n.free
	}
	return s
}

// Depends is where Free lies, nil if it is empty: nodes of a builder that depend on the same variables have it in common, so that what follows from it
// is found once for all of them.
func (n *Node) Depends() *Set { return n.free }

// Bind is the binder a KAxis node belongs to; empty for the others.
func (n *Node) Bind() (s Set) {
	if n.bind > 0 {
		s = bit(int(n.bind) - 1)
	}
	return s
}

// ID is unique within a builder and increases from operands to users.
func (n *Node) ID() int { return n.id }

// Index is the index operands of a load.
func (n *Node) Index() []*Node {
	if n.Guarded {
		return n.Args[:len(n.Args)-2]
	}
	return n.Args
}

// Guard is the guard and the other value of a guarded load, nil otherwise.
func (n *Node) Guard() (guard, other *Node) {
	if !n.Guarded {
		return nil, nil
	}
	return n.Args[len(n.Args)-2], n.Args[len(n.Args)-1]
}

// IsConst reports whether the node is a constant of value v; one NaN is as good as another.
func (n *Node) IsConst(v float64) bool {
	if n.Kind != KConst {
		return false
	}
	if n.Type.Float() {
		return sameNumber(n.F, v)
	}
	return float64(n.I) == v
}

// Monoid names how a fold's accumulators combine, which lets a renderer split, reorder or leave a fold early. Order
// of accumulation is then unspecified within rounding.
type Monoid uint8

const (
	Ordered Monoid = iota // no promise: runs in order, alone
	Sum                   // every accumulator is acc + term, written as any chain of + and - that starts at the accumulator
	Product
	Smallest // acc = Min(acc, term) or Min(term, acc)
	Largest
	Any    // acc = acc or term; may be left when true
	All    // acc = acc and term; may be left when false
	ArgMin // accumulators (value, index): the first of the smallest
	ArgMax
)

var monoidNames = [...]string{"ordered", "sum", "product", "min", "max", "any", "all", "argmin", "argmax"}

// Known reports whether there is such a monoid.
func (m Monoid) Known() bool { return int(m) < len(monoidNames) }

func (m Monoid) String() string { return monoidNames[m] }

// ParseMonoid finds the monoid of a name.
func ParseMonoid(name string) (m Monoid, ok bool) {
	i := slices.Index(monoidNames[:], name)
	return Monoid(max(i, 0)), i >= 0
}

// Fold is the only loop: for index in [lo, hi), while the condition holds, all accumulators step simultaneously.
// The while condition is tested before each iteration, on the accumulators as they stand. lo >= hi gives init.
// A fold with a while has the Ordered monoid.
type Fold struct {
	Index  *Node
	Accs   []*Node
	Lo, Hi *Node
	Init   []*Node
	Step   []*Node
	While  *Node // nil: none
	Monoid Monoid
	Node   *Node // the KFold node

	IndexBind, AccBind Set
}

// Binders are the sets that stand for a fold's index and its accumulators.
func (f *Fold) Binders() Set { return f.IndexBind.Or(f.AccBind) }

// Operands calls yield for every node the fold is made of.
func (f *Fold) Operands(yield func(*Node)) {
	for _, n := range f.Ends() {
		yield(n)
	}
	for _, n := range f.Init {
		yield(n)
	}
	for _, n := range f.Step {
		yield(n)
	}
}

// Ends are what says how many turns a fold makes.
func (f *Fold) Ends() []*Node {
	ends := []*Node{f.Lo, f.Hi, f.While}
	if f.While == nil {
		return ends[:2]
	}
	return ends
}

package ir

import "slices"

// fold checks the parts of a fold, and that they have the form its monoid promises.
func (c *checker) fold(f *Fold) {
	what := c.label[f.Node]
	if len(f.Accs) == 0 || len(f.Init) != len(f.Accs) || len(f.Step) != len(f.Accs) {
		c.wrong("%s: %d accumulators, %d initial values, %d steps", what, len(f.Accs), len(f.Init), len(f.Step))
		return
	}
	if f.Lo.Type != f.Hi.Type || f.Lo.Type != I32 && f.Lo.Type != I64 || f.Index.Type != f.Lo.Type {
		c.wrong("%s: runs from %s to %s with an index of %s; all must be i32, or i64", what, f.Lo.Type, f.Hi.Type, f.Index.Type)
	}
	own := f.IndexBind.Or(f.AccBind)
	for k, a := range f.Accs {
		if f.Init[k].Type != a.Type || f.Step[k].Type != a.Type {
			c.wrong("%s: accumulator %d is %s, starts as %s and steps to %s", what, k, a.Type, f.Init[k].Type, f.Step[k].Type)
		}
		if f.Init[k].free.Meets(own) {
			c.wrong("%s: the initial value of accumulator %d uses the fold's own variables", what, k)
		}
	}
	if f.Lo.free.Meets(own) || f.Hi.free.Meets(own) {
		c.wrong("%s: its bounds use its own variables", what)
	}
	if f.While != nil && f.While.Type != Bool {
		c.wrong("%s: its while is %s, not bool", what, f.While.Type)
	}
	if f.While != nil && f.Monoid != Ordered {
		c.wrong("%s: a fold with a while runs in order, it cannot be a %s", what, f.Monoid)
	}
	if int(f.Monoid) >= len(monoidNames) {
		c.wrong("%s: unknown monoid %d", what, f.Monoid)
		return
	}
	if form, ok := chainForms[f.Monoid]; ok {
		c.chains(what, f, form)
	}
	if f.Monoid == ArgMin || f.Monoid == ArgMax {
		c.arg(what, f)
	}
}

// chainForm is how a monoid's step is written: op of the accumulator, in either operand, and a term without accumulators.
type chainForm struct {
	op    Op
	minus Op    // also allowed, with the accumulator first; OpNone for none
	long  bool  // the accumulator may be such a step itself
	takes Class // of accumulator
}

var chainForms = map[Monoid]chainForm{
	Sum:      {Add, Sub, true, Floats | Ints},
	Product:  {Mul, OpNone, true, Floats | Ints},
	Smallest: {Min, OpNone, false, Floats | Ints},
	Largest:  {Max, OpNone, false, Floats | Ints},
	Any:      {Or, OpNone, false, Bools},
	All:      {And, OpNone, false, Bools},
}

func (c *checker) chains(what string, f *Fold, form chainForm) {
	for k, acc := range f.Accs {
		if !form.takes.Has(acc.Type) || !form.holds(f.Step[k], acc, f.AccBind, true) {
			c.wrong("%s: step %d is not the accumulator %s terms without accumulators, as a %s must be", what, k, form.op, f.Monoid)
		}
	}
}

// holds reports that n is a chain that starts at acc; outermost is false below the first operation.
func (form chainForm) holds(n, acc *Node, accs Set, outermost bool) bool {
	if n == acc {
		return form.long || !outermost
	}
	if n.Kind != KAlu || n.Op != form.op && n.Op != form.minus || n.Op == OpNone || !form.long && !outermost {
		return false
	}
	a, b := n.Args[0], n.Args[1]
	if !b.free.Meets(accs) { // asked first: of two operands at most one is looked into
		return form.holds(a, acc, accs, false)
	}
	return n.Op == form.op && !a.free.Meets(accs) && form.holds(b, acc, accs, false)
}

// Better is the condition by which an ArgMin or ArgMax takes a value: v < acc (acc < v for ArgMax). Of floats that skip NaN, v = v and not
// acc <= v: an accumulator that begins as NaN, none yet, gives way to any number, an infinite one too.
func (b *Builder) Better(m Monoid, v, acc *Node) *Node {
	less, more := v, acc
	if m == ArgMax {
		less, more = acc, v
	}
	if !v.Type.Float() {
		return b.Lt(less, more)
	}
	return b.And(b.Alu(Eq, v, v), b.Not(b.Le(more, less)))
}

// IsBetter reports whether a condition is one by which an arg monoid takes a value.
func IsBetter(m Monoid, cond, v, acc *Node) bool {
	pair := []*Node{v, acc}
	if m == ArgMax {
		pair = []*Node{acc, v}
	}
	switch {
	case cond.Kind != KAlu:
	case cond.Op == Lt:
		return slices.Equal(cond.Args, pair)
	case cond.Op == And && cond.Args[0].Op == Eq && cond.Args[1].Op == Not && cond.Args[1].Args[0].Op == Le:
		slices.Reverse(pair)
		return slices.Equal(cond.Args[0].Args, []*Node{v, v}) && slices.Equal(cond.Args[1].Args[0].Args, pair)
	}
	return false
}

// arg: (value, index) step to (c ? v : value, c ? i : index) where c is Better; where it is a comparison alone, Min and Max may stand for
// the first.
func (c *checker) arg(what string, f *Fold) {
	ok := len(f.Accs) == 2
	if ok {
		pick := f.Step[1]
		ok = pick.Kind == KAlu && pick.Op == Select && pick.Args[2] == f.Accs[1] && !pick.Args[1].free.Meets(f.AccBind)
		ok = ok && c.argValue(f, pick.Args[0])
	}
	if !ok {
		c.wrong("%s: an %s steps (value, index) to (better ? v : value, better ? i : index)", what, f.Monoid)
	}
}

func (c *checker) argValue(f *Fold, cond *Node) bool {
	s := f.Step[0]
	if s.Kind != KAlu {
		return false
	}
	v := s.Args[0]
	if s.Op == Select {
		v = s.Args[1]
	}
	if v.free.Meets(f.AccBind) || !IsBetter(f.Monoid, cond, v, f.Accs[0]) {
		return false
	}
	if s.Op == Select {
		return s.Args[0] == cond && s.Args[2] == f.Accs[0]
	}
	return cond.Op == Lt && s.Op == map[Monoid]Op{ArgMin: Min, ArgMax: Max}[f.Monoid] && s.Args[1] == f.Accs[0]
}

package rules

import "weft/kernels/ir"

// fold checks the parts of a fold, and that they have the form its monoid promises.
func (c *checker) fold(f *ir.Fold) {
	what := c.label[f.Node]
	if len(f.Accs) == 0 || len(f.Init) != len(f.Accs) || len(f.Step) != len(f.Accs) {
		c.wrong("%s: %d accumulators, %d initial values, %d steps", what, len(f.Accs), len(f.Init), len(f.Step))
		return
	}
	if f.Lo.Type != f.Hi.Type || f.Lo.Type != ir.I32 && f.Lo.Type != ir.I64 || f.Index.Type != f.Lo.Type {
		c.wrong("%s: runs from %s to %s with an index of %s; all must be i32, or i64", what, f.Lo.Type, f.Hi.Type, f.Index.Type)
	}
	own := f.IndexBind.Or(f.AccBind)
	for k, a := range f.Accs {
		if f.Init[k].Type != a.Type || f.Step[k].Type != a.Type {
			c.wrong("%s: accumulator %d is %s, starts as %s and steps to %s", what, k, a.Type, f.Init[k].Type, f.Step[k].Type)
		}
		if f.Init[k].Free().Meets(own) {
			c.wrong("%s: the initial value of accumulator %d uses the fold's own variables", what, k)
		}
	}
	if f.Lo.Free().Meets(own) || f.Hi.Free().Meets(own) {
		c.wrong("%s: its bounds use its own variables", what)
	}
	if f.While != nil && f.While.Type != ir.Bool {
		c.wrong("%s: its while is %s, not bool", what, f.While.Type)
	}
	if f.While != nil && f.Monoid != ir.Ordered {
		c.wrong("%s: a fold with a while runs in order, it cannot be a %s", what, f.Monoid)
	}
	if !f.Monoid.Known() {
		c.wrong("%s: unknown monoid %d", what, f.Monoid)
		return
	}
	if form, ok := chainForms[f.Monoid]; ok {
		c.chains(what, f, form)
	}
	if f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax {
		c.arg(what, f)
	}
}

// chainForm is how a monoid's step is written: op of the accumulator, in either operand, and a term without accumulators.
type chainForm struct {
	op    ir.Op
	minus ir.Op    // also allowed, with the accumulator first; OpNone for none
	long  bool     // the accumulator may be such a step itself
	takes ir.Class // of accumulator
}

var chainForms = map[ir.Monoid]chainForm{
	ir.Sum:      {ir.Add, ir.Sub, true, ir.Floats | ir.Ints},
	ir.Product:  {ir.Mul, ir.OpNone, true, ir.Floats | ir.Ints},
	ir.Smallest: {ir.Min, ir.OpNone, false, ir.Floats | ir.Ints},
	ir.Largest:  {ir.Max, ir.OpNone, false, ir.Floats | ir.Ints},
	ir.Any:      {ir.Or, ir.OpNone, false, ir.Bools},
	ir.All:      {ir.And, ir.OpNone, false, ir.Bools},
}

func (c *checker) chains(what string, f *ir.Fold, form chainForm) {
	for k, acc := range f.Accs {
		if !form.takes.Has(acc.Type) || !form.holds(f.Step[k], acc, f.AccBind, true) {
			c.wrong("%s: step %d is not the accumulator %s terms without accumulators, as a %s must be", what, k, form.op, f.Monoid)
		}
	}
}

// holds reports that n is a chain that starts at acc; outermost is false below the first operation.
func (form chainForm) holds(n, acc *ir.Node, accs ir.Set, outermost bool) bool {
	if n == acc {
		return form.long || !outermost
	}
	if n.Kind != ir.KAlu || n.Op != form.op && n.Op != form.minus || n.Op == ir.OpNone || !form.long && !outermost {
		return false
	}
	a, b := n.Args[0], n.Args[1]
	if !b.Free().Meets(accs) { // asked first: of two operands at most one is looked into
		return form.holds(a, acc, accs, false)
	}
	return n.Op == form.op && !a.Free().Meets(accs) && form.holds(b, acc, accs, false)
}

// arg: (value, index) step to (c ? v : value, c ? i : index) where c is Better; where it is a comparison alone, Min and Max may stand for
// the first.
func (c *checker) arg(what string, f *ir.Fold) {
	ok := len(f.Accs) == 2
	if ok {
		pick := f.Step[1]
		ok = pick.Kind == ir.KAlu && pick.Op == ir.Select && pick.Args[2] == f.Accs[1] && !pick.Args[1].Free().Meets(f.AccBind)
		ok = ok && c.argValue(f, pick.Args[0])
	}
	if !ok {
		c.wrong("%s: an %s steps (value, index) to (better ? v : value, better ? i : index)", what, f.Monoid)
	}
}

func (c *checker) argValue(f *ir.Fold, cond *ir.Node) bool {
	s := f.Step[0]
	if s.Kind != ir.KAlu {
		return false
	}
	v := s.Args[0]
	if s.Op == ir.Select {
		v = s.Args[1]
	}
	if v.Free().Meets(f.AccBind) || !ir.IsBetter(f.Monoid, cond, v, f.Accs[0]) {
		return false
	}
	if s.Op == ir.Select {
		return s.Args[0] == cond && s.Args[2] == f.Accs[0]
	}
	return cond.Op == ir.Lt && s.Op == map[ir.Monoid]ir.Op{ir.ArgMin: ir.Min, ir.ArgMax: ir.Max}[f.Monoid] && s.Args[1] == f.Accs[0]
}

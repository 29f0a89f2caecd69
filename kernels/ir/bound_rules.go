package ir

// The rules of bounds hold for n's operands bounded on the right sides; rounding is monotone, so they hold after rounding too.

// unbounded is the rule of operations whose bounds do not follow from those of their operands.
func unbounded(*Bounder, *Node, Side) *Node { return nil }

func same(s Side) Side { return s }

// boundOf is the rule of monotone operations of one operand: the side of that which decides.
func boundOf(side func(Side) Side) func(*Bounder, *Node, Side) *Node {
	return func(q *Bounder, n *Node, s Side) *Node { return q.rebuilt(n, side(s)) }
}

// boundPair is the rule of monotone operations of two operands: the sides that decide of a lower bound.
func boundPair(x, y Side) func(*Bounder, *Node, Side) *Node {
	return func(q *Bounder, n *Node, s Side) *Node { return q.pair(n, s^x, s^y) }
}

// rebuilt is a monotone function of the bound of its operand.
func (q *Bounder) rebuilt(n *Node, s Side) *Node {
	a := q.Bound(n.Args[0], s)
	if a == nil {
		return nil
	}
	return q.B.Rebuild(n, []*Node{a})
}

// sqrt: where it is a number its operand is not negative, though the bound of the operand may be.
func (q *Bounder) sqrt(n *Node, s Side) *Node {
	a := q.Bound(n.Args[0], s)
	if a == nil {
		return nil
	}
	if q.sign(a) != 1 {
		a = q.B.Max(a, q.B.Const(a.Type, 0))
	}
	return q.B.Sqrt(a)
}

// pair is n's operation on its operands bounded on sides s0 and s1.
func (q *Bounder) pair(n *Node, s0, s1 Side) *Node {
	a, b := q.Bound(n.Args[0], s0), q.Bound(n.Args[1], s1)
	if a == nil || b == nil {
		return nil
	}
	return q.B.Alu(n.Op, a, b)
}

// sign tells that a value is never negative (1) or never positive (-1); 0 is not known.
func (q *Bounder) sign(n *Node) int {
	switch r := q.ranges.of(n); {
	case r.lo >= 0:
		return 1
	case r.hi <= 0:
		return -1
	}
	return 0
}

// end is the side of one factor at which a product is on side s, when the other factor has a sign.
func end(s Side, otherSign int) Side {
	if otherSign < 0 {
		return s.Other()
	}
	return s
}

// signed is the bound of a factor, kept to the side of zero that the factor keeps to: a bound may be looser than that.
func (q *Bounder) signed(n *Node, s Side, sign int) *Node {
	m := q.Bound(n, s)
	if m == nil || q.sign(m) == sign {
		return m
	}
	zero := q.B.Const(n.Type, 0)
	switch {
	case sign > 0 && s == Lo:
		return q.B.Max(m, zero)
	case sign < 0 && s == Hi:
		return q.B.Min(m, zero)
	}
	return m
}

// mul: the ends follow from the signs of the factors where they are known, else the outermost of the four corners.
func (q *Bounder) mul(n *Node, s Side) *Node {
	a, b := n.Args[0], n.Args[1]
	if a == b {
		m := q.magnitude(a, s)
		if m == nil {
			return nil
		}
		return q.B.Mul(m, m)
	}
	sa, sb := q.sign(a), q.sign(b)
	switch {
	case sa != 0 && sb != 0:
		x, y := q.signed(a, end(s, sb), sa), q.signed(b, end(s, sa), sb)
		if x == nil || y == nil {
			return nil
		}
		return q.B.Mul(x, y)
	case sb != 0 && !q.Varies(b):
		return q.pair(n, end(s, sb), s)
	case sa != 0 && !q.Varies(a):
		return q.pair(n, s, end(s, sa))
	}
	al, ah, ok := q.both(a)
	bl, bh, okb := q.both(b)
	if !ok || !okb {
		return nil
	}
	return q.outer(s, q.B.Mul(al, bl), q.B.Mul(al, bh), q.B.Mul(ah, bl), q.B.Mul(ah, bh))
}

// div needs a divisor whose bounds are known not to be zero and to have its sign.
func (q *Bounder) div(n *Node, s Side) *Node {
	r := q.ranges.of(n.Args[1])
	if r.has(0) {
		return nil
	}
	a := n.Args[0]
	top := q.Bound(a, end(s, q.sign(n.Args[1])))
	lo, hi, ok := q.both(n.Args[1])
	if top == nil || !ok || q.ranges.of(lo).has(0) || q.ranges.of(hi).has(0) {
		return nil
	}
	if lo == hi {
		return q.B.Div(top, lo)
	}
	return q.outer(s, q.B.Div(top, lo), q.B.Div(top, hi))
}

// mod by a positive constant lies in [0, m).
func (q *Bounder) mod(n *Node, s Side) *Node {
	m := n.Args[1]
	if m.Kind != KConst || m.I <= 0 {
		return nil
	}
	if s == Lo {
		return q.B.Int(n.Type, 0)
	}
	return q.B.Int(n.Type, m.I-1)
}

// magnitude is a bound of |a|.
func (q *Bounder) magnitude(a *Node, s Side) *Node {
	switch q.sign(a) {
	case 1:
		return q.signed(a, s, 1)
	case -1:
		if m := q.signed(a, s.Other(), -1); m != nil {
			return q.B.Neg(m)
		}
		return nil
	}
	lo, hi, ok := q.both(a)
	if !ok {
		return nil
	}
	if s == Hi {
		return q.outer(Hi, hi, q.B.Neg(lo))
	}
	return q.outer(Hi, q.B.Const(a.Type, 0), lo, q.B.Neg(hi))
}

func (q *Bounder) abs(n *Node, s Side) *Node { return q.magnitude(n.Args[0], s) }

// extremum is Min or Max. One operand alone bounds the result on one side: always the second, since it is the result where
// the first is NaN; the first only where it is not NaN.
func (q *Bounder) extremum(n *Node, s Side) *Node {
	a, b := q.Bound(n.Args[0], s), q.Bound(n.Args[1], s)
	first := !q.NaNs || !q.ranges.of(n.Args[0]).nan
	capped := !q.Tight && (n.Op == Min && s == Hi || n.Op == Max && s == Lo)
	switch {
	case capped && (a == nil || !first):
		return b
	case capped && b == nil:
		return a
	case a == nil || b == nil:
		return nil
	}
	return q.B.Alu(n.Op, a, b)
}

// shift by a uniform count is monotone.
func (q *Bounder) shift(n *Node, s Side) *Node {
	if q.Varies(n.Args[1]) {
		return nil
	}
	return q.pair(n, s, s)
}

// choice is the hull of both branches, or one choice of bounds if the condition does not vary. Of two constants, as of the ends of a fold that points beside a
// triangle do not have, the outer one counts only where some point may take it.
func (q *Bounder) choice(n *Node, s Side) *Node {
	a, b := q.Bound(n.Args[1], s), q.Bound(n.Args[2], s)
	if a == nil || b == nil || n.Type == Bool {
		return nil
	}
	if !q.Varies(n.Args[0]) {
		return q.B.Select(n.Args[0], a, b)
	}
	if a.Kind == KConst && b.Kind == KConst && n.Type.Int() {
		first := (a.I > b.I) == (s == Hi) // is the outer one
		if taken := q.possible(n.Args[0], first); taken != nil {
			if !first {
				a, b = b, a
			}
			return q.B.Select(taken, a, b)
		}
	}
	return q.outer(s, a, b)
}

// possible says of a comparison of whole numbers whether it may come out as it is to for some point; nil: unknown.
func (q *Bounder) possible(n *Node, as bool) *Node {
	if n.Kind != KAlu || n.Op != Lt && n.Op != Le || !n.Args[0].Type.Int() {
		return nil
	}
	less, more, op := n.Args[0], n.Args[1], n.Op
	if !as {
		less, more, op = more, less, map[Op]Op{Lt: Le, Le: Lt}[op]
	}
	lo, hi := q.Bound(less, Lo), q.Bound(more, Hi)
	if lo == nil || hi == nil {
		return nil
	}
	return q.B.Alu(op, lo, hi)
}

// cast is monotone between numbers.
func (q *Bounder) cast(n *Node, s Side) *Node {
	if n.Type == Bool || n.Args[0].Type == Bool {
		return nil
	}
	return q.rebuilt(n, s)
}

// wave: a sine lies in [-1, 1].
func (q *Bounder) wave(n *Node, s Side) *Node {
	if s == Lo {
		return q.B.Const(n.Type, -1)
	}
	return q.B.Const(n.Type, 1)
}

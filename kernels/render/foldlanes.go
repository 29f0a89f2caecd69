package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// partial is an accumulator kept once a lane while lanes are iterations.
type partial struct {
	terms []schedule.Signed // Sum: the terms; other monoids: one
	first bool              // the term is the first operand: minimum and maximum tell by it what a NaN does
	index *ir.Node          // ArgMin, ArgMax: what goes with the value
}

// foldLanes renders a fold with consecutive iterations as lanes: every lane accumulates its own share, and the shares are
// joined after the loop. The last, incomplete vector is masked. It gives up (false) on folds that it cannot split.
func (r *renderer) foldLanes(c *loop) bool {
	f := c.f
	if c.vec || c.masked || f.While != nil || f.Monoid == ir.Ordered || !r.innermost(f) || r.iter != nil {
		return false
	}
	shares, ok := r.shares(f)
	if !ok {
		return false
	}
	for q := range f.Accs {
		if f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax {
			break
		}
		for _, v := range c.copies {
			r.variable(c.sc, r.shareName(f, q, v), identity(f.Monoid, f.Accs[q].Type))
		}
	}
	if f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax {
		for q := range f.Accs {
			for _, v := range c.copies {
				r.variable(c.sc, r.shareName(f, q, v), r.accName(f.Accs[q], v))
			}
		}
	}
	r.iter = f
	i, t := c.index(), c.ctype()
	full, rest := newScope(f.IndexBind), newScope(f.IndexBind)
	for _, in := range []*scope{full, rest} {
		saved := r.stack
		r.push(in)
		mask := value{}
		if in == rest {
			lanes := strings.Join(counting(r.W), ",")
			mask = r.name(in, vector(ir.Bool, fmt.Sprintf("((vi){%s} < (int)(%s - %s))", lanes, c.hi, i)))
		}
		r.shareSteps(c, in, shares, mask)
		r.stack = saved
	}
	r.iter = nil
	var count *tally
	if f.Monoid == ir.Any || f.Monoid == ir.All {
		count = r.counting(c)
	}
	test := ""
	switch f.Monoid {
	case ir.Any:
		test = fmt.Sprintf("if (%s) break;", r.everyShare(c, "v_any(%s)", " && "))
	case ir.All:
		test = fmt.Sprintf("if (%s) break;", r.everyShare(c, "!v_all(%s)", " && "))
	}
	r.emit(c.sc, "{ const %s %s_last = %s - 1; %s %s = %s;\nfor (; %s_last - %s >= %d; %s += %d) {\n%s\n%s\n}\nif (%s <= %s_last) {\n%s\n} }",
		t.c, i, c.hi, t.c, i, c.lo, i, i, r.W-1, i, r.W, strings.Join(append(count.ran(fmt.Sprint(r.W)), full.lines...), "\n"), test,
		i, i, strings.Join(append(count.ran(fmt.Sprintf("%s - %s", c.hi, i)), rest.lines...), "\n"))
	r.joinShares(c)
	return true
}

func counting(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return out
}

// everyShare is a C condition over the shares of all accumulators and vectors in flight.
func (r *renderer) everyShare(c *loop, format, join string) string {
	var out []string
	for q := range c.f.Accs {
		for _, v := range c.copies {
			out = append(out, fmt.Sprintf(format, r.shareName(c.f, q, v).s[0]))
		}
	}
	return strings.Join(out, join)
}

// shares takes the steps apart.
func (r *renderer) shares(f *ir.Fold) ([]partial, bool) {
	out := make([]partial, len(f.Accs))
	if f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax {
		value, index, ok := argTerms(f)
		if !ok {
			return nil, false
		}
		out[0], out[1] = partial{terms: []schedule.Signed{{N: value}}}, partial{index: index}
		return out, true
	}
	for q, a := range f.Accs {
		if f.Monoid == ir.Sum {
			terms, ok := schedule.SumTerms(f, f.Step[q], a)
			if !ok {
				return nil, false
			}
			out[q].terms = terms
			continue
		}
		term, first, ok := schedule.Joined(f, f.Step[q], a, schedule.JoinOps[f.Monoid])
		if !ok {
			return nil, false
		}
		out[q].terms, out[q].first = []schedule.Signed{{N: term}}, first
	}
	return out, true
}

// argTerms recognises the steps of an ArgMin or ArgMax: c ? x : acc0, c ? i : acc1 with c = x < acc0 (acc0 < x).
func argTerms(f *ir.Fold) (value, index *ir.Node, ok bool) {
	if len(f.Accs) != 2 {
		return nil, nil, false
	}
	a, b := f.Step[0], f.Step[1]
	if b.Op != ir.Select || b.Args[2] != f.Accs[1] {
		return nil, nil, false
	}
	cond := b.Args[0]
	if cond.Op != ir.Lt {
		return nil, nil, false
	}
	less, more := cond.Args[0], cond.Args[1]
	if f.Monoid == ir.ArgMax {
		less, more = more, less
	}
	same := a.Op == ir.Select && a.Args[0] == cond && a.Args[1] == less && a.Args[2] == f.Accs[0]
	if more != f.Accs[0] || !same || less.Free().Meets(f.AccBind) || b.Args[1].Free().Meets(f.AccBind) {
		return nil, nil, false
	}
	return less, b.Args[1], true
}

func (r *renderer) shareName(f *ir.Fold, q, v int) value {
	base := fmt.Sprintf("h%d_%d", f.Accs[q].ID(), r.canon(r.vary.Of(f.Node), v))
	return each(f.Accs[q].Type, func(h int) string { return fmt.Sprintf("%s_%d", base, h) })
}

// identity is the neutral element of a monoid.
func identity(m ir.Monoid, t ir.DType) value {
	switch m {
	case ir.Smallest:
		return scalar(t, highest(t))
	case ir.Largest:
		return scalar(t, lowest(t))
	case ir.Product, ir.All:
		return scalar(t, "1")
	case ir.Sum:
		if t.Float() {
			return scalar(t, "-0.0") // plus zero would lose the sign of a sum of minus zeros
		}
	}
	return scalar(t, "0")
}

// shareSteps renders one vector of iterations; where the mask is set, lanes without it keep their share.
func (r *renderer) shareSteps(c *loop, in *scope, shares []partial, mask value) {
	f := c.f
	var last []string
	for _, v := range c.copies {
		if f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax {
			last = append(last, r.argStep(c, in, shares, mask, v)...)
			continue
		}
		for q := range f.Accs {
			h := r.shareName(f, q, v)
			x := h
			for _, t := range shares[q].terms {
				op := ir.Add
				switch {
				case t.Minus:
					op = ir.Sub
				case f.Monoid != ir.Sum:
					op = schedule.JoinOps[f.Monoid]
				}
				y := r.val(t.N, v, iter)
				if shares[q].first {
					x = r.op(op, h.t, y, x)
				} else {
					x = r.op(op, h.t, x, y)
				}
			}
			if mask.vec {
				x = choose(mask, paren(x), h)
			}
			last = append(last, set(h, x))
		}
	}
	in.lines = append(in.lines, last...)
}

func (r *renderer) argStep(c *loop, in *scope, shares []partial, mask value, v int) []string {
	f := c.f
	best, at := r.shareName(f, 0, v), r.shareName(f, 1, v)
	x, i := r.val(shares[0].terms[0].N, v, iter), r.val(shares[1].index, v, iter)
	less := compare(ir.Lt, x, best, true)
	if f.Monoid == ir.ArgMax {
		less = compare(ir.Lt, best, x, true)
	}
	if mask.vec {
		less = r.op(ir.And, ir.Bool, less, mask)
	}
	less = r.name(in, less)
	return []string{set(best, choose(less, x, best)), set(at, choose(less, i, at))}
}

// joinShares joins the shares of all lanes with the accumulator.
func (r *renderer) joinShares(c *loop) {
	f := c.f
	reduce := map[ir.Monoid]string{ir.Sum: "v_hsum", ir.Product: "v_hprod", ir.Smallest: "v_low", ir.Largest: "v_high"}
	for _, v := range c.copies {
		if f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax {
			r.joinArg(c, v)
			continue
		}
		for q, a := range f.Accs {
			acc, h := r.accName(a, v), r.shareName(f, q, v)
			var x value
			switch f.Monoid {
			case ir.Any:
				x = scalar(ir.Bool, fmt.Sprintf("v_any(%s)", h.s[0]))
			case ir.All:
				x = scalar(ir.Bool, fmt.Sprintf("v_all(%s)", h.s[0]))
			default:
				x = scalar(a.Type, fmt.Sprintf("%s_%s(%s)", reduce[f.Monoid], ctypes[a.Type].sfx, strings.Join(h.s[:schedule.Registers(a.Type)], ", ")))
			}
			op := schedule.JoinOps[f.Monoid]
			if f.Monoid == ir.Sum {
				op = ir.Add
			}
			if op == ir.Min || op == ir.Max {
				r.emit(c.sc, "%s", set(acc, r.op(op, a.Type, x, acc)))
			} else {
				r.emit(c.sc, "%s", set(acc, r.op(op, a.Type, acc, x)))
			}
		}
	}
}

// joinArg finds the best of the lanes; of equal ones, the one with the least index, which is the first.
func (r *renderer) joinArg(c *loop, v int) {
	f := c.f
	names := [2]string{}
	text := ""
	for q, a := range f.Accs {
		h, ty := r.shareName(f, q, v), ctypes[a.Type]
		names[q] = r.fresh("w")
		text += fmt.Sprintf("%s %s[W];", ty.c, names[q])
		per := r.W / schedule.Registers(a.Type)
		for p := range schedule.Registers(a.Type) {
			text += fmt.Sprintf(" *(%s_u *)(%s + %d) = %s;", ty.v, names[q], p*per, h.s[p])
		}
	}
	best, at := r.accName(f.Accs[0], v).s[0], r.accName(f.Accs[1], v).s[0]
	less := fmt.Sprintf("%s[l] < %s", names[0], best)
	if f.Monoid == ir.ArgMax {
		less = fmt.Sprintf("%s[l] > %s", names[0], best)
	}
	r.emit(c.sc, "{ %s for (int l = 0; l < W; l++) if (%s || (%s[l] == %s && %s[l] < %s)) { %s = %s[l]; %s = %s[l]; } }",
		text, less, names[0], best, names[1], at, best, names[0], at, names[1])
}

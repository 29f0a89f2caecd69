package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// sharedFold renders a monoid fold whose iterations the threads of a warp or block share: thread t takes iterations t,
// t+n, ..., and the shares are joined, so that every thread has the result. It gives up (false) on folds that one thread
// runs: those inside another shared one, in order, or with fewer iterations than an inner one that can be shared instead.
func (r *renderer) sharedFold(c *loop) bool {
	t, f := r.threads, c.f
	if t.s.Fold <= 1 || t.sharing || f.Monoid == ir.Ordered || f.While != nil || !r.worthSharing(f) {
		return false
	}
	arg := f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax
	if arg && f.Step[1].Op != ir.Select {
		return false
	}
	t.sharing, t.used = true, true
	t.block = t.block || t.s.Fold > 32
	defer func() { t.sharing = false }()
	i, it := c.index(), c.ctype()
	where := r.fresh("w") // ArgMin, ArgMax: the iteration of the best; before the first of all while it is the initial value
	inits := make([]value, len(f.Accs))
	for q, a := range f.Accs {
		if acc := r.accName(a, 0); !arg {
			inits[q] = r.name(c.sc, acc)
			r.emit(c.sc, "%s", set(acc, r.identity(f.Monoid, a.Type)))
		}
	}
	if arg {
		r.emit(c.sc, "%s %s = %s - 1;", it.c, where, c.lo)
	}
	r.push(c.in)
	var last []string
	if arg {
		better := r.val(f.Step[1].Args[0], 0, patch)
		last = append(last, fmt.Sprintf("if (%s) %s = %s;", better.s[0], where, i))
	}
	r.body(c, c.in)
	body := append(c.in.lines, last...)
	if f.Monoid == ir.Any || f.Monoid == ir.All {
		body = append(body, r.shareDone(f))
	}
	r.emit(c.sc, "for (%s %s = %s + (%s)threadIdx.x; %s < %s; %s += %d) {\n%s\n}",
		it.c, i, c.lo, it.c, i, c.hi, i, t.s.Fold, strings.Join(body, "\n"))
	if arg {
		r.joinBest(c, where)
		return true
	}
	for q, a := range f.Accs {
		acc := r.accName(a, 0)
		joined := scalar(a.Type, fmt.Sprintf("%s_%s_%s(%s)", r.joiners(), joinNames[f.Monoid], ctypes[a.Type].sfx, acc.s[0]))
		op, x, y := joinOp(f.Monoid), inits[q], joined
		if op == ir.Min || op == ir.Max {
			x, y = y, x
		}
		r.emit(c.sc, "%s", set(acc, r.op(op, a.Type, paren(x), y)))
	}
	return true
}

// joiners is the prefix of the prelude's functions that join a value over the threads of a fold.
func (r *renderer) joiners() string {
	if r.threads.s.Fold > 32 {
		return "s_block"
	}
	return "s_warp"
}

var joinNames = map[ir.Monoid]string{
	ir.Sum: "add", ir.Product: "mul", ir.Smallest: "low", ir.Largest: "high", ir.Any: "any", ir.All: "all",
}

func joinOp(m ir.Monoid) ir.Op {
	if m == ir.Sum {
		return ir.Add
	}
	return schedule.JoinOps[m]
}

// identity is the neutral element of a monoid in the renderer's dialect.
func (r *renderer) identity(m ir.Monoid, t ir.DType) value {
	if t.Float() && (m == ir.Smallest || m == ir.Largest) {
		text := "WEFT_INF_" + strings.ToUpper(ctypes[t].sfx)
		if m == ir.Largest {
			text = "-" + text
		}
		return scalar(t, text)
	}
	return identity(m, t)
}

// worthSharing reports a fold to be shared rather than one inside it: it has iterations enough for all threads, or no
// inner fold is a monoid.
func (r *renderer) worthSharing(f *ir.Fold) bool {
	if schedule.Trips(f) >= float64(r.threads.s.Fold) {
		return true
	}
	own := schedule.Binders(f)
	inner := false
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind == ir.KFold && n.Free().Meets(own) && n.Fold.Monoid != ir.Ordered && schedule.Trips(n.Fold) > schedule.Trips(f) {
			inner = true
		}
	})
	return !inner
}

// shareDone leaves a thread's loop when its own share of every accumulator has its answer.
func (r *renderer) shareDone(f *ir.Fold) string {
	var conds []string
	for _, a := range f.Accs {
		x := r.accName(a, 0).s[0]
		if f.Monoid == ir.All {
			x = "!" + x
		}
		conds = append(conds, x)
	}
	return fmt.Sprintf("if (%s) break;", strings.Join(conds, " & "))
}

// joinBest finds the best of the threads' shares; of equal ones, the one of the first iteration.
func (r *renderer) joinBest(c *loop, where string) {
	f := c.f
	best, with := r.accName(f.Accs[0], 0).s[0], r.accName(f.Accs[1], 0).s[0]
	b, w, q := r.fresh("o"), r.fresh("o"), r.fresh("o")
	sign := "<"
	if f.Monoid == ir.ArgMax {
		sign = ">"
	}
	take := fmt.Sprintf("if (%s %s %s || (%s == %s && %s < %s)) { %s = %s; %s = %s; %s = %s; }", b, sign, best, b, best, q, where, best, b, with, w, where, q)
	tv, tw, ti := ctypes[f.Accs[0].Type].c, ctypes[f.Accs[1].Type].c, c.ctype().c
	r.emit(c.sc, "for (int n = 16; n; n /= 2) {\nconst %s %s = WEFT_XOR(%s, n); const %s %s = WEFT_XOR(%s, n); const %s %s = WEFT_XOR(%s, n);\n%s\n}",
		tv, b, best, tw, w, with, ti, q, where, take)
	if !r.threads.block {
		return
	}
	r.emit(c.sc, "{ WEFT_SHARED %s %s_[32]; WEFT_SHARED %s %s_[32]; WEFT_SHARED %s %s_[32];\n__syncthreads();", tv, b, tw, w, ti, q)
	r.emit(c.sc, "if ((threadIdx.x & 31) == 0) { %s_[threadIdx.x >> 5] = %s; %s_[threadIdx.x >> 5] = %s; %s_[threadIdx.x >> 5] = %s; }\n__syncthreads();",
		b, best, w, with, q, where)
	r.emit(c.sc, "for (unsigned n = 0; n < blockDim.x / 32; n++) {\nconst %s %s = %s_[n]; const %s %s = %s_[n]; const %s %s = %s_[n];\n%s\n} }",
		tv, b, b, tw, w, w, ti, q, q, take)
}

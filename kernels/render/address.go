package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// split parts an index into what is the same on all lanes in this mode (with the constant) and the rest.
func (r *renderer) split(l ir.Linear, m layout) (uniform, rest ir.Linear) {
	uniform.C = l.C
	for _, t := range l.Terms {
		if r.isVec(t.N, m) {
			rest.Terms = append(rest.Terms, t)
		} else {
			uniform.Terms = append(uniform.Terms, t)
		}
	}
	return uniform, rest
}

// lanePattern is how far each lane's index lies from lane 0's, where that is known now.
func (r *renderer) lanePattern(l ir.Linear, m layout) ([]int64, bool) {
	out := make([]int64, r.W)
	for _, t := range l.Terms {
		if !r.isVec(t.N, m) {
			continue
		}
		switch {
		case m == iter && t.N == r.iter.Index && !r.ownStart(r.iter):
			for i := range out {
				out[i] += t.Coef * int64(i)
			}
		case m == patch && t.N.Kind == ir.KAxis && t.N.Role == ir.RoleParallel && !r.clamp:
			for i := range out {
				out[i] += t.Coef * int64(r.laneCoord(t.N, i))
			}
		default:
			return nil, false
		}
	}
	return out, true
}

// isIota reports the pattern 0, 1, 2, ...
func isIota(p []int64) bool {
	for i, x := range p {
		if x != int64(i) {
			return false
		}
	}
	return true
}

// summand is an offset computed in the scope at a depth.
type summand struct {
	depth int
	text  string
}

// extra is an offset in elements: no term of an index, and added last.
func extra(depth int, x value) summand { return summand{depth, "(long)" + x.s[0]} }

// pointer is buf + l as a chain of named partial pointers, one a loop depth with the constant last as a displacement: the
// outer part is computed once, and vectors in flight that lie a constant apart share one address.
func (r *renderer) pointer(buf *ir.Buffer, l ir.Linear, v int, m layout, extra ...summand) string {
	var sums []summand
	c := l.C
	for _, t := range l.Terms {
		v := v
		if t.N.Kind == ir.KAxis && t.N.Role == ir.RoleParallel && !r.clamp {
			c += t.Coef * int64(r.offset(t.N, v))
			v = 0
		}
		x := r.val(t.N, v, m)
		text := "(long)" + x.s[0]
		if m == iter && t.N == r.iter.Index {
			text = "(long)" + axisName(t.N)
		}
		if t.Coef != 1 {
			text = fmt.Sprintf("%s*%d", text, t.Coef)
		}
		sums = append(sums, summand{r.depth(t.N), text})
	}
	slices.SortStableFunc(sums, func(a, b summand) int { return a.depth - b.depth })
	cur := r.bufName(buf)
	for i := 0; i < len(sums); {
		depth := sums[i].depth
		expr := []string{cur}
		for ; i < len(sums) && sums[i].depth == depth; i++ {
			expr = append(expr, sums[i].text)
		}
		cur = r.partial(r.stack[depth], buf, strings.Join(expr, " + "))
	}
	for _, e := range extra {
		cur = r.partial(r.stack[e.depth], buf, cur+" + "+e.text)
	}
	if c == 0 {
		return cur
	}
	return fmt.Sprintf("%s + %d", cur, c)
}

// partial names a partial pointer once a scope.
func (r *renderer) partial(sc *scope, buf *ir.Buffer, expr string) string {
	if x, ok := sc.texts[expr]; ok {
		return x.s[0]
	}
	name := r.fresh("p")
	r.emit(sc, "%s *const %s = %s;", r.bufType(buf), name, expr)
	sc.texts[expr] = value{s: [2]string{name}}
	return name
}

func (r *renderer) bufName(b *ir.Buffer) string {
	r.uses[b] = true
	if _, ok := r.bufIndex[b]; !ok {
		r.bufIndex[b] = len(r.bufs)
		r.bufs = append(r.bufs, b)
	}
	return fmt.Sprintf("b%d", r.bufIndex[b])
}

// bufType is the element type of pointers into a buffer.
func (r *renderer) bufType(b *ir.Buffer) string {
	if slices.Contains(r.k.Outputs(), b) {
		return storageTypes[b.Type]
	}
	return "const " + storageTypes[b.Type]
}

// vecIndex is the part of an index that differs over the lanes, as an I32 vector, or I64 where the buffer needs it.
func (r *renderer) vecIndex(buf *ir.Buffer, l ir.Linear, v int, m layout) value {
	t := ir.I32
	wide := false
	for _, x := range l.Terms {
		wide = wide || x.N.Type == ir.I64
	}
	if wide || buf.Cells() > 1<<31-1 {
		t = ir.I64
	}
	var sum value
	for i, x := range l.Terms {
		y := convert(ir.Cast, t, r.val(x.N, v, m))
		if x.Coef != 1 {
			y = r.op(ir.Mul, t, paren(y), scalar(t, fmt.Sprint(x.Coef)))
		}
		if i == 0 {
			sum = y
		} else {
			sum = r.op(ir.Add, t, sum, paren(y))
		}
	}
	switch constant := scalar(t, fmt.Sprint(l.C)); {
	case len(l.Terms) == 0:
		sum = constant
	case l.C != 0:
		sum = r.op(ir.Add, t, sum, constant)
	}
	if t == ir.I64 && buf.Cells() <= 1<<31-1 {
		sum = convert(ir.Cast, ir.I32, sum)
	}
	return sum
}

func paren(x value) value {
	for h := range x.s {
		if x.s[h] != "" {
			x.s[h] = "(" + x.s[h] + ")"
		}
	}
	return x
}

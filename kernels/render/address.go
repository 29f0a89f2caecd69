package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// term is coef * n of an index.
type term struct {
	n    *ir.Node
	coef int64
}

// linear is a sum of terms and a constant: an index, in elements.
type linear struct {
	terms []term
	c     int64
}

// add adds k*n, looking through sums and products with constants.
func (l *linear) add(n *ir.Node, k int64) {
	if n.Kind == ir.KConst {
		l.c += k * n.I
		return
	}
	if n.Kind == ir.KAlu {
		switch x := n.Args; {
		case n.Op == ir.Add:
			l.add(x[0], k)
			l.add(x[1], k)
			return
		case n.Op == ir.Sub:
			l.add(x[0], k)
			l.add(x[1], -k)
			return
		case n.Op == ir.Neg:
			l.add(x[0], -k)
			return
		case n.Op == ir.Mul && x[1].Kind == ir.KConst:
			l.add(x[0], k*x[1].I)
			return
		case n.Op == ir.Mul && x[0].Kind == ir.KConst:
			l.add(x[1], k*x[0].I)
			return
		case n.Op == ir.Cast && n.Type == ir.I64 && x[0].Type == ir.I32:
			l.add(x[0], k)
			return
		}
	}
	for i := range l.terms {
		if l.terms[i].n == n {
			l.terms[i].coef += k
			return
		}
	}
	l.terms = append(l.terms, term{n, k})
}

// flatten is the index of an element of a buffer, from element 0 of row 0.
func flatten(buf *ir.Buffer, index []*ir.Node) linear {
	var l linear
	for i, stride := range buf.Strides() {
		l.add(index[i], int64(stride))
	}
	l.terms = slices.DeleteFunc(l.terms, func(t term) bool { return t.coef == 0 })
	return l
}

// split parts an index into what is the same on all lanes in this mode (with the constant) and the rest.
func (r *renderer) split(l linear, m layout) (uniform, rest linear) {
	uniform.c = l.c
	for _, t := range l.terms {
		if r.isVec(t.n, m) {
			rest.terms = append(rest.terms, t)
		} else {
			uniform.terms = append(uniform.terms, t)
		}
	}
	return uniform, rest
}

// lanePattern is how far each lane's index lies from lane 0's, where that is known now.
func (r *renderer) lanePattern(l linear, m layout) ([]int64, bool) {
	out := make([]int64, r.W)
	for _, t := range l.terms {
		if !r.isVec(t.n, m) {
			continue
		}
		switch {
		case m == iter && t.n == r.iter.Index && !r.ownStart(r.iter):
			for i := range out {
				out[i] += t.coef * int64(i)
			}
		case m == patch && t.n.Kind == ir.KAxis && t.n.Role == ir.RoleParallel && !r.clamp:
			for i := range out {
				out[i] += t.coef * int64(r.laneCoord(t.n, i))
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
func (r *renderer) pointer(buf *ir.Buffer, l linear, v int, m layout, extra ...summand) string {
	var sums []summand
	c := l.c
	for _, t := range l.terms {
		v := v
		if t.n.Kind == ir.KAxis && t.n.Role == ir.RoleParallel && !r.clamp {
			c += t.coef * int64(r.offset(t.n, v))
			v = 0
		}
		x := r.val(t.n, v, m)
		text := "(long)" + x.s[0]
		if m == iter && t.n == r.iter.Index {
			text = "(long)" + axisName(t.n)
		}
		if t.coef != 1 {
			text = fmt.Sprintf("%s*%d", text, t.coef)
		}
		sums = append(sums, summand{r.depth(t.n), text})
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
func (r *renderer) vecIndex(buf *ir.Buffer, l linear, v int, m layout) value {
	t := ir.I32
	wide := false
	for _, x := range l.terms {
		wide = wide || x.n.Type == ir.I64
	}
	if wide || buf.Cells() > 1<<31-1 {
		t = ir.I64
	}
	var sum value
	for i, x := range l.terms {
		y := convert(ir.Cast, t, r.val(x.n, v, m))
		if x.coef != 1 {
			y = r.op(ir.Mul, t, paren(y), scalar(t, fmt.Sprint(x.coef)))
		}
		if i == 0 {
			sum = y
		} else {
			sum = r.op(ir.Add, t, sum, paren(y))
		}
	}
	if l.c != 0 {
		sum = r.op(ir.Add, t, sum, scalar(t, fmt.Sprint(l.c)))
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

package ir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Hash identifies what a kernel computes: equal for kernels built alike by different builders. Names do not count.
func Hash(k *Kernel) string {
	h := hasher{number: map[*Node]int{}, bufs: map[*Buffer]int{}}
	for _, a := range k.Axes {
		h.node(a)
	}
	for _, s := range k.Stores {
		in := "point"
		if s.In != nil {
			for _, f := range enclosing(s.In) {
				h.node(f)
			}
			in = h.ref(s.In.Node)
		}
		for _, i := range s.Index {
			h.node(i)
		}
		h.node(s.Value)
		if s.Guard != nil {
			h.node(s.Guard)
		}
		fmt.Fprintf(&h.text, "store %s [%s] = %d if %s in %s adds %v\n", h.buffer(s.Buf), h.refs(s.Index), h.number[s.Value], h.ref(s.Guard), in, s.Adds)
	}
	fmt.Fprintf(&h.text, "axes %s contract %v\n%s", h.refs(k.Axes), k.Contract, map[bool]string{true: "termwise"}[k.Termwise])
	sum := sha256.Sum256([]byte(h.text.String()))
	return hex.EncodeToString(sum[:16])
}

// hasher writes a kernel with nodes numbered in order of first use.
type hasher struct {
	text   strings.Builder
	number map[*Node]int
	bufs   map[*Buffer]int
}

func (h *hasher) buffer(b *Buffer) string {
	i, ok := h.bufs[b]
	if !ok {
		i = len(h.bufs)
		h.bufs[b] = i
		fmt.Fprintf(&h.text, "buf %d %s %v %+v %d %s %s %d\n", i, b.Type, b.Shape, b.Pad, b.Facts.Mono, h.pyramid(b.Facts.Max), b.Facts.Data, b.Facts.Parts)
	}
	return fmt.Sprint("b", i)
}

func (h *hasher) pyramid(p *MaxPyramid) string {
	if p == nil {
		return "-"
	}
	s := h.buffer(p.Top)
	for _, t := range p.Tables {
		s += fmt.Sprintf(" %s>>%d %dx%d/%d", h.buffer(t.Buf), t.Shift, t.Rows, t.Cols, t.Block)
	}
	return s
}

func (h *hasher) ref(n *Node) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(h.number[n])
}

func (h *hasher) refs(nodes []*Node) string {
	var s []string
	for _, n := range nodes {
		s = append(s, h.ref(n))
	}
	return strings.Join(s, ",")
}

func (h *hasher) node(n *Node) {
	if _, ok := h.number[n]; ok {
		return
	}
	for _, a := range n.Args {
		h.node(a)
	}
	what := ""
	switch n.Kind {
	case KFold:
		h.node(n.Fold.Index)
		for _, a := range n.Fold.Accs {
			h.node(a)
		}
		n.Fold.Operands(h.node)
		f := n.Fold
		what = fmt.Sprintf("%s lo %s hi %s init %s step %s while %s over %s %s", f.Monoid, h.ref(f.Lo), h.ref(f.Hi), h.refs(f.Init), h.refs(f.Step), h.ref(f.While), h.ref(f.Index), h.refs(f.Accs))
	case KLoad:
		what = fmt.Sprintf("%s guarded %v", h.buffer(n.Buf), n.Guarded)
	case KConst:
		what = fmt.Sprintf("%x %d", n.F, n.I)
	case KArg:
		what = n.Name // launch scalars are bound by name
	case KAxis:
		what = fmt.Sprintf("%d %d %d", n.Role, n.Extent, n.I)
	case KGet:
		what = fmt.Sprint(n.I)
	}
	id := len(h.number)
	h.number[n] = id
	fmt.Fprintf(&h.text, "%d = %d %s %s %s (%s)\n", id, n.Kind, n.Type, n.Op, what, h.refs(n.Args))
}

package ir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
)

// Hash identifies what a kernel computes: equal for kernels built alike by different builders. Names do not count.
func Hash(k *Kernel) string { return hash(k, false) }

// LooseHash identifies kernels that take about the same time: those that Hash tells apart by the names of arguments and by numbers within an
// eighth of each other alone.
func LooseHash(k *Kernel) string { return hash(k, true) }

func hash(k *Kernel, loose bool) string {
	last := 0
	for _, r := range k.Roots() {
		last = max(last, r.id)
	}
	h := hasher{bufs: map[*Buffer]int{}, loose: loose, place: make([]int, last+1), text: make([]byte, 0, nodeText*last)}
	for _, a := range k.Axes {
		h.node(a)
	}
	for _, s := range k.Stores {
		in := "point"
		if s.In != nil {
			for _, f := range enclosing(s.In) {
				h.node(f)
			}
			in = h.refs(s.In.Node)
		}
		for _, i := range s.Index {
			h.node(i)
		}
		h.node(s.Value)
		if s.Guard != nil {
			h.node(s.Guard)
		}
		h.write("store %s [%s] = %s if %s in %s adds %v\n", h.buffer(s.Buf), h.refs(s.Index...), h.refs(s.Value), h.refs(s.Guard), in, s.Adds)
	}
	h.write("axes %s contract %v\n%s", h.refs(k.Axes...), k.Contract, map[bool]string{true: "termwise"}[k.Termwise])
	sum := sha256.Sum256(h.text)
	return hex.EncodeToString(sum[:16])
}

// nodeText is about how many bytes a node takes, and those around it that are of other kernels.
const nodeText = 24

// hasher writes a kernel with nodes numbered in order of first use.
type hasher struct {
	text  []byte
	place []int // by the nodes' own numbers, one more than those they are written with
	nodes int
	bufs  map[*Buffer]int
	loose bool // numbers are rounded
}

func (h *hasher) write(format string, args ...any) { h.text = fmt.Appendf(h.text, format, args...) }

func (h *hasher) buffer(b *Buffer) string {
	if b == nil { // a table of largest values that is not laid out yet
		return "-"
	}
	i, ok := h.bufs[b]
	if !ok {
		i = len(h.bufs)
		h.bufs[b] = i
		h.write("buf %d %s %v %+v %d %s %s %s %d\n", i, b.Type, b.Shape, b.Pad, b.Facts.Mono, h.pyramid(b.Facts.Max), h.facts(b.Facts.Data),
			h.interval(b.Facts.Within), b.Facts.Parts)
	}
	return "b" + strconv.Itoa(i)
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

func (h *hasher) facts(d *DataFacts) string {
	if d == nil || !h.loose {
		return d.String()
	}
	return fmt.Sprint(rounded(d.Least), rounded(d.Most), rounded(d.Slope), rounded(d.Mean-d.Least)) // sums that cancel leave anything
}

func (h *hasher) interval(i *Interval) string {
	if i == nil || !h.loose {
		return i.String()
	}
	return fmt.Sprint(rounded(i.Lo), rounded(i.Hi), i.NaN)
}

// rounded is a number's sign, power of two, and eighth of it.
func rounded(v float64) uint64 { return math.Float64bits(v) >> (52 - 3) }

// refs are the numbers that nodes are written with.
func (h *hasher) refs(nodes ...*Node) string { return string(h.appendRefs(nil, nodes)) }

func (h *hasher) appendRefs(to []byte, nodes []*Node) []byte {
	for i, n := range nodes {
		if i > 0 {
			to = append(to, ',')
		}
		if n == nil {
			to = append(to, '-')
		} else {
			to = strconv.AppendInt(to, int64(h.place[n.id]-1), 10)
		}
	}
	return to
}

func (h *hasher) node(n *Node) {
	if more := n.id + 1 - len(h.place); more > 0 {
		h.place = append(h.place, make([]int, more)...)
	}
	if h.place[n.id] > 0 {
		return
	}
	for _, a := range n.Args {
		h.node(a)
	}
	buf := ""
	switch n.Kind {
	case KFold:
		h.node(n.Fold.Index)
		for _, a := range n.Fold.Accs {
			h.node(a)
		}
		n.Fold.Operands(h.node)
	case KLoad:
		buf = h.buffer(n.Buf) // which may write a line
	}
	h.nodes++
	h.place[n.id] = h.nodes
	to := append(strconv.AppendInt(h.text, int64(h.nodes-1), 10), " = "...)
	to = append(strconv.AppendInt(to, int64(n.Kind), 10), ' ')
	to = append(append(to, n.Type.String()...), ' ')
	to = append(append(to, n.Op.String()...), ' ')
	switch n.Kind {
	case KFold:
		f := n.Fold
		to = fmt.Appendf(to, "%s lo %s hi %s init %s step %s while %s over %s %s", f.Monoid, h.refs(f.Lo), h.refs(f.Hi), h.refs(f.Init...), h.refs(f.Step...),
			h.refs(f.While), h.refs(f.Index), h.refs(f.Accs...))
	case KLoad:
		to = strconv.AppendBool(append(append(to, buf...), " guarded "...), n.Guarded)
	case KConst:
		if h.loose && n.Type.Float() {
			to = strconv.AppendUint(to, rounded(n.F), 16)
		} else {
			to = strconv.AppendInt(append(strconv.AppendFloat(to, n.F, 'x', -1, 64), ' '), n.I, 10)
		}
	case KArg: // bound by name at a launch
		if h.loose {
			to = strconv.AppendUint(to, rounded(n.F), 16)
		} else {
			to = append(to, n.Name...)
		}
	case KAxis:
		to = fmt.Appendf(to, "%d %d %d", n.Role, n.Extent, n.I)
	case KGet:
		to = strconv.AppendInt(to, n.I, 10)
	}
	h.text = append(h.appendRefs(append(to, " ("...), n.Args), ")\n"...)
}

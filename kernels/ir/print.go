package ir

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// String is a kernel as text: its buffers, then its values in the order and the loops in which they are needed first.
// Kernels built alike print alike, whatever builder made them.
func (k *Kernel) String() string {
	return newPrinter(k).text()
}

// Buffers are the outputs and then the inputs, each once: the order in which String lists them.
func (k *Kernel) Buffers() []*Buffer {
	out := k.Outputs()
	seen := map[*Buffer]bool{}
	for _, b := range out {
		seen[b] = true
	}
	for _, b := range k.Inputs() {
		if !seen[b] {
			out = append(out, b)
		}
	}
	return out
}

// Labels names every node of a kernel as String does.
func Labels(k *Kernel) map[*Node]string {
	p := newPrinter(k)
	p.text()
	return p.names
}

// printer writes a kernel. Each value is written once, in the deepest open fold that binds a variable it uses.
type printer struct {
	kernel  *Kernel
	names   map[*Node]string
	buffers map[*Buffer]string
	used    map[string]bool
	order   []*Buffer
	values  int
	folds   int
	scopes  []*printScope
}

// printScope is the kernel's body or a fold's, and the variables it binds.
type printScope struct {
	binds Set
	text  strings.Builder
}

func newPrinter(k *Kernel) *printer {
	p := &printer{kernel: k, names: map[*Node]string{}, buffers: map[*Buffer]string{}, used: map[string]bool{}}
	for _, a := range k.Axes {
		p.names[a] = p.unique(a.Name)
	}
	for _, a := range k.Args() {
		p.names[a] = p.unique(a.Name)
	}
	for _, b := range k.Buffers() {
		p.buffer(b)
	}
	return p
}

// unique is a name not used so far, the given one if possible.
func (p *printer) unique(name string) string {
	out := name
	for i := 2; p.used[out]; i++ {
		out = name + "'" + strconv.Itoa(i)
	}
	p.used[out] = true
	return out
}

func (p *printer) buffer(b *Buffer) string {
	if name, ok := p.buffers[b]; ok {
		return name
	}
	p.buffers[b] = p.unique(b.Name)
	p.order = append(p.order, b)
	if m := b.Facts.Max; m != nil {
		p.buffer(m.Top)
		for _, t := range m.Tables {
			p.buffer(t.Buf)
		}
	}
	return p.buffers[b]
}

func (p *printer) text() string {
	k := p.kernel
	p.scopes = []*printScope{{}}
	p.storesIn(nil)
	for i := range k.Stores {
		if s := &k.Stores[i]; s.In == nil {
			p.store(s)
		}
	}
	var out strings.Builder
	fmt.Fprintln(&out, strings.Join(append([]string{"kernel", k.Name}, k.Rounding()...), " "))
	for _, a := range k.Axes {
		fmt.Fprintf(&out, "  axis %s %d\n", p.names[a], a.Extent)
	}
	for _, a := range k.Args() {
		fmt.Fprintf(&out, "  arg %s %s\n", p.names[a], a.Type)
	}
	for _, b := range p.order {
		p.declare(&out, b)
	}
	out.WriteString(p.scopes[0].text.String())
	return out.String()
}

func (p *printer) declare(w io.Writer, b *Buffer) {
	fmt.Fprintf(w, "  buffer %s %s%v", p.buffers[b], b.Type, b.Shape)
	if b.Pad != (Pad{}) {
		fmt.Fprintf(w, " pad %d+%d of %v", b.Pad.Before, b.Pad.After, b.Pad.Value)
	}
	if b.Held > 0 {
		fmt.Fprintf(w, " held %d", b.Held)
	}
	if b.Facts.Mono != 0 {
		fmt.Fprintf(w, " mono %d", b.Facts.Mono)
	}
	if b.Facts.Within != nil {
		fmt.Fprintf(w, " within %s", b.Facts.Within)
	}
	if d := b.Facts.Data; d != nil {
		fmt.Fprintf(w, " holds %s", d)
	}
	if m := b.Facts.Max; m != nil {
		fmt.Fprintf(w, " max %s", p.buffers[m.Top])
		for _, t := range m.Tables {
			fmt.Fprintf(w, " table %s>>%d covers %dx%d for %d", p.buffers[t.Buf], t.Shift, t.Rows, t.Cols, t.Block)
		}
	}
	fmt.Fprintln(w)
}

// line writes to the body at a depth of folds.
func (p *printer) line(depth int, format string, args ...any) {
	fmt.Fprintf(&p.scopes[depth].text, strings.Repeat("  ", depth+1)+format+"\n", args...)
}

// storesIn writes the stores that the turns of a fold make.
func (p *printer) storesIn(f *Fold) {
	p.kernel.StoresIn(f, p.store, func(g *Fold) { p.operand(g.Node) })
}

func (p *printer) store(s *Store) {
	index, value := p.operands(s.Index), p.operand(s.Value)
	guard := ""
	if s.Guard != nil {
		guard = " if " + p.operand(s.Guard)
	}
	how := "="
	if s.Adds {
		how = "+="
	}
	p.line(len(p.scopes)-1, "%s[%s] %s %s%s", p.buffers[s.Buf], index, how, value, guard)
}

func (p *printer) operands(nodes []*Node) string {
	s := make([]string, len(nodes))
	for i, n := range nodes {
		s[i] = p.operand(n)
	}
	return strings.Join(s, ", ")
}

// operand writes what n needs, then n, and returns how to refer to it.
func (p *printer) operand(n *Node) string {
	if s, ok := p.names[n]; ok {
		return s
	}
	if n.Kind == KConst {
		p.names[n] = constant(n)
		return p.names[n]
	}
	if n.Kind == KAxis {
		p.names[n] = p.unique(n.Name)
		return p.names[n]
	}
	if n.Kind == KGet {
		p.names[n] = p.operand(n.Args[0]) + "." + strconv.FormatInt(n.I, 10)
		return p.names[n]
	}
	if n.Kind == KFold {
		p.fold(n.Fold)
		return p.names[n]
	}
	text := p.expression(n)
	p.names[n] = fmt.Sprintf("v%d", p.values)
	p.values++
	p.line(p.depth(n), "%s = %s", p.names[n], text)
	return p.names[n]
}

// depth is the deepest open body that binds a variable of n.
func (p *printer) depth(n *Node) int {
	for d := len(p.scopes) - 1; d > 0; d-- {
		if n.Free().Meets(p.scopes[d].binds) {
			return d
		}
	}
	return 0
}

func constant(n *Node) string {
	switch {
	case n.Type == Bool:
		return strconv.FormatBool(n.I != 0)
	case n.Type.Float():
		return strconv.FormatFloat(n.F, 'g', -1, 64) + n.Type.String()
	}
	return strconv.FormatInt(n.I, 10) + n.Type.String()
}

func (p *printer) expression(n *Node) string {
	if n.Kind == KLoad {
		s := fmt.Sprintf("%s[%s]", p.buffers[n.Buf], p.operands(n.Index()))
		if guard, other := n.Guard(); guard != nil {
			s = fmt.Sprintf("%s if %s else %s", s, p.operand(guard), p.operand(other))
		}
		return s
	}
	op := n.Op.String()
	if n.Op == Cast || n.Op == Bits {
		op += " " + n.Type.String()
	}
	return op + " " + p.operands(n.Args)
}

func (p *printer) fold(f *Fold) {
	lo, hi, init := p.operand(f.Lo), p.operand(f.Hi), p.operands(f.Init)
	p.folds++
	name, index := fmt.Sprintf("f%d", p.folds), fmt.Sprintf("i%d", p.folds)
	p.names[f.Node], p.names[f.Index] = name, index
	for k, a := range f.Accs {
		p.names[a] = fmt.Sprintf("a%d.%d", p.folds, k)
	}
	depth := p.depth(f.Node)
	p.scopes = append(p.scopes, &printScope{binds: f.IndexBind.Or(f.AccBind)})
	inner := len(p.scopes) - 1
	if f.While != nil {
		p.line(inner, "while %s", p.operand(f.While))
	}
	p.storesIn(f)
	p.line(inner, "next %s", p.operands(f.Step))
	body := p.scopes[inner].text.String()
	p.scopes = p.scopes[:inner]
	p.line(depth, "%s = %s fold %s in %s..%s from %s", name, f.Monoid, index, lo, hi, init)
	p.scopes[depth].text.WriteString(body)
}

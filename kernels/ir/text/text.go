// Package text writes kernels as text and reads them back: what a plan that lies in a file says of them.
package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// Encode writes a kernel as text that Decode reads: a line a node, in the order in which they were built, which is the number that
// later lines know it by. Buffers are written by the names that the caller gives them; what they are is the caller's to keep.
func Encode(k *ir.Kernel, name func(*ir.Buffer) string) string {
	nodes := k.Nodes()
	e := encoder{name: name}
	e.word(append([]string{"kernel", strconv.Quote(k.Name)}, k.Rounding()...)...)
	if k.Past {
		e.word("past")
	}
	if k.Whole {
		e.word("whole")
	}
	for i, n := range nodes {
		e.number.Put(n, i)
		e.end()
		e.node(n)
	}
	for _, s := range k.Stores {
		e.end()
		how := ir.Ordered
		if s.Adds {
			how = ir.Sum
		}
		e.word("store", name(s.Buf), how.String())
		e.refs(s.Index...)
		e.refs(s.Value)
		if s.Guard != nil {
			e.word("if")
			e.refs(s.Guard)
		}
		if s.In != nil {
			e.word("in")
			e.refs(s.In.Node)
		}
	}
	e.end()
	e.word("axes")
	e.refs(k.Axes...)
	e.end()
	return string(e.text)
}

type encoder struct {
	text   []byte
	name   func(*ir.Buffer) string
	number ir.Memo[int]
}

func (e *encoder) end() { e.text = append(e.text, '\n') }

func (e *encoder) word(words ...string) {
	for _, w := range words {
		if n := len(e.text); n > 0 && e.text[n-1] != '\n' {
			e.text = append(e.text, ' ')
		}
		e.text = append(e.text, w...)
	}
}

func (e *encoder) refs(nodes ...*ir.Node) {
	for _, n := range nodes {
		i, _ := e.number.Of(n)
		if at := len(e.text); at > 0 && e.text[at-1] != '\n' {
			e.text = append(e.text, ' ')
		}
		e.text = strconv.AppendInt(e.text, int64(i), 10)
	}
}

func (e *encoder) node(n *ir.Node) {
	switch n.Kind {
	case ir.KConst:
		e.word("const", n.Type.String())
		if n.Type.Float() {
			e.word(strconv.FormatFloat(n.F, 'g', -1, 64))
		} else {
			e.word(strconv.FormatInt(n.I, 10))
		}
	case ir.KArg:
		e.word("arg", n.Type.String(), strconv.Quote(n.Name))
	case ir.KAxis:
		switch n.Role {
		case ir.RoleParallel:
			e.word("axis", strconv.Quote(n.Name), strconv.Itoa(n.Extent))
		case ir.RoleIndex:
			e.word("index", n.Type.String(), strconv.Quote(n.Name))
		case ir.RoleAcc:
			e.word("acc", n.Type.String())
			e.refs(n.Fold.Index)
			e.word(strconv.FormatInt(n.I, 10))
		}
	case ir.KLoad:
		how := "load"
		if n.Guarded {
			how = "guarded"
		}
		e.word(how, e.name(n.Buf))
		e.refs(n.Args...)
	case ir.KAlu:
		e.word(n.Op.String(), n.Type.String())
		e.refs(n.Args...)
	case ir.KFold:
		f := n.Fold
		e.word("fold", f.Monoid.String())
		e.refs(f.Index, f.Lo, f.Hi)
		e.refs(f.Init...)
		e.refs(f.Step...)
		if f.While != nil {
			e.word("while")
			e.refs(f.While)
		}
	case ir.KGet:
		e.word("get", n.Type.String())
		e.refs(n.Args[0])
		e.word(strconv.FormatInt(n.I, 10))
	}
}

// mostNodes is far more than a kernel that compiles has.
const mostNodes = 1 << 20

// Decode reads what Encode wrote, with the buffers of that name and the arguments of these values. Whatever the text is, the kernel passes Check or there is an error.
func Decode(text string, buffer func(name string) *ir.Buffer, args map[string]float64) (*ir.Kernel, error) {
	d := decoder{b: ir.NewBuilder(), buffer: buffer, args: args, folds: map[*ir.Fold]bool{}}
	at := 0
	for line := range strings.Lines(text) {
		at++
		d.words = d.words[:0]
		for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimLeft(rest, " ") {
			w, err := strconv.QuotedPrefix(rest)
			if err != nil {
				w, _, _ = strings.Cut(rest, " ")
			}
			d.words, rest = append(d.words, w), rest[len(w):]
		}
		if len(d.words) == 0 {
			continue
		}
		if d.line(d.next()); d.fault == nil && len(d.words) > 0 {
			d.wrong("%s is too much", d.words[0])
		}
		if d.fault != nil {
			return nil, fmt.Errorf("line %d of the kernel: %w", at, d.fault)
		}
	}
	for f := range d.folds {
		if f.Node == nil {
			return nil, fmt.Errorf("a loop of the kernel over %s has no end", f.Index.Name)
		}
	}
	if err := rules.Check(&d.kernel); err != nil {
		return nil, err
	}
	return &d.kernel, nil
}

type decoder struct {
	b      *ir.Builder
	buffer func(string) *ir.Buffer
	args   map[string]float64
	kernel ir.Kernel
	nodes  []*ir.Node
	folds  map[*ir.Fold]bool
	words  []string // left of the line
	fault  error
}

func (d *decoder) wrong(format string, a ...any) {
	if d.fault == nil {
		d.fault = fmt.Errorf(format, a...)
	}
}

func (d *decoder) next() string {
	if len(d.words) == 0 {
		d.wrong("it ends too early")
		return ""
	}
	w := d.words[0]
	d.words = d.words[1:]
	return w
}

// has reads a word if it is the next one.
func (d *decoder) has(word string) bool {
	if len(d.words) == 0 || d.words[0] != word {
		return false
	}
	d.next()
	return true
}

func (d *decoder) quoted() string {
	w := d.next()
	s, err := strconv.Unquote(w)
	if err != nil {
		d.wrong("%s is no name in quotes", w)
	}
	return s
}

func (d *decoder) integer(bits int) int64 {
	w := d.next()
	v, err := strconv.ParseInt(w, 10, bits)
	if err != nil {
		d.wrong("%s is no whole number of %d bits", w, bits)
	}
	return v
}

// typ reads a type that nodes have.
func (d *decoder) typ() ir.DType {
	w := d.next()
	t, ok := ir.ParseDType(w)
	if !ok || t.Compute() != t {
		d.wrong("%s is no type of a value", w)
		return ir.F32
	}
	return t
}

// ref reads the number of a node before; ok tells what it may be.
func (d *decoder) ref(ok func(*ir.Node) bool) *ir.Node {
	w := d.next()
	if i, err := strconv.Atoi(w); err == nil && 0 <= i && i < len(d.nodes) && ok(d.nodes[i]) {
		return d.nodes[i]
	}
	d.wrong("%s is no value of the lines before that can stand here", w)
	return d.b.F32(0)
}

func isValue(n *ir.Node) bool { return n.Kind != ir.KFold }

func (d *decoder) value() *ir.Node { return d.ref(isValue) }

func (d *decoder) values(n int) []*ir.Node {
	out := make([]*ir.Node, n)
	for i := range out {
		out[i] = d.value()
	}
	return out
}

func (d *decoder) buf() *ir.Buffer {
	name := d.next()
	b := d.buffer(name)
	if b == nil {
		d.wrong("there is no array %s", name)
		b = &ir.Buffer{}
	}
	return b
}

func (d *decoder) line(what string) {
	var n *ir.Node
	switch what {
	case "kernel":
		d.kernel.Name = d.quoted()
		d.kernel.Contract, d.kernel.Termwise, d.kernel.Past, d.kernel.Whole = d.has("contract"), d.has("termwise"), d.has("past"), d.has("whole")
		return
	case "store":
		d.store()
		return
	case "axes":
		for len(d.words) > 0 && d.fault == nil {
			d.kernel.Axes = append(d.kernel.Axes, d.ref(func(n *ir.Node) bool { return n.Kind == ir.KAxis && n.Role == ir.RoleParallel }))
		}
		return
	case "const":
		n = d.constant()
	case "arg":
		n = &ir.Node{Kind: ir.KArg, Type: d.typ(), Name: d.quoted(), F: math.NaN()}
		if v, ok := d.args[n.Name]; ok {
			n.F = v
		}
	case "axis":
		n = &ir.Node{Kind: ir.KAxis, Type: ir.I32, Name: d.quoted(), Extent: int(d.integer(32)), Role: ir.RoleParallel}
	case "index":
		f := &ir.Fold{}
		n = &ir.Node{Kind: ir.KAxis, Type: d.typ(), Name: d.quoted(), Role: ir.RoleIndex, Fold: f}
		f.Index, d.folds[f] = n, true
	case "acc":
		t, f := d.typ(), d.ref(isIndex).Fold
		n = &ir.Node{Kind: ir.KAxis, Type: t, Name: "acc", I: d.integer(32), Role: ir.RoleAcc, Fold: f}
		if f == nil || n.I != int64(len(f.Accs)) || f.Node != nil {
			d.wrong("accumulators come in their order, before the fold")
			return
		}
		f.Accs = append(f.Accs, n)
	case "load", "guarded":
		n = d.load(what == "guarded")
	case "fold":
		n = d.fold()
	case "get":
		n = &ir.Node{Kind: ir.KGet, Type: d.typ(), Args: []*ir.Node{d.ref(func(n *ir.Node) bool { return n.Kind == ir.KFold })}, I: d.integer(32)}
		n.Fold = n.Args[0].Fold
	default:
		n = d.alu(what)
	}
	if d.fault != nil {
		return
	}
	if len(d.nodes) == mostNodes {
		d.wrong("a kernel has no more than %d values", mostNodes)
		return
	}
	if room := ir.MaxBinders - d.b.Binders(); n.Kind == ir.KAxis && (room < 1 && n.Role == ir.RoleParallel || room < 2 && n.Role == ir.RoleIndex) {
		d.wrong("a kernel binds no more than %d axes and folds", ir.MaxBinders)
		return
	}
	d.nodes = append(d.nodes, d.b.Insert(n))
}

func isFold(n *ir.Node) bool { return n.Kind == ir.KFold }

func isIndex(n *ir.Node) bool { return n.Kind == ir.KAxis && n.Role == ir.RoleIndex }

func (d *decoder) constant() *ir.Node {
	n := &ir.Node{Kind: ir.KConst, Type: d.typ()}
	if !n.Type.Float() {
		n.I = d.integer(8 * n.Type.Size())
		if n.Type == ir.Bool && n.I>>1 != 0 {
			d.wrong("a bool is 0 or 1")
		}
		return n
	}
	w := d.next()
	v, err := strconv.ParseFloat(w, 64)
	if err != nil {
		d.wrong("%s is no number", w)
	}
	n.F = v
	return n
}

func (d *decoder) load(guarded bool) *ir.Node {
	b := d.buf()
	extra := 0
	if guarded {
		extra = 2
	}
	return &ir.Node{Kind: ir.KLoad, Type: b.Type.Compute(), Buf: b, Guarded: guarded, Args: d.values(len(b.Shape) + extra)}
}

func (d *decoder) alu(name string) *ir.Node {
	for op := range ir.Ops {
		if op.String() == name {
			return &ir.Node{Kind: ir.KAlu, Op: op, Type: d.typ(), Args: d.values(op.Info().Arity)}
		}
	}
	d.wrong("there is no operation %s", name)
	return nil
}

func (d *decoder) monoid() ir.Monoid {
	w := d.next()
	m, ok := ir.ParseMonoid(w)
	if !ok {
		d.wrong("values are not joined by %s", w)
	}
	return m
}

// adds reads how a store goes with what is there.
func (d *decoder) adds() bool {
	m := d.monoid()
	if m != ir.Ordered && m != ir.Sum {
		d.wrong("values are stored or added, not joined by %s", m)
	}
	return m == ir.Sum
}

func (d *decoder) fold() *ir.Node {
	m, f := d.monoid(), d.ref(isIndex).Fold
	if f == nil || f.Node != nil {
		d.wrong("a fold needs an index of its own")
		return nil
	}
	f.Monoid, f.Lo, f.Hi = m, d.value(), d.value()
	f.Init, f.Step = d.values(len(f.Accs)), d.values(len(f.Accs))
	if d.has("while") {
		f.While = d.value()
	}
	f.Node = &ir.Node{Kind: ir.KFold, Fold: f}
	return f.Node
}

func (d *decoder) store() {
	b := d.buf()
	s := ir.Store{Buf: b, Adds: d.adds(), Index: d.values(len(b.Shape)), Value: d.value()}
	if d.has("if") {
		s.Guard = d.value()
	}
	if d.has("in") {
		s.In = d.ref(isFold).Fold
	}
	d.kernel.Stores = append(d.kernel.Stores, s)
}

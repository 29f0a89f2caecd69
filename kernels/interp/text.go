package interp

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// TextArgs is what a function that C writes takes, as C lays it out. Its fields are addresses; what they point to must stay alive and
// in place during the call.
type TextArgs struct {
	Buf  uintptr // const void *const *: one a buffer of TextBuffers, at the element of index 0
	Farg uintptr // const double *, the launch scalars in the order of the kernel's Args: of float types
	Iarg uintptr // const long long *: of the others
	At   uintptr // const int *: the points, one after the other, an index for each axis of the kernel
	Out  uintptr // long long *: for each point and store, whether it writes, its index, its value (the bits of a double for float types)
	N    int64   // points
}

// TextPreamble is the C that the text of programs relies on. It is all that it relies on: there are no vectors, tables or schedules.
func TextPreamble() string {
	var out strings.Builder
	for op := range ir.Ops {
		if i := op.Info(); i.Cost.Transcendental() {
			fmt.Fprintf(&out, "double %s(%s);\n", i.Library, strings.Join([]string{"double", "double"}[:i.Arity], ", "))
		}
	}
	return out.String() + textPreamble
}

const textPreamble = `
typedef struct { const void *const *buf; const double *farg; const long long *iarg; const int *at; long long *out; long long n; } text_args;
static inline long long floor_div(long long a, long long b) { if (!b) return 0; long long q = a / b; return a % b && (a < 0) != (b < 0) ? q - 1 : q; }
static inline long long floor_mod(long long a, long long b) { if (!b) return 0; long long r = a % b; return r && (r < 0) != (b < 0) ? r + b : r; }
#define LEAST (-9223372036854775807LL - 1)
#define MOST 9223372036854775807LL
static inline long long held_add(long long a, long long b) { long long r; return __builtin_add_overflow(a, b, &r) ? (a < 0 ? LEAST : MOST) : r; }
static inline long long held_sub(long long a, long long b) { long long r; return __builtin_sub_overflow(a, b, &r) ? (a < 0 ? LEAST : MOST) : r; }
static inline long long held_mul(long long a, long long b) { long long r; return __builtin_mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? LEAST : MOST) : r; }
static inline int to_int(double v) { return v != v ? 0 : v <= -0x1p31 ? -2147483647 - 1 : v >= 2147483647.0 ? 2147483647 : (int)v; }
static inline long long to_long(double v) { return v != v ? 0 : v <= -0x1p63 ? LEAST : v >= 0x1p63 ? MOST : (long long)v; }
static inline int bits_f(float v) { int r; __builtin_memcpy(&r, &v, sizeof r); return r; }
static inline float from_bits_f(int v) { float r; __builtin_memcpy(&r, &v, sizeof r); return r; }
static inline long long bits_d(double v) { long long r; __builtin_memcpy(&r, &v, sizeof r); return r; }
static inline double from_bits_d(long long v) { double r; __builtin_memcpy(&r, &v, sizeof r); return r; }
static inline float brain(unsigned short h) { return from_bits_f((int)((unsigned)h << 16)); }
static inline float half(unsigned short h) {
  unsigned sign = (h & 0x8000u) << 16, bits = (h & 0x7fffu) << 13;
  if ((h & 0x7c00) == 0x7c00) return from_bits_f((int)(sign | bits | 0x7f800000));
  return from_bits_f((int)(sign | (unsigned)bits_f(from_bits_f((int)bits) * 0x1p112f)));
}
`

// TextBuffers are the buffers that the program's text loads from, in the order of TextArgs.Buf.
func (p *Program) TextBuffers() []*ir.Buffer { return p.kernel.Inputs() }

// Size is how many instructions the program has.
func (p *Program) Size() int {
	n := 0
	for _, code := range p.levels {
		n += len(code)
	}
	for _, l := range p.folds {
		n += len(l.init) + len(l.while) + len(l.body)
	}
	return n
}

// C is the program as a plain C function called name, int name(const text_args *), that does what Eval does: one point at a time, one
// instruction after the other, in the registers' types. host says which buffers are plain values, as HostCells gives them.
// The function returns 0, or 1 after an index out of range. It must be compiled without contraction, and with integers that wrap.
func (p *Program) C(name string, host func(*ir.Buffer) bool) string {
	w := &writer{p: p, host: host, at: map[*ir.Buffer]int{}}
	w.line("int %s(const text_args *a) {", name)
	for i, b := range p.TextBuffers() {
		w.at[b] = i
		w.line("const %s *b%d = a->buf[%d];", w.cell(b).c, i, i)
	}
	w.declare()
	w.block(func() {
		w.code(p.levels[0])
		w.points()
	})
	w.line("return 0;\n}")
	return w.text.String()
}

// points writes the loop over points.
func (w *writer) points() {
	p, axes := w.p, len(w.p.axes)
	w.line("long long *out = a->out;\nfor (long long p = 0; p < a->n; p++) {")
	for d, r := range p.axes {
		w.line("i%d = a->at[p * %d + %d];", r, axes, d)
	}
	w.block(func() {
		for _, code := range p.levels[1:] {
			w.code(code)
		}
		for i := range p.stores {
			w.store(&p.stores[i])
		}
	})
	w.line("}")
}

// writer writes a program as C.
type writer struct {
	p    *Program
	host func(*ir.Buffer) bool
	at   map[*ir.Buffer]int
	text strings.Builder

	proven []map[extent]bool // what holds here, by block of the text
}

// extent says that an index is within an axis of so many elements.
type extent struct {
	index register
	size  int
}

// block writes part of the text, in which tests may be made that hold there only.
func (w *writer) block(f func()) {
	w.proven = append(w.proven, map[extent]bool{})
	f()
	w.proven = w.proven[:len(w.proven)-1]
}

func (w *writer) line(format string, a ...any) { fmt.Fprintf(&w.text, format+"\n", a...) }

// registerTypes are what C calls the values of a class.
var registerTypes = [...]string{f64: "double", f32: "float", i64: "long long", i32: "int", boolean: "int"}

// declare writes the registers, with constants and launch scalars in theirs.
func (w *writer) declare() {
	floats, ints := make([]string, len(w.p.floatClass)), make([]string, len(w.p.intClass))
	for _, c := range w.p.floats {
		floats[c.at] = floatText(c.v)
	}
	for _, c := range w.p.ints {
		ints[c.at] = intText(c.v)
	}
	number := map[string]int{}
	for i, n := range w.p.kernel.Args() {
		number[n.Name] = i
	}
	for _, a := range w.p.args {
		if a.node.Type.Float() {
			floats[a.at] = fmt.Sprintf("a->farg[%d]", number[a.node.Name])
		} else {
			ints[a.at] = fmt.Sprintf("a->iarg[%d]", number[a.node.Name])
		}
		if a.node.Type == ir.Bool {
			ints[a.at] += " != 0"
		}
	}
	for _, kind := range []struct {
		prefix  string
		classes []class
		values  []string
	}{{"f", w.p.floatClass, floats}, {"i", w.p.intClass, ints}} {
		for r, c := range kind.classes {
			if kind.values[r] != "" {
				w.line("const %s %s%d = %s;", registerTypes[c], kind.prefix, r, kind.values[r])
			} else {
				w.line("%s %s%d;", registerTypes[c], kind.prefix, r)
			}
		}
	}
}

func floatText(v float64) string {
	switch {
	case math.IsNaN(v):
		return `__builtin_nan("")`
	case math.IsInf(v, 1):
		return "__builtin_inf()"
	case math.IsInf(v, -1):
		return "-__builtin_inf()"
	}
	return strconv.FormatFloat(v, 'x', -1, 64)
}

func intText(v int64) string {
	if v == math.MinInt64 {
		return "(-9223372036854775807LL - 1)"
	}
	return fmt.Sprintf("%dLL", v)
}

func (w *writer) code(code []instruction) {
	for i := range code {
		in := &code[i]
		switch in.op {
		case loadF, loadI:
			w.load(in)
		case fold:
			w.loop(&w.p.folds[in.a])
		default:
			w.instruction(in)
		}
	}
}

// instruction fills in the operation's text: registers by kind and place, functions by number.
func (w *writer) instruction(in *instruction) {
	text, ok := spelled[in.op]
	if !ok {
		panic(fmt.Sprintf("interp: instruction %d has no text", in.op))
	}
	call := ""
	if in.op == callF64 || in.op == callF32 {
		info := ir.Op(in.c).Info()
		call = info.Library + "(" + strings.Join([]string{freg(in.a), freg(in.b)}[:info.Arity], ", ") + ")"
	}
	w.line("%s;", strings.NewReplacer("Fd", freg(in.d), "Fa", freg(in.a), "Fb", freg(in.b), "Fc", freg(in.c),
		"Id", ireg(in.d), "Ia", ireg(in.a), "Ib", ireg(in.b), "Ic", ireg(in.c), "CALL", call).Replace(text))
}

func freg(r register) string { return fmt.Sprintf("f%d", r) }
func ireg(r register) string { return fmt.Sprintf("i%d", r) }

// cell is how C reads an element of a storage type.
type cell struct{ c, read string }

var cells = [...]cell{
	ir.Bool: {"unsigned char", "%s != 0"}, ir.I8: {"signed char", "%s"}, ir.U8: {"unsigned char", "%s"}, ir.I16: {"short", "%s"},
	ir.U16: {"unsigned short", "%s"}, ir.I32: {"int", "%s"}, ir.U32: {"unsigned", "%s"}, ir.I64: {"long long", "%s"},
	ir.F16: {"unsigned short", "half(%s)"}, ir.BF16: {"unsigned short", "brain(%s)"}, ir.F32: {"float", "%s"}, ir.F64: {"double", "%s"},
}

// cell is how an element of a buffer is read.
func (w *writer) cell(b *ir.Buffer) cell {
	if w.host(b) && unrounded(b, w.p.mode) {
		return cells[ir.F64]
	}
	return cells[b.Type]
}

// load writes a load whose index is tested, as Eval's is.
func (w *writer) load(in *instruction) {
	l := &w.p.loads[in.a]
	buf := w.p.buffers[l.buf]
	reg, read := freg, w.cell(buf).read
	if in.op == loadI {
		reg = ireg
	}
	strides := buf.Strides()
	if w.host(buf) {
		strides = plain(buf).Strides()
	}
	element := func() {
		w.inside(buf, l.index)
		at := "0"
		for d, r := range l.index {
			at += fmt.Sprintf(" + %s * %dLL", ireg(r), strides[d])
		}
		w.line("%s = %s;", reg(in.d), fmt.Sprintf(read, fmt.Sprintf("b%d[%s]", w.at[buf], at)))
	}
	if !l.guarded {
		element()
		return
	}
	w.line("if (!%s) %s = %s; else {", ireg(l.guard), reg(in.d), reg(l.other))
	w.block(element)
	w.line("}")
}

// inside writes the test of an index, as far as it is not known to hold.
func (w *writer) inside(buf *ir.Buffer, index []register) {
	for d, r := range index {
		e := extent{r, buf.Shape[d]}
		if slices.ContainsFunc(w.proven, func(known map[extent]bool) bool { return known[e] }) {
			continue
		}
		w.proven[len(w.proven)-1][e] = true
		w.line("if ((unsigned long long)%s >= %dULL) return 1;", ireg(r), buf.Shape[d])
	}
}

func (w *writer) loop(l *loop) {
	w.code(l.init)
	inside := w.everyTurn(l)
	w.line("{ long long n = %s, e = %s, top = e;", ireg(l.lo), ireg(l.hi))
	if len(inside) > 0 {
		least := slices.MinFunc(slices.Collect(maps.Keys(inside)), func(a, b extent) int { return a.size - b.size }).size
		w.line("if (n < 0 && n < e) return 1;\nif (top > %d) top = %d;", least, least)
	}
	w.line("for (; n < top; n++) {\n%s = n;", ireg(l.index))
	w.block(func() {
		maps.Copy(w.proven[len(w.proven)-1], inside)
		if l.guarded {
			w.code(l.while)
			w.line("if (!%s) break;", ireg(l.cond))
		}
		w.code(l.body)
	})
	var open []string
	for _, r := range l.settles {
		open = append(open, fmt.Sprintf("%s == %d", ireg(r), l.settled))
	}
	if open != nil {
		w.line("if (%s) break;", strings.Join(open, " && "))
	}
	w.line("}\nif (n >= top && n < e) return 1; }")
}

// everyTurn are the axes that the loop's own index is used along in every turn: the loop ends there, so that no turn has to test it.
func (w *writer) everyTurn(l *loop) map[extent]bool {
	out := map[extent]bool{}
	for _, in := range l.body {
		if in.op != loadF && in.op != loadI || l.guarded || w.p.loads[in.a].guarded {
			continue
		}
		at := &w.p.loads[in.a]
		if d := slices.Index(at.index, l.index); d >= 0 {
			out[extent{l.index, w.p.buffers[at.buf].Shape[d]}] = true
		}
	}
	return out
}

// store writes a store's outcome: TextArgs.Out.
func (w *writer) store(s *store) {
	buf := w.p.buffers[s.buf]
	guard, value := "1", fmt.Sprintf("(long long)%s", ireg(s.value))
	if s.guarded {
		guard = ireg(s.guard)
	}
	if s.float {
		value = fmt.Sprintf("bits_d(%s)", freg(s.value))
	}
	w.line("if ((out[0] = %s)) {", guard)
	w.block(func() { w.inside(buf, s.index) })
	for d, r := range s.index {
		w.line("out[%d] = %s;", d+1, ireg(r))
	}
	w.line("out[%d] = %s;\n}\nout += %d;", len(s.index)+1, value, len(s.index)+2)
}

// TextWords is how many words of TextArgs.Out a point takes.
func (p *Program) TextWords() int {
	n := 0
	for i := range p.stores {
		n += len(p.stores[i].index) + 2
	}
	return n
}

// TextSamples reads what a call wrote for one point.
func (p *Program) TextSamples(words []int64) []Sample {
	out := make([]Sample, len(p.stores))
	for k := range out {
		s := &p.stores[k]
		rank := len(s.index)
		if words[0] != 0 {
			v := Sample{Written: true, Index: make([]int, rank)}
			for d := range rank {
				v.Index[d] = int(words[1+d])
			}
			if s.float {
				v.F = math.Float64frombits(uint64(words[1+rank]))
			} else {
				v.I = words[1+rank]
			}
			out[k] = v
		}
		words = words[rank+2:]
	}
	return out
}

// HostCells are plain values of a buffer as the program's text reads them: in the buffer's own type where the program's mode rounds to it, the values themselves where
// that is theirs.
func (p *Program) HostCells(buf *ir.Buffer, host []float64) ([]byte, error) {
	if err := fits(buf, host); err != nil {
		return nil, err
	}
	as := *plain(buf)
	if unrounded(buf, p.mode) {
		as.Type = ir.F64
	}
	if as.Type == ir.F64 { // tables are large, and many programs read the same
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(host))), 8*len(host)), nil
	}
	out := make([]byte, as.Bytes())
	device.SetFloats(&as, out, host)
	return out, nil
}

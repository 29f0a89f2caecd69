package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// C renders a kernel under a schedule as one C function called name. An error means that this kernel has no such schedule;
// every kernel has the scalar one.
func C(k *ir.Kernel, s schedule.CPU, t schedule.Target, name string) (Output, error) {
	return makeC(k, s, t, name, nil)
}

func makeC(k *ir.Kernel, s schedule.CPU, t schedule.Target, name string, count *counter) (Output, error) {
	if err := s.Check(k, t); err != nil {
		return Output{}, err
	}
	if err := checkKernel(k); err != nil {
		return Output{}, err
	}
	if len(s.Order) == 0 {
		for a := range k.Axes {
			s.Order = append(s.Order, a)
		}
	}
	u := newUnit(k, t, name)
	u.count = count
	return u.render(s)
}

// checkKernel refuses what no schedule can render.
func checkKernel(k *ir.Kernel) error {
	for _, out := range k.Outputs() {
		if slices.Contains(k.Inputs(), out) {
			return fmt.Errorf("render %s: buffer %s is both read and written; write to another buffer", k.Name, out.Name)
		}
	}
	for _, s := range k.Stores {
		if s.Combine != ir.Ordered && combines[s.Combine] == "" {
			return fmt.Errorf("render %s: a store cannot combine by %s", k.Name, s.Combine)
		}
	}
	return nil
}

// unit is the function being written: variants of the same kernel that share buffers and scalars.
type unit struct {
	k        *ir.Kernel
	t        schedule.Target
	name     string
	b        *ir.Builder
	bufs     []*ir.Buffer
	bufIndex map[*ir.Buffer]int
	argList  []*ir.Node
	args     map[*ir.Node]int
	count    *counter // nil: folds are not counted
}

func newUnit(k *ir.Kernel, t schedule.Target, name string) *unit {
	u := &unit{k: k, t: t, name: name, b: ir.Extend(k.Roots()), bufIndex: map[*ir.Buffer]int{}, args: map[*ir.Node]int{}}
	u.argList = u.k.Args()
	for i, n := range u.argList {
		u.args[n] = i
	}
	for _, b := range append(u.k.Inputs(), u.k.Outputs()...) {
		u.bufIndex[b] = len(u.bufs)
		u.bufs = append(u.bufs, b)
	}
	return u
}

// tail is what a variant does about tiles that are no multiple of its step.
type tail uint8

const (
	overlap tail = iota // moves the last step back: needs a tile of at least a step, and stores that may repeat
	cut                 // cuts axis values to the tile, so that surplus lanes repeat its last points
	whole               // takes multiples of the step only
)

// render writes the variants a kernel needs and the function that chooses among them.
func (u *unit) render(s schedule.CPU) (Output, error) {
	pure := !u.k.Combines()
	out := Output{Name: u.name}
	if s.Flat > 0 {
		return u.flat(s, out), nil
	}
	fast := overlap
	if !pure {
		fast = whole
	}
	main, err := u.variant(s, fast, u.name+"_main", &out)
	if err != nil {
		return Output{}, err
	}
	var stepped []int
	fits := true // some tile of the kernel is as large as a step
	out.Step = make([]int, len(u.k.Axes))
	for a := range u.k.Axes {
		out.Step[a] = s.Step(a)
		if out.Step[a] > 1 {
			stepped = append(stepped, a)
			fits = fits && u.k.Axes[a].Extent >= out.Step[a]
		}
	}
	var text strings.Builder
	ignored := Output{}
	switch {
	case len(stepped) == 0:
		text.WriteString(strings.Replace(main, "static ", "", 1))
		out.Source = strings.Replace(text.String(), u.name+"_main", u.name, 1)
	case pure:
		small := s
		small.Unroll, small.Window, small.Guard, small.Table, small.AccBlock = nil, 0, false, 0, 0
		rest, err := u.variant(small, cut, u.name+"_small", &ignored)
		if err != nil {
			return Output{}, err
		}
		if !fits {
			main = ""
			out.Loads, out.Tables = ignored.Loads, ignored.Tables
		}
		text.WriteString(main + rest)
		fmt.Fprintf(&text, "void %s(const weft_args *a) {\n", u.name)
		if fits {
			var conds []string
			for _, a := range stepped {
				conds = append(conds, fmt.Sprintf("a->hi[%d] - a->lo[%d] >= %d", a, a, out.Step[a]))
			}
			fmt.Fprintf(&text, "if (%s) %s_main(a); else ", strings.Join(conds, " && "), u.name)
		}
		fmt.Fprintf(&text, "%s_small(a);\n}\n", u.name)
		out.Source = text.String()
	default:
		scalar := schedule.CPU{Order: s.Order}
		rest, err := u.variant(scalar, overlap, u.name+"_scalar", &ignored)
		if err != nil {
			return Output{}, err
		}
		text.WriteString(main + rest)
		u.peel(&text, stepped, out.Step)
		out.Source = text.String()
	}
	out.Bufs, out.Args = u.bufs, u.argList
	if u.count != nil {
		out.Counted = u.count.folds
	}
	return out, nil
}

// peel writes the function for stores that combine: every point exactly once, the largest multiple of the step by the
// main variant and what is left along each axis by the scalar one.
func (u *unit) peel(text *strings.Builder, stepped, step []int) {
	n := max(1, len(u.k.Axes))
	fmt.Fprintf(text, "void %s(const weft_args *a) {\nint lo[%d], hi[%d], top;\nweft_args b = *a;\nb.lo = lo; b.hi = hi;\n", u.name, n, n)
	fmt.Fprintf(text, "for (int q = 0; q < %d; q++) lo[q] = a->lo[q], hi[q] = a->hi[q];\n", len(u.k.Axes))
	for _, a := range stepped {
		fmt.Fprintf(text, "top = hi[%d]; if (top <= lo[%d]) return; hi[%d] -= (top - lo[%d]) %% %d;\n", a, a, a, a, step[a])
		fmt.Fprintf(text, "if (hi[%d] < top) { int from = lo[%d]; lo[%d] = hi[%d]; hi[%d] = top; %s_scalar(&b); hi[%d] = lo[%d]; lo[%d] = from; }\n",
			a, a, a, a, a, u.name, a, a, a)
	}
	fmt.Fprintf(text, "%s_main(&b);\n}\n", u.name)
}

// renderer is a fresh state for one variant.
func (u *unit) renderer(s schedule.CPU) *renderer {
	return &renderer{k: u.k, s: s, t: u.t, W: u.t.Lanes, V: max(schedule.Product(s.Unroll), s.Flat), b: u.b, vary: ir.NewVary(),
		loads: map[string]int{}, counted: map[loadClass]bool{}, bufs: u.bufs, bufIndex: u.bufIndex, args: u.args, counter: u.count, uses: map[*ir.Buffer]bool{},
		lanedMemo: map[*ir.Node]bool{}, slowMemo: map[*ir.Node]bool{}, bounders: map[*ir.Fold]*ir.Bounder{}, starts: map[windowed]int64{}}
}

// variant renders the kernel once, as a static function.
func (u *unit) variant(s schedule.CPU, end tail, name string, out *Output) (text string, err error) {
	r := u.renderer(s)
	r.clamp, r.tail = end == cut, end
	if s.Scalar() {
		r.W = 1
	}
	for _, l := range s.Lanes {
		r.lanes = r.lanes.Or(u.k.Axes[l.Axis].Bind())
	}
	root := newScope(ir.Set{})
	r.stack = []*scope{root}
	for _, a := range s.Order {
		r.stack = append(r.stack, newScope(u.k.Axes[a].Bind()))
	}
	for _, st := range outputs(u.k.Stores) {
		r.store(st)
	}
	u.bufs = r.bufs
	out.Loads, out.Tables = r.loads, r.tables
	body := ""
	for q := len(s.Order) - 1; q >= 0; q-- {
		body = r.tileLoop(s.Order[q], end, strings.Join(append(r.stack[q+1].lines, body), "\n"))
	}
	counters, collect := u.count.declared()
	return fmt.Sprintf("static void %s(const weft_args *a) {\n%s\n%s%s\n%s\n%s}\n", name, r.pointers(), counters, strings.Join(root.lines, "\n"), body, collect), nil
}

// pointers declares the buffers in use.
func (r *renderer) pointers() string {
	var decl []string
	for i, b := range r.bufs {
		if !r.uses[b] {
			continue
		}
		constant := ""
		if !slices.Contains(r.k.Outputs(), b) {
			constant = "const "
		}
		decl = append(decl, fmt.Sprintf("%s%s *restrict b%d = a->buf[%d];", constant, storageTypes[b.Type], i, i))
	}
	return strings.Join(decl, "\n")
}

// tileLoop is the loop over the tile's range of an axis.
func (r *renderer) tileLoop(axis int, end tail, body string) string {
	x, step := axisName(r.axis(axis)), r.step(axis)
	lo, hi := fmt.Sprintf("a->lo[%d]", axis), fmt.Sprintf("a->hi[%d]", axis)
	loop := fmt.Sprintf("for (int %s = %s, %s_end = %s; %s < %s_end; %s += %d) {\n", x, lo, x, hi, x, x, x, step)
	switch {
	case step == 1 || end == whole:
		return loop + body + "\n}"
	case end == cut:
		return fmt.Sprintf("const int %s_last = %s - 1;\n%s%s\n}", x, hi, loop, body)
	}
	return fmt.Sprintf("for (int %s_ = %s, %s_end = %s; %s_ < %s_end; %s_ += %d) {\nconst int %s = s_min_i(%s_, %s_end - %d);\n%s\n}",
		x, lo, x, hi, x, x, x, step, x, x, x, step, body)
}

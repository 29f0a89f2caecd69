package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// key names a computed value: which vector in flight, in which mode.
type key struct {
	n *ir.Node
	v int
	m layout
}

// scope is the body of an open loop (or of the function): what it binds, its text so far, and what it holds already.
type scope struct {
	binds ir.Set
	lines []string
	vals  map[key]value
	texts map[string]value
	fold  *ir.Fold          // the loop is this fold
	block *block            // the fold is run in blocks
	mask  func(v int) value // the fold masks lanes: those of vector v that are still active
}

func newScope(binds ir.Set) *scope {
	return &scope{binds: binds, vals: map[key]value{}, texts: map[string]value{}}
}

// renderer holds the state of one variant of one function.
type renderer struct {
	k          *ir.Kernel
	s          schedule.CPU
	t          schedule.Target
	W, V       int
	lanes      ir.Set
	clamp      bool        // the tile may be smaller than a step: axis values are cut to the tile
	b          *ir.Builder // for nodes of the renderer's own
	vary       *ir.Vary
	stack      []*scope
	names      int
	iter       *ir.Fold // the fold whose iterations are lanes, in layout iter
	loads      map[string]int
	tables     int
	counted    map[loadClass]bool
	bufs       []*ir.Buffer
	bufIndex   map[*ir.Buffer]int
	args       map[*ir.Node]int
	uses       map[*ir.Buffer]bool
	exactLoads int  // loads that are in range only while some lane is active
	gathering  bool // rendering the copy of a body for blocks whose spans are not proven
	slowMemo   map[*ir.Node]bool
	bounders   map[*ir.Fold]*ir.Bounder
	starts     map[windowed]int64 // of the rows of windows
	lanedMemo  map[*ir.Node]bool
	parted     *ir.Fold                // run in parts over many points
	saved      int                     // registers that a vector's points keep between the parts
	groups     map[*ir.Node][]*ir.Node // loads whose elements lie side by side; nil until one is looked up
	threads    *threads                // the CUDA dialect; nil: C
	counter    *counter                // nil: folds are not counted
	tail       tail
}

func (r *renderer) emit(sc *scope, format string, a ...any) {
	sc.lines = append(sc.lines, fmt.Sprintf(format, a...))
}

// fresh is a new C name.
func (r *renderer) fresh(prefix string) string {
	r.names++
	return fmt.Sprintf("%s%d", prefix, r.names)
}

// depth is the position of the deepest open scope that binds something n depends on.
func (r *renderer) depth(n *ir.Node) int {
	for i := len(r.stack) - 1; i > 0; i-- {
		if r.stack[i].binds.Meets(n.Free()) {
			return i
		}
	}
	return 0
}

func (r *renderer) top() *scope { return r.stack[len(r.stack)-1] }

// push opens a scope on a copy of the stack, so that a saved stack stays as it was.
func (r *renderer) push(sc ...*scope) {
	r.stack = append(append([]*scope{}, r.stack...), sc...)
}

// val computes n once per distinct vector in flight and mode, where the deepest loop it depends on is open, and
// returns its name.
func (r *renderer) val(n *ir.Node, v int, m layout) value {
	if n.Kind == ir.KConst {
		return scalar(n.Type, r.literal(n))
	}
	m = r.simplest(n, m)
	v = r.canon(r.vary.Of(n), v)
	at := r.depth(n)
	sc := r.stack[at]
	k := key{n, v, m}
	if x, ok := sc.vals[k]; ok {
		return x
	}
	x := r.compute(n, v, m, at)
	sc.vals[k] = x
	return x
}

func (r *renderer) compute(n *ir.Node, v int, m layout, at int) value {
	sc := r.stack[at]
	switch {
	case n.Kind == ir.KArg:
		return r.name(sc, scalar(n.Type, r.argText(n)))
	case n.Kind == ir.KGet:
		r.fold(n.Fold, at)
		return r.accName(n.Fold.Accs[n.I], v)
	case n.Kind == ir.KAxis:
		return r.axisVal(n, v, m, sc)
	case r.tabulates(n, m, sc):
		return r.tabulate(n, v, sc)
	case n.Kind == ir.KLoad:
		return r.load(n, v, m, at)
	}
	return r.name(sc, r.alu(n, v, m))
}

func (r *renderer) argText(n *ir.Node) string {
	if r.threads != nil {
		return paramText(n, r.args[n])
	}
	if n.Type.Float() {
		return fmt.Sprintf("(%s)a->farg[%d]", ctypes[n.Type].c, r.args[n])
	}
	return fmt.Sprintf("(%s)a->iarg[%d]", ctypes[n.Type].c, r.args[n])
}

func axisName(n *ir.Node) string { return fmt.Sprintf("x%d", n.ID()) }

func (r *renderer) accName(n *ir.Node, v int) value {
	v = r.canon(r.vary.Of(n), v)
	base := fmt.Sprintf("a%d_%d", n.ID(), v)
	if !r.laned(n) {
		return scalar(n.Type, base)
	}
	return each(n.Type, func(h int) string { return fmt.Sprintf("%s_%d", base, h) })
}

// axisVal is the value of a parallel axis, a fold's index or an accumulator.
func (r *renderer) axisVal(n *ir.Node, v int, m layout, sc *scope) value {
	switch n.Role {
	case ir.RoleAcc:
		return r.accName(n, v)
	case ir.RoleIndex:
		return r.indexVal(n, v, m, sc)
	}
	text := axisName(n)
	switch {
	case r.isOrigin(n):
		return scalar(ir.I32, text)
	case r.s.Flat > 0 && m == patch:
		return r.name(sc, vector(ir.I32, fmt.Sprintf("*(vi *)(%s_at + %d)", text, v*r.W)))
	case r.s.Flat > 0:
		return scalar(ir.I32, fmt.Sprintf("%s_at[%d]", text, v*r.W))
	}
	if o := r.offset(n, v); o != 0 {
		text = fmt.Sprintf("(%s+%d)", text, o)
	}
	last := ""
	if r.clamp && r.step(r.axisNumber(n)) > 1 && (r.threads == nil || r.offset(n, v) != 0) {
		last = fmt.Sprintf("%s_last", axisName(n))
	}
	if m == patch && r.laned(n) {
		coords := make([]string, r.W)
		for l := range coords {
			coords[l] = fmt.Sprint(r.laneCoord(n, l))
		}
		text = fmt.Sprintf("%s + (vi){%s}", text, strings.Join(coords, ","))
		if last != "" {
			text = fmt.Sprintf("v_min_i(%s, splat_i(%s))", text, last)
		}
		return r.name(sc, vector(ir.I32, text))
	}
	if last != "" {
		text = fmt.Sprintf("s_min_i(%s, %s)", text, last)
	}
	return scalar(ir.I32, text)
}

func (r *renderer) axisNumber(n *ir.Node) int {
	for i, a := range r.k.Axes {
		if a == n {
			return i
		}
	}
	panic("render: an axis that the kernel does not list: " + n.Name)
}

// indexVal is the index of a fold: the loop's variable, plus the lane's own start where starts differ.
func (r *renderer) indexVal(n *ir.Node, v int, m layout, sc *scope) value {
	f := n.Fold
	text := axisName(n)
	if m == iter {
		return r.name(sc, each(n.Type, func(h int) string { return r.iotaFrom(n.Type, text, h) }))
	}
	if !r.ownStart(f) {
		return scalar(n.Type, text)
	}
	lo := r.val(f.Lo, v, patch)
	if m == origin {
		lo = r.val(f.Lo, v, m)
	}
	return r.name(sc, r.op(ir.Add, n.Type, lo, scalar(n.Type, text)))
}

// iotaFrom is text, text+1, ... over the lanes of part h, cut to the last iteration.
func (r *renderer) iotaFrom(t ir.DType, text string, h int) string {
	per := r.W / schedule.Registers(t)
	nums := make([]string, per)
	for l := range nums {
		nums[l] = fmt.Sprint(h*per + l)
	}
	c := ctypes[t]
	return fmt.Sprintf("v_min_%s(%s + (%s){%s}, splat_%s(%s_last))", c.sfx, text, c.v, strings.Join(nums, ","), c.sfx, text)
}

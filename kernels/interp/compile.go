package interp

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/contraction"
	"weft/kernels/ir/rules"
)

// Compile prepares a kernel. It fails on a kernel that rules.Check refuses, and on one of more than 65536 values of a kind.
func Compile(k *ir.Kernel, mode Mode) (*Program, error) {
	if err := rules.Check(k); err != nil {
		return nil, err
	}
	return compile(k, mode)
}

// In is the program in other arithmetic.
func (p *Program) In(mode Mode) (*Program, error) {
	if mode == p.mode {
		return p, nil
	}
	return compile(p.kernel, mode)
}

func compile(k *ir.Kernel, mode Mode) (*Program, error) {
	c := &compiler{
		p:     &Program{kernel: k, mode: mode, buffers: k.Buffers()},
		at:    map[*ir.Node]register{},
		folds: map[*ir.Node]bool{},
		fused: contraction.Of(k),
	}
	c.scopes = []*scope{{}}
	for _, a := range k.Axes {
		c.p.axes = append(c.p.axes, c.place(a))
		c.scopes = append(c.scopes, &scope{binds: a.Bind()})
	}
	c.storesIn(nil)
	for i := range k.Stores {
		if s := &k.Stores[i]; s.In == nil {
			c.p.stores = append(c.p.stores, c.store(s))
		}
	}
	for _, s := range c.scopes {
		c.p.levels = append(c.p.levels, s.code)
	}
	if nf, ni := len(c.p.floatClass), len(c.p.intClass); nf > maxRegisters || ni > maxRegisters {
		return nil, fmt.Errorf("kernel %s has %d float and %d integer values; the interpreter holds %d of each", k.Name, nf, ni, maxRegisters)
	}
	return c.p, nil
}

// compiler places each value in the deepest open scope that binds a variable it depends on.
type compiler struct {
	p      *Program
	at     map[*ir.Node]register
	folds  map[*ir.Node]bool // compiled
	scopes []*scope
	fused  *contraction.Rule
}

// scope is the code of an axis's loop or of a part of a fold.
type scope struct {
	binds ir.Set
	code  []instruction
}

func isFloat(n *ir.Node) bool { return n.Type.Float() }

// place gives a value its register.
func (c *compiler) place(n *ir.Node) register {
	r := c.fresh(n)
	c.at[n] = r
	return r
}

// fresh is a register for values of n's type.
func (c *compiler) fresh(n *ir.Node) register {
	classes := &c.p.intClass
	if isFloat(n) {
		classes = &c.p.floatClass
	}
	*classes = append(*classes, classOf(n.Type, c.p.mode))
	return register(len(*classes) - 1) // wraps on too many, which Compile then reports
}

// home is the scope that n belongs to.
func (c *compiler) home(n *ir.Node) *scope {
	for _, s := range slices.Backward(c.scopes) {
		if n.Free().Meets(s.binds) {
			return s
		}
	}
	return c.scopes[0]
}

func (c *compiler) emit(n *ir.Node, op opcode, operands ...register) register {
	in := instruction{op: op, d: c.place(n)}
	for i, p := range []*register{&in.a, &in.b, &in.c}[:len(operands)] {
		*p = operands[i]
	}
	s := c.home(n)
	s.code = append(s.code, in)
	return in.d
}

// value emits what computes n, once, and returns its register.
func (c *compiler) value(n *ir.Node) register {
	if r, ok := c.at[n]; ok {
		return r
	}
	switch n.Kind {
	case ir.KConst:
		return c.constant(n)
	case ir.KArg:
		r := c.place(n)
		c.p.args = append(c.p.args, argument{n, r})
		return r
	case ir.KLoad:
		return c.load(n)
	case ir.KGet:
		c.fold(n.Fold)
		r := c.at[n.Fold.Accs[n.I]]
		c.at[n] = r
		return r
	}
	return c.alu(n)
}

func (c *compiler) values(nodes []*ir.Node) []register {
	out := make([]register, len(nodes))
	for i, n := range nodes {
		out[i] = c.value(n)
	}
	return out
}

func (c *compiler) constant(n *ir.Node) register {
	r := c.place(n)
	switch {
	case !isFloat(n):
		c.p.ints = append(c.p.ints, constant[int64]{r, n.I})
	case classOf(n.Type, c.p.mode) == f32:
		c.p.floats = append(c.p.floats, constant[float64]{r, float64(float32(n.F))})
	default:
		c.p.floats = append(c.p.floats, constant[float64]{r, n.F})
	}
	return r
}

func (c *compiler) load(n *ir.Node) register {
	l := load{buf: slices.Index(c.p.buffers, n.Buf), index: c.values(n.Index())}
	if guard, other := n.Guard(); guard != nil {
		l.guarded, l.guard, l.other = true, c.value(guard), c.value(other)
	}
	c.p.loads = append(c.p.loads, l)
	op := loadI
	if isFloat(n) {
		op = loadF
	}
	return c.emit(n, op, register(len(c.p.loads)-1))
}

func (c *compiler) alu(n *ir.Node) register {
	if at, ok := c.fused.Product(n); ok {
		x := n.Args[at]
		return c.emit(n, fused[n.Op][at][classOf(n.Type, c.p.mode)], c.value(x.Args[0]), c.value(x.Args[1]), c.value(n.Args[1-at]))
	}
	args := c.values(n.Args)
	from, to := classOf(n.Args[0].Type, c.p.mode), classOf(n.Type, c.p.mode)
	switch n.Op {
	case ir.Select:
		return c.emit(n, selects[to], args...)
	case ir.Cast:
		return c.emit(n, casts[from][to], args...)
	case ir.Bits:
		return c.emit(n, reinterpret[n.Type], args...)
	}
	if code, ok := own(n.Op, n.Args[0].Type, c.p.mode); ok {
		return c.emit(n, code, args...)
	}
	called := [3]register{2: register(n.Op)}
	copy(called[:2], args)
	return c.emit(n, pick(to == f32, callF32, callF64), called[:]...)
}

func pick(cond bool, yes, no opcode) opcode {
	if cond {
		return yes
	}
	return no
}

// fold compiles a loop once. The accumulators' registers hold its results afterwards.
func (c *compiler) fold(f *ir.Fold) {
	if c.folds[f.Node] {
		return
	}
	c.folds[f.Node] = true
	l := loop{lo: c.value(f.Lo), hi: c.value(f.Hi), guarded: f.While != nil}
	init := c.values(f.Init)
	l.index = c.place(f.Index)
	for k, a := range f.Accs {
		l.init = append(l.init, instruction{op: move(a), d: c.place(a), a: init[k]})
	}
	body := &scope{binds: f.IndexBind.Or(f.AccBind)}
	c.scopes = append(c.scopes, body)
	if f.While != nil {
		l.cond = c.value(f.While)
		l.while, body.code = body.code, nil
	}
	next := c.values(f.Step)
	c.storesIn(f)
	c.step(f, next, body)
	l.body = body.code
	if f.Monoid == ir.Any || f.Monoid == ir.All {
		l.settles, l.settled = c.values(f.Accs), truth(f.Monoid == ir.Any)
	}
	c.scopes = c.scopes[:len(c.scopes)-1]
	c.p.folds = append(c.p.folds, l)
	s := c.home(f.Node)
	s.code = append(s.code, instruction{op: fold, a: register(len(c.p.folds) - 1)})
}

func move(n *ir.Node) opcode { return pick(isFloat(n), movF, movI) }

// step moves the next accumulators them into place: all at once in effect, so a step that is another
// accumulator, which an earlier move would overwrite, is saved first.
func (c *compiler) step(f *ir.Fold, next []register, body *scope) {
	for k, n := range f.Step {
		for j := range k {
			if n == f.Accs[j] && f.Step[j] != f.Accs[j] {
				saved := c.fresh(n)
				body.code = append(body.code, instruction{op: move(n), d: saved, a: next[k]})
				next[k] = saved
				break
			}
		}
	}
	for k, a := range f.Accs {
		if f.Step[k] != a {
			body.code = append(body.code, instruction{op: move(a), d: c.at[a], a: next[k]})
		}
	}
}

// storesIn compiles the stores that the turns of a fold make.
func (c *compiler) storesIn(f *ir.Fold) {
	c.p.kernel.StoresIn(f, func(s *ir.Store) {
		c.p.puts = append(c.p.puts, c.store(s))
		in := c.scopes[len(c.scopes)-1]
		in.code = append(in.code, instruction{op: put, a: register(len(c.p.puts) - 1)})
	}, c.fold)
}

func (c *compiler) store(s *ir.Store) store {
	out := store{
		buf: slices.Index(c.p.buffers, s.Buf), index: c.values(s.Index),
		value: c.value(s.Value), float: isFloat(s.Value), adds: s.Adds,
	}
	if s.Guard != nil {
		out.guarded, out.guard = true, c.value(s.Guard)
	}
	return out
}

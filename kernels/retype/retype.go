// Package retype rebuilds kernels with other types: what they compute in, what sums are kept in, and how arrays lie in memory.
package retype

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
)

// Types says in which types a finished kernel is to work. The zero value changes nothing.
type Types struct {
	// Compute is what F32 arithmetic is done in: F64, or F16 and BF16, where every result is rounded to that type but still
	// travels as F32. 0: as it is.
	Compute ir.DType
	// Accumulate is what sums over folds are kept in: F64, F32, or F16 and BF16 as above. 0: Compute if that is wider, else as
	// they are: a narrow Compute does not narrow sums.
	Accumulate ir.DType
	// Stored gives arrays that lie in memory in another type.
	Stored map[*ir.Buffer]Stored
}

// Stored is how an array lies in memory in place of another buffer of its shape.
type Stored struct {
	Buf *ir.Buffer
	Units
}

// Apply rebuilds a kernel with other types. Axes, folds and stores keep their order; a sum that is rounded after every
// addition becomes an Ordered fold, since its terms can no longer be regrouped.
func Apply(k *ir.Kernel, r Types) *ir.Kernel {
	t := &retyper{Types: r, b: ir.NewBuilder(), float: ir.F32, done: map[*ir.Node]*ir.Node{}, folds: map[*ir.Fold][]*ir.Node{}, sums: map[*ir.Node]ir.DType{}}
	if r.Compute == ir.F64 {
		t.float = ir.F64
	}
	out := &ir.Kernel{Name: k.Name, Contract: k.Contract, Termwise: k.Termwise || r.Accumulate == ir.F64, Whole: k.Whole}
	for _, a := range k.Axes {
		t.done[a] = t.b.Axis(a.Name, a.Extent)
		out.Axes = append(out.Axes, t.done[a])
	}
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold {
			t.findSums(n.Fold)
		}
	})
	var around []*ir.Fold
	for _, s := range k.Stores {
		for f := s.In; f != nil; f = k.Around(f) { // the outermost builds those in its turns
			around = append(around, f)
		}
		for _, f := range slices.Backward(around) {
			t.fold(f)
		}
		around = around[:0]
		out.Stores = append(out.Stores, t.store(s))
	}
	return out
}

// Sums reports whether a kernel has a sum of floats.
func Sums(k *ir.Kernel) bool {
	t := &retyper{sums: map[*ir.Node]ir.DType{}}
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold {
			t.findSums(n.Fold)
		}
	})
	return len(t.sums) > 0
}

type retyper struct {
	Types
	b     *ir.Builder
	float ir.DType // in which F32 values are held
	done  map[*ir.Node]*ir.Node
	folds map[*ir.Fold][]*ir.Node
	// sums holds the nodes that carry a sum along its fold, and the type they are held in: accumulators, the additions that
	// start at them, and the folds that go on with them.
	sums map[*ir.Node]ir.DType
}

// held is the type a value of type t is held in outside sums.
func (t *retyper) held(typ ir.DType) ir.DType {
	if typ == ir.F32 {
		return t.float
	}
	return typ
}

// sumType is the type that a sum of this type is held in.
func (t *retyper) sumType(typ ir.DType) ir.DType {
	switch {
	case t.Accumulate == 0:
		return t.held(typ)
	case t.Accumulate == ir.F64:
		return ir.F64
	}
	return ir.F32
}

// findSums marks the accumulators of a fold that are sums, and what carries them. An inner fold that starts from a marked
// value and is itself a sum goes on with it; inner folds come first when walking, so an outer fold finds their steps.
func (t *retyper) findSums(f *ir.Fold) {
	if f.Monoid != ir.Sum && f.Monoid != ir.Ordered || f.While != nil {
		return
	}
	for k, acc := range f.Accs {
		if !acc.Type.Float() {
			continue
		}
		var chain []*ir.Node
		if f.Monoid == ir.Ordered && f.Step[k] == acc || !t.chain(f.Step[k], acc, f.AccBind, &chain) {
			continue
		}
		for _, n := range append(chain, acc) {
			t.sums[n] = t.sumType(acc.Type)
		}
	}
}

// chain collects the additions from acc to n.
func (t *retyper) chain(n, acc *ir.Node, accs ir.Set, out *[]*ir.Node) bool {
	if n == acc {
		return true
	}
	if n.Kind == ir.KGet {
		_, sum := t.sums[n.Fold.Accs[n.I]]
		if !sum || !t.chain(n.Fold.Init[n.I], acc, accs, out) {
			return false
		}
		*out = append(*out, n)
		return true
	}
	if n.Kind != ir.KAlu || n.Op != ir.Add && n.Op != ir.Sub {
		return false
	}
	a, b := n.Args[0], n.Args[1]
	if n.Op == ir.Add && b.Free().Meets(accs) {
		a, b = b, a
	}
	if b.Free().Meets(accs) || !t.chain(a, acc, accs, out) {
		return false
	}
	*out = append(*out, n)
	return true
}

// as is a value converted to a compute type; what was only widened is taken as it was.
func (t *retyper) as(typ ir.DType, n *ir.Node) *ir.Node {
	if n.Kind == ir.KAlu && n.Op == ir.Cast && n.Type == ir.F64 && typ == ir.F32 && n.Args[0].Type == typ {
		n = n.Args[0]
	}
	return t.b.Cast(typ, n)
}

// of is the node that stands for n.
func (t *retyper) of(n *ir.Node) *ir.Node {
	if m := t.done[n]; m != nil {
		return m
	}
	m := t.make(n)
	t.done[n] = m
	return m
}

func (t *retyper) make(n *ir.Node) *ir.Node {
	switch n.Kind {
	case ir.KConst:
		if n.Type.Float() {
			return t.narrowed(n.Type, t.b.Const(t.held(n.Type), n.F))
		}
		return t.b.Int(n.Type, n.I)
	case ir.KArg:
		return t.narrowed(n.Type, t.b.ArgOr(t.held(n.Type), n.Name, n.F))
	case ir.KLoad:
		return t.load(n)
	case ir.KGet:
		return t.fold(n.Fold)[n.I]
	case ir.KAlu:
		return t.alu(n)
	}
	panic(fmt.Sprintf("ir: retyping a loose %s", n.Name))
}

// narrowed rounds a value that was F32 if the kernel computes in a narrow type.
func (t *retyper) narrowed(was ir.DType, n *ir.Node) *ir.Node {
	if was != ir.F32 {
		return n
	}
	return RoundTo(t.b, t.Compute, n)
}

func (t *retyper) all(nodes []*ir.Node) []*ir.Node {
	out := make([]*ir.Node, len(nodes))
	for i, n := range nodes {
		out[i] = t.of(n)
	}
	return out
}

func (t *retyper) load(n *ir.Node) *ir.Node {
	buf, units := n.Buf, Units{Scale: 1}
	if s, ok := t.Stored[n.Buf]; ok {
		buf, units = s.Buf, s.Units
	}
	typ := buf.Type.Compute()
	guard, other := n.Guard()
	if guard == nil {
		return t.loaded(n, t.b.Load(buf, t.all(n.Index())...), units)
	}
	g, o := t.of(guard), t.of(other)
	if typ.Int() && n.Type.Float() {
		v := t.loaded(n, t.b.LoadOr(buf, g, t.b.Int(typ, units.Zero()), t.all(n.Index())...), units)
		if other.IsConst(0) {
			return v
		}
		return t.b.Select(g, v, t.as(v.Type, o))
	}
	return t.loaded(n, t.b.LoadOr(buf, g, t.as(typ, o), t.all(n.Index())...), units)
}

// loaded turns what lies in memory into a value of the type it is held in.
func (t *retyper) loaded(n, v *ir.Node, units Units) *ir.Node {
	if v.Type.Int() && n.Type.Float() {
		v = units.loaded(t.b, v)
	}
	return t.narrowed(n.Type, t.as(t.held(n.Type), v))
}

func (t *retyper) alu(n *ir.Node) *ir.Node {
	if typ, ok := t.sums[n]; ok {
		v := t.b.Alu(n.Op, t.as(typ, t.of(n.Args[0])), t.as(typ, t.of(n.Args[1])))
		return RoundTo(t.b, t.Accumulate, v)
	}
	args := t.all(n.Args)
	for i, a := range n.Args {
		args[i] = t.as(t.held(a.Type), args[i])
	}
	switch n.Op {
	case ir.Bits:
		return t.narrowed(n.Type, t.as(t.held(n.Type), t.b.Reinterpret(n.Type, t.as(n.Args[0].Type, args[0]))))
	case ir.Cast:
		return t.narrowed(n.Type, t.b.Cast(t.held(n.Type), args[0]))
	}
	v := t.b.Alu(n.Op, args...)
	if n.Op.Info().Exact == ir.Exact {
		return v
	}
	return t.narrowed(n.Type, v)
}

func (t *retyper) fold(f *ir.Fold) []*ir.Node {
	if out := t.folds[f]; out != nil {
		return out
	}
	typeOf := func(acc *ir.Node) ir.DType {
		if typ, ok := t.sums[acc]; ok {
			return typ
		}
		return t.held(acc.Type)
	}
	spec := ir.FoldSpec{Name: f.Index.Name, Lo: t.of(f.Lo), Hi: t.of(f.Hi), Monoid: f.Monoid}
	for k, n := range f.Init {
		spec.Init = append(spec.Init, t.as(typeOf(f.Accs[k]), t.of(n)))
	}
	if t.regroups(f) {
		spec.Monoid = ir.Ordered
	}
	t.folds[f] = t.b.Fold(spec, func(i *ir.Node, acc []*ir.Node) (step []*ir.Node, while *ir.Node) {
		t.done[f.Index] = i
		for k, a := range f.Accs {
			t.done[a] = acc[k]
		}
		for k, n := range f.Step {
			step = append(step, t.as(typeOf(f.Accs[k]), t.of(n)))
		}
		if f.While != nil {
			while = t.of(f.While)
		}
		return step, while
	})
	return t.folds[f]
}

// regroups reports whether a fold's monoid would not survive rounding after every step.
func (t *retyper) regroups(f *ir.Fold) bool {
	floats := false
	for _, a := range f.Accs {
		floats = floats || a.Type.Float()
	}
	return floats && (f.Monoid == ir.Sum && narrow(t.Accumulate) || f.Monoid == ir.Product && narrow(t.Compute))
}

func (t *retyper) store(s ir.Store) ir.Store {
	out := ir.Store{Buf: s.Buf, Adds: s.Adds}
	if s.In != nil { // its index and its state stand in what is stored, and where
		out.In = t.fold(s.In)[0].Fold
	}
	out.Index = t.all(s.Index)
	v, units := t.of(s.Value), Units{Scale: 1}
	if to, ok := t.Stored[s.Buf]; ok {
		out.Buf, units = to.Buf, to.Units
	}
	typ := out.Buf.Type.Compute()
	if typ.Int() && s.Value.Type.Float() {
		v = units.stored(t.b, v)
	}
	out.Value = t.as(typ, v)
	if s.Guard != nil {
		out.Guard = t.of(s.Guard)
	}
	return out
}

// narrow reports a type that arithmetic is rounded to but not held in.
func narrow(t ir.DType) bool { return t == ir.F16 || t == ir.BF16 }

// RoundTo rounds an F32 value, to nearest even, to one that the narrower float type t holds, with its overflow to infinity
// and its subnormals. Other types leave the value as it is.
func RoundTo(b *ir.Builder, t ir.DType, x *ir.Node) *ir.Node {
	if !narrow(t) || x.Type != ir.F32 {
		return x
	}
	const dropped = 16 // bits of a float32 significand that bf16 lacks
	if t == ir.BF16 {
		return b.Select(b.Alu(ir.Eq, x, x), roundBits(b, x, dropped), x)
	}
	// Below its normal range f16 counts units of 2^-24; beyond 65520 lies infinity.
	const half = 13
	units := b.Mul(b.Alu(ir.Rint, b.Mul(x, b.F32(0x1p24))), b.F32(0x1p-24))
	normal := roundBits(b, x, half)
	normal = b.Select(b.Lt(b.F32(65504), b.Abs(normal)), b.Mul(x, b.Reinterpret(ir.F32, b.I32(0x7f800000))), normal)
	return b.Select(b.Lt(b.Abs(x), b.F32(0x1p-14)), units, b.Select(b.Alu(ir.Eq, x, x), normal, x))
}

// roundBits rounds the significand of a float32 to nearest even, without its last n bits; a carry goes to the exponent.
func roundBits(b *ir.Builder, x *ir.Node, n int) *ir.Node {
	i := b.Reinterpret(ir.I32, x)
	even := b.Alu(ir.BitAnd, b.Alu(ir.Shr, i, b.I32(n)), b.I32(1))
	up := b.Add(b.Add(i, b.I32(1<<(n-1)-1)), even)
	return b.Reinterpret(ir.F32, b.Alu(ir.BitAnd, up, b.I32(-1<<n)))
}

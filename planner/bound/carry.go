package bound

import (
	"maps"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/subst"
	"weft/planner/bounds"
)

// Carry is a kernel that makes some turns of its fold at a time, along the first dim of what it reads: it takes what it carries from turn to turn from memory
// and leaves it there, so that launches one behind the other make all turns, as one of the whole does.
type Carry struct {
	IR            *ir.Kernel
	Turns         int          // in all
	Rows          bool         // each turn stores the row of its number; else what is stored is as it should be behind the last one
	Bounds        *ir.Buffer   // the first turn of a launch, and the one behind its last
	Before, After []*ir.Buffer // what is carried into a launch and out of it, over the axes
}

// Carried is how a step's kernel can make a few turns at a time; nil: it cannot, or what it makes so could not be compared with float64.
func (p *Plan) Carried(s *Step) *Carry {
	for _, id := range slices.Concat(s.Reads, s.Writes) {
		if b := p.Buffer(id); b.Counted() || slices.Contains(s.Writes, id) && (b.Transposed || b.Innermost > 0 || b.Interleaved || b.Box != nil) {
			return nil
		}
	}
	k := s.Kernel.IR
	f := turnsOf(k)
	if f == nil {
		return nil
	}
	c := &Carry{Turns: int(f.Hi.I), Rows: !k.Pointwise(), Bounds: &ir.Buffer{Name: "turns", Type: f.Lo.Type, Shape: []int{2}}}
	var shape []int
	for _, along := range k.Domain() {
		shape = append(shape, along.Hi)
	}
	for _, q := range carried(f) {
		c.Before = append(c.Before, &ir.Buffer{Name: "before", Type: f.Accs[q].Type, Shape: shape})
		c.After = append(c.After, &ir.Buffer{Name: "after", Type: f.Accs[q].Type, Shape: shape})
	}
	out, ends := subst.Span(k, []*ir.Fold{f}, c.span(k.Axes))
	for i, q := range carried(f) {
		out.Stores = append(out.Stores, ir.Store{Buf: c.After[i], Index: slices.Clone(k.Axes), Value: ends[f][q]})
	}
	if c.IR = out; c.defined(p.GivenReference(s.Kernel, s.Kernel.Roots).Kernel) == nil {
		return nil
	}
	return c
}

// Carries has the kernel make a few turns at a time.
func (k *Kernel) Carries(c *Carry) { k.Carry, k.IR = c, c.IR }

// turnsOf is the fold whose turns a kernel may make a few at a time, with the same bits: the one in which all its stores are, or from whose end they all
// follow. nil: there is none.
func turnsOf(k *ir.Kernel) (found *ir.Fold) {
	inside := 0
	for _, s := range k.Stores {
		if s.In == nil {
			continue
		}
		if inside++; s.Adds || s.Guard != nil || len(s.Index) == 0 || s.Index[0] != s.In.Index || found != nil && found != s.In {
			return nil
		}
		found = s.In
	}
	switch {
	case inside > 0 && inside < len(k.Stores):
		return nil
	case inside == 0:
		for _, f := range rowFolds(k) {
			switch {
			case !spans(k, f, 0):
			case found != nil:
				return nil
			default:
				found = f
			}
		}
	}
	if found == nil || !spans(k, found, 0) || !splits(found) {
		return nil
	}
	if slices.ContainsFunc(k.Stores, func(s ir.Store) bool { return s.In != nil && int64(s.Buf.Shape[0]) != found.Hi.I }) {
		return nil
	}
	return found
}

// rowFolds are the folds of a kernel by whose index it loads rows.
func rowFolds(k *ir.Kernel) (out []*ir.Fold) {
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad || len(n.Index()) == 0 {
			return
		}
		ir.WalkNodes(n.Index()[:1], func(x *ir.Node) {
			if x.Kind == ir.KAxis && x.Role == ir.RoleIndex && !slices.Contains(out, x.Fold) {
				out = append(out, x.Fold)
			}
		})
	})
	return out
}

// spans reports whether a fold stands in no other, and goes from 0 to so many turns (0: any number that is known).
func spans(k *ir.Kernel, f *ir.Fold, turns int) bool {
	return f.Lo.IsConst(0) && f.Hi.Kind == ir.KConst && f.Hi.I > 1 && (turns == 0 || f.Hi.I == int64(turns)) && k.Around(f) == nil
}

// splits reports whether a fold has the same bits if it goes on from what it had after some of its turns.
func splits(f *ir.Fold) bool {
	switch f.Monoid {
	case ir.Ordered:
		return f.While == nil || !f.While.Free().Meets(f.IndexBind) // else it might go on where it had ended
	case ir.Sum, ir.Product:
		return !slices.ContainsFunc(f.Accs, func(a *ir.Node) bool { return a.Type.Float() })
	}
	return true
}

// carried are the accumulators that turns change.
func carried(f *ir.Fold) (out []int) {
	for q, a := range f.Accs {
		if f.Step[q] != a {
			out = append(out, q)
		}
	}
	return out
}

// span has a fold make the turns between bounds, from what is carried into them at an element.
func (c *Carry) span(at []*ir.Node) func(b *ir.Builder, f *ir.Fold, spec *ir.FoldSpec) {
	return func(b *ir.Builder, f *ir.Fold, spec *ir.FoldSpec) {
		t := spec.Lo.Type
		bound := func(i int) *ir.Node { // of which it is known how large it may be
			return b.Max(b.Min(b.Cast(t, b.Load(c.Bounds, b.I32(i))), b.Int(t, int64(c.Turns))), b.Int(t, 0))
		}
		spec.Lo, spec.Hi, spec.Init = bound(0), bound(1), slices.Clone(spec.Init)
		for i, q := range carried(f) {
			was := b.Cast(spec.Init[q].Type, b.Load(c.Before[i], at...))
			spec.Init[q] = b.Select(b.Alu(ir.Eq, spec.Lo, b.Int(t, 0)), spec.Init[q], was)
		}
	}
}

// defined is the definition of what the kernel stores by the same turns from what is carried into them; nil where it has no such folds, or others.
func (c *Carry) defined(ref *ir.Kernel) *ir.Kernel {
	at := ref.Axes
	if c.Rows {
		at = at[min(1, len(at)):]
	}
	extents := func(axes []*ir.Node) (out []int) {
		for _, a := range axes {
			out = append(out, a.Extent)
		}
		return out
	}
	if !slices.Equal(extents(at), extents(c.IR.Axes)) {
		return nil
	}
	var folds []*ir.Fold
	ref.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold && spans(ref, n.Fold, c.Turns) {
			folds = append(folds, n.Fold)
		}
	})
	for _, f := range folds {
		if !slices.EqualFunc(carried(f), c.Before, func(q int, b *ir.Buffer) bool { return f.Accs[q].Type.Float() == b.Type.Float() }) {
			return nil
		}
	}
	if folds == nil {
		return nil
	}
	out, _ := subst.Span(ref, folds, c.span(at))
	return out
}

// Buffers are what launches have besides what the kernel reads and stores.
func (c *Carry) Buffers() []*ir.Buffer {
	return append(slices.Concat(c.Before, c.After), c.Bounds)
}

// Bytes is the memory of these.
func (c *Carry) Bytes() (n int64) {
	for _, b := range c.Buffers() {
		n += b.Bytes()
	}
	return n
}

// Turns is Footprint of a kernel that makes a few turns at a time, of which over is the first and the one behind the last.
func (p *Plan) Turns(step *Step, c *Carry) func(over region.Region) map[string]region.Region {
	loads := bounds.Needed(c.IR)
	places := p.places(step)
	return p.regions(step, func(over region.Region) map[*ir.Buffer]region.Region {
		told := maps.Clone(places)
		told[c.Bounds] = [2]float64{float64(over[0].Lo), float64(over[0].Hi)}
		return loads.Where(told).Of(c.IR.Domain())
	})
}

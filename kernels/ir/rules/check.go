// Package rules is what a kernel must keep to, so that every device can run it.
package rules

import (
	"errors"
	"fmt"
	"slices"

	"weft/kernels/ir"
)

// Check reports everything wrong with a kernel: types, arity, scoping, the shape of monoid folds, indices, stores, padding.
// A kernel that passes can be run by every device. nil: nothing is wrong.
func Check(k *ir.Kernel) error {
	if len(problems(&checker{kernel: k})) == 0 { // names take longer than the rest
		return nil
	}
	return errors.Join(problems(&checker{kernel: k, label: ir.Labels(k)})...)
}

func problems(c *checker) []error {
	c.axes()
	c.buffers()
	c.kernel.Walk(c.node)
	for i := range c.kernel.Stores {
		c.store(i, &c.kernel.Stores[i])
	}
	c.scopes()
	return c.problems
}

type checker struct {
	kernel   *ir.Kernel
	label    map[*ir.Node]string // none where nobody is told
	problems []error
}

func (c *checker) wrong(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("kernel %s: %s", c.kernel.Name, fmt.Sprintf(format, args...)))
}

func (c *checker) axes() {
	for i, a := range c.kernel.Axes {
		switch {
		case a.Kind != ir.KAxis || a.Role != ir.RoleParallel:
			c.wrong("axis %d is not a parallel axis", i)
		case slices.Contains(c.kernel.Axes[:i], a):
			c.wrong("axis %s is listed twice", a.Name)
		case a.Extent < 0:
			c.wrong("axis %s has extent %d", a.Name, a.Extent)
		}
	}
	if len(c.kernel.Stores) == 0 {
		c.wrong("it stores nothing")
	}
}

// buffers checks every buffer once. A buffer that is both read and written would alias itself.
func (c *checker) buffers() {
	in, out := c.kernel.Inputs(), c.kernel.Outputs()
	for _, b := range in {
		c.buffer(b)
		if slices.Contains(out, b) {
			c.wrong("buffer %s is both loaded and stored; use another buffer for the result", b.Name)
		}
	}
	for _, b := range out {
		if !slices.Contains(in, b) {
			c.buffer(b)
		}
	}
}

func (c *checker) buffer(b *ir.Buffer) {
	if !b.Type.Known() {
		c.wrong("buffer %s has unknown type %s", b.Name, b.Type)
		return
	}
	if slices.ContainsFunc(b.Shape, func(s int) bool { return s < 0 }) {
		c.wrong("buffer %s has shape %v", b.Name, b.Shape)
	}
	p := b.Pad
	if p.Before < 0 || p.After < 0 || len(b.Shape) == 0 && p.Before+p.After != 0 {
		c.wrong("buffer %s of %d axes has padding %d, %d", b.Name, len(b.Shape), p.Before, p.After)
	}
	if p.Before+p.After != 0 && !b.Type.Holds(p.Value) {
		c.wrong("buffer %s is padded with %v, which is no %s", b.Name, p.Value, b.Type)
	}
	if b.Held < 0 || b.Held > b.Padded() || b.Held > 0 && len(b.Shape) < 2 {
		c.wrong("buffer %s holds %d elements of rows of %d", b.Name, b.Held, b.Padded())
	}
	if b.Facts.Mono < -1 || b.Facts.Mono > ir.MonoEither {
		c.wrong("buffer %s claims monotony %d; it can be -1, 0, 1 or %d", b.Name, b.Facts.Mono, ir.MonoEither)
	}
	if m := b.Facts.Max; m != nil {
		c.pyramid(b, m)
	}
}

func (c *checker) pyramid(b *ir.Buffer, m *ir.MaxPyramid) {
	if m.Top == nil || len(m.Top.Shape) != 0 || m.Top.Type != b.Type {
		c.wrong("buffer %s: the top of its maximum tables must be a scalar %s", b.Name, b.Type)
	}
	for i, t := range m.Tables {
		if t.Buf == nil || len(t.Buf.Shape) != len(b.Shape) || len(b.Shape) < 2 || t.Buf.Type != b.Type {
			c.wrong("buffer %s: maximum table %d must have its type and number of axes, at least 2", b.Name, i)
			continue
		}
		for d, covers := range [2]int{t.Rows, t.Cols} {
			axis := len(b.Shape) - 2 + d
			cells := (b.Shape[axis] + 1<<t.Shift - 1) >> t.Shift
			if covers < 1<<t.Shift || t.Buf.Shape[axis] < cells {
				c.wrong("buffer %s: maximum table %d covers %d elements of axis %d from each of %d cells; it takes at least %d from %d",
					b.Name, i, covers, axis, t.Buf.Shape[axis], 1<<t.Shift, cells)
			}
		}
	}
}

func (c *checker) store(i int, s *ir.Store) {
	what := fmt.Sprintf("store %d to %s", i, s.Buf.Name)
	c.index(what, s.Buf, s.Index)
	if want := s.Buf.Type.Compute(); s.Value.Type != want {
		c.wrong("%s: value is %s, the buffer takes %s; cast it", what, s.Value.Type, want)
	}
	if s.Guard != nil && s.Guard.Type != ir.Bool {
		c.wrong("%s: guard is %s, not bool", what, s.Guard.Type)
	}
	switch {
	case s.Adds && !slices.ContainsFunc(c.kernel.Stores[:i], func(t ir.Store) bool { return t.Buf == s.Buf && !t.Adds }):
		c.wrong("%s: it adds to what no store before it has written", what)
	case s.Adds && (s.In == nil || s.Buf.Type == ir.Bool):
		c.wrong("%s: only numbers are added to what is there, and in a fold", what)
	}
	for f := s.In; f != nil; f = c.kernel.Around(f) {
		if f.Monoid != ir.Ordered {
			c.wrong("%s: a fold it is in is a %s, not ordered", what, f.Monoid)
		}
	}
}

func (c *checker) index(what string, b *ir.Buffer, index []*ir.Node) {
	if len(index) != len(b.Shape) {
		c.wrong("%s: %d indices for %d axes", what, len(index), len(b.Shape))
	}
	for d, n := range index {
		if n.Type != ir.I32 && n.Type != ir.I64 {
			c.wrong("%s: index %d is %s, not i32 or i64", what, d, n.Type)
		}
	}
}

// node checks one node against its operands.
func (c *checker) node(n *ir.Node) {
	what := c.label[n]
	if n.Kind != ir.KFold && n.Type.Compute() != n.Type {
		c.wrong("%s: %s is a storage type", what, n.Type)
	}
	switch n.Kind {
	case ir.KLoad:
		c.index(what, n.Buf, n.Index())
		if n.Type != n.Buf.Type.Compute() {
			c.wrong("%s: loads %s as %s", what, n.Buf.Type, n.Type)
		}
		if guard, other := n.Guard(); guard != nil && (guard.Type != ir.Bool || other.Type != n.Type) {
			c.wrong("%s: guard is %s and other value %s, want bool and %s", what, guard.Type, other.Type, n.Type)
		}
	case ir.KAlu:
		c.alu(what, n)
	case ir.KFold:
		c.fold(n.Fold)
	case ir.KGet:
		if n.I < 0 || n.I >= int64(len(n.Fold.Accs)) || n.Type != n.Fold.Accs[n.I].Type {
			c.wrong("%s: there is no such accumulator of type %s", what, n.Type)
		}
	}
}

func (c *checker) alu(what string, n *ir.Node) {
	switch {
	case n.Op >= ir.OwnOp:
		c.wrong("%s: operation %d belongs to renderers", what, n.Op)
		return
	case !n.Op.Known():
		c.wrong("%s: unknown operation %d", what, n.Op)
		return
	}
	info := n.Op.Info()
	if len(n.Args) != info.Arity {
		c.wrong("%s: %s of %d operands, takes %d", what, n.Op, len(n.Args), info.Arity)
		return
	}
	a := n.Args[0].Type
	result, same := a, n.Args
	switch n.Op {
	case ir.Cast:
		result = n.Type
	case ir.Bits:
		result = n.Type
		if a.Size() != n.Type.Size() || a == n.Type || a == ir.Bool || n.Type == ir.Bool {
			c.wrong("%s: the bits of %s are not those of %s", what, a, n.Type)
		}
	case ir.Select:
		if a != ir.Bool {
			c.wrong("%s: condition is %s, not bool", what, a)
		}
		result, same = n.Args[1].Type, n.Args[1:]
	}
	if info.Gives == ir.Truth {
		result = ir.Bool
	}
	for _, m := range same {
		if m.Type != same[0].Type || !info.Takes.Has(m.Type) {
			c.wrong("%s: operand %s is %s, the first is %s", what, c.label[m], m.Type, same[0].Type)
		}
	}
	if n.Type != result {
		c.wrong("%s: type is %s, %s of these operands is %s", what, n.Type, n.Op, result)
	}
}

// scopes checks that what is stored depends on the kernel's axes only, or on what a fold it is in varies with: a fold's variables must
// stay inside that fold.
func (c *checker) scopes() {
	var axes ir.Set
	for _, a := range c.kernel.Axes {
		axes = axes.Or(a.Bind())
	}
	within := func(n *ir.Node, known ir.Set) {
		if stray := n.Free().Minus(known); !stray.Empty() {
			c.wrong("%s uses %s outside of its scope", c.label[n], c.binderNames(stray))
		}
	}
	for _, s := range c.kernel.Stores {
		known := axes
		if s.In != nil {
			known = ir.Set{}
		}
		for f := s.In; f != nil; f = c.kernel.Around(f) {
			known = known.Or(f.Binders()).Or(f.Node.Free())
			if c.kernel.Around(f) == nil {
				within(f.Node, axes)
			}
		}
		for _, r := range append(slices.Clone(s.Index), s.Value) {
			within(r, known)
		}
		if s.Guard != nil {
			within(s.Guard, known)
		}
		if more := axes.Minus(known); s.Adds && !more.Empty() {
			c.wrong("what is added in a fold is added once for all %s: let the fold vary with it", c.binderNames(more))
		}
	}
}

// binderNames are the variables whose binders are in s.
func (c *checker) binderNames(s ir.Set) (list []string) {
	c.kernel.Walk(func(n *ir.Node) {
		if n.Bind().Meets(s) {
			list = append(list, c.label[n])
		}
	})
	return list
}

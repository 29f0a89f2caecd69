package conformance

import (
	"fmt"

	"weft/kernels/ir"
)

// randomKernels is how many kernels are drawn by chance, of either kind of rounding.
const randomKernels = 30

// random kernels are graphs of exact operations with loads, guards, selects and folds, over axes of odd extents; half of them are contracted.
func random() []spec {
	var out []spec
	for n := range 2 * randomKernels {
		contract, name := n >= randomKernels, fmt.Sprintf("random %d", n)
		if contract {
			name = fmt.Sprintf("random contracted %d", n-randomKernels)
		}
		out = append(out, spec{name, exactly, func(k *kit) {
			k.kernel.Contract = contract
			names := []string{"x", "y", "z"}
			d := &dice{kit: k, extents: []int{}}
			for a := range 1 + k.rng.IntN(3) {
				e := []int{1, 3, 5, 9, 17, 34}[k.rng.IntN(6)]
				d.extents = append(d.extents, e)
				d.ints = append(d.ints, k.axis(names[a], e))
			}
			d.line, d.plane, d.marks = k.counts("line", 40), k.random("plane", 12, 21), k.ints(ir.I16, "marks", k.whole(33, -20, 60))
			d.plane.Pad = ir.Pad{Before: k.rng.IntN(2) * 16, After: k.rng.IntN(2) * 24}
			for i := range 2 {
				k.out(fmt.Sprint("f", i), d.float(4))
			}
			if contract {
				k.out("products", d.products(3))
			}
			k.out("i", d.integer(4))
			k.out("b", d.bool(3))
		}})
	}
	return out
}

// dice draws expressions over what is in scope.
type dice struct {
	*kit
	extents     []int
	ints        []*ir.Node // integer variables in scope
	floats32    []*ir.Node
	line, plane *ir.Buffer
	marks       *ir.Buffer
	folds       int // drawn so far
}

func (d *dice) one(of []*ir.Node) *ir.Node { return of[d.rng.IntN(len(of))] }

func (d *dice) integer(depth int) *ir.Node {
	if depth == 0 {
		if d.rng.IntN(3) == 0 {
			return d.I32(d.rng.IntN(21) - 5)
		}
		return d.one(d.ints)
	}
	a := func() *ir.Node { return d.integer(depth - 1) }
	positive := d.I32(1 + d.rng.IntN(9))
	switch d.rng.IntN(13) {
	case 0:
		return d.Add(a(), a())
	case 1:
		return d.Sub(a(), a())
	case 2:
		return d.Mul(d.integer(1), d.integer(1))
	case 3:
		return d.Min(a(), a())
	case 4:
		return d.Max(a(), a())
	case 5:
		return d.Mod(a(), positive)
	case 6:
		return d.Div(a(), positive)
	case 7:
		return d.Select(d.bool(depth-1), a(), a())
	case 8:
		return d.Load(d.marks, d.clamp(a(), 33))
	case 9:
		i := a()
		return d.LoadOr(d.marks, d.within(i, 33), a(), i)
	case 10:
		return d.Cast(ir.I32, d.Alu(ir.Rint, d.Min(d.Max(d.float(depth-1), d.F32(-1e6)), d.F32(1e6))))
	case 11:
		return d.Alu(ir.Shr, a(), d.I32(d.rng.IntN(4)))
	}
	return d.fold(depth, ir.I32, d.integer)
}

func (d *dice) float(depth int) *ir.Node {
	if depth == 0 {
		if len(d.floats32) > 0 && d.rng.IntN(2) == 0 {
			return d.one(d.floats32)
		}
		return d.real(d.integer(0))
	}
	a := func() *ir.Node { return d.float(depth - 1) }
	switch d.rng.IntN(15) {
	case 0:
		return d.Add(a(), a())
	case 1:
		return d.Sub(a(), a())
	case 2:
		return d.Mul(a(), a())
	case 3:
		return d.Div(a(), d.Add(d.Abs(a()), d.F32(0.5)))
	case 4:
		return d.Min(a(), a())
	case 5:
		return d.Max(a(), a())
	case 6:
		return d.Sqrt(a())
	case 7:
		return d.Alu(ir.Floor, a())
	case 8:
		return d.Select(d.bool(depth-1), a(), a())
	case 9:
		return d.Cast(ir.F32, d.Mul(d.Cast(ir.F64, a()), d.F64(1.0/3)))
	case 10:
		return d.Load(d.line, d.clamp(d.integer(depth-1), 40))
	case 11:
		return d.Load(d.plane, d.clamp(d.integer(depth-1), 12), d.clamp(d.integer(depth-1), 21))
	case 12:
		j, i := d.integer(depth-1), d.integer(depth-1)
		return d.LoadOr(d.plane, d.And(d.within(j, 12), d.within(i, 21)), d.F32(0), j, i)
	}
	return d.fold(depth, ir.F32, d.float)
}

// products is a sum of products that rounding tells from any other way to contract them, in the turns of a loop and outside of it.
func (d *dice) products(depth int) *ir.Node {
	noise := func() *ir.Node { return d.Load(d.plane, d.clamp(d.integer(1), 12), d.clamp(d.integer(1), 21)) }
	a := func() *ir.Node {
		if depth == 0 {
			return d.Mul(noise(), noise())
		}
		return d.products(depth - 1)
	}
	switch d.rng.IntN(8) {
	case 0:
		return d.Sub(a(), a())
	case 1:
		return d.Mul(a(), noise())
	case 2:
		x := a()
		return d.Sub(d.Mul(x, noise()), d.Mul(noise(), x))
	case 3:
		x, y := a(), noise()
		return d.Select(d.bool(1), d.Add(y, x), y)
	case 4:
		return d.fold(depth, ir.F32, func(int) *ir.Node { return d.Add(d.float(0), d.Mul(noise(), noise())) })
	case 5:
		x := a()
		return d.Add(d.Min(x, noise()), x)
	}
	return d.Add(a(), a())
}

func (d *dice) bool(depth int) *ir.Node {
	if depth == 0 {
		return d.Lt(d.integer(0), d.integer(0))
	}
	switch d.rng.IntN(6) {
	case 0:
		return d.Lt(d.float(depth-1), d.float(depth-1))
	case 1:
		return d.Le(d.integer(depth-1), d.integer(depth-1))
	case 2:
		return d.And(d.bool(depth-1), d.bool(depth-1))
	case 3:
		return d.Or(d.bool(depth-1), d.bool(depth-1))
	case 4:
		return d.Not(d.bool(depth - 1))
	}
	return d.Alu(ir.Eq, d.integer(depth-1), d.integer(depth-1))
}

// fold is a short loop in order whose bounds, step and sometimes while are drawn; at most six in all, so
// that kernels stay small.
func (d *dice) fold(depth int, t ir.DType, draw func(depth int) *ir.Node) *ir.Node {
	if d.folds++; d.folds > 6 {
		return draw(depth - 1)
	}
	ints, floats := d.ints, d.floats32
	lo := d.I32(d.rng.IntN(3))
	hi := d.clamp(d.integer(1), 8)
	init := draw(1)
	out := d.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{init, d.one(d.ints)}}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		d.ints = append(ints[:len(ints):len(ints)], i, a[1])
		if t == ir.F32 {
			d.floats32 = append(floats[:len(floats):len(floats)], a[0])
		} else {
			d.ints = append(d.ints, a[0])
		}
		step := []*ir.Node{draw(depth - 1), d.integer(1)}
		var while *ir.Node
		if d.rng.IntN(3) == 0 {
			while = d.Lt(d.Mod(a[1], d.I32(7)), d.I32(5))
		}
		return step, while
	})
	d.ints, d.floats32 = ints, floats
	return out[0]
}

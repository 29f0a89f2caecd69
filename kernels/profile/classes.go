package profile

import (
	"strings"

	"weft/kernels/ir"
)

// Class is a kind of operation that costs about the same.
type Class string

// Classes of operations. A class that is measured in one type stands for others as Model says.
const (
	FMA      Class = "fma"      // multiply, add, or both in one
	Next     Class = "fma.next" // the same, where each takes what the one before it gives
	Simple   Class = "simple"   // min, max, compare, select, abs, round
	Integer  Class = "int"
	Convert  Class = "convert" // between float32 and int32
	Divide   Class = "div"
	SquareRt Class = "sqrt"
	Exp      Class = "exp"
	Log      Class = "log"
	Sine     Class = "sin"
	Atan2    Class = "atan2"
	Power    Class = "pow"

	FMA64    Class = "fma.f64"
	Divide64 Class = "div.f64"
	Exp64    Class = "exp.f64"
	Half     Class = "half" // load or store of float16: conversion to float32

	Contiguous Class = "load"
	Uniform    Class = "load.uniform"
	Window     Class = "load.window"
	Gather     Class = "load.gather"     // of a table that the nearest cache holds
	GatherFar  Class = "load.gather.far" // of one that it does not
	Four       Class = "load.four"       // one of four side by side that are gathered together; one of two costs twice as much
	FourFar    Class = "load.four.far"   // from a table that a core's own caches do not hold
)

// IsLoad reports whether the class is one of loads.
func (c Class) IsLoad() bool { return strings.HasPrefix(string(c), string(Contiguous)) }

// benchmark is a kernel: every point sums, over a fold, a term that holds ops operations of the class besides what the
// kernel of class less has.
type benchmark struct {
	class   Class
	usual   float64 // nanoseconds, where nothing is measured
	ops     float64
	less    Class
	term    func(e env) *ir.Node // nil: the kernel before it, over as much of its table as reach says
	reach   int                  // elements of the table that indices go to; 0: near
	vectors int                  // of points; 0: as usual; fewer where the code of a term is long
	chained bool                 // each turn takes what the one before it gives
}

// What measurements subtract: sums of the argument alone, and of an index.
const (
	plain      Class = "plain"
	plainIndex Class = "plain.index"
)

// again is how many operations of a unit of its own a term holds, one after the other: what else a term has would hide behind one.
const again = 8

var benchmarks = []benchmark{
	{class: plain, term: func(e env) *ir.Node { return e.t(ir.F32) }},
	{class: plainIndex, term: func(e env) *ir.Node { return e.b.Cast(ir.F32, e.scattered()) }},

	{class: FMA, usual: 0.03, ops: 8, less: plain, term: func(e env) *ir.Node { return e.horner(ir.F32) }},
	{class: Next, usual: 0.12, ops: 1, chained: true, vectors: 1, term: func(e env) *ir.Node { return e.b.F32(0.5) }},
	{class: Simple, usual: 0.06, ops: 8, less: plain, term: func(e env) *ir.Node {
		v := e.t(ir.F32)
		for k := range 4 {
			v = e.b.Max(e.b.Min(v, e.b.F32(7-float64(k))), e.b.F32(float64(k)-6))
		}
		return v
	}},
	{class: Integer, usual: 0.06, ops: 8, less: plainIndex, term: func(e env) *ir.Node {
		v := e.scattered()
		for k := range 4 {
			v = e.b.Alu(ir.BitXor, e.b.Add(v, e.x), e.b.I32(12345+k))
		}
		return e.b.Cast(ir.F32, v)
	}},
	{class: Convert, usual: 0.08, ops: 2, less: plain, term: func(e env) *ir.Node { return e.b.Cast(ir.F32, e.b.Cast(ir.I32, e.t(ir.F32))) }},
	{class: Divide, usual: 0.5, ops: again, less: plain, term: func(e env) *ir.Node { return e.repeated(ir.F32, e.over) }},
	{class: SquareRt, usual: 0.5, ops: again, less: plain, term: func(e env) *ir.Node { return e.repeated(ir.F32, e.b.Sqrt) }, vectors: 2},
	{class: Exp, usual: 0.7, ops: 1, less: plain, term: unary(ir.Exp)},
	{class: Log, usual: 0.9, ops: 1, less: plain, term: unary(ir.Log)},
	{class: Sine, usual: 0.8, ops: 1, less: plain, term: unary(ir.Sin)},

	{class: FMA64, usual: 0.06, ops: 8, less: plain, term: func(e env) *ir.Node { return e.horner(ir.F64) }},
	{class: Divide64, usual: 1, ops: again, less: plain, term: func(e env) *ir.Node { return e.repeated(ir.F64, e.over) }, vectors: 2},

	{class: Contiguous, usual: 0.06, ops: 1, less: plain, term: func(e env) *ir.Node {
		return e.b.Add(e.t(ir.F32), e.b.Load(e.rows, e.b.Alu(ir.BitAnd, e.i, e.b.I32(7)), e.x))
	}},
	{class: Uniform, usual: 0.03, ops: 8, less: plain, term: func(e env) *ir.Node { // by vectors of points one after the other, which would share them
		v := e.t(ir.F32)
		for k := range 8 {
			v = e.b.Add(v, e.b.Load(e.table, e.b.Add(e.i, e.b.I32(k))))
		}
		return v
	}, vectors: 1},
	{class: Window, usual: 0.08, ops: 4, less: plain, term: func(e env) *ir.Node { // four rows at one delay, as taps of an interpolation are
		v := e.t(ir.F32)
		for k := range 4 {
			v = e.b.Add(v, e.b.Load(e.record, e.b.I32(k), e.delay()))
		}
		return v
	}, vectors: 2},
	{class: Gather, usual: 0.6, ops: 1, less: plainIndex, term: func(e env) *ir.Node { return e.b.Load(e.large, e.scattered()) }},
	{class: GatherFar, usual: 1.5, ops: 1, less: plainIndex, reach: far},
	{class: Four, usual: 0.2, ops: beside, less: plainIndex, reach: own, term: func(e env) *ir.Node {
		at := e.scattered()
		v := e.b.Load(e.places, at, e.b.I32(0))
		for k := range beside - 1 {
			v = e.b.Add(v, e.b.Load(e.places, at, e.b.I32(k+1)))
		}
		return v
	}, vectors: 2},
	{class: FourFar, usual: 0.5, ops: beside, less: plainIndex, reach: far / beside},
}

// derived are classes that are not measured, since their code takes long to compile: each from others, as it was when all were
// measured on processors with 256 and 512-bit vectors.
var derived = []struct {
	class Class
	of    func(ns map[Class]float64) float64
}{
	{Atan2, func(ns map[Class]float64) float64 { return 1.9 * ns[Sine] }},
	{Power, func(ns map[Class]float64) float64 { return 3 * (ns[Exp] + ns[Log]) }},
	{Exp64, func(ns map[Class]float64) float64 { return 1.2 * ns[Exp] * ns[FMA64] / ns[FMA] }},
	{Half, func(ns map[Class]float64) float64 { return ns[Contiguous] + ns[Convert] }},
}

func derive(ns map[Class]float64) {
	for _, d := range derived {
		ns[d.class] = d.of(ns)
	}
}

func unary(op ir.Op) func(env) *ir.Node {
	return func(e env) *ir.Node { return e.b.Alu(op, e.t(ir.F32)) }
}

// Classes are those that a profile holds figures of.
func Classes() []Class {
	var out []Class
	for _, b := range benchmarks {
		if b.ops > 0 {
			out = append(out, b.class)
		}
	}
	for _, d := range derived {
		out = append(out, d.class)
	}
	return out
}

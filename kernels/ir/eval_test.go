package ir

import (
	"fmt"
	"math"
)

// env is a slow tree-walking evaluator, the oracle of this package's tests. F32 values are rounded after each operation.
type env struct {
	vars map[*Node]float64
	bufs map[*Buffer][]float64
}

func (e *env) eval(n *Node) float64 {
	switch n.Kind {
	case KConst:
		if n.Type.Float() {
			return round(n.Type, n.F)
		}
		return float64(n.I)
	case KAxis, KArg:
		v, ok := e.vars[n]
		if !ok {
			panic("unbound " + n.Name)
		}
		return v
	case KLoad:
		return e.load(n)
	case KGet:
		return e.fold(n.Fold)[n.I]
	}
	a := make([]float64, len(n.Args))
	for i, m := range n.Args {
		a[i] = e.eval(m)
	}
	return round(n.Type, apply(n, a))
}

func (e *env) load(n *Node) float64 {
	if g, other := n.Guard(); g != nil && e.eval(g) == 0 {
		return e.eval(other)
	}
	at := 0
	for d, i := range n.Index() {
		v := int(e.eval(i))
		if v < 0 || v >= n.Buf.Shape[d] {
			panic(fmt.Sprintf("index %d of %s is %d", d, n.Buf.Name, v))
		}
		at = at*n.Buf.Shape[d] + v
	}
	return e.bufs[n.Buf][at]
}

func (e *env) fold(f *Fold) []float64 {
	acc := make([]float64, len(f.Init))
	for k, n := range f.Init {
		acc[k] = e.eval(n)
	}
	hi := e.eval(f.Hi)
	for i := e.eval(f.Lo); i < hi; i++ {
		e.vars[f.Index] = i
		for k, a := range f.Accs {
			e.vars[a] = acc[k]
		}
		if f.While != nil && e.eval(f.While) == 0 {
			break
		}
		next := make([]float64, len(acc))
		for k, n := range f.Step {
			next[k] = e.eval(n)
		}
		acc = next
	}
	return acc
}

func round(t DType, v float64) float64 {
	switch t {
	case F32:
		return float64(float32(v))
	case I32:
		return float64(int32(int64(v)))
	}
	return v
}

func truthOf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var oracle = map[Op]func(a []float64) float64{
	Add: func(a []float64) float64 { return a[0] + a[1] },
	Sub: func(a []float64) float64 { return a[0] - a[1] },
	Mul: func(a []float64) float64 { return a[0] * a[1] },
	Neg: func(a []float64) float64 { return -a[0] },
	Abs: func(a []float64) float64 { return math.Abs(a[0]) },
	Min: func(a []float64) float64 {
		if a[0] < a[1] {
			return a[0]
		}
		return a[1]
	},
	Max: func(a []float64) float64 {
		if a[0] > a[1] {
			return a[0]
		}
		return a[1]
	},
	Mod:    func(a []float64) float64 { return a[0] - a[1]*math.Floor(a[0]/a[1]) },
	Lt:     func(a []float64) float64 { return truthOf(a[0] < a[1]) },
	Le:     func(a []float64) float64 { return truthOf(a[0] <= a[1]) },
	Eq:     func(a []float64) float64 { return truthOf(a[0] == a[1]) },
	Ne:     func(a []float64) float64 { return truthOf(a[0] != a[1]) },
	And:    func(a []float64) float64 { return a[0] * a[1] },
	Or:     func(a []float64) float64 { return max(a[0], a[1]) },
	Not:    func(a []float64) float64 { return 1 - a[0] },
	Shl:    func(a []float64) float64 { return math.Ldexp(a[0], int(a[1])) },
	Shr:    func(a []float64) float64 { return math.Floor(math.Ldexp(a[0], -int(a[1]))) },
	BitAnd: func(a []float64) float64 { return float64(int64(a[0]) & int64(a[1])) },
	BitOr:  func(a []float64) float64 { return float64(int64(a[0]) | int64(a[1])) },
	BitXor: func(a []float64) float64 { return float64(int64(a[0]) ^ int64(a[1])) },
	Select: func(a []float64) float64 {
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	},
	Sqrt:  func(a []float64) float64 { return math.Sqrt(a[0]) },
	Rint:  func(a []float64) float64 { return math.RoundToEven(a[0]) },
	Floor: func(a []float64) float64 { return math.Floor(a[0]) },
	Ceil:  func(a []float64) float64 { return math.Ceil(a[0]) },
	Trunc: func(a []float64) float64 { return math.Trunc(a[0]) },
	Sin:   func(a []float64) float64 { return math.Sin(a[0]) },
	Cos:   func(a []float64) float64 { return math.Cos(a[0]) },
	Exp:   func(a []float64) float64 { return math.Exp(a[0]) },
	Log:   func(a []float64) float64 { return math.Log(a[0]) },
}

func apply(n *Node, a []float64) float64 {
	switch n.Op {
	case Cast:
		if n.Type.Int() {
			return math.Trunc(a[0])
		}
		return a[0]
	case Div:
		if n.Type.Int() {
			return math.Floor(a[0] / a[1])
		}
		return a[0] / a[1]
	}
	return oracle[n.Op](a)
}
